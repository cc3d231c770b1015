"""Which text of an HTML email its reader sees, and which of that is struck out.

Reads style attributes, style sheets and the old attributes for colours and sizes. Errs on the side
of hidden: text that nobody sees must never be read as a move. tinycss2 parses style sheets,
cssselect2 matches their selectors within limits; no page is laid out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

import cssselect2
import msgspec
import tinycss2
from lxml import etree
from tinycss2.color4 import parse_color

from .counted_elements import CountedElement, TooMuchStyle, counted

MOST_CSS = 60_000  # characters of style sheets, and of all style attributes, that are read
MOST_RULES = 400
MOST_SELECTORS = 2000  # of all rules
LONGEST_SELECTOR = 100  # tokens
FAR = -400  # pixels: what is moved this far to the left or up is out of sight
FAINT = 0.1  # opacity that nobody can read
CLOSE = 0.12  # greatest difference of a channel (0 … 1) between colours that look the same

_STRUCK_TAGS = {"s", "strike", "del"}
_WHITE = (1.0, 1.0, 1.0)
_BLACK = (0.0, 0.0, 0.0)

Colour = tuple[float, float, float]
Style = Mapping[str, str]  # property → value in lower case without spaces at its ends


class Look(msgspec.Struct, frozen=True):
    """How the text directly in an element looks. struck: a line goes through it.

    hidden: nobody sees the element, whatever its children say; folded: it is in a closed
    <details>; the rest is inherited, and a child may say otherwise.
    """

    hidden: bool = False
    struck: bool = False
    folded: bool = False
    invisible: bool = False
    tiny: bool = False
    ink: Colour | None = _BLACK  # None: transparent
    paper: Colour = _WHITE

    @property
    def is_seen(self) -> bool:
        if self.hidden or self.folded or self.invisible or self.tiny or self.ink is None:
            return False
        return any(abs(a - b) > CLOSE for a, b in zip(self.ink, self.paper, strict=True))


class Looks:
    """The looks of the elements of one document.

    Raises TooMuchStyle where too many or too deeply nested styles hide what is seen.
    """

    def __init__(self, root: etree._Element) -> None:
        self._css_left = MOST_CSS
        self._sheet: dict[etree._Element, list[tuple[bool, str, str]]] = {}
        try:
            self._match(root)
        except RecursionError as error:
            raise TooMuchStyle from error

    def _match(self, root: etree._Element) -> None:
        matcher = self._matcher(root)
        if matcher is None:
            return
        for wrapper in CountedElement.from_html_root(root).iter_subtree():
            matched = matcher.match(wrapper)
            if matched:
                rules = (rule for *_rank, pseudo, rule in matched if pseudo is None)
                self._sheet[wrapper.etree_element] = [line for rule in rules for line in rule]

    def _matcher(self, root: etree._Element) -> Any:
        """The rules of all style sheets; None without any."""
        sheets = "\n".join(element.text or "" for element in root.iter("style"))[:MOST_CSS]
        if not sheets.strip():
            return None
        matcher, left = cssselect2.Matcher(), MOST_SELECTORS
        for number, rule in enumerate(_rules(sheets)):
            if number >= MOST_RULES:
                break
            lengths = [
                _size(tokens)
                for is_comma, tokens in groupby(rule.prelude, _is_comma)
                if not is_comma
            ]
            left -= len(lengths)
            if left < 0 or max(lengths, default=0) > LONGEST_SELECTOR:
                raise TooMuchStyle
            declared = _declarations(tinycss2.parse_blocks_contents(rule.content))
            for selector in _compiled(rule.prelude):
                selector.test = counted(selector.test)
                matcher.add_selector(selector, declared)
        return matcher

    def below(self, outer: Look, element: etree._Element) -> Look:
        """The look of an element inside of one with the look `outer`."""
        style = self._style_of(element)
        ink, paper = outer.ink, outer.paper
        if (said := _background(element, style)) is not None:
            paper = said
        if (value := _ink(element, style)) is not None:
            colour = _colour(value)
            ink = colour if colour is not None else ink
            if _is_transparent(value):
                ink = None
        visible = style.get("visibility")
        tiny = _is_tiny(style)
        return Look(
            hidden=outer.hidden or _is_hidden(element, style),
            struck=outer.struck or element.tag in _STRUCK_TAGS or _is_struck(style),
            folded=_is_folded(outer, element),
            invisible=outer.invisible if visible is None else visible in ("hidden", "collapse"),
            tiny=outer.tiny if tiny is None else tiny,
            ink=ink,
            paper=paper,
        )

    def _style_of(self, element: etree._Element) -> Style:
        """What style sheets and the element itself declare, the more important last."""
        own: list[tuple[bool, str, str]] = []
        text = element.get("style", "")
        if text and len(text) <= self._css_left:
            self._css_left -= len(text)
            try:
                own = _declarations(tinycss2.parse_blocks_contents(text))
            except RecursionError as error:
                raise TooMuchStyle from error
        lines = [*self._sheet.get(element, ()), *own]
        ordered = sorted(lines, key=lambda line: line[0])
        return {name: value for _important, name, value in ordered}


def _size(tokens: Iterable[Any]) -> int:
    """The number of tokens, with those inside of functions and blocks."""
    count, left = 0, list(tokens)
    while left:
        token = left.pop()
        count += 1
        left += getattr(token, "arguments", None) or getattr(token, "content", None) or []
    return count


def _is_comma(part: Any) -> bool:
    return bool(part == ",")


def _compiled(prelude: list[Any]) -> list[Any]:
    """The selectors of a rule; [] for what cssselect2 does not understand, or what nests too deeply
    for Python, into which it translates them."""
    try:
        return list(cssselect2.compile_selector_list(prelude))
    except (cssselect2.SelectorError, NotImplementedError, SyntaxError, RecursionError):
        return []


def _rules(css: str) -> Iterator[Any]:
    """The rules of a style sheet, those for some screens included: theirs may be this screen."""
    waiting = [*tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)]
    for _number in range(MOST_RULES * 2):
        if not waiting:
            return
        rule = waiting.pop(0)
        if rule.type == "qualified-rule":
            yield rule
        elif (
            rule.type == "at-rule"
            and rule.lower_at_keyword in ("media", "supports", "layer")
            and rule.content is not None
            and not _is_for_print(rule)
        ):
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            waiting[:0] = inner


def _is_for_print(rule: Any) -> bool:
    return bool(tinycss2.serialize(rule.prelude).strip().lower() == "print")


def _declarations(parsed: list[Any]) -> list[tuple[bool, str, str]]:
    """(important, property, value) of each declaration."""
    return [
        (part.important, part.lower_name, tinycss2.serialize(part.value).strip().lower())
        for part in parsed
        if part.type == "declaration"
    ]


# -- what declarations mean ------------------------------------------------------------------


def _is_struck(style: Style) -> bool:
    return any(
        "line-through" in style.get(n, "") for n in ("text-decoration", "text-decoration-line")
    )


def _is_hidden(element: etree._Element, style: Style) -> bool:
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden", "").strip().lower() == "true"
        or style.get("display") == "none"
        or style.get("mso-hide") == "all"
        or style.get("content-visibility") == "hidden"
        or _is_faint(style)
        or _has_no_size(element, style)
        or _is_away(style)
    )


def _is_faint(style: Style) -> bool:
    found = re.fullmatch(r"\+?(\d*\.?\d+)(%?)", style.get("opacity", ""))
    return found is not None and float(found[1]) / (100 if found[2] else 1) <= FAINT


def _is_folded(outer: Look, element: etree._Element) -> bool:
    """Whether the element is a closed <details> or in one, and not its summary."""
    parent = element.getparent()
    if element.tag == "summary" and parent is not None and parent.tag == "details":
        return any(
            above.get("open") is None for above in parent.iterancestors("details")
        ) or element is not next(parent.iterchildren("summary"))
    return outer.folded or (element.tag == "details" and element.get("open") is None)


def _has_no_size(element: etree._Element, style: Style) -> bool:
    width = style.get("width", element.get("width"))
    height = style.get("height", element.get("height"))
    narrow = _is_zero(width) or _is_zero(style.get("max-width"))
    low = _is_zero(height) or _is_zero(style.get("max-height"))
    if narrow and low:
        return True
    clips = any(style.get(name, "") in ("hidden", "clip") for name in _OVERFLOW)
    return (narrow or low) and clips


_OVERFLOW = ("overflow", "overflow-x", "overflow-y")


def _is_away(style: Style) -> bool:
    """Whether the element is moved out of sight, cut to nothing or scaled to nothing."""
    sides = [style.get(name) for name in ("left", "top", "right", "bottom")]
    if style.get("position") not in ("absolute", "fixed", "relative"):
        sides = []
    sides += [style.get(name) for name in ("text-indent", "margin-left", "margin-top")]
    margin = style.get("margin", "").split()
    moved = re.findall(r"-?[\d.]+[a-z%]*", style.get("transform", ""))
    if any(_pixels(value) <= FAR for value in (*sides, *margin, *moved)):
        return True
    clip = style.get("clip", "") + style.get("clip-path", "")
    numbers = re.findall(r"[\d.]+", clip)
    if "rect(" in clip and numbers and all(float(n.strip(".") or 0) <= 1 for n in numbers[:4]):
        return True
    if re.search(r"inset\((?:50|100)%", clip):
        return True
    return bool(re.search(r"scale[xy]?\(\s*0(?:\.0*)?\s*[,)]", style.get("transform", "")))


def _is_tiny(style: Style) -> bool | None:
    """Whether the letters are too small to be seen; None where nothing is said about it."""
    size = style.get("font-size")
    if size is None and (short := re.search(r"(?:^|\s)(\d[\d.]*[a-z%]*)", style.get("font", ""))):
        size = short[1]
    return None if size is None else _is_zero(size)


def _is_zero(value: str | None) -> bool:
    """Whether a length is less than about two pixels."""
    found = re.fullmatch(r"\+?(\d*\.?\d+)(px|pt|em|rem|ex|ch|vw|vh|%|mm|cm|in|pc|q|)", value or "")
    if not found:
        return False
    per_unit = {"": 1, "px": 1, "pt": 1.33, "q": 1, "%": 0.16, "vw": 4, "vh": 6}.get(found[2], 16)
    return float(found[1]) * per_unit < 2


def _pixels(value: str | None) -> float:
    found = re.fullmatch(r"(-?\d*\.?\d+)(px|pt|em|rem|ex|ch|vw|vh|%|mm|cm|in|pc|q|)", value or "")
    if not found:
        return 0
    per_unit = {"": 1, "px": 1, "pt": 1.33, "q": 1, "%": 6, "mm": 3.8, "cm": 38, "in": 96}
    return float(found[1]) * per_unit.get(found[2], 16)


# -- colours ---------------------------------------------------------------------------------


def _ink(element: etree._Element, style: Style) -> str | None:
    old = element.get("color") if element.tag == "font" else None
    old = element.get("text") if element.tag == "body" else old
    return style.get("-webkit-text-fill-color", style.get("color", old))


def _background(element: etree._Element, style: Style) -> Colour | None:
    """The colour behind the element, as far as it says one."""
    said = style.get("background-color") or style.get("background") or element.get("bgcolor")
    for word in re.findall(r"[a-z]+\([^()]*\)|\S+", said or ""):
        if not _is_transparent(word) and (colour := _colour(word)) is not None:
            return colour
    return None


def _colour(value: str) -> Colour | None:
    parsed = _parsed(value)
    if parsed is None:
        return None
    try:
        red, green, blue = list(parsed.to("srgb"))[:3]
    except (ValueError, NotImplementedError):
        return None
    return float(red or 0), float(green or 0), float(blue or 0)


def _is_transparent(value: str) -> bool:
    parsed = _parsed(value)
    return parsed is not None and parsed.alpha <= FAINT


def _parsed(value: str) -> Any:
    """tinycss2's colour; None for what is no colour, or depends on others."""
    try:
        parsed = parse_color(value)
    except ValueError:  # tinycss2 on "color()"
        return None
    return parsed if hasattr(parsed, "to") else None
