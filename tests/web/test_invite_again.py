"""At a table that waits, a host invites people by name whom they have played with."""

import pytest

from games import services
from games.models import Game, Invitation, User
from games.web.players import player_key
from tests.factories import fresh, table_of
from tests.support.forms import buttons_of
from tests.support.pages import page_of, signed_in, text, url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]


def names_offered(table: Game, host: User) -> list[str]:
    buttons = buttons_of(page_of(table, host), url(table))
    return [
        button.label
        for button in buttons
        if "player" in button.fields and "invite" in button.action
    ]


def invite(table: Game, host: User, player: User) -> str:
    form = {"player": player_key(player)}
    return text(signed_in(host).post(url(table, "invite"), form, follow=True))


@pytest.fixture
def played(alice: User, bob: User) -> Game:
    return table_of(alice, bob)


@pytest.fixture
def waiting(played: Game, alice: User) -> Game:
    return table_of(alice, seats=3)


def test_whoever_played_with_the_host_is_offered_by_name(
    waiting: Game, alice: User, carol: User
) -> None:
    assert names_offered(waiting, alice) == ["Bob"]


def test_one_click_invites_and_the_seat_says_whom_it_waits_for(
    waiting: Game, alice: User, bob: User
) -> None:
    assert "An invitation is on its way to Bob." in invite(waiting, alice, bob)
    sent = Invitation.objects.get()
    assert (sent.address, sent.invitee, sent.invited_by) == (bob.email, bob, alice)
    page = page_of(waiting, alice)
    assert page.count("Free seat: waiting for Bob") == 1
    assert page.count("Free seat") == 2
    assert bob.email not in page
    assert names_offered(waiting, alice) == []
    services.game_join(game_id=waiting.pk, user=bob, token=sent.token)
    assert "waiting for Bob" not in page_of(waiting, alice)


def test_those_who_sit_there_read_names_but_no_address_that_somebody_else_typed(
    waiting: Game, alice: User, bob: User, carol: User, dave: User
) -> None:
    services.game_join(game_id=waiting.pk, user=carol, token=waiting.invite_token)
    services.game_invite(game_id=waiting.pk, by=alice, address="zoe@example.net")
    assert "Free seat: waiting for zoe@example.net" in page_of(waiting, alice)
    assert "Freier Platz: wartet" not in page_of(waiting, carol)
    invite(waiting, alice, bob)
    assert "Freier Platz: wartet auf Bob" in page_of(waiting, carol)
    Game.objects.filter(pk=waiting.pk).update(is_open=True)
    assert "waiting for" not in page_of(fresh(waiting), dave)


def test_nobody_else_can_be_invited_by_name(waiting: Game, alice: User, carol: User) -> None:
    page = invite(waiting, alice, carol)
    assert "You can invite by name only people whom you have played with." in page
    assert not Invitation.objects.exists()


def test_blocked_people_are_not_offered(waiting: Game, alice: User, bob: User) -> None:
    services.person_block(user=alice, person=bob, is_blocked=True)
    assert names_offered(waiting, alice) == []
    invite(waiting, alice, bob)
    assert not Invitation.objects.exists()


def test_whether_an_address_is_that_of_a_player_is_not_said(
    waiting: Game, alice: User, bob: User
) -> None:
    services.game_invite(game_id=waiting.pk, by=alice, address=bob.email)
    assert names_offered(waiting, alice) == ["Bob"]
    assert "An invitation is on its way to Bob." in invite(waiting, alice, bob)
    assert Invitation.objects.count() == 1
    assert "waiting for Bob" not in page_of(waiting, alice)


def test_only_the_host_invites_by_name(waiting: Game, bob: User, alice: User, carol: User) -> None:
    table_of(bob, carol)
    services.game_join(game_id=waiting.pk, user=bob, token=waiting.invite_token)
    invite(waiting, bob, carol)
    assert not Invitation.objects.exists()
