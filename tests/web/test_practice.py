"""A practice table: one click, a bot, no email."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.urls import reverse

from games import selectors, services
from games.mail import relevance
from games.models import Game, OutboxMail, Seat, User, database_clock
from games.rules import GAMES
from tests.factories import fresh, play_to_the_end
from tests.support.pages import signed_in, text

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


@pytest.mark.parametrize("kind", sorted(GAMES))
def test_a_practice_game_has_no_deadline(kind: str, alice: User) -> None:
    game = services.practice_create(host=alice, kind=kind)
    services.game_play_bots(game_id=game.pk)
    assert fresh(game).to_act == [seat_of(game, alice).number]
    assert seat_of(game, alice).due_at is None
    later = database_clock.now() + timedelta(days=100)
    assert services.deadline_check(now=later) == services.reminders_due(now=later) == 0
    client = signed_in(alice)
    home = text(client.get("/"))
    assert 'class="game-row mine"' in home and "<time" not in home
    page = text(client.get(f"{reverse('game', args=[game.public_id])}?details=all"))
    assert "no deadlines" in page
    assert "If a player misses a deadline" not in page
    assert "After the deadline" not in page
    call_command("verify")


def seat_of(game: Game, user: User) -> Seat:
    return Seat.objects.get(game=game, user=user)


def test_a_practice_game_does_not_count_in_the_figures(alice: User) -> None:
    play_to_the_end(services.practice_create(host=alice, kind="atlantis"))
    found = selectors.reliability(alice, database_clock.now())
    assert (found.games, found.counted) == ((), 0)


def test_practice_can_be_paused_and_played_again(alice: User, mona: User) -> None:
    game = services.practice_create(host=alice, kind="atlantis")
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "A storm"))
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "It is over"))
    play_to_the_end(game)
    again = services.game_rematch(game_id=game.pk, by=alice)
    assert (again.practice, again.status) == (True, Game.Status.RUNNING)
    assert seat_of(again, alice).mails_off


def test_a_get_creates_nothing(alice: User) -> None:
    signed_in(alice).get(reverse("practice", args=["atlantis"]))
    assert not Game.objects.exists()
