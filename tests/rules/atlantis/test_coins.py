"""The canonical payment: overpay least, then give the fewest cards."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules.atlantis.coins import Purse, cards_of, counts_of, hand_over, settle, tiles_worth

from .tables import item, tile

VALUES = st.lists(st.integers(1, 7), max_size=7)


@pytest.mark.parametrize(
    ("values", "price", "cards", "payment"),
    [
        ([5, 3], 3, 9, ((3,), 0)),
        ([5, 3], 4, 9, ((3,), 1)),
        ([5, 3], 4, 0, ((5,), 0)),
        ([5, 3], 8, 0, ((5, 3), 0)),
        ([5, 3], 9, 0, None),
        ([], 2, 2, ((), 2)),
        ([7], 1, 0, ((7,), 0)),
        ([4, 2, 2], 4, 0, ((4,), 0)),
        ([5, 4, 3, 2], 7, 0, ((5, 2), 0)),
    ],
)
def test_the_cheapest_payment(
    values: list[int], price: int, cards: int, payment: tuple[tuple[int, ...], int] | None
) -> None:
    assert Purse(values).cheapest(price, cards) == payment


@given(VALUES, st.integers(1, 30), st.integers(0, 12))
def test_no_payment_overpays_less_or_needs_fewer_cards_or_tiles(
    values: list[int], price: int, cards: int
) -> None:
    payments = [
        (sum(chosen) + given_cards - price, given_cards, len(chosen))
        for size in range(len(values) + 1)
        for chosen in combinations(values, size)
        for given_cards in range(cards + 1)
        if sum(chosen) + given_cards >= price
    ]
    found = Purse(values).cheapest(price, cards)
    if found is None:
        assert payments == []
    else:
        chosen, given_cards = found
        cost = sum(chosen) + given_cards - price, given_cards, len(chosen)
        assert cost == min(payments)


@given(VALUES, st.integers(1, 30), st.integers(0, 12))
def test_the_order_of_the_tiles_makes_no_difference(
    values: list[int], price: int, cards: int
) -> None:
    assert Purse(values).cheapest(price, cards) == Purse(sorted(values)).cheapest(price, cards)


def test_a_purse_of_forty_tiles_is_no_trouble() -> None:
    values = [1 + number % 7 for number in range(40)]
    assert Purse(values).cheapest(100, 0) is not None


def test_a_debt_out_of_reach_takes_everything() -> None:
    assert settle(9, [tile("f2"), tile("o3")], 1) == ((3, 2), 1)


def test_the_cards_given_are_those_held_most_often() -> None:
    assert "".join(card[0] for card in hand_over(3, counts_of(map(item, "foohhh")))) == "ohh"


def test_tiles_are_found_by_their_value() -> None:
    owned = [tile("f2"), tile("o2"), tile("h5")]
    assert tiles_worth((2, 5), owned) == (tile("f2"), tile("h5"))
    assert tiles_worth((2, 2, 2), owned) is None


@given(st.lists(st.integers(0, 15), min_size=7, max_size=7))
def test_counts_and_cards_say_the_same(counts: list[int]) -> None:
    assert counts_of(cards_of(counts)) == tuple(counts)


def test_nothing_is_added_up_where_nothing_is_owed() -> None:
    purse = Purse(range(1, 25))
    assert purse.cheapest(0, 3) == ((), 0)
    assert "sums" not in vars(purse)
