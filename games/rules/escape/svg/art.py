"""The pieces as drawings: explorers, ships, creatures. SVG fragments around (0, 0), no positions.

Colours stand as presentation attributes, so that a picture needs no stylesheet; the classes beside
them let the page's stylesheet dress it for the night. Players differ by the head of their
explorers first, then by colour: ball, roof, block, diamond.
"""

from __future__ import annotations

from ..model import COLOUR_LETTERS, Back, Creature

INK = "#2c2418"
COLOURS = ("#0072b2", "#d55e00", "#f0e442", "#000000")
# The rim of a piece: what its colour stands out against.
_RIMS = ("#fffdf5", "#fffdf5", "#2c2418", "#fffdf5")
_EDGES = ("#053a58", "#5e2900", "#4b4606", "#5d5d5d")

_BODY = "M-6 0C-5.6-3.6-3.4-6.4-2.6-11h5.2C3.4-6.4 5.6-3.6 6 0 3.6 1.7-3.6 1.7-6 0z"
_SHOULDERS = "M-4.9-4.4C-3.8-6.4-3-8.4-2.6-11h5.2C3-8.4 3.8-6.4 4.9-4.4 3-3-3-3-4.9-4.4z"
_HEADS = (
    "M0-18.2a4 4 0 1 0 0 8 4 4 0 1 0 0-8z",
    "M0-19.6L5-10.2H-5z",
    "M-3.8-18h7.6v7.6h-7.6z",
    "M0-20L5-14.3 0-8.8-5-14.3z",
)


def symbols(prefix: str) -> str:
    """The definitions that a board refers to again and again; ids begin with `prefix`."""
    return "".join(
        (
            *(
                _pawn(prefix, colour, f"s{letter}", _BODY)
                for colour, letter in enumerate(COLOUR_LETTERS)
            ),
            *(_swimmer(prefix, colour) for colour in range(len(COLOUR_LETTERS))),
            f'<g id="{prefix}hull">{HULL}</g><g id="{prefix}sail">{SAIL}</g>',
            *(f'<g id="{prefix}c-{creature}">{DRAWINGS[creature]}</g>' for creature in Creature),
        )
    )


def _pawn(prefix: str, colour: int, name: str, body: str) -> str:
    return f'<g id="{prefix}{name}">{pawn(colour, body)}</g>'


def pawn(colour: int, body: str = _BODY) -> str:
    """An explorer that stands, feet at (0, 0), 12 wide and 20 high."""
    shape = body + _HEADS[colour]
    return (
        f'<path class="b-rim" d="{shape}" fill="{_RIMS[colour]}" stroke="{_RIMS[colour]}" '
        'stroke-width="2.6" stroke-linejoin="round"/>'
        f'<path d="{shape}" fill="{COLOURS[colour]}" stroke="{_EDGES[colour]}" stroke-width=".8" '
        'stroke-linejoin="round"/>'
        '<path d="M-2.6-1.4C-2.2-4.4-1.4-6.8-1-9.6" fill="none" stroke="#fff" stroke-width="1.1" '
        'stroke-linecap="round" opacity=".55"/>'
    )


def _swimmer(prefix: str, colour: int) -> str:
    """An explorer up to the chest in water, the water line at (0, 0)."""
    letter = COLOUR_LETTERS[colour]
    return (
        f'<g id="{prefix}w{letter}"><ellipse class="b-wake" cy=".8" rx="9.4" ry="3.6" fill="#cdebee" opacity=".75"/>'
        f'<g transform="translate(0 4.4)">{pawn(colour, _SHOULDERS)}</g>'
        '<path class="b-ripple" d="M-8.6.6q2.9-2.6 5.8 0t5.8 0 5.8 0M-6 3.6q3-2 6 0t6 0" fill="none" '
        'stroke="#f4fdfd" stroke-width="1.3" stroke-linecap="round"/></g>'
    )


