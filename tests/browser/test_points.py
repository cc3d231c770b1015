"""Players read points instead of adding them up."""

import re

import pytest

from games.models import User
from tests.factories import fresh, log_of, play_one, play_to_the_end, play_turns, table_of
from tests.support.escape_games import escape_table, play_line

from .expectations import expect
from .people import Enter, table


def test_the_tiles_of_each_player_are_added_up(enter: Enter, alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 12)
    page = enter(alice)
    page.goto(table(game))
    for seat, tiles in enumerate(log_of(game).state.tiles):
        points = sum(tile.value for tile in tiles)
        assert points > 1
        expect(page.locator(".player .holds").nth(seat)).to_contain_text(
            f"{points} points in tiles"
        )


def test_the_values_of_own_explorers_are_a_list_and_nobody_reads_those_of_others(
    enter: Enter, alice: User, bob: User
) -> None:
    game = escape_table(alice, bob)
    play_line(game, alice, "plan spread")
    play_line(game, bob, "plan spread")
    while fresh(game).to_act != [0]:
        play_one(game)
    page = enter(alice)
    page.goto(table(game))
    values = page.get_by_role("list", name="Values")
    expect(values).to_have_count(1)
    assert re.match(r"U1\s\d$", values.get_by_role("listitem").first.inner_text())
    expect(page.locator(".players")).not_to_contain_text("values")


def test_no_heading_stands_over_an_empty_hand(enter: Enter, alice: User, bob: User) -> None:
    page = enter(alice)
    page.goto(table(escape_table(alice, bob)))
    expect(page.get_by_role("link", name="Plan my setup")).to_be_visible()
    expect(page.get_by_role("heading", name="Your hand")).to_have_count(0)


@pytest.mark.parametrize("width", [360, 768, 1366])
def test_the_turn_line_of_a_finished_game_has_the_score(
    enter: Enter, alice: User, bob: User, width: int
) -> None:
    game = play_to_the_end(table_of(alice, bob))
    page = enter(alice, viewport={"width": width, "height": 740})
    page.goto(table(game))
    for seat, score in enumerate(fresh(game).scores or ()):
        expect(page.locator(f".turn .seat-{seat}")).to_have_text(re.compile(rf"\b{score}$"))
        expect(page.locator(f".turn .seat-{seat}")).to_be_in_viewport()
