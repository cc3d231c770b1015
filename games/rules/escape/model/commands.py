"""The commands of players, and the answers left in advance."""

from enum import StrEnum

import msgspec

from .things import Back, Creature


class Place(msgspec.Struct, frozen=True, tag="place"):
    """Setup: an own explorer of this value on this tile."""

    value: int
    hex: int


class Launch(msgspec.Struct, frozen=True, tag="launch"):
    """Setup: a ship on this sea hex."""

    hex: int


class Preset(StrEnum):
    """The order in which to place explorers that no wish names."""

    COAST = "coast"  # high values on the coast
    INLAND = "inland"  # high values inland
    SPREAD = "spread"  # far from each other


class Wish(msgspec.Struct, frozen=True, array_like=True):
    """An explorer of this value on this hex, should it be free then."""

    value: int
    hex: int


class Plan(msgspec.Struct, frozen=True, tag="plan", omit_defaults=True):
    """Setup, at any time, secret: what to place when the seat's turn comes.

    Each time the first wish that is still legal is played and struck off; ships likewise.
    preset: what to do when none is; None: ask. An empty plan takes the old one back.
    """

    wishes: tuple[Wish, ...] = ()
    ships: tuple[int, ...] = ()
    preset: Preset | None = None


class Standing(msgspec.Struct, frozen=True, tag="standing"):
    """A secret instruction, given at any time: how to answer when a shark or whale comes.

    at_least: defend when this many own explorers are at stake (1: always, 0: never);
    None: ask me.
    """

    creature: Creature
    at_least: int | None


class Play(msgspec.Struct, frozen=True, array_like=True):
    """A kept tile played. start: for the dolphin the swimmer (explorer), else the hex of the ship
    or creature. to: the hex where it ends up.
    """

    tile: Back
    start: int
    to: int


class Verb(StrEnum):
    WALK = "walk"  # from tile to tile
    BOARD = "board"  # into the ship on hex `to`
    SWIM = "swim"  # into the water of hex `to`
    ASHORE = "ashore"  # onto the isle `to`
    SAIL = "sail"  # a ship


class Step(msgspec.Struct, frozen=True, array_like=True):
    """One of up to three steps. who: an explorer, or for SAIL the hex the ship leaves."""

    verb: Verb
    who: int
    to: int


class Turn(msgspec.Struct, frozen=True, tag="turn", omit_defaults=True):
    """Orders of a turn, together or one by one: a tile, steps, the tile to sink.

    sink: its hex. roll: go on to the die, where no tile is left to sink. With neither, the turn
    goes on.
    """

    play: Play | None = None
    steps: tuple[Step, ...] = ()
    sink: int | None = None
    roll: bool = False


class Crew(msgspec.Struct, frozen=True, tag="crew"):
    """The three swimmers that the new ship takes aboard, sorted."""

    explorers: tuple[int, ...]


class Steer(msgspec.Struct, frozen=True, tag="steer", omit_defaults=True):
    """Move a creature of the kind rolled from one hex to another; None: leave them all."""

    start: int | None = None
    to: int | None = None


class Defend(msgspec.Struct, frozen=True, tag="defend"):
    """Another player's turn: spend the defence, or let it happen."""

    defend: bool


Command = Place | Launch | Plan | Standing | Turn | Crew | Steer | Defend
