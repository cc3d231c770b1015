"""The state after all events: the public board, the secrets, and the view of one seat."""

from enum import StrEnum

import msgspec

from ...contract import Outcome
from ..hexes import HEXES
from .commands import Plan
from .things import SEA, Back, Creature, Options


class Stage(StrEnum):
    """The stage of the game: what it waits for."""

    SETUP = "setup"
    TURN = "turn"
    CREW = "crew"
    CREATURE = "creature"
    DEFENCE = "defence"
    OVER = "over"


class Board(msgspec.Struct, frozen=True):
    """Everything public. Lists of hexes are sorted; several creatures may share one.

    map: a letter for each hex, SEA or a terrain. where: the place of each explorer. supply:
    (ships, sharks, whales) not yet in play. gone: (ships, serpents, sharks, whales) removed from
    the game. spent: tiles shown, in order. held: face-down tiles per seat. swam: bits of the
    explorers who may not take to the water again in this turn. tiled: the tile step is over.
    site: the hex a question is about. asked: seats that still have to answer, clockwise.
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
    stage: Stage = Stage.SETUP
    turn: int = 0
    active: int | None = None
    steps: int = 0
    swam: int = 0
    tiled: bool = False
    rolled: Creature | None = None
    site: int | None = None
    asked: tuple[int, ...] = ()
    dry: int | None = None
    cause: str = ""
    outcome: Outcome | None = None


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
