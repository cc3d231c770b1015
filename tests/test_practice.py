"""A practice table: one click, a bot, no email."""

import pytest
from django.urls import reverse

from games import services
from games.mail import relevance
from games.models import Game, OutboxMail, Seat, User
from games.rules import GAMES
from tests.factories import fresh, play_to_the_end
from tests.test_views import signed_in, text

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kind", sorted(GAMES))
def test_one_click_starts_a_game_against_a_bot(kind: str, alice: User) -> None:
    client = signed_in(alice)
    page = text(client.get(f"{reverse('new_game')}?game={kind}"))
    assert reverse("practice", args=[kind]) in page
    answer = client.post(reverse("practice", args=[kind]))
    game = Game.objects.get()
    assert answer.headers["Location"] == reverse("game", args=[game.public_id])
    assert (game.kind, game.status, game.is_open) == (kind, Game.Status.RUNNING, False)
    assert [seat.is_bot for seat in game.seats.order_by("number")].count(True) == 1


def test_the_first_page_of_a_newcomer_offers_one_of_each_game(alice: User) -> None:
    client = signed_in(alice)
    addresses = [reverse("practice", args=[kind]) for kind in GAMES]
    assert all(address in text(client.get("/")) for address in addresses)
    services.practice_create(host=alice, kind="atlantis")
    assert not any(address in text(client.get("/")) for address in addresses)


def test_a_practice_game_never_sends_an_email(alice: User) -> None:
    game = services.practice_create(host=alice, kind="atlantis")
    assert Seat.objects.get(game=game, user=alice).mails_off
    play_to_the_end(game)
    assert fresh(game).is_over
    for row in OutboxMail.objects.filter(user=alice):
        assert relevance.check_before_send(row).drop


def test_a_get_creates_nothing(alice: User) -> None:
    signed_in(alice).get(reverse("practice", args=["atlantis"]))
    assert not Game.objects.exists()
