"""What all pictures share: the font, and how writing on a tile is edged."""

from __future__ import annotations

# The bundled font, then what looks like it.
FONT = 'font-family="Atlantis Board,Cabin,Trebuchet MS,sans-serif" font-weight="700"'
INK = "#2c2418"
# A value is written in ink with a rim of stone, so that it reads over any drawing.
WRITING = (
    f'class="values" fill="{INK}" stroke="#fffaf0" stroke-width="2.6" paint-order="stroke" '
    'stroke-linejoin="round" font-size="14.5"'
)
