"""Boards of games that bots play."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from games.rules import GAMES, selfplay
from games.rules.chance import SeededChance, bot_chance
from games.rules.contract import Event
from games.rules.drawing import Drawing


@cache
def board_after(moves: int, seed: int = 3, *, kind: str = "atlantis") -> Drawing:
    """The board of a game of three after this number of moves, with the last move marked."""
    engine = GAMES[kind]
    luck = bytes([seed]) * 32
    state = engine.fold(engine.setup({}, 3, SeededChance(luck, 1)))
    last: tuple[Any, ...] = ()
    for seq in range(2, moves + 2):
        if engine.rules.outcome(state) is not None:
            break
        seat = engine.rules.to_act(state)[0]
        command = engine.bot.choose(engine.rules.view(state, seat), bot_chance(luck, seat, seq))
        last = engine.rules.decide(state, seat, command, SeededChance(luck, seq))
        state = engine.fold(last, state)
    return engine.presentation.draw(engine.rules.view(state, 0), recent=last)


def boards(kind: str, seats: int, luck: bytes) -> Iterator[tuple[Any, Drawing]]:
    """(view, board) of each player who is asked in a game, with what happened since the move before
    of this player."""
    engine = GAMES[kind]
    since: dict[int, tuple[Event, ...]] = dict.fromkeys(range(seats), ())
    played = selfplay.play(engine, {}, seats, luck, selfplay.by_bot(engine, luck))
    state, _setup = next(played)
    while asked := engine.rules.to_act(state):
        seat, view = asked[0], engine.rules.view(state, asked[0])
        recent = [engine.rules.visible(event, seat) for event in since[seat]]
        yield view, engine.presentation.draw(view, recent=recent)
        state, events = next(played)
        since = {one: () if one == seat else (*seen, *events) for one, seen in since.items()}
