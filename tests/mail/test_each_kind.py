"""Each kind of email as its reader gets it: headers, text, HTML, pictures."""

import re
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.conf import settings
from django.utils import timezone

from games import services
from games.log import pipeline
from games.mail import kinds, queue
from games.mail.compose import MailComposer
from games.models import Game, OutboxMail, User
from games.rules.atlantis.model import Dealt
from games.rules.errors import MoveError
from tests.factories import fresh, log_of, play_one, play_to_the_end, play_turns, seats_of, table_of
from tests.support.emails import SITE, Kind, both_bodies, row_for, rows_for, written
from tests.support.indistinguishable_games import (
    AT,
    atlantis_round,
    atlantis_twin,
    other_item,
    world,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


# -- every email about a game ---------------------------------------------------------------


def test_every_email_of_a_game_has_the_same_subject_and_thread(game: Game, mona: User) -> None:
    seat = game.seats.get(number=0)
    pipeline.execute(queue.reminder(game, seat, "half"))
    services.deadline_check(now=timezone.now() + timedelta(days=4))
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "A storm."))
    mails = [written(row) for row in OutboxMail.objects.filter(game=game)]
    assert len(mails) == 7
    assert len({mail["Subject"] for mail in mails}) == 1
    assert len({mail["References"] for mail in mails}) == 1
    assert len({mail["Message-ID"] for mail in mails}) == 7


def test_a_name_from_anywhere_in_the_world_survives_in_subject_and_list_id(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob, name="Übers Meer — 海を越えて, zum “Festland”")
    mail = written(row_for(game, Kind.TURN))
    assert mail["Subject"] == "Atlantis: “Übers Meer — 海を越えて, zum “Festland””"
    assert mail["List-Id"].endswith(f"<{game.public_id}.games.127.0.0.1>")
    raw = MailComposer().compose(row_for(game, Kind.TURN)).message().as_bytes()
    assert raw.split(b"\n\n")[0].isascii()


@pytest.mark.parametrize("linesep", ["\n", "\r\n"])
def test_a_long_subject_begins_beside_its_name(alice: User, bob: User, linesep: str) -> None:
    name = "Übers Meer und noch viel weiter, bis zum Festland am Ende"
    row = row_for(table_of(alice, bob, name=name), Kind.TURN)
    raw = MailComposer().compose(row).message().as_bytes(linesep=linesep).decode()
    lines = raw.split(linesep)
    subject = next(line for line in lines if line.startswith("Subject:"))
    assert subject.startswith("Subject: =?utf-8?")
    assert len(subject) <= 78
    assert written(row)["Subject"] == MailComposer().compose(row).subject


# -- your turn -----------------------------------------------------------------------------


def test_before_my_first_move_it_describes_the_game_so_far(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 1)
    for words in both_bodies(written(row_for(game, Kind.TURN, bob))):
        assert "The game so far" in words
        assert "Alice played" in words
        assert "has started and it’s your turn" in words or "It’s your turn" in words


def test_an_email_says_what_a_bot_played_in_my_place(alice: User, bob: User, mona: User) -> None:
    game = play_turns(table_of(alice, bob), 2)
    services.moderate_play_bot(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "Asleep."))
    play_one(game)
    for words in both_bodies(written(row_for(game, Kind.TURN, alice))):
        assert "Asleep." in words
        assert "Alice played" in words


def test_a_player_who_was_away_for_long_gets_the_latest_and_a_number(
    game: Game, alice: User, mona: User
) -> None:
    for _round in range(9):
        services.moderate_play_bot(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "Asleep."))
        play_one(game)
    mail = written(row_for(game, Kind.TURN, alice))
    assert "| Paid for you: " in mail.text
    for words in both_bodies(mail):
        assert "See 13 earlier lines of the log on the game page" in words


def test_not_a_move_that_was_taken_back_is_listed_but_the_taking_back(
    alice: User, bob: User, mona: User
) -> None:
    game = play_turns(table_of(alice, bob), 1)
    kept = log_of(game).moves[-1][-1].seq
    play_one(game)
    services.moderate_rollback(
        game_id=game.pk, to_seq=kept, ruling=services.Ruling(mona, "Wrong tab.")
    )
    play_one(game)
    words = written(row_for(game, Kind.TURN, alice)).words
    assert "was rolled back" in words
    assert words.count("Bob played") == 1


@pytest.mark.parametrize("moves", [0, 5, 12, 19])
def test_no_line_of_an_email_is_a_move_that_could_be_made(
    alice: User, bob: User, moves: int
) -> None:
    """A reply quotes the email: nothing in it may be taken for an order."""
    game = play_turns(table_of(alice, bob), moves)
    row = rows_for(game, Kind.TURN)[-1]  # a short game may be over by then
    log, seat = log_of(game).until(row.seq), row.seat
    assert seat is not None
    view = log.engine.rules.view(log.state, seat)
    legal = set(log.engine.rules.legal_commands(log.state, seat))
    mail = written(row)
    for line in (*mail.text.splitlines(), *mail.blocks):
        for words in (line, f"> {line}", line.strip(" >-"), line.partition(":")[2]):
            try:
                command = log.engine.notation.parse(words, view)
            except MoveError:
                continue
            assert command not in legal, words


