"""What the path lies in: the sea, sinking Atlantis, the mainland. No position, always the same.

The colours are those of a chart drawn on a summer day, and nothing here is more saturated than the
tiles, which have to be read. Shapes are flat with one ink line, so that the picture stays small on
the wire and crisp on paper.
"""

from __future__ import annotations

from functools import lru_cache

from ..model import MAINLAND
from .geometry import HEIGHT, WIDTH, num, trail

_INK = "#3d3222"
_STONE_INK = "#6b5f47"

SEA = "#2a7699"
# (class, colour, width along the trail) of the shallows, from the outside.
SHALLOWS = (("shelf", "#3a8dab", 48), ("shallow", "#56a9bf", 33), ("lagoon", "#7cc4cf", 20))
# Where a tile has gone: its stone under water, and a ripple.
SUNKEN = (
    '<path class="b-sunken" d="M-14-15.4C-5-16.4 6-15.8 13-15.6 15-12 16.4 5 15.2 14.4 6 16.6-8 15.2'
    '-14.6 15.2-16 6-15.6-8-14-15.4z" fill="#4796b0" opacity=".6"/>'
    '<path class="b-ripple" d="M-10-3q4-4 8 0t8 0M-3 5q3.4-3.4 6.8 0t6.8 0" fill="none" '
    'stroke="#cdebee" stroke-width="1.2" opacity=".8"/>'
)

# Little waves in the open water: where each begins.
_WAVES = (
    (206, 34), (252, 12), (330, 14), (366, 34), (5, 180), (388, 158), (388, 214), (4, 244), (5, 300),
    (388, 272), (387, 330), (4, 356), (5, 414), (388, 388), (20, 434), (62, 443), (118, 439),
    (172, 443), (228, 437), (284, 441), (128, 94), (388, 92), (172, 12), (340, 36), (30, 124),
)  # fmt: skip

_ISLAND = (
    "M8 70C3 52 8 32 26 21 46 10 84 7 104 18 121 27 127 48 122 67 119 82 112 92 96 94 78 96 62 93 50 "
    "101 36 112 16 110 10 96 6 88 10 80 8 70z"
)
_COAST = (
    "M0 470C22 458 44 466 70 461 104 454 140 461 178 455 216 449 250 455 284 449 312 444 330 451 352 "
    "442 374 434 384 438 400 428V512H0z"
)


def _path(css: str, data: str, fill: str, ink: str = "none", width: float = 0.8) -> str:
    stroke = f' stroke="{ink}" stroke-width="{num(width)}"' if ink != "none" else ""
    return f'<path class="{css}" d="{data}" fill="{fill}"{stroke}/>'


def _line(css: str, data: str, ink: str, width: float) -> str:
    return (
        f'<path class="{css}" d="{data}" fill="none" stroke="{ink}" stroke-width="{num(width)}"/>'
    )


@lru_cache(maxsize=16)
def definitions(prefix: str) -> str:
    """The whole trail, from quay to quay, and a drowned space, for the board to refer to."""
    return f'<path id="{prefix}trail" d="{trail(0, MAINLAND)}"/><g id="{prefix}w">{SUNKEN}</g>'


@lru_cache(maxsize=16)
def sea(prefix: str) -> str:
    """The water, its shallows along the trail and round both coasts, and what is in it."""
    shallows = "".join(
        f'<g class="{name}" fill="none" stroke="{colour}" stroke-width="{width}" '
        f'stroke-linejoin="round" stroke-linecap="round"><use href="#{prefix}trail"/>'
        f'<path d="{_ISLAND}{_COAST}" stroke-width="{coast}"/></g>'
        for (name, colour, width), coast in zip(SHALLOWS, (24, 13, 5), strict=True)
    )
    waves = "".join(f"M{x} {y}q2-2.8 4 0t4 0" for x, y in _WAVES)
    return (
        _path("sea", f"M0 0h{WIDTH}v{HEIGHT}H0z", SEA)
        + shallows
        + _line("wave", waves, "#a9dbe2", 1.1)
        + _ruins()
        + _dolphin()
        + _ship()
    )


