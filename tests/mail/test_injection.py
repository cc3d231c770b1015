"""Nothing that people write adds a header or a recipient to an email, or a command to SMTP."""

import pytest
from django.test import Client
from pytest_django import Settings

from games import services
from games.models import Game, OutboxMail, User
from tests.factories import play_turns, table_of
from tests.support.emails import written
from tests.support.replies import address_of, arrive, reply_email

pytestmark = pytest.mark.django_db

EVE = "eve@example.net"
LINES = f"x\r\nBcc: {EVE}\nX-More: 1"


def assert_harmless(row: OutboxMail) -> None:
    mail = written(row)
    assert mail["Bcc"] == mail["X-More"] == ""
    assert EVE not in str(mail["To"])


def test_names_stay_in_one_line_of_the_headers(alice: User, bob: User) -> None:
    User.objects.update(display_name=LINES)
    game = play_turns(table_of(alice, bob, name=LINES), 2)
    waiting = table_of(alice, seats=3, name=LINES)
    services.game_invite(game_id=waiting.pk, by=alice, address="zoe@example.org")
    rows = OutboxMail.objects.filter(game__in=[game, waiting])
    assert {"turn", "invitation"} <= {row.kind for row in rows}
    for row in rows:
        assert_harmless(row)
    assert "Bcc" in written(rows[0])["List-Id"]


def test_a_reply_adds_nothing_to_the_headers_of_its_answer(
    alice: User, bob: User, replies: Settings
) -> None:
    game = table_of(alice, bob)
    to = address_of(game, alice)
    raw = reply_email("help", to, alice.email, message_id=f"<a@b>\r\n <c\r\n Bcc: {EVE}>")
    row = arrive(raw, to)
    assert row.answer is not None
    assert_harmless(row.answer)


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r", "\x00", "> RCPT TO:<x@example.net", " \u2028"])
def test_no_email_goes_to_an_address_with_more_in_it(alice: User, end: str) -> None:
    address = f"zoe@example.org{end}{EVE}"
    Client().post("/accounts/login/", {"login": address})
    with pytest.raises(services.ServiceError):
        game = table_of(alice, seats=3)
        services.game_invite(game_id=game.pk, by=alice, address=address)
    assert not OutboxMail.objects.filter(to_address__contains="eve").exists()
    assert Game.objects.exists()
