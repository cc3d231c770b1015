"""DKIM signatures: whose are believed where no mail server of ours vouches for the sender.

The keys come from a real name server on loopback.
"""

import time
from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import Settings

from games.inbound import limited_reader, processor
from games.mail import dkim_signing
from games.models import Game, InboundMail, User
from tests.factories import fresh
from tests.support import signed_replies
from tests.support.replies import (
    Channel,
    Outcome,
    SenderCheck,
    address_of,
    arrive,
    line_of,
    reply_email,
)
from tests.support.signed_replies import KEY, NAME, Zone, sign
from tests.support.webhooks import SECRET, Hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("keys", "shared_table")]

keys = signed_replies.keys
TO = "move+a-reply-address@reply.example.org"


@pytest.fixture
def replies(settings: Settings) -> Settings:
    """Replies are read, and no mail server is named whose word counts."""
    settings.MAIL_REPLY_DOMAIN, settings.MAIL_AUTHSERV_ID = "reply.example.org", ""
    settings.LOCAL_MODE = False
    return settings


def email(text: str = "B flag", sender: str = "bob@example.org", **more: str) -> bytes:
    return reply_email(text, TO, sender, results=None, **more)


# -- a move by webhook ---------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["mailgun", "mandrill", "postal", "postmark"])
@pytest.mark.filterwarnings("ignore::anymail.exceptions.AnymailNotSupportedWarning")
def test_a_signed_reply_by_webhook_makes_its_move(
    shape: str, hooks: Settings, game: Game, alice: User, client: Client
) -> None:
    """With MAIL_REPLY_DOMAIN and INBOUND_SECRET alone."""
    assert (hooks.MAIL_AUTHSERV_ID, hooks.INBOUND_SECRET) == ("", [SECRET])
    hook = Hook(game, alice, client)
    hook.raw = sign(reply_email(hook.text, hook.to, alice.email, results=None))
    hook.mime = hook.raw.decode()
    send: Callable[[], int] = getattr(hook, shape)
    assert send() == 200
    assert processor.read_waiting() == 1
    row = InboundMail.objects.get()
    assert (row.outcome, row.sender_check) == (Outcome.PLAYED, SenderCheck.PASS)
    assert fresh(game).to_act == [1]


@pytest.mark.usefixtures("replies")
@pytest.mark.parametrize("channel", [Channel.OPEN, Channel.RELAY, Channel.PIPE])
def test_a_signature_counts_whatever_way_the_reply_came(
    channel: Channel, game: Game, alice: User
) -> None:
    to = address_of(game, alice)
    raw = sign(reply_email(line_of(game), to, alice.email, results=None))
    assert arrive(raw, to, channel=channel).outcome == Outcome.PLAYED


@pytest.mark.usefixtures("replies")
def test_a_reply_that_was_changed_after_it_was_signed_has_to_be_confirmed(
    game: Game, alice: User
) -> None:
    to, line = address_of(game, alice), line_of(game)
    raw = sign(reply_email("show", to, alice.email, results=None))
    row = arrive(raw.replace(b"\r\nshow\r\n", f"\r\n{line}\r\n".encode()), to)
    assert (row.outcome, row.sender_check) == (Outcome.CONFIRM, SenderCheck.UNKNOWN)


@pytest.mark.usefixtures("replies")
def test_a_signed_reply_sent_again_to_the_address_of_another_seat_changes_nothing(
    game: Game, alice: User, bob: User
) -> None:
    raw = sign(reply_email(line_of(game), address_of(game, alice), alice.email, results=None))
    row = arrive(raw, address_of(game, bob))
    assert (row.outcome, row.sender_check) == (Outcome.STRANGER, SenderCheck.STRANGER)
    assert fresh(game).to_act == [0]


def test_the_word_of_our_own_mail_server_comes_first(
    replies: Settings, game: Game, alice: User
) -> None:
    replies.MAIL_AUTHSERV_ID = "mx.example.org"
    to = address_of(game, alice)
    results = "Authentication-Results: mx.example.org; dmarc=fail header.from=example.org"
    raw = sign(reply_email(line_of(game), to, alice.email, results=None))
    row = arrive(f"{results}\r\n".encode() + raw, to)
    assert (row.outcome, row.sender_check) == (Outcome.CONFIRM, SenderCheck.FAIL)


def test_over_the_limit_no_signature_is_checked(replies: Settings, game: Game, alice: User) -> None:
    replies.QUOTAS = {"signatures_person_hour": 0}
    to = address_of(game, alice)
    raw = sign(reply_email(line_of(game), to, alice.email, results=None))
    assert arrive(raw, to).sender_check == SenderCheck.UNKNOWN


@pytest.mark.usefixtures("replies")
def test_an_email_of_which_only_the_beginning_is_known_is_not_checked(
    game: Game, alice: User
) -> None:
    to = address_of(game, alice)
    raw = sign(reply_email(f"{line_of(game)}\n\n{'x' * 600_000}", to, alice.email, results=None))
    assert arrive(raw, to).sender_check == SenderCheck.UNKNOWN


