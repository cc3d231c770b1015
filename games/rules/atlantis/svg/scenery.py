"""What the path lies in: the sea, sinking Atlantis, the mainland. The same for every position.

The colours are those of a chart on a summer day. Nothing here is more saturated than the tiles,
which people have to read.
"""

from functools import cache

from ...svg_kit import art_of, group, path, use
from .geometry import HEIGHT, WIDTH

art = art_of(__package__)

SEA = "#2a7699"
# (class, colour, width along the trail) of the shallows, from the outside.
SHALLOWS = (("shelf", "#3a8dab", 48), ("shallow", "#56a9bf", 33), ("lagoon", "#7cc4cf", 20))


@cache
def sea() -> str:
    """The water, its shallows along the trail and around both coasts, and what lives in it."""
    coasts = art("atlantis-coast") + art("mainland-coast")
    shallows = "".join(
        f'<g class="{name}" fill="none" stroke="{colour}" stroke-width="{width}" '
        f'stroke-linejoin="round" stroke-linecap="round">{use("trail")}'
        f"{group(coasts, stroke_width=coast)}</g>"
        for (name, colour, width), coast in zip(SHALLOWS, (24, 13, 5), strict=True)
    )
    water = path(f"M0 0h{WIDTH}v{HEIGHT}H0z", SEA, class_="sea")
    return water + shallows + art("sea-life")
