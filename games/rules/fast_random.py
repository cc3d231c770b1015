"""A fast stream of numbers for searches, begun with one draw of `Chance`.

Chance itself costs a keyed hash for every eight words, which is more than a simulated turn may
take. The numbers decide nothing but imagined games; the same chance gives the same ones.
"""

from .contract import Chance

_MASK = (1 << 64) - 1


class FastRandom:
    """Knuth's 64-bit linear congruential generator; its upper bits are good enough for dice."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = (seed * 0x9E3779B97F4A7C15 + 0x1B873593) & _MASK

    def below(self, n: int) -> int:
        """A number 0 … n − 1."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) & _MASK
        return (self._state >> 33) % n


def seeds(chance: Chance, count: int) -> tuple[int, ...]:
    """As many seeds for `FastRandom`, drawn from chance."""
    return tuple(chance.roll(1 << 31) for _ in range(count))
