"""Replies by hand: an email to answer one of ours, and its way through intake and the worker."""

import os
import smtplib
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.utils import make_msgid
from pathlib import Path

import pytest
from django.db.models import Q
from django.utils import timezone
from pytest_django import Settings

from atlantis_site.supervisor.children import Child
from games.inbound import intake, processor
from games.mail.reply_addresses import reply_address
from games.mail.signed_links import reply_path
from games.models import Game, InboundMail, OutboxMail, User
from games.rules.chance import SeededChance

from ..factories import log_of, play_one, some_move, table_of
from .bots import bot_choice
from .emails import Kind, Read, written
from .processes import PATIENCE, service_env, wait_for, warm_child
from .smtp_sink import free_port
from .warm_processes import run_python

Channel = InboundMail.Channel
SenderCheck = InboundMail.SenderCheck
Outcome = InboundMail.Outcome

UNCLEAR_LINE = "C crown with my last two cards"
DOMAIN = "reply.example.org"
AUTHSERV = "mx.example.org"
PASS = f"Authentication-Results: {AUTHSERV}; dmarc=pass header.from=example.org"


@pytest.fixture
def replies(settings: Settings) -> Settings:
    """Replies are read here, and mx.example.org is whose word counts."""
    settings.MAIL_REPLY_DOMAIN, settings.MAIL_AUTHSERV_ID = DOMAIN, AUTHSERV
    settings.LOCAL_MODE = False
    return settings


def address_of(game: Game, user: User, seq: int | None = None) -> str:
    """Return the reply address of the email to this person about the game's present position."""
    seat = game.seats.get(user=user)
    found = reply_address(
        game.public_id, seat.number, log_of(game).moved_at if seq is None else seq
    )
    assert found is not None
    return found


def reply_email(
    text: str,
    to: str,
    sender: str = "bob@example.org",
    *,
    results: str | None = PASS,
    message_id: str | None = None,
    head: str = "",
    quote: str = "> It is your turn.\n> C statue",
) -> bytes:
    """A reply as a simple mail program writes it, as our own mail server hands it on."""
    lines = [
        *([results] if results else []),
        "Received: from mail.example.org by mx.example.org; Fri, 6 Nov 2026 12:00:00 +0000",
        f"From: <{sender}>",
        f"To: Atlantis by Mail <{to}>",
        "Subject: Re: Atlantis: Round the mainland",
        f"Message-ID: {message_id or make_msgid(domain='mail.example.org')}",
        *([head] if head else []),
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
        "",
        text,
        "",
        "On Fri, Nov 6, 2026 at 10:12 AM Atlantis by Mail <games@example.org> wrote:",
        quote,
        "",
    ]
    return "\r\n".join("\n".join(lines).split("\n")).encode()


def arrive(
    raw: bytes,
    to: str,
    *,
    channel: InboundMail.Channel = Channel.RELAY,
    sender: str | None = "somebody@example.org",
) -> InboundMail:
    """The row of this email after it was kept and read; the same one when it comes again."""
    (row,) = intake.store(raw, channel=channel, sender=sender, recipients=[to])
    processor.read_one(row.pk)
    return InboundMail.objects.select_related("game", "user", "answer").get(pk=row.pk)


@dataclass(frozen=True)
class Post:
    """The replies of one person at one table."""

    game: Game
    user: User

    def write(self, text: str, *, seq: int | None = None, **more: str | None) -> InboundMail:
        """Answer the latest email with this text."""
        to = address_of(self.game, self.user, seq)
        sender = more.pop("sender", None) or self.user.email
        return arrive(reply_email(text, to, sender, **more), to)  # type: ignore[arg-type]

    def answer_last(self, text: str, **more: str | None) -> InboundMail:
        """Answer the last answer with this text, as the mail program does for whoever reads it."""
        head = f"In-Reply-To: {self.answers()[-1].message_id}"
        return self.write(text, head=head, **more)  # type: ignore[arg-type]

    def move(self) -> InboundMail:
        """Answer with the move that the bot would make."""
        return self.write(line_of(self.game))

    def answers(self) -> list[OutboxMail]:
        """Return the answers to this person's replies, in order."""
        found = OutboxMail.objects.filter(Q(kind=Kind.ANSWER), game=self.game, user=self.user)
        return list(found.order_by("pk"))

    def answer(self) -> Read:
        """The last answer, as it will be read."""
        return written(self.answers()[-1])