# -- secrets -------------------------------------------------------------------------------


def mail_in(events: list[Any], people: list[User]) -> bytes:
    """The turn email to seat 0 of a game with this log; the game is gone afterwards."""
    with world("atlantis", events, people) as game:
        pipeline.execute(queue.turns_changed(game, seats_of(game)))
        row = OutboxMail.objects.select_related("game", "user").get(game=game)
        row.created_at = AT
        return bytes(MailComposer().compose(row).message().as_bytes())


@pytest.mark.usefixtures("one_check_code")
def test_worlds_that_differ_in_the_secrets_of_others_send_the_same_bytes(
    alice: User, bob: User
) -> None:
    events = atlantis_round()
    twin = atlantis_twin(events)
    assert events != twin
    one, other = mail_in(events, [alice, bob]), mail_in(twin, [alice, bob])
    assert len(one) > 10_000
    assert one == other


def test_worlds_that_differ_in_my_own_hand_do_not(alice: User, bob: User) -> None:
    """So that the test above is known to look."""
    events = atlantis_round()
    mine = [
        msgspec.structs.replace(e, hands=(tuple(map(other_item, e.hands[0] or ())), e.hands[1]))
        if isinstance(e, Dealt)
        else e
        for e in events
    ]
    assert mail_in(events, [alice, bob]) != mail_in(mine, [alice, bob])


# -- the other kinds -----------------------------------------------------------------------


def test_the_email_of_the_start_names_the_players_and_who_begins(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol, pace_days=5)
    mail = written(row_for(game, Kind.STARTED, bob))
    for words in both_bodies(mail):
        assert "Alice" in words
        assert "Carol" in words
        assert "First to move: Alice." in words
        assert "Each player has 5 days per move." in words
        assert "Your hand" in words
    assert f"{SITE}/g/{game.public_id}/" in mail.text
    assert f'href="{SITE}/g/{game.public_id}/"' in mail.html
    assert "board@127.0.0.1" in mail.pictures


@pytest.mark.parametrize(
    ("which", "words"),
    [
        ("half", "half of your time is gone"),
        ("day", "you have one day left"),
    ],
)
def test_a_reminder_says_how_much_time_is_left(game: Game, which: str, words: str) -> None:
    pipeline.execute(queue.reminder(game, game.seats.get(number=0), which))
    mail = written(row_for(game, Kind.REMINDER))
    assert words in " ".join(mail.text.split())
    assert words in mail.words
    assert "/t/" in mail.text
    assert "board@127.0.0.1" in mail.pictures


def test_a_passed_deadline_reads_differently_for_the_late_the_host_and_the_others(
    alice: User, bob: User, carol: User
) -> None:
    game = play_turns(table_of(alice, bob, carol), 1)
    services.deadline_check(now=timezone.now() + timedelta(days=4))
    User.objects.update(language="en")
    late, host, other = (written(row_for(game, Kind.DEADLINE, who)) for who in (bob, alice, carol))
    for words in both_bodies(late):
        assert "You can still make your move" in words
    assert "/t/" in late.text
    for words in both_bodies(host):
        assert "Bob missed the deadline" in words
        assert "As the host, you can wait, let a bot play this turn" in words
    for words in both_bodies(other):
        assert "Bob missed the deadline" in words
        assert "The host can wait" in words
    assert "/t/" not in host.text + other.text + host.html + other.html


def test_the_last_email_has_the_scores_in_order_and_how_they_came_about(
    alice: User, bob: User
) -> None:
    game = play_to_the_end(table_of(alice, bob))
    scores = dict(zip(("Alice", "Bob"), game.scores or (), strict=True))
    best = max(scores, key=lambda name: scores[name])
    for user in (alice, bob):
        mail = written(row_for(game, Kind.OVER, user))
        text, html = both_bodies(mail)
        for words in (text, html):
            for name, score in scores.items():
                assert str(score) in words
                assert name in words
            assert "The score" in words or "Score:" in words
            assert "brought all three figures to the mainland, which ended the game" in " ".join(
                words.split()
            )
        if scores["Alice"] != scores["Bob"]:
            won = user.display_name == best
            assert ("Congratulations" in text, "Congratulations" in html) == (won, won)
        assert f"{SITE}/g/{game.public_id}/" in mail.text
        assert "board@127.0.0.1" in mail.pictures


def test_a_game_that_ends_by_giving_up_says_so(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob, resign_policy="end"), 2)
    services.game_resign(game_id=game.pk, user=bob)
    for words in both_bodies(written(row_for(game, Kind.OVER, alice))):
        assert "Bob resigned, and the game ended." in words
        assert "you won" in words.lower()


