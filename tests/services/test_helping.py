"""Whoever waits gives a player who is late a day more, or a friendly nudge."""

from datetime import timedelta

import pytest
from django.core.management import call_command

from games import services
from games.inbound import commands
from games.mail.relevance import check_before_send
from games.models import Game, OutboxMail, User, database_clock
from games.services import NotAllowed, ServiceError
from tests.factories import due, fresh, log_of, miss_deadline, play_one, seats_of, table_of
from tests.support.emails import Kind, written
from tests.support.pages import page_of, signed_in, url
from tests.support.replies import Post, one_line

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "clock")]

DAY = timedelta(days=1)


@pytest.fixture
def game(alice: User, bob: User, carol: User) -> Game:
    """Alice is late, and Bob and Carol wait."""
    made = table_of(alice, bob, carol)
    miss_deadline(made)
    return fresh(made)


def nudges(game: Game) -> list[OutboxMail]:
    return list(OutboxMail.objects.filter(game=game, kind=Kind.REMINDER, context__which="nudge"))


def test_a_late_player_gets_a_day_more_from_somebody_who_waits(
    game: Game, alice: User, bob: User
) -> None:
    services.day_give(game_id=game.pk, by=bob)
    assert due(game) >= database_clock.now() + DAY - timedelta(minutes=1)
    assert not seats_of(game)[0].overdue
    assert "Bob gave Alice one more day." in page_of(game, bob)
    (mail,) = OutboxMail.objects.filter(user=alice, context__which="given")
    assert "Bob has given you one more day." in one_line(written(mail).text)
    call_command("verify", game.public_id)


def test_a_day_is_given_once_each_turn_by_whomever(game: Game, bob: User, carol: User) -> None:
    services.day_give(game_id=game.pk, by=bob)
    miss_deadline(game)
    with pytest.raises(ServiceError, match="already"):
        services.day_give(game_id=game.pk, by=carol)
    for _player in range(3):  # Alice's next turn
        play_one(game)
    miss_deadline(game)
    services.day_give(game_id=game.pk, by=carol)


def test_time_that_is_nearly_up_is_late_enough(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    with pytest.raises(ServiceError, match="nearly up"):
        services.day_give(game_id=game.pk, by=bob)
    before = due(game)
    game.seats.filter(number=0).update(due_at=database_clock.now() + DAY / 2)
    services.day_give(game_id=game.pk, by=bob)
    assert due(game) < before
    assert not log_of(game).misses(0)


def test_who_does_not_wait_helps_nobody(game: Game, alice: User, dave: User) -> None:
    for act in (services.day_give, services.player_nudge):
        with pytest.raises(ServiceError, match="waiting for you"):
            act(game_id=game.pk, by=alice)
        with pytest.raises(NotAllowed):
            act(game_id=game.pk, by=dave)


def test_bots_are_not_helped(alice: User, bob: User) -> None:
    game = table_of(alice, bob, bots=1)
    for seat in range(3):
        with pytest.raises(ServiceError):
            services.player_nudge(game_id=game.pk, by=bob, late=seat)


def test_a_nudge_is_an_email_in_the_name_of_its_sender(game: Game, alice: User, bob: User) -> None:
    before = log_of(game).version
    services.player_nudge(game_id=game.pk, by=bob)
    (mail,) = nudges(game)
    assert mail.user == alice
    said = one_line(written(mail).text)
    assert "Bob is waiting for your move and sends you a friendly nudge." in said
    assert log_of(game).version == before


def test_a_player_is_nudged_once_a_day_by_whomever(game: Game, bob: User, carol: User) -> None:
    services.player_nudge(game_id=game.pk, by=bob)
    for user in (bob, carol):
        with pytest.raises(ServiceError, match="within the last day"):
            services.player_nudge(game_id=game.pk, by=user)
    OutboxMail.objects.filter(context__which="nudge").update(
        created_at=database_clock.now() - DAY - timedelta(minutes=1)
    )
    services.player_nudge(game_id=game.pk, by=carol)
    assert len(nudges(game)) == 2


@pytest.mark.parametrize("how", ["muted", "blocked"])
def test_a_player_who_has_muted_the_sender_gets_no_nudge(
    game: Game, alice: User, bob: User, how: str
) -> None:
    User.objects.filter(pk=alice.pk).update(**{how: [bob.pk]})
    services.player_nudge(game_id=game.pk, by=bob)  # nobody learns that they are muted
    assert check_before_send(nudges(game)[0]).drop
    assert "Nudge" not in page_of(game, bob)


@pytest.mark.parametrize("how", ["muted", "blocked"])
def test_nobody_nudges_whom_they_have_muted(game: Game, alice: User, bob: User, how: str) -> None:
    User.objects.filter(pk=bob.pk).update(**{how: [alice.pk]})
    with pytest.raises(ServiceError, match="muted or blocked"):
        services.player_nudge(game_id=game.pk, by=User.objects.get(pk=bob.pk))
    assert "Nudge" not in page_of(game, bob)


def test_a_nudge_after_the_move_is_not_sent(game: Game, bob: User) -> None:
    services.player_nudge(game_id=game.pk, by=bob)
    play_one(game)
    assert check_before_send(nudges(game)[0]).drop == "the turn is over"


def test_the_page_of_those_who_wait_has_both_buttons(game: Game, alice: User, bob: User) -> None:
    assert "Give Alice one more day" not in page_of(game, alice)
    assert "Give Alice one more day" in page_of(game, bob)
    client = signed_in(bob)
    client.post(url(game, "nudge"), {"late": 0})
    client.post(url(game, "give-day"), {"late": 0})
    assert len(nudges(game)) == 1
    assert not seats_of(game)[0].overdue
    assert "Give Alice one more day" not in page_of(game, bob)


@pytest.mark.parametrize(
    ("day", "nudge"),
    [
        ("give a day", "nudge"),
        ("Give Alice a day more, please", "nudge Alice"),
        ("give one more day to Alice", "Nudge Alice, thanks"),
        ("einen Tag geben", "anstupsen"),
        ("Gib Alice einen Tag mehr", "Alice anstupsen"),
        ("Alice einen Tag geben", "Stupse Alice an"),
        ("donner un jour", "relancer"),
        ("Donnez un jour de plus à Alice", "Relancez Alice, merci"),
    ],
)
def test_both_are_done_by_reply_in_each_language(
    game: Game, bob: User, day: str, nudge: str
) -> None:
    post = Post(game, bob)
    assert post.write(nudge).outcome == "ordered"
    assert post.write(day).outcome == "ordered"
    assert "has one more day now" in one_line(post.answer().text)
    assert len(nudges(game)) == 1
    assert not seats_of(game)[0].overdue


def test_a_reply_about_somebody_who_is_not_late_does_nothing(game: Game, bob: User) -> None:
    post = Post(game, bob)
    for line in ("nudge Carol", "give Carol a day"):
        assert post.write(line).outcome == "refused"
        assert "time is up" in one_line(post.answer().text)
    assert post.write("nudge Nobody").outcome == "refused"


def test_an_unverified_sender_confirms_what_can_be_done(game: Game, bob: User) -> None:
    post = Post(game, bob)
    assert post.write("give a day", results=None).outcome == "confirm"
    assert post.write("give Carol a day", results=None).outcome == "refused"
    assert seats_of(game)[0].overdue


@pytest.mark.parametrize("line", ["give me a day", "give us a day more", "gib mir einen Tag"])
def test_who_asks_for_a_day_gives_none(line: str) -> None:
    assert not isinstance(commands.parse(line), commands.GiveDay)
