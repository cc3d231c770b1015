"""Records for both checks, ours and the second one, and what they say."""

from itertools import product
from random import Random

from games.rules import GAMES, replay
from games.rules.__main__ import records as played
from games.rules.record_faults import RecordFault
from tests.second_checker import record as second
from tests.second_checker.record import Refused

from .record_fuzz import changed, originals, written
from .tampering import rechained

FINISHED, OPEN, CUT_OFF = 0, 3, 4
VARIANTS: dict[str, list[dict[str, str]]] = {
    "atlantis": [{}, {"order": "seated"}],
    "escape": [
        {},
        {"ending": "last", "overpopulated": "yes"},
        {"ending": "submerged", "memory": "strict", "equal": "yes"},
    ],
}


def new_game(key: str, number: int) -> list[bytes]:
    """The record of a self-played game: in turn by bots and by chance, of each number of seats,
    with each set of options."""
    kinds = list(product(VARIANTS[key], (2, 3, 4), (False, True)))
    options, seats, bots = kinds[number % len(kinds)]
    return list(played(GAMES[key], options, seats, f"second {number}", 1, bots=bots))


def verdict(lines: list[bytes]) -> int | None:
    """The exit status that the second check gives, None where it refuses."""
    try:
        (status,) = second.check(lines)
    except Refused:
        return None
    return status


def our_verdict(lines: list[bytes]) -> int | None:
    try:
        (checked,) = replay.check(lines)
    except RecordFault:
        return None
    return FINISHED if checked.finished else CUT_OFF if checked.fair else OPEN


def changed_record(key: str, number: int, records: list[list[bytes]] | None = None) -> list[bytes]:
    """One of these records with one random change; most have their digests recomputed."""
    random = Random(f"second {key} {number}")
    records = records or [original.lines for original in originals(key)]
    lines = written(changed(random.choice(records), random))
    return rechained(lines) if random.random() < 0.8 else lines
