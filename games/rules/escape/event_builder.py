"""A move while it is being decided: the state so far and the events that led there; and how it
passes on the turn or ends the game.
"""

from ..contract import Chance, Outcome
from .board import anybody_out, next_seat, out, saved
from .evolve import evolve
from .model import LAST_TURNS, Began, Board, Drowned, Ended, Ending, Event, OverStage, State

# The ways in which a game can end: the values of Ended.cause.
VOLCANO, NOBODY, CALM, SUBMERGED = "volcano", "nobody", "calm", "submerged"


class EventBuilder:
    """Begins with a state, grows by facts. `add` keeps state and events in step."""

    def __init__(self, state: State, chance: Chance) -> None:
        self.state = state
        self.chance = chance
        self.events: list[Event] = []

    @property
    def board(self) -> Board:
        return self.state.board

    @property
    def over(self) -> bool:
        return isinstance(self.state.board.stage, OverStage)

    def add(self, event: Event) -> None:
        self.events.append(event)
        self.state = evolve(self.state, event)


def scores(state: State) -> tuple[int, ...]:
    """Return per seat the sum of the values on the isles, or the number of explorers (challenge
    3)."""
    board = state.board
    return tuple(
        len(safe) if board.options.equal else sum(state.values[explorer] for explorer in safe)
        for safe in (saved(board, seat) for seat in range(board.seats))
    )


def end_game(builder: EventBuilder, cause: str) -> None:
    """Score the game, which ends for this cause."""
    outcome = Outcome.highest(scores(builder.state))
    builder.add(Ended(cause, outcome.scores, outcome.winners))


def end_if_nobody_is_left(builder: EventBuilder) -> bool:
    """Return whether the game ends here because nothing can change any more."""
    if not builder.over and not anybody_out(builder.board):
        end_game(builder, NOBODY)
    return builder.over


def next_turn(builder: EventBuilder) -> None:
    """Go on to the next seat, unless the game is over; the calm after the last tile has its
    limit."""
    if end_if_nobody_is_left(builder):
        return
    board = builder.board
    if (
        board.options.ending is Ending.LAST
        and board.dry is not None
        and board.turn >= board.dry + LAST_TURNS * board.seats
    ):
        builder.add(
            Drowned(tuple(explorer for explorer, place in enumerate(board.where) if out(place)))
        )
        end_game(builder, CALM)
        return
    first = board.order[0] if board.active is None else next_seat(board, board.active)
    builder.add(Began(first, board.turn + 1))
