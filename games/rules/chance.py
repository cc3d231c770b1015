"""Fair chance that anybody can check afterwards.

A game has one secret seed of 32 bytes. Its SHA-256 (the commitment) is published before the
first shuffle, the seed itself after the end. Every group of events (the setup, one move) draws
from its own stream, named by the number of its first event in the log, so that no move can
change the chance of another. A bot chooses with a stream of its own, named by its seat as well:
what it hides stays unknown until the seed is revealed, and can be reproduced from then on.

The stream: block i = HMAC-SHA256(key = seed, message = b"atlantis-by-mail:<name>:<i>"). The name is
"<first seq>" for a group of events, "order:<number>" for a private order and
"bot:<seat>:<first seq>" for the choice of a bot; "bot:<seat>:0" for what it decides once for a
game. The blocks one after another are read four bytes at a time as big-endian numbers 0 … 2^32 − 1.
A number below n: take the next four bytes; if they are ≥ the largest multiple of n that fits in
2^32, throw them away and take the next (rejection sampling, no bias); the remainder by n is the
number. A shuffle of k items: for i = k − 1 … 1 swap item i with item j, j a number below i + 1.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from .contract import Chance

T = TypeVar("T")

SEED_BYTES = 32
_SPAN = 1 << 32


def commitment(seed: bytes) -> str:
    """SHA-256 of the seed, hexadecimal: what the first event of a log publishes."""
    return hashlib.sha256(seed).hexdigest()


def reveals(seed: bytes, committed: str) -> bool:
    """Return whether this seed is the one that was committed to."""
    return hmac.compare_digest(commitment(seed), committed)


class SeededChance:
    """Chance for the events that begin at `seq` (a log number, 1 for the first)."""

    def __init__(self, seed: bytes, seq: int, *, purpose: str = "") -> None:
        self._words = _stream(seed, f"{purpose}{seq}")

    def _below(self, n: int) -> int:
        limit = _SPAN - _SPAN % n
        return next(word for word in self._words if word < limit) % n

    def shuffle(self, items: Sequence[T], /) -> tuple[T, ...]:
        """The items in a new order (Fisher–Yates from the end)."""
        order = list(items)
        for i in range(len(order) - 1, 0, -1):
            j = self._below(i + 1)
            order[i], order[j] = order[j], order[i]
        return tuple(order)

    def roll(self, faces: int, /) -> int:
        """A face 0 … faces − 1."""
        return self._below(faces)


class SeededBotChance(SeededChance):
    """Chance for a choice of the bot on a seat."""

    def __init__(self, seed: bytes, seat: int, seq: int) -> None:
        super().__init__(seed, seq, purpose=f"bot:{seat}:")
        self._seed, self._seat = seed, seat

    def per_game(self) -> Chance:
        """Chance for what holds for all choices of this bot in the game."""
        return SeededChance(self._seed, 0, purpose=f"bot:{self._seat}:")


def bot_chance(seed: bytes, seat: int, seq: int) -> SeededBotChance:
    """Chance for the choice of the bot on this seat whose command leads to event `seq`."""
    return SeededBotChance(seed, seat, seq)


def order_chance(seed: bytes, number: int) -> SeededChance:
    """Chance for the private order of this number (1 for the first)."""
    return SeededChance(seed, number, purpose="order:")


class IdentityChance:
    """Chance that changes nothing: things stay in their order, dice show their first face."""

    def shuffle(self, items: Sequence[T], /) -> tuple[T, ...]:
        return tuple(items)

    def roll(self, faces: int, /) -> int:
        return 0

    def per_game(self) -> "IdentityChance":
        return self


class ReplayChance:
    """Chance that gives again what the events recorded; ReplayError where that is impossible."""

    def __init__(self, recorded: Iterable[tuple[object, ...] | int]) -> None:
        self._recorded = iter(recorded)

    def shuffle(self, items: Sequence[T], /) -> tuple[T, ...]:
        recorded: Any = next(self._recorded, None)
        if not isinstance(recorded, tuple):
            raise ReplayError("a shuffle is missing")
        left = list(recorded)
        for item in items:
            if item not in left:
                raise ReplayError("a shuffle holds other things than there were to shuffle")
            left.remove(item)
        if left:
            raise ReplayError("a shuffle holds more than there was to shuffle")
        return recorded

    def roll(self, faces: int, /) -> int:
        recorded = next(self._recorded, None)
        if not isinstance(recorded, int):
            raise ReplayError("a roll is missing")
        if not 0 <= recorded < faces:
            raise ReplayError("a die shows a face that it does not have")
        return recorded


class ReplayError(Exception):
    """The events record a random result that is impossible."""


def _stream(seed: bytes, name: str) -> Iterator[int]:
    block = 0
    while True:
        message = f"atlantis-by-mail:{name}:{block}".encode()
        digest = hmac.digest(seed, message, "sha256")
        for at in range(0, len(digest), 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        block += 1


_MASK_64 = (1 << 64) - 1


class FastRandom:
    """A fast stream of numbers for imagined games, begun with one draw of `Chance`.

    Chance itself costs a keyed hash for every eight words, which is more than a simulated turn may
    take. This is Knuth's 64-bit linear congruential generator; its upper bits are good enough for
    dice.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = (seed * 0x9E3779B97F4A7C15 + 0x1B873593) & _MASK_64

    def below(self, n: int) -> int:
        """A number 0 … n − 1."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) & _MASK_64
        return (self._state >> 33) % n


def seeds(chance: Chance, count: int) -> tuple[int, ...]:
    """Draw seeds for `FastRandom`."""
    return tuple(chance.roll(1 << 31) for _ in range(count))
