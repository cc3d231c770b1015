"""A turn, step 1: buying cards with a collected tile."""

import pytest

from games.rules.atlantis.model import Bought, Buy, Drew

from .tables import hand, legal, play, refusal, tile

PATH = "f1 o2 h3"


@pytest.mark.parametrize(("value", "cards"), [(2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3)])
def test_a_tile_draws_half_its_value_rounded_down(value: int, cards: int) -> None:
    played = play(f"{PATH} | *0/0/0 f o{value} | 0/0/0 - - | deck ssssss", f"buy {value}")
    assert played.one(Bought).count == cards
    assert hand(played.state, 0) == "f" + "s" * cards


def test_the_tile_leaves_the_game() -> None:
    played = play(f"{PATH} | *0/0/0 f o4h2 | 0/0/0 - -", "buy 4")
    assert played.one(Bought).tile == tile("o4")
    assert played.state.tiles[0] == (tile("h2"),)
    assert played.state.discards == ()


def test_a_1_tile_would_buy_nothing_and_is_refused_with_that_reason() -> None:
    assert "buys no cards" in refusal(f"{PATH} | *0/0/0 f o1 | 0/0/0 - -", "buy 1")


def test_a_tile_that_one_does_not_have_cannot_be_sold() -> None:
    assert "no tile worth 5" in refusal(f"{PATH} | *0/0/0 f o4 | 0/0/0 - h5", "buy 5")


def test_buying_is_optional() -> None:
    played = play(f"{PATH} | *0/0/0 f o4 | 0/0/0 - -", "A f")
    assert played.all(Bought) == []


def test_buying_does_not_end_the_turn() -> None:
    played = play(f"{PATH} | *0/0/0 f o4 | 0/0/0 - - | turn 3", "buy 4")
    assert not played.drew.ends_turn
    assert (played.state.active, played.state.turn) == (0, 3)


def test_one_buys_once_a_turn() -> None:
    bought = play(f"{PATH} | *0/0/0 f o4h6 | 0/0/0 - -", "buy 4").state
    assert "already bought cards this turn" in refusal(bought, "buy 6")


def test_the_next_player_may_buy_again() -> None:
    bought = play(f"{PATH} | *0/0/0 f o4 | 0/0/0 f h6 | deck ssssss", "buy 4").state
    moved = play(bought, "A f").state
    assert play(moved, "buy 6").drew.count == 3


def test_bought_cards_can_be_played_at_once() -> None:
    bought = play(f"{PATH} | *0/0/0 f o4 | 0/0/0 - - | deck hsff", "buy 4").state
    assert play(bought, "A h").state.figures[0] == (3, 0, 0)


def test_buying_from_an_empty_deck_shuffles_the_discards() -> None:
    played = play(f"{PATH} | *0/0/0 f o6 | 0/0/0 - - | deck s | discards oh", "buy 6")
    assert [event.count for event in played.all(Drew)] == [1, 2]
    assert hand(played.state, 0) == "fohs"
    assert played.state.active == 0


def test_buying_when_no_card_is_left_draws_nothing() -> None:
    played = play(f"{PATH} | *0/0/0 f o6 | 0/0/0 - - | deck - | discards -", "buy 6")
    assert played.all(Drew) == []
    assert played.state.bought


def test_only_the_seat_to_act_may_buy() -> None:
    assert "not your turn" in refusal(f"{PATH} | *0/0/0 f - | 0/0/0 f o6", "buy 6", seat=1)


def test_legal_commands_offer_each_value_once_and_no_1() -> None:
    values = [c.value for c in legal(f"{PATH} | *0/0/0 f o4h4a1r6 | 0/0/0 - -") if type(c) is Buy]
    assert values == [4, 6]


def test_after_buying_none_is_offered_again() -> None:
    bought = play(f"{PATH} | *0/0/0 f o4h6 | 0/0/0 - -", "buy 4").state
    assert not [command for command in legal(bought) if type(command) is Buy]
