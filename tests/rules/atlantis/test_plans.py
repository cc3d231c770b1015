"""Plans for the next turn: what a line says, when it fits, and what it leaves unsaid."""

import pytest
from msgspec.structs import replace

from games.rules import replay
from games.rules.atlantis import event_text, model, plans
from games.rules.atlantis.model import Item, Move, Plan, PlanLine, State
from games.rules.chance import SeededChance
from games.rules.errors import IllegalMove, MoveError
from games.rules.records import RecordFault
from games.rules.text import Text
from tests.rules.atlantis.games import ATLANTIS
from tests.rules.atlantis.planning import record_with_plans, turns_with_plans
from tests.rules.atlantis.tables import NoLuck, table
from tests.second_checker import record
from tests.support.lengths import by_length

RULES = ATLANTIS.rules
# The first player moves; the second plans, with figures on spaces 2 and 5, an olive and two rings.
BEFORE = "f1 c2 s3 o5 h4 f2 o3 . r6 c1 | *0/0/0 fh s3 | 2/5/0 orr h4f2 b"


def written(line: str, position: str | State = BEFORE, seat: int = 1) -> Plan:
    """The plan that this line is for a seat."""
    state = table(position) if isinstance(position, str) else position
    plan = ATLANTIS.notation.parse(line, RULES.view(state, seat))
    assert isinstance(plan, Plan)
    return plan


def refusal(line: str, position: str | State = BEFORE, seat: int = 1) -> str:
    with pytest.raises(MoveError) as caught:
        written(line, position, seat)
    return str(caught.value)


def left(line: str, position: str = BEFORE, seat: int = 1) -> State:
    """The position after the seat has left this plan."""
    state = table(position)
    found: State = RULES.fold(
        state, RULES.decide(state, seat, written(line, state, seat), NoLuck())
    )
    return found


def turn_comes(state: State, seat: int = 1, **changes: object) -> State:
    """The turn of the seat begins, and something else has changed."""
    return replace(state, active=seat, turn=state.turn + 1, **changes)


def test_a_line_is_the_move_as_it_is_now() -> None:
    assert written("plan A olive") == Plan((PlanLine(0, (Item.OLIVE,), 0, 3, lands=4),))
    assert written("plan B ring").lines[0].lands == 9
    assert written("plan B ring").lines[0].most == 3


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("plan A olive, anywhere", PlanLine(0, (Item.OLIVE,), 0, 3)),
        ("plan A olive, at most 3", PlanLine(0, (Item.OLIVE,), 3, 3, lands=4)),
        ("plan A olive at most 3 take at least 1", PlanLine(0, (Item.OLIVE,), 3, 1, lands=4)),
        ("plan A olive, ring if occupied", PlanLine(0, (Item.OLIVE,), 0, 3, 4, Item.RING)),
        ("plan A olive, even so", PlanLine(0, (Item.OLIVE,), 0, 3, lands=4, even_so=True)),
        ("plan A olive and end the game", PlanLine(0, (Item.OLIVE,), 0, 3, lands=4, ends=True)),
        ("Plan A Olive, beende die Partie", PlanLine(0, (Item.OLIVE,), 0, 3, lands=4, ends=True)),
        ("plan A olive, to space 7", PlanLine(0, (Item.OLIVE,), 0, 3, lands=7)),
        ("Plan: A Olive, höchstens 3", PlanLine(0, (Item.OLIVE,), 3, 3, lands=4)),
        ("plan A rameau, au plus 3", PlanLine(0, (Item.OLIVE,), 3, 3, lands=4)),
    ],
)
def test_conditions_are_loosened_by_their_words(said: str, line: PlanLine) -> None:
    assert written(said) == Plan((line,))


def test_a_plan_has_up_to_three_lines_in_order() -> None:
    plan = written("plan A olive / else B ring, at most 2 / sonst C ring")
    assert [(line.figure, line.most) for line in plan.lines] == [(0, 0), (1, 2), (2, 3)]
    four = "plan A olive / B ring / C ring / C olive"
    assert "at most 3 lines" in refusal(four)


def test_what_is_written_back_is_the_same_plan() -> None:
    state = table(BEFORE)
    for line in ("plan A olive, anywhere, ring if occupied / B ring", "plan B ring even so"):
        plan = written(line)
        again = ATLANTIS.notation.describe(plan, RULES.view(state, 1))
        assert written(again) == plan
        local = ATLANTIS.notation.localised(again, _shouted)
        assert "AT MOST" in local


