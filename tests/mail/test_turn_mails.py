"""The turn email as its reader gets it: headers, text, HTML, pictures."""

import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.generator import BytesGenerator
from email.utils import parsedate_to_datetime

import pytest
from django.test.html import parse_html
from django.utils import translation
from PIL import Image
from pytest_django.plugin import DjangoDbBlocker

from games.mail.compose import MailComposer
from games.mail.signed_links import read_turn_token, read_unsubscribe_token
from games.models import Game, OutboxMail, Seat, User
from games.translate import quoted, with_colon
from tests.factories import log_of, person, play_one, play_turns, table_of
from tests.fixtures.people import a_host, a_player
from tests.support.emails import SITE, Kind, both_bodies, row_for, written
from tests.support.shared_rows import shared_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


def late_game() -> Game:
    """Some rounds into a game of Alice with Bob and Carol, Alice is asked, a note among the
    moves."""
    alice, bob = a_host(), a_player()
    carol = person("Carol", language="de", time_zone="Europe/Paris")
    game = play_turns(table_of(alice, bob, carol), 7)
    play_one(game, note="Hold my amphora!\n<b>Bob</b> & me")
    play_one(game)
    return game


@pytest.fixture(scope="module")
def shared_table(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Game]:
    with shared_rows(django_db_blocker, late_game) as game:
        yield game


@pytest.fixture
def late_turn(game: Game, alice: User) -> OutboxMail:
    """Alice's turn email."""
    return row_for(game, Kind.TURN, alice)


def test_headers_thread_unsubscribe_and_keep_robots_quiet(late_turn: OutboxMail) -> None:
    mail, game = written(late_turn), late_turn.game
    assert game is not None
    assert mail["From"] == "Your turn · Atlantis by Mail <games@127.0.0.1>"
    assert mail["To"] == "alice@example.org"
    assert mail["Subject"] == "Atlantis: “Round the mainland”"
    assert mail["Message-ID"] == late_turn.message_id
    assert mail["In-Reply-To"] == mail["References"] == f"<game-{game.public_id}@127.0.0.1>"
    assert mail["List-Id"] == f'"Round the mainland" <{game.public_id}.games.127.0.0.1>'
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mail["List-Unsubscribe"].startswith(f"<{SITE}/mail/off/")
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["X-Auto-Response-Suppress"] == "All"
    assert mail["Reply-To"] == ""
    sent = parsedate_to_datetime(mail["Date"])
    assert abs(sent - late_turn.created_at) < timedelta(seconds=1)


def test_text_html_and_picture_are_parts_of_one_whole(late_turn: OutboxMail) -> None:
    message = written(late_turn).message
    assert message.get_content_type() == "multipart/related"
    assert message.get_param("type") == "multipart/alternative"
    alternative, *pictures = message.iter_parts()
    kinds = [part.get_content_type() for part in alternative.iter_parts()]
    assert kinds == ["text/plain", "text/html"]
    assert {part.get_content_type() for part in pictures} == {"image/png"}
    assert {part.get_content_disposition() for part in pictures} == {"inline"}


def test_every_picture_that_the_html_names_is_in_the_email_and_nothing_comes_from_outside(
    late_turn: OutboxMail,
) -> None:
    mail = written(late_turn)
    assert set(re.findall(r'src="cid:([^"]+)"', mail.html)) == set(mail.pictures)
    assert re.findall(r'src="(?!cid:)', mail.html) == []
    assert re.findall(r"url\(|<link|<script|@import|<form", mail.html) == []
    assert set(re.findall(r'href="(https?://[^/"]+)', mail.html)) == {SITE}


def test_the_board_is_an_opaque_picture_larger_than_it_is_shown_with_words_beside_it(
    late_turn: OutboxMail,
) -> None:
    mail = written(late_turn)
    board = Image.open(io.BytesIO(mail.pictures["board@127.0.0.1"]))
    assert board.format == "PNG"
    assert board.width > 1.25 * 400
    assert len(mail.pictures["board@127.0.0.1"]) < 60_000
    assert "A" not in board.getbands()
    assert "transparency" not in board.info
    assert re.search(
        r'<img src="cid:board@127.0.0.1" width="400"\s+alt="Alice: A on ',
        mail.html,
    )
    assert len(board.convert("RGB").getcolors(1 << 24) or []) > 30  # drawn, not blank


def test_the_html_is_well_formed(late_turn: OutboxMail) -> None:
    html = written(late_turn).html
    parse_html(html.replace("<!doctype html>", ""))
    assert html.count("<table") == html.count("</table>")
    assert html.count("<div") == html.count("</div>")


def test_the_plain_part_is_narrow_enough_for_every_screen(late_turn: OutboxMail) -> None:
    lines = written(late_turn).text.splitlines()
    assert max(len(line) for line in lines if "://" not in line) <= 76
    assert "\n\n\n" not in written(late_turn).text


def test_the_same_row_gives_the_same_bytes_in_every_process(late_turn: OutboxMail) -> None:
    first, second = (MailComposer().compose(late_turn).message().as_bytes() for _sender in range(2))
    assert first == second


