"""A mail server that refuses us is left alone for a while, and no email is given up for it."""

import logging
import threading
from datetime import timedelta
from html import unescape

import pytest
from anymail.exceptions import AnymailAPIError, AnymailRequestsAPIError
from django.db import connection
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings
from requests import Response

from games import services, tasks
from games.mail import outbox, queue, transport_state
from games.mail.transport import SendFailed, TransportUnavailable, explain, fingerprint
from games.mail.transport_state import Gate, Lane
from games.models import MailTransport, OutboxMail, User
from games.templatetags.when import zoned
from tests.factories import play_one, table_of
from tests.support.emails import Kind, State, row_for
from tests.support.moderators import moderating
from tests.support.smtp_sink import SmtpSink

pytestmark = pytest.mark.django_db

SUSPENDED = "550 5.7.1 Your account has been suspended"


def mails(*addresses: str) -> list[OutboxMail]:
    """One small email to each address, due now, in this order."""
    for number, address in enumerate(addresses):
        context = {"language": "en", "subject": f"Mail {number}", "body": "Words."}
        queue.account(address, dedupe=f"test-{number}", context=context, user=None)
    return list(OutboxMail.objects.order_by("pk"))


def bulk(*addresses: str) -> list[OutboxMail]:
    """The same as bulk email."""
    mails(*addresses)
    OutboxMail.objects.update(urgent=False)
    return list(OutboxMail.objects.order_by("pk"))


def now_due() -> None:
    OutboxMail.objects.filter(state=State.QUEUED).update(
        next_try_at=timezone.now() - timedelta(seconds=1)
    )


def all_queued_and_untried() -> bool:
    return set(OutboxMail.objects.values_list("state", "attempts")) == {(State.QUEUED, 0)}


# -- closed --------------------------------------------------------------------------------


def refuse_mail_from(sink: SmtpSink) -> None:
    sink.sender = SUSPENDED


def refuse_two_domains(sink: SmtpSink) -> None:
    sink.rcpt_reply = lambda address: f"550 5.7.1 <{address}>: relay access denied (id 4711)"


def refuse_after_data(sink: SmtpSink) -> None:
    sink.answer = SUSPENDED


@pytest.mark.parametrize("refuse", [refuse_mail_from, refuse_two_domains, refuse_after_data])
def test_a_refusal_of_us_kills_no_email_and_stops_the_sending(
    outgoing: SmtpSink, caplog: pytest.LogCaptureFixture, refuse: object
) -> None:
    assert callable(refuse)
    refuse(outgoing)
    mails("ann@example.net", "ben@example.com", "cem@example.org")
    outbox.drain()
    assert all_queued_and_untried()
    attempts = len(outgoing.refused)
    now_due()
    outbox.drain()
    assert len(outgoing.refused) == attempts  # the transport is closed
    alarms = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(alarms) == 1
    assert "550 5.7.1" in alarms[0].getMessage()
    assert "@" not in alarms[0].getMessage()
    closed = MailTransport.objects.get(closed_at__isnull=False)
    assert closed.name == MailTransport.ALL


def test_a_login_that_is_refused_closes_the_transport(
    outgoing: SmtpSink, settings: Settings
) -> None:
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = "x"  # this server knows no AUTH
    mails("ann@example.net")
    outbox.drain()
    assert all_queued_and_untried()
    assert transport_state.gate(Lane.BULK) == Gate.CLOSED


def test_a_server_that_is_away_closes_only_the_lane_that_found_out(outgoing: SmtpSink) -> None:
    outgoing.down()
    mails("ann@example.net")
    outbox.drain()
    assert all_queued_and_untried()
    assert transport_state.gate(Lane.URGENT) == Gate.CLOSED
    assert transport_state.gate(Lane.BULK) == Gate.OPEN


# -- a probe -------------------------------------------------------------------------------


@pytest.mark.usefixtures("still_clock")
def test_one_email_at_a_time_is_a_probe_and_the_pauses_grow(outgoing: SmtpSink) -> None:
    outgoing.sender = SUSPENDED
    mails("ann@example.net", "ben@example.com")
    outbox.drain()
    pauses = []
    for _probe in range(8):
        transport_state.try_now()
        before = timezone.now()
        assert outbox.drain().put_back == 1
        closed = MailTransport.objects.get()
        assert closed.retry_at is not None
        pauses.append(round((closed.retry_at - before).total_seconds()))
    assert pauses == [30, 60, 120, 240, 480, 600, 600, 600]
    assert all_queued_and_untried()


