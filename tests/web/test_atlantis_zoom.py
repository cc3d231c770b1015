"""Zooming into the board of Atlantis without JavaScript."""

from urllib.parse import urlsplit

import pytest

from games.models import Game, User
from tests.factories import table_of
from tests.support.board_parts import query_of, shown_part, zoom_links
from tests.support.pages import page_of

pytestmark = pytest.mark.django_db
WHOLE = "0 0 400 512"


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    return table_of(alice, bob)


def test_the_whole_board_leads_to_its_parts(game: Game, alice: User) -> None:
    page = page_of(game, alice)
    assert shown_part(page) == WHOLE
    assert query_of(page, "part-6") == {"zoom": "1", "near": "part-6", "#": "board"}
    closer = page_of(game, alice, "?zoom=1&near=part-6")
    assert shown_part(closer).endswith(" 200 256")
    assert 'id="part-6"' not in closer
    assert set(zoom_links(closer)) == set("⤢+←↑↓→")


def test_a_zoomed_board_stays_zoomed_around_what_was_tapped(game: Game, alice: User) -> None:
    figure = "figure-0-A"
    assert "zoom" not in query_of(page_of(game, alice), figure)
    query = query_of(page_of(game, alice, f"?zoom=2&near={figure}"), figure)
    assert (query["figure"], query["zoom"], query["near"]) == ("A", "2", figure)


def test_a_spectator_and_past_positions_can_be_zoomed(game: Game, alice: User, dave: User) -> None:
    whole = page_of(game, dave)
    assert shown_part(page_of(game, dave, f"?{urlsplit(zoom_links(whole)['+']).query}")) != WHOLE
    assert shown_part(page_of(game, alice, f"at/{game.version}/?zoom=1")) != WHOLE


def test_a_page_of_atlantis_loads_no_script_for_crowded_boards(game: Game, alice: User) -> None:
    assert "games/touch.js" not in page_of(game, alice)
