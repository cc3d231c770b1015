"""The things that lie and stand on the board: tiles, figures, coins, cards. SVG fragments at (0, 0).

Nothing here knows a position. Colours stand as presentation attributes, so that a picture needs no
stylesheet; the classes beside them let the page's stylesheet dress it for the night.
"""

from __future__ import annotations

from ..model import FIGURES, Item, Tile
from .art import DRAWINGS, FIELDS, INKS, LETTERS
from .geometry import pair
from .style import INK, WRITING

SEAT_COLOURS = ("#0072b2", "#d55e00", "#f0e442", "#000000")
SEAT_LETTERS = ("#fff", "#fff", "#1d1d1d", "#fff")
SEAT_CASINGS = ("#fffdf5", "#fffdf5", "#4a4410", "#fffdf5")

# Two ways in which a stone can be cut not quite square.
_STONES = (
    (
        "M-15.5-18.3C-6-19 7-18.6 15.2-18.4 17.6-18.3 18.6-17 18.5-14.8 18.2-6 18.9 6 18.4 15 18.3 "
        "17.4 17 18.6 14.8 18.5 6 18.1-6 19-15 18.5-17.6 18.4-18.5 17.2-18.5 14.6-18.2 6-19-6-18.5"
        "-15-18.4-17.3-17.6-18.2-15.5-18.3z"
    ),
    (
        "M-14.6-18.6C-5-18.2 6-19 15.4-18.3 17.8-18.1 18.3-16.6 18.3-14.4 19-5 18.1 7 18.5 15.3 "
        "18.4 17.7 16.8 18.4 14.6 18.4 5 19-7 18.1-15.4 18.5-17.8 18.5-18.4 16.8-18.3 14.4-19 5"
        "-18.1-7-18.5-15.2-18.5-17.6-17-18.6-14.6-18.6z"
    ),
)

# The heads of the figures tell the seats apart where colours do not: ball, roof, block, diamond.
_HEADS = (
    '<circle cy="-18.8" r="5.2"/>',
    '<path d="M0-25.6L6.6-13.6H-6.6z"/>',
    '<path d="M-4.9-23.6h9.8v9.8h-9.8z"/>',
    '<path d="M0-26L6.6-18.6 0-11.2-6.6-18.6z"/>',
)
_BODY = '<path d="M-7.8-.4C-7.4-4.6-4.6-8-3.4-14.4h6.8C4.6-8 7.4-4.6 7.8-.4 5 2.2-5 2.2-7.8-.4z"/>'

_VALUE = (-10.3, -3.6)  # where the value of a tile is written
_LIFT = -4.6  # how much higher the top tile of a stack lies


def _single(item: Item) -> str:
    """A tile without its value."""
    shape = _STONES[tuple(Item).index(item) % 2]
    return (
        f'<path class="b-stone-edge" d="{shape}" fill="#a38d60" stroke="#54431f" '
        'transform="translate(0 2.4)"/>'
        f'<path class="b-stone" d="{shape}" fill="#f7efdc" stroke="#54431f" stroke-width=".8"/>'
        f'<rect class="b-field" x="-15.6" y="-15.6" width="31.2" height="31.2" rx="3" '
        f'fill="{FIELDS[item]}"/>'
        f'<g transform="translate(3.4-.6)scale(.95)">{DRAWINGS[item]}</g>'
        f'<text class="b-letter" x="-11" y="13.4" font-size="8" fill="{INK}">{LETTERS[item]}</text>'
    )


def _under() -> str:
    """The tile that looks out from under another; nobody may see its face."""
    shape = f'd="{_STONES[0]}" stroke="#54431f" transform="translate(2.8 2.7)rotate(3)'
    return (
        f'<path class="b-stone-edge" fill="#8f7a4f" {shape}translate(0 2)"/>'
        f'<path class="b-stone-under" fill="#d9c99f" {shape}"/>'
    )


def symbols(prefix: str) -> str:
    """The definitions that a board refers to again and again; ids begin with `prefix`.

    <item>1 a single tile, <item>2 a stack, p<seat> a figure, g<seat> its glow. Text attributes
    of the values must not reach into them.
    """
    plain = 'stroke="none" stroke-width=".9" paint-order="normal"'
    parts = [f'<g id="{prefix}u">{_under()}</g>']
    for item in Item:
        parts.append(f'<g id="{prefix}{item}1" {plain}>{_single(item)}</g>')
        parts.append(
            f'<g id="{prefix}{item}2" {plain}><use href="#{prefix}u"/>'
            f'<use href="#{prefix}{item}1" y="{_LIFT}"/></g>'
        )
    for seat in range(len(_HEADS)):
        parts.append(f'<g id="{prefix}p{seat}">{_pawn(seat)}</g>')
        parts.append(f'<g id="{prefix}g{seat}">{_BODY}{_HEADS[seat]}</g>')
    return "".join(parts)


def tile(tile: Tile, height: int, *, prefix: str | None = None) -> str:
    """A stack with this tile on top; height 2 shows a second tile beneath.

    prefix: of the definitions to refer to; None draws everything in place.
    """
    x, y = _VALUE
    lift = _LIFT if height > 1 else 0
    value = f'<text class="value" x="{x}" y="{y + lift:.1f}">{tile.value}</text>'
    if prefix is not None:
        return f'<use href="#{prefix}{tile.item}{min(height, 2)}"/>{value}'
    stone = _single(tile.item)
    if lift:
        stone = f'{_under()}<g transform="translate(0 {lift})">{stone}</g>'
    return f"{stone}<g {WRITING}>{value}</g>"