def test_a_game_that_is_called_off_says_why(alice: User, bob: User, mona: User) -> None:
    game = play_turns(table_of(alice, bob), 2)
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "The table broke."))
    for words in both_bodies(written(row_for(game, Kind.OVER, alice))):
        assert "cancelled" in words
        assert "The table broke." in words
    assert rows_for(game, Kind.MODERATED) == []


def test_the_email_says_what_a_moderator_did_and_why(game: Game, bob: User, mona: User) -> None:
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "Alice is <at> sea."))
    mail = written(row_for(fresh(game), Kind.MODERATED, bob))
    for words in (mail.text, mail.html):
        assert "A moderator paused the game. Reason:" in words
        assert "all deadlines are paused" in words
    assert "Alice is <at> sea." in mail.text
    assert "Alice is &lt;at&gt; sea." in mail.html


def test_the_email_about_a_lost_seat_has_no_link_to_turn_emails_off(
    game: Game, bob: User, mona: User
) -> None:
    services.moderate_hand_seat(game_id=game.pk, seat=1, ruling=services.Ruling(mona, "Away."))
    mail = written(row_for(fresh(game), Kind.MODERATED, bob))
    for words in both_bodies(mail):
        assert "You’ve been removed from th" in words
        assert "Away." in words
    assert mail["List-Unsubscribe"] == ""


@pytest.mark.usefixtures("replies")
def test_a_decision_begins_with_what_was_decided(alice: User, mona: User) -> None:
    until = timezone.now() + timedelta(days=5)
    services.moderate_close_talk(user=alice, ruling=services.Ruling(mona, "Insults"), until=until)
    said = written(OutboxMail.objects.get(kind="decision")).text
    assert said.startswith("A moderator has decided that you cannot write messages")
    assert said.count("A moderator has decided") == 1
    assert said.index("A moderator has decided") < said.index("Reply above this line")


def test_an_invitation_names_the_host_and_accepts_nothing_by_itself(alice: User) -> None:
    game = table_of(alice, seats=3, bots=1, pace_days=7)
    invitation = services.game_invite(game_id=game.pk, by=alice, address="zoe@example.net")
    mail = written(row_for(game, Kind.INVITATION))
    assert mail["Subject"] == "Alice invites you to a game of Atlantis"
    assert mail["To"] == "zoe@example.net"
    for words in both_bodies(mail):
        assert "Round the mainland" not in words
        assert "you have 7 days for it, and a game takes several months" in words
        assert "you can ignore this email" in words
        assert "alice@example.org" not in words
    assert f"{SITE}/i/{invitation.token}/" in mail.text
    assert f'href="{SITE}/i/{invitation.token}/"' in mail.html


def test_a_sign_in_email_is_the_code_and_little_else() -> None:
    context = {"language": "en", "code": "HXKQ-7RNT", "minutes": 10}
    queue.account("zoe@example.net", dedupe="x", context=context, user=None)
    mail = written(row_for(None, Kind.ACCOUNT))
    assert mail["Subject"] == "HXKQ-7RNT is your sign-in code for Atlantis by Mail"
    for words in both_bodies(mail):
        assert "HXKQ-7RNT" in words
        assert "Enter it within 10 minutes" in words
    assert mail["List-Unsubscribe"] == mail["References"] == ""
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail.message.get_content_type() == "multipart/alternative"


def test_emails_speak_the_readers_language_not_the_senders(
    alice: User, bob: User, carol: User
) -> None:
    """Carol reads German, no matter whose move queued her email."""
    game = play_turns(table_of(alice, bob, carol), 2)
    mail = written(row_for(game, Kind.TURN, carol))
    assert '<html lang="de">' in mail.html
    assert re.search(r"\nNoch 3 Tage, bis (Mo|Di|Mi|Do|Fr|Sa|So), .*, Ortszeit Paris\n", mail.text)
    assert '<html lang="en">' in written(row_for(game, Kind.TURN, alice)).html


def test_nothing_that_people_wrote_is_taken_for_html(alice: User, bob: User) -> None:
    User.objects.filter(pk=alice.pk).update(display_name="<img src=x>")
    game = table_of(alice, bob)
    Game.objects.filter(pk=game.pk).update(name="<script>alert(1)</script>")
    game.refresh_from_db()
    for row in OutboxMail.objects.filter(game=game):
        mail = written(row)
        assert "<script" not in mail.html
        assert "<img src=x>" not in mail.html
        assert "<script>alert(1)</script>" in mail.text
        assert "&lt;" not in mail.text


def test_the_cast_of_kinds_is_complete(alice: User) -> None:
    """Every kind that a row can be has its templates."""
    for kind in kinds.names():
        name = {"reminder": "turn", "digest": "gathered"}.get(kind, kind)
        for ending in ("txt", "html"):
            assert (settings.BASE_DIR / "templates" / "mail" / f"{name}.{ending}").exists()