HULL = (
    '<path class="b-hull" d="M-15.4-4.4C-13-2-11.6-1.6-9-1.6H9C11.6-1.6 13-2 15.4-4.4 14.4 4.6 9.6 8 0 8S'
    '-14.4 4.6-15.4-4.4z" fill="#a0683a" stroke="#3d2412" stroke-width=".9" stroke-linejoin="round"/>'
    '<path class="b-strake" d="M-14.2 1C-8 3.6 8 3.6 14.2 1M-11.6 4.6C-6 6.6 6 6.6 11.6 4.6" fill="none" '
    'stroke="#6f4422" stroke-width=".8"/>'
    '<path class="b-eye" d="M9.4.2a1.5 1.5 0 1 0 .1 0z" fill="#fbf3dc"/>'
    '<path class="b-ripple" d="M-17 7.6q4.2-3.4 8.5 0t8.5 0 8.5 0 8.5 0" fill="none" stroke="#e6f8f9" '
    'stroke-width="1.3" stroke-linecap="round"/>'
)
# Mast and sail stand behind the people.
SAIL = (
    '<path d="M0-1V-17.4M-7.6-15.4H7.6" fill="none" stroke="#3d2412" stroke-width="1.3"/>'
    '<path class="b-sail" d="M-7-15q7-1.4 14 0 1.6 5-.4 9.6-6.6-1.6-13.2 0Q-8.6-10-7-15z" fill="#fbf3dc" '
    'stroke="#6b5f47" stroke-width=".7"/>'
    '<path d="M0-17.4l5-1.5-5-1.6z" fill="#cc6677"/>'
)

