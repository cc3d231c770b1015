"""Visitors try a few turns against a bot: the address has everything, and nothing is stored."""

import re
from html import unescape

import pytest
from django.apps import apps
from django.test import Client
from pytest_django import Settings

from games.models import QuotaUse, User
from games.rules import GAMES, trial
from tests.support.pages import board_links, hidden_field, signed_in, text
from tests.support.trials import a_line, address, all_lines

pytestmark = pytest.mark.django_db

KINDS = sorted(GAMES)


def rows() -> dict[str, int]:
    """The number of rows of each table; that of the quotas has one for each network."""
    models = (model for model in apps.get_models() if model is not QuotaUse)
    return {model._meta.label: model._default_manager.count() for model in models}


@pytest.mark.parametrize("kind", KINDS)
def test_a_visitor_plays_three_turns_and_nothing_is_stored(client: Client, kind: str) -> None:
    before, lines = rows(), all_lines(kind)
    for count in range(len(lines) + 1):
        page = client.get(address(kind, *lines[:count]))
        assert page.status_code == 200
        assert ('id="orders" data-live' in text(page)) == (count < len(lines))
    assert "Would you like to play on?" in text(page)
    assert len(trial.after(kind, lines).turns) == trial.TURNS
    assert rows() == before
    assert not client.cookies


@pytest.mark.parametrize("kind", KINDS)
def test_the_bot_answers_at_once(kind: str) -> None:
    lines = all_lines(kind)
    seats = {
        GAMES[kind].rules.command_of(events[0])[0]  # type: ignore[index]
        for events in trial.after(kind, lines).moves
    }
    assert seats == {0, 1}


def test_a_move_is_found_by_the_links_of_the_board_and_confirmed_without_a_field(
    client: Client,
) -> None:
    page = text(client.get("/try/atlantis/"))
    page = text(client.get(board_links(page, "figure-")[0]))
    page = text(client.get(board_links(page, "space")[0]))
    line = hidden_field(page, "m")
    assert 'method="get"' in page
    assert "csrfmiddlewaretoken" not in page
    page = text(client.get(address("atlantis", line)))
    assert "Turn 2 of 3" in page
    assert "Galatea (easy bot)" in page


def test_links_and_forms_keep_the_moves_before(client: Client) -> None:
    first = a_line("atlantis")
    page = text(client.get(address("atlantis", first)))
    assert all("m=" in link for link in board_links(page, "figure-"))
    assert page.count(f'name="m" value="{first}"') == 3, "answers, a typed line and the next move"
    assert f'href="{address("atlantis", first)}#orders"' in unescape(page)


def test_choices_are_fetched_in_advance(client: Client) -> None:
    first = a_line("escape")
    found = client.get(address("escape", first).replace("/?", "/choices?")).json()
    assert found["hidden"] == [["m", first]]
    assert found["url"] == "/try/escape/"
    assert found["version"] == trial.after("escape", (first,)).version
    assert found["nodes"]
    assert (
        client.get(address("escape", *all_lines("escape")).replace("/?", "/choices?")).json() == {}
    )


def test_a_move_that_cannot_be_made_shows_the_position_before_it(client: Client) -> None:
    first = a_line("atlantis")
    page = text(client.get(address("atlantis", first, "Z seventeen", first)))
    assert 'class="problem" role="alert"' in page
    assert "Turn 2 of 3" in page
    assert page.count(f'name="m" value="{first}"') == 3


def test_moves_after_the_end_change_nothing(client: Client) -> None:
    lines = all_lines("atlantis")
    more = text(client.get(address("atlantis", *lines, *lines)))
    assert more == text(client.get(address("atlantis", *lines)))


def test_an_address_is_short_and_names_a_game(client: Client) -> None:
    assert client.get("/try/chess/").status_code == 404
    assert client.get("/try/atlantis/?m=" + "A" * 2000).status_code == 404


def test_it_is_only_read(client: Client) -> None:
    assert client.post("/try/atlantis/").status_code == 405
    assert client.post("/try/atlantis/choices").status_code == 405


def test_a_network_has_a_limit(client: Client, settings: Settings) -> None:
    settings.QUOTAS = {"trials_network_hour": 1}
    assert client.get("/try/atlantis/").status_code == 200
    assert client.get("/try/atlantis/").status_code == 429
    assert client.get("/try/atlantis/choices").status_code == 429


def test_search_engines_follow_no_choice(client: Client) -> None:
    assert "X-Robots-Tag" not in client.get("/try/atlantis/")
    assert client.get("/try/atlantis/?figure=A")["X-Robots-Tag"] == "noindex, nofollow"


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_game_is_a_sign_in_away(client: Client, alice: User, kind: str) -> None:
    for lines in ((), all_lines(kind)):
        page = text(client.get(address(kind, *lines)))
        found = re.search(r'href="([^"]*)"[^>]*>\s*Play a whole game', page)
        assert found
        sign_in = unescape(found[1])
        assert sign_in == f"/accounts/login/?next=%2Fnew%2F%3Fgame%3D{kind}"
    answer = signed_in(alice).get(sign_in)
    assert answer["Location"] == f"/new/?game={kind}"
