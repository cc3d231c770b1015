"""Hints inside the question, for those who have just signed up."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Game, User
from games.rules import GAMES
from tests.factories import play_turns, table_of
from tests.support.pages import page_of, signed_in, text, url

pytestmark = pytest.mark.django_db

FIGURE = "Choose an outlined figure"
LANDING = "A card moves a figure to the next tile"


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    """In its middle, where the figures stand in different places."""
    return play_turns(table_of(alice, bob), 6)


def test_a_newcomer_gets_one_hint_about_the_present_question(game: Game, alice: User) -> None:
    client = signed_in(alice)
    page = text(client.get(url(game)))
    assert FIGURE in page and LANDING not in page
    page = text(client.get(url(game, "?figure=A")))
    assert LANDING in page and FIGURE not in page


def test_no_more_hints_holds_on_every_device(game: Game, alice: User) -> None:
    answer = signed_in(alice).post(url(game, "hints?figure=A"))
    assert answer.headers["Location"] == url(game, "?figure=A#orders")
    other_device = signed_in(alice)
    page = text(other_device.get(url(game, "?figure=A")))
    assert LANDING not in page and "Stop showing hints" not in page
    assert other_device.get(url(game, "choices")).json()["hints"] == {}


def test_the_settings_bring_the_hints_back(game: Game, alice: User) -> None:
    client = signed_in(alice)
    client.post(url(game, "hints"))
    assert not client.get("/settings/").context["form"]["wants_hints"].value()
    kept = {"display_name": "Alice", "time_zone": "UTC", "language": "en"}
    client.post("/settings/", {**kept, "wants_hints": "on"})
    assert FIGURE in text(client.get(url(game)))
    client.post("/settings/", kept)
    assert FIGURE not in text(client.get(url(game)))


def test_the_settings_offer_hints_only_while_there_are_any(alice: User) -> None:
    assert "Hints at tables" in text(signed_in(alice).get("/settings/"))
    User.objects.filter(pk=alice.pk).update(date_joined=timezone.now() - timedelta(days=31))
    client = signed_in(alice)
    assert "Hints at tables" not in text(client.get("/settings/"))
    client.post("/settings/", {"display_name": "Al", "time_zone": "UTC", "language": "en"})
    alice.refresh_from_db()
    assert alice.wants_hints and alice.display_name == "Al"


def test_the_moves_that_the_page_fetches_bring_the_hints(game: Game, alice: User) -> None:
    hints = signed_in(alice).get(url(game, "choices")).json()["hints"]
    assert hints["figure"].startswith(FIGURE)


def test_those_who_wait_know_the_games_or_look_on_get_none(
    game: Game, alice: User, bob: User, dave: User
) -> None:
    for reader in (bob, dave):
        assert FIGURE not in page_of(game, reader)
    assert FIGURE not in text(Client().get(url(game)))
    User.objects.filter(pk=alice.pk).update(date_joined=timezone.now() - timedelta(days=31))
    assert FIGURE not in page_of(game, alice)


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_both_games_have_five(kind: str) -> None:
    assert len(GAMES[kind].presentation.hints()) == 5
