"""Whose replies are obeyed and answered: senders, machines, sizes, limits, and what is stored."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from games import services
from games.inbound import intake, limited_reader, processor, reply_parser
from games.inbound.reply_parser import Reply
from games.mail.reply_addresses import reply_address
from games.models import FOR_GOOD, Game, InboundMail, Message, OutboxMail, Seat, User
from games.services import GameMoved
from tests.factories import fresh, play_one, quota_windows_end, table_of
from tests.support.emails import Kind, written
from tests.support.moderators import moderating
from tests.support.replies import (
    PASS,
    Channel,
    Outcome,
    Post,
    SenderCheck,
    address_of,
    arrive,
    line_of,
    one_line,
    reply_email,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "shared_table")]


@pytest.fixture
def post(game: Game, alice: User) -> Post:
    return Post(game, alice)


def version(game: Game) -> int:
    return fresh(game).version


# -- who writes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("results", "checked"),
    [
        (None, SenderCheck.UNKNOWN),
        (
            "Authentication-Results: mx.example.org; dmarc=fail header.from=example.org",
            SenderCheck.FAIL,
        ),
        ("Authentication-Results: evil.example.net; dmarc=pass", SenderCheck.UNKNOWN),
    ],
)
def test_without_a_word_for_the_sender_a_move_waits_to_be_confirmed(
    game: Game, post: Post, results: str | None, checked: str
) -> None:
    before, line = version(game), line_of(game)
    row = post.write(line, results=results)
    assert (row.outcome, row.sender_check) == (Outcome.CONFIRM, checked)
    assert version(game) == before
    answer = post.answer()
    assert "/reply/" in answer.text
    assert line not in answer.text
    assert answer["To"] == "alice@example.org"


def test_without_a_word_for_the_sender_nothing_is_changed_by_a_command(
    game: Game, post: Post
) -> None:
    play_one(game)
    for line in ("pause mails", "note: Hello", "resign"):
        assert post.write(line, results=None).outcome == Outcome.CONFIRM
    seat = Seat.objects.get(game=game, number=0)
    assert (seat.mails_off, seat.user) == (False, post.user)
    assert not Message.objects.exists()


def test_without_a_word_for_the_sender_the_answer_says_at_once_what_is_wrong(
    game: Game, post: Post
) -> None:
    assert post.write("A sword", results=None).outcome == Outcome.UNCLEAR
    assert post.write("show", results=None).outcome == Outcome.SHOWN


def test_what_came_in_by_the_open_door_proves_nothing(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    row = arrive(reply_email(line_of(game), to, alice.email), to, channel=Channel.OPEN)
    assert (row.outcome, row.sender_check) == (Outcome.CONFIRM, SenderCheck.UNKNOWN)


def test_on_this_machine_alone_nobody_has_to_vouch(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    row = arrive(
        reply_email(line_of(game), to, alice.email, results=None), to, channel=Channel.LOCAL
    )
    assert row.outcome == Outcome.PLAYED


def test_a_move_from_somebody_elses_address_waits_for_the_player(
    game: Game, post: Post, bob: User
) -> None:
    before = version(game)
    row = post.write(line_of(game), sender=bob.email)
    assert (row.outcome, row.sender_check) == (Outcome.CONFIRM, SenderCheck.STRANGER)
    assert version(game) == before
    answer = post.answer()
    assert answer["To"] == "alice@example.org"
    assert "isn’t linked to your account" in answer.text
    assert bob.email not in answer.text


def test_nothing_else_from_a_stranger_is_answered(game: Game, post: Post) -> None:
    for line in ("show", "resign", "help", "What is this?", "A sword", ""):
        assert post.write(line, sender="eve@example.net").outcome == Outcome.STRANGER
    assert post.answers() == []


def test_a_second_address_counts_once_it_is_verified(game: Game, post: Post) -> None:
    second = EmailAddress.objects.create(user=post.user, email="al@example.net", verified=False)
    pass_there = PASS.replace("header.from=example.org", "header.from=example.net")
    first = post.write("show", sender="al@example.net", results=pass_there)
    assert first.outcome == Outcome.STRANGER
    second.verified = True
    second.save()
    row = post.write(line_of(game), sender="AL@Example.NET", results=pass_there)
    assert (row.outcome, row.sender_check) == (Outcome.PLAYED, SenderCheck.PASS)


def test_an_address_that_was_never_verified_is_nobodys(game: Game, post: Post) -> None:
    EmailAddress.objects.create(user=post.user, email=post.user.email, verified=False)
    assert post.write("show").outcome == Outcome.STRANGER


def test_the_reply_of_a_closed_account_moves_nothing_and_is_not_answered(
    game: Game, post: Post, alice: User
) -> None:
    line = line_of(game)
    User.objects.filter(pk=alice.pk).update(suspended_until=FOR_GOOD)
    assert post.write(line).outcome == Outcome.GONE
    assert fresh(game).version == game.version
    assert not post.answers()


def test_a_player_who_got_the_seat_later_does_not_inherit_the_old_players_reply(
    alice: User, bob: User, carol: User, dave: User, mona: User, replies: Settings
) -> None:
    game = table_of(alice, bob, carol)
    old, line = address_of(game, alice), line_of(game)
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=dave, ruling=services.Ruling(mona, "Away.")
    )
    before = version(game)
    row = arrive(reply_email(line, old, alice.email), old)
    assert (row.sender_check, row.outcome) == (SenderCheck.PASS, Outcome.REFUSED)
    assert row.answer is not None and row.answer.user == alice
    assert version(game) == before
    assert fresh(game).seats.get(number=0).user == dave


def test_two_from_addresses_are_nobody(game: Game, alice: User, bob: User) -> None:
    to = address_of(game, alice)
    raw = reply_email(line_of(game), to, alice.email)
    doubled = raw.replace(b"From: <alice@", b"From: <bob@example.org>, <alice@")
    twice = raw.replace(b"From: <alice", b"From: <bob@example.org>\r\nFrom: <alice")
    for odd in (doubled, twice):
        row = arrive(odd.replace(b"Message-ID: <", b"Message-ID: <x" + odd[-9:-8]), to)
        assert row.outcome == Outcome.FROM
        InboundMail.objects.all().delete()
    assert not OutboxMail.objects.filter(kind=Kind.ANSWER).exists()


# -- no answer -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "outcome"),
    [
        ("Auto-Submitted: auto-replied", Outcome.AUTO),
        ("Auto-Submitted: auto-generated (vacation)", Outcome.AUTO),
        ("X-Autoreply: yes", Outcome.AUTO),
        ("Precedence: auto-reply", Outcome.AUTO),
        ("Precedence: bulk", Outcome.AUTO),
        ("Preference: auto", Outcome.AUTO),
        ("X-Precedence: auto_reply", Outcome.AUTO),
        ("X-Loop: alice@example.org", Outcome.AUTO),
        ("X-Failed-Recipients: bob@example.org", Outcome.AUTO),
        ("Delivered-To: Autoresponder", Outcome.AUTO),
        ("X-Zarafa-Vacation: yes", Outcome.AUTO),
        ("X-Auto-Response-Suppress: All", Outcome.AUTO),
        ("X-MS-Exchange-Inbox-Rules-Loop: alice@example.org", Outcome.AUTO),
        ("List-Id: <friends.example.net>", Outcome.AUTO),
        ("List-Id: <abcdefghijkl.games.127.0.0.1>", Outcome.OWN),
        ("Return-Path: <>", Outcome.BOUNCE),
    ],
)
def test_machines_are_not_answered(game: Game, post: Post, head: str, outcome: str) -> None:
    before = version(game)
    assert post.write(line_of(game), head=head).outcome == outcome
    assert version(game) == before
    assert post.answers() == []


@pytest.mark.parametrize(
    "head",
    [
        "Auto-Submitted: no",
        "Auto-Submitted: No; by hand",
        "Precedence: first-class",
        "Precedence: normal",
        "Delivered-To: alice@example.org",
        "X-Auto-Response-Suppress: DR, RN, NRN",
        "X-Auto-Response-Suppress: OOF",
        "X-Priority: 3",
        "Return-Path: <alice@example.org>",
        "Content-Language: en",
    ],
)
def test_marks_that_people_s_programs_write_too_do_not_count(post: Post, head: str) -> None:
    assert post.write("show", head=head).outcome == Outcome.SHOWN


@pytest.mark.parametrize(
    "subject",
    [
        "Automatic reply: Atlantis",
        "Abwesenheitsnotiz: Re: Atlantis",
        "Réponse automatique : re",
        "Risposta automatica: Re: Atlantis",
        "Automatisch antwoord: Atlantis",
        "Autosvar: Atlantis",
        "Respuesta automática: Atlantis",
        "Resposta automática: Atlantis",
        "Delivery delayed: Re",
        "Automatyczna odpowiedź: Atlantis",
    ],
)
def test_replies_of_the_absent_are_known_by_their_subject(
    game: Game, alice: User, subject: str
) -> None:
    to = address_of(game, alice)
    raw = reply_email("I am away.", to, alice.email)
    raw = raw.replace(b"Subject: Re: Atlantis: Round the mainland", f"Subject: {subject}".encode())
    assert arrive(raw, to).outcome == Outcome.AUTO


@pytest.mark.parametrize(
    "subject",
    [
        "Re: Atlantis: Round the mainland",
        "AW: Atlantis",
        "",
        "Automatic doors",
        "Re: Automatic reply: Atlantis",
        "Absence of mind",
        "I am out of the woods",
        "Delivery",
        "Répondre",
        "My autobiography",
    ],
)
def test_a_subject_that_only_resembles_those_of_the_absent_does_not_count(
    game: Game, alice: User, subject: str
) -> None:
    to = address_of(game, alice)
    raw = reply_email("show", to, alice.email)
    raw = raw.replace(b"Subject: Re: Atlantis: Round the mainland", f"Subject: {subject}".encode())
    assert arrive(raw, to).outcome == Outcome.SHOWN


@pytest.mark.parametrize(
    "address",
    [
        "mailer@example.org",
        "bouncer@example.org",
        "post.master@example.org",
        "noreplyan@example.org",
    ],
)
def test_an_address_that_only_resembles_a_machine_s_does_not_count(
    game: Game, post: Post, address: str
) -> None:
    EmailAddress.objects.create(user=post.user, email=address, verified=True)
    assert post.write("show", sender=address).outcome == Outcome.SHOWN


def test_an_email_that_says_it_is_not_automatic_is_believed(game: Game, post: Post) -> None:
    assert post.write(line_of(game), head="Auto-Submitted: no").outcome == Outcome.PLAYED


def test_the_null_sender_is_a_bounce(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    assert (
        arrive(reply_email(line_of(game), to, alice.email), to, sender="").outcome == Outcome.BOUNCE
    )
    InboundMail.objects.all().delete()
    unknown = arrive(reply_email("show", to, alice.email), to, sender=None)
    assert unknown.outcome == Outcome.SHOWN


def test_a_report_of_a_mail_server_is_a_bounce(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = reply_email("Your mail could not be delivered.", to, alice.email).replace(
        b"Content-Type: text/plain; charset=utf-8",
        b'Content-Type: multipart/report; report-type=delivery-status; boundary="x"',
    )
    assert arrive(raw, to).outcome == Outcome.BOUNCE
    daemon = reply_email("Sorry.", to, "MAILER-DAEMON@mail.example.org")
    assert arrive(daemon, to).outcome == Outcome.BOUNCE


def test_our_own_emails_are_not_answered(game: Game, post: Post) -> None:
    assert post.write("show", sender="games@127.0.0.1").outcome == Outcome.OWN


def test_an_address_without_our_signature_is_not_even_kept(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    for other in (to.replace("move+", "move+x"), to.replace(".0.", ".1."), "games@127.0.0.1"):
        assert intake.store(b"", channel=Channel.RELAY, sender="", recipients=[other]) == []


def test_a_game_that_is_gone_is_nobodys(game: Game, alice: User) -> None:
    nowhere = reply_address("aaaaaaaaaaaa", 0, 1)
    nobody = reply_address(game.public_id, 7, 1)
    assert nowhere is not None and nobody is not None
    for to in (nowhere, nobody):
        assert arrive(reply_email("show", to, alice.email), to).outcome == Outcome.GONE


def test_an_email_nested_beyond_measure_is_answered_once(game: Game, post: Post) -> None:
    alice = post.user
    to = address_of(game, alice)
    nested = b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n' % (n, n)
        for n in range(2000)
    )
    head = reply_email("show", to, alice.email).partition(b"Content-Type")[0]
    assert arrive(head + nested + b"\r\nx" * 20_000, to).outcome == Outcome.REFUSED
    (answer,) = post.answers()
    assert "couldn’t be read" in one_line(written(answer).text)


# -- size, attachments, charsets -----------------------------------------------------------


def test_the_answer_says_that_an_email_is_too_large(game: Game, post: Post) -> None:
    before = version(game)
    row = post.write(f"{line_of(game)}\n\n" + "x" * intake.KEPT_BYTES)
    assert (row.outcome, row.is_truncated) == (Outcome.LARGE, True)
    assert len(row.raw) == intake.KEPT_BYTES
    assert version(game) == before
    assert "too large" in post.answer().text


def test_an_email_just_below_the_limit_is_read(game: Game, post: Post) -> None:
    filler = "\n".join(["> " + "x" * 68] * 3600)
    row = post.write(f"{line_of(game)}\n\n{filler}")
    assert not row.is_truncated
    assert row.outcome == Outcome.PLAYED


def test_attachments_are_left_alone(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    line = line_of(game)
    plain = reply_email(line, to, alice.email)
    head, _blank, body = plain.partition(b"MIME-Version: 1.0\r\n")
    mixed = (
        head
        + b'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="edge"\r\n\r\n--edge\r\n'
        + body
        + b"\r\n--edge\r\nContent-Type: text/plain\r\n"
        + b"Content-Disposition: attachment; filename=moves.txt\r\n\r\nC statue\r\n--edge--\r\n"
    )
    row = arrive(mixed, to)
    assert (row.outcome, row.line) == (Outcome.PLAYED, line)


def test_html_alone_will_do(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    line = line_of(game)
    head = reply_email("", to, alice.email).partition(b"Content-Type")[0]
    html = f"<div>{line}</div><blockquote>C statue</blockquote>"
    row = arrive(head + b"Content-Type: text/html; charset=utf-8\r\n\r\n" + html.encode(), to)
    assert (row.outcome, row.line) == (Outcome.PLAYED, line)


def test_a_wrong_charset_does_not_matter(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = reply_email("Brücke 27 B Flagge", to, alice.email)
    for says in (b"us-ascii", b"x-nothing", b"iso-8859-1", b"hex"):
        wrong = raw.replace(b"charset=utf-8", b"charset=" + says)
        wrong = wrong.replace(b"Message-ID: <", b"Message-ID: <" + says)
        assert arrive(wrong, to).line == "Brücke 27 B Flagge"


# -- limits --------------------------------------------------------------------------------


def test_one_seat_is_read_so_often_an_hour(game: Game, post: Post, settings: Settings) -> None:
    settings.QUOTAS = {"replies_seat_hour": 3}
    found = [post.write("show").outcome for _mail in range(6)]
    assert found == [*[Outcome.SHOWN] * 3, Outcome.LIMIT, Outcome.QUIET, Outcome.QUIET]
    assert "the limit for email replies (3 per hour)" in one_line(post.answer().text)
    quota_windows_end()
    assert post.write("show").outcome == Outcome.SHOWN


def test_one_person_is_read_so_often_an_hour_at_all_tables(
    game: Game, alice: User, bob: User, settings: Settings
) -> None:
    settings.QUOTAS = {"replies_person_hour": 3}
    other = table_of(alice, bob)
    here, there = Post(game, alice), Post(other, alice)
    found = [post.write("show").outcome for post in (here, there, here, there, here)]
    assert found == [*[Outcome.SHOWN] * 3, Outcome.LIMIT, Outcome.QUIET]
    assert Post(game, bob).write("show").outcome == Outcome.SHOWN


def test_a_text_whose_sender_is_not_verified_is_read_only_so_often(
    game: Game, post: Post, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody's emails keep those of the verified player from being read."""
    settings.QUOTAS = {"readings_seat_hour": 2}
    read = []

    def note(raw: bytes, **_more: bool) -> Reply:
        read.append(raw)
        return reply_parser.written("show")

    monkeypatch.setattr(limited_reader, "read", note)
    outcomes = [post.write("show", results=None).outcome for _email in range(4)]
    assert outcomes == [Outcome.SHOWN, Outcome.SHOWN, Outcome.QUIET, Outcome.QUIET]
    assert len(read) == 2
    assert post.write("show").outcome == Outcome.SHOWN


