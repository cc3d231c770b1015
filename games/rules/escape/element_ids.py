"""The ids of the board's elements: what a picture and a form both call a piece or a place."""

from .hexes import HEXES, ISLES
from .model import COLOUR_LETTERS, EACH, Creature
from .names import explorer_name


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


def isle_id(isle: int) -> str:
    return f"isle-{ISLES[isle]}"
