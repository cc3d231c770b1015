"""The emails of every kind fit, read well and reveal no secrets."""

import re
from collections.abc import Callable
from html import unescape
from itertools import product
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from games import services
from games.mail import kinds
from games.mail.compose import MailComposer
from games.mail.kinds import batch
from games.models import Game, OutboxMail, Seat, User
from tests.factories import fresh, log_of, play_one, play_to_the_end, play_turns, table_of
from tests.support.emails import Kind, Read, read, row_for, written
from tests.support.escape_games import (
    attacked,
    escape_table,
    game_with,
    play_line,
    play_on,
    seat_of,
)
from tests.support.every_mail import (
    ANSWERS,
    bytes_of,
    every_mail,
    every_row,
)
from tests.support.indistinguishable_games import atlantis_round, atlantis_twin, world
from tests.support.languages import english_in
from tests.support.lengths import by_length

pytestmark = pytest.mark.django_db

HEADING = re.compile(r"<h2[^>]*>(.*?)</h2>", re.DOTALL)
GMAIL_CUTS_AT = 102 * 1024  # bytes of HTML


def test_every_kind_is_among_the_rows(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 2)
    assert {row.kind for _name, row in every_row(game, alice)} == set(Kind)


def is_well_made(mail: Read, language: str) -> None:
    """Small enough, in the language it says, with words for each picture and nothing from
    outside."""
    html = mail.html
    assert len(html.encode()) < GMAIL_CUTS_AT
    assert f'<html lang="{language}">' in html
    pictures = re.findall(r"<img\b[^>]*>", html)
    assert all(re.search(r'\balt="[^"]*"', picture) for picture in pictures)
    assert all(re.search(r'\balt="[^"]+"', p) for p in pictures if "board" in p)
    assert set(re.findall(r'src="([^"]+)"', html)) == {f"cid:{name}" for name in mail.pictures}
    assert not re.findall(r"url\(|<link|<script|@import|<form|<iframe|<video|srcset", html)
    assert set(re.findall(r'href="(https?://[^/"]+)', html)) <= {"http://127.0.0.1:8000"}
    assert "color-scheme" in html
    # Outlook for Windows knows no padding of these elements, no largest width, no empty boxes.
    assert not re.findall(r'<(?:a|p|span)\b[^>]*style="[^"]*background', html)
    assert html.count("<!--[if mso]>") == 2
    assert "inline-block" not in re.sub(r"<(?:img|a)\b[^>]*>", "", html)
    assert all('role="presentation"' in table for table in re.findall(r"<table\b[^>]*>", html))
    assert mail.text.strip()
    assert mail["Subject"]
    assert "{{" not in html + mail.text
    assert "{%" not in html + mail.text
    have_equal_structure(mail)


def have_equal_structure(mail: Read) -> None:
    """The same headings in the same order, and about as many different words: SpamAssassin counts a
    text with three times as many as the HTML as a lie (MPART_ALT_DIFF_COUNT)."""
    headings = [unescape(found).strip() for found in HEADING.findall(mail.html)]
    words = [" ".join(heading.split()) for heading in headings]
    places = [max(mail.text.find(f"\n{each}"), mail.text.find(each)) for each in words]
    assert -1 not in places, headings
    assert places == sorted(places), headings
    in_text, in_html = (
        {word for word in part.split() if re.search(r"\w", word)}
        for part in (mail.text, mail.words)
    )
    assert len(in_text) < 3 * len(in_html)


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "kind"),
    by_length(
        [("en", "atlantis"), ("de", "atlantis"), ("fr", "escape")],
        list(product(("en", "de", "fr"), ("atlantis", "escape"))),
    ),
)
def test_emails_of_every_kind_are_well_made_and_in_one_language(
    alice: User, bob: User, language: str, kind: str
) -> None:
    User.objects.filter(pk=alice.pk).update(language=language)
    alice.refresh_from_db()
    table = table_of(alice, bob) if kind == "atlantis" else escape_table(alice, bob)
    game = play_turns(table, 6)
    mails = []
    for name, raw in every_mail(game, alice):
        assert raw.isascii(), name
        mail = read(raw)
        mails.append(mail)
        assert mail["List-Id"] and mail["Feedback-ID"] and mail["Auto-Submitted"], name
        is_well_made(mail, language)
        assert not re.search(r"&middot;\s*</td>|·\s*$", mail.html), name
        wide = [line for line in mail.text.splitlines() if len(line) > 76]
        assert not [line for line in wide if "://" not in line], name
    if language != "en":
        say_nothing_in_english(mails, language)


def say_nothing_in_english(mails: list[Read], language: str) -> None:
    lines = [line for m in mails for line in (m["Subject"], *m.text.splitlines(), *m.blocks)]
    assert english_in("\n".join(dict.fromkeys(lines)), language) == []


