"""A board as data: what an engine draws, and its SVG text for pages.

An engine returns a `Drawing`. `board_svg` writes it as one <svg> for a page, and
games.pictures.compositor makes a PNG of it for an email. All drawings have a common base: short
numbers, tags, art files, the frame of an icon. Nothing here knows a game.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from html import escape
from importlib.resources import files
from itertools import groupby
from typing import TypedDict, Unpack

import msgspec

from .text import Text

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, width, height
Definitions = tuple[tuple[str, str], ...]  # id → SVG, for <use>; an id once on a page
NEAR: Box = (-32, -32, 64, 64)
TEXT_LINE, TEXT_COLUMN, TEXT_MARGIN = 16, 7.5, 8  # units, of a drawing of text
TEXT_LEAST_WIDTH = 360

# The bundled font, then fonts that look like it. Icons and boards inherit these attributes.
ROOT_ATTRIBUTES = (
    'font-family="Atlantis Board,Cabin,Trebuchet MS,sans-serif" font-weight="700" '
    'text-anchor="middle"'
)


class Element(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """SVG fragments that lie on one another at one place of the board.

    Fragments may refer to the definitions of the drawing and to nothing else. A fragment that
    recurs on other boards should be one of its own: compositors cache pictures of fragments.
    """

    fragments: tuple[str, ...]  # bottom to top, each around the element's own origin
    x: float = 0  # of the origin on the board
    y: float = 0
    transform: str = ""  # applied at the origin, such as "rotate(3)"
    box: Box = NEAR  # the fragments stay inside, transformed, relative to the origin
    group: str = ""  # attributes that the fragments inherit; neighbours may share them
    id: str = ""
    css: str = ""  # class names
    href: str = ""  # the element is a link
    label: str = ""  # of the link, translated
    attributes: str = ""  # further attributes of the element itself


class Drawing(msgspec.Struct, frozen=True, array_like=True):
    """A board from bottom to top, complete with its words in the reader's language.

    Colours are presentation attributes, so that a drawing needs no style sheet. The scenery of a
    game is the same on all of its boards, but for elements that are links; the first fragment of an
    element is its picture, without letters, because pages show the scenery as an image, which has
    no font. palette: the colours of its pictures, at most 256;
    without it every picture gets a palette of its own, which takes longer.
    """

    css: str  # class names of the board
    viewbox: Box
    title: str
    description: str  # of the position, for people who do not see the picture
    definitions: Definitions
    scenery: tuple[Element, ...]
    elements: tuple[Element, ...]
    palette: tuple[str, ...] = ()  # "#rrggbb"
    lettering: tuple[Element, ...] = ()  # the letters of the scenery, on top of it
    area: Box = (0, 0, 0, 0)  # of the scenery
    spare: frozenset[str] = frozenset()  # definitions that no mark of a form refers to


class Place(TypedDict, total=False):
    """The fields of `Element` that place it on the board."""

    x: float
    y: float
    transform: str
    box: Box
    group: str


class Linker:
    """Makes elements links where the page asks for them."""

    def __init__(self, links: Mapping[str, str], translate: Callable[[Text], str]) -> None:
        self.links, self.translate = links, translate

    def element(
        self,
        id: str,  # noqa: A002 (the attribute of SVG)
        css: str,
        label: Text,
        fragments: tuple[str, ...],
        halo: str,
        *,
        under: int | None = None,
        **place: Unpack[Place],
    ) -> Element:
        """An element; a link with its label and halo if `links` names its id.

        halo: what makes the link visible and large enough to hit. under: how many of the
        fragments are under the halo; None for all.
        """
        if not (href := self.links.get(id)):
            return Element(fragments, id=id, css=css, **place)
        over = fragments[len(fragments) if under is None else under :]
        fragments = (*fragments[:under], halo, *over)
        css, label_text = f"{css} target", self.translate(label)
        return Element(fragments, id=id, css=css, href=href, label=label_text, **place)


def board_svg(
    drawing: Drawing,
    *,
    prefix: str = "",
    chosen: Collection[str] = (),
    questions: Mapping[str, int] = {},
    marks: Sequence[Element] = (),
    scenery_url: str = "",
) -> str:
    """The drawing as one <svg> element without style or script.

    prefix: goes before every id, where several boards share a page. chosen: ids of the elements
    that are selected in the form beside the board. questions: element id → number of the question
    that it answers, from 0; other questions than the first get a class of their own. marks: drawn
    on top of everything. scenery_url: of an image that stands for the scenery, see `scenery_svg`;
    without it, nothing refers to anything outside.
    """
    scenery, image = drawing.scenery, ""
    if scenery_url:
        halos = [(element, element.fragments[1:]) for element in scenery if element.href]
        scenery = tuple(msgspec.structs.replace(one, fragments=rest) for one, rest in halos)
        image = _image(scenery_url, drawing.area)
    everything = (*scenery, *drawing.lettering, *drawing.elements)
    linked = any(element.href for element in everything)
    drawn = elements_svg(everything, linked=linked, chosen=chosen, questions=questions)
    definitions = [
        (name, svg)
        for name, svg in drawing.definitions
        if name not in drawing.spare or f'href="#{name}"' in drawn
    ]
    body = definitions_svg(definitions) + image + drawn
    if marks:
        body += (
            f'<g class="marks" aria-hidden="true" pointer-events="none">{elements_svg(marks)}</g>'
        )
    if prefix:
        body = body.replace(' id="', f' id="{prefix}').replace('href="#', f'href="#{prefix}')
    title, description = escape(drawing.title), escape(drawing.description)
    if linked:
        head = f'role="group" aria-label="{title}" aria-describedby="{prefix}picture-text">'
    else:
        head = (
            f'role="img" aria-labelledby="{prefix}picture-title {prefix}picture-text">'
            f'<title id="{prefix}picture-title">{title}</title>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board {drawing.css}" '
        f'viewBox="{" ".join(map(num, drawing.viewbox))}" {ROOT_ATTRIBUTES} {head}'
        f'<desc id="{prefix}picture-text">{description}</desc>{body}</svg>'
    )


def _image(url: str, area: Box) -> str:
    left, top, width, height = map(num, area)
    place = f'x="{left}" y="{top}" ' * (area[:2] != (0, 0)) + f'width="{width}" height="{height}"'
    return f'<image href="{escape(url)}" {place} aria-hidden="true" pointer-events="none"/>'


def scenery_svg(drawing: Drawing, style: str) -> str:
    """The scenery of this drawing as a file of its own, with a style sheet."""
    body = elements_svg(drawing.scenery)
    named = used_definitions(drawing.definitions, body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{" ".join(map(num, drawing.area))}">'
        f"<style>{style}</style>{definitions_svg(named)}{body}</svg>"
    )


def used_definitions(definitions: Definitions, svg: str) -> Definitions:
    """The definitions that this SVG text refers to, directly or not, in their order."""
    waiting, used = [svg], set[str]()
    while waiting:
        body = waiting.pop()
        for name, content in definitions:
            if name not in used and (f'href="#{name}"' in body or f"url(#{name})" in body):
                used.add(name)
                waiting.append(content)
    return tuple(one for one in definitions if one[0] in used)


def definitions_svg(definitions: Iterable[tuple[str, str]]) -> str:
    """The <defs> element."""
    content = "".join(f'<g id="{name}">{svg}</g>' for name, svg in definitions)
    return f"<defs>{content}</defs>"


def elements_svg(
    elements: Iterable[Element],
    *,
    linked: bool = False,
    chosen: Collection[str] = (),
    questions: Mapping[str, int] = {},
) -> str:
    """The SVG text of these elements.

    linked: the board has links; hide everything else from screen readers and from the pointer.
    """
    parts = []
    for (hidden, shared), run in groupby(
        elements, lambda element: (linked and not element.href, element.group)
    ):
        wrap = 'aria-hidden="true" pointer-events="none" ' * hidden + shared
        content = "".join(
            _element_svg(element, element.id in chosen, questions.get(element.id, 0))
            for element in run
        )
        parts.append(f"<g {wrap.rstrip()}>{content}</g>" if wrap else content)
    return "".join(parts)


def _element_svg(element: Element, chosen: bool, question: int) -> str:
    own = f' id="{element.id}"' if element.id else ""
    css = f"question-{question} {element.css}" if question else element.css
    css = f"chosen {css}" if chosen else css
    if chosen:
        own += ' aria-current="true"'
    if css:
        own += f' class="{css}"'
    if element.href:
        own += f' href="{escape(element.href)}" aria-label="{escape(element.label)}"'
    own += element.attributes
    moved = f"translate({pair(element.x, element.y)})" if element.x or element.y else ""
    if moved or element.transform:
        own += f' transform="{moved}{element.transform}"'
    content = "".join(element.fragments)
    if element.href:
        return f"<a{own}>{content}</a>"
    # A single tag needs no group.
    if content.startswith("<text>") and content.count("<") == 2:
        return f"<text{own}>{content.removeprefix('<text>')}"
    if content.startswith("<use ") and content.count("<") == 1:
        return f"{content.removesuffix('/>')}{own}/>"
    return f"<g{own}>{content}</g>" if own else content


def text_drawing(content: str) -> Drawing:
    """Draw the lines of a text in the bundled font, for games that draw nothing."""
    lines = content.rstrip("\n").split("\n")
    width = max(TEXT_LEAST_WIDTH, 2 * TEXT_MARGIN + TEXT_COLUMN * max(map(len, lines)))
    height = 2 * TEXT_MARGIN + TEXT_LINE * len(lines)
    return Drawing(
        css="board-text",
        viewbox=(0, 0, width, height),
        title=lines[0],
        description=content,
        definitions=(),
        scenery=(),
        elements=tuple(
            Element(
                (f'<text xml:space="preserve">{escape(line)}</text>',),
                x=TEXT_MARGIN,
                y=TEXT_MARGIN + TEXT_LINE * number + 12,
                box=(0, -TEXT_LINE, width, 2 * TEXT_LINE),
                group='font-size="12" fill="#222" text-anchor="start"',
            )
            for number, line in enumerate(lines)
        ),
    )


@lru_cache(maxsize=8192)
def num(value: float) -> str:
    """A number in the short form of SVG: one decimal, no superfluous zero."""
    text = f"{value:.1f}".removesuffix(".0")
    if text == "-0":
        return "0"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def pair(x: float, y: float) -> str:
    """Two numbers; a minus sign separates them without a space."""
    return f"{num(x)} {num(y)}".replace(" -", "-")


def path(data: str, fill: str = "none", **attributes: object) -> str:
    """A <path>; `stroke_width=2` becomes the attribute stroke-width, `class_` class."""
    return f'<path d="{data}" fill="{fill}"{_written(attributes)}/>'


def group(content: str, transform: str = "", **attributes: object) -> str:
    """A <g> with this transform and these attributes."""
    own = f' transform="{transform}"' if transform else ""
    return f"<g{own}{_written(attributes)}>{content}</g>"


def _written(attributes: dict[str, object]) -> str:
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{num(value) if isinstance(value, float) else value}"'
        for name, value in attributes.items()
    )


def use(name: str) -> str:
    """A reference to a definition of the drawing."""
    return f'<use href="#{name}"/>'


def text(content: object, x: float, y: float, **attributes: object) -> str:
    """A <text>; the caller has escaped the content."""
    place = (f' x="{num(x)}"' if x else "") + (f' y="{num(y)}"' if y else "")
    return f"<text{place}{_written(attributes)}>{content}</text>"


def art_of(package: str) -> Callable[[str], str]:
    """A function that reads <package>/art/<name>.svg once and returns what its <svg> contains."""
    folder = files(package) / "art"

    @cache
    def art(name: str) -> str:
        svg = (folder / f"{name}.svg").read_text(encoding="utf-8")
        content = svg.partition("<svg")[2].partition(">")[2].rpartition("</svg>")[0]
        return " ".join(content.split()).replace("> <", "><")

    return art


def icon(css: str, box: tuple[float, ...], content: str) -> str:
    """A picture of one thing, hidden from screen readers: the words beside it name the thing.

    Its width and height are those of the viewBox; a style sheet may say otherwise.
    """
    left, top, width, height = (f"{side:g}" for side in box)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{css}" '
        f'viewBox="{left} {top} {width} {height}" width="{width}" height="{height}" '
        f'{ROOT_ATTRIBUTES} aria-hidden="true" focusable="false">{content}</svg>'
    )
