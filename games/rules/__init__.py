"""The rules of all games, free of Django, clock and randomness; see `contract`.

`GAMES` is the registry. It imports the engines at its first use: the render worker needs `drawing`,
and the engines would take a third of its memory.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .registry import GAMES as GAMES
    from .registry import register as register
    from .registry import registered as registered
    from .registry import unregister as unregister

_FROM_REGISTRY = ("GAMES", "register", "registered", "unregister")


def __getattr__(name: str) -> Any:
    if name in _FROM_REGISTRY:
        return getattr(importlib.import_module(".registry", __name__), name)
    raise AttributeError(f"module {__name__} has no attribute {name}")
