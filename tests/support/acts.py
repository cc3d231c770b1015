"""Acts of people on pages, by links and by replies, and what became of them in one letter."""

import re
from typing import Any

from django.db import connection
from django.test import Client

from games.mail.reply_addresses import reply_address
from games.models import Game, InboundMail, OutboxMail, User
from games.web import turn_scope

from ..factories import log_of
from .pages import signed_in, text
from .replies import arrive, reply_email

DONE, REFUSED, ASKED, SILENT, WORDLESS = "drasw"
INFORMING = ("status", "help")  # replies that only ask for information
HTML = "text/html; charset=utf-8"
# What acts change besides the log: the rows of these tables.
_CHANGED = (
    "games_gameevent",
    "games_message",
    "games_seat",
    "games_user",
    "games_report",
    "games_game",
    "games_credentialchange",
    "games_invitation",
    "games_circle",
    "games_membership",
    "(SELECT * FROM games_outboxmail WHERE kind = 'reminder')",  # nudges
)
_ASKED = (InboundMail.Outcome.CONFIRM, InboundMail.Outcome.ASKED)
# Columns that change by a look, or by the session of the test.
_LOOKS = ["talk_read", "last_login", "reminded"]
_WORDS = re.compile(r'class="[^"]*\b(?:messages|message|notice|error|problem|lead)\b|<h1')


def _state() -> tuple[Any, ...]:
    """What an act would change, as PostgreSQL sums it up."""
    with connection.cursor() as cursor:
        found = list[Any]()
        for table in _CHANGED:
            cursor.execute(
                f"SELECT md5(coalesce(string_agg(line, '' ORDER BY line), '')) FROM "
                f"(SELECT (to_jsonb(t) - %s::text[])::text AS line FROM {table} t) AS lines",
                [_LOOKS],
            )
            found.append(cursor.fetchone())
        return tuple(found)


def by_page(user: User, path: str, form: dict[str, object]) -> str:
    """Post this form as somebody who was signed in."""
    client = signed_in(user)
    before = _state()
    answer = client.post(path, form, follow=True)
    has_words = bool(_WORDS.search(text(answer)))
    if _state() != before:
        return DONE if has_words else WORDLESS
    asked = answer.status_code == 200 and ('name="sure"' in text(answer))
    return ASKED if asked else REFUSED if has_words else SILENT


def by_link(path: str) -> str:
    """Post the form behind a link of an email, without a session."""
    before = _state()
    client = Client()
    answer = client.post(path, follow=True)
    if (
        _state() != before
        or turn_scope.COOKIE in client.cookies
        or answer.get("Content-Type") != HTML
    ):
        return DONE
    return REFUSED if _WORDS.search(text(answer)) else SILENT


def by_reply(game: Game, seat: int, user: User, line: str) -> str:
    """Send a reply with this line from the user's address to the address of a seat."""
    to = reply_address(game.public_id, seat, log_of(game).moved_at)
    assert to is not None
    before, mails = _state(), OutboxMail.objects.count()
    row = arrive(reply_email(line, to, user.email), to, sender=user.email)
    is_answered = row.answer is not None or OutboxMail.objects.count() > mails
    if row.outcome in _ASKED:
        return ASKED
    if row.outcome == InboundMail.Outcome.SHOWN:
        return DONE if line in INFORMING else REFUSED
    if _state() != before:
        return DONE if is_answered else WORDLESS
    return REFUSED if is_answered else SILENT


def by_look(path: str) -> str:
    """Get an address that gives something out, such as a feed."""
    answer = Client().get(path)
    return DONE if answer.status_code == 200 else REFUSED
