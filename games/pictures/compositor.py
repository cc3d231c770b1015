"""Boards as PNG, composed of pictures of their fragments.

resvg needs a quarter of a second for a whole board, but boards consist of the same few hundred
fragments in other places. The compositor draws each fragment once, caches it as a sprite and pastes
it where a Drawing says. The result is the picture that resvg draws of the whole, except for
fractions of a pixel.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from math import ceil, floor
from typing import NamedTuple

from PIL import Image

from games.pictures.rasterize import PAPER, WIDTH, fast_palette_png, rasterize
from games.rules.drawing import Box, Drawing, definitions_svg, elements_svg
from games.rules.svg_kit import ROOT_ATTRIBUTES

CACHE_PIXELS = 12_000_000  # of all cached sprites together; a pixel takes four bytes


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


def render_png(drawing: Drawing, *, width: int = WIDTH, scale: int = 2) -> bytes:
    """The drawing as an opaque PNG, `width` CSS pixels wide at `scale` device pixels each.

    Raises ValueError where a fragment is not SVG.
    """
    left, top, wide, high = drawing.viewbox
    zoom = width * scale / wide
    picture = Image.new("RGB", (width * scale, round(high * zoom)), PAPER)
    definitions = definitions_svg(drawing)

    def paste(body: str, box: Box, x: float, y: float) -> None:
        sprite = sprites.get(
            (body, box, zoom, definitions), lambda: _draw(body, box, zoom, definitions)
        )
        if sprite is not None:
            place = (
                sprite.left + round((x - left) * zoom),
                sprite.top + round((y - top) * zoom),
            )
            picture.paste(sprite.colours, place, sprite.mask)

    paste(elements_svg(drawing.scenery), drawing.viewbox, 0, 0)
    for element in drawing.elements:
        turn = f' transform="{element.transform}"' if element.transform else ""
        for fragment in element.fragments:
            body = f"<g {element.group}><g{turn}>{fragment}</g></g>"
            paste(body, element.box, element.x, element.y)
    return fast_palette_png(picture)


def _draw(body: str, box: Box, zoom: float, definitions: str) -> Sprite | None:
    """What this SVG shows inside the box, in board units; None for nothing.

    The pixels of a sprite are those of the board, so that pasting does not blur it.
    """
    left, top = floor(box[0] * zoom), floor(box[1] * zoom)
    wide, high = ceil((box[0] + box[2]) * zoom) - left, ceil((box[1] + box[3]) * zoom) - top
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {wide} {high}" '
        f'width="{wide}" height="{high}" {ROOT_ATTRIBUTES}>{definitions}'
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