def _shouted(text: Text) -> str:
    return text.message.upper()


@pytest.mark.parametrize(
    "line",
    [
        "plan A olive if Ben does not move",
        "plan A olive or B ring",
        "plan not A olive",
        "plan A olive pay cheapest",
        "plan A olive bridge 8",
        "plan buy 4",
        "plan pass",
        "plan A helmet",  # not in the hand
        "plan A olive, olive if occupied",  # one olive only
        "plan A olive at most 2 at most 3",
        "plan",
        "plan to win",
        "plan A olive, ring if occupied helmet",
    ],
)
def test_what_is_not_a_plan_to_the_last_word_is_none(line: str) -> None:
    refusal(line)


def test_a_condition_that_is_none_of_ours_is_said_to_be_one() -> None:
    assert "conditions from our list" in refusal("plan A olive if Ben does not move")


def test_what_may_cost_nothing_says_so() -> None:
    free, dear = (written(line).lines for line in ("plan A olive", "plan A olive, at most 2"))
    said = [" ".join(map(str, event_text.plan_lines(lines))) for lines in (free, dear)]
    assert "It must cost nothing." in said[0] and "0 points" not in said[0]
    assert "It may cost at most 2 points." in said[1]


def test_there_is_nothing_to_plan_on_ones_own_turn() -> None:
    assert "Your turn has begun" in refusal("plan A flag", seat=0)
    view = RULES.view(table(BEFORE), 0)
    offered = ATLANTIS.notation.suggest("plan A flag", view)
    assert offered == Move(0, (Item.FLAG,)), "here is your plan: confirm"


def test_a_move_is_no_plan_and_a_plan_no_move() -> None:
    view = RULES.view(table(BEFORE), 0)
    assert ATLANTIS.notation.parse("A flag", view) == Move(0, (Item.FLAG,))
    with pytest.raises(IllegalMove, match="not your turn"):
        ATLANTIS.notation.parse("A olive", RULES.view(table(BEFORE), 1))


# -- when its turn has come ----------------------------------------------------------------------


def test_the_first_line_that_fits_is_played_with_the_cheapest_payment() -> None:
    state = turn_comes(left("plan B ring, at most 0 / else B ring"))
    move = RULES.due_command(state, 1)
    assert move == Move(1, (Item.RING,), (2,), (Item.OLIVE,), planned=True)
    (moved, *_rest) = RULES.decide(state, 1, move, SeededChance(bytes(32), 1))
    assert moved.planned and RULES.command_of(moved) == (1, move)


def test_nothing_is_due_before_the_turn_and_for_nobody_else() -> None:
    state = left("plan A olive")
    assert RULES.due_command(state, 1) is None
    assert RULES.due_command(turn_comes(state, 0), 0) is None


def test_nobody_can_say_that_a_move_was_planned_which_was_not() -> None:
    state = table(BEFORE)
    with pytest.raises(IllegalMove, match="There is no such plan"):
        RULES.decide(state, 0, Move(0, (Item.FLAG,), planned=True), NoLuck())


def occupied(state: State) -> State:
    """The first player stands on space 4."""
    return replace(state, figures=((4, 0, 0), *state.figures[1:]))


def without(state: State, *spaces: int) -> State:
    """There is water on these spaces."""
    gone = [() if space in spaces else tiles for space, tiles in enumerate(state.path, 1)]
    return replace(state, path=tuple(gone))


def arrived(state: State) -> State:
    """A figure of the first player has reached the mainland."""
    return replace(state, figures=((54, 0, 0), *state.figures[1:]))


@pytest.mark.parametrize(
    ("line", "change", "reason"),
    [
        ("plan A olive", occupied, "space 4 is occupied"),
        ("plan A olive, ring if occupied", occupied, "cost 3 points"),
        ("plan A olive, ring if occupied, at most 3", occupied, ""),
        ("plan A olive", lambda state: without(state, 4), "would now lead to space 7"),
        ("plan A olive, anywhere", lambda state: without(state, 4), "It would now cost"),
        ("plan A olive, anywhere, at most 9, take at least 2", lambda state: without(state, 4), ""),
        ("plan A olive", lambda state: without(state, 3), "would now cost 2"),
        ("plan A olive", arrived, "Another figure has reached the mainland"),
        ("plan A olive, even so", arrived, ""),
    ],
)
def test_a_line_fits_or_says_why_not(line: str, change: object, reason: str) -> None:
    state = change(turn_comes(left(line)))  # type: ignore[operator]
    view = RULES.view(state, 1)
    found = " ".join(str(text) for text in plans.unfit_orders(view))
    assert (reason in found) if reason else not found
    assert (RULES.due_command(state, 1) is None) == bool(reason)


