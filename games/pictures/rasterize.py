"""SVG as PNG, drawn by resvg with the bundled fonts and no other: the same on every machine."""

import io
from pathlib import Path

import resvg_py
from PIL import Image

from games.pictures.png import adaptive_palette, palette_png

FONT_DIRECTORY = Path(__file__).parents[1] / "static" / "games" / "fonts"
FONT = FONT_DIRECTORY / "atlantis-board.otf"
FONT_FAMILY = "Atlantis Board"
# resvg takes it for texts with letters that FONT lacks, such as most names of players.
NAMES_FONT = FONT_DIRECTORY / "atlantis-board-names.ttf"
FONTS = [FONT, NAMES_FONT]
WIDTH = 400  # of a board, in CSS pixels
PAPER = "#ffffff"


def rasterize(svg: str, width: int, background: str | None = None) -> Image.Image:
    """The SVG `width` pixels wide. Raises ValueError where the text is not SVG."""
    png = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        background=background,
        # Without font files resvg silently omits all text.
        font_files=[str(font) for font in FONTS],
        skip_system_fonts=True,
        font_family=FONT_FAMILY,
    )
    return Image.open(io.BytesIO(bytes(png)))


def svg_to_png(svg: str, *, width: int = WIDTH, scale: int = 2, paper: str = PAPER) -> bytes:
    """The SVG as an opaque PNG, `width` CSS pixels wide at `scale` device pixels each.

    Raises ValueError where the text is not SVG.
    """
    picture = rasterize(svg, width * scale, paper).convert("RGB")
    return palette_png(picture, adaptive_palette(picture))
