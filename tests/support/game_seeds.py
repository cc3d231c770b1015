"""Seeds of the games that tests make: the same in every run, and games that are soon over."""

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from .lengths import by_length

TOKEN_BYTES = "games.services.new_tables.secrets.token_bytes"
# As bots play it, Atlantis ends after 18 moves of two or 26 of three seats; most games are twice
# as long. The long form plays with any luck.
SHORT_GAMES = 283
USUAL = by_length(SHORT_GAMES, None)
_random_bytes = secrets.token_bytes


def seed_of(number: int) -> bytes:
    return hashlib.sha256(number.to_bytes(4, "big")).digest()


def set_seed(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Give the tables that are made from now on the luck of this number."""
    seed = seed_of(number)
    monkeypatch.setattr(TOKEN_BYTES, lambda _size: seed)


@contextmanager
def usual_seed() -> Iterator[None]:
    """Tables that are made within this context have the usual luck, unless the test has set
    another."""
    if USUAL is None or secrets.token_bytes is not _random_bytes:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        set_seed(patch, USUAL)
        yield


@contextmanager
def seeded(number: int) -> Iterator[None]:
    """Tables that are made within this context have the luck of this number."""
    with pytest.MonkeyPatch.context() as patch:
        set_seed(patch, number)
        yield