# -- which signatures count ----------------------------------------------------------------


def author_of(raw: bytes) -> str:
    return limited_reader.signed_author(raw)


def test_a_signature_of_the_domain_names_the_author() -> None:
    assert author_of(sign(email())) == "bob@example.org"
    assert author_of(sign(email(sender="Bob@Mail.Example.org"))) == "bob@mail.example.org"


def test_line_ends_do_not_matter() -> None:
    assert author_of(sign(email()).replace(b"\r\n", b"\n")) == "bob@example.org"


def test_an_email_without_a_signature_names_nobody() -> None:
    assert author_of(email()) == ""


def test_a_signature_of_a_stranger_names_nobody(keys: Zone) -> None:
    keys["k1._domainkey.example.net", "TXT"] = keys[NAME, "TXT"]
    keys["k1._domainkey.mail.example.org", "TXT"] = keys[NAME, "TXT"]
    assert author_of(sign(email(), domain="example.net")) == ""
    assert author_of(sign(email(), domain="mail.example.org")) == ""


def test_the_signature_of_a_forwarder_above_does_no_harm(keys: Zone) -> None:
    keys["k1._domainkey.example.net", "TXT"] = keys[NAME, "TXT"]
    assert author_of(sign(sign(email()), domain="example.net")) == "bob@example.org"


def test_wrong_signatures_above_do_no_harm_but_few_are_looked_at() -> None:
    wrong = sign(email("something else")).partition(b"Received:")[0]
    assert author_of(wrong * 2 + sign(email())) == "bob@example.org"
    assert author_of(wrong * 3 + sign(email())) == ""


def test_a_signature_of_a_part_of_the_body_names_nobody() -> None:
    assert b"l=" in (raw := sign(email(), length=True))
    assert author_of(raw) == ""


def test_a_signature_that_leaves_out_the_author_names_nobody() -> None:
    assert author_of(sign(email(), tags={b"h": b"to:from:subject"})) == "bob@example.org"
    assert author_of(sign(email(), tags={b"h": b"to:subject"})) == ""


@pytest.mark.parametrize("covered", [b"from:subject", b"from:to", b"from"])
def test_a_signature_that_leaves_out_recipient_or_subject_names_nobody(covered: bytes) -> None:
    """An email of a player to somebody else is no reply, if that person sends it here."""
    assert author_of(sign(email(), tags={b"h": covered})) == ""


def test_a_signature_with_an_old_hash_names_nobody() -> None:
    assert author_of(sign(email(), signature_algorithm=b"rsa-sha1")) == ""


def test_an_expired_signature_names_nobody() -> None:
    now, day = int(time.time()), 86_400

    def expires(at: int) -> bytes:
        return sign(email(), tags={b"t": str(at - day).encode(), b"x": str(at).encode()})

    assert author_of(expires(now + day)) == "bob@example.org"
    assert author_of(expires(now - day)) == ""


@pytest.mark.parametrize(
    "records",
    [
        [],
        ["v=DKIM1; k=rsa; p="],
        [f"{dkim_signing.record_text(KEY)}; t=y"],
        [f"{dkim_signing.record_text(KEY)}; t=s:y"],
        [dkim_signing.record_text(dkim_signing.new_key()[0])],
        [dkim_signing.record_text(KEY), "v=DKIM1; k=rsa; p=other"],
        ["=", "???"],
    ],
)
def test_without_one_valid_key_nobody_is_named(keys: Zone, records: list[str]) -> None:
    keys[NAME, "TXT"] = records
    assert author_of(sign(email())) == ""


def test_without_a_name_server_nobody_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited_reader, "NAME_SERVER", ("127.0.0.1", 9))
    assert author_of(sign(email())) == ""


@pytest.mark.parametrize(
    "head",
    [
        "From: victim@example.org\r\n",
        "X: a\r\r\n",  # for our parser, the head ends here
        "X: a\rFrom: victim@example.org\r\n",
        "X: \0\r\n",
        "no header\r\n",
        " folded\r\n",
    ],
)
def test_a_head_that_two_parsers_may_read_differently_names_nobody(head: str) -> None:
    assert author_of(head.encode() + sign(email())) == ""


@pytest.mark.usefixtures("replies")
def test_an_author_far_above_the_signed_one_is_not_believed(
    game: Game, alice: User, bob: User
) -> None:
    """Of the head, only the beginning is read before it is known whose email it is."""
    to = address_of(game, alice)
    signed = sign(reply_email(line_of(game), to, bob.email, results=None))
    junk = b"".join(b"X-%d: %s\r\n" % (number, b"x" * 900) for number in range(80))
    row = arrive(f"From: {alice.email}\r\n".encode() + junk + signed, to)
    assert row.outcome != Outcome.PLAYED
    assert fresh(game).to_act == [0]
