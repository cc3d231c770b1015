"""The registry of games: the only place that reaches into the games."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import cast

from .atlantis import ATLANTIS
from .contract import AnyGame
from .escape import ESCAPE

_games: dict[str, AnyGame] = {}
GAMES: Mapping[str, AnyGame] = MappingProxyType(_games)


def register(game: object) -> None:
    """Add a game; its key must be new. The key is stored in rows and appears in addresses."""
    known = cast("AnyGame", game)
    if known.key in _games:
        raise ValueError(f"there is a game “{known.key}” already")
    _games[known.key] = known


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


for _game in (ATLANTIS, ESCAPE):
    register(_game)