def coast(space: int, ends: str) -> str:
    """The outline of Atlantis or the mainland with these attributes."""
    return f'<path d="{_ISLAND if space < MAINLAND else _COAST}" {ends}/>'


def _column(x: float, base: float, height: float, width: float = 3.4) -> str:
    return f"M{num(x)} {num(base)}v{num(-height)}h{num(width)}v{num(height)}z"


def _ruins() -> str:
    """Columns of a street that the sea already has, lower and lower away from the island."""
    feet = ((130, 34, 19), (143, 30, 14), (156, 33, 10), (169, 30, 6), (182, 33, 3))
    shafts = "".join(_column(x, y, h, 5) for x, y, h in feet)
    capitals = "".join(f"M{x - 1.4} {y - h}h7.8v-2.6h-7.8z" for x, y, h in feet[:2])
    rings = "".join(f"M{x - 4} {y + 0.5:.1f}q6.5 4 13 0" for x, y, _h in feet)
    return (
        _path("marble", shafts + capitals + "M141.6 16l8.4-3 .8 2.4-8.4 3z", "#e6e4d6", _STONE_INK)
        + _line("shade", "".join(f"M{x + 3.3} {y}v{1 - h}" for x, y, h in feet), "#b9b8ab", 1.2)
        + _line("foam", rings, "#d8f1f3", 1.2)
    )


def _dolphin() -> str:
    return (
        '<g transform="translate(226 24)">'
        + _path(
            "dolphin",
            "M-13 8C-13-3-4-9 5-6 8-5 10-3 14-2 13 0 10 1 7 1 5 1 2 0-1 1-5 2-8 4-10 9-11 8-12 8-13 8z"
            "M-2-6.6C-3-10-5-11-8-11-6-9-6-8-6.6-4.6zM2 .6C1 3 2 5 4 7 4.6 4 5 3 6 1z",
            "#5b7f93",
            "#1f4358",
        )
        + '<circle cx="7.6" cy="-3" r=".9" fill="#10242f"/>'
        + _line("foam", "M-17 10q4-3.4 8 0t8 0M-1 9q3-2.4 6 0t6 0", "#d8f1f3", 1.2)
        + "</g>"
    )


def _ship() -> str:
    return (
        '<g transform="translate(300 22)">'
        + _line("mast", "M0 2v-20M-9.6-15.2h19.2", "#3d2412", 1.2)
        + _path("hull", "M-16-1C-12 8 9 8 14 1L17-5C13-4 12-1 9 0H-10C-12 0-14-1-16-1z", "#8a5530", "#3d2412")
        + _path("sail", "M-9-14.6q9-1.6 18 0 1.6 6-.6 12-8.4-2-16.8 0Q-10.6-9-9-14.6z", "#fbf3dc", _STONE_INK)
        + _path("pennant", "M0-18l7-2-7-2z", "#cc6677")
        + _path("sun", "M-3.8-9q3.8-3.8 7.6 0-3.8 3.8-7.6 0z", "#cc6677")
        + _line("oars", "M-8 2l-3 6M-3 3l-3 6M2 3l-3 6M7 3L4 9", "#3d2412", 0.9)
        + _line("foam", "M-18 8q4.2-4 8.5 0t8.5 0 8.5 0 8.5 0", "#d8f1f3", 1.2)
        + "</g>"
    )  # fmt: skip


def _trees(*feet: tuple[float, float]) -> str:
    data = "".join(f"M{num(x)} {num(y)}c-4.6 0-3.6-8 0-15 3.6 7 4.6 15 0 15z" for x, y in feet)
    return _path("cypress", data, "#3f6b3f", "#24401f", 0.7)


