"""The HTML of a reply as lines of text, with what a mail program marked as quoted taken out.

Reads with lxml, in linear time and without recursion. Knows how the usual programs wrap what they
quote; what it does not know is left for `cuts`, which looks at the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

QUOTE = "> "  # what is put before a quoted line: cuts knows what that means

_BLOCKS = (
    "|address|article|blockquote|body|center|dd|div|dl|dt|fieldset|footer|form|h1|h2|h3|h4|h5|h6"
    "|header|hr|li|main|ol|p|pre|section|table|tbody|td|th|thead|tr|ul|"
)
_UNSEEN = "|head|script|style|title|noscript|template|object|svg|math|select|"
_QUOTED_CLASS = re.compile(
    r"\b(gmail_quote|gmail_quote_container|gmail_attr|gmail_extra|moz-cite-prefix|yahoo_quoted"
    r"|protonmail_quote|zmail_extra|tutanota_quote|OutlookMessageHeader|k9mail-quote|quoted-text)\b"
)
_QUOTED_ID = re.compile(r"\b(yahoo_quoted\w*|ymail_android_quoted|mail-editor-reference\S*)\b")
# From here on everything is the mail that is answered.
_REST_ID = re.compile(r"\b(divRplyFwdMsg|appendonsend|x_divRplyFwdMsg|OLK_SRC_BODY_SECTION)\b")
_REST_STYLE = re.compile(r"border-top:\s*solid\s+#[0-9a-f]{6}\s+1\.0pt", re.IGNORECASE)
_SIGNATURE = re.compile(
    r"\b(gmail_signature|moz-signature|ms-outlook-mobile-signature|k9mail-signature)\b"
)
_SIGNATURE_ID = re.compile(r"\b(Signature|ms-outlook-mobile-signature|x_Signature)\b")


def lines_of(html: str) -> list[str]:
    """The lines one reads, quoted ones with "> " before them, without signatures known as such."""
    data = html.replace("\x00", "").encode("utf-8", "replace")
    parser = etree.HTMLParser(encoding="utf-8", recover=True, remove_comments=True, no_network=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return []
    return list(_lines(root)) if root is not None else []


def _lines(root: etree._Element) -> Iterator[str]:
    unseen = quoted = 0  # how many of the elements around us say so
    rest = False
    words: list[str] = []
    line_is_quoted = False

    def flush() -> str:
        # No-break spaces stand where HTML would swallow the others.
        text = re.sub(r"[ \t\r\n\f]+", " ", "".join(words)).strip()
        words.clear()
        return (QUOTE if line_is_quoted else "") + text

    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag = element.tag if isinstance(element.tag, str) else ""
        hides = f"|{tag}|" in _UNSEEN or _is_hidden(element) or _is_signature(element)
        quotes = _is_quoted(element)
        starts = event == "start"
        if f"|{tag}|" in _BLOCKS or tag == "br" or quotes:
            if "".join(words).strip() or (tag == "br" and starts):
                yield flush()
            elif tag == "p" and not starts:
                yield ""
        if starts:
            unseen += hides
            quoted += quotes
            rest = rest or _begins_the_rest(element)
        else:
            unseen -= hides
            quoted -= quotes
        if line_is_quoted and not (rest or quoted):
            yield ""  # what follows does not go on from the quoted line above it
        line_is_quoted = rest or quoted > 0
        text = element.text if starts else element.tail
        if text and not unseen:
            words.append(text)
    if "".join(words).strip():
        yield flush()


def _is_quoted(element: etree._Element) -> bool:
    if element.tag == "blockquote":
        return True
    return bool(
        _QUOTED_CLASS.search(element.get("class", ""))
        or _QUOTED_ID.search(element.get("id", ""))
        or (element.tag == "div" and element.get("name") == "quote")
    )


def _begins_the_rest(element: etree._Element) -> bool:
    return bool(
        _REST_ID.search(element.get("id", "")) or _REST_STYLE.search(element.get("style", ""))
    )


def _is_signature(element: etree._Element) -> bool:
    return bool(
        _SIGNATURE.search(element.get("class", "")) or _SIGNATURE_ID.search(element.get("id", ""))
    )


def _is_hidden(element: etree._Element) -> bool:
    return "display:none" in element.get("style", "").replace(" ", "").lower()
