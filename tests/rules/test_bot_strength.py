"""The greedy players, which the bots are measured against."""

import pytest

from games.rules import GAMES
from tests.programs import bot_strength


@pytest.mark.parametrize("key", ["atlantis", "escape"])
def test_a_greedy_player_beats_players_who_play_anything(key: str) -> None:
    standing = bot_strength.measure(GAMES[key], 2, games=1, kind="greedy", against="random")
    assert standing.rate == 1


def test_the_interval_of_a_rate_is_wider_for_few_games() -> None:
    few = bot_strength.Standing(seats=2, games=10, wins=6.0, score=0, others=0)
    many = bot_strength.Standing(seats=2, games=400, wins=240.0, score=0, others=0)
    assert few.rate == many.rate == 0.6
    assert few.least < many.least < 0.6
