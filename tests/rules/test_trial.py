"""What people read about a game before they know it is true."""

import pytest

from games.rules import GAMES
from games.rules.bots import Level
from games.rules.selfplay import by_bot, play


@pytest.mark.parametrize("kind", sorted(GAMES))
def test_a_game_of_bots_is_about_as_long_as_the_front_page_says(kind: str) -> None:
    game, seed = GAMES[kind], bytes(32)
    turns = []
    for seats in (game.seats[0], game.seats[-1]):
        *_rest, (state, _events) = play(game, {}, seats, seed, by_bot(game, seed, Level.NORMAL))
        turns.append((game.rules.turn_number(state) or 0) / seats)
    assert abs(sum(turns) / len(turns) - game.turns) < 3, turns
