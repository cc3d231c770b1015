"""The greedy players, which the bots are measured against."""

import pytest

from games.rules import GAMES
from tests.programs import bot_strength


@pytest.mark.parametrize("key", ["atlantis", "escape"])
def test_a_greedy_player_beats_players_who_play_anything(key: str) -> None:
    standing = bot_strength.measure(GAMES[key], 2, games=1, kind="greedy", against="random")
    assert standing.rate == 1
