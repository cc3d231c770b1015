"""Moves of the bot do not give away the values of its explorers, though everybody can run it."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from games.rules.bots import Budget, Level
from games.rules.chance import IdentityChance, SeededBotChance, bot_chance
from games.rules.contract import Chance
from games.rules.escape import ESCAPE
from games.rules.escape.bot import blurred
from games.rules.escape.model import EACH, VALUES, CreatureStage, TurnStage, View
from tests.support.lengths import by_length

from .games import Moment, sensible

LEVELS = tuple(Level)
BUDGET = Budget(6)  # of strong bots
AIM = 0.40  # right guesses of somebody who knows the values that a bot plans with


class Unblurred(SeededBotChance):
    """The chance of a choice by a bot that plans with the values it has."""

    def per_game(self) -> Chance:
        return IdentityChance()


def moments() -> Iterator[tuple[Moment, View]]:
    """Some positions of a game of bots, with the view of the seat that is asked."""
    for moment in sensible(2, 1)[::2]:
        if isinstance(moment.state.board.stage, TurnStage | CreatureStage):
            yield moment, ESCAPE.rules.view(moment.state, moment.seat)


def own(view: View, values: tuple[int | None, ...]) -> tuple[int, ...]:
    """Return the values of the viewer's explorers."""
    first = EACH * (view.viewer or 0)
    return tuple(value or 0 for value in values[first : first + EACH])


def test_the_values_that_a_bot_plans_with_tell_little_about_those_it_has() -> None:
    """No attack can do better than the best guess of somebody who knows the planned values."""
    games, (_moment, view) = by_length(500, 5000), next(moments())
    meant: dict[int, Counter[int]] = defaultdict(Counter)
    for number in range(games):
        planned = blurred(view, bot_chance(number.to_bytes(32, "big"), 0, 1)).values
        for value, true in zip(own(view, planned), own(view, view.values), strict=True):
            meant[value][true] += 1
    right = sum(max(values.values()) for values in meant.values())
    assert 0.3 * games * EACH <= right <= AIM * games * EACH


def test_the_values_that_a_bot_plans_with_are_a_deal_that_agrees_with_its_view() -> None:
    for _moment, view in moments():
        planned = blurred(view, bot_chance(bytes(32), 0, 1)).values
        assert sorted(own(view, planned)) == sorted(VALUES)
        assert planned.count(None) == view.values.count(None) == EACH


def test_they_are_the_same_at_each_choice_of_a_game_and_others_for_each_seat_and_game() -> None:
    _moment, view = next(moments())

    def planned(seed: int, seat: int, seq: int) -> tuple[int | None, ...]:
        return blurred(view, bot_chance(seed.to_bytes(32, "big"), seat, seq)).values

    assert {planned(1, 0, seq) for seq in range(1, 50)} == {planned(1, 0, 1)}
    assert len({planned(1, 0, 1), planned(1, 1, 1), planned(2, 0, 1)}) == 3


@pytest.mark.parametrize("level", LEVELS)
def test_with_other_secret_chance_a_bot_decides_otherwise(level: Level) -> None:
    """The public state and the chance of the move are the same: only the blur differs."""
    differ = asked = 0
    for moment, view in moments():
        luck, other = (_Lasting(seed, moment.seat, moment.seq) for seed in (bytes(32), b"\1" * 32))
        asked += 1
        differ += ESCAPE.bot_command(level, view, luck, BUDGET) != ESCAPE.bot_command(
            level, view, other, BUDGET
        )
    assert differ >= asked / 8


class _Lasting(SeededBotChance):
    """The same luck for a move whatever the seed, and that of the seed for the game."""

    def __init__(self, seed: bytes, seat: int, seq: int) -> None:
        super().__init__(bytes(32), seat, seq)
        self._lasting = bot_chance(seed, seat, seq).per_game()

    def per_game(self) -> Chance:
        return self._lasting


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_knows_its_values_from_the_blur_only(level: Level) -> None:
    """It decides as one that has the planned values and does not blur them."""
    for moment, view in moments():
        args = bytes(32), moment.seat, moment.seq
        planned = blurred(view, bot_chance(*args))
        assert ESCAPE.bot_command(level, view, bot_chance(*args), BUDGET) == ESCAPE.bot_command(
            level, planned, Unblurred(*args), BUDGET
        )


def test_a_bot_decides_the_same_whatever_the_others_hide() -> None:
    for moment, view in moments():
        values, first = list(moment.state.values), EACH * (1 - moment.seat)
        values[first : first + EACH] = reversed(values[first : first + EACH])
        twin = replace(moment.state, values=tuple(values))
        assert twin != moment.state
        assert ESCAPE.rules.view(twin, moment.seat) == view
