"""The things on the board: tiles, figures, coins, cards, and the sea below. SVG fragments around
(0, 0).

Colours are presentation attributes, so that a picture needs no style sheet; the style sheet of a
page finds the classes beside them and dims the board at night. Items differ by outline, letter and
colour. Their colours are Paul Tol's muted scheme, close to those of the printed game.
"""

from functools import cache

from ...drawing import art_of, group, pair, path, text, use
from ..model import FIGURES, MAINLAND, Item, Tile
from .geometry import HEIGHT, WIDTH, trail

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


INK = "#2c2418"
# A stone-coloured rim keeps a value legible on top of any drawing.
VALUES = (
    f'class="values" fill="{INK}" stroke="#fffaf0" stroke-width="2.6" paint-order="stroke" '
    'stroke-linejoin="round" font-size="14.5"'
)

SEAT_COLOURS = ("#0072b2", "#d55e00", "#f0e442", "#000000")
SEAT_CASINGS = ("#fffdf5", "#fffdf5", "#4a4410", "#fffdf5")
_SEAT_LETTERS = ("#fff", "#fff", "#1d1d1d", "#fff")

# item: (field of a tile or card behind the item, strong colour of a card's frame)
_COLOURS: dict[Item, tuple[str, str]] = {
    Item.FLAG: ("#f3c9cb", "#b23a52"),
    Item.OLIVE: ("#cfe0b8", "#117733"),
    Item.HELMET: ("#d9dde3", "#6b7280"),
    Item.AMPHORA: ("#e8cba6", "#8a5530"),
    Item.RING: ("#bfe0f2", "#332288"),
    Item.CROWN: ("#f7ebb0", "#a8871c"),
    Item.STATUE: ("#a3abc0", "#5d6580"),
}
_LIFT = -4.6  # of the top tile of a stack


def _letter(item: Item) -> str:
    return item.value[0].upper()


def _single(item: Item) -> str:
    """A tile without its value."""
    field = _COLOURS[item][0]
    return (
        art(f"stone-{tuple(Item).index(item) % 2 + 1}")
        + '<rect class="b-field" x="-15.6" y="-15.6" width="31.2" height="31.2" rx="3" '
        f'fill="{field}"/>'
        + group(art(item), "translate(3.4-.6)scale(.95)")
        + f'<text class="b-letter" x="-11" y="13.4" font-size="8" fill="{INK}">{_letter(item)}</text>'
    )


@cache
def definitions() -> tuple[tuple[str, str], ...]:
    """The definitions that boards refer to.

    <item>1 is a single tile, <item>2 a stack, p<seat> a figure, g<seat> its outline, u the lower
    tile of a stack, w a sunken space, trail the whole trail. Tiles reset the attributes of VALUES,
    which they inherit.
    """
    plain = 'stroke="none" stroke-width=".9" paint-order="normal"'
    tiles = [(f"{item}1", f"<g {plain}>{_single(item)}</g>") for item in Item]
    stacks = [
        (f"{item}2", f'<g {plain}>{use("u")}<use href="#{item}1" y="{_LIFT}"/></g>')
        for item in Item
    ]
    seats = range(len(SEAT_COLOURS))
    return (
        ("trail", path(trail(0, MAINLAND))),
        ("w", art("sunken")),
        ("u", art("stone-under")),
        *tiles,
        *stacks,
        *((f"p{seat}", art(f"figure-{seat + 1}")) for seat in seats),
        *((f"g{seat}", art(f"outline-{seat + 1}")) for seat in seats),
    )


@cache
def tile_parts(tile: Tile, height: int) -> tuple[str, str]:
    """A stack with this tile on top, and its value. The value inherits VALUES."""
    value = text(tile.value, -10.3, -3.6 + (_LIFT if height > 1 else 0), class_="value")
    return use(f"{tile.item}{min(height, 2)}"), value