DRAWINGS: dict[Creature, str] = {
    Creature.SERPENT: (
        '<g stroke="#24401f" stroke-width=".9" stroke-linejoin="round">'
        '<path class="b-serpent" d="M6.4 7C5.4 3.4 1.4 3.2.6 7H-2.6C-3.4-.6 8-1.8 9.8 7zM14.6 7C14 4.4 12 4.4 11.6 7H9'
        'C9 .4 15.6.8 17 6.8z" fill="#5d8f3f"/>'
        '<path class="b-serpent" d="M-4 7C-5.4 2-10 1.4-9.6-4.4-9.2-8.6-11.4-9.2-14-7.6L-16.6-8.4C-16.4-13-9.4-15-6-10.4'
        '-3.4-6.6-5-3.4-2.4-.4-.6 1.8 0 4.4 0 7z" fill="#6fa24a"/>'
        '<path d="M-6.4-10.8L-2-13.4-4.2-8.6 0-8.8-4.2-5.4" fill="#cc6677" stroke-width=".7"/></g>'
        '<path d="M-7.4-6.4C-7-2-3.4.6-2.6 6.4M2 5.4C3 2.4 6 2.6 7 5" fill="none" stroke="#c9dc96" stroke-width="1.2"/>'
        '<circle cx="-11" cy="-9.6" r="1.25" fill="#fffdf0"/><circle cx="-11.3" cy="-9.6" r=".65" fill="#10242f"/>'
        '<path d="M-16.4-8l-2 1.4" stroke="#cc3355" stroke-width=".9"/>'
        '<path class="b-ripple" d="M-13 8.2q3.6-3.2 7.2 0t7.2 0 7.2 0 7.2 0" fill="none" stroke="#e6f8f9" '
        'stroke-width="1.4" stroke-linecap="round"/>'
    ),
    Creature.SHARK: (
        '<path class="b-shark" d="M-16.6 2.6C-12-5.4-2-8.6 6.2-3.4 8.6-1.9 10-.6 11.4.2L17.4-5.6C16.4-1.4 16.4 2 17.2 6.6'
        'L11.6 2.8C5.6 6.4-6.4 8.2-11.4 5.4-13.8 4.2-15 4-16.6 2.6z" fill="#78879a" stroke="#27313d" '
        'stroke-width=".9" stroke-linejoin="round"/>'
        '<path class="b-shark" d="M-4.4-5.4C-2.6-10-.4-12.4 4.4-14.4 2.6-10 3.2-7.4 4.6-4.2z" fill="#66758a" '
        'stroke="#27313d" stroke-width=".9" stroke-linejoin="round"/>'
        '<path d="M-15.6 3C-10 4.4-1 4.6 8 1.4 2 5.6-6.4 7-11 5-13.4 4-14.4 3.8-15.6 3z" fill="#eef3f6"/>'
        '<path d="M-13.8 2.8l1.4 1.5 1.1-1.3 1.1 1.6 1.2-1.4 1.1 1.4" fill="none" stroke="#27313d" stroke-width=".7"/>'
        '<path d="M-4.6-1.8q-1.4 1.6-.6 3.4M-2.6-2.2q-1.4 1.8-.6 3.8" fill="none" stroke="#27313d" stroke-width=".7"/>'
        '<circle cx="-9.6" cy="-1.6" r="1.1" fill="#10242f"/>'
        '<path class="b-ripple" d="M-17 8.2q4.2-3.4 8.5 0t8.5 0 8.5 0 8.5 0" fill="none" stroke="#e6f8f9" '
        'stroke-width="1.4" stroke-linecap="round"/>'
    ),
    Creature.WHALE: (
        '<path d="M-7-8.4C-7.6-12.4-10.6-12.6-11.6-10M-6.6-8.4C-6-12.6-2.6-13-1.4-10" fill="none" stroke="#e6f8f9" '
        'stroke-width="1.6" stroke-linecap="round"/>'
        '<path class="b-whale" d="M-17 1C-16.4-6-10-8.6-3-8 4-7.4 7.4-2 11.4-2.4 13-2.6 13.4-4.4 13-7.4 10.8-8 9.6-9.6 9.8-11.8'
        " 12-12 13.6-11 14.4-9.4 15.6-10.8 17.2-11.4 19-10.8 18.6-8.6 17.4-7.4 15.8-7 16.8.4 12.6 6.8 3.6 7.6"
        '-6 8.4-16 8-17 1z" fill="#3f5f86" stroke="#16283d" stroke-width=".9" stroke-linejoin="round"/>'
        '<path d="M-16.8 1.6C-11 3.4-5.4 3.6-.6 1.8 1 5.4-.4 7.4-3.6 7.7-9.6 7.8-16 7-16.8 1.6z" fill="#dfe9f0" '
        'stroke="#16283d" stroke-width=".6"/>'
        '<path d="M-14 3.2v2.6M-11.4 3.6v3.2M-8.6 3.8v3.6M-5.8 3.6v3.8M-3 3v4" stroke="#9fb4c6" stroke-width=".7"/>'
        '<path d="M.6 2.2C4 3 5.4 5.2 5 8.4 2 7.6-.2 5.8.6 2.2z" fill="#34506f" stroke="#16283d" stroke-width=".7"/>'
        '<circle cx="-10.6" cy="-1.6" r="1.2" fill="#fffdf0"/><circle cx="-10.8" cy="-1.5" r=".7" fill="#10242f"/>'
        '<path class="b-ripple" d="M-17 9q4.2-3.4 8.5 0t8.5 0 8.5 0 8.5 0" fill="none" stroke="#e6f8f9" '
        'stroke-width="1.4" stroke-linecap="round"/>'
    ),
}