def test_while_one_sender_probes_the_others_wait(outgoing: SmtpSink) -> None:
    transport_state.close(Lane.BULK, SUSPENDED, refused=True)
    transport_state.try_now()
    assert transport_state.gate(Lane.BULK) == Gate.PROBE
    assert transport_state.gate(Lane.BULK) == Gate.CLOSED
    assert transport_state.gate(Lane.URGENT) == Gate.CLOSED
    dead = timezone.now() - timedelta(seconds=1)
    MailTransport.objects.update(retry_at=dead)  # the sender of the probe died
    assert transport_state.gate(Lane.URGENT) == Gate.PROBE


@pytest.mark.parametrize(
    "rcpt_reply", ["250 OK", "550 5.1.1 no such user", "550 5.7.509 we want DMARC"]
)
def test_a_server_that_deals_with_the_probe_gets_all_the_rest(
    outgoing: SmtpSink, rcpt_reply: str
) -> None:
    """Return whether it takes the email or has something against this one only."""
    outgoing.sender = SUSPENDED
    mails("ann@example.net", "ben@example.com", "cem@example.org")
    outbox.drain()
    outgoing.sender = "250 go on"
    outgoing.rcpt_reply = lambda address: rcpt_reply if address.startswith("ann") else "250 OK"
    transport_state.try_now()
    outbox.drain()
    assert {"ben@example.com", "cem@example.org"} <= {to for [to] in outgoing.recipients}
    assert not MailTransport.objects.filter(closed_at__isnull=False).exists()


def test_a_probe_that_is_refused_like_the_others_makes_way_for_another(outgoing: SmtpSink) -> None:
    refuse_two_domains(outgoing)
    mails("ann@example.net", "ben@example.com", "cem@example.org")
    outbox.drain()
    outgoing.rcpt_reply = lambda a: (
        "250 OK" if a.startswith("cem") else "550 5.7.1 relay access denied"
    )
    sent = 0
    for _probe in range(3):
        transport_state.try_now()
        sent += outbox.drain().sent
    assert sent == 1
    assert OutboxMail.objects.get(state=State.SENT).to_address == "cem@example.org"


def test_a_probe_without_an_email_is_left_to_the_next_email(outgoing: SmtpSink) -> None:
    transport_state.close(Lane.BULK, SUSPENDED, refused=True)
    transport_state.try_now()
    outbox.drain()
    mails("ann@example.net")
    assert outbox.drain().sent == 1


# -- one email -----------------------------------------------------------------------------


def test_a_filter_of_one_recipient_delays_and_then_parks_that_email_alone(
    outgoing: SmtpSink,
) -> None:
    outgoing.rcpt_reply = lambda a: "554 5.7.1 spam" if a.startswith("ann") else "250 OK"
    mails("ann@example.net", "ben@example.com")
    outbox.drain()
    assert not MailTransport.objects.filter(closed_at__isnull=False).exists()
    refused = OutboxMail.objects.get(to_address="ann@example.net")
    assert (refused.state, refused.attempts) == (State.QUEUED, 1)
    for _try in range(outbox.MAX_REFUSALS):
        now_due()
        outbox.drain()
    refused.refresh_from_db()
    assert (refused.state, refused.error) == (State.PARKED, "recipient refused: 554 5.7.1 spam")
    assert OutboxMail.objects.get(to_address="ben@example.com").state == State.SENT


@pytest.mark.parametrize("words", ["552 5.2.2 mailbox full", "552 5.3.4 too big", "554 5.6.0 bad"])
def test_a_refusal_that_meets_one_domain_twice_is_no_matter_of_the_transport(
    outgoing: SmtpSink, words: str
) -> None:
    outgoing.rcpt_reply = words
    mails("ann@example.net", "ben@example.net")
    assert outbox.drain().failed == 2
    assert transport_state.gate(Lane.URGENT) == Gate.OPEN


def test_two_addresses_that_do_not_exist_say_nothing_about_the_transport(
    outgoing: SmtpSink,
) -> None:
    outgoing.rcpt_reply = lambda address: f"550 <{address}>: user unknown"
    mails("ann@example.net", "ben@example.com")
    assert outbox.drain().failed == 2
    now_due()
    assert outbox.drain().dead == 2  # a refusal without a status code, and the second one
    assert transport_state.gate(Lane.URGENT) == Gate.OPEN


def test_an_email_that_is_too_big_for_mail_from_is_refused_alone(outgoing: SmtpSink) -> None:
    outgoing.sender = "552 5.3.4 message too big"
    mails("ann@example.net")
    assert outbox.drain().failed == 1
    assert transport_state.gate(Lane.URGENT) == Gate.OPEN