def tile(tile: Tile, height: int) -> str:
    """A stack with this tile on top, complete in itself."""
    _stack, value = tile_parts(tile, height)
    stone = _single(tile.item)
    if height > 1:
        stone = art("stone-under") + group(stone, f"translate(0 {_LIFT})")
    return f"{stone}<g {VALUES}>{value}</g>"


@cache
def figure_letter(seat: int, number: int) -> str:
    """The letter on a figure."""
    return text(FIGURES[number], 0, -1.6, class_="b-letter", font_size=10, fill=_SEAT_LETTERS[seat])


def figure(seat: int, number: int) -> str:
    """A figure with its letter, feet at (0, 0), 17 wide and 27 high, complete in itself."""
    return art(f"figure-{seat + 1}") + figure_letter(seat, number)


@cache
def glow(seat: int) -> str:
    """The light around a figure that can move."""
    outline = use(f"g{seat}")
    return (
        '<g class="glow-edge" stroke="#3d2d02" stroke-width="8.6" stroke-linejoin="round">'
        f'{outline}</g><g class="glow" fill="#ffd23f" stroke="#ffd23f" stroke-width="7" '
        f'stroke-linejoin="round">{outline}</g>'
    )


def ghost(seat: int) -> str:
    """A figure where it stood before its move."""
    return (
        f'<use class="origin" href="#g{seat}" fill="{SEAT_COLOURS[seat]}" fill-opacity=".3" '
        f'stroke="{SEAT_CASINGS[seat]}" stroke-width="1.3" stroke-dasharray="2.4 2"/>'
    )


@cache
def coin(price: int | str) -> str:
    """The price of a gap on a gold coin, 21 wide."""
    return art("coin") + text(price, 0, 4.9, class_="price", font_size=14, fill="#3d2d02")


def crossing(data: str, dashes: str = "1 5") -> str:
    """The dotted way across a gap."""
    line = {"stroke_dasharray": dashes, "stroke_linecap": "round"}
    return path(data, class_="crossing", stroke="#f4fbfb", stroke_width=1.8, **line)


def bridge(data: str) -> str:
    """A wooden bridge along this path data: shadow, beams at the sides, planks across."""
    layers: tuple[tuple[str, str, float, dict[str, str]], ...] = (
        ("shadow", "#08303f", 21, {"opacity": ".3", "transform": "translate(1.5 3.4)"}),
        ("edge", "#4a2f16", 21, {}),
        ("beam", "#e0b57c", 19, {}),
        ("edge", "#4a2f16", 15.4, {}),
        ("plank", "#b97f45", 14, {}),
        ("joint", "#4a2f16", 14, {"stroke_dasharray": ".9 5.1"}),
    )
    return "".join(
        path(data, class_=f"bridge-{name}", stroke=colour, stroke_width=width, **more)
        for name, colour, width, more in layers
    )


def card(item: Item) -> str:
    """A movement card, 36 wide and 50 high."""
    field, ink = _COLOURS[item]
    return (
        '<rect class="card-paper" x="-18" y="-25" width="36" height="50" rx="4" fill="#fffaf0" '
        'stroke="#5c4a2a"/>'
        f'<rect class="b-field" x="-15" y="-22" width="30" height="44" rx="2.4" '
        f'fill="{field}" stroke="{ink}"/>'
        f'<path d="M-15-11V-19.6Q-15-22-12.6-22H-4Q-4.6-11.6-15-11zM15 11V19.6Q15 22 12.6 22H4'
        f'Q4.6 11.6 15 11z" fill="{ink}"/>'
        f"{art(item)}"
        f'<text x="-10.8" y="-14" font-size="8.5" fill="#fff">{_letter(item)}</text>'
        f'<text x="10.8" y="20" font-size="8.5" fill="#fff">{_letter(item)}</text>'
    )


def place(x: float, y: float, content: str, turn: str = "") -> str:
    """Return the content moved to (x, y) and turned there."""
    return group(content, f"translate({pair(x, y)}){turn}")