WHIRLPOOL = (
    '<g fill="none" stroke-linecap="round"><path class="b-swirl" d="M0 1.4C2.4-.6 4.4 1.8 2.6 4-.2 7-6 5-6.2.4-6.4-5.4.2-8.8 '
    '6-6.6 12.6-4 12.6 5 7.2 9.4-.4 15-11.4 11-13.6 2.6" stroke="#2a7699" stroke-width="3"/>'
    '<path d="M-13.2-2.4C-11.6-10.4-2-14.6 6.6-11.8 11-10.2 14-6.4 14.6-2" stroke="#56a9bf" stroke-width="2.6"/></g>'
)
VOLCANO = (
    '<path d="M-15 12C-9 6-7-2-4.6-6.4H4.6C7-2 9 6 15 12z" fill="#6d5f55" stroke="#2c2418" stroke-width=".9"/>'
    '<path d="M-4.6-6.4H4.6L6-3C4.4-1.4 3-4 1.6-.6.4 2-1-2-2.4 0-3.6 1.6-5-1-6-3z" fill="#e8641b"/>'
    '<path d="M-2.4-7.6C-5-10-3.6-13.6-1-14.4-1-12 1-12 1-14 4.4-13.4 5-9.4 2.4-7.6z" fill="#f2b233" stroke="#a33c0c" '
    'stroke-width=".7"/><path d="M-8-11l-2-2M8-11l2-2.4M-6-15l-1-2M6.4-15.4l1-2" stroke="#e8641b" stroke-width="1.4" '
    'stroke-linecap="round"/>'
)
DOLPHIN = (
    '<path d="M-13 8C-13-3-4-9 5-6 8-5 10-3 14-2 13 0 10 1 7 1 5 1 2 0-1 1-5 2-8 4-10 9-11 8-12 8-13 8z'
    'M-2-6.6C-3-10-5-11-8-11-6-9-6-8-6.6-4.6zM2 .6C1 3 2 5 4 7 4.6 4 5 3 6 1z" fill="#5b7f93" stroke="#1f4358" '
    'stroke-width=".8"/><circle cx="7.6" cy="-3" r=".9" fill="#10242f"/>'
    '<path d="M-17 10.6q4-3.4 8 0t8 0 8 0 8 0" fill="none" stroke="#2a7699" stroke-width="1.5"/>'
)
WIND = (
    '<g fill="none" stroke="#3a8dab" stroke-width="2.2" stroke-linecap="round"><path d="M-14-3H5.4C9.8-3 9.8-9.8 5.4-9.8 '
    '2.8-9.8 1.8-7.6 2.8-5.8"/><path d="M-11 2H10.6C15 2 15 9 10.6 9 8 9 7 6.8 8 5"/><path d="M-14 7H1.6C5 7 5 12.4 1.6 12.4"/></g>'
)
_ARROW = (
    '<path d="M-12 12.4C-4 15.6 6 15 11.6 9.6M12.4 14.2v-5.4H7" fill="none" stroke="#c2452d" stroke-width="2" '
    'stroke-linecap="round" stroke-linejoin="round"/>'
)
_SHIELD = (
    '<path d="M-13-12.6C-7-12.4-3.6-13.6 0-15.6 3.6-13.6 7-12.4 13-12.6 13.6 1 9 10.6 0 15.4-9 10.6-13.6 1-13-12.6z" '
    'fill="#f7ebb0" stroke="#6d5608" stroke-width="1.4"/>'
)


def _small(drawing: str, scale: float = 0.72, y: float = 0) -> str:
    return f'<g transform="translate(0 {y})scale({scale})">{drawing}</g>'


# What is on the back of a tile, in a box of 36 units.
BACK_DRAWINGS: dict[Back, str] = {
    Back.WHALE: DRAWINGS[Creature.WHALE],
    Back.SHARK: DRAWINGS[Creature.SHARK],
    Back.SHIP: f'<g transform="translate(0 4)">{SAIL}{HULL}</g>',
    Back.WHIRLPOOL: WHIRLPOOL,
    Back.VOLCANO: VOLCANO,
    Back.DOLPHIN: DOLPHIN,
    Back.WIND: WIND,
    Back.MOVE_SERPENT: _small(DRAWINGS[Creature.SERPENT], 0.85, -2) + _ARROW,
    Back.MOVE_SHARK: _small(DRAWINGS[Creature.SHARK], 0.85, -1) + _ARROW,
    Back.MOVE_WHALE: _small(DRAWINGS[Creature.WHALE], 0.85, -1) + _ARROW,
    Back.SHARK_DEFENCE: _SHIELD + _small(DRAWINGS[Creature.SHARK], 0.6, -1),
    Back.WHALE_DEFENCE: _SHIELD + _small(DRAWINGS[Creature.WHALE], 0.6, -1),
}
