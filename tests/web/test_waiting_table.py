"""The page of a table that waits for players: what its buttons and its form of invitations say."""

import pytest

from games import services
from games.models import Invitation, User
from tests.factories import person, table_of
from tests.support.forms import buttons_of
from tests.support.pages import page_of, signed_in, text, url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

ZOE = "zoe@example.net"


def test_a_bot_on_the_last_seat_says_that_the_game_starts(alice: User, bob: User) -> None:
    table, client = table_of(alice, bob, seats=3), signed_in(alice)
    (button,) = [
        button
        for button in buttons_of(text(client.get(url(table))), url(table))
        if "bot" in button.label
    ]
    assert button.label == "Add a bot and start (3)"
    page = text(client.post(button.action, button.fields, follow=True))
    assert "All seats are taken: the game has started." in page


def test_a_bot_on_another_seat_starts_nothing(alice: User) -> None:
    labels = [b.label for b in buttons_of(page_of(table_of(alice, seats=3), alice), "")]
    assert "Add a bot (2)" in labels
    assert not any("and start" in label for label in labels)


def test_an_invitation_has_a_line_and_a_language(alice: User) -> None:
    table = table_of(alice, seats=3)
    form = {"address": ZOE, "message": "Come and play!", "language": "fr"}
    signed_in(alice).post(url(table, "invite"), form)
    sent = Invitation.objects.get()
    assert (sent.message, sent.language) == ("Come and play!", "fr")


def test_the_language_of_invitations_begins_with_that_of_the_host(carol: User) -> None:
    assert '<option value="de" selected>' in page_of(table_of(carol, seats=3), carol)


def test_a_line_with_a_link_is_refused_and_nothing_typed_is_lost(alice: User) -> None:
    table, client = table_of(alice, seats=3), signed_in(alice)
    form = {"address": ZOE, "message": "see www.example.com", "language": "fr"}
    page = text(client.post(url(table, "invite"), form, follow=True))
    assert "cannot contain links or addresses" in page
    for kept in (ZOE, "see www.example.com", '<option value="fr" selected>'):
        assert kept in page
    assert not Invitation.objects.exists()


def test_a_limit_of_an_address_leaves_the_link_of_the_table(alice: User) -> None:
    for name in ("Eve", "Finn", "Gus"):
        host = person(name)
        services.game_invite(game_id=table_of(host, seats=3).pk, by=host, address=ZOE)
    table, client = table_of(alice, seats=3), signed_in(alice)
    page = text(client.post(url(table, "invite"), {"address": ZOE}, follow=True))
    assert "This address has reached the limit for invitations (3 per day)." in page
    assert "You can send the invitation link yourself." in page
