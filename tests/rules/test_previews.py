"""`Presentation.preview` refuses a viewer who may not give the command, as its contract says."""

import pytest

from games.rules import GAMES, selfplay
from games.rules.contract import AnyGame, Command, State
from games.rules.errors import IllegalMove

SEED = bytes(32)


def played(engine: AnyGame) -> list[tuple[State, int, Command]]:
    """(state, seat to act, its command) over a whole game of three bots."""
    moments: list[tuple[State, int, Command]] = []
    by_bot = selfplay.by_bot(engine, SEED)

    def choose(state: State, seat: int, seq: int) -> Command:
        command = by_bot(state, seat, seq)
        moments.append((state, seat, command))
        return command

    for state, _events in selfplay.play(engine, {}, 3, SEED, choose):
        last = state
    return [*moments, (last, *moments[-1][1:])]


@pytest.mark.parametrize("kind", GAMES)
def test_spectators_may_preview_nothing(kind: str) -> None:
    engine = GAMES[kind]
    for state, _seat, command in played(engine):
        with pytest.raises(IllegalMove):
            engine.presentation.preview(engine.rules.view(state, None), command)


@pytest.mark.parametrize("kind", GAMES)
def test_nobody_may_preview_a_move_of_somebody_else(kind: str) -> None:
    engine = GAMES[kind]
    for state, seat, command in played(engine)[:-1]:
        other = next(one for one in range(3) if one not in engine.rules.to_act(state))
        assert other != seat
        with pytest.raises(IllegalMove):
            engine.presentation.preview(engine.rules.view(state, other), command)
