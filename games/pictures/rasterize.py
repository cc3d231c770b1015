"""SVG as PNG pictures for email, drawn by resvg with the font that the project brings along.

Knows nothing of games. Text is drawn with the bundled font and no other, so that a picture is the
same on every machine.
"""

from __future__ import annotations

import io
from pathlib import Path

import resvg_py
from PIL import Image

FONT = Path(__file__).parent.parent / "static" / "games" / "fonts" / "atlantis-board.otf"
FONT_FAMILY = "Atlantis Board"
WIDTH = 400  # of a board, in CSS pixels
PAPER = "#ffffff"
# Enough for flat colours and their soft edges.
COLOURS = 96


def svg_to_png(svg: str, *, width: int = WIDTH, scale: int = 2, paper: str = PAPER) -> bytes:
    """The SVG as an opaque PNG, `width` CSS pixels wide at `scale` device pixels each.

    Raises ValueError where the text is not SVG.
    """
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width * scale,
        background=paper,
        # Without font files resvg leaves all text out without a word.
        font_files=[str(FONT)],
        skip_system_fonts=True,
        font_family=FONT_FAMILY,
    )
    # resvg writes four bytes a pixel; a palette makes a third of it and takes the alpha away.
    flat = Image.open(io.BytesIO(bytes(drawn))).convert("RGB")
    small = flat.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    out = io.BytesIO()
    small.save(out, "PNG", optimize=True)
    return out.getvalue()
