"""The line notation of a position, written; `games.rules.atlantis.position` reads it."""

from __future__ import annotations

from games.rules.atlantis.coins import cards_of
from games.rules.atlantis.model import MAINLAND, Cards, State
from games.rules.atlantis.position import NONE


def format_position(state: State) -> str:
    """The line that describes a state in which the game goes on, seats in turn order."""
    tokens: list[str] = []
    for space, stack in enumerate(state.path, 1):
        if stack:
            tokens.append("".join(f"{tile.item[0]}{tile.value}" for tile in stack))
        elif space in state.bridges:
            tokens.append("=")
        elif tokens and tokens[-1].startswith("."):
            tokens[-1] = f".{int(tokens[-1][1:] or 1) + 1}"
        else:
            tokens.append(".")
    parts = [" ".join(tokens)]
    for seat in state.order:
        places = "/".join("M" if at == MAINLAND else str(at) for at in state.figures[seat])
        words = [
            f"*{places}" if seat == state.active else places,
            _letters(cards_of(state.hands[seat])),
            "".join(f"{tile.item[0]}{tile.value}" for tile in state.tiles[seat]) or NONE,
        ]
        parts.append(" ".join([*words, "b"] if state.unbuilt[seat] else words))
    parts.append(f"deck {_letters(state.deck)}")
    parts.append(f"discards {_letters(state.discards)}")
    parts.append(f"turn {state.turn}")
    if state.bought:
        parts.append("bought")
    return " | ".join(parts)


def _letters(cards: Cards) -> str:
    return "".join(item[0] for item in cards) or NONE