def test_a_move_that_would_end_the_game_is_planned_with_these_words_only() -> None:
    last = "f1 c2 o3 | *0/0/0 f - | 1/M/M c s7"
    assert "would end the game" in refusal("plan A flag", "f1 c2 | *0/0/0 c - | 1/M/M f s7")
    plan = written("plan A flag and end the game", "f1 c2 | *0/0/0 c - | 1/M/M f s7")
    assert plan.lines[0].ends and plan.lines[0].lands == model.MAINLAND
    assert not written("plan A crown", last).lines[0].ends


def test_a_plan_lapses_with_any_own_move_and_by_its_own_words() -> None:
    state = left("plan A olive")
    assert RULES.standing_orders(state, 1) == ((written("plan A olive"), Plan()),)
    withdrawn = ATLANTIS.fold(RULES.decide(state, 1, written("no plan"), NoLuck()), state)
    assert RULES.standing_orders(withdrawn, 1) == ()
    mine = turn_comes(state)
    for command in (model.Buy(4), Move(2, (Item.OLIVE,))):
        events = RULES.decide(mine, 1, command, SeededChance(bytes(32), 1))
        assert RULES.standing_orders(ATLANTIS.fold(events, mine), 1) == ()


def test_only_its_seat_sees_a_plan() -> None:
    state, before = left("plan A olive"), table(BEFORE)
    assert RULES.view(state, 1).plan is not None
    for viewer in (0, None):
        assert RULES.view(state, viewer) == RULES.view(before, viewer)
    (event,) = RULES.decide(before, 1, written("plan A olive"), NoLuck())
    assert RULES.visible(event, 1) == event
    hidden = RULES.visible(event, 0)
    assert hidden.lines is None and ATLANTIS.presentation.sentence(hidden) is None


@pytest.mark.long
def test_the_first_line_whose_conditions_hold_is_played_and_no_other() -> None:
    """Also in 10,000 planned moves, in a long run."""
    wanted = by_length(300, 10_000)
    found = number = 0
    while found < wanted:
        number += 1
        for due in turns_with_plans(number, 2 + number % 3, most=3):
            move = due.move if due.move is None else replace(due.move, planned=False)
            assert move == _first_allowed(due.view)
            found += move is not None


def _first_allowed(view: model.View) -> Move | None:
    """The first line of the plan that allows what it does on this board, as a move."""
    assert view.plan is not None
    for line in view.plan.lines or ():
        try:
            move, event = plans.trial(view, line)
        except IllegalMove:
            continue
        if _allows(view, line, move, event):
            return move
    return None


def _allows(view: model.View, line: PlanLine, move: Move, event: model.Moved) -> bool:
    """Whether all conditions of the line hold: counted here, not by the planner."""
    assert view.plan is not None
    others = [
        figure for player in view.players if player.seat != view.viewer for figure in player.figures
    ]
    mine = [*view.players[event.seat].figures]
    occupied = event.via[len(line.cards) - 1] in (set(others) | set(mine)) - {0, model.MAINLAND}
    mine[move.figure] = event.via[-1]
    value = 0 if event.taken is None else event.taken.value
    return (
        move.cards == (*line.cards, *([line.spare] if occupied and line.spare is not None else []))
        and line.lands in (None, event.via[len(line.cards) - 1])
        and sum(tile.value for tile in event.paid_tiles) + len(event.paid_cards) <= line.most
        and value >= line.least
        and (line.ends or mine.count(model.MAINLAND) < len(mine))
        and (line.even_so or others.count(model.MAINLAND) <= view.plan.arrived)
        and (move.figure, move.bridge_before, move.bridge_after) == (line.figure, None, None)
    )


def test_a_record_with_plans_is_checked_by_the_service_and_by_the_second_checker() -> None:
    lines = record_with_plans(7, seats=3)
    (checked,) = replay.check(lines)
    assert checked.fair and checked.finished
    assert record.check(lines) == [3]


def test_a_record_whose_move_was_planned_by_nobody_is_refused() -> None:
    found = [line for line in record_with_plans(7, seats=3) if b'"kind":"planned"' not in line]
    with pytest.raises(RecordFault, match="There is no such plan"):
        list(replay.check(found))
    with pytest.raises(record.Refused):
        record.check(found)
