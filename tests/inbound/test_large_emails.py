"""Replies with photos and everything quoted: each channel accepts 30 MB, and the texts are read."""

import random
import smtplib
from collections.abc import Callable, Iterator
from datetime import timedelta
from email import policy
from email.message import EmailMessage

import pytest
from django.utils import timezone
from pytest_django import Settings

from atlantis_site.front import Limits
from games.inbound import intake, mime, processor
from games.mail.compose import MailComposer
from games.mail.kinds import batch
from games.models import Game, InboundMail, OutboxMail, Seat, User
from tests.factories import fresh, table_of
from tests.support.emails import Kind, Read, read, reply_to, row_for, written
from tests.support.escape_games import escape_table
from tests.support.processes import PATIENCE
from tests.support.replies import (
    PASS,
    Listener,
    Outcome,
    address_of,
    arrive,
    line_of,
    listener_process,
    pipe,
    reply_email,
)
from tests.support.webhooks import SHAPES, Hook

MB = 1024 * 1024
PHOTO = random.Random(1).randbytes(5 * MB)


@pytest.fixture
def game(transactional_db: None, alice: User, bob: User, replies: Settings) -> Game:
    return table_of(alice, bob)


def reply_with(
    words: str,
    to: str,
    sender: str,
    *,
    quoting: Read | None = None,
    photo: bytes = b"",
    pictures: bool = False,
) -> bytes:
    """A reply as a mail program writes it: below the words everything that it answers, and a
    photo. pictures: it sends the pictures of our email back."""
    mail = EmailMessage(policy=policy.SMTP)
    mail["Authentication-Results"] = PASS.partition(": ")[2]
    mail["From"], mail["To"], mail["Subject"] = sender, to, "Re: Your turn"
    mail["Message-ID"] = "<large@mail.example.org>"
    quoted = "".join(f"> {line}\n" for line in quoting.text.splitlines()) if quoting else ""
    said = "On Fri, Nov 6, 2026 at 10:12 AM Atlantis by Mail <games@example.org> wrote:"
    mail.set_content(f"{words}\n\n{said}\n{quoted}")
    if quoting:
        page = f"<p>{words}</p><p>{said}</p><blockquote type=cite>{quoting.html}</blockquote>"
        mail.add_alternative(page, subtype="html")
        _plain, part = mail.iter_parts()
        assert isinstance(part, EmailMessage)
        for name, picture in quoting.pictures.items() if pictures else ():
            part.add_related(picture, "image", "png", cid=f"<{name}>")
    if photo:
        mail.add_attachment(photo, "image", "jpeg", filename="IMG_1.jpeg")
    return mail.as_bytes()


def the_row() -> InboundMail:
    return InboundMail.objects.get()


def assert_played(game: Game) -> None:
    assert processor.read_waiting() == 1
    assert (the_row().outcome, fresh(game).to_act) == (Outcome.PLAYED, [1])
    assert len(the_row().raw) <= intake.KEPT_BYTES


# -- a photo of 5 MB, by every channel ---------------------------------------------------------


@pytest.mark.parametrize("protocol", ["smtp", "lmtp"])
def test_a_photo_by_the_listener(
    protocol: str, make_listener: Callable[..., Listener], game: Game, alice: User
) -> None:
    to, listener = address_of(game, alice), make_listener(MAIL_LISTEN_PROTOCOL=protocol)
    client = smtplib.SMTP if protocol == "smtp" else smtplib.LMTP
    with client("127.0.0.1", listener.port, timeout=PATIENCE) as server:
        server.sendmail(alice.email, [to], reply_with(line_of(game), to, alice.email, photo=PHOTO))
    assert_played(game)


