"""Reports by reply: their word, a name and what happened; and replies that are none."""

import pytest

from games import services
from games.inbound import commands, confirmation
from games.mail.reply_addresses import reply_address
from games.models import Game, InboundMail, Message, OutboxMail, Report, User
from tests.factories import fresh, play_one, table_of
from tests.support.emails import Kind, row_for, written
from tests.support.languages import english_in
from tests.support.quoting import STYLES, reply
from tests.support.replies import (
    Outcome,
    Post,
    address_of,
    arrive,
    line_of,
    one_line,
    reply_email,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "shared_table")]

WORDS = "calls everybody a donkey"
AUTOMATIC = (
    "Auto-Submitted: auto-replied",
    "Auto-Submitted: auto-generated (vacation)",
    "X-Autoreply: yes",
    "X-Autorespond: yes",
    "Precedence: auto-reply",
    "Precedence: bulk",
    "Precedence: junk",
    "Preference: auto",
    "X-Precedence: auto_reply",
    "X-Loop: alice@example.org",
    "X-Failed-Recipients: bob@example.org",
    "Delivered-To: Autoresponder",
    "X-Zarafa-Vacation: yes",
    "X-Auto-Response-Suppress: All",
    "X-MS-Exchange-Inbox-Rules-Loop: alice@example.org",
    "List-Id: <friends.example.net>",
    "Return-Path: <>",
    "X-Mail-Autoreply: yes",
    "List-Unsubscribe: <mailto:off@example.org>",
    "Content-Type: multipart/report; report-type=delivery-status",
)


@pytest.fixture
def post(game: Game, alice: User) -> Post:
    return Post(game, alice)


# -- what is a report ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", f"report Bob {WORDS}"),
        ("en", f"Report: BOB, {WORDS}"),
        ("de", f"melden Bob {WORDS}"),
        ("de", f"Melden: Bob: {WORDS}"),
        ("fr", f"signaler Bob {WORDS}"),
        ("fr", f"Signaler : Bob, {WORDS}"),
    ],
)
def test_a_player_is_reported_in_three_languages_and_the_answer_confirms_it(
    game: Game, alice: User, bob: User, language: str, line: str
) -> None:
    alice.language = language
    alice.save()
    before = fresh(game).version
    post = Post(game, alice)
    row = post.write(f"{line}\nand so on.\n-- \nAlice")
    assert row.outcome == Outcome.ORDERED
    made = Report.objects.get()
    assert (made.about, made.reporter, made.person, made.game) == ("conduct", alice, bob, game)
    assert made.text == f"{WORDS}\nand so on."
    assert fresh(game).version == before
    assert not Message.objects.exists()
    said = one_line(post.answer().text)
    if language == "en":
        assert "Your report has reached the moderators." in said
    else:
        assert english_in(said.replace(WORDS, ""), language) == []
    assert not OutboxMail.objects.filter(kind=Kind.REPORT).exists()  # the answer is enough


def test_its_text_is_not_kept_with_the_reply(post: Post) -> None:
    row = InboundMail.objects.get(pk=post.write(f"report Bob {WORDS}").pk)
    assert (row.line, row.letter) == ("report", None)


def test_a_line_of_a_move_in_a_report_is_no_move(game: Game, post: Post) -> None:
    line, before = line_of(game), fresh(game).version
    post.write(f"report Bob {line}\n{line}")
    assert fresh(game).version == before
    assert Report.objects.get().text == f"{line}\n{line}"


def test_an_email_with_messages_is_answered_with_a_report(
    game: Game, alice: User, bob: User
) -> None:
    to = reply_address(game.public_id, 0, 0)
    assert to is not None
    arrive(reply_email(f"report Bob {WORDS}", to, alice.email), to)
    assert Report.objects.get().person == bob
    arrive(reply_email("melden wir uns morgen?", to, alice.email), to)
    assert Report.objects.count() == 1


@pytest.mark.parametrize(
    "line",
    ["report", "Report what you drew", "melden wir uns morgen", "report de la partie à demain ?"],
)
def test_a_line_without_a_name_reports_nobody_and_is_no_move(
    game: Game, post: Post, line: str
) -> None:
    before = fresh(game).version
    row = post.write(line)
    assert row.outcome in (Outcome.REFUSED, Outcome.UNCLEAR)
    assert not Report.objects.exists()
    assert fresh(game).version == before