def test_texts_from_one_network_are_read_only_so_often(
    game: Game, post: Post, settings: Settings
) -> None:
    settings.QUOTAS = {"readings_network_hour": 2}
    outcomes = [
        post.write("show", results=f"Received: from a (a [{network}]) by b").outcome
        for network in ("192.0.2.1", "192.0.2.1", "192.0.2.1", "IPv6:2001:db8::1")
    ]
    assert outcomes == [Outcome.SHOWN, Outcome.SHOWN, Outcome.QUIET, Outcome.SHOWN]


def test_strangers_cannot_use_up_the_readings_of_a_network_that_they_name(
    game: Game, alice: User, settings: Settings
) -> None:
    """Without a mail server of ours, the sender has written each Received field."""
    settings.QUOTAS = {"readings_network_hour": 1}
    to, field = address_of(game, alice), "Received: from a (a [192.0.2.1]) by b"
    outcomes = [
        arrive(reply_email("show", to, alice.email, results=field), to, channel=channel).outcome
        for channel in (Channel.OPEN, Channel.OPEN, Channel.RELAY, Channel.RELAY)
    ]
    assert outcomes == [Outcome.SHOWN] * 3 + [Outcome.QUIET]


def test_those_nobody_vouches_for_are_answered_so_often_a_day(
    game: Game, post: Post, settings: Settings
) -> None:
    settings.QUOTAS = {"unverified_replies_seat_day": 2}
    found = [post.write("show", results=None).outcome for _mail in range(4)]
    assert found == [Outcome.SHOWN, Outcome.SHOWN, Outcome.QUIET, Outcome.QUIET]
    assert post.write("show").outcome == Outcome.SHOWN  # they do not use up what is the player's


