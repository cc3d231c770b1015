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
TITLE = LINES.replace("@", " at ").replace(".", " ")  # without an address


def assert_harmless(row: OutboxMail) -> None:
    mail = written(row)
    assert mail["Bcc"] == mail["X-More"] == ""
    assert EVE not in str(mail["To"])


def test_names_stay_in_one_line_of_the_headers(alice: User, bob: User) -> None:
    User.objects.update(display_name=TITLE)
    game = play_turns(table_of(alice, bob, name=TITLE), 2)
    waiting = table_of(alice, seats=3, name=TITLE)
    services.game_invite(game_id=waiting.pk, by=alice, address="zoe@example.org")
    rows = OutboxMail.objects.filter(game__in=[game, waiting]).order_by("pk")
    assert {"turn", "invitation"} <= {row.kind for row in rows}
    for row in rows:
        assert_harmless(row)
    assert "Bcc" in written(rows[0])["List-Id"]


@pytest.mark.parametrize("name", ["Zoë O’Neil, Jr.", 'Bob "Ace" <3', "李; (x) = y"])
def test_a_name_with_special_characters_of_email_arrives_as_it_is(
    alice: User, bob: User, name: str
) -> None:
    game = play_turns(table_of(alice, bob, name=name), 1)
    mail = written(OutboxMail.objects.get(game=game, kind="turn", user=bob))
    assert name in mail["Subject"]


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


@pytest.mark.parametrize(
    "address",
    [
        "zoe@example.org",
        "zoe+games@example.org",
        "zo.e_o'neil-1@mail.example.co.uk",
        "Zoe@Example.ORG",
        " zoe@example.org ",
        "zoe@xn--bcher-kva.example",
    ],
)
def test_an_email_goes_to_every_ordinary_address(alice: User, address: str) -> None:
    game = table_of(alice, seats=3)
    Client().post("/accounts/login/", {"login": address})
    services.game_invite(game_id=game.pk, by=alice, address=address)
    there = OutboxMail.objects.filter(to_address__iexact=address.strip())
    assert sorted(there.values_list("kind", flat=True)) == ["account", "invitation"]
    for row in there:
        assert written(row)["To"].lower() == address.strip().lower()
