"""Boards as PNG, composed of pictures of their fragments.

resvg needs a quarter of a second for a whole board, but boards consist of the same few hundred
fragments in other places. The compositor draws each fragment once, caches it as a sprite and pastes
it where a Drawing says. The result is the picture that resvg draws of the whole, except for
fractions of a pixel, in the colours of the drawing's palette.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from math import ceil, floor, sqrt
from typing import NamedTuple

from PIL import Image

from games.pictures.rasterize import PAPER, adaptive_palette, palette_of, palette_png, rasterize
from games.rules.drawing import (
    ROOT_ATTRIBUTES,
    Box,
    Definitions,
    Drawing,
    Element,
    definitions_svg,
    elements_svg,
    used_definitions,
)

CACHE_PIXELS = 12_000_000  # of all cached sprites together; a pixel takes four bytes
PIXELS = 322_000  # of a board in an email
DETAIL_SCALE = 1.6  # pixels of an enlarged part of it for each unit of the drawing
PIXELS_WITH_DETAILS = 434_000  # of one with enlarged parts: 640 for a width of 400, their scale


class Sprite(NamedTuple):
    """A drawn fragment, cropped: its colours, its opacity, its corner in pixels from the origin.

    The opacity is None where all of it is opaque.
    """

    colours: Image.Image
    mask: Image.Image | None
    left: int
    top: int


class SpriteCache:
    """The most recently used sprites, by whatever they were drawn from, in bounded memory."""

    def __init__(self, limit: int) -> None:
        self.limit, self.pixels, self.misses = limit, 0, 0
        self._sprites: OrderedDict[Hashable, Sprite | None] = OrderedDict()

    def get(self, key: Hashable, draw: Callable[[], Sprite | None]) -> Sprite | None:
        if key in self._sprites:
            self._sprites.move_to_end(key)
            return self._sprites[key]
        self.misses += 1
        sprite = self._sprites[key] = draw()
        self.pixels += _pixels(sprite)
        while self.pixels > self.limit:
            self.pixels -= _pixels(self._sprites.popitem(last=False)[1])
        return sprite

    def clear(self) -> None:
        self._sprites.clear()
        self.pixels = self.misses = 0


def _pixels(sprite: Sprite | None) -> int:
    return 1 if sprite is None else sprite.colours.width * sprite.colours.height


sprites = SpriteCache(CACHE_PIXELS)
_numbers = count()


def render_png(drawing: Drawing, *, pixels: int = PIXELS) -> bytes:
    """The drawing as an opaque PNG with a palette and about this many pixels.

    Raises ValueError where a fragment is not SVG.
    """
    return render_pngs(drawing, pixels, ())[0]


def render_pngs(drawing: Drawing, pixels: int, details: Sequence[Box]) -> list[bytes]:
    """The drawing as `render_png`, and these parts of it at DETAIL_SCALE.

    They are cut out of one picture, which is that of the drawing if it has that scale.
    """
    zoom = _zoom(drawing, pixels)
    pictures = [_compose(drawing, zoom)]
    if details:
        large = pictures[0] if zoom == DETAIL_SCALE else _compose(drawing, DETAIL_SCALE)
        pictures += [large.crop(_pixels_of(drawing, part)) for part in details]
    return [_png(picture, drawing) for picture in pictures]


def detail_pixels(part: Box) -> int:
    """The size of the picture of this part."""
    return round(part[2] * DETAIL_SCALE) * round(part[3] * DETAIL_SCALE)


def _pixels_of(drawing: Drawing, part: Box) -> tuple[int, int, int, int]:
    """This part of the picture at DETAIL_SCALE: left, top, right, bottom."""
    left, top = (
        round((corner - first) * DETAIL_SCALE)
        for corner, first in zip(part[:2], drawing.viewbox[:2], strict=True)
    )
    return left, top, left + round(part[2] * DETAIL_SCALE), top + round(part[3] * DETAIL_SCALE)


def _png(picture: Image.Image, drawing: Drawing) -> bytes:
    palette = palette_of(drawing.palette) if drawing.palette else adaptive_palette(picture)
    return palette_png(picture, palette)


def _zoom(drawing: Drawing, pixels: int) -> float:
    """The pixels for each unit of a picture of the drawing with about this many pixels."""
    _left, _top, wide, high = drawing.viewbox
    return float(round(sqrt(pixels * wide / high)) / wide)


def compose(drawing: Drawing, *, pixels: int = PIXELS) -> Image.Image:
    """The drawing in all its colours."""
    return _compose(drawing, _zoom(drawing, pixels))


def _compose(drawing: Drawing, zoom: float) -> Image.Image:
    """Like `compose`. zoom: pixels for each unit."""
    left, top, wide, high = drawing.viewbox
    definitions = drawing.definitions
    place = _number_of(definitions), zoom  # what sprites depend on beside their fragment

    def sprite_of(body: str, box: Box) -> Sprite | None:
        return sprites.get((body, place), lambda: _draw(body, box, zoom, definitions))

    scenery = (*drawing.scenery, *drawing.lettering)
    whole = drawing.area if _is_inside(drawing.viewbox, drawing.area) else drawing.viewbox
    # The corner of the picture, in pixels of the drawing.
    x0, y0 = round(left * zoom), round(top * zoom)
    x, y = x0 - round(whole[0] * zoom), y0 - round(whole[1] * zoom)
    picture = _scenery(scenery, whole, zoom, definitions).crop(
        (x, y, x + round(wide * zoom), y + round(high * zoom))
    )
    for element in drawing.elements:
        at = round(element.x * zoom) - x0, round(element.y * zoom) - y0
        for body in _bodies(element):
            if (sprite := sprite_of(body, element.box)) is not None:
                _paste(picture, sprite, *at)
    return picture


@lru_cache(maxsize=12)  # five sizes of each game, and room for another game
def _scenery(
    scenery: tuple[Element, ...], box: Box, zoom: float, definitions: Definitions
) -> Image.Image:
    """The background layer on white."""
    left, top, wide, high = box
    picture = Image.new("RGB", (round(wide * zoom), round(high * zoom)), PAPER)
    if (sprite := _draw(elements_svg(scenery), box, zoom, definitions)) is not None:
        _paste(picture, sprite, -round(left * zoom), -round(top * zoom))
    return picture


def _is_inside(part: Box, whole: Box) -> bool:
    return (
        whole[0] <= part[0]
        and whole[1] <= part[1]
        and part[0] + part[2] <= whole[0] + whole[2]
        and part[1] + part[3] <= whole[1] + whole[3]
    )


def _paste(picture: Image.Image, sprite: Sprite, x: int, y: int) -> None:
    """Put the origin of a sprite on this pixel."""
    left, top = sprite.left + x, sprite.top + y
    place = left, top, left + sprite.colours.width, top + sprite.colours.height
    mask = () if sprite.mask is None else (sprite.mask.im,)
    # As picture.paste(), whose checks of the images take most of its time for small ones.
    picture.im.paste(sprite.colours.im, place, *mask)


def _bodies(element: Element) -> Iterator[str]:
    """The SVG of its fragments around its origin, from bottom to top."""
    turn = f' transform="{element.transform}"' if element.transform else ""
    for fragment in element.fragments:
        yield f"<g {element.group}><g{turn}>{fragment}</g></g>"


@lru_cache(maxsize=64)
def _number_of(definitions: Definitions) -> int:
    """A short name, so that a key of the cache need not be compared with all texts."""
    return next(_numbers)


def _draw(body: str, box: Box, zoom: float, definitions: Definitions) -> Sprite | None:
    """The part of this SVG inside the box, in board units; None for nothing.

    The pixels of a sprite are those of the board, so that pasting does not blur it.
    """
    left, top = floor(box[0] * zoom), floor(box[1] * zoom)
    wide, high = ceil((box[0] + box[2]) * zoom) - left, ceil((box[1] + box[3]) * zoom) - top
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {wide} {high}" '
        f'width="{wide}" height="{high}" {ROOT_ATTRIBUTES}>{_named_in(body, definitions)}'
        f'<g transform="scale({zoom:g})">{body}</g></svg>'
    )
    drawn = rasterize(svg, wide).convert("RGBA")
    shown = drawn.getbbox()
    if shown is None:
        return None
    cut = drawn.crop(shown)
    mask = cut.getchannel("A")
    opaque = mask.getextrema() == (255, 255)
    return Sprite(cut.convert("RGB"), None if opaque else mask, left + shown[0], top + shown[1])


def _named_in(body: str, definitions: Definitions) -> str:
    """The <defs> with the definitions that a body needs: resvg would read the others as well, and
    they take it a while."""
    needed = used_definitions(definitions, body)
    return definitions_svg(needed) if needed else ""
