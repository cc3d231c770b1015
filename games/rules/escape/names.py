"""Names of places, creatures, tiles and colours in sentences, and the ids of board elements."""

from collections.abc import Iterable

from ..text import Text, _
from .hexes import HEXES, ISLES, NAMES
from .model import COLOUR_LETTERS, EACH, Back, Creature


def place_name(hex_: int) -> str:
    """ "G6"; a number that is no hex says so."""
    return NAMES[hex_] if 0 <= hex_ < len(NAMES) else "?"


def explorer_name(explorer: int) -> str:
    """The public name: "V3" is the third explorer that vermilion placed."""
    return f"{COLOUR_LETTERS[explorer // EACH]}{explorer % EACH + 1}"


def explorer_names(explorers: Iterable[int]) -> str:
    """ "V1, V3, Y2"."""
    return ", ".join(explorer_name(explorer) for explorer in explorers)


def isle_name(isle: int) -> str:
    """ "NW"."""
    return ISLES[isle] if 0 <= isle < len(ISLES) else "?"


CREATURES: dict[Creature, Text] = {
    Creature.SERPENT: _("sea serpent"),
    Creature.SHARK: _("shark"),
    Creature.WHALE: _("whale"),
}
# In sentences, always as an object: German has “einen Hai”, “den Hai” and “keinen Hai”.
A_CREATURE: dict[Creature, Text] = {
    Creature.SERPENT: _("a sea serpent"),
    Creature.SHARK: _("a shark"),
    Creature.WHALE: _("a whale"),
}
THE_CREATURE: dict[Creature, Text] = {
    Creature.SERPENT: _("the sea serpent"),
    Creature.SHARK: _("the shark"),
    Creature.WHALE: _("the whale"),
}
NO_CREATURE: dict[Creature, Text] = {
    Creature.SERPENT: _("no sea serpent"),
    Creature.SHARK: _("no shark"),
    Creature.WHALE: _("no whale"),
}
TERRAIN_NAMES: dict[str, Text] = {
    "b": _("beach"),
    "f": _("forest"),
    "m": _("mountain"),
    "~": _("sea"),
}
COLOURS: tuple[Text, ...] = (_("blue"), _("vermilion"), _("yellow"), _("black"))
BACKS: dict[Back, Text] = {
    Back.WHALE: _("whale"),
    Back.SHARK: _("shark"),
    Back.SHIP: _("ship"),
    Back.WHIRLPOOL: _("whirlpool"),
    Back.VOLCANO: _("volcano"),
    Back.DOLPHIN: _("dolphin"),
    Back.WIND: _("wind"),
    Back.MOVE_SERPENT: _("move sea serpent"),
    Back.MOVE_SHARK: _("move shark"),
    Back.MOVE_WHALE: _("move whale"),
    Back.SHARK_DEFENCE: _("shark defence"),
    Back.WHALE_DEFENCE: _("whale defence"),
}


# -- ids of elements, shared by pictures and forms --------------------------------------------


def hex_id(hex_: int) -> str:
    """ "hex-6-5": row and column."""
    row, col = HEXES[hex_]
    return f"hex-{row}-{col}"


def ship_id(hex_: int) -> str:
    row, col = HEXES[hex_]
    return f"ship-{row}-{col}"


def creature_id(creature: Creature, hex_: int) -> str:
    row, col = HEXES[hex_]
    return f"{creature}-{row}-{col}"


def explorer_id(explorer: int) -> str:
    return f"explorer-{explorer_name(explorer)}"


def explorer_icon(explorer: int) -> str:
    return f"explorer-{COLOUR_LETTERS[explorer // EACH]}"


def back_icon(back: Back) -> str:
    return f"back-{back.replace(' ', '-')}"


def isle_id(isle: int) -> str:
    return f"isle-{ISLES[isle]}"
