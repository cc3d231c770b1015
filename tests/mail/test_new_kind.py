"""A new kind of email is one class and two templates: nothing else in the service changes."""

from collections.abc import Iterator
from copy import deepcopy
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from games import services
from games.mail import outbox, outbox_rows
from games.mail.kinds import base
from games.models import DeliveryMode, Game, OutboxMail, User
from tests.factories import play_to_the_end, table_of
from tests.new_kind.greeting import GREETING
from tests.support.emails import State, read, row_for
from tests.support.smtp_sink import SmtpSink

pytestmark = pytest.mark.django_db

TEMPLATES = Path(__file__).parents[1] / "new_kind" / "templates"


@pytest.fixture(autouse=True)
def _greetings(settings: Settings) -> Iterator[None]:
    """The service has the kind, and its templates."""
    engines = deepcopy(settings.TEMPLATES)
    engines[0]["DIRS"] = [*engines[0]["DIRS"], TEMPLATES]
    settings.TEMPLATES = engines
    base.register(GREETING)
    yield
    del base._KINDS[GREETING.name]


def greet(game: Game, user: User, words: str = "Ahoy!") -> OutboxMail:
    """Queue a greeting to this player; no other email of theirs is due."""
    outbox_rows.enqueue(
        outbox_rows.seat_row(GREETING, game, game.seats.get(user=user), game.version, words=words)
        for _twice in range(2)
    )
    OutboxMail.objects.exclude(kind="greeting").delete()
    return row_for(game, "greeting", user)


def choose(user: User, mode: DeliveryMode) -> None:
    """The player wants greetings in this way."""
    services.mail_preferences_set(
        user=user,
        modes={"greeting": mode},
        gather_minutes=15,
        digest_hour=8,
        quiet_from=None,
        quiet_until=None,
        hold_while_online=False,
        hold_at_table=False,
        remind_half=True,
        remind_day=True,
        remind_last=False,
    )


def test_it_is_queued_once_and_sent(outgoing: SmtpSink, alice: User, bob: User) -> None:
    game = table_of(alice, bob, name="Round the mainland")
    greet(game, alice)
    assert outbox.drain().sent == 1
    (message,) = outgoing.messages
    mail = read(message)
    assert mail["Subject"] == "Atlantis: “Round the mainland”"
    assert "Ahoy!" in mail.text
    assert "Somebody says “Ahoy!”." in mail.html  # the line beside the subject
    assert "board@127.0.0.1" in mail.pictures
    assert "(greeting)" in mail.words  # in the link that switches it off
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_it_is_checked_before_it_is_sent(outgoing: SmtpSink, alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    row = greet(game, alice)
    play_to_the_end(game)
    OutboxMail.objects.exclude(kind="greeting").delete()
    assert outbox.drain().dropped == 1
    row.refresh_from_db()
    assert (row.state, row.error) == (State.DROPPED, "nobody is at the table to hear it")


@pytest.mark.parametrize("mode", [DeliveryMode.BATCHED, DeliveryMode.DIGEST])
def test_it_is_merged_with_others(
    outgoing: SmtpSink, alice: User, bob: User, mode: DeliveryMode
) -> None:
    choose(alice, mode)
    rows = [greet(table_of(alice, bob), alice, words) for words in ("Ahoy!", "Land!")]
    assert all(row.next_try_at > row.created_at for row in rows)
    OutboxMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
    assert outbox.drain().sent == 1
    (message,) = outgoing.messages
    for words in ("Somebody says “Ahoy!”.", "Somebody says “Land!”."):
        assert words in read(message).words
        assert words in read(message).text


def test_the_page_offers_it_with_a_preview(client: Client, alice: User, bob: User) -> None:
    table_of(alice, bob)
    client.force_login(alice)
    page = client.get("/settings/mails/").content.decode()
    assert "Somebody says hello" in page
    assert "/settings/mails/greeting/" in page
    assert "Ahoy!" in client.get("/settings/mails/greeting/html").content.decode()


def test_one_click_switches_it_off(
    outgoing: SmtpSink, client: Client, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    greet(game, alice)
    outbox.drain()
    link = read(outgoing.messages[0])["List-Unsubscribe"].strip("<>")
    client.post(link.removeprefix("http://127.0.0.1:8000"), {"List-Unsubscribe": "One-Click"})
    OutboxMail.objects.all().delete()
    greet(game, alice)
    assert outbox.drain().dropped == 1
    assert row_for(game, "greeting").error == "the recipient turned emails for this game off"


def test_it_needs_no_migration() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_a_worker_that_does_not_know_it_leaves_it_to_others(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    row = greet(table_of(alice, bob), alice)
    del base._KINDS[GREETING.name]
    table_of(alice, bob)
    assert outbox.drain().sent > 0
    row.refresh_from_db()
    assert (row.state, row.attempts) == (State.QUEUED, 0)
    base.register(GREETING)
    assert outbox.drain().sent == 1
