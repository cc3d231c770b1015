"""Events as facts: they keep cards and tiles together, fold to the state, and survive the wire."""

from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.box import CARDS, HALF_A, HALF_B
from games.rules.atlantis.coins import cards_of
from games.rules.atlantis.model import (
    ATLANTIS as HOME,
)
from games.rules.atlantis.model import (
    MAINLAND,
    Bought,
    Command,
    Drew,
    Event,
    Item,
    Move,
    Moved,
    Pass,
    Settled,
    State,
)
from games.rules.chance import ReplayChance, SeededChance
from tests.support.lengths import by_length

from .tables import play


def moves_of(seats: int, seed: int) -> list[tuple[State, Command, tuple[Event, ...]]]:
    """A whole game of players who pick any legal command: (state before, command, events)."""
    secret = seed.to_bytes(32, "big")
    dice = SeededChance(secret, 0)
    state = ATLANTIS.fold(ATLANTIS.setup({}, seats, SeededChance(secret, 1)))
    played: list[tuple[State, Command, tuple[Event, ...]]] = []
    while ATLANTIS.rules.to_act(state):
        (seat,) = ATLANTIS.rules.to_act(state)
        commands = list(ATLANTIS.rules.legal_commands(state, seat))
        command = commands[dice.roll(len(commands))]
        chance = SeededChance(secret, 2 + len(played))
        events = ATLANTIS.rules.decide(state, seat, command, chance)
        played.append((state, command, events))
        state = ATLANTIS.fold(events, state)
    return played


games = given(st.integers(2, 4), st.integers(0, 10_000))
few = settings(max_examples=by_length(6, 60), deadline=None)


@few
@games
def test_cards_are_never_lost_or_made(seats: int, seed: int) -> None:
    for state, _, events in moves_of(seats, seed):
        after = ATLANTIS.fold(events, state)
        held = [card for hand in after.hands for card in cards_of(hand)]
        assert Counter([*held, *after.deck, *after.discards]) == Counter(CARDS)


@few
@games
def test_tiles_lie_on_the_path_before_a_player_or_were_given_up(seats: int, seed: int) -> None:
    gone: list[object] = []
    for state, _, events in moves_of(seats, seed):
        for event in events:
            if isinstance(event, Moved | Settled):
                gone += event.paid_tiles
            elif isinstance(event, Bought):
                gone.append(event.tile)
        after = ATLANTIS.fold(events, state)
        here = [tile for tiles in (*after.path, *after.tiles) for tile in tiles]
        assert Counter([*here, *gone]) == Counter(HALF_A + HALF_B)


@few
@games
def test_no_two_figures_share_a_space_and_each_stands_on_a_tile(seats: int, seed: int) -> None:
    for state, _, _events in moves_of(seats, seed):
        places = [at for figures in state.figures for at in figures if HOME < at < MAINLAND]
        assert len(places) == len(set(places))
        assert all(state.path[at - 1] for at in places)


@few
@games
def test_figures_never_go_back(seats: int, seed: int) -> None:
    for _, _, events in moves_of(seats, seed):
        if isinstance(events[0], Moved):
            way = [events[0].start, *events[0].via]
            assert way == sorted(set(way))


@few
@games
def test_every_turn_ends_with_exactly_one_draw_that_says_so(seats: int, seed: int) -> None:
    for _, command, events in moves_of(seats, seed):
        ends = [event for event in events if isinstance(event, Drew) and event.ends_turn]
        assert len(ends) == (1 if isinstance(command, Move | Pass) else 0)


@few
@games
def test_folding_all_events_gives_the_state_that_decide_worked_on(seats: int, seed: int) -> None:
    played = moves_of(seats, seed)
    log = list(ATLANTIS.setup({}, seats, SeededChance(seed.to_bytes(32, "big"), 1)))
    for state, _, events in played:
        assert ATLANTIS.fold(log) == state
        log += events
    assert ATLANTIS.rules.outcome(ATLANTIS.fold(log)) is not None


@few
@games
def test_the_command_read_off_a_move_makes_the_same_events_again(seats: int, seed: int) -> None:
    for state, command, events in moves_of(seats, seed):
        assert ATLANTIS.rules.command_of(events[0]) == (state.active, command)
        assert [ATLANTIS.rules.command_of(event) for event in events[1:]] == [None] * (
            len(events) - 1
        )
        recorded = ReplayChance(ATLANTIS.rules.recorded_chance(events))
        assert state.active is not None
        assert ATLANTIS.rules.decide(state, state.active, command, recorded) == events


@few
@games
def test_events_survive_the_wire(seats: int, seed: int) -> None:
    setup = ATLANTIS.setup({}, seats, SeededChance(seed.to_bytes(32, "big"), 1))
    for event in (*setup, *(e for _, _, events in moves_of(seats, seed) for e in events)):
        payload = ATLANTIS.codec.encode(event)
        assert ATLANTIS.codec.decode(payload, ATLANTIS.codec.schema) == event
        assert (
            ATLANTIS.codec.encode(ATLANTIS.codec.decode(payload, ATLANTIS.codec.schema)) == payload
        )


@few
@games
def test_the_scores_are_tiles_and_cards_less_the_debt(seats: int, seed: int) -> None:
    state, _, events = moves_of(seats, seed)[-1]
    final = ATLANTIS.fold(events, state)
    debts = {event.seat: event.short for event in events if isinstance(event, Settled)}
    assert final.outcome is not None
    assert list(final.outcome.scores) == [
        sum(tile.value for tile in final.tiles[seat]) + sum(final.hands[seat]) - debts.get(seat, 0)
        for seat in range(seats)
    ]


def test_a_payload_is_canonical_json_with_its_kind() -> None:
    drew = Drew(1, 2, (Item.FLAG, Item.RING), ends_turn=True)
    assert ATLANTIS.codec.encode(drew) == (
        b'{"cards":["flag","ring"],"count":2,"ends_turn":true,"kind":"drew","seat":1}'
    )


def test_tiles_are_written_short() -> None:
    bought = play("f1 | *0/0/0 f o4 | 0/0/0 - -", "buy 4").events[0]
    assert b'"tile":["olive",4]' in ATLANTIS.codec.encode(bought)


def test_the_kinds_of_events_are_stable() -> None:
    kinds = {kind.__struct_config__.tag for kind in Event.__args__}
    assert kinds == {
        "prepared",
        "dealt",
        "bought",
        "moved",
        "passed",
        "reshuffled",
        "drew",
        "settled",
        "ended",
        "planned",
    }


def test_events_of_a_schema_from_the_future_are_not_guessed_at() -> None:
    with pytest.raises(ValueError, match="schema 99"):
        ATLANTIS.codec.decode(b"{}", 99)


def test_what_is_no_event_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        ATLANTIS.codec.decode(b'{"kind":"danced","seat":1}', ATLANTIS.codec.schema)
