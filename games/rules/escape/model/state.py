"""The state after all events: the public board, the secrets, and the view of one seat."""

import msgspec

from ...contract import Outcome
from ..hexes import HEXES
from .commands import Plan
from .things import SEA, Back, Creature, Options


class SetupStage(msgspec.Struct, frozen=True):
    """Explorers and ships are placed."""


class TurnStage(msgspec.Struct, frozen=True):
    """A seat has its turn."""

    seat: int


class CrewStage(msgspec.Struct, frozen=True):
    """The seat whose turn it is picks three of the swimmers for the ship that came up at `site`."""

    seat: int
    site: int


class CreatureStage(msgspec.Struct, frozen=True):
    """The seat whose turn it is moves a creature of the kind on the die."""

    seat: int
    creature: Creature


class DefenceStage(msgspec.Struct, frozen=True):
    """The creature attacks at `site`. asked: seats that still have to answer, clockwise."""

    seat: int
    creature: Creature
    site: int
    asked: tuple[int, ...]


class OverStage(msgspec.Struct, frozen=True):
    """The game is over."""


# What the game waits for.
Stage = SetupStage | TurnStage | CrewStage | CreatureStage | DefenceStage | OverStage


class Board(msgspec.Struct, frozen=True):
    """Everything public. Lists of hexes are sorted; several creatures may share one.

    map: a letter for each hex, SEA or a terrain. where: the place of each explorer. supply:
    (ships, sharks, whales) not yet in play. gone: (ships, serpents, sharks, whales) removed from
    the game. spent: tiles shown, in order. held: face-down tiles per seat. swam: bits of the
    explorers who may not take to the water again in this turn. tiled: the tile step is over.
    dry: the turn in which the last tile sank.
    """

    seats: int = 0
    colours: int = 0
    options: Options = Options()
    order: tuple[int, ...] = ()
    map: str = SEA * len(HEXES)
    where: tuple[int, ...] = ()
    ships: tuple[int, ...] = ()
    serpents: tuple[int, ...] = ()
    sharks: tuple[int, ...] = ()
    whales: tuple[int, ...] = ()
    supply: tuple[int, int, int] = (0, 0, 0)
    gone: tuple[int, int, int, int] = (0, 0, 0, 0)
    spent: tuple[Back, ...] = ()
    held: tuple[int, ...] = ()
    stage: Stage = SetupStage()
    turn: int = 0
    steps: int = 0
    swam: int = 0
    tiled: bool = False
    dry: int | None = None
    cause: str = ""
    outcome: Outcome | None = None

    @property
    def is_setup(self) -> bool:
        """Whether explorers and ships are still placed."""
        return isinstance(self.stage, SetupStage)

    @property
    def active(self) -> int | None:
        """The seat whose turn it is; None in the setup and at the end."""
        return None if isinstance(self.stage, SetupStage | OverStage) else self.stage.seat

    @property
    def rolled(self) -> Creature | None:
        """The kind of creature that may be moved, or that attacks."""
        return self.stage.creature if isinstance(self.stage, CreatureStage | DefenceStage) else None

    @property
    def site(self) -> int | None:
        """The hex that a question is about."""
        return self.stage.site if isinstance(self.stage, CrewStage | DefenceStage) else None


class State(msgspec.Struct, frozen=True):
    """The whole game. values: of each explorer, 0 in hand. backs: of each land hex, None once sunk.

    kept, standing (shark, whale) and plans per seat; shuffled: the order in which a seat's preset
    places values. answers: (seat, defend) to the open question.
    """

    board: Board = Board()
    values: tuple[int, ...] = ()
    backs: tuple[Back | None, ...] = ()
    kept: tuple[tuple[Back, ...], ...] = ()
    standing: tuple[tuple[int | None, int | None], ...] = ()
    plans: tuple[Plan | None, ...] = ()
    shuffled: tuple[tuple[int, ...], ...] = ()
    answers: tuple[tuple[int, bool], ...] = ()


class View(msgspec.Struct, frozen=True):
    """Everything `viewer` may know, and nothing else; None stands for what is secret.

    values per explorer, backs per land hex, kept per seat. standing and plan are the viewer's own,
    answer what it said to the open question.
    """

    viewer: int | None
    board: Board
    to_act: tuple[int, ...]
    values: tuple[int | None, ...]
    backs: tuple[Back | None, ...]
    kept: tuple[tuple[Back, ...] | None, ...]
    standing: tuple[int | None, int | None] = (None, None)
    plan: Plan | None = None
    answer: bool | None = None

    @property
    def seat(self) -> int:
        """The viewer's seat; ValueError for a spectator."""
        if self.viewer is None:
            raise ValueError("a spectator has no seat")
        return self.viewer
