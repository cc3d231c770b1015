"""Replies to an email about several games: the answer says where to write, and no move is made."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from games import selectors, services
from games.inbound import intake
from games.mail.compose import MailComposer
from games.mail.kinds import batch
from games.mail.reply_addresses import person_address, read_person_address, read_reply_address
from games.models import FOR_GOOD, Game, InboundMail, OutboxMail, Seat, User, database_clock
from tests.factories import fresh, play_one, quota_windows_end, table_of
from tests.support.emails import Kind, Read, read, reply_to, written
from tests.support.escape_games import escape_table
from tests.support.replies import Channel, Outcome, SenderCheck, arrive, line_of, reply_email

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies")]


@pytest.fixture
def games(alice: User, bob: User) -> list[Game]:
    """Two games in which Alice is asked to move."""
    return [table_of(alice, bob), escape_table(alice, bob)]


def bundle(user: User, kind: str = Kind.GATHERED) -> Read:
    """The gathered email or digest of all games that wait for this person."""
    seats = Seat.objects.filter(user=user, asked_seq__isnull=False).select_related("game")
    row = OutboxMail(kind=kind, user=user, to_address=user.email, message_id="<all@127.0.0.1>")
    row.created_at = timezone.now()
    mail = MailComposer().compose(row, [batch.turn_row(seat, user) for seat in seats])
    return read(mail.message().as_bytes(linesep="\r\n"))


def write(user: User, text: str, *, sender: str = "", **more: str | None) -> InboundMail:
    """Answer the gathered email of this person with this text."""
    to = reply_to(bundle(user))
    return arrive(reply_email(text, to, sender or user.email, **more), to)  # type: ignore[arg-type]


def answers() -> list[OutboxMail]:
    return list(OutboxMail.objects.filter(kind=Kind.ANSWER).order_by("pk"))


def addresses_in(mail: Read) -> list[str]:
    """Return the addresses to write to that the email's HTML names."""
    return re.findall(r'href="mailto:([^"]+)"', mail.html)


@pytest.mark.parametrize("kind", [Kind.GATHERED, Kind.DIGEST])
def test_an_email_about_several_games_is_answered_to_an_address_of_the_person(
    games: list[Game], alice: User, kind: str
) -> None:
    to = reply_to(bundle(alice, kind))
    assert read_person_address(to) == alice.pk
    assert read_reply_address(to) is None
    assert "Reply above this line" not in bundle(alice, kind).text


def test_the_answer_lists_the_games_that_wait_each_with_its_address_and_link(
    games: list[Game], alice: User
) -> None:
    row = write(alice, "What do I do with this?")
    assert (row.outcome, row.user, row.game) == (Outcome.SHOWN, alice, None)
    (answer,) = answers()
    mail = written(answer)
    named = [read_reply_address(address) for address in addresses_in(mail)]
    assert {found.public_id for found in named if found} == {game.public_id for game in games}
    for game, address in zip(games, addresses_in(mail), strict=True):
        assert game.name in mail.text and address in mail.text
    assert mail.text.count("/t/") == len(games)
    assert "we don’t know which game you mean" in mail.words
    assert "2 games are waiting for you" in mail["Subject"]


def test_the_answer_goes_to_the_persons_own_address_in_the_thread_of_the_reply(
    games: list[Game], alice: User
) -> None:
    row = write(alice, "Hello?")
    mail = written(answers()[0])
    assert mail["To"] == alice.email
    assert mail["In-Reply-To"] == mail["References"] == row.message_id
    assert mail["Auto-Submitted"] == "auto-replied"
    assert reply_to(mail) == person_address(alice.pk)


@pytest.mark.parametrize("words", ["{line}", "resign", "pause mails", "note Hello", "yes, resign"])
def test_nothing_that_is_written_there_does_anything(
    games: list[Game], alice: User, words: str
) -> None:
    before = [fresh(game).version for game in games]
    assert write(alice, words.format(line=line_of(games[0]))).outcome == Outcome.SHOWN
    assert [fresh(game).version for game in games] == before
    assert not Seat.objects.filter(user=alice, mails_off=True).exists()