# -- kept and forgotten --------------------------------------------------------------------


def test_emails_of_strangers_use_up_no_answer_of_the_player(
    game: Game, post: Post, settings: Settings
) -> None:
    settings.QUOTAS = {"unclear_replies_seat_hour": 1}
    for _email in range(2):
        assert post.write("dear all", results=None).outcome == Outcome.UNCLEAR
    assert post.write("dear all").outcome == Outcome.UNCLEAR
    assert post.write("dear all").outcome == Outcome.LIMIT


def test_the_text_of_an_email_is_removed_after_a_while(game: Game, post: Post) -> None:
    row = post.move()
    assert intake.purge_old() == 0
    InboundMail.objects.update(received_at=timezone.now() - timedelta(days=31))
    assert intake.purge_old() == 1
    kept = InboundMail.objects.get(pk=row.pk)
    assert (bytes(kept.raw), kept.outcome) == (b"", Outcome.PLAYED)


def test_an_email_is_in_the_database_before_it_is_read(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = reply_email("show", to, alice.email)
    (row,) = intake.store(
        raw, channel=Channel.RELAY, sender=alice.email, recipients=[to, to.upper()]
    )
    assert (bytes(row.raw), row.state, row.recipient) == (raw, "new", to)


def test_answers_are_in_the_players_language(carol: User, bob: User, replies: Any) -> None:
    game = table_of(carol, bob)
    Post(game, carol).write("zeig")
    row = OutboxMail.objects.get(kind=Kind.ANSWER)
    assert 'lang="de"' in written(row).html


def test_game_moved_is_no_error_of_the_outer_transaction(game: Game, post: Post) -> None:
    """A refusal inside of a service undoes the service's part alone."""
    with transaction.atomic(), pytest.raises(GameMoved):
        services.game_play_line(game_id=game.pk, user=post.user, seat=0, line="A flag", version=1)
    assert fresh(game).status == Game.Status.RUNNING


def test_a_moderator_sees_what_was_read_and_not_the_email(
    game: Game, post: Post, client: Client
) -> None:
    line = line_of(game)
    row = post.write(f"{line}\n\nDear all, this is private.")
    moderating(User.objects.create_superuser("root@example.org", display_name="Root"), client)
    listed = client.get("/admin/games/inboundmail/").content.decode()
    assert line not in listed, "it is as secret as the game"
    assert "move made" in listed
    page = client.get(f"/admin/games/inboundmail/{row.pk}/change/").content.decode()
    assert "authenticated" in page
    for private in ("this is private", row.recipient, row.key):
        assert private not in page


def test_signs_that_no_address_has_do_no_harm(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = reply_email(line_of(game), to, alice.email)
    odd = raw.replace(b"From: <alice@", b"From: <ali\x00ce@").replace(
        b"Subject: ", b"Subject: \x00"
    )
    assert arrive(odd, to, sender="ali\x00ce\udcff@example.org").outcome == Outcome.FROM
    assert InboundMail.objects.get().sender == "alice@example.org"


# -- what is not kept --------------------------------------------------------------------------


def test_an_email_that_nobody_will_read_keeps_no_text(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    words = "show this to nobody"
    stranger = arrive(reply_email(words, to, "x@nowhere.example"), to)
    (not_ours,) = intake.store(
        reply_email(words, to, alice.email), channel=Channel.RELAY, sender=None, recipients=[to]
    )
    InboundMail.objects.filter(pk=not_ours.pk).update(recipient="who@example.org")
    processor.read_one(not_ours.pk)
    not_ours.refresh_from_db()
    User.objects.filter(pk=alice.pk).update(suspended_until=FOR_GOOD)
    gone = arrive(reply_email(words, to, alice.email), to)
    outcomes = [row.outcome for row in (stranger, not_ours, gone)]
    assert outcomes == [Outcome.STRANGER, Outcome.NOT_OURS, Outcome.GONE]
    for row in (stranger, not_ours, gone):
        assert (bytes(row.raw), row.line, row.letter) == (b"", "", None)
