"""The events of which a game consists, in the words they are stored in."""

import msgspec

from .commands import Plan, Standing, Step, Turn
from .things import Back, Creature, Options, Tile


class _Event(
    msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True, forbid_unknown_fields=True
):
    pass


class Prepared(_Event, frozen=True, tag="prepared"):
    """The board is laid. order: seats in turn order. tiles: on the land hexes in their order;
    without backs in `visible`.
    """

    order: tuple[int, ...]
    tiles: tuple[Tile, ...]
    options: Options = Options()


class Placed(_Event, frozen=True, tag="placed"):
    """An explorer came on the board. value: None where the reader may not see it.

    auto: by a plan, or because nothing else was possible. strict: not even its owner reads the
    value in the log.
    """

    seat: int
    explorer: int
    hex: int
    value: int | None = None
    auto: bool = False
    strict: bool = False


class Launched(_Event, frozen=True, tag="launched"):
    """A ship came on the board, placed by `seat` for `colour`."""

    seat: int
    colour: int
    hex: int
    auto: bool = False


class Planned(_Event, frozen=True, tag="planned"):
    """seat left a plan for its setup; None where the reader may not see it.

    values: the order, shuffled, in which a preset places them, as secret as the plan.
    """

    seat: int
    plan: Plan | None = None
    values: tuple[int, ...] = ()
    strict: bool = False


class Ordered(_Event, frozen=True, tag="ordered"):
    """seat left (or took back) a standing answer; None for all others."""

    seat: int
    standing: Standing | None = None


class Began(_Event, frozen=True, tag="began"):
    """A turn began; turn 1 is the first."""

    seat: int
    turn: int


class Turned(_Event, frozen=True, tag="turned"):
    """seat gave these orders; what came of them follows."""

    seat: int
    orders: Turn


class Played(_Event, frozen=True, tag="played"):
    """seat played a kept tile. way: the hexes entered, the last one is where it ended."""

    seat: int
    tile: Back
    start: int
    way: tuple[int, ...]


class Stepped(_Event, frozen=True, tag="stepped"):
    """A step was made. start: the hex it began on."""

    seat: int
    step: Step
    start: int


class Harmed(_Event, frozen=True, tag="harmed"):
    """Something met a creature on this hex.

    ship: the ship there is gone. overboard: explorers who now swim there. lost: those removed.
    """

    creature: Creature
    hex: int
    ship: bool = False
    overboard: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()


class Sank(_Event, frozen=True, tag="sank"):
    """A terrain tile sank. kept: face down with the seat; then back is None for all others."""

    seat: int
    hex: int
    terrain: str
    back: Back | None = None
    kept: bool = False


class Appeared(_Event, frozen=True, tag="appeared"):
    """A shark, whale or ship came up. aboard: swimmers taken in. crowd: three must be picked."""

    piece: Back
    hex: int
    aboard: tuple[int, ...] = ()
    crowd: bool = False


class Whirled(_Event, frozen=True, tag="whirled"):
    """A whirlpool (or the volcano as one) took all this away; ships and creatures by hex."""

    hex: int
    explorers: tuple[int, ...] = ()
    ships: tuple[int, ...] = ()
    serpents: tuple[int, ...] = ()
    sharks: tuple[int, ...] = ()
    whales: tuple[int, ...] = ()


class Erupted(_Event, frozen=True, tag="erupted"):
    """The volcano: everybody not on an isle is lost."""

    hex: int
    lost: tuple[int, ...] = ()


class Rolled(_Event, frozen=True, tag="rolled"):
    """The die showed this creature."""

    seat: int
    creature: Creature


class Boarded(_Event, frozen=True, tag="boarded"):
    """seat picked these three for the ship that came up."""

    seat: int
    explorers: tuple[int, ...]


class Steered(_Event, frozen=True, tag="steered"):
    """seat moved a creature along `way`; start None: it left them all where they are."""

    seat: int
    creature: Creature
    start: int | None = None
    way: tuple[int, ...] = ()


class Alerted(_Event, frozen=True, tag="alerted"):
    """These seats, clockwise, are asked whether they defend against the creature on this hex."""

    creature: Creature
    hex: int
    seats: tuple[int, ...]


class Answered(_Event, frozen=True, tag="answered"):
    """seat answered; what, is its own secret (None). auto: by its standing answer."""

    seat: int
    defend: bool | None = None
    auto: bool = False


class Defended(_Event, frozen=True, tag="defended"):
    """seat spent its defence; the creature on this hex is gone and nobody was hurt."""

    seat: int
    creature: Creature
    hex: int


class Drowned(_Event, frozen=True, tag="drowned"):
    """The sea was calm for too long: explorers who were still out are lost."""

    lost: tuple[int, ...]


class Ended(_Event, frozen=True, tag="ended"):
    """The end. cause: "volcano", "nobody", "calm" or "submerged". Scores are points or heads."""

    cause: str
    scores: tuple[int, ...]
    winners: tuple[int, ...]


Event = (
    Prepared
    | Placed
    | Launched
    | Planned
    | Ordered
    | Began
    | Turned
    | Played
    | Stepped
    | Harmed
    | Sank
    | Appeared
    | Whirled
    | Erupted
    | Rolled
    | Boarded
    | Steered
    | Alerted
    | Answered
    | Defended
    | Drowned
    | Ended
)
