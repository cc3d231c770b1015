"""The program that measures plans (`make plans`) counts what it says."""

from random import Random

import pytest

from tests.programs.plans import AIMS, Turn, days, turns_of
from tests.simulate.people import BEGIN, DAY, population

PEOPLE = population(Random(1), 1)[:4]
FITS, DOES_NOT = (
    [Turn(turn % 4, planned=True, fits=fits) for turn in range(40)] for fits in (0, None)
)


@pytest.mark.parametrize("seats", AIMS)
def test_each_turn_of_a_game_is_counted_once_and_planned_from_the_second_on(seats: int) -> None:
    turns = turns_of(1, seats, even_so=True)
    assert [turn.seat for turn in turns[:seats]] == [turn.seat for turn in turns[seats : 2 * seats]]
    assert not any(turn.planned for turn in turns[:seats])
    assert all(turn.fits in (None, 0, 1, 2) for turn in turns)
    assert sum(turn.planned for turn in turns) > len(turns) / 2


def test_a_plan_that_may_be_played_whoever_has_arrived_fits_whenever_a_strict_one_does() -> None:
    both = zip(turns_of(2, 4, even_so=False), turns_of(2, 4, even_so=True), strict=True)
    assert all(loose.fits is not None for strict, loose in both if strict.fits is not None)


def test_plans_that_fit_shorten_a_game_and_others_do_not() -> None:
    def taken(turns: list[Turn], lines: int) -> float:
        return days(turns, PEOPLE, 3 * DAY, BEGIN, lines)

    assert taken(FITS, lines=1) < taken(FITS, lines=0)
    assert taken(DOES_NOT, lines=3) == taken(DOES_NOT, lines=0)
    third = [turn._replace(fits=2) for turn in FITS]
    assert taken(third, lines=1) == taken(third, lines=0) > taken(third, lines=3)
