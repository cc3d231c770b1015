"""Worlds that differ only in a seat's secrets look alike to the others."""

from collections.abc import Callable

import msgspec
import pytest
from msgspec.structs import replace

from games.rules.chance import SeededChance
from games.rules.escape import ESCAPE
from games.rules.escape.model import (
    KEPT,
    Answered,
    Back,
    CreatureStage,
    DefenceStage,
    Placed,
    Planned,
    Sank,
    State,
)
from tests.support.lengths import by_length

from .games import sensible, wandering
from .scenes import Scene
from .table import Table


class TestStrictMemory:
    def strict(self) -> Table:
        return Table(2, memory="strict")

    def test_during_the_setup_the_owner_sees_the_values(self) -> None:
        assert self.strict().play("place 6 D5").view(1).values[0] == 6

    def test_once_it_is_over_nobody_does(self) -> None:
        table = self.strict().settle()
        for seat in (1, 2, None):
            assert set(table.view(seat).values) == {None}

    def test_not_in_the_log_either(self) -> None:
        table = self.strict().play("plan 6 D6, coast", seat=2).settle()
        for event in table.events:
            for seat in (0, 1, None):
                seen = ESCAPE.rules.visible(event, seat)
                assert getattr(seen, "value", None) is None
                assert not isinstance(seen, Planned) or seen == Planned(seen.seat, strict=True)

    def test_shown_to_their_owner_otherwise(self) -> None:
        table = Table(2).settle()
        assert None not in table.view(1).values[:10]
        assert set(table.view(1).values[10:]) == {None}


class TestTheEnd:
    def test_values_backs_and_kept_tiles_are_shown_to_all(self) -> None:
        *_before, last = wandering(2, 5)
        for seat in (0, 1, None):
            view = ESCAPE.rules.view(last.after, seat)
            assert None not in view.values
            assert None not in view.kept
            assert any(view.backs) == any(last.after.backs)


def other_values(state: State, seat: int) -> State:
    """The values of every other seat the other way round."""
    values = list(state.values)
    for who, value in enumerate(state.values):
        if who // 10 % state.board.seats != seat and value:
            values[who] = 7 - value
    return replace(state, values=tuple(values))


def other_backs(state: State, seat: int) -> State:
    """All backs of one kind of terrain turned round."""
    hidden = [back for back in state.backs if back is not None]
    turned = iter(reversed(hidden))
    return replace(
        state, backs=tuple(None if back is None else next(turned) for back in state.backs)
    )


def other_tiles(state: State, seat: int) -> State:
    """Other tiles in the hands of the others."""
    return replace(
        state,
        kept=tuple(
            tiles if other == seat else tuple(Back.WHALE_DEFENCE for _tile in tiles)
            for other, tiles in enumerate(state.kept)
        ),
    )


@pytest.mark.parametrize("change", [other_values, other_backs, other_tiles])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_twin_worlds_give_equal_views_and_pictures(
    seats: int, change: Callable[[State, int], State]
) -> None:
    for number, moment in enumerate(sensible(seats)):
        for seat in (*range(seats), -1):
            viewer = None if seat < 0 else seat
            twin = change(moment.state, seat)
            view, other = ESCAPE.rules.view(moment.state, viewer), ESCAPE.rules.view(twin, viewer)
            assert view == other
            if number == 40:
                assert ESCAPE.board_svg(view) == ESCAPE.board_svg(other)
                assert ESCAPE.presentation.board_text(view) == ESCAPE.presentation.board_text(other)
                assert ESCAPE.presentation.move_form(view, {}) == ESCAPE.presentation.move_form(
                    other, {}
                )


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_no_command_is_legal_or_refused_because_of_a_secret(seats: int) -> None:
    for moment in sensible(seats):
        twin = other_backs(other_values(moment.state, moment.seat), moment.seat)
        assert list(ESCAPE.rules.legal_commands(moment.state, moment.seat)) == list(
            ESCAPE.rules.legal_commands(twin, moment.seat)
        )


@pytest.mark.long
def test_twin_worlds_ask_the_same_seats_at_the_same_time() -> None:
    """The seats that are asked, and when, follow from what everybody sees; only a spent defence
    says more."""
    asked = 0
    for seed in by_length((7, 8), range(12)):
        for moment in wandering(3, seed):
            if not isinstance(moment.state.board.stage, CreatureStage):
                continue
            seq = 1000 + seed
            chance = SeededChance(bytes(32), seq), SeededChance(bytes(32), seq)
            twin = other_tiles(other_values(moment.state, moment.seat), moment.seat)
            news = ESCAPE.rules.decide(moment.state, moment.seat, moment.command, chance[0])
            other = ESCAPE.rules.decide(twin, moment.seat, moment.command, chance[1])
            assert news == other
            after, twins = ESCAPE.fold(news, moment.state), ESCAPE.fold(other, twin)
            assert ESCAPE.rules.to_act(after) == ESCAPE.rules.to_act(twins)
            asked += isinstance(after.board.stage, DefenceStage)
    assert asked, "somebody was asked in these games"


def test_an_answer_looks_the_same_to_others_whatever_it_is() -> None:
    attack = "seats 3 | A3 shark | A4 V1 Y1 | kept 2 dolphin | kept 3 shark-defence"
    views = []
    for answer in ("allow", "defend"):
        scene = Scene(attack, dice="shark").play("sink J7").play("shark A3 A4").play(answer, seat=3)
        views.append(
            (scene.view(1), scene.view(2), [ESCAPE.rules.visible(e, 0) for e in scene.events])
        )
    assert views[0] == views[1]


SECRET_FIELDS = {"values", "backs", "kept", "plans", "shuffled", "answers", "standing"}


def test_every_field_of_the_state_is_public_or_known_to_be_secret() -> None:
    assert set(State.__struct_fields__) == {"board"} | SECRET_FIELDS


def test_what_visible_leaves_holds_no_secret_of_others() -> None:
    for seats in (2, 3, 4):
        for moment in sensible(seats):
            for event in moment.events:
                for seat in (*range(seats), None):
                    seen = ESCAPE.rules.visible(event, seat)
                    stranger = getattr(event, "seat", None) != seat
                    match seen:
                        case Placed(value=value):
                            assert (value is None) == stranger
                        case Sank(back=back, kept=kept) if kept:
                            assert (back is None) == stranger
                            assert stranger or back in KEPT
                        case Answered(defend=defend):
                            assert (defend is None) == stranger
                        case _:
                            assert seen == event or not stranger
                    assert ESCAPE.rules.visible(seen, seat) == seen


def test_what_others_see_of_an_event_is_as_short_whatever_it_hides() -> None:
    kept = (
        Sank(0, 50, "b", Back.DOLPHIN, kept=True),
        Sank(0, 50, "b", Back.WHALE_DEFENCE, kept=True),
    )
    encoded = {msgspec.json.encode(ESCAPE.rules.visible(event, 1)) for event in kept}
    assert len(encoded) == 1
