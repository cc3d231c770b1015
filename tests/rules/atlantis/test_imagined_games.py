"""Imagined games of the strong bot: they agree with what a seat sees and keep to the rules."""

from collections import Counter
from collections.abc import Iterator

import pytest

from games.rules.atlantis import path
from games.rules.atlantis.bot.dealing import Deal, KnownTable
from games.rules.atlantis.bot.playout import TASTES, World
from games.rules.atlantis.box import CARDS, HALF_A, HALF_B, INDEX, ITEMS
from games.rules.atlantis.model import MAINLAND, Gap, Move, State, Tile
from games.rules.chance import SeededChance, bot_chance
from tests.rules.atlantis.tables import view_to_act

from .games import ATLANTIS, sensible

BOX = Counter((INDEX[tile.item], tile.value) for tile in HALF_A + HALF_B)
ALL_CARDS = [CARDS.count(item) for item in ITEMS]


def dealt(state: State, number: int = 1) -> tuple[KnownTable, Deal]:
    known = KnownTable(view_to_act(state))
    return known, Deal(known, number)


def as_it_is(state: State) -> World:
    """A world that guesses everything right."""
    known, deal = dealt(state)
    deal.hands = [list(hand) for hand in state.hands]
    deal.deck = [INDEX[card] for card in state.deck]
    for place in deal.below:
        tile = state.path[place - 1][0]
        deal.below[place] = (INDEX[tile.item], tile.value)
    return World(known, deal)


def debts(gaps: tuple[Gap, ...]) -> list[int]:
    """Return the debt of a figure, by space."""
    return [sum(gap.price for gap in gaps if gap.first > place) for place in range(MAINLAND + 1)]


def cards(world: World) -> list[int]:
    """All cards of a world, by item."""
    piles = (*world.deck, *world.discards)
    return [piles.count(item) + sum(hand[item] for hand in world.hands) for item in range(7)]


def worlds(seats: int, seed: int) -> Iterator[World]:
    """A world after each of the turns that simple players make in it."""
    world = World(*dealt(next(sensible(seats, seed)), seed))
    seat = 0
    while not world.over:
        world.turn(world.order[seat % seats])
        seat += 1
        yield world


@pytest.mark.parametrize("seats", [2, 4])
def test_a_deal_agrees_with_what_the_seat_sees(seats: int) -> None:
    for number, state in enumerate(sensible(seats, seed=21)):
        view = view_to_act(state)
        known, deal = dealt(state, number)
        assert deal.hands[view.viewer or 0] == list(state.hands[view.viewer or 0])
        assert [sum(hand) for hand in deal.hands] == [player.cards for player in view.players]
        assert len(deal.deck) == view.deck
        assert cards(World(known, deal)) == ALL_CARDS
        assert list(deal.below) == [at for at, space in enumerate(view.path, 1) if space.height > 1]
        seen = [space.top for space in view.path if space.top]
        seen += [tile for player in view.players for tile in player.tiles]
        everywhere = Counter((INDEX[tile.item], tile.value) for tile in seen)
        everywhere.update(deal.below.values())
        assert everywhere <= BOX


def test_an_imagined_move_changes_the_table_as_the_rules_do() -> None:
    compared = 0
    for turn, state in enumerate(sensible(3, seed=22)):
        (seat,) = ATLANTIS.rules.to_act(state)
        command = ATLANTIS.bot.choose(view_to_act(state), bot_chance(bytes(32), seat, turn))
        if not isinstance(command, Move):
            continue
        world = as_it_is(state)
        world.begin(seat, command)
        events = ATLANTIS.rules.decide(state, seat, command, SeededChance(bytes(32), turn))
        after = ATLANTIS.fold(events, state)
        assert world.over == (after.outcome is not None)
        if world.over:
            continue
        view = ATLANTIS.rules.view(after, None)
        tops = path.tops_of_spaces(view.path)
        assert world.values == [tile.value if tile else 0 for tile in tops]
        assert [world.follow(0, item) for item in range(7)] == [
            path.next_space(tops, 0, item) for item in ITEMS
        ]
        assert world.owed == debts(view.gaps)
        assert world.figures == [list(player.figures) for player in view.players]
        assert world.cards == [player.cards for player in view.players]
        assert [sorted(purse) for purse in world.purses] == [
            sorted(tile.value for tile in player.tiles) for player in view.players
        ]
        assert world.unbuilt == [player.bridge for player in view.players]
        compared += 1
    assert compared > 20


@pytest.mark.parametrize(("seats", "seed"), [(2, 23), (2, 24), (3, 25), (4, 26)])
def test_players_in_a_world_conserve_cards_and_tiles_and_know_the_gaps(
    seats: int, seed: int
) -> None:
    before = BOX.total()
    for world in worlds(seats, seed):
        assert cards(world) == ALL_CARDS
        assert world.cards == [sum(hand) for hand in world.hands]
        assert world.points == [sum(purse) for purse in world.purses]
        assert min(map(min, world.hands)) >= 0
        tiles = sum(map(bool, world.values)) + len(world.below) + sum(map(len, world.purses))
        assert tiles <= before
        before = tiles
        tops = [Tile(ITEMS[0], value) if value else None for value in world.values]
        bridges = [place for place in range(MAINLAND) if world.bridges >> place & 1]
        assert world.owed == debts(path.find_gaps(tops, bridges))
        shown = [any(mask >> place & 1 for mask in world.items) for place in range(MAINLAND + 1)]
        assert shown == [value > 0 for value in world.values]


@pytest.mark.parametrize("seed", [27, 28])
def test_players_in_a_world_foresee_what_a_taken_tile_adds_to_debts(seed: int) -> None:
    """`opened` against the table after the tile has been taken."""
    foreseen = 0
    for turn, world in enumerate(worlds(3, seed)):
        seat = world.order[turn % 3]
        for place, value in enumerate(world.values):
            if not value or place in world.below or world.occupied >> place & 1:
                continue
            change, debts = world.opened(seat, place)
            before, saved = world.owed, (world.values.copy(), world.items.copy(), world.stacks)
            world.take(place)
            added = [after - now for after, now in zip(world.owed, before, strict=True)]
            world.values, world.items, world.stacks = saved
            world.survey()
            mine = sum(added[at] for at in world.figures[seat])
            theirs = sum(
                added[at]
                for other, figures in enumerate(world.figures)
                for at in figures
                if other != seat
            )
            assert debts == pytest.approx(mine - TASTES.rivals * theirs / 2)
            assert change == sum(added[:1])
            foreseen += bool(debts)
    assert foreseen > 20


@pytest.mark.parametrize(
    ("tiles", "held", "price", "tiles_left", "held_left"),
    [
        ([7, 2, 1], 3, 3, [7], 3),
        ([7, 2], 3, 3, [7], 2),
        ([7, 5], 1, 4, [7], 1),
        ([], 4, 4, [], 0),
        ([6, 6], 2, 7, [6], 1),
    ],
)
def test_players_in_a_world_overpay_only_where_they_must(
    tiles: list[int], held: int, price: int, tiles_left: list[int], held_left: int
) -> None:
    world = as_it_is(next(sensible(2, 29)))
    world.purses[0], world.hands[0], world.cards[0] = tiles, [held, 0, 0, 0, 0, 0, 0], held
    world.pay(0, price)
    assert (world.purses[0], world.cards[0]) == (tiles_left, held_left)
    assert world.points[0] == sum(tiles_left)
