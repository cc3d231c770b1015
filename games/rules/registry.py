"""The registry of games: the only place that reaches into the games."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from .atlantis import ATLANTIS
from .contract import AnyGame
from .escape import ESCAPE

_games: dict[str, AnyGame] = {}
GAMES: Mapping[str, AnyGame] = MappingProxyType(_games)


def register(game: AnyGame) -> None:
    """Add a game. ValueError if its key, which is stored in rows and appears in URLs, is taken."""
    if game.key in _games:
        raise ValueError(f"there is a game “{game.key}” already")
    _games[game.key] = game


def unregister(key: str) -> None:
    del _games[key]


@contextmanager
def registered(game: AnyGame) -> Iterator[AnyGame]:
    """A game that is registered for a while, for tests."""
    register(game)
    try:
        yield game
    finally:
        unregister(game.key)


register(ATLANTIS)
register(ESCAPE)
