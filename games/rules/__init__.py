"""The rules of all games, free of Django, clock and luck: see engine for the contract.

`ENGINES` is the registry, and the only place that reaches into the games. `POSITIONS` reads
positions from lines of text, for the games that have such a notation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .atlantis import ATLANTIS
from .atlantis.position import parse_position as atlantis_position
from .engine import Engine, State
from .escape import ESCAPE
from .escape.position import parse_position as escape_position

ENGINES: Mapping[str, Engine] = {engine.key: engine for engine in (ATLANTIS, ESCAPE)}
POSITIONS: Mapping[str, Callable[[str], State]] = {
    ATLANTIS.key: atlantis_position,
    ESCAPE.key: escape_position,
}
