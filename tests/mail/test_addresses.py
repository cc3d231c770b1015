"""Addresses that want no invitations, and addresses to which emails do not come."""

import base64
import json
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

import pytest
from anymail.exceptions import AnymailRecipientsRefused
from anymail.message import AnymailMessage, AnymailRecipientStatus
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from games import services, tasks
from games.mail import outbox, queue, signed_links
from games.mail.kinds.base import NO_ARRIVAL
from games.mail.kinds.invitation import plain_name
from games.mail.transport import Refusal, SendFailed, explain
from games.models import Game, MailAddress, MailReport, OutboxMail, User, address_digest
from games.services import ServiceError
from tests.factories import person, table_of
from tests.support.emails import Kind, State, row_for, written
from tests.support.moderators import moderating
from tests.support.smtp_sink import SmtpSink

pytestmark = pytest.mark.django_db

ZOE = "zoe@example.net"


# -- invitations ---------------------------------------------------------------------------


def test_an_address_can_say_never_again_with_one_click_and_take_it_back(
    outgoing: SmtpSink, alice: User
) -> None:
    game = table_of(alice, seats=3)
    services.game_invite(game_id=game.pk, by=alice, address=ZOE)
    received = written(row_for(game, Kind.INVITATION))
    assert received["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = received["List-Unsubscribe"].strip("<>").removeprefix("http://127.0.0.1:8000")
    assert path in received.text
    assert path in received.html
    assert "example.net" not in unquote(path)
    program = Client(enforce_csrf_checks=True)
    assert program.get(path).status_code == 200
    assert not MailAddress.objects.exists()  # looking does nothing
    page = program.post(path, {"List-Unsubscribe": "One-Click"})
    assert "You won’t get any more invitations" in page.content.decode()
    outbox.drain()
    assert row_for(game, Kind.INVITATION).error == "this address wants no invitations"
    program.post(path, {"on": "1"})
    again = table_of(alice, seats=3)
    services.game_invite(game_id=again.pk, by=alice, address="Zoe@Example.net ")
    outbox.drain()
    assert row_for(again, Kind.INVITATION).state == State.SENT


def test_of_an_address_that_said_never_again_nothing_is_kept_but_a_sum() -> None:
    services.address_refuse(digest=address_digest(ZOE), refused=True)
    (kept,) = MailAddress.objects.values()
    assert kept["digest"] == address_digest(" ZOE@example.net")
    assert "zoe" not in json.dumps(kept, default=str)


def test_a_forged_never_again_is_not_known(client: Client) -> None:
    path = signed_links.never_path(ZOE)
    forged = path.replace(address_digest(ZOE), address_digest("bob@example.org"))
    assert forged != path
    assert client.post(forged).status_code == 404
    assert not MailAddress.objects.exists()


def test_an_invitation_carries_no_words_of_its_host(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(display_name="win at www.spam.example")
    alice.refresh_from_db()
    game = table_of(alice, seats=3)
    Game.objects.filter(pk=game.pk).update(name="http://spam.example/ FREE")
    game.refresh_from_db()
    services.game_invite(game_id=game.pk, by=alice, address=ZOE)
    raw = written(row_for(game, Kind.INVITATION))
    for part in (raw.text, raw.html, raw["Subject"], raw["List-Id"]):
        assert "spam.example" not in part
    assert raw["Subject"] == "A player invites you to a game of Atlantis"


@pytest.mark.parametrize("name", ["Anna", "Dr. Bob", "J. R. Doe", "Łukasz 7", "Ann-Marie (mum)"])
def test_names_are_names(name: str) -> None:
    assert plain_name(name) == name


@pytest.mark.parametrize("name", ["spam.example", "http://x", "www win", "a@b", "t.me/x", "a。com"])
def test_links_are_no_names(name: str) -> None:
    assert plain_name(name) == "A player"


def test_one_address_is_not_invited_by_everybody(db: None) -> None:
    hosts = [person(name) for name in ("Hans", "Hugo", "Hilda", "Hera")]
    tables = [table_of(host, seats=3) for host in hosts]
    for host, game in list(zip(hosts, tables, strict=True))[:3]:
        services.game_invite(game_id=game.pk, by=host, address=ZOE)
    with pytest.raises(ServiceError, match="This address has reached the limit for invitations"):
        services.game_invite(game_id=tables[3].pk, by=hosts[3], address=ZOE)


# -- what our own mail server says -----------------------------------------------------------


def refuse(sink: SmtpSink, user: User, words: str) -> None:
    """Let the mail server answer this recipient with these words."""
    sink.rcpt_reply = lambda address: words if address == user.email else "250 OK"


GONE = "550 5.1.1 <bob@example.org>: Recipient address rejected: User unknown"


def test_a_mailbox_that_our_mail_server_does_not_know_is_a_hard_bounce(
    outgoing: SmtpSink, client: Client, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    refuse(outgoing, bob, GONE)
    tasks.drain_outbox()
    bob.refresh_from_db()
    assert bob.mail_stopped == "bounce"
    assert row_for(game, Kind.STARTED, bob).state == State.DEAD
    assert row_for(game, Kind.TURN, alice).state == State.SENT
    (report,) = MailReport.objects.all()
    assert (report.address, "bob@" in report.words) == ("", False)
    for user, words in (
        (bob, "Our emails to you aren’t being delivered."),
        (alice, "Our emails to Bob are not being delivered"),
        (mona, "Our emails to Bob are not being delivered"),
    ):
        client.force_login(user)
        assert words in client.get(f"/g/{game.public_id}/").content.decode()


def test_a_refused_email_is_sent_once_the_address_is_confirmed_again(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    game = table_of(bob, alice)
    refuse(outgoing, bob, GONE)
    tasks.drain_outbox()
    assert row_for(game, Kind.TURN, bob).state == State.DEAD
    outgoing.rcpt_reply = "250 OK"
    bob.refresh_from_db()
    services.address_unblock(user=bob)
    tasks.drain_outbox()
    assert row_for(game, Kind.TURN, bob).state == State.SENT
    bob.refresh_from_db()
    assert bob.mail_stopped == ""


def test_an_address_that_is_refused_again_after_it_was_confirmed_is_stopped_again(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    table_of(bob, alice)
    refuse(outgoing, bob, GONE)
    for _time in range(2):
        tasks.drain_outbox()
        bob.refresh_from_db()
        assert bob.mail_stopped == "bounce"
        services.address_unblock(user=bob)


def test_the_host_sees_that_an_invitation_did_not_arrive(
    outgoing: SmtpSink, client: Client, alice: User
) -> None:
    game = table_of(alice, seats=3)
    for address in (ZOE, "yan@example.net"):
        services.game_invite(game_id=game.pk, by=alice, address=address)
    outgoing.rcpt_reply = lambda address: "550 5.1.1 who?" if address == ZOE else "250 OK"
    tasks.drain_outbox()
    client.force_login(alice)
    page = client.get(f"/g/{game.public_id}/").content.decode()
    lines = {line for line in page.split("<li>") if "@example.net" in line.split(maxsplit=1)[0]}
    assert {line.split()[0] for line in lines if "was not delivered" in line} == {ZOE}
    assert len(lines) == 2


@pytest.mark.parametrize(
    "words",
    [
        "550 5.1.1 unknown user",
        "550 5.1.10 Recipient address has null MX",
        "553 5.1.3 bad destination mailbox address syntax",
        "550 Requested action not taken: mailbox unavailable",
        "551 User not local",
    ],
)
def test_no_mailbox_there_stops_the_address(outgoing: SmtpSink, bob: User, words: str) -> None:
    assert stops(outgoing, bob, rcpt_reply=words)


@pytest.mark.parametrize(
    "words",
    [
        "550 5.7.1 Message rejected due to your reputation",
        "554 5.7.1 <bob@example.org>: Relay access denied",
        "550 relay not permitted",
        "550 Your host is listed at a blocklist",
        "553 5.1.8 Domain of sender address does not exist",
        "552 5.2.2 Mailbox full",
        "550 5.2.1 This mailbox is disabled",
        "554 Transaction failed",
        "451 4.1.1 try again",
        "450 mailbox unavailable",
    ],
)
def test_no_to_us_or_for_now_does_not_stop_the_address(
    outgoing: SmtpSink, bob: User, words: str
) -> None:
    assert not stops(outgoing, bob, rcpt_reply=words)


@pytest.mark.parametrize(
    ("words", "stopped"),
    [
        ("550 5.1.1 unknown user", True),  # some servers look for the mailbox this late
        ("554 5.7.1 looks like spam", False),
        ("554 5.6.0 malformed message", False),
        ("550 we do not want this", False),
        ("552 5.3.4 message too big", False),
    ],
)
def test_a_no_to_the_email_itself_stops_the_address_only_where_it_speaks_of_it(
    outgoing: SmtpSink, bob: User, words: str, stopped: bool
) -> None:
    assert stops(outgoing, bob, answer=words) is stopped


@pytest.mark.parametrize(("status", "gone"), [("invalid", True), ("rejected", False)])
def test_an_address_that_a_provider_calls_invalid_is_gone_one_on_its_own_list_is_not(
    status: str, gone: bool
) -> None:
    message = AnymailMessage(to=["bob@example.org"])
    message.anymail_status.set_recipient_status(
        {"bob@example.org": AnymailRecipientStatus(None, status)}
    )
    failure = explain(AnymailRecipientsRefused(email_message=message))
    assert isinstance(failure, SendFailed)
    assert (failure.refusal == Refusal.MAILBOX) is gone


def stops(sink: SmtpSink, user: User, **said: str) -> bool:
    """Return whether emails to this person stop once our mail server has said this."""
    for name, words in said.items():
        setattr(sink, name, words)
    context = {"language": "en", "subject": "A code", "body": "Words."}
    queue.account(user.email, dedupe="x", context=context, user=user)
    for _try in range(2):  # a refusal without a status code is believed when it comes again
        OutboxMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
        tasks.drain_urgent()
    user.refresh_from_db()
    assert row_for(None, Kind.ACCOUNT).state != State.SENT
    return user.mail_stopped == "bounce"


# -- what providers report -----------------------------------------------------------------


@pytest.fixture
def provider(client: Client, settings: Settings) -> Any:
    """Postmark, reporting to our webhook with the right secret; the answer's status."""
    settings.INBOUND_SECRET = ["postmark:geheim"]
    settings.ANYMAIL = {**settings.ANYMAIL, "WEBHOOK_SECRET": ["postmark:geheim"]}

    def report(secret: str = "postmark:geheim", **fields: Any) -> int:
        payload = {"MessageID": "m-1", "Email": "bob@example.org", "ID": 4323372036, **fields}
        return client.post(
            "/anymail/postmark/tracking/",
            json.dumps(payload),
            content_type="application/json",
            headers={"Authorization": "Basic " + base64.b64encode(secret.encode()).decode()},
        ).status_code

    return report


HARD = {
    "RecordType": "Bounce",
    "Type": "HardBounce",
    "TypeCode": 1,
    "Description": "No mailbox bob@example.org here",
    "Details": "smtp;550 5.1.1 <bob@example.org> unknown",
    "BouncedAt": "2027-01-16T16:10:02.0Z",
}
SOFT = {**HARD, "Type": "SoftBounce", "TypeCode": 4096}
SPAM = {**HARD, "RecordType": "SpamComplaint", "Type": "SpamComplaint", "TypeCode": 512}


def test_without_the_secret_nothing_is_believed(provider: Any, settings: Settings) -> None:
    assert provider("postmark:raten", **HARD) == 400
    settings.INBOUND_SECRET = []
    assert provider(**HARD) == 404
    assert not MailReport.objects.exists()


@pytest.mark.parametrize(("said", "why"), [(HARD, "bounce"), (SPAM, "complaint")])
def test_a_hard_bounce_or_a_complaint_stops_all_but_codes_at_once(
    outgoing: SmtpSink, provider: Any, alice: User, bob: User, said: dict[str, Any], why: str
) -> None:
    game = table_of(alice, bob)
    assert provider(**said) == 200
    assert services.reports_work() == 1
    bob.refresh_from_db()
    assert bob.mail_stopped == why
    context = {"language": "en", "subject": "A code", "body": "Words."}
    queue.account(bob.email, dedupe="x", context=context, user=bob)
    outbox.drain()
    assert row_for(game, Kind.STARTED, bob).error == NO_ARRIVAL
    assert row_for(None, Kind.ACCOUNT).state == State.SENT
    assert row_for(game, Kind.TURN, alice).state == State.SENT


def test_a_report_is_kept_first_received_twice_is_one_and_forgets_the_address(
    provider: Any, bob: User
) -> None:
    provider(**HARD)
    report = MailReport.objects.get()
    assert (report.address, report.worked_at, bob.mail_stopped) == ("bob@example.org", None, "")
    assert "bob@" not in report.words
    assert services.reports_work() == 1
    provider(**HARD)
    assert services.reports_work() == 0
    assert MailReport.objects.get().address == ""


def test_a_soft_bounce_is_only_counted(provider: Any, bob: User) -> None:
    for number in range(2):
        provider(**{**SOFT, "ID": number})
    services.reports_work()
    bob.refresh_from_db()
    assert bob.mail_stopped == ""
    known = MailAddress.objects.get(digest=address_digest(bob.email))
    assert (known.soft_bounces, known.stopped) == (2, "")


def stop(user: User) -> None:
    MailReport.objects.create(key=user.email, provider="Test", meaning="bounce", address=user.email)
    services.reports_work()
    user.refresh_from_db()


def test_the_user_sees_it_on_every_page_and_can_resume_delivery(
    outgoing: SmtpSink, client: Client, alice: User, bob: User
) -> None:
    stop(alice)
    game = table_of(alice, bob)
    outbox.drain()
    assert row_for(game, Kind.TURN, alice).state == State.DROPPED
    client.force_login(alice)
    assert "Our emails to you aren’t being delivered." in client.get("/").content.decode()
    page = client.get("/settings/mails/stopped/").content.decode()
    assert "alice@example.org says the mailbox does not exist" in " ".join(page.split())
    client.post("/settings/mails/stopped/")
    assert "Our emails to you aren’t being delivered." not in client.get("/").content.decode()
    OutboxMail.objects.filter(state=State.QUEUED).update(
        next_try_at=timezone.now() - timedelta(seconds=1)
    )
    outbox.drain()
    assert row_for(game, Kind.TURN, alice).state == State.SENT


def test_another_address_is_another_matter(alice: User) -> None:
    stop(alice)
    assert alice.mail_stopped == "bounce"
    alice.email = "elsewhere@example.org"
    assert alice.mail_stopped == ""


def test_what_waits_goes_to_the_new_address_and_not_to_the_old_one(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    table_of(alice, bob)
    OutboxMail.objects.exclude(user=alice).delete()
    User.objects.filter(pk=alice.pk).update(email="elsewhere@example.org")
    outbox.drain()
    assert outgoing.recipients == [["elsewhere@example.org"]]
    assert outgoing.messages[0]["To"] == "elsewhere@example.org"


def test_the_host_and_the_moderators_see_whose_emails_do_not_arrive(
    client: Client, alice: User, bob: User, carol: User, mona: User
) -> None:
    game = table_of(alice, bob, carol)
    stop(bob)
    words = "Our emails to Bob are not being delivered"
    for user, sees in ((alice, True), (carol, False), (mona, True)):
        client.force_login(user)
        page = client.get(f"/g/{game.public_id}/", headers={"Accept-Language": "en"})
        User.objects.filter(pk=user.pk).update(language="en")
        page = client.get(f"/g/{game.public_id}/")
        assert (words in page.content.decode()) is sees, user.email
    moderating(mona, client)
    admin_page = client.get(f"/admin/games/game/{game.pk}/change/").content.decode()
    assert "emails bounce" in admin_page
