"""SVG as PNG, drawn by resvg with the bundled fonts and no other: the same on every machine."""

import io
from pathlib import Path

import resvg_py
from PIL import Image

FONT_DIRECTORY = Path(__file__).parents[1] / "static" / "games" / "fonts"
FONT = FONT_DIRECTORY / "atlantis-board.otf"
FONT_FAMILY = "Atlantis Board"
# resvg takes it for texts with letters that FONT lacks, such as most names of players.
NAMES_FONT = FONT_DIRECTORY / "atlantis-board-names.ttf"
FONTS = [FONT, NAMES_FONT]
WIDTH = 400  # of a board, in CSS pixels
PAPER = "#ffffff"
# Enough for flat colours and their soft edges.
COLOURS, FAST_COLOURS = 96, 128


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
    return palette_png(rasterize(svg, width * scale, paper).convert("RGB"))


def palette_png(image: Image.Image) -> bytes:
    """An opaque image as PNG with a palette, a third of the size of one without."""
    small = image.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    return png(small, compression=9)


def fast_palette_png(image: Image.Image) -> bytes:
    """As `palette_png`, a tenth larger in a fifth of the time."""
    # A ninth of the pixels has all the colours that matter, and takes a ninth of the time.
    small = image.resize((-(-image.width // 3), -(-image.height // 3)), Image.Resampling.NEAREST)
    palette = small.quantize(FAST_COLOURS, method=Image.Quantize.FASTOCTREE)
    return png(image.quantize(palette=palette, dither=Image.Dither.NONE), compression=4)


def png(image: Image.Image, compression: int) -> bytes:
    """The image as PNG. compression: 0 … 9."""
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=compression)
    return out.getvalue()