def test_the_email_of_a_turn_that_waits_is_never_given_up(
    outgoing: SmtpSink, alice: User, bob: User, settings: Settings
) -> None:
    settings.MAIL_MAX_TRIES = 1
    game = table_of(alice, bob)
    OutboxMail.objects.exclude(kind=Kind.TURN).delete()
    outgoing.answer = "451 later"
    outbox.drain()
    parked = row_for(game, Kind.TURN, alice)
    assert parked.state == State.PARKED
    assert outbox.drain().sent == 0
    OutboxMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
    outgoing.answer = "250 kept"
    assert outbox.drain().sent == 1


def test_the_parked_email_of_a_turn_that_is_over_is_dropped(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    parked = row_for(game, Kind.TURN, alice)
    OutboxMail.objects.filter(pk=parked.pk).update(state=State.PARKED)
    play_one(game)
    outbox.drain()
    assert row_for(game, Kind.TURN, alice).state == State.DROPPED


def test_the_same_refusal_is_known_by_its_codes_and_words() -> None:
    first = fingerprint(
        "550 5.7.1 <ann@a.example>: denied from 192.0.2.7 [id=x7f3]", "ann@a.example"
    )
    same = fingerprint("550 5.7.1 <ben@b.example>: denied from 192.0.2.9 [id=b2c]", "ben@b.example")
    other = fingerprint("550 5.7.509 <ben@b.example>: denied", "ben@b.example")
    assert first == same != other


# -- urgent email --------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_a_code_goes_out_while_bulk_email_is_stuck(outgoing: SmtpSink) -> None:
    """Bulk email hangs for as long as the test runs; the code does not wait for it."""
    outgoing.answer = lambda mail: "hang" if mail["To"].startswith("bulk") else "250 kept"
    bulk(*(f"bulk{number}@example.net" for number in range(3)))
    sender = threading.Thread(target=drain_and_close, daemon=True)
    sender.start()
    outgoing.wait_for(1)
    queue.account(
        "ann@example.net",
        dedupe="code",
        context={"language": "en", "subject": "A code", "body": "Words."},
        user=None,
    )
    tasks.drain_urgent()
    assert OutboxMail.objects.get(to_address="ann@example.net").state == State.SENT
    outgoing.down()
    sender.join(30)
    assert not sender.is_alive()


# -- providers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (401, "refused"),
        (403, "refused"),
        (429, "busy"),
        (503, "busy"),
        (400, "email"),
        (422, "email"),
    ],
)
def test_what_a_providers_api_says_is_classified_too(status: int, meaning: str) -> None:
    response = Response()
    response.status_code, response.reason = status, "said"
    failure = explain(AnymailRequestsAPIError("no", response=response))
    if meaning == "email":
        assert isinstance(failure, SendFailed)
    else:
        assert isinstance(failure, TransportUnavailable)
        assert failure.refused is (meaning == "refused")


def test_a_provider_that_does_not_answer_is_tried_again() -> None:
    failure = explain(AnymailAPIError("connection reset"))
    assert isinstance(failure, SendFailed)
    assert failure.broken


def drain_and_close() -> None:
    """In a thread of its own, which has a connection of its own."""
    tasks.drain_outbox()
    connection.close()


# -- moderators ----------------------------------------------------------------------------


def test_moderators_see_the_refusal_and_let_one_email_be_tried(
    outgoing: SmtpSink, mona: User
) -> None:
    transport_state.close(Lane.BULK, SUSPENDED, refused=True)
    moderator = moderating(mona)
    emails = reverse("admin:games_outboxmail_changelist")
    warning = unescape(moderator.get(emails).content.decode())
    closed = MailTransport.objects.get(name=MailTransport.ALL)
    assert closed.closed_at is not None
    assert closed.retry_at is not None
    assert f"No email has been sent since {zoned(closed.closed_at)}, because" in warning
    assert f"{SUSPENDED}. One email will be tried on {zoned(closed.retry_at)}." in warning
    servers = reverse("admin:games_mailtransport_changelist")
    said = moderator.get(servers).content.decode()
    assert SUSPENDED in said
    chosen = {"action": "try_now", "_selected_action": [MailTransport.ALL]}
    moderator.post(servers, chosen)
    assert transport_state.gate(Lane.BULK) == Gate.PROBE


def test_people_without_a_staff_account_cannot_open_the_transport(alice: User) -> None:
    with pytest.raises(services.ServiceError):
        services.transport_retry(by=alice)
