"""A position in the middle of a game, for pages and emails that show what a game looks like.

<game>.jsonl is the first half of a record of a bot's game:

    python -m games.rules selfplay atlantis --players 3 --seed example | head -43
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from ..chance import SeededChance
from ..contract import Event, View
from ..records import Header, Line
from ..registry import GAMES

FOLDER = Path(__file__).parent


@cache
def events(kind: str) -> Sequence[Event]:
    """The events of the example; those of the setup for a game without a record."""
    engine, file = GAMES[kind], FOLDER / f"{kind}.jsonl"
    if not file.exists():
        return engine.setup({}, min(engine.seats), SeededChance(bytes(32), 1))
    header, *lines = file.read_bytes().splitlines()
    schema = msgspec.json.decode(header, type=Header).schema
    found = (msgspec.json.decode(line, type=Line).event for line in lines)
    return [engine.codec.decode(msgspec.json.encode(event), schema) for event in found]


@cache
def view(kind: str) -> View:
    """The position as spectators see it."""
    engine = GAMES[kind]
    return engine.rules.view(engine.fold(events(kind)), None)
