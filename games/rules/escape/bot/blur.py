"""The values that the bot plans with: its own, blurred.

Everybody can run the bot with guessed values and keep the guess under which it would have moved as
it did. That finds the values it planned with, at best; what they say about the true ones is
bounded by the blur alone. `python -m tests.programs.inference` measures both.
"""

from msgspec.structs import replace

from ...contract import BotChance
from ..model import EACH, View

SPREAD = 350  # hundredths of a point by which a value may be taken for more or less


def blurred(view: View, chance: BotChance) -> View:
    """The view with the values of each own colour exchanged among its explorers, the same way for
    the whole game: compared with an error each, the explorers get the values in that order."""
    luck, values = chance.for_game(), list(view.values)
    for first in range(0, len(values), EACH):
        known = [value for value in view.values[first : first + EACH] if value is not None]
        if len(known) < EACH:
            continue  # of another seat, or forgotten under strict memory
        seeming = [100 * value + luck.roll(2 * SPREAD) for value in known]
        order = sorted(range(EACH), key=seeming.__getitem__)
        for who, value in zip(order, sorted(known), strict=True):
            values[first + who] = value
    return replace(view, values=tuple(values))
