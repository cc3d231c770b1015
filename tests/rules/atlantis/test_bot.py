"""The bot: a legal, sensible, honest player."""

import pytest
from msgspec.structs import replace

from games.rules.atlantis.bot import choose
from games.rules.atlantis.model import Buy, Command, Item, Pass, State, Tile
from games.rules.chance import IdentityChance
from tests.programs import bot_strength
from tests.rules.atlantis.position_lines import parse_position
from tests.rules.atlantis.tables import view_to_act
from tests.support.lengths import by_length

from .games import ATLANTIS, finished, sensible, wandering

LUCK = IdentityChance()


def played(position: str) -> str:
    """Return the bot's move in this position, in notation."""
    view = view_to_act(parse_position(position))
    return ATLANTIS.notation.describe(choose(view, LUCK), view)


# -- legal and honest --------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bots_among_themselves_bring_a_game_to_its_end(seats: int) -> None:
    outcome = finished(seats, seed=seats).outcome

    assert outcome is not None
    assert max(outcome.scores) > 0


@pytest.mark.parametrize(("seats", "seed"), [(2, 5), (3, 6), (4, 7)])
def test_in_whatever_mess_the_bot_finds_itself_its_move_is_legal(seats: int, seed: int) -> None:
    for state in wandering(seats, seed):
        command = choose(view_to_act(state), LUCK)
        if isinstance(command, Buy | Pass):
            assert command in set(
                ATLANTIS.rules.legal_commands(state, ATLANTIS.rules.to_act(state)[0])
            )
        else:
            # Other payments than the canonical are legal too; reading the line checks the rules.
            view = view_to_act(state)
            assert (
                ATLANTIS.notation.parse(ATLANTIS.notation.describe(command, view), view) == command
            )


def twin(state: State) -> State:
    """The same table with other cards wherever the seat to act cannot see them."""
    (seat,) = ATLANTIS.rules.to_act(state)
    other = {item: list(Item)[(number + 3) % 7] for number, item in enumerate(Item)}

    def changed(tile: Tile) -> Tile:
        return Tile(other[tile.item], 8 - tile.value)

    return replace(
        state,
        path=tuple(tuple(map(changed, stack[:-1])) + stack[-1:] for stack in state.path),
        hands=tuple(
            hand if player == seat else tuple(reversed(hand))
            for player, hand in enumerate(state.hands)
        ),
        deck=tuple(other[card] for card in state.deck),
    )


@pytest.mark.parametrize(("seats", "seed"), [(2, 8), (4, 9)])
def test_the_bot_does_not_know_what_its_seat_does_not_see(seats: int, seed: int) -> None:
    different = 0
    for state in sensible(seats, seed):
        view, other = view_to_act(state), view_to_act(twin(state))
        different += twin(state) != state
        assert choose(other, LUCK) == choose(view, LUCK)

    assert different > 20


def test_equal_views_give_equal_moves() -> None:
    once: list[Command] = [choose(view_to_act(state), LUCK) for state in sensible(3, 10)]
    again: list[Command] = [choose(view_to_act(state), LUCK) for state in sensible(3, 10)]

    assert once == again


# -- sensible ----------------------------------------------------------------------------


def test_it_ends_a_game_that_it_wins_by_ending() -> None:
    assert played("f1 o2 s3 h4 r5 | *2/M/M or s7s7h6 b | 0/1/M - a2") == "A olive"


def test_of_two_landings_it_takes_the_one_with_the_better_tile_behind() -> None:
    assert played("f1 o2 c2 f1 h7 o2 s1 r5 | *1/4/M o - | 0/0/0 - -") == "B olive"


def test_it_does_not_pay_for_what_is_free() -> None:
    assert "pay" not in played("f5 o4 h4 s5 . a5 r1 | *1/1/1 ah s3 | 4/4/4 - -")


def test_it_bridges_a_gap_that_all_its_figures_have_to_cross() -> None:
    line = played("o4 h4 f3 r7 . . a7 s2 s3 o2 | *1/2/3 aro s3s4 b | 10/9/8 ooo r2r4 b")

    assert "bridge 5" in line


def test_stuck_with_an_empty_hand_it_sells_what_loses_least() -> None:
    assert played("f5 . f7 | *1/M/M - s2s7 | 0/0/0 - -") == "buy 2"


def test_stuck_with_nothing_to_sell_it_passes() -> None:
    assert played("f5 . f7 | *1/M/M f - | 0/0/0 - -") == "pass"


# -- how strong --------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("seats", "at_least"), by_length([(3, 0.8)], [(2, 0.9), (3, 0.8), (4, 0.7)])
)
def test_it_wins_most_games_against_players_who_play_anything(seats: int, at_least: float) -> None:
    """The seeds are fixed, so this cannot flake; docs/measurements.md has the rates."""
    standing = bot_strength.measure(ATLANTIS, seats, games=24)

    assert standing.games == 24
    assert standing.rate >= at_least
    assert standing.score > standing.others + 10


def test_the_bot_sits_in_every_seat_in_turn() -> None:
    seats = {bot_strength.play(ATLANTIS, 3, number % 3, number).champion for number in range(3)}
    assert seats == {0, 1, 2}


def test_a_shared_win_counts_as_a_part() -> None:
    match = bot_strength.play(ATLANTIS, 3, 1, 1)
    shared = replace(match, outcome=replace(match.outcome, winners=(0, 1)))
    lost = replace(match, outcome=replace(match.outcome, winners=(0, 2)))

    assert (shared.won, lost.won) == (0.5, 0)
