"""Searching bots: what they may know, what they may spend, and that they play well."""

import pytest
from msgspec.structs import replace

from games.rules import GAMES, selfplay
from games.rules.__main__ import game_seed
from games.rules.atlantis.box import ITEMS
from games.rules.atlantis.coins import cards_of
from games.rules.bots import Budget, Level, best_of
from games.rules.chance import bot_chance
from games.rules.contract import Command, State
from games.rules.escape.bot.playout import Deal as EscapeDeal
from games.rules.escape.model import SEA, TurnStage
from games.rules.tuples import put

KINDS = ("atlantis", "escape")


def middle(key: str, moves: int = 40) -> State:
    """The position after some moves of normal bots, at which a seat has its turn."""
    engine, seed = GAMES[key], game_seed("strong", 1)
    for number, (state, _events) in enumerate(
        selfplay.play(engine, {}, 2, seed, selfplay.by_bot(engine, seed))
    ):
        turn = key == "atlantis" or isinstance(state.board.stage, TurnStage)
        if number >= (moves if key == "escape" else 10) and turn:
            return state
    raise AssertionError("the game was too short")


def choice(key: str, state: State, playouts: int = 12) -> Command:
    engine = GAMES[key]
    (seat,) = engine.rules.to_act(state)
    luck = bot_chance(bytes(32), seat, 7)
    view = engine.rules.view(state, seat)
    return engine.bot_command(Level.STRONG, view, luck, Budget(playouts))


@pytest.mark.parametrize("key", KINDS)
def test_equal_views_equal_luck_and_equal_budgets_give_equal_moves(key: str) -> None:
    state = middle(key)
    assert choice(key, state) == choice(key, state)


@pytest.mark.parametrize("key", KINDS)
def test_a_strong_bot_plays_by_the_rules(key: str) -> None:
    state, engine = middle(key), GAMES[key]
    (seat,) = engine.rules.to_act(state)
    assert engine.rules.decide(state, seat, choice(key, state), bot_chance(bytes(32), 0, 1))


@pytest.mark.parametrize("key", KINDS)
def test_a_search_spends_its_budget_whatever_the_bot_holds(key: str) -> None:
    engine, state = GAMES[key], middle(key)
    (seat,) = engine.rules.to_act(state)
    spent: list[int] = []
    view = engine.rules.view(state, seat)
    budget = Budget(60, lambda: spent.append(1))
    engine.bot_command(Level.STRONG, view, bot_chance(bytes(32), seat, 7), budget)
    assert 30 <= len(spent) <= 70


def test_the_best_candidate_is_found_with_equal_worlds_for_all() -> None:
    worlds: dict[str, list[int]] = {"a": [], "b": [], "c": []}

    def result(candidate: str, world: int) -> float:
        worlds[candidate].append(world)
        return {"a": 0.1, "b": 0.3, "c": 0.2}[candidate] + world % 3

    assert best_of("abc", Budget(30), result) == "b"
    assert worlds["b"] == list(range(len(worlds["b"])))
    assert worlds["a"] == worlds["b"][: len(worlds["a"])]


def test_an_imagined_island_has_the_tiles_that_are_left() -> None:
    state = middle("escape")
    board = state.board
    view = GAMES["escape"].rules.view(state, board.active)
    deal = EscapeDeal(view, bot_chance(bytes(32), 0, 1))
    lying = [hex_ for hex_, letter in enumerate(board.map) if letter != SEA]
    assert sorted(deal.backs) == lying


def test_imagined_worlds_do_not_depend_on_what_is_hidden() -> None:
    state = middle("atlantis")
    (seat,) = GAMES["atlantis"].rules.to_act(state)
    other = 1 - seat
    held = sum(state.hands[other])
    hand = [state.deck[:held].count(item) for item in ITEMS]
    deck = (*cards_of(state.hands[other]), *reversed(state.deck[held:]))
    world = replace(state, deck=deck, hands=put(state.hands, other, tuple(hand)))
    assert world != state
    assert choice("atlantis", world) == choice("atlantis", state)
