"""The move that a bot would make on any seat, with the same luck in every run."""

from functools import cache

from games.log.game_log import Log
from games.rules.chance import bot_chance
from games.rules.contract import AnyGame, Command, View

SEED = bytes(32)


def bot_choice(log: Log, seat: int) -> Command:
    """Return the command of a bot on this seat, which is asked."""
    return _choice(log.engine, log.engine.rules.view(log.state, seat), seat, log.version + 1)


@cache
def _choice(engine: AnyGame, view: View, seat: int, number: int) -> Command:
    """Kept, because most tests begin with the same game."""
    return engine.bot.choose(view, bot_chance(SEED, seat, number))
