"""Hints beside the board, for those who have just signed up."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Game, User
from games.rules import GAMES
from tests.factories import table_of
from tests.support.pages import page_of, signed_in, text, url

pytestmark = pytest.mark.django_db

HINT = "You have one bridge for the whole game."


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    return table_of(alice, bob)


def test_a_newcomer_gets_five_hints_and_dismisses_each(game: Game, alice: User) -> None:
    client = signed_in(alice)
    page = text(client.get(url(game)))
    assert page.count('class="hint"') == 5 and HINT in page
    answer = client.post(url(game, "hints?figure=A"), {"hint": "4"})
    assert answer.headers["Location"] == url(game, "?figure=A")
    page = text(client.get(url(game)))
    assert page.count('class="hint"') == 4 and HINT not in page


@pytest.mark.parametrize("hint", ["", "x", "99", "²"])
def test_other_numbers_dismiss_nothing(game: Game, alice: User, hint: str) -> None:
    client = signed_in(alice)
    client.post(url(game, "hints"), {"hint": hint})
    assert text(client.get(url(game))).count('class="hint"') == 5


def test_those_who_know_the_games_and_spectators_get_none(
    game: Game, alice: User, dave: User
) -> None:
    assert HINT not in page_of(game, dave)
    assert HINT not in text(Client().get(url(game)))
    User.objects.filter(pk=alice.pk).update(date_joined=timezone.now() - timedelta(days=31))
    assert HINT not in page_of(game, alice)


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_both_games_have_five(kind: str) -> None:
    assert len(GAMES[kind].presentation.hints()) == 5
