"""Whole games by mail alone: a real mail server, worker and listener, and nobody opens a page."""

import time
from collections.abc import Callable
from email.utils import parseaddr

import pytest
from django.core.management import call_command
from pytest_django import Settings

from games.mail.reply_addresses import read_reply_address
from games.models import Game, InboundMail, OutboxMail, User
from games.services.moves import is_current
from tests.factories import fresh, log_of, table_of
from tests.support.bots import bot_choice
from tests.support.emails import Kind, Read, read
from tests.support.game_seeds import set_seed
from tests.support.lengths import by_length
from tests.support.processes import CeleryProcess
from tests.support.replies import PASS, Listener, reply_email, reply_env
from tests.support.smtp_sink import SmtpSink

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 30.0  # seconds without an email after which something is wrong


def above(line: str, mail: Read) -> str:
    """As most people answer: the move, then the quoted email."""
    quoted = "\n".join(f"> {text}" for text in mail.text.splitlines())
    return f"{line}\n\nOn {mail['Date']}, Atlantis by Mail wrote:\n{quoted}"


def below(line: str, mail: Read) -> str:
    """As those answer who were there first."""
    quoted = "\n".join(f"> {text}" for text in mail.text.splitlines())
    return f"Atlantis by Mail wrote on {mail['Date']}:\n{quoted}\n\n{line}\n\n-- \nCarol"


def unmarked(line: str, mail: Read) -> str:
    """As Outlook answers: nothing marks what is quoted but the head of the email above it."""
    head = f"From: Atlantis by Mail\nSent: {mail['Date']}\nTo: {mail['To']}\nSubject: x"
    return f"{line}\n\n________________________________\n{head}\n\n{mail.text}"


# The short form plays a game of Atlantis of 17 moves, the long form 52 moves of Atlantis and all of
# Escape, of which test_email_only_game plays some moves in the short form.
LUCK = by_length({"atlantis": 109}, {"atlantis": 20, "escape": 20})
STYLES = (above, below, unmarked)


class Player:
    """Somebody who has nothing but a mailbox."""

    def __init__(self, user: User, style: Callable[[str, Read], str]) -> None:
        self.user, self.style = user, style

    def answer(self, mail: Read, line: str) -> bytes:
        to = parseaddr(mail["Reply-To"])[1]
        name = f"<{mail['Message-ID'].strip('<>').partition('@')[0]}@example.org>"
        head = f"In-Reply-To: {mail['Message-ID']}"
        text = self.style(line, mail)
        return reply_email(
            text, to, self.user.email, results=PASS, message_id=name, head=head, quote=""
        )


@pytest.fixture
def worker(transactional_db: None, smtp_sink: SmtpSink) -> CeleryProcess:
    return CeleryProcess("worker", reply_env(EMAIL_URL=smtp_sink.url))


@pytest.mark.long
@pytest.mark.parametrize("kind", LUCK)
def test_three_players_play_a_whole_game_by_email_alone(
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
    replies: Settings,
    listener: Listener,
    worker: CeleryProcess,
    smtp_sink: SmtpSink,
    alice: User,
    bob: User,
    carol: User,
) -> None:
    set_seed(monkeypatch, LUCK[kind])
    game = table_of(alice, bob, carol, kind=kind)
    players = [Player(user, style) for user, style in zip((alice, bob, carol), STYLES, strict=True)]
    worker.start()
    try:
        played = play(game, players, listener, smtp_sink)
    finally:
        worker.stop()
    assert fresh(game).status == Game.Status.FINISHED
    verdicts = InboundMail.objects.values_list("outcome", flat=True)
    assert set(verdicts) == {"played"} and len(verdicts) == played
    people = {user.pk for user in (alice, bob, carol)}
    moves = [group[0].by for group in log_of(game).moves[1:]]
    assert set(moves) >= people and len(moves) >= played
    over = OutboxMail.objects.filter(game=game, kind=Kind.OVER)
    assert {row.to_address for row in over} == {user.email for user in (alice, bob, carol)}
    call_command("verify")


def play(game: Game, players: list[Player], listener: Listener, sink: SmtpSink) -> int:
    """Answer the emails that ask for something until the game is over; the number of moves."""
    seen = moves = 0
    end = time.monotonic() + PATIENCE
    while fresh(game).status == Game.Status.RUNNING:
        if seen == len(sink.messages):
            assert time.monotonic() < end, f"no mail after {moves} moves"
            time.sleep(0.02)
            continue
        mail = read(sink.messages[seen])
        seen += 1
        line = asked(game, mail)
        if line is None:
            continue
        before = fresh(game).version
        (player,) = (one for one in players if one.user.email == mail["To"])
        listener.send(player.answer(mail, line), parseaddr(mail["Reply-To"])[1], player.user.email)
        moves += 1
        end = time.monotonic() + PATIENCE
        while fresh(game).version == before:  # one thing at a time, as a person does
            assert time.monotonic() < end, (line, InboundMail.objects.latest("pk").outcome)
            time.sleep(0.02)
    return moves


def asked(game: Game, mail: Read) -> str | None:
    """The move with which the reader of this email answers, None where it asks for none (any more).

    What a person sees on the board in the email, a bot sees in the reader's view.
    """
    named = read_reply_address(parseaddr(mail["Reply-To"])[1])
    log = log_of(game)
    if named is None or named.seat not in log.projection.to_act:
        return None
    # The email shows the table as it was then: it must have asked, and the question must stand.
    if named.seat not in log.until(named.seq).projection.to_act:
        return None
    if not is_current(log, named.seat, named.seq):
        return None
    view = log.engine.rules.view(log.state, named.seat)
    line = log.engine.notation.describe(bot_choice(log, named.seat), view)
    # Nobody places ten explorers by ten emails.
    return "plan coast" if line.startswith("place") else line