def _bushes(*feet: tuple[float, float]) -> str:
    data = "".join(
        f"M{num(x)} {num(y)}c-5 0-5-5-2-6 0-4 6-4 6-.6 4 .6 3.6 6.6-1 6.6z" for x, y in feet
    )
    return _path("bush", data, "#7d9450", "#47592a", 0.7)


@lru_cache(maxsize=16)
def atlantis() -> str:
    """The island: a beach, a rock with a temple, and what the sea has begun to take."""
    columns = "".join(_column(27.5 + 8.2 * i, 46, 17.4, 4) for i in range(6))
    flutes = "".join(f"M{30.3 + 8.2 * i:.1f} 46V29" for i in range(6))
    return (
        _path("sand", _ISLAND, "#ead9ae", _INK, 0.9)
        # the rock: its cliff, then the ground on top of it
        + _path(
            "cliff",
            "M13 58C9 40 20 26 40 20 62 12 94 13 106 26 114 36 115 50 107 60L103 65 94 61 86 66 76 62 "
            "68 66 58 63 48 67 38 64 30 68 22 64 16 66z",
            "#a89772",
            _STONE_INK,
            0.7,
        )
        + _line(
            "crack",
            "M24 58l1.4 6M36 56l-1 8M45 56l2 9M57 55l-1 7M68 55l1.4 9M78 55l-2 6M88 56l-1 8M98 56l1 6"
            "M106 50l-1 9",
            "#83734f",
            0.9,
        )
        + _path(
            "grass",
            "M13 57C10 40 21 27 41 21 62 13 93 14 105 27 112 36 113 47 107 54 94 58 80 53 62 55 44 57 "
            "28 62 13 57z",
            "#a9bb7a",
            "#6f7f45",
            0.7,
        )
        + _path("road", "M46 51h9l3.4 15-3 9H47l2-9z", "#e7dcc0", "#a99b77", 0.7)
        + _line("crack", "M47 55h8.6M47.6 59h9M48.4 63h9.4M48.4 67h9.6", "#a99b77", 0.8)
        + _trees((18, 54), (88, 38), (94, 41), (82.5, 40))
        + _bushes((106, 46), (15, 45), (97, 53))
        # the temple: steps, dark inside, columns, beam, gable, roof
        + _path("inside", "M28 46V28h46v18z", "#6d5f48")
        + _path("marble", "M21 52.4h60v-2.3H21zM23 50.1h56v-2.1H23zM25 48h52v-2H25z" + columns
                + "M25 28.6h52v-4.4H25zM23.2 24.2L51 11l27.8 13.2z", "#f4eee0", _STONE_INK)
        + _line("shade", flutes, "#c9bfa6", 1)
        + _path("gable", "M30 22.6L51 12.8l21 9.8z", "#88ccee", _STONE_INK, 0.7)
        + '<circle class="sun" cx="51" cy="19.2" r="2.6" fill="#e9c64a" stroke="#6b5f47" '
        'stroke-width=".7"/>'
        + _line("frieze", "M26.6 26.4h49", "#cc6677", 1.7).replace("/>", ' stroke-dasharray="2.6 1.7"/>')
        + _path("roof", "M21.6 24.6L51 9l29.4 15.6-1 1.5L51 11.6 22.6 26z", "#c9795a", "#6b3a28")
        # what the sea has begun to take
        + _path(
            "flood",
            "M123 52C114 48 107 53 99 70 104 74 99 80 107 79 114 79 117 74 120 72 122 66 124 58 123 52z"
            "M11 98C16 92 20 100 27 95 31 98 24 105 19 107 14 106 12 102 11 98z",
            "#7cc4cf",
            "#4a93a8",
            0.7,
        )
        + _path(
            "marble",
            "M106 68l6.4-19 4 1.4-6.4 19zM111.4 49l.8-2.6 6.4 2.2-.8 2.6zM103 77l9-3 1.2 3.4-9 3z",
            "#e6e4d6",
            _STONE_INK,
        )
        + _line("foam", "M103.6 68.6q3.4 3 7 .6M101.6 78.4q5 4 12.4.4M114 62q2-2 4 0t4 0", "#eafafa", 1.1)
    )  # fmt: skip


