"""Zooming into the board of Escape from Atlantis, and the board after each answer of the form."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from games.models import Game, User
from tests.support.board_parts import query_of, shown_part, zoom_links
from tests.support.escape_games import game_with
from tests.support.pages import page_of

pytestmark = pytest.mark.django_db
WHOLE = "0 0 400 424"


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch, alice: User, bob: User) -> Game:
    """A game in its first turn, Alice to move."""
    return game_with(monkeypatch, (alice, bob), lambda state: state.board.turn == 1)


def test_the_whole_board_leads_to_its_parts(game: Game, alice: User) -> None:
    page = page_of(game, alice)
    assert shown_part(page) == WHOLE
    assert query_of(page, "part-6") == {"zoom": "1", "near": "part-6", "#": "board"}
    closer = page_of(game, alice, "?zoom=1&near=part-6")
    assert shown_part(closer).endswith(" 144 144")
    assert 'id="part-6"' not in closer


def test_a_zoomed_board_stays_zoomed_around_what_was_tapped(game: Game, alice: User) -> None:
    whole = page_of(game, alice)
    (who, *_others) = re.findall(r'<a id="(explorer-U\d+)"', whole)
    assert "zoom" not in query_of(whole, who)
    query = query_of(page_of(game, alice, f"?zoom=2&near={who}"), who)
    assert (query["zoom"], query["near"], query["#"]) == ("2", who, "board")
    assert query["who1"] == who.removeprefix("explorer-")


def test_the_form_and_the_zoom_links_keep_answers_and_viewport(game: Game, alice: User) -> None:
    page = page_of(game, alice, "?who1=none&zoom=1&near=part-6")
    assert '<input type="hidden" name="zoom" value="1">' in page
    assert '<input type="hidden" name="near" value="part-6">' in page
    links = zoom_links(page)
    assert set(links) == set("⤢+←↑↓→")
    assert parse_qs(urlsplit(links["⤢"]).query) == {"who1": ["none"]}
    assert parse_qs(urlsplit(links["+"]).query) == {
        "who1": ["none"],
        "zoom": ["2"],
        "near": ["part-6"],
    }


def test_start_over_is_offered_only_after_an_answer(game: Game, alice: User) -> None:
    hidden = '<p class="fresh" hidden>'  # until a script has an answer
    assert hidden in page_of(game, alice, "?zoom=1&near=part-6")
    answered = page_of(game, alice, "?zoom=1&near=part-6&who1=none")
    assert hidden not in answered
    assert "Start over" in answered


def test_a_spectator_can_zoom(game: Game, dave: User) -> None:
    page = page_of(game, dave)
    closer = page_of(game, dave, f"?{urlsplit(zoom_links(page)['+']).query}")
    assert shown_part(closer) != WHOLE
    assert 'id="orders"' not in closer


def test_past_positions_can_be_zoomed(game: Game, alice: User) -> None:
    page = page_of(game, alice, f"at/{game.version}/?zoom=1")
    assert shown_part(page) != WHOLE
    assert all(
        url.startswith(f"/g/{game.public_id}/at/{game.version}/")
        for url in zoom_links(page).values()
    )


@pytest.mark.parametrize("zoom", ["x", "-1", "0", "²", "1e1", "11", ""])
def test_an_invalid_zoom_shows_the_whole_board(game: Game, alice: User, zoom: str) -> None:
    assert shown_part(page_of(game, alice, f"?zoom={zoom}&near=hex-6-5")) == WHOLE


def test_the_zoom_has_a_maximum(game: Game, alice: User) -> None:
    far = page_of(game, alice, "?zoom=9&near=hex-6-5")
    assert shown_part(far) == shown_part(page_of(game, alice, "?zoom=2&near=hex-6-5"))


def test_query_parameters_are_escaped(game: Game, alice: User) -> None:
    page = page_of(game, alice, '?zoom=1&near="><b>x&who1="><i>y')
    assert "><b>" not in page and "><i>" not in page


def test_the_board_shows_each_step_of_the_move_before_it_is_made(game: Game, alice: User) -> None:
    version = game.version
    page = page_of(game, alice)
    who = next(
        name
        for name in re.findall(r'name="who1"\s+value="(U\d+)"', page)
        if re.search(r'name="step1"', page_of(game, alice, f"?who1={name}"))
    )
    step = re.findall(r'name="step1"\s+value="([^"]*)"', page_of(game, alice, f"?who1={who}"))[0]
    after = page_of(game, alice, f"?who1={who}&step1={step}")

    def place(page: str) -> str:
        """Return the transform that places the explorer in the drawing."""
        found: str
        (found,) = re.findall(rf'id="explorer-{who}"[^>]*transform="([^"]*)"', page)
        return found

    assert place(after) != place(page)
    game.refresh_from_db()
    assert game.version == version
