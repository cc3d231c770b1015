"""SpamAssassin's scores of the emails of every kind, by its own rules and without a network.

SPAM_SCORES=… names a file for the scores.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from games.mail.compose import MailComposer
from games.mail.kinds import batch
from games.models import OutboxMail, Seat, User
from tests.factories import play_to_the_end, play_turns, table_of
from tests.support.debian_programs import SPAMASSASSIN
from tests.support.emails import Kind, row_for
from tests.support.escape_games import escape_table
from tests.support.every_mail import AT, every_row

pytestmark = [pytest.mark.django_db, pytest.mark.long]

MOST = 0.0  # points; SpamAssassin calls an email spam from 5.0
SECONDS = 600
LIKE_A_RECEIVED_EMAIL = (
    b"Return-Path: <games@games.example.org>\r\n"
    b"Received: from mx.example.org (mx.example.org [193.0.14.129])\r\n"
    b"\tby mx.example.net (Postfix) with ESMTPS id 4XyzAB1cdeF2gh\r\n"
    b"\tfor <alice@example.org>; Sat, 2 Jan 2027 03:04:09 +0000 (UTC)\r\n"
)
STATUS = re.compile(
    r"^X-Spam-Status: \w+, score=(\S+) .*?tests=(.*?)\sautolearn", re.MULTILINE | re.DOTALL
)


@pytest.fixture
def spamassassin(tmp_path: Path) -> list[str]:
    """The command that prints emails with their scores; it asks nobody and remembers nothing."""
    program = SPAMASSASSIN.find()
    assert program is not None
    return [program, "--local", "--nocreate-prefs", "--cf=use_bayes 0"]


@pytest.fixture
def public(settings: Settings) -> None:
    """A service at a public address that reads replies."""
    settings.SITE_URL, settings.SITE_HOST = "https://games.example.org", "games.example.org"
    settings.MAIL_FROM = "Atlantis by Mail <games@games.example.org>"
    settings.MAIL_REPLY_DOMAIN = "games.example.org"


def emails_of_every_kind(alice: User, bob: User) -> Iterator[tuple[str, bytes]]:
    """(name, email) for every kind, game and language; those about several games have three."""
    games = [table_of(alice, bob), escape_table(alice, bob), table_of(alice, bob)]
    for game in games:
        play_turns(game, 4)
    last = row_for(play_to_the_end(table_of(alice, bob)), Kind.OVER, alice)
    last.created_at = AT
    for language in ("en", "de", "fr"):
        alice.language = language
        alice.save()
        last.user = alice
        yield f"{language}-over", bytes_of_mail(last)
        for game in games[:2]:
            waiting = Seat.objects.filter(user=alice).select_related("game").order_by("pk")
            rows = [batch.turn_row(seat, alice) for seat in waiting]
            for name, row in every_row(game, alice):
                row.message_id = f"<{row.kind}-0123456789abcdef0123456789@games.example.org>"
                several = rows if row.kind in (Kind.GATHERED, Kind.DIGEST) else None
                if row.kind != Kind.OVER:
                    yield f"{language}-{game.kind}-{name}", bytes_of_mail(row, several)


def bytes_of_mail(row: OutboxMail, several: list[OutboxMail] | None = None) -> bytes:
    """The email of a row as it is sent."""
    message = MailComposer().compose(row, several).message()
    return bytes(message.as_bytes(linesep="\r\n"))


@pytest.mark.usefixtures("public")
def test_spamassassin_finds_nothing_in_the_emails_of_any_kind(
    spamassassin: list[str], tmp_path: Path, alice: User, bob: User
) -> None:
    names = []
    for name, email in emails_of_every_kind(alice, bob):
        names.append(name)
        (tmp_path / f"{len(names):04}.eml").write_bytes(LIKE_A_RECEIVED_EMAIL + email)
    done = subprocess.run(
        [*spamassassin, *sorted(map(str, tmp_path.glob("*.eml")))],
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        timeout=SECONDS,
        check=True,
    )
    scores = STATUS.findall(done.stdout.decode("utf-8", "replace"))
    ratings = {
        name: f"{score} {''.join(tests.split())}"
        for name, (score, tests) in zip(names, scores, strict=True)
    }
    if "SPAM_SCORES" in os.environ:
        Path(os.environ["SPAM_SCORES"]).write_text(
            "".join(f"{name} {words}\n" for name, words in ratings.items())
        )
    assert {name: words for name, words in ratings.items() if float(words.split()[0]) > MOST} == {}
