"""Emails as their readers get them, the outbox that they wait in, and preferences."""

import re
from dataclasses import dataclass
from datetime import timedelta
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parseaddr
from enum import StrEnum
from html import unescape
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from games import services
from games.mail import kinds
from games.mail.compose import MailComposer
from games.models import Game, OutboxMail, User

from .smtp_sink import SmtpSink


class Kind(StrEnum):
    """The names of the kinds of email, as rows store them."""

    INVITATION = "invitation"
    STARTED = "started"
    TABLE = "table"
    TURN = "turn"
    PLANNED = "planned"
    REMINDER = "reminder"
    DEADLINE = "deadline"
    OVER = "over"
    MISSED = "missed"
    MODERATED = "moderated"
    VOTE = "vote"
    DECISION = "decision"
    REPORT = "report"
    APPEAL = "appeal"
    ACCOUNT = "account"
    SECURITY = "security"
    ANSWER = "answer"
    GATHERED = "gathered"
    DIGEST = "digest"
    UNSUBSCRIBED = "unsubscribed"
    TALK = "talk"
    ATTENTION = "attention"


State = OutboxMail.State
SITE = "http://127.0.0.1:8000"


@dataclass(frozen=True)
class Read:
    """An email taken apart: its headers by name, its two bodies, its pictures by Content-ID."""

    message: EmailMessage
    text: str
    html: str
    pictures: dict[str, bytes]

    def __getitem__(self, header: str) -> str:
        return str(self.message[header] or "").strip()

    @property
    def words(self) -> str:
        """The HTML without its tags, spaces made single: what is read on a screen."""
        unseen = r"<style.*?</style>|<title.*?</title>|<div style=.display:none.*?</div>"
        body = re.sub(unseen, " ", self.html, flags=re.DOTALL)
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())

    @property
    def blocks(self) -> list[str]:
        """The HTML as a mail program makes text of it: one line for each block."""
        body = re.sub(r"<style.*?</style>|<title.*?</title>", " ", self.html, flags=re.DOTALL)
        cut = re.sub(r"</?(?:p|td|tr|table|div|h1|h2|br|li)\b[^>]*>", "\0", body)
        lines = unescape(re.sub(r"<[^>]+>", "", cut)).split("\0")
        return [" ".join(line.split()) for line in lines if line.strip()]


def read(mail: EmailMessage | bytes) -> Read:
    """A mail from bytes or as the SMTP sink keeps it."""
    if isinstance(mail, bytes):
        parsed = BytesParser(policy=policy.default).parsebytes(mail)
        assert isinstance(parsed, EmailMessage)
        mail = parsed
    pictures = {
        str(part["Content-ID"]).strip("<>"): bytes(part.get_payload(decode=True))
        for part in mail.walk()
        if part["Content-ID"]
    }
    return Read(mail, _body(mail, "plain"), _body(mail, "html"), pictures)


def _body(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    return str(part.get_content()).replace("\r\n", "\n") if isinstance(part, EmailMessage) else ""


def written(row: OutboxMail) -> Read:
    """Return the email that would be sent for this row now."""
    fresh = OutboxMail.objects.select_related("game", "user").get(pk=row.pk)
    return read(MailComposer().compose(fresh).message().as_bytes(linesep="\r\n"))


def rows_for(game: Game | None, kind: str, **more: Any) -> list[OutboxMail]:
    """The outbox rows of a game and kind, in the order in which they were queued."""
    return list(OutboxMail.objects.filter(game=game, kind=kind, **more).order_by("pk"))


def row_for(game: Game | None, kind: str, user: User | None = None) -> OutboxMail:
    """The last row of this kind, to this person if one is named."""
    found = OutboxMail.objects.filter(game=game, kind=kind)
    row = (found.filter(user=user) if user is not None else found).order_by("pk").last()
    assert row is not None, f"no {kind} mail was queued"
    return row


@pytest.fixture
def one_check_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """For worlds whose emails are compared: check codes differ with everything that is hidden, and
    say nothing without the seed; see games.rules.chain."""
    monkeypatch.setattr("games.rules.chain.check_code", lambda _seed, _digest: "0123456789")


@pytest.fixture
def outgoing(settings: Settings, smtp_sink: SmtpSink) -> SmtpSink:
    """A real SMTP server to which this very process sends (pytest-django had put a list there)."""
    settings.EMAIL_BACKEND = "games.mail.transport.SMTPBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", smtp_sink.port
    settings.EMAIL_TIMEOUT = 5
    return smtp_sink


def both_bodies(mail: Read) -> tuple[str, str]:
    """Text and HTML as running words, to look for the same thing in both."""
    return " ".join(mail.text.split()), mail.words


def prefer(user: User, way: str | None = None, **more: Any) -> User:
    """Set the preferences of this user: emails of every kind come this way, the rest by name."""
    chosen: dict[str, Any] = {
        "modes": dict.fromkeys(kinds.selectable(), way) if way else {},
        "gather_minutes": 15,
        "digest_hour": 8,
        "quiet_from": None,
        "quiet_until": None,
        "hold_while_online": False,
        "hold_at_table": False,
        "remind_half": True,
        "remind_day": True,
        "remind_last": False,
        **more,
    }
    services.mail_preferences_set(user=user, **chosen)
    user.refresh_from_db()
    return user


def make_all_due() -> None:
    """Time passes until all emails that wait are due."""
    OutboxMail.objects.filter(state=State.QUEUED).update(
        next_try_at=timezone.now() - timedelta(seconds=1)
    )


def keep_only_mail_to(user: User) -> None:
    """Forget what was queued for others."""
    OutboxMail.objects.exclude(user=user).delete()


def reply_to(mail: Read) -> str:
    """The address to which an answer to this email goes."""
    return parseaddr(mail["Reply-To"])[1]
