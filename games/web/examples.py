"""Boards in the middle of a game, for the welcome page and the pages of rules.

examples/<game>.jsonl is the first half of a record of a bot's games:

    python -m games.rules selfplay atlantis --players 3 --seed example | head -43
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from games.rules import GAMES, records
from games.rules.chance import SeededChance
from games.rules.contract import Event
from games.translate import say

FOLDER = Path(__file__).parent / "examples"


def example_board(kind: str, *, mark_last_move: bool = False, prefix: str = "") -> SafeString:
    """The board as SVG, in the active language; that of the setup for a game without a record.

    prefix: of the ids, where several boards share a page.
    """
    return _board(kind, get_language() or "", mark_last_move, prefix)


@lru_cache(maxsize=16)
def _board(kind: str, _language: str, mark_last_move: bool, prefix: str) -> SafeString:
    engine, events = GAMES[kind], _events(kind)
    view = engine.rules.view(engine.fold(events), None)
    moves = [n for n, event in enumerate(events) if engine.rules.command_of(event) is not None]
    recent = events[moves[-1] :] if moves and mark_last_move else ()
    # Drawn by the game, without any user's text in it.
    svg = engine.board_svg(view, recent=recent, translate=say, prefix=prefix)
    return mark_safe(svg)  # noqa: S308  # our own SVG


def _events(kind: str) -> Sequence[Event]:
    engine, file = GAMES[kind], FOLDER / f"{kind}.jsonl"
    if not file.exists():
        seats = min(engine.seats)
        return engine.setup({}, seats, SeededChance(bytes(32), 1))
    header, *lines = file.read_bytes().splitlines()
    schema = msgspec.json.decode(header, type=records.Header).schema
    events = (msgspec.json.decode(line, type=records.Line).event for line in lines)
    return [engine.codec.decode(msgspec.json.encode(event), schema) for event in events]
