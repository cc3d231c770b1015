"""The contents of the box: the tiles, the cards, and how the path is laid.

Data only. No rulebook prints how the values are spread over the tiles; `LEFT_OUT` is this
project's own choice, and it agrees with every tile that the rulebooks' examples name.
"""

from .model import Cards, Item, Tile, Tiles

ITEMS: tuple[Item, ...] = tuple(Item)
INDEX = {item: index for index, item in enumerate(ITEMS)}

# Each half holds six tiles of every item, one of each value 1 … 7 but this one: in half A the
# value named here, in half B eight minus it. So each value appears six times in a half, every
# item is worth 48 in all, and both halves are worth the same.
LEFT_OUT = {
    Item.FLAG: 7,
    Item.OLIVE: 6,
    Item.HELMET: 3,
    Item.AMPHORA: 5,
    Item.RING: 1,
    Item.CROWN: 4,
    Item.STATUE: 2,
}
VALUES = range(1, 8)

HALF_A: Tiles = tuple(Tile(i, v) for i in ITEMS for v in VALUES if v != LEFT_OUT[i])
HALF_B: Tiles = tuple(Tile(i, v) for i in ITEMS for v in VALUES if v != 8 - LEFT_OUT[i])

CARDS_OF_AN_ITEM = 15
CARDS: Cards = tuple(item for item in ITEMS for _ in range(CARDS_OF_AN_ITEM))

# Heights of the stacks from Atlantis: A tiles, one water space, B tiles.
HEIGHTS_A = (2,) * 10 + (1,) * 10 + (2,) * 6
HEIGHTS_B = (2,) * 6 + (1,) * 10 + (2,) * 10
FIRST_HANDS = (4, 5, 6, 7)  # cards of the first, second … player


def lay_path(half_a: Tiles, half_b: Tiles) -> tuple[Tiles, ...]:
    """The 53 stacks, bottom tile first, from two shuffled halves."""
    return (*_stacks(half_a, HEIGHTS_A), (), *_stacks(half_b, HEIGHTS_B))


def _stacks(tiles: Tiles, heights: tuple[int, ...]) -> list[Tiles]:
    stacks: list[Tiles] = []
    used = 0
    for height in heights:
        stacks.append(tiles[used : used + height])
        used += height
    return stacks