# Houses of the town: foot left, foot base line, width, height.
_HOUSES = (
    (40, 492, 17, 11), (61, 488, 14, 15), (78, 496, 20, 11), (102, 489, 15, 12), (22, 505, 19, 11),
    (50, 507, 16, 10), (122, 499, 18, 12), (147, 492, 14, 11), (90, 509, 17, 9), (150, 508, 15, 9),
)  # fmt: skip


@lru_cache(maxsize=16)
def mainland() -> str:
    """The coast: beach, meadows, a white town with red roofs, a light on the cape, a quay."""
    walls = "".join(f"M{x} {y}h{w}v{-h}h{-w}z" for x, y, w, h in _HOUSES)
    roofs = "".join(f"M{num(x - 1.6)} {y - h}l3-6h{num(w - 2.8)}l3 6z" for x, y, w, h in _HOUSES)
    doors = "".join(
        f"M{x + w * 0.6:.0f} {y}v-5h3v5zM{x + 3} {y - 4}v-3h2.6v3z" for x, y, w, h in _HOUSES
    )
    return (
        _path("sand", _COAST, "#ead9ae", _INK, 0.9)
        + _path(
            "grass",
            "M0 480C24 470 46 476 74 471 104 465 140 473 176 468 206 464 216 480 226 492 232 500 234 506 "
            "236 512H0zM400 442C384 448 374 458 376 472 384 486 372 498 364 512H400z",
            "#a9bb7a",
            "#6f7f45",
            0.7,
        )
        + _path("crop", "M172 476l24-3 22 30-20 5z", "#d3c16f", "#8f8038", 0.6)
        + _line("furrow", "M177 478l23 28M182 476l23 29M187 475l23 29M192 474l22 29", "#a8943f", 0.9)
        # the light on the cape
        + _path("marble", "M8 482l2-24h8l2 24zM9 458v-3h10v3zM11 455v-6h6v6z", "#f2ecdd", _STONE_INK)
        + _path("roof", "M8.8 472l.6-6h9.2l.6 6zM9.6 449l4.4-6 4.4 6z", "#c9795a", "#6b3a28")
        + _path("light", "M12.4 450.4h3.2v3.4h-3.2z", "#ffe27a")
        + _trees((33, 484), (97, 486), (140, 487), (117, 494), (165, 496), (74, 505), (141, 508))
        + _bushes((172, 508), (28, 494), (228, 508), (110, 506), (388, 454), (383, 484))
        + _path("marble", walls, "#fbf6e9", _STONE_INK)
        + _path("roof", roofs, "#c9795a", "#6b3a28")
        + _path("door", doors, "#5a6f86")
        # a round temple on the hill at the right
        + _path("marble", "M374 481h24v-3h-24zM376 478V467h3v11zM384.6 478V467h3v11zM393 478V467h3v11z"
                "M375 467h22v-3h-22z", "#f4eee0", _STONE_INK)
        + _path("roof", "M375 464C377 457 382 455 386 455s9 2 11 9z", "#c9795a", "#6b3a28")
        + _trees((370, 490), (394, 498), (384, 504))
        # the quay where the trail ends, and a boat that has come over
        + _path("quay", "M347 469l5-27h12l3 27z", "#c08a4f", "#4a2f16", 0.9)
        + _line("plank", "M351.4 447h13M350.6 452h14.4M349.6 457h16M348.6 462h17.4", "#6f4822", 0.8)
        + _path("hull", "M222 446c2 8 17 8 20 0l-2.4.8h-15z", "#8a5530", "#3d2412")
    )  # fmt: skip
