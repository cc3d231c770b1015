"""Turns the HTML of a reply into lines of text, and marks what a mail program marked as quoted.

Parses with lxml, in linear time and without recursion. Knows how the usual mail programs wrap what
they quote; the rest is left for `quote_stripping`, which looks at the words.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from lxml import etree

from . import visibility
from .visibility import Look

QUOTE = "> "  # stands before a quoted line, as in plain text

_BLOCK = re.compile(
    "address|article|blockquote|body|br|center|dd|div|dl|dt|fieldset|footer|form|h[1-6r]|header|li"
    "|main|ol|p|pre|section|table|tbody|td|th|thead|tr|ul"
)
_QUOTED_CLASS = re.compile(
    r"\b(gmail_quote|gmail_quote_container|gmail_attr|gmail_extra|moz-cite-prefix|yahoo_quoted"
    r"|protonmail_quote|zmail_extra|tutanota_quote|OutlookMessageHeader|k9mail-quote|quoted-text)\b"
)
_QUOTED_ID = re.compile(r"\b(yahoo_quoted\w*|ymail_android_quoted|mail-editor-reference\S*)\b")
# From here on everything is the email that is answered.
_REST_ID = re.compile(r"\b(divRplyFwdMsg|appendonsend|x_divRplyFwdMsg|OLK_SRC_BODY_SECTION)\b")
_REST_STYLE = re.compile(r"border-top:\s*solid\s+#[0-9a-f]{6}\s+1\.0pt", re.IGNORECASE)
_SIGNATURE_CLASS = re.compile(
    r"\b(gmail_signature|moz-signature|ms-outlook-mobile-signature|k9mail-signature)\b"
)
_SIGNATURE_ID = re.compile(r"\b(Signature|ms-outlook-mobile-signature|x_Signature)\b")


class Page:
    """The HTML of an email. leaves_out: whether some text was left out of its lines so far."""

    leaves_out = False

    def __init__(self, html: str) -> None:
        data = html.replace("\x00", "").encode("utf-8", "replace")
        parser = etree.HTMLParser(
            encoding="utf-8", recover=True, remove_comments=True, remove_pis=True, no_network=True
        )
        try:
            self._root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError:
            self._root = None
        none = frozenset[str]()
        self._suspects = none if self._root is None else visibility.suspects_of(self._root)

    def lines(
        self, *, doubtful: bool = False, struck: bool = False, hidden: bool = False
    ) -> Iterator[str]:
        """The visible lines, quoted ones with "> " before them, without marked signatures.

        doubtful, struck, hidden: also the text that may be hidden or struck out, that is struck
        out, that cannot be seen.
        """
        if self._root is None:
            return

        def counts(look: Look) -> bool:
            is_shown = (hidden or not look.is_hidden) and (struck or not look.struck)
            found = is_shown and (doubtful or not look.doubtful)
            self.leaves_out = self.leaves_out or not found
            return found

        yield from _lines(self._root, self._suspects, counts)


def _lines(
    root: etree._Element, suspects: frozenset[str], counts: Callable[[Look], bool]
) -> Iterator[str]:
    around = [Look()]
    signed = quoted = 0  # how many of the elements around us are
    in_rest = False
    words: list[str] = []
    line_is_quoted = False

    def flush() -> str:
        # No-break spaces stand where HTML would swallow others.
        text = re.sub(r"[ \t\r\n\f]+", " ", "".join(words)).strip()
        words.clear()
        return (QUOTE if line_is_quoted else "") + text

    for event, element in etree.iterwalk(root, events=("start", "end")):
        starts = event == "start"
        quotes, signs = _is_quoted(element), _is_signature(element)
        if _BLOCK.fullmatch(str(element.tag)) or quotes:
            if "".join(words).strip() or (element.tag == "br" and starts):
                yield flush()
            elif element.tag == "p" and not starts:
                yield ""
        change = 1 if starts else -1
        if starts:
            around.append(visibility.below(around[-1], element, suspects))
        else:
            around.pop()
        quoted += change * quotes
        signed += change * signs
        in_rest = in_rest or (starts and _begins_the_rest(element))
        if line_is_quoted and not (in_rest or quoted):
            yield ""  # what follows does not continue the quoted line above it
        line_is_quoted = in_rest or quoted > 0
        text = element.text if starts else element.tail
        if text and not signed and counts(around[-1]):
            words.append(text)
    if "".join(words).strip():
        yield flush()


def _is_quoted(element: etree._Element) -> bool:
    return (
        element.tag == "blockquote"
        or (_QUOTED_CLASS.search(element.get("class", "")) is not None and not _is_shared(element))
        or _QUOTED_ID.search(element.get("id", "")) is not None
        or (element.tag == "div" and element.get("name") == "quote")
    )


def _is_shared(element: etree._Element) -> bool:
    """Return whether this is the block of Gmail that holds what is quoted and what is written
    between or below it. Only its attribution and its <blockquote>s are quoted then.

    A forwarded email has no <blockquote> there.
    """
    children = [*islice(element.iterchildren(), 2)]
    if len(children) < 2 or element.tag != "div":
        return False
    attribution, quote = children
    return "gmail_attr" in attribution.get("class", "").split() and quote.tag == "blockquote"


def _begins_the_rest(element: etree._Element) -> bool:
    by_id = _REST_ID.search(element.get("id", ""))
    return bool(by_id or _REST_STYLE.search(element.get("style", "")))


def _is_signature(element: etree._Element) -> bool:
    return (
        _SIGNATURE_CLASS.search(element.get("class", "")) is not None
        or _SIGNATURE_ID.search(element.get("id", "")) is not None
    )