def _pawn(seat: int) -> str:
    shape = _BODY + _HEADS[seat]
    return (
        '<ellipse class="b-shadow" cx="1.5" cy=".4" rx="9.5" ry="3.4" fill="#08303f" opacity=".35"/>'
        '<g class="b-rim" fill="#fffdf5" stroke="#fffdf5" stroke-width="3" stroke-linejoin="round">'
        f'{shape}</g><g class="b-pawn" fill="{SEAT_COLOURS[seat]}" stroke="#1c1c1c" '
        f'stroke-width=".8" stroke-linejoin="round">{shape}</g>'
    )


def figure(seat: int, number: int, *, acting: bool = False, prefix: str | None = None) -> str:
    """A figure with its letter, feet at (0, 0), 17 wide and 27 high; acting: with a glow."""
    glow = ""
    if acting:
        shape = f'<use href="#{prefix}g{seat}"/>' if prefix is not None else _BODY + _HEADS[seat]
        glow = (
            '<g class="glow-edge" stroke="#3d2d02" stroke-width="8.6" stroke-linejoin="round">'
            f'{shape}</g><g class="glow" fill="#ffd23f" stroke="#ffd23f" stroke-width="7" '
            f'stroke-linejoin="round">{shape}</g>'
        )
    pawn = f'<use href="#{prefix}p{seat}"/>' if prefix is not None else _pawn(seat)
    return (
        f'{glow}{pawn}<text class="b-letter" y="-1.6" font-size="10" fill="{SEAT_LETTERS[seat]}">'
        f"{FIGURES[number]}</text>"
    )


def coin(price: int | str) -> str:
    """The price of a gap on a gold coin, 21 wide."""
    return (
        '<circle class="coin-edge" cy="1.6" r="10.4" fill="#7d5f10"/>'
        '<circle class="coin" r="10.4" fill="#e9c64a" stroke="#7d5f10" stroke-width=".9"/>'
        '<circle r="8.2" fill="none" stroke="#fff3b8" stroke-width=".9" '
        'stroke-dasharray="1.2 1.37"/>'
        f'<text class="price" y="4.9" font-size="14" fill="#3d2d02">{price}</text>'
    )


def bridge(data: str) -> str:
    """A wooden bridge along this path data: shadow, beams at the sides, planks across."""
    return (
        '<g fill="none">'
        + "".join(
            f'<path class="bridge-{name}" d="{data}" stroke="{colour}" stroke-width="{width}"{more}/>'
            for name, colour, width, more in (
                ("shadow", "#08303f", "21", ' opacity=".3" transform="translate(1.5 3.4)"'),
                ("edge", "#4a2f16", "21", ""),
                ("beam", "#e0b57c", "19", ""),
                ("edge", "#4a2f16", "15.4", ""),
                ("plank", "#b97f45", "14", ""),
                ("joint", "#4a2f16", "14", ' stroke-dasharray=".9 5.1"'),
            )
        )
        + "</g>"
    )


def card(item: Item) -> str:
    """A movement card, 36 wide and 50 high."""
    return (
        '<rect class="card-paper" x="-18" y="-25" width="36" height="50" rx="4" fill="#fffaf0" '
        'stroke="#5c4a2a"/>'
        f'<rect class="b-field" x="-15" y="-22" width="30" height="44" rx="2.4" '
        f'fill="{FIELDS[item]}" stroke="{INKS[item]}"/>'
        f'<path d="M-15-11V-19.6Q-15-22-12.6-22H-4Q-4.6-11.6-15-11zM15 11V19.6Q15 22 12.6 22H4'
        f'Q4.6 11.6 15 11z" fill="{INKS[item]}"/>'
        f"{DRAWINGS[item]}"
        f'<text x="-10.8" y="-14" font-size="8.5" fill="#fff">{LETTERS[item]}</text>'
        f'<text x="10.8" y="20" font-size="8.5" fill="#fff">{LETTERS[item]}</text>'
    )


def card_back() -> str:
    """The back of a movement card: waves under a sun."""
    return (
        '<rect class="card-paper" x="-18" y="-25" width="36" height="50" rx="4" fill="#fffaf0" '
        'stroke="#5c4a2a"/><rect x="-15" y="-22" width="30" height="44" rx="2.4" fill="#2a7699" '
        'stroke="#1f4358"/><circle cy="-6" r="7" fill="#e9c64a" stroke="#7d5f10" '
        'stroke-width=".8"/><path d="M-15 0q3.75-5 7.5 0t7.5 0 7.5 0 7.5 0v20Q15 22 12.6 22h-25.2'
        'Q-15 22-15 20z" fill="#56a9bf"/><path d="M-15 8q3.75-5 7.5 0t7.5 0 7.5 0 7.5 0v12'
        'Q15 22 12.6 22h-25.2Q-15 22-15 20z" fill="#7cc4cf"/>'
    )


def place(x: float, y: float, content: str, *, turn: str = "") -> str:
    """Content moved to (x, y), turned there by so many degrees."""
    return f'<g transform="translate({pair(x, y)}){turn}">{content}</g>'
