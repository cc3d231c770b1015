"""Tiles, creatures, values and options: what lies in the box of Escape from Atlantis!."""

from enum import StrEnum

import msgspec

# The values of the ten explorers of a colour, 28 in all.
VALUES = (6, 5, 4, 3, 3, 2, 2, 1, 1, 1)
EACH = len(VALUES)
COLOUR_LETTERS = "UVYN"  # blUe, Vermilion, Yellow, Night black: letters that no row of hexes has
SHIPS, SHARKS, WHALES, SERPENTS = 12, 6, 5, 5
ROOM = 3  # explorers in a ship
STEPS = 3  # in a turn
LAST_TURNS = 12  # of each player after the last tile, when the game is played to the last

SEA, BEACH, FOREST, MOUNTAIN = "~bfm"
TERRAINS = BEACH + FOREST + MOUNTAIN  # in the order in which they sink

# Where an explorer is: a hex (on its tile, or swimming where it has none), a hex + ABOARD
# (in the ship there), an isle + SAVED, or one of these:
LOST, IN_HAND = -1, -2
ABOARD, SAVED = 256, 512


class Creature(StrEnum):
    SERPENT = "serpent"
    SHARK = "shark"
    WHALE = "whale"


REACH = {Creature.SERPENT: 1, Creature.SHARK: 2, Creature.WHALE: 3}
FACES = tuple(creature for creature in Creature for _ in range(2))  # of the die


class Back(StrEnum):
    """The back of a terrain tile."""

    WHALE = "whale"
    SHARK = "shark"
    SHIP = "ship"
    WHIRLPOOL = "whirlpool"
    VOLCANO = "volcano"
    DOLPHIN = "dolphin"
    WIND = "wind"
    MOVE_SERPENT = "move serpent"
    MOVE_SHARK = "move shark"
    MOVE_WHALE = "move whale"
    SHARK_DEFENCE = "shark defence"
    WHALE_DEFENCE = "whale defence"


MOVES = {
    Back.MOVE_SERPENT: Creature.SERPENT,
    Back.MOVE_SHARK: Creature.SHARK,
    Back.MOVE_WHALE: Creature.WHALE,
}
DEFENCES = {Creature.SHARK: Back.SHARK_DEFENCE, Creature.WHALE: Back.WHALE_DEFENCE}
PLAYABLE = frozenset((Back.DOLPHIN, Back.WIND, *MOVES))  # at the start of an own turn
KEPT = PLAYABLE | frozenset(DEFENCES.values())  # the red tiles, kept face down

# The number of each under beach, forest and mountain.
TALLY: dict[Back, tuple[int, int, int]] = {
    Back.WHALE: (3, 2, 0),
    Back.SHARK: (3, 2, 1),
    Back.SHIP: (1, 3, 0),
    Back.WHIRLPOOL: (0, 2, 4),
    Back.VOLCANO: (0, 0, 1),
    Back.DOLPHIN: (3, 1, 0),
    Back.WIND: (2, 0, 0),
    Back.MOVE_SERPENT: (1, 1, 0),
    Back.MOVE_SHARK: (1, 1, 0),
    Back.MOVE_WHALE: (1, 1, 0),
    Back.SHARK_DEFENCE: (1, 1, 1),
    Back.WHALE_DEFENCE: (0, 2, 1),
}


class Tile(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A terrain tile: "b", "f" or "m", and its back (None: not for the reader's eyes)."""

    terrain: str
    back: Back | None = None


BOX: tuple[Tile, ...] = tuple(
    Tile(terrain, back)
    for column, terrain in enumerate(TERRAINS)
    for back, counts in TALLY.items()
    for _ in range(counts[column])
)


class Ending(StrEnum):
    """The end of the game: at the volcano, with the last explorer (2) or the last tile (4)."""

    VOLCANO = "volcano"
    LAST = "last"
    SUBMERGED = "submerged"


class Options(msgspec.Struct, frozen=True, omit_defaults=True):
    """The options of a table. hours: the time to answer whether to defend."""

    seated: bool = False
    strict: bool = False
    two_colours: bool = False
    overpopulated: bool = False
    equal: bool = False
    ending: Ending = Ending.VOLCANO
    hours: int = 24