def one_line(text: str) -> str:
    """The text without the marks and line breaks of an answer."""
    return " ".join(text.replace("\n| ", " ").split())


def line_of(game: Game) -> str:
    """The move that the bot would make for the seat that is asked, in notation."""
    seat, command = some_move(game)
    log = log_of(game)
    return log.engine.notation.describe(command, log.engine.rules.view(log.state, seat))


def before_the_end(alice: User, bob: User) -> Post:
    """A game that the next move ends, and the post of the player who is asked for it."""
    game = table_of(alice, bob)
    while True:
        log = log_of(game)
        seat = log.projection.to_act[0]
        command = bot_choice(log, seat)
        done = log.engine.rules.decide(log.state, seat, command, SeededChance(b"0" * 32, 1))
        if log.engine.rules.outcome(log.engine.fold(done, log.state)) is not None:
            return Post(game, (alice, bob)[seat])
        play_one(game)


# -- a listener ------------------------------------------------------------------------------


@dataclass
class Listener:
    """`manage.py listen_mail` as a process of its own, with the rights of the service."""

    child: Child
    port: int

    def answers(self) -> bool:
        try:
            with smtplib.SMTP("127.0.0.1", self.port, timeout=2):
                return True
        except OSError:
            return False

    def start(self) -> None:
        self.child.start()
        wait_for(self.answers, f"the listener's start ({self.child.log})")

    def send(self, raw: bytes, to: str, sender: str = "bob@example.org") -> None:
        """Hand over one email; smtplib's errors where it is refused."""
        with smtplib.SMTP("127.0.0.1", self.port, timeout=PATIENCE) as server:
            server.sendmail(sender, [to], raw)


def reply_env(**more: str) -> dict[str, str]:
    """Variables of a process that reads replies as `replies` has them set here."""
    ours = {"MAIL_REPLY_DOMAIN": DOMAIN, "MAIL_AUTHSERV_ID": AUTHSERV, "LOCAL_MODE": "0"}
    return {**service_env(), "EMAIL_URL": "smtp://127.0.0.1:9", **ours, **more}


@pytest.fixture(scope="module")
def listener(django_db_setup: None) -> Iterator[Listener]:
    """One listener for the tests of a module; it knows nothing, so nothing is carried over."""
    made = listener_process()
    made.start()
    yield made
    made.child.stop()


def listener_process(**env: str) -> Listener:
    """A listener on a free port, not started yet, with these variables besides."""
    port = free_port()
    log = Path(os.environ["VAR_DIR"]) / f"listener-{port}.log"
    variables = reply_env(MAIL_LISTEN=f"127.0.0.1:{port}", **env)
    return Listener(warm_child("listener", log, variables), port)


@pytest.fixture
def make_listener(transactional_db: None, replies: Settings) -> Iterator[Callable[..., Listener]]:
    """make_listener(LOCAL_MODE="1"): a listener of one's own, started, with these variables."""
    made: list[Listener] = []

    def make(**env: str) -> Listener:
        listener = listener_process(**env)
        made.append(listener)
        listener.start()
        return listener

    yield make
    for listener in made:
        listener.child.stop()


def unclear_reply(game: Game | None, user: User) -> InboundMail:
    """The row of a reply that nobody could read; its line is UNCLEAR_LINE."""
    now = timezone.now()
    return InboundMail.objects.create(
        channel="relay",
        recipient="move+x@example.org",
        key=str(now.timestamp()),
        raw=b"",
        game=game,
        user=user,
        line=UNCLEAR_LINE,
        offer=f"offer of {UNCLEAR_LINE}",
        error=f"MoveError({UNCLEAR_LINE})",
        state="done",
        read_at=now,
        outcome="unclear",
    )


def pipe(raw: bytes, *words: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """`manage.py read_mail` as a mail server runs it."""
    variables = {**os.environ, **service_env(), "MAIL_REPLY_DOMAIN": DOMAIN, **env}
    env = {**variables, "MAIL_AUTHSERV_ID": AUTHSERV}
    return run_python("manage.py", "read_mail", *words, env=env, given=raw)


def confirm_path(row: InboundMail) -> str:
    """The link that confirms what this reply asks for."""
    assert row.user is not None
    return reply_path(row.pk, row.user)
