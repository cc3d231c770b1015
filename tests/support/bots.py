"""The move that a bot would make on any seat, with the same luck in every run."""

from games.log.game_log import Log
from games.rules.chance import bot_chance
from games.rules.contract import Command

SEED = bytes(32)


def bot_choice(log: Log, seat: int) -> Command:
    """What a bot on this seat, which is asked, would do now."""
    view = log.engine.rules.view(log.state, seat)
    return log.engine.bot.choose(view, bot_chance(SEED, seat, log.version + 1))