def test_a_photo_by_the_pipe(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = reply_with(line_of(game), to, alice.email, photo=PHOTO)
    assert pipe(raw, "--sender", alice.email, to).returncode == 0
    assert_played(game)


def as_mime(hook: Hook) -> None:
    """Put a photo into the email of the hook."""
    hook.raw = reply_with(hook.text, hook.to, hook.sender, photo=PHOTO).replace(
        b"<large@", b"<hook@"
    )
    hook.mime = hook.raw.decode()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.filterwarnings("ignore::anymail.exceptions.AnymailNotSupportedWarning")
def test_a_photo_by_the_webhook_of_a_provider(shape: str, hook: Hook, game: Game) -> None:
    as_mime(hook)
    assert getattr(hook, shape)() == 200
    assert_played(game)


# -- everything quoted -------------------------------------------------------------------------


def test_a_turn_email_quoted_with_its_pictures_and_a_logo(game: Game, alice: User) -> None:
    to, mail = address_of(game, alice), written(row_for(game, Kind.TURN, alice))
    raw = reply_with(
        line_of(game), to, alice.email, quoting=mail, pictures=True, photo=PHOTO[:100_000]
    )
    assert arrive(raw, to).outcome == Outcome.PLAYED


def digest_of(user: User) -> Read:
    seats = Seat.objects.filter(user=user, asked_seq__isnull=False).select_related("game")
    row = OutboxMail(kind=Kind.DIGEST, user=user, to_address=user.email, message_id="<all@x>")
    row.created_at = timezone.now()
    mail = MailComposer().compose(row, [batch.turn_row(seat, user) for seat in seats])
    return read(mail.message().as_bytes(linesep="\r\n"))


@pytest.mark.parametrize("games", [9, batch.MAX_GAMES])
def test_a_digest_quoted_whole_with_its_pictures(
    games: int, game: Game, alice: User, bob: User
) -> None:
    for number in range(1, games):
        (escape_table if number % 2 else table_of)(alice, bob)
    mail = digest_of(alice)
    to = reply_to(mail)
    last = timezone.localdate() + timedelta(days=20)
    line = f"away until {last.day} {last:%b}"
    raw = reply_with(line, to, alice.email, quoting=mail, pictures=True, photo=PHOTO)
    row = arrive(raw, to)
    assert (row.line, row.outcome) == (line, Outcome.SHOWN)
    assert [one.last for one in User.objects.get(pk=alice.pk).absence_list] == [last]


def test_our_emails_are_small_enough_to_be_quoted(game: Game, alice: User, bob: User) -> None:
    """Their texts, quoted twice as long in both forms, are a half of what is stored."""
    other = escape_table(alice, bob)
    for number in range(2, batch.MAX_GAMES):
        (escape_table if number % 2 else table_of)(alice, bob)
    mails = [written(row_for(one, Kind.TURN, alice)) for one in (game, other)]
    sizes = [len(mail.message.as_bytes()) for mail in mails]
    digest = digest_of(alice)
    assert max(sizes) < 150_000
    assert len(digest.message.as_bytes()) < 400_000
    for mail in (*mails, digest):
        assert 2 * len((mail.text + mail.html).encode()) < intake.KEPT_BYTES // 2


# -- larger than is stored ---------------------------------------------------------------------


def test_a_text_that_goes_on_below_what_is_stored_is_not_read(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    text = f"{line_of(game)}\n\n" + "This goes on.\n" * (intake.KEPT_BYTES // 14)
    row = arrive(reply_email(text, to, alice.email), to)
    assert row.outcome == Outcome.LARGE
    assert "too large to read" in written(row.answer).text  # type: ignore[arg-type]


def test_a_digest_answered_by_a_text_that_is_not_stored_whole_says_so(
    game: Game, alice: User
) -> None:
    to = reply_to(digest_of(alice))
    text = "away until 3 Jan\n\n" + "This goes on.\n" * (intake.KEPT_BYTES // 14)
    row = arrive(reply_email(text, to, alice.email), to)
    assert row.outcome == Outcome.LARGE
    assert "too large to read" in written(row.answer).text  # type: ignore[arg-type]
    assert not User.objects.get(pk=alice.pk).absence_list


def both_forms(plain: str, html: str) -> bytes:
    mail = EmailMessage(policy=policy.SMTP)
    mail.set_content(plain)
    mail.add_alternative(html, subtype="html")
    return mail.as_bytes()


PICTURE_IN_HTML = f"<p>B flag</p><img src='data:image/png;base64,{'A' * 700_000}'>"
LONG = "word " * 120_000


@pytest.mark.parametrize(
    ("raw", "is_cut"),
    [
        (both_forms("B flag", "<p>B flag</p>") + b"x" * 600_000, False),
        (both_forms("B flag", PICTURE_IN_HTML), False),
        (both_forms("", PICTURE_IN_HTML), True),  # nobody knows what the end of the HTML shows
        (both_forms(LONG, "<p>B flag</p>"), True),
        (reply_email(f"B flag\n{LONG}", "move@x"), True),
        (reply_with("B flag", "move@x", "a@x", photo=PHOTO), False),
    ],
)
def test_a_text_is_cut_where_it_does_not_end_within_what_is_stored(
    raw: bytes, is_cut: bool
) -> None:
    assert mime.read(raw[: intake.KEPT_BYTES], is_truncated=True).is_cut is is_cut


def test_a_text_below_a_large_photo_is_not_known() -> None:
    mail = EmailMessage(policy=policy.SMTP)
    mail.set_content(PHOTO, "image", "jpeg", disposition="inline")
    mail.make_mixed()
    words = EmailMessage(policy=policy.SMTP)
    words.set_content("B flag")
    mail.attach(words)
    raw = mail.as_bytes()
    assert mime.read(raw).plain is not None
    assert mime.read(raw[: intake.KEPT_BYTES], is_truncated=True).is_cut


# -- larger than is accepted -------------------------------------------------------------------


@pytest.fixture(scope="module")
def one_listener(django_db_setup: None) -> Iterator[Listener]:
    made = listener_process()
    made.start()
    yield made
    made.child.stop()


def too_large(game: Game, user: User) -> tuple[bytes, str]:
    """(an email of 31 MB, its address)."""
    to = address_of(game, user)
    photo = b"\r\n".join([b"A" * 76] * (31 * MB // 78))
    return reply_email(line_of(game), to, user.email) + photo, to


def test_31_mb_are_refused_by_smtp_with_what_to_do(
    one_listener: Listener, game: Game, alice: User
) -> None:
    raw, to = too_large(game, alice)
    with pytest.raises(smtplib.SMTPSenderRefused, match="without attachments"):  # said beforehand
        one_listener.send(raw, to, alice.email)
    with smtplib.SMTP("127.0.0.1", one_listener.port, timeout=PATIENCE) as server:
        server.helo()  # without the extension that announces a size
        server.mail(alice.email)
        server.rcpt(to)
        status, words = server.data(raw)  # found out later
        assert (status, words.decode()) == (552, intake.TOO_LARGE)
        assert "Send your reply again without attachments" in intake.TOO_LARGE
        assert not InboundMail.objects.exists()
        server.sendmail(alice.email, [to], reply_email(line_of(game), to, alice.email))
    assert_played(game)


def test_31_mb_are_refused_by_the_pipe_with_what_to_do(game: Game, alice: User) -> None:
    raw, to = too_large(game, alice)
    done = pipe(raw, "--sender", alice.email, to)
    assert done.returncode == 65
    assert intake.TOO_LARGE in done.stderr.decode()
    assert not InboundMail.objects.exists()


def test_every_channel_has_the_same_limit() -> None:
    assert Limits().body_bytes == intake.ACCEPTED_BYTES


@pytest.mark.parametrize("beginning", [b"", b"x" * 560_000])
@pytest.mark.parametrize(
    ("line", "is_taken"),
    [
        (b"x" * 900 + b"\r\n", True),
        (b"..\r\n", True),
        (b"x" * 5000 + b".\r\n", None),  # refused above what is stored, and below it left out
        (b".\n", True),
        (b"\r\r\n", True),
    ],
)
def test_no_line_of_a_large_email_is_taken_for_its_end(
    one_listener: Listener,
    game: Game,
    alice: User,
    beginning: bytes,
    line: bytes,
    is_taken: bool | None,
) -> None:
    """The second line would be a command if the first one ended the email."""
    to = address_of(game, alice)
    raw = reply_email("show", to, alice.email)
    lines = b"".join(beginning[at : at + 70] + b"\r\n" for at in range(0, len(beginning), 70))
    with smtplib.SMTP("127.0.0.1", one_listener.port, timeout=PATIENCE) as server:
        server.helo()
        server.mail(alice.email)
        server.rcpt(to)
        assert server.docmd("DATA")[0] == 354
        server.send(raw + lines + line + b"NOOP\r\n.\r\n")
        status = server.getreply()[0]
        assert server.docmd("NOOP")[0] == 250
    if is_taken is None:
        is_taken = len(raw + lines) > intake.KEPT_BYTES
    assert (status == 250) is is_taken
