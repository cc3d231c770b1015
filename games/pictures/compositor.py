"""Boards as pictures, many of them: what was drawn before is not drawn again.

resvg takes a third of a second for a board. But boards are made of the same few hundred things in
other places: here each is drawn once, kept, and pasted where it belongs. The picture is that of
games.pictures.rasterize but for the last fraction of a pixel; what is not understood is drawn whole.

A board must be as engines draw it: nothing but elements and their attributes, pieces after the
scenery, and every piece with an id that ends in a number.
"""

from __future__ import annotations

import io
import itertools
import re
import struct
import zlib
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import resvg_py
from PIL import Image, ImageColor

from games.pictures.rasterize import FONT, FONT_FAMILY, PAPER, WIDTH

PLACED = 6000  # kept: which sprites an element is made of
SPRITES = 3000  # kept; most are smaller than 100 by 100 pixels
SCENERIES = 4  # kept; each is a whole picture
PALETTES = 64  # kept
COLOURS = 128  # of a picture; flat colours and their soft edges need no more
SPOT = 8  # pixels
COMPRESSION = 4  # of 9: a tenth more bytes than the most, in a tenth of the time
REACH = 60  # units around its own origin that a movable thing may need
COARSE = 0.25  # pixels a unit, to find out where in the picture something is

_TAG = re.compile(r"<(/?)([a-z][\w:]*)((?:\s[^>]*?)?)(/?)>", re.IGNORECASE)
_NUMBERED = re.compile(r'\sid="[^"]*\d"')
_NAMES = re.compile(r'\s(?:id|class|role|aria-[a-z]+|tabindex)="[^"]*"')
_USED = re.compile(r'(?:href="#|url\(#)([^")]+)')
_MOVED = re.compile(r'\stransform="translate\((-?[\d.]+)[ ,]?(-?[\d.]+)\)([^"]*)"')
_BLENDED = re.compile(r"\s(?:opacity|clip-path|mask|filter)=")
_FIXED = re.compile(r"\s(?:transform|opacity|clip-path|mask|filter)=")
_COLOUR = re.compile(r'"(#[0-9a-f]{3,6})"')
_BOX = re.compile(r'\sviewBox="(-?[\d.]+) (-?[\d.]+) ([\d.]+) ([\d.]+)"')
_ROOT = re.compile(r'\s(?:font|text|fill|stroke)[\w-]*="[^"]*"')


class Element:
    """One element of the SVG text: its opening tag, where it and its inside begin and end, the
    elements directly inside."""

    __slots__ = ("attributes", "children", "end", "inside", "outside", "start", "tag")

    def __init__(self, tag: str, attributes: str, start: int, inside: int) -> None:
        self.tag, self.attributes = tag, attributes
        self.start, self.inside = start, inside
        self.outside = self.end = inside
        self.children: list[Element] = []


class Part(NamedTuple):
    """Something to draw. wrap: opening tags it inherits from. x, y: where its origin goes, in
    units; None for what is drawn where it says itself."""

    wrap: tuple[str, ...]
    body: str
    x: float | None = None
    y: float | None = None


class Sprite(NamedTuple):
    """A drawn part: colours, opacity, and its upper left corner in pixels from its origin."""

    colours: Image.Image
    mask: Image.Image
    left: int
    top: int


class Placed(NamedTuple):
    """A sprite and where its upper left corner goes, in pixels."""

    sprite: Sprite
    left: int
    top: int


class Definitions(dict[str, str]):
    """id → element. The same text is the same object: it need not be compared word by word."""

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__


class Canvas(NamedTuple):
    """What all parts of a picture share. root: attributes that all inherit. box: left, top, width
    and height of the board in units. scale: pixels a unit."""

    root: str
    box: tuple[float, ...]
    scale: float


class Scenery(NamedTuple):
    """What lies below all pieces, as text."""

    canvas: Canvas
    body: str
    definitions: str


def render_png(svg: str, *, width: int = WIDTH, scale: int = 2) -> bytes:
    """The SVG as an opaque PNG, `width` CSS pixels wide at `scale` device pixels each.

    Raises ValueError where the text is not SVG.
    """
    if svg.count("<defs>") > 1:
        raise ValueError("the definitions of a board stand in one place")
    before, _, rest = svg.partition("<defs>")
    inside, _, after = rest.partition("</defs>")
    definitions = _definitions(f"<defs>{inside}</defs>")
    svg = before + after
    root = _tree(svg)
    if root.tag != "svg":
        raise ValueError("this is not one whole SVG element")
    said = _BOX.search(root.attributes)
    if said is None:
        raise ValueError('a board says how large it is: viewBox="left top width height"')
    box = tuple(float(number) for number in said.groups())
    canvas = Canvas("".join(_ROOT.findall(root.attributes)), box, width * scale / box[2])
    shown = [child for child in root.children if child.tag not in ("title", "desc", "defs")]
    pieces = next((n for n, e in enumerate(shown) if _NUMBERED.search(e.attributes)), len(shown))
    below = "".join(svg[element.start : element.end] for element in shown[:pieces])
    scenery = Scenery(canvas, below, _needed(below, definitions))
    picture = _scenery(scenery).copy()
    for element in shown[pieces:]:
        for wrap, (start, end) in _things(element, ()):
            for sprite, left, top in _placed(canvas, wrap, svg[start:end], definitions):
                picture.paste(sprite.colours, (left, top), sprite.mask)
    palette = _palette(scenery, definitions, frozenset(_COLOUR.findall(svg)))
    return _png(picture.quantize(palette=palette, dither=Image.Dither.NONE))