def test_pictures_are_written_as_python_itself_writes_them(late_turn: OutboxMail) -> None:
    message = MailComposer().compose(late_turn).message()
    slowly = io.BytesIO()
    BytesGenerator(slowly, mangle_from_=False).flatten(message, linesep="\r\n")
    assert message.as_bytes(linesep="\r\n") == slowly.getvalue()


def test_a_turn_email_says_what_happened_since_my_last_move(late_turn: OutboxMail) -> None:
    for words in both_bodies(written(late_turn)):
        assert "Since your last move" in words
        assert re.search(r"Bob played .* Carol played ", words)
        assert not re.search(r"Alice played", words)


def test_table_notes_come_with_the_move_and_cannot_be_more_than_words(
    late_turn: OutboxMail,
) -> None:
    mail = written(late_turn)
    assert "|   Hold my amphora!\n|   <b>Bob</b> & me" in mail.text
    assert "| Hold my amphora! | <b>Bob</b> & me" in mail.words


def test_a_turn_email_lists_my_hand_and_nobody_elses(late_turn: OutboxMail) -> None:
    log = log_of(late_turn.game)  # type: ignore[arg-type]
    mine = log.engine.rules.view(log.state, 0).players[0].hand
    mail = written(late_turn)
    counted = {
        item: int(number)
        for line in re.findall(r"^\| Your hand: (.+)$", mail.text, re.MULTILINE)
        for item, number in re.findall(r"(\w+) × (\d+)", line)
    }
    assert counted == {item.value: mine.count(item) for item in mine}
    for item, count in counted.items():
        assert f"{item} × {count}" in mail.words
        assert f"{item}@127.0.0.1" in mail.pictures


def test_the_text_part_draws_the_board_and_says_who_is_who(late_turn: OutboxMail) -> None:
    log = log_of(late_turn.game)  # type: ignore[arg-type]
    text = written(late_turn).text
    for line in log.engine.presentation.board_text(
        log.engine.rules.view(log.state, 0)
    ).splitlines():
        assert line.rstrip() in text
    names = re.findall(r"^\| (\d) = (\w+): ", text, re.MULTILINE)
    assert names == [("1", "Alice"), ("2", "Bob"), ("3", "Carol")]


def test_the_deadline_is_shown_in_the_readers_own_zone(
    alice: User, bob: User, late_turn: OutboxMail
) -> None:
    Seat.objects.filter(game=late_turn.game, number=0).update(
        due_at=datetime(2027, 1, 9, 23, 30, tzinfo=UTC)
    )
    for words in both_bodies(written(late_turn)):
        assert "left, until 10 Jan 2027, 00:30, Berlin time" in words
    User.objects.filter(pk=alice.pk).update(time_zone="America/New_York")
    for words in both_bodies(written(late_turn)):
        assert "until 9 Jan 2027, 18:30, New York time" in words


def test_one_button_leads_to_this_turn_and_no_other(late_turn: OutboxMail) -> None:
    mail = written(late_turn)
    (link,) = set(re.findall(rf'href="{SITE}/t/([^"]+)/"', mail.html))
    assert f"{SITE}/t/{link}/" in mail.text
    found = read_turn_token(link)
    assert found is not None
    assert (found.public_id, found.seat, found.seq, found.user) == (
        late_turn.game.public_id,  # type: ignore[union-attr]
        0,
        late_turn.seq,
        late_turn.user,
    )


def test_a_link_cannot_be_changed_into_another_and_dies_with_the_address(
    late_turn: OutboxMail, alice: User, bob: User
) -> None:
    (link,) = set(re.findall(rf"{SITE}/t/([^/]+)/", written(late_turn).text))
    words, _, signature = link.partition(":")
    public_id, seat, seq, _user = words.split("-")
    for forged in (
        f"{public_id}-{seat}-{int(seq) + 1}-{alice.pk}",
        f"{public_id}-1-{seq}-{alice.pk}",
        f"{public_id}-{seat}-{seq}-{bob.pk}",
        f"{public_id}-{seat}-{seq}-x",
        "",
    ):
        assert read_turn_token(f"{forged}:{signature}") is None
    assert read_unsubscribe_token("off", link) is None
    User.objects.filter(pk=alice.pk).update(email="elsewhere@example.org")
    assert read_turn_token(link) is None


@pytest.mark.parametrize(
    ("language", "name"),
    [("en", "Your turn"), ("de", "Du bist am Zug"), ("fr", "À vous de jouer")],
)
def test_an_inbox_shows_in_the_name_of_the_sender_that_it_is_the_readers_turn(
    late_turn: OutboxMail, game: Game, alice: User, language: str, name: str
) -> None:
    User.objects.filter(pk=alice.pk).update(language=language)
    asks, news = written(late_turn), written(row_for(game, Kind.STARTED))
    assert asks["From"] == f"{name} · Atlantis by Mail <games@127.0.0.1>"
    with translation.override(language):
        subject = f"{with_colon('Atlantis')} {quoted(game.name)}"
    assert asks["Subject"].split() == subject.split()  # by spaces of any width
    assert news["From"] == "Atlantis by Mail <games@127.0.0.1>"