@pytest.mark.parametrize(
    "line",
    [
        "report",
        "report Zoe is rude",
        "status\nreport Zoe is rude",
        "Good game!\nreport Zoe is rude",
    ],
)
def test_nobody_is_advised_to_send_a_report_to_the_table(post: Post, line: str) -> None:
    post.write(line)
    said = one_line(post.answer().text)
    assert "To report someone, write “report”, the name of the player" in said
    assert said.count("To report someone, write") == 1
    assert "Players: Bob" in said
    assert "say:" not in said
    assert "Write this to" not in said


def test_the_limit_and_the_second_report_are_answered_with_the_reason(post: Post) -> None:
    post.write(f"report Bob {WORDS}")
    assert post.write(f"report Bob {WORDS}").outcome == Outcome.REFUSED
    assert "You have reported this already." in one_line(post.answer().text)


def test_the_outcome_arrives_in_the_language_of_the_reporter(
    game: Game, alice: User, mona: User
) -> None:
    alice.language = "fr"
    alice.save()
    Post(game, alice).write(f"signaler Bob {WORDS}")
    key = Report.objects.get().pk
    services.reports_close(outcomes={key: "allowed"}, ruling=services.Ruling(mona, "Harmless"))
    mail = written(row_for(None, Kind.REPORT, alice))
    assert english_in(mail.text.replace(WORDS, ""), "fr") == []
    assert "Harmless" not in mail.text


# -- whose report --------------------------------------------------------------------------------


def test_a_sender_who_is_not_verified_is_asked_to_confirm(game: Game, post: Post) -> None:
    row = post.write(f"report Bob {WORDS}", results=None)
    assert row.outcome == Outcome.CONFIRM
    assert not Report.objects.exists()
    found = confirmation.find(row.pk)
    assert found is not None
    assert found.sentences == (f"Report Bob to the moderators: {WORDS}",)
    confirmation.confirm(row.pk)
    assert Report.objects.get().text == WORDS
    confirmation.confirm(row.pk)
    assert Report.objects.count() == 1


def test_a_stranger_reports_nobody(post: Post) -> None:
    assert post.write(f"report Bob {WORDS}", sender="eve@example.net").outcome == Outcome.STRANGER
    assert not Report.objects.exists()


# -- no report by accident -----------------------------------------------------------------------


@pytest.mark.parametrize("head", AUTOMATIC)
def test_no_automatic_reply_reports_anybody(game: Game, alice: User, head: str) -> None:
    to = address_of(game, alice)
    arrive(reply_email(f"report Bob {WORDS}", to, alice.email, head=head), to)
    assert len(AUTOMATIC) == 20
    assert not Report.objects.exists()


@pytest.mark.parametrize("style", STYLES)
def test_a_report_that_is_only_quoted_is_none(game: Game, alice: User, style: str) -> None:
    """Somebody answers the list of commands, or an email in which somebody else wrote of one."""
    assert len(STYLES) == 12
    post = Post(game, alice)
    post.write("help")
    words = f"report Alice {WORDS}"
    services.message_write(game_id=game.pk, user=User.objects.get(display_name="Bob"), text=words)
    play_one(game)
    for mail in (post.answer(), written(row_for(game, Kind.TURN))):
        raw = reply(mail, style, "show")
        to = address_of(game, alice)
        arrive(b"Authentication-Results: mx.example.org; dmarc=pass\r\n" + raw, to)
    assert not Report.objects.exists()


def test_the_words_of_a_report_are_parsed_as_one() -> None:
    assert commands.parse("report Bob rude") == commands.Report("Bob rude")
    assert commands.parse("reporter Bob") == commands.Move("reporter Bob")


# -- names ---------------------------------------------------------------------------------------


def test_the_first_words_of_a_name_are_enough_where_one_player_is_called_so(
    post: Post, bob: User
) -> None:
    User.objects.filter(pk=bob.pk).update(display_name="Bob the Great")
    post.write(f"report Bob {WORDS}")
    report = Report.objects.get()
    assert (report.person, report.text) == (bob, WORDS)


def test_somebody_who_has_resigned_is_reported(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    services.game_resign(game_id=game.pk, user=carol)
    post = Post(game, alice)
    post.write(f"report Carol {WORDS}")
    assert Report.objects.get().person == carol


def test_of_two_players_who_are_called_so_none_is_reported_and_the_answer_names_both(
    alice: User, bob: User, carol: User
) -> None:
    User.objects.filter(pk=bob.pk).update(display_name="Dan the Great")
    User.objects.filter(pk=carol.pk).update(display_name="Dan F")
    game = table_of(alice, bob, carol)
    post = Post(game, alice)
    post.write(f"report Dan {WORDS}")
    assert not Report.objects.exists()
    said = one_line(post.answer().text)
    assert "Dan the Great" in said
    assert "Dan F" in said