def test_with_one_game_alone_a_move_is_not_guessed_to_be_for_it(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    before = fresh(game).version
    assert write(alice, line_of(game)).outcome == Outcome.SHOWN
    assert fresh(game).version == before


def test_an_address_out_of_the_answer_takes_the_move(games: list[Game], alice: User) -> None:
    write(alice, "")
    mail = written(answers()[0])
    for game in games:
        (to,) = [a for a in addresses_in(mail) if game.public_id in a]
        assert arrive(reply_email(line_of(game), to, alice.email), to).outcome == Outcome.PLAYED


def test_a_game_whose_emails_are_off_is_listed_for_whoever_asks(
    games: list[Game], alice: User
) -> None:
    services.game_mail_switch(game_id=games[0].pk, user=alice, off=True)
    write(alice, "show")
    assert len(addresses_in(written(answers()[0]))) == 2


def test_where_no_game_waits_the_answer_says_so(games: list[Game], alice: User) -> None:
    to = reply_to(bundle(alice))
    for game in games:
        play_one(game)
    assert arrive(reply_email("show", to, alice.email), to).outcome == Outcome.SHOWN
    mail = written(answers()[0])
    waiting = fresh(games[0]).to_act == [0] or fresh(games[1]).to_act == [0]
    assert not waiting
    assert "No games are waiting for you now." in mail.text
    assert "No games are waiting for you now." in mail.words
    assert addresses_in(mail) == []


def test_somebody_else_and_machines_get_no_answer(games: list[Game], alice: User) -> None:
    assert write(alice, "show", sender="eve@example.net").outcome == Outcome.STRANGER
    assert write(alice, "show", head="Auto-Submitted: auto-replied").outcome == Outcome.AUTO
    to = reply_to(bundle(alice))
    assert arrive(reply_email("show", to, alice.email), to, sender="").outcome == Outcome.BOUNCE
    assert answers() == []


def test_an_unverified_sender_is_answered_at_the_users_own_address(
    games: list[Game], alice: User
) -> None:
    row = write(alice, "show", results=None)
    assert (row.outcome, row.sender_check) == (Outcome.SHOWN, SenderCheck.UNKNOWN)
    assert answers()[0].to_address == alice.email


def test_an_unverified_stop_is_not_said_to_be_done(games: list[Game], alice: User) -> None:
    write(alice, "stop", results=None)
    mail = written(answers()[0])
    assert "All emails of this service are off" not in mail.text.replace("\n", " ")
    assert len(addresses_in(mail)) == 2
    alice.refresh_from_db()
    assert alice.delivery_modes == {}


def test_an_absence_counts_in_all_games(games: list[Game], alice: User) -> None:
    day = database_clock.now().astimezone(alice.zone).date() + timedelta(days=5)
    assert write(alice, f"away until {day:%Y-%m-%d}").outcome == Outcome.SHOWN
    said = " ".join(written(answers()[0]).text.split())
    assert f"You’re away until {selectors.day(day)}." in said
    assert said.count("your deadline has moved to") == 2
    alice.refresh_from_db()
    assert [absence.last for absence in alice.absence_list] == [day]


def test_an_absence_that_cannot_be_is_answered_with_the_reason(alice: User) -> None:
    write(alice, "away until 31 Feb")
    assert "This date doesn’t exist." in written(answers()[0]).text
    alice.refresh_from_db()
    assert alice.absence_list == []


def test_an_unverified_absence_is_not_entered(games: list[Game], alice: User) -> None:
    write(alice, "away until tomorrow", results=None)
    assert "You’re away" not in written(answers()[0]).text
    alice.refresh_from_db()
    assert alice.absence_list == []


def test_the_list_is_sent_so_often_an_hour(
    games: list[Game], alice: User, bob: User, settings: Settings
) -> None:
    settings.QUOTAS = {"game_lists_person_hour": 2}
    found = [write(alice, "show").outcome for _mail in range(4)]
    assert found == [Outcome.SHOWN, Outcome.SHOWN, Outcome.QUIET, Outcome.QUIET]
    assert write(bob, "show").outcome == Outcome.SHOWN  # another's emails are not counted
    quota_windows_end()
    assert write(alice, "show").outcome == Outcome.SHOWN


def test_emails_of_strangers_use_up_no_list_of_the_player(
    games: list[Game], alice: User, settings: Settings
) -> None:
    settings.QUOTAS = {"game_lists_person_hour": 1, "unverified_replies_person_day": 2}
    to = reply_to(bundle(alice))
    found = [
        arrive(reply_email("show", to, alice.email, results=None), to).outcome for _mail in range(3)
    ]
    assert found == [Outcome.SHOWN, Outcome.SHOWN, Outcome.QUIET]
    assert arrive(reply_email("show", to, alice.email), to).outcome == Outcome.SHOWN


def test_an_account_that_was_closed_gets_no_answer(games: list[Game], alice: User) -> None:
    to = reply_to(bundle(alice))
    User.objects.filter(pk=alice.pk).update(suspended_until=FOR_GOOD)
    assert arrive(reply_email("show", to, alice.email), to).outcome == Outcome.GONE


def test_no_other_persons_address_can_be_made_from_ones_own(
    alice: User, bob: User, replies: Settings
) -> None:
    mine = person_address(alice.pk)
    assert mine is not None and intake.is_ours(mine.upper())
    for other in (
        mine.replace(f"+p{alice.pk}.", f"+p{bob.pk}."),
        mine.replace("@reply", "@other"),
        mine.replace("+p", "+"),
    ):
        assert other != mine and not intake.is_ours(other)
        assert intake.store(b"", channel=Channel.RELAY, sender="", recipients=[other]) == []
    replies.MAIL_REPLY_DOMAIN = ""
    assert person_address(alice.pk) is None and not intake.is_ours(mine)


def test_the_answer_is_in_the_players_language(carol: User, bob: User) -> None:
    table_of(carol, bob)
    write(carol, "zeig")
    mail = written(answers()[0])
    assert 'lang="de"' in mail.html
    assert "mehreren Partien" in mail.text.replace("\n", " ")
