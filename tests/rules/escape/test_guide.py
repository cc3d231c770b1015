"""The examples of answers in emails: nobody who copies one pays for it."""

from collections.abc import Iterator
from itertools import chain, islice

from games.rules.escape.action_tiles import legal_plays
from games.rules.escape.board import own, sinkable, swims
from games.rules.escape.creatures import harm_on
from games.rules.escape.guide import guide
from games.rules.escape.model import (
    DEFENCES,
    LOST,
    Command,
    DefenceStage,
    Defend,
    Steer,
    Turn,
    TurnStage,
    View,
)
from games.rules.escape.notation import parse
from games.rules.escape.rules import to_act
from games.rules.escape.rules import view as seen
from games.rules.escape.simulation import simulate
from games.rules.escape.steps import legal_steps

from .games import sensible, wandering
from .scenes import Scene, attack


def views() -> Iterator[View]:
    """The view of the seat that is asked, in every third position after the setup."""
    games = chain(wandering(2, 2), wandering(3, 5), sensible(2), sensible(4))
    later = (moment for moment in games if not moment.state.board.is_setup)
    for moment in islice(later, 0, None, 3):
        if moment.seat in to_act(moment.state):
            yield seen(moment.state, moment.seat)


def examples(view: View) -> list[Command]:
    found = guide(view)
    assert found is not None
    return [parse(str(line), view) for line in found.examples]


def price(view: View, command: Command) -> int:
    """How many explorers of the viewer are lost by the command, or fall into the water."""
    board, seat = view.board, view.viewer
    assert seat is not None
    mine = set(own(board, seat))
    match command:
        case Turn():
            after = simulate(view, command).board
            return sum(
                (after.where[who] == LOST and board.where[who] != LOST)
                or (swims(after, who) and not swims(board, who))
                for who in mine
            )
        case Steer(to=to) if to is not None:
            assert board.rolled is not None
            harm = harm_on(board, board.rolled, to)
            return 0 if harm is None else len(mine & {*harm.lost, *harm.overboard})
        case Defend(defend=False):
            assert board.rolled is not None and board.site is not None
            harm = harm_on(board, board.rolled, board.site)
            return 0 if harm is None else len(mine & {*harm.lost, *harm.overboard})
    return 0


def is_free(view: View) -> bool:
    """Return whether any answer costs the viewer nothing; turns with at most one order."""
    board, seat = view.board, view.viewer
    assert seat is not None
    if isinstance(board.stage, DefenceStage):
        assert board.rolled is not None
        return DEFENCES[board.rolled] in (view.kept[seat] or ())
    if not isinstance(board.stage, TurnStage):
        return True
    kept = view.kept[seat] or ()
    begun = [
        Turn(),
        *(Turn(steps=(step,)) for step in legal_steps(board, seat)),
        *(Turn(play) for play in legal_plays(board, seat, kept)),
    ]
    tiles = sinkable(board)
    return any(
        price(view, Turn(turn.play, turn.steps, sink=tile, roll=not tiles)) == 0
        for turn in begun
        for tile in tiles or (None,)
    )


def test_no_example_costs_its_reader_an_explorer_where_another_answer_costs_none() -> None:
    positions = list(views())
    assert len(positions) >= 100
    costly = [
        (number, example)
        for number, view in enumerate(positions)
        for example in examples(view)
        if price(view, example) and is_free(view)
    ]
    assert costly == []


def test_no_example_moves_a_creature_to_explorers_of_its_reader() -> None:
    view = Scene("A3 shark | A4 U1 | A9 shark | rolled shark").view(1)
    moved = [one for one in examples(view) if isinstance(one, Steer) and one.to is not None]
    assert len(moved) == 1
    assert price(view, moved[0]) == 0


def test_who_can_defend_is_not_given_the_loss_as_an_example() -> None:
    view = attack("A3 shark | A4 V1 V2 | kept 2 shark-defence").view(2)
    assert examples(view) == [Defend(True)]
