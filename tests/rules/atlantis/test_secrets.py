"""Views and events reveal no secrets."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.coins import cards_of, counts_of
from games.rules.atlantis.model import (
    Buy,
    Dealt,
    Drew,
    Ended,
    Event,
    Item,
    Passed,
    Prepared,
    Reshuffled,
    Settled,
    State,
)
from games.rules.chance import SeededChance
from games.rules.errors import MoveError
from tests.support.lengths import by_length

from .position_lines import parse_position
from .tables import Unshuffled, play, table


def played_for(seats: int, seed: int, moves: int) -> tuple[State, list[Event]]:
    """A game some moves on, by players who pick any legal command."""
    secret = seed.to_bytes(32, "big")
    dice = SeededChance(secret, 0)
    events = list(ATLANTIS.setup({}, seats, SeededChance(secret, 1)))
    state = ATLANTIS.fold(events)
    for _ in range(moves):
        if not ATLANTIS.rules.to_act(state):
            break
        (seat,) = ATLANTIS.rules.to_act(state)
        commands = list(ATLANTIS.rules.legal_commands(state, seat))
        chance = SeededChance(secret, len(events) + 1)
        command = commands[dice.roll(len(commands))]
        news = ATLANTIS.rules.decide(state, seat, command, chance)
        events += news
        state = ATLANTIS.fold(news, state)
    return state, events


def twin(state: State, viewer: int | None, luck: SeededChance) -> State:
    """The same table with other secrets: hands of others, the deck and covered tiles anew."""
    others = [seat for seat in range(len(state.order)) if seat != viewer]
    unseen = [card for seat in others for card in cards_of(state.hands[seat])]
    cards = luck.shuffle([*unseen, *state.deck])
    hands = list(state.hands)
    for seat in others:
        count = sum(hands[seat])
        hands[seat], cards = counts_of(cards[:count]), cards[count:]
    covered = iter(luck.shuffle([tile for stack in state.path for tile in stack[:-1]]))
    path = tuple((*(next(covered) for _ in stack[:-1]), *stack[-1:]) for stack in state.path)
    return replace(state, hands=tuple(hands), deck=cards, path=path)


games = st.tuples(st.integers(2, 4), st.integers(0, 10_000), st.integers(0, 60))


@settings(max_examples=by_length(20, 60), deadline=None)
@given(games, st.integers(0, 4), st.integers(0, 10_000))
def test_states_that_differ_only_in_secrets_look_the_same(
    game: tuple[int, int, int], viewer: int, other: int
) -> None:
    state, _ = played_for(*game)
    assume(state.outcome is None)
    seat = viewer if viewer < len(state.order) else None
    double = twin(state, seat, SeededChance(other.to_bytes(32, "big"), 1))
    view, second = ATLANTIS.rules.view(state, seat), ATLANTIS.rules.view(double, seat)
    assert view == second
    assert ATLANTIS.presentation.board_text(view) == ATLANTIS.presentation.board_text(second)
    if seat is not None:
        assert list(ATLANTIS.rules.legal_commands(state, seat)) == list(
            ATLANTIS.rules.legal_commands(double, seat)
        )
        assert ATLANTIS.presentation.move_form(view, {}) == ATLANTIS.presentation.move_form(
            second, {}
        )


@settings(max_examples=by_length(20, 60), deadline=None)
@given(games, st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_move_reads_the_same_to_spectators_whatever_the_secrets(
    game: tuple[int, int, int], other: int, pick: int
) -> None:
    state, _ = played_for(*game)
    assume(state.outcome is None)
    (seat,) = ATLANTIS.rules.to_act(state)
    double = twin(state, seat, SeededChance(other.to_bytes(32, "big"), 1))
    commands = list(ATLANTIS.rules.legal_commands(state, seat))
    command = commands[pick % len(commands)]
    first = ATLANTIS.rules.decide(state, seat, command, Unshuffled())
    second = ATLANTIS.rules.decide(double, seat, command, Unshuffled())
    # The final settlement may show which cards were paid.
    public = [event for event in first if not isinstance(event, Settled | Ended)]
    for event, same in zip(public, second, strict=False):
        assert ATLANTIS.rules.visible(event, None) == ATLANTIS.rules.visible(same, None)


@settings(max_examples=by_length(20, 60), deadline=None)
@given(games, st.integers(0, 10_000), st.integers(0, 8))
def test_a_refusal_says_the_same_whatever_the_secrets(
    game: tuple[int, int, int], other: int, value: int
) -> None:
    state, _ = played_for(*game)
    assume(state.outcome is None)
    (seat,) = ATLANTIS.rules.to_act(state)
    double = twin(state, seat, SeededChance(other.to_bytes(32, "big"), 1))
    assert refused(state, seat, value) == refused(double, seat, value)


def refused(state: State, seat: int, value: int) -> str:
    try:
        ATLANTIS.rules.decide(state, seat, Buy(value), Unshuffled())
    except MoveError as error:
        return str(error)
    return ""


# -- views ---------------------------------------------------------------------------------

TABLE = "f1o4 . h2 | *0/0/0 fo s3 b | 3/0/0 hh a2 | deck ccc | discards rs"


def test_ones_own_hand_is_seen_and_no_other() -> None:
    view = ATLANTIS.rules.view(table(TABLE), 0)
    assert view.players[0].hand == ("flag", "olive")
    assert view.players[1].hand is None


def test_public_are_the_turn_the_seat_to_act_and_the_discards_by_item() -> None:
    position = "f1 o2 | *0/0/0 fo - | 0/0/0 - - | deck oo | discards sof | turn 7"
    view = ATLANTIS.rules.view(parse_position(position), None)
    assert (view.turn, view.to_act) == (7, (0,))
    assert view.discards == (Item.FLAG, Item.OLIVE, Item.STATUE)
    assert ATLANTIS.rules.view(ATLANTIS.rules.initial(), None).to_act == ()


def test_of_each_stack_the_top_tile_is_shown_when_the_path_is_laid() -> None:
    laid = ATLANTIS.setup({}, 2, SeededChance(bytes(32), 1))[0]
    assert isinstance(laid, Prepared)
    shown = ATLANTIS.rules.visible(laid, 0)
    assert isinstance(shown, Prepared)
    assert [stack[-1:] for stack in laid.path] == list(shown.path)
    assert shown.heights == laid.heights


def test_a_spectator_sees_no_hand() -> None:
    view = ATLANTIS.rules.view(table(TABLE), None)
    assert [player.hand for player in view.players] == [None, None]


def test_hand_sizes_are_public() -> None:
    assert [player.cards for player in ATLANTIS.rules.view(table(TABLE), None).players] == [2, 2]


def test_collected_tiles_figures_and_bridges_are_public() -> None:
    mine, other = ATLANTIS.rules.view(table(TABLE), None).players
    assert [tile.value for tile in mine.tiles + other.tiles] == [3, 2]
    assert (mine.figures, other.figures) == ((0, 0, 0), (3, 0, 0))
    assert (mine.bridge, other.bridge) == (True, False)


def test_the_deck_is_a_number_and_the_discards_lie_open() -> None:
    view = ATLANTIS.rules.view(table(TABLE), 1)
    assert view.deck == 3
    assert view.discards == ("ring", "statue")


def test_the_path_is_public_but_for_covered_tiles() -> None:
    view = ATLANTIS.rules.view(table(TABLE), 0)
    top = view.path[0].top
    assert top is not None
    assert (top.value, view.path[0].height) == (4, 2)
    assert (view.path[1].top, view.path[1].height) == (None, 0)


def test_gaps_are_public_with_their_price() -> None:
    (gap,) = ATLANTIS.rules.view(table(TABLE), None).gaps
    assert (gap.first, gap.last, gap.price, gap.bridged) == (2, 2, 2, False)


def test_when_the_game_is_over_the_hands_lie_open() -> None:
    over = play("f1 o2 | *2/M/M f - | M/M/M oo s5 | deck ssss", "A f").state
    assert ATLANTIS.rules.view(over, None).players[1].hand == ("olive", "olive")


# -- events --------------------------------------------------------------------------------


def setup() -> tuple[Event, ...]:
    return ATLANTIS.setup({"order": "seated"}, 2, SeededChance(bytes(32), 1))


@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_of_the_setup_nobody_sees_the_deck_or_a_covered_tile(viewer: int | None) -> None:
    laid = ATLANTIS.rules.visible(setup()[0], viewer)
    assert isinstance(laid, Prepared)
    assert laid.deck == ()
    assert {len(stack) for stack in laid.path} == {0, 1}
    assert set(laid.heights) == {0, 1, 2}


def test_of_the_first_hands_one_sees_ones_own() -> None:
    dealt = ATLANTIS.rules.visible(setup()[1], 1)
    assert isinstance(dealt, Dealt)
    assert dealt.hands[0] is None
    assert dealt.hands[1] is not None
    assert dealt.counts == (4, 5)


def test_a_spectator_sees_none() -> None:
    dealt = ATLANTIS.rules.visible(setup()[1], None)
    assert isinstance(dealt, Dealt)
    assert dealt.hands == (None, None)


def test_drawn_cards_are_seen_by_the_one_who_drew() -> None:
    drew = play("f1 o5 | *1/0/0 o - | 0/0/0 - - | deck s", "A o").drew
    assert ATLANTIS.rules.visible(drew, 0) == drew
    for viewer in (1, None):
        assert ATLANTIS.rules.visible(drew, viewer) == Drew(0, 1, None, ends_turn=True)


def test_a_new_deck_is_seen_by_nobody() -> None:
    played = play("f1 o5 | *1/0/0 o - | 0/0/0 - - | deck - | discards ca", "A o")
    for viewer in (0, 1, None):
        assert ATLANTIS.rules.visible(played.one(Reshuffled), viewer) == Reshuffled(3, None)


@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_a_hand_shown_on_a_pass_was_seen_by_everyone(viewer: int | None) -> None:
    passed = play("f3 . o5 | *1/M/M o - | 0/0/0 - -", "pass").one(Passed)
    assert ATLANTIS.rules.visible(passed, viewer) == passed


@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_moves_purchases_and_the_settlement_are_public(viewer: int | None) -> None:
    ending = play("f1 o2 | *2/M/M f - | 0/0/0 oo s5 | deck ssss", "A f").events
    bought = play("f1 o2 | *0/0/0 f s5 | 0/0/0 - -", "buy 5").events
    for event in (*ending, bought[0]):
        if not isinstance(event, Drew):
            assert ATLANTIS.rules.visible(event, viewer) == event
