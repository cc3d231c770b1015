"""Moves of a visitor who tries a game, and the addresses that hold them."""

from urllib.parse import urlencode

from games.rules import GAMES, trial
from games.rules.bots import Level
from games.rules.selfplay import by_bot


def address(kind: str, *lines: str) -> str:
    """The address of the position after these moves."""
    return f"/try/{kind}/?{urlencode([('m', line) for line in lines])}"


def a_line(kind: str, *lines: str) -> str:
    """A move after these moves."""
    game, here = GAMES[kind], trial.after(kind, lines)
    command = by_bot(game, trial.SEED, Level.EASY)(here.state, trial.VISITOR, here.version + 1)
    return game.notation.describe(command, here.view)


def all_lines(kind: str) -> tuple[str, ...]:
    """Moves until the trial is over."""
    lines: tuple[str, ...] = ()
    while not trial.after(kind, lines).is_over:
        lines += (a_line(kind, *lines),)
    return lines
