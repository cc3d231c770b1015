"""The rules of all games, free of Django, clock and randomness; see `contract`.

`GAMES` is the registry. It imports the engines at its first use: the render worker needs `drawing`,
and the engines would take a third of its memory.

A game is set up, a player writes a move, and everybody reads what happened:

    >>> from games.rules import GAMES
    >>> from games.rules.chance import SeededChance
    >>> game, seed = GAMES["atlantis"], bytes(32)
    >>> events = game.setup({"order": "seated"}, 2, SeededChance(seed, 1))
    >>> state = game.fold(events)
    >>> game.rules.to_act(state)
    (0,)
    >>> command = game.notation.parse("I play A with the helmet", game.rules.view(state, 0))
    >>> news = game.rules.decide(state, 0, command, SeededChance(seed, len(events) + 1))
    >>> for event in news:  # doctest: +ELLIPSIS
    ...     print(game.presentation.sentence(game.rules.visible(event, None)))
    seat 1 played a helmet: figure A moved from Atlantis to space 4. Tile taken: statue 5 ...
    Drew 1 card.
    >>> state = game.fold(news, state)
    >>> game.rules.to_act(state)
    (1,)
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
