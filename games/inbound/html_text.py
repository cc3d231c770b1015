"""Turns the HTML of a reply into lines of visible text, and marks what a mail program marked as
quoted.

Parses with lxml, in linear time and without recursion. Knows how the usual mail programs wrap what
they quote; the rest is left for `quote_stripping`, which looks at the words.

Text is visible by its elements, attributes and inline styles. Style sheets are not computed, and no
page is laid out. Whatever may hide text in another way makes it doubtful: then the writer is asked
if it matters.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from lxml import etree

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

# Only the text of these elements counts. That of all others is doubtful.
_COUNTED = re.compile(
    "a|abbr|acronym|address|article|aside|b|bdi|big|blockquote|body|br|caption|center|cite|code|col"
    "|colgroup|dd|dfn|div|dl|dt|em|fieldset|figcaption|figure|font|footer|form|h[1-6r]|header|html"
    "|i|img|ins|kbd|label|legend|li|main|mark|nav|nobr|o:p|ol|p|pre|q|samp|section|small|span"
    "|strong|su[bp]|table|tbody|t[dhrt]|tfoot|thead|time|u|ul|var|wbr"
)
_STRUCK = re.compile("s|strike|del")
_UNSEEN = re.compile("head|link|meta|script|style|template|title")

_ZERO = r"\+?(?:0+(?:\.0*)?|\.0+)(?:[a-z]+|%)?"
_SMALL = rf"(?:{_ZERO}|\+?0*\.[0-2]\d*[a-z%]*|\+?[0-2](?:\.\d+)?(?:px|pt)|.*\(.*)"
_FAR = r".*(?:-\d{3}|-\d\d(?:\.\d+)?(?:[a-oq-z]|p[^tx]|%)|(?<![.\d])\d{4}|\().*"
# The effects of declarations on text: the first pattern that matches counts.
_EFFECTS = [
    (effect, re.compile(pattern))
    for effect, pattern in {
        "unseen": "display:none|mso-hide:all",
        "struck": "[a-z-]*text-decoration[a-z-]*:.*line-through.*",
        "invisible": "visibility:(?:hidden|collapse)",
        "visible": "visibility:visible",
        "tiny": f"font-size:{_ZERO}",
        "legible": r"font-size:(?:[4-9]|\d\d+)(?:\.\d+)?(?:px|pt)",
        "doubtful": rf"font-size:{_SMALL}|font:(?:.*\s)?{_ZERO}(?:[/\s].*)?"
        r"|opacity:(?!(?:0?\.[5-9]\d*|1(?:\.0*)?|[5-9]\d%|100%)$).*"
        rf"|(?:(?:max-)?(?:width|height)|line-height|zoom):{_SMALL}"
        rf"|(?:margin|text-indent|left|right|top|bottom|inset)[a-z-]*:{_FAR}"
        r"|position:(?:absolute|fixed)|(?:[a-z-]*-)?background-clip:.*text.*"
        r"|unicode-bidi:.*override"
        r"|(?:-[a-z]+-)?(?:animation|clip|content-visibility|filter|mask|mix-blend-mode|offset"
        r"|rotate|scale|text-security|transform|translate)(?!-origin|-style)[a-z-]*:"
        r"(?!(?:none|auto|normal|visible|initial)$).*",
    }.items()
]
_LEAST_PAPER, _MOST_INK = 190, 175  # brightness, 0 to 255: ink of this can be read on such paper
_INK = re.compile(
    "|black|brown|crimson|currentcolor|(?:dark|dim|medium|midnight|royal|slate|steel)?(?:blue|green"
    "|gr[ae]y|red)|inherit|initial|maroon|navy|olive|orange|purple|teal|unset|windowtext"
)
_DARK = re.compile(r"\b(?:black|(?:dark|dim|midnight)[a-z]+|maroon|navy|purple|windowtext)\b")
_COLOUR = re.compile(r"#([0-9a-f]{3,8})(?![0-9a-f])|rgba?\(([^()]*)\)")
_ANY = re.compile(r"[\\*&\[]|(?:^|[\s,>+~(]):")  # in a selector: an element of any name


class Look(NamedTuple):
    """The look of text in an element. unseen: neither it nor its children are seen. invisible,
    tiny: not seen, but its children may be."""

    struck: bool = False
    doubtful: bool = False
    unseen: bool = False
    invisible: bool = False
    tiny: bool = False

    @property
    def is_hidden(self) -> bool:
        return self.unseen or self.invisible or self.tiny


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
        self._suspects = none if self._root is None else _suspects_of(self._root)

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
            around.append(_look_inside(around[-1], element, suspects))
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


def _look_inside(outer: Look, element: etree._Element, suspects: frozenset[str]) -> Look:
    """The look of an element inside of one with the look `outer`. suspects: of
    `_suspects_of`."""
    tag, effects = str(element.tag), _effects(_style_of(element))
    names = {"*", tag, element.get("id", "").lower(), *element.get("class", "").lower().split()}
    is_struck, is_unseen = bool(_STRUCK.fullmatch(tag)), bool(_UNSEEN.fullmatch(tag))
    is_known = is_struck or is_unseen or bool(_COUNTED.fullmatch(tag))
    is_odd = not is_known or element.get("aria-hidden") == "true" or bool(suspects & names)
    return Look(
        struck=outer.struck or is_struck or "struck" in effects,
        doubtful=outer.doubtful or is_odd or "doubtful" in effects,
        unseen=outer.unseen
        or is_unseen
        or element.get("hidden") is not None
        or "unseen" in effects,
        invisible="invisible" in effects or (outer.invisible and "visible" not in effects),
        tiny="tiny" in effects or (outer.tiny and "legible" not in effects),
    )


def _suspects_of(root: etree._Element) -> frozenset[str]:
    """The tags, classes and ids, in lower case, that a style sheet of the document may hide or
    strike out; "*" stands for every element."""
    found: set[str] = set()
    for block in "\n".join(element.text or "" for element in root.iter("style")).split("}"):
        outer, _brace, body = block.rpartition("{")
        selector = outer.rpartition("{")[2].rpartition(";")[2].lower()
        if not _effects(body) - {"visible", "legible"}:
            continue
        if not selector.strip() or _ANY.search(selector):
            found.add("*")
        for each in filter(str.strip, selector.split(",")):
            last = re.split(r"[\s>+~]+", each.strip())[-1].partition(":")[0]
            names = re.findall(r"[.#]?[\w-]+", last)
            found.update(name.strip(".#") for name in names if name[0] in ".#" or len(names) == 1)
    return frozenset(found)


def _style_of(element: etree._Element) -> str:
    """The inline style, and old attributes as a part of it."""
    get = element.get
    old = f"color:{get('color') or get('text', '')};background:{get('bgcolor', '')};"
    return f"{old}width:{get('width', '')};height:{get('height', '')};{get('style', '')}"


@lru_cache(maxsize=256)
def _effects(style: str) -> frozenset[str]:
    """The effect of the declarations on text. One that is declared twice in different
    ways is doubtful."""
    by_name: dict[str, str] = {"": "doubtful"} if "\\" in style or "/*" in style else {}
    for declaration in style.lower().split(";"):
        name, _colon, value = (part.strip() for part in declaration.partition(":"))
        if value := value.partition("!")[0].rstrip():
            effect = _effect(name, value)
            by_name[name] = effect if by_name.get(name, effect) == effect else "doubtful"
    return frozenset(by_name.values()) - {""}


def _effect(name: str, value: str) -> str:
    shades = list(_brightness(value)) if "color" in name or "background" in name else []
    if name in ("color", "-webkit-text-fill-color"):
        is_ink = max(shades) <= _MOST_INK if shades else _INK.fullmatch(value)
        return "" if is_ink else "doubtful"
    is_dark = min(shades, default=255) < _LEAST_PAPER or _DARK.search(value)
    if is_dark and name.startswith("background"):
        return "doubtful"
    line = f"{name}:{value}"
    return next((effect for effect, pattern in _EFFECTS if pattern.fullmatch(line)), "")


def _brightness(value: str) -> Iterator[float]:
    """The brightness of each colour in figures, 0 to 255; 255 for a transparent one."""
    for digits, figures in _COLOUR.findall(value):
        double = "".join(digit * 2 for digit in digits) if len(digits) < 5 else digits
        parts: list[float] = [int(double[at : at + 2], 16) for at in range(0, len(double), 2)]
        for number, unit in re.findall(r"(\d*\.?\d+)(%?)", figures)[:4]:
            parts.append(float(number) * (2.55 if unit else 255 if len(parts) == 3 else 1))
        red, green, blue, alpha = (*parts, 255, 255, 255, 255)[:4]
        yield 255 if alpha < 128 else (2 * red + 5 * green + blue) / 8


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