@pytest.mark.parametrize("language", ["de", "fr"])
def test_emails_of_the_end_say_nothing_in_english(alice: User, bob: User, language: str) -> None:
    User.objects.filter(pk=alice.pk).update(language=language)
    alice.refresh_from_db()
    over = row_for(play_to_the_end(table_of(alice, bob)), Kind.OVER, alice)
    last = written(over)
    over.kind, over.context = Kind.ANSWER, {"what": "played", "first": 1, "instead_of": "over"}
    assert over.game is not None
    over.game = fresh(over.game)
    answer = read(bytes_of(over, over.game))  # the template reply_over
    is_well_made(answer, language)
    say_nothing_in_english([last, answer], language)


def test_the_largest_turn_email_fits(alice: User, bob: User, carol: User, dave: User) -> None:
    User.objects.update(language="en")
    game = table_of(alice, bob, carol, dave, name="&" * 60)
    play_turns(game, 1)
    for _round in range(6):
        for _seat in range(4):
            play_one(game, note="&" * 500)
    for user in (alice, bob, carol, dave):
        row = OutboxMail.objects.filter(game=game, kind=Kind.TURN, user=user).last()
        assert row is not None
        is_well_made(written(row), "en")


def test_the_emails_of_the_fullest_board_of_escape_fit(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    """Four players with all their explorers on the island, then turns, each with a note."""
    people = (alice, bob, carol, dave)
    for user in people:
        user.language = "fr"  # the longest words
        user.save()
    game = escape_table(*people)
    for user in reversed(people):
        play_line(game, user, "plan spread")
    play_on(game, lambda state: not state.board.is_setup)
    laid = fresh(game)
    for user in people:
        row = OutboxMail(kind=Kind.STARTED, game=laid, seat=seat_of(laid, user).number, user=user)
        row.seq, row.to_address, row.message_id = laid.version, user.email, "<x@y>"
        is_well_made(read(bytes_of(row, laid)), "fr")
    for _move in range(16):
        play_one(game, note="&" * 500)
    for user in people:
        is_well_made(written(row_for(game, Kind.TURN, user)), "fr")


def test_the_last_email_of_a_game_fits(alice: User, bob: User, carol: User, dave: User) -> None:
    User.objects.update(language="en")
    game = play_to_the_end(table_of(alice, bob, carol, dave))
    is_well_made(written(row_for(game, Kind.OVER, dave)), "en")


def test_a_digest_of_more_games_than_it_shows_fits(alice: User, bob: User) -> None:
    games = [table_of(alice, bob, name="&" * 60) for _game in range(batch.MAX_GAMES + 2)]
    seats = Seat.objects.filter(user=alice, game__in=games).select_related("game")
    row = OutboxMail(kind=Kind.DIGEST, user=alice, to_address=alice.email, message_id="<x@y>")
    row.created_at = timezone.now()
    mail = MailComposer().compose(row, [batch.turn_row(seat, alice) for seat in seats])
    received = read(mail.message().as_bytes(linesep="\r\n"))
    is_well_made(received, "en")
    assert len(received.pictures) == batch.MAX_BOARDS
    assert sum(len(picture) for picture in received.pictures.values()) < 210_000
    assert "And 2 more games" in received.words


def test_boards_of_digests_have_three_sizes_and_a_bounded_sum() -> None:
    sizes = {shown: batch.board_pixels(shown) for shown in range(batch.MAX_BOARDS + 1)}
    assert len(set(sizes.values())) == 3
    assert all(shown * pixels <= batch.ALL_PIXELS for shown, pixels in sizes.items())


def test_a_digest_of_ten_games_is_small(alice: User, bob: User) -> None:
    games = [play_turns(table_of(alice, bob), 6) for _game in range(5)]
    games += [play_turns(escape_table(alice, bob), 6) for _game in range(5)]
    seats = Seat.objects.filter(user=alice, game__in=games).select_related("game")
    row = OutboxMail(kind=Kind.DIGEST, user=alice, to_address=alice.email, message_id="<x@y>")
    row.created_at = timezone.now()
    mail = MailComposer().compose(row, [batch.turn_row(seat, alice) for seat in seats])
    raw = mail.message().as_bytes(linesep="\r\n")
    assert sum(name.startswith("board-") for name in read(raw).pictures) == 10
    assert len(raw) < 300_000


# -- what is asked ---------------------------------------------------------------------------


def test_a_question_is_put_in_a_digest_as_in_an_email_of_its_own(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked())
    user = (alice, bob)[game.to_act[0]]
    log = log_of(game)
    view = log.engine.rules.view(log.state, game.to_act[0])
    question, guide = log.engine.rules.question(view), log.engine.presentation.guide(view)
    assert question is not None and guide is not None
    for name, row in every_row(game, user):
        if row.kind not in {Kind.TURN, Kind.GATHERED, Kind.DIGEST}:
            continue
        mail = read(bytes_of(row, game))
        for words in (
            " ".join(re.sub(r"^\| ", "", mail.text, flags=re.MULTILINE).split()),
            mail.words,
        ):
            until = re.search(" left, until |The time ran out on ", words)
            assert until is not None, name
            places = [
                words.index(str(guide.task)),
                until.start(),
                words.index(str(question.text)),
                words.index("If you do not respond by then, the attack goes ahead."),
            ]
            assert places == sorted(places), name
            assert "Respond" in words
            assert "Make your move" not in words


def test_the_picture_comes_with_who_is_who_and_who_i_am(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 2)
    words = written(row_for(game, Kind.TURN, alice)).words
    assert re.search(r"● Alice \(you\) (a tile|tiles) [^●]+ ● Bob (a tile|tiles|no tiles)", words)


@pytest.mark.parametrize("make_table", [table_of, escape_table])
@pytest.mark.parametrize(
    ("language", "asked", "until"),
    [
        ("en", "(Move|Place) one of your .+", r"3 days left, until .+, Berlin time"),
        ("de", "(Ziehe mit einer deiner|Setze einen deiner) .+", "Noch 3 Tage, bis .+ Berlin"),
        ("fr", "(Déplacez|Placez) un de vos .+", "Encore 3 jours, jusqu’au .+ à Berlin"),
    ],
)
def test_the_first_two_lines_say_what_is_asked_and_until_when(
    alice: User, bob: User, make_table: Callable[..., Game], language: str, asked: str, until: str
) -> None:
    User.objects.update(language=language)
    alice.refresh_from_db()
    game = play_turns(make_table(alice, bob), 2)
    first, second = written(row_for(game, Kind.TURN, alice)).text.splitlines()[:2]
    assert re.fullmatch(asked, first)
    assert re.fullmatch(until, second.replace("\xa0", " "))


@pytest.mark.parametrize("what", ["resign", "confirm", "told"])
def test_an_answer_that_asks_for_one_thing_asks_for_no_other(
    alice: User, bob: User, replies: Settings, what: str
) -> None:
    game = play_turns(table_of(alice, bob), 2)
    rows = dict(every_row(game, alice))
    mail = read(bytes_of(rows[f"answer-{what}"], game))
    for words in (mail.text, mail.words):
        assert "write on the first line" not in " ".join(words.split())


def test_a_host_whose_own_time_is_up_is_not_advised_to_talk_to_the_others(
    alice: User, bob: User
) -> None:
    game = play_turns(table_of(alice, bob), 2)
    host = {
        row.context["late"]: read(bytes_of(row, game))
        for _name, row in every_row(game, alice)
        if row.kind == Kind.DEADLINE
    }
    own, others = host[seat_of(game, alice).number], host[seat_of(game, bob).number]
    for mine, theirs in zip((own.text, own.words), (others.text, others.words), strict=True):
        assert "As the host" not in mine
        assert "As the host" in theirs


def test_a_board_that_is_not_shown_is_named_and_can_be_asked_for_in_words(
    alice: User, bob: User, replies: Settings
) -> None:
    mail = written(row_for(table_of(alice, bob), Kind.TURN))
    assert 'alt="Alice: A on Atlantis, B on Atlantis, C on Atlantis. Bob: ' in mail.html
    assert "No picture? Reply “show words” to read the position in words." in mail.words


@pytest.mark.parametrize("kind", [Kind.GATHERED, Kind.DIGEST])
def test_a_gathered_email_has_its_parts_in_the_same_order_in_text_and_html(
    alice: User, bob: User, replies: Settings, kind: str
) -> None:
    game = play_turns(table_of(alice, bob), 2)
    row = next(row for _name, row in every_row(game, alice) if row.kind == kind)
    mail = read(bytes_of(row, game))
    parts = ("Bob played", "Make your move", "Your hand", "Possible now", "Check code")
    for words in (mail.text, mail.words):
        places = [words.index(part) for part in parts]
        assert places == sorted(places)


# -- secrets -------------------------------------------------------------------------------


def mails_in(events: list[Any], people: list[User]) -> dict[str, bytes]:
    """The emails of every kind to seat 0 of a game with this log; the game is gone afterwards."""
    sent: dict[str, bytes] = {}
    with world("atlantis", events, people) as game:
        for name, raw in every_mail(game, people[0]):
            mail = raw.replace(b"=\r\n", b"")  # links may be cut
            sent[name] = re.sub(rb"/[ti]/[^/\s]+/", b"/link/", mail)
    return sent


@pytest.mark.usefixtures("one_check_code")
def test_worlds_that_differ_in_the_secrets_of_others_send_the_same_emails_of_every_kind(
    alice: User, bob: User
) -> None:
    events = atlantis_round()
    twin = atlantis_twin(events)
    assert events != twin
    one, other = mails_in(events, [alice, bob]), mails_in(twin, [alice, bob])
    assert len(one) == len(ANSWERS) + 39
    assert [name for name in one if one[name] != other[name]] == []


def test_the_chosen_kinds_are_those_of_seats_and_invitations() -> None:
    asked_for = {Kind.ACCOUNT, Kind.SECURITY, Kind.ANSWER, Kind.GATHERED, Kind.DIGEST}
    asked_for |= {Kind.UNSUBSCRIBED, Kind.DECISION, Kind.REPORT, Kind.APPEAL}
    assert set(kinds.selectable()) == set(Kind) - asked_for
    assert services.mail_kind_is_off(User(), Kind.TURN) is False
