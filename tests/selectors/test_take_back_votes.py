"""What the readers of a vote to take back a move learn about what was drawn and rolled."""

from collections.abc import Callable

import pytest

from games.log import event_store
from games.log.game_log import Log
from games.rules import GAMES
from games.rules.chance import SeededChance
from games.selectors.votes import learnt_since
from tests.support.indistinguishable_games import AT, Events, atlantis, escape

NAMES = ("Alice", "Bob", "Carol")
WORLDS = {"atlantis": atlantis, "escape": escape}
SEED = b"v" * 32


def log_with(kind: str, events: Events) -> Log:
    empty = Log(GAMES[kind], [], b"")
    return empty.extended(event_store.entries_for(empty, events, None, AT))


@pytest.mark.parametrize("viewer", [0, None])
@pytest.mark.parametrize("kind", WORLDS)
def test_twins_that_differ_in_secrets_give_the_same_sentences(
    kind: str, viewer: int | None
) -> None:
    worlds: Callable[[], tuple[Events, Events]] = WORLDS[kind]
    one, other = (log_with(kind, events) for events in worlds())
    assert one.engine_events != other.engine_events
    for move in one.moves[:-1]:
        said = learnt_since(one, move[-1].seq, viewer, NAMES)
        assert said == learnt_since(other, move[-1].seq, viewer, NAMES)
    assert learnt_since(one, one.moves[0][-1].seq, viewer, NAMES), "much has happened since"


def test_it_names_numbers_of_cards_and_no_card() -> None:
    events, _twin = atlantis()
    log = log_with("atlantis", events)
    for viewer in (0, 1, None):
        said = learnt_since(log, log.moves[0][-1].seq, viewer, NAMES)
        assert [line.partition(" drew ")[0] for line in said] == ["Alice", "Bob"]
        assert all(line.endswith((" card.", " cards.")) for line in said)


@pytest.mark.parametrize("kind", WORLDS)
def test_whatever_came_from_chance_is_named(kind: str) -> None:
    """A move in which chance decided, or that hides something, is never silent."""
    engine = GAMES[kind]
    command_of = engine.rules.command_of
    options = engine.check_options({}, 3)
    events = engine.setup(options, 3, SeededChance(SEED, 1))
    state, seq = engine.fold(events), len(events) + 1
    tried = 0
    while engine.rules.outcome(state) is None and seq < 250:
        seat = engine.rules.to_act(state)[0]
        command = next(iter(engine.rules.legal_commands(state, seat)))
        move = engine.rules.decide(state, seat, command, SeededChance(SEED, seq))
        shown = [e for e in move if not engine.rules.is_reversible([e])]
        consequences = [event for event in shown if not command_of(event)]
        is_hidden = any(engine.rules.visible(event, None) != event for event in consequences)
        if is_hidden or engine.rules.recorded_chance(move):
            tried += 1
            for viewer in (0, 1, 2, None):
                visible = [engine.rules.visible(event, viewer) for event in shown]
                assert engine.presentation.learnt(visible), move
        state, seq = engine.fold(move, state), seq + len(move)
    assert tried