def _png(picture: Image.Image) -> bytes:
    """A picture with a palette as PNG. By hand, since zlib lets other threads work meanwhile."""
    wide, high = picture.size
    pixels = picture.tobytes()
    rows = b"".join([b"\0" + pixels[at : at + wide] for at in range(0, len(pixels), wide)])
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 3, 0, 0, 0)),
        (b"PLTE", bytes(picture.getpalette("RGB") or ())),
        (b"IDAT", zlib.compress(rows, COMPRESSION)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


@lru_cache(maxsize=PLACED)
def _placed(
    canvas: Canvas, wrap: tuple[str, ...], element: str, definitions: Definitions
) -> tuple[Placed, ...]:
    """What an element is made of, from below to above."""
    found = []
    for part in _parts(element, _tree(element), wrap):
        placed = _place(canvas, part, definitions)
        if placed is not None:
            found.append(placed)
    return tuple(found)


def _place(canvas: Canvas, part: Part, definitions: Definitions) -> Placed | None:
    """The sprite of one part and where it belongs; None for what shows nothing."""
    needed = _needed(part.body, definitions)
    if part.x is not None and part.y is not None:
        sprite = _sprite(canvas, part.wrap, part.body, needed, True)
        if sprite is not None:
            left = sprite.left + round((part.x - canvas.box[0]) * canvas.scale)
            top = sprite.top + round((part.y - canvas.box[1]) * canvas.scale)
            return Placed(sprite, left, top)
        # It reaches too far from its origin to be the same thing in another place.
        moved = f'<g transform="translate({part.x} {part.y})">{part.body}</g>'
        part = Part(part.wrap, moved)
    sprite = _sprite(canvas, part.wrap, part.body, needed, False)
    if sprite is None:
        return None
    left = sprite.left - round(canvas.box[0] * canvas.scale)
    top = sprite.top - round(canvas.box[1] * canvas.scale)
    return Placed(sprite, left, top)


# -- taking the text apart -------------------------------------------------------------------


def _tree(svg: str) -> Element:
    """The one element of this text with all below it."""
    top = Element("", "", 0, 0)
    path = [top]
    for found in _TAG.finditer(svg):
        closing, tag, attributes, empty = found.groups()
        if closing:
            done = path.pop()
            done.outside, done.end = found.span()
            if not path:
                break
        else:
            element = Element(tag, attributes, *found.span())
            path[-1].children.append(element)
            if not empty:
                path.append(element)
    if path != [top] or len(top.children) != 1:
        raise ValueError("this is not one whole SVG element")
    return top.children[0]


@lru_cache(maxsize=SCENERIES)
def _definitions(text: str) -> Definitions:
    """id → element, of the text of a <defs>."""
    found = Definitions()
    for child in _tree(text).children:
        name = re.search(r'\sid="([^"]*)"', child.attributes)
        if name is not None:
            found[name[1]] = text[child.start : child.end]
    return found


def _needed(body: str, definitions: Definitions) -> str:
    """The definitions that this text uses, and those that they use."""
    wanted: dict[str, str] = {}
    queue = _USED.findall(body)
    while queue:
        name = queue.pop()
        if name not in wanted and name in definitions:
            wanted[name] = definitions[name]
            queue += _USED.findall(definitions[name])
    return "".join(wanted[name] for name in sorted(wanted))


def _things(
    element: Element, wrap: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    """The elements that can be drawn on their own in this one, from below to above: what they
    inherit from, and from where to where they stand in the text.

    A group that only hands down colours and the like is opened.
    """
    if (
        element.tag in ("g", "a")
        and not _FIXED.search(element.attributes)
        and any(child.tag in ("g", "a") for child in element.children)
    ):
        own = f"<{element.tag}{_NAMES.sub('', element.attributes)}>"
        inherited = (*wrap, own) if element.tag == "g" and own != "<g>" else wrap
        for child in element.children:
            yield from _things(child, inherited)
    else:
        yield wrap, (element.start, element.end)


def _parts(svg: str, element: Element, wrap: tuple[str, ...]) -> Iterator[Part]:
    """What such an element consists of; one that begins with a translation is a thing that may
    stand elsewhere the next time."""
    moved = _MOVED.search(element.attributes)
    if moved is None or element.tag != "g":
        yield Part(wrap, _NAMES.sub("", svg[element.start : element.end]))
        return
    rest = f' transform="{moved[3]}"' if moved[3] else ""
    own = _NAMES.sub("", _MOVED.sub(rest, element.attributes, count=1))
    # Piece by piece: a stone and the number on it are in more places apart than together.
    apart = element.children if not _BLENDED.search(element.attributes) else []
    spans = [(child.start, child.end) for child in apart] or [(element.inside, element.outside)]
    for start, end in spans:
        body = f"<g{own}>{_NAMES.sub('', svg[start:end])}</g>"
        yield Part(wrap, body, float(moved[1]), float(moved[2]))


# -- drawing ---------------------------------------------------------------------------------


@lru_cache(maxsize=SCENERIES)
def _scenery(scenery: Scenery) -> Image.Image:
    """What lies below all pieces, on paper; the caller paints on a copy."""
    canvas, body, definitions = scenery
    drawn = _draw(canvas, body, definitions, canvas.box, canvas.scale)
    paper = Image.new("RGB", drawn.size, PAPER)
    paper.paste(drawn, (0, 0), drawn)
    return paper


@lru_cache(maxsize=PALETTES)
def _palette(scenery: Scenery, definitions: Definitions, colours: frozenset[str]) -> Image.Image:
    """An image with a palette for all boards with this scenery and these pieces: made from the
    scenery, every piece that is defined lying on it once, and a spot of every colour that is named.
    """
    canvas = scenery.canvas
    picture = _scenery(scenery).copy()
    places = itertools.cycle(
        (canvas.box[0] + x, canvas.box[1] + y)
        for y in range(20, int(canvas.box[3]), 40)
        for x in range(20, int(canvas.box[2]), 40)
    )
    for name, (x, y) in zip(definitions, places, strict=False):
        part = Part((), f'<g><use href="#{name}"/></g>', x, y)
        placed = _place(canvas, part, definitions)
        if placed is not None:
            sprite, left, top = placed
            picture.paste(sprite.colours, (left, top), sprite.mask)
    for number, colour in enumerate(sorted(colours)):
        row, column = divmod(number, picture.width // SPOT)
        spot = (column * SPOT, row * SPOT, (column + 1) * SPOT, (row + 1) * SPOT)
        picture.paste(ImageColor.getrgb(colour)[:3], spot)
    return picture.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


@lru_cache(maxsize=SPRITES)
def _sprite(
    canvas: Canvas, wrap: tuple[str, ...], body: str, definitions: str, movable: bool
) -> Sprite | None:
    """The part, closely cut out; None for what shows nothing, or not all of it within reach."""
    whole = f"{''.join(wrap)}{body}{'</g>' * len(wrap)}"
    area = (-REACH, -REACH, 2 * REACH, 2 * REACH) if movable else canvas.box
    seen = _draw(canvas, whole, definitions, area, COARSE)
    rough = seen.getbbox()
    if rough is None:
        return None
    if movable and (min(rough[:2]) == 0 or max(rough[2:]) >= min(seen.size)):
        return None
    margin = 1
    left, top, right, bottom = (
        (rough[0] - margin) / COARSE + area[0],
        (rough[1] - margin) / COARSE + area[1],
        (rough[2] + margin) / COARSE + area[0],
        (rough[3] + margin) / COARSE + area[1],
    )
    drawn = _draw(canvas, whole, definitions, (left, top, right - left, bottom - top), canvas.scale)
    exact = drawn.getbbox()
    if exact is None:
        return None
    cut = drawn.crop(exact)
    return Sprite(
        cut.convert("RGB"),
        cut.getchannel("A"),
        round(left * canvas.scale) + exact[0],
        round(top * canvas.scale) + exact[1],
    )


def _draw(
    canvas: Canvas, body: str, definitions: str, area: tuple[float, ...], scale: float
) -> Image.Image:
    """This part of the plane as resvg draws it, transparent where nothing is."""
    left, top, wide, high = area
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        f' viewBox="{left:g} {top:g} {wide:g} {high:g}" width="{wide:g}" height="{high:g}"'
        f"{canvas.root}><defs>{definitions}</defs>{body}</svg>"
    )
    png = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=max(1, round(wide * scale)),
        # Without font files resvg leaves all text out without a word.
        font_files=[str(FONT)],
        skip_system_fonts=True,
        font_family=FONT_FAMILY,
    )
    return Image.open(io.BytesIO(bytes(png))).convert("RGBA")
