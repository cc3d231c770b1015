"""Votes: the players settle the affairs of their table themselves."""

from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings
from pytest_django.plugin import DjangoDbBlocker

from games import selectors, services
from games.log import table_events
from games.management.commands.verify import verify_game
from games.models import Game, OutboxMail, Seat, User
from games.services import NotAllowed, QuotaExceeded, ServiceError, VoteIsOver
from tests.factories import (
    fresh,
    log_of,
    miss_deadline,
    play_one,
    play_turns,
    seats_of,
    table_of,
)
from tests.fixtures.clock import still
from tests.fixtures.people import a_host, a_player
from tests.support.shared_rows import shared_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]

DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def shared_table(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Game]:
    """Two people and three days a move; the table waits for late players. Alice is asked."""
    with shared_rows(
        django_db_blocker,
        lambda: table_of(a_host(), a_player(), pace_days=3, timeout_policy="wait"),
    ) as game:
        yield game


@pytest.fixture
def sound(game: Game) -> Iterator[None]:
    """At the end, `verify` finds nothing."""
    yield
    assert verify_game(game.pk)[2] == []


def in_days(days: int, user: User) -> date:
    return timezone.now().astimezone(user.zone).date() + timedelta(days=days)


def ask(game: Game, user: User, about: table_events.Proposal, **more: object) -> int:
    """Ask for a vote; the number of the event that opened it."""
    if about == "pause":
        more = {"until": in_days(5, user), **more}
    services.vote_open(game_id=game.pk, user=user, about=about, **more)  # type: ignore[arg-type]
    return next(
        entry.seq
        for entry in reversed(log_of(game).entries)
        if isinstance(entry.event, table_events.VoteOpened)
    )


def answer(game: Game, user: User, vote: int, *, agrees: bool = True) -> None:
    services.vote_answer(game_id=game.pk, user=user, vote=vote, agrees=agrees)


def outcomes(game: Game) -> list[str]:
    events = (entry.event for entry in log_of(game).entries)
    return [event.outcome for event in events if isinstance(event, table_events.VoteSettled)]


def clock_of(game: Game, user: User) -> Seat:
    return Seat.objects.get(game=game, user=user)


def mark_sent(game: Game) -> None:
    """The emails about votes of this game are sent."""
    mails = OutboxMail.objects.filter(game=game, kind="vote")
    mails.update(state=OutboxMail.State.SENT, sent_at=timezone.now())


def make_late(game: Game, user: User) -> None:
    """The deadline of this user, who is asked, passes."""
    seat = clock_of(game, user)
    assert seat.due_at is not None
    services.deadline_check(now=seat.due_at)
    assert clock_of(game, user).overdue


@pytest.mark.usefixtures("sound")
def test_the_game_is_paused_until_the_day_once_all_agree(
    game: Game, alice: User, bob: User
) -> None:
    due = clock_of(game, alice).due_at
    assert due is not None
    vote = ask(game, bob, "pause")
    assert fresh(game).status == Game.Status.RUNNING
    answer(game, alice, vote)
    paused = fresh(game)
    assert paused.status == Game.Status.PAUSED
    assert paused.vote_due_at is not None
    assert paused.vote_due_at.astimezone(bob.zone).date() == in_days(5, bob)
    services.votes_due(now=paused.vote_due_at - timedelta(seconds=1))
    assert fresh(game).status == Game.Status.PAUSED
    services.votes_due(now=paused.vote_due_at)
    running = fresh(game)
    assert running.status == Game.Status.RUNNING
    assert running.vote_due_at is None
    later = clock_of(game, alice).due_at
    assert later is not None
    assert later > due + 4 * DAY
    said = OutboxMail.objects.filter(game=game, kind="vote", seq__gt=vote).order_by("seq", "user")
    readers = [mail.user_id for mail in said]
    assert readers == [bob.pk, alice.pk, bob.pk], "that it is paused, that it goes on"


@pytest.mark.usefixtures("sound")
def test_a_pause_that_was_voted_ends_earlier_by_another_vote(
    game: Game, alice: User, bob: User
) -> None:
    answer(game, alice, ask(game, bob, "pause"))
    answer(game, bob, ask(game, alice, "resume"))
    assert fresh(game).status == Game.Status.RUNNING
    assert fresh(game).vote_due_at is None


@pytest.mark.usefixtures("sound")
@pytest.mark.parametrize("about", ["resume", "cancel", "take_back", "pause"])
def test_in_the_pause_of_a_moderator_players_vote_on_nothing(
    game: Game, alice: User, mona: User, client: Client, about: table_events.Proposal
) -> None:
    play_one(game)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "because"))
    version = fresh(game).version
    with pytest.raises(ServiceError, match="A moderator has paused this game"):
        ask(game, alice, about)
    assert fresh(game).version == version
    client.force_login(alice)
    page = client.get(f"/g/{game.public_id}/?details=all").content.decode()
    assert "there are no votes" in page
    assert 'name="about"' not in page


@pytest.mark.usefixtures("sound")
def test_the_pause_of_a_moderator_replaces_one_that_was_voted(
    game: Game, alice: User, bob: User, mona: User
) -> None:
    due = clock_of(game, alice).due_at
    answer(game, alice, ask(game, bob, "pause"))
    vote = ask(game, alice, "resume")
    since = fresh(game).paused_at
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "because"))
    assert outcomes(game) == ["passed", "overtaken"]
    assert (fresh(game).vote_due_at, fresh(game).paused_at) == (None, since)
    assert verify_game(game.pk)[2] == []
    with pytest.raises(VoteIsOver):
        answer(game, bob, vote)
    services.votes_due(now=timezone.now() + 40 * DAY)
    assert fresh(game).status == Game.Status.PAUSED
    assert OutboxMail.objects.filter(game=game, kind="moderated", user=bob).count() == 1
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "because"))
    assert fresh(game).status == Game.Status.RUNNING
    later = clock_of(game, alice).due_at
    assert due is not None
    assert later is not None
    assert later > due


def test_a_resignation_that_would_end_the_game_waits_for_the_moderator(
    alice: User, mona: User
) -> None:
    game = table_of(alice, bots=1)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "because"))
    with pytest.raises(ServiceError, match="cannot end the game"):
        services.game_resign(game_id=game.pk, user=alice)
    assert fresh(game).status == Game.Status.PAUSED


@pytest.mark.parametrize("days", [-1, 0, 31])
def test_a_pause_is_until_one_of_the_next_thirty_days(game: Game, alice: User, days: int) -> None:
    version = fresh(game).version
    with pytest.raises(ServiceError, match="30"):
        ask(game, alice, "pause", until=in_days(days, alice))
    assert fresh(game).version == version


@pytest.mark.usefixtures("sound")
def test_the_game_is_cancelled_once_all_agree(game: Game, alice: User, bob: User) -> None:
    vote = ask(game, bob, "cancel")
    answer(game, alice, vote)
    over = fresh(game)
    assert (over.status, over.vote_due_at) == (Game.Status.ABORTED, None)
    assert outcomes(game) == ["passed"]
    assert OutboxMail.objects.filter(game=game, kind="over").count() == 2


@pytest.mark.usefixtures("sound")
def test_one_no_ends_the_vote(game: Game, alice: User, bob: User) -> None:
    vote = ask(game, bob, "cancel")
    answer(game, alice, vote, agrees=False)
    assert outcomes(game) == ["refused"]
    with pytest.raises(VoteIsOver, match=r"End the game without a result.*someone said no"):
        answer(game, alice, vote)
    assert fresh(game).status == Game.Status.RUNNING


@pytest.mark.usefixtures("sound")
def test_silence_is_a_no_after_three_days(game: Game, alice: User, bob: User) -> None:
    ask(game, alice, "cancel")
    due = fresh(game).vote_due_at
    assert due is not None
    assert due > timezone.now() + 2.9 * DAY
    services.votes_due(now=due)
    assert outcomes(game) == ["expired"]
    assert fresh(game).status == Game.Status.RUNNING


def test_a_vote_is_open_for_as_long_as_a_move_where_that_is_longer(alice: User, bob: User) -> None:
    game = table_of(alice, bob, pace_days=7)
    ask(game, alice, "cancel")
    due = fresh(game).vote_due_at
    assert due is not None
    assert due > timezone.now() + 6.9 * DAY


def test_one_vote_is_open_at_a_time(game: Game, alice: User, bob: User) -> None:
    ask(game, alice, "cancel")
    with pytest.raises(ServiceError, match="Another vote"):
        ask(game, bob, "pause")


def test_the_same_vote_can_be_asked_again_after_a_day(game: Game, alice: User, bob: User) -> None:
    answer(game, bob, ask(game, alice, "cancel"), agrees=False)
    with pytest.raises(ServiceError, match="You can ask again after"):
        ask(game, bob, "cancel")
    ask(game, bob, "pause")


def test_votes_that_are_asked_to_annoy_meet_a_limit(
    game: Game, alice: User, bob: User, settings: Settings
) -> None:
    settings.QUOTAS = {"votes_person_day": 1}
    answer(game, bob, ask(game, alice, "cancel"), agrees=False)
    with pytest.raises(QuotaExceeded):
        ask(game, alice, "pause")
    ask(game, bob, "pause")


@pytest.mark.usefixtures("sound")
def test_at_a_table_with_one_person_asking_is_enough(alice: User) -> None:
    game = table_of(alice, bots=1)
    ask(game, alice, "pause")
    assert fresh(game).status == Game.Status.PAUSED
    assert verify_game(game.pk)[2] == []


def test_nobody_ends_a_game_with_bots_only_without_being_asked_again(alice: User) -> None:
    game = table_of(alice, bots=1)
    with pytest.raises(ServiceError, match="cannot be undone"):
        ask(game, alice, "cancel")
    assert fresh(game).status == Game.Status.RUNNING
    ask(game, alice, "cancel", is_sure=True)
    assert fresh(game).status == Game.Status.ABORTED


def test_nobody_whom_the_others_have_left_ends_the_game_without_being_asked_again(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob, resign_policy="bot")
    ask(game, alice, "cancel")
    services.game_resign(game_id=game.pk, user=bob)
    services.votes_due(now=timezone.now() + timedelta(minutes=1))
    assert outcomes(game) == ["overtaken"]
    assert fresh(game).status == Game.Status.RUNNING
    ask(game, alice, "cancel", is_sure=True)
    assert fresh(game).status == Game.Status.ABORTED


@pytest.mark.usefixtures("sound")
def test_a_vote_gives_the_seat_of_a_late_player_to_a_bot(
    game: Game, alice: User, bob: User
) -> None:
    make_late(game, alice)
    ask(game, bob, "bot", late=0)
    assert Seat.objects.get(game=game, number=0).is_bot
    assert fresh(game).host_id == bob.pk
    lost = OutboxMail.objects.get(game=game, user=alice, kind="missed")
    assert lost.context["to"] == "vote"
    services.seat_take_back(game_id=game.pk, user=alice)
    assert clock_of(game, alice).number == 0


def test_no_vote_takes_a_seat_from_somebody_in_time(game: Game, alice: User, bob: User) -> None:
    with pytest.raises(ServiceError, match="not late"):
        ask(game, bob, "bot", late=0)
    play_one(game)
    with pytest.raises(ServiceError, match="not late"):
        ask(game, bob, "bot", late=0)


@pytest.mark.usefixtures("sound")
def test_a_late_player_who_moves_ends_the_vote_about_a_bot(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol, timeout_policy="wait")
    make_late(game, alice)
    vote = ask(game, bob, "bot", late=0)
    with pytest.raises(NotAllowed, match="do not take part"):
        answer(game, alice, vote, agrees=False)
    play_one(game)
    assert outcomes(game) == ["overtaken"]
    with pytest.raises(VoteIsOver):
        answer(game, carol, vote)
    assert not Seat.objects.get(game=game, number=0).is_bot
    assert verify_game(game.pk)[2] == []


def test_a_late_player_is_not_waited_for_when_the_game_is_cancelled(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol, timeout_policy="wait")
    make_late(game, alice)
    vote = ask(game, bob, "cancel")
    mark_sent(game)
    answer(game, carol, vote)
    assert fresh(game).status == Game.Status.ABORTED
    assert verify_game(game.pk)[2] == []


@pytest.mark.usefixtures("sound")
def test_a_late_player_who_could_not_know_of_the_vote_is_waited_for(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol, timeout_policy="wait")
    make_late(game, alice)
    vote = ask(game, bob, "cancel")
    answer(game, carol, vote)
    services.votes_due(now=timezone.now() + timedelta(minutes=1))
    assert fresh(game).status == Game.Status.RUNNING
    answer(game, alice, vote, agrees=False)
    assert outcomes(game) == ["refused"]


def test_the_no_of_a_late_player_counts(game: Game, alice: User, bob: User) -> None:
    make_late(game, alice)
    vote = ask(game, bob, "cancel")
    assert fresh(game).status == Game.Status.RUNNING, "Alice has time to say no"
    answer(game, alice, vote, agrees=False)
    assert outcomes(game) == ["refused"]


@pytest.mark.usefixtures("sound")
def test_the_silence_of_late_players_alone_is_no_no(game: Game, alice: User, bob: User) -> None:
    make_late(game, alice)
    ask(game, bob, "cancel")
    due = fresh(game).vote_due_at
    assert due is not None
    mark_sent(game)
    services.votes_due(now=due)
    assert fresh(game).status == Game.Status.ABORTED


@pytest.mark.usefixtures("sound")
def test_silence_passes_nothing_for_a_late_player_whose_email_was_not_sent(
    game: Game, alice: User, bob: User
) -> None:
    make_late(game, alice)
    ask(game, bob, "cancel")
    due = fresh(game).vote_due_at
    assert due is not None
    services.votes_due(now=due)
    assert outcomes(game) == ["expired"]
    assert fresh(game).status == Game.Status.RUNNING


@pytest.mark.usefixtures("sound")
def test_a_move_is_taken_back_once_all_agree(game: Game, alice: User, bob: User) -> None:
    before = log_of(game).state
    play_one(game)
    answer(game, bob, ask(game, alice, "take_back"))
    log = log_of(game)
    assert log.state == before
    assert fresh(game).to_act == [0]
    assert isinstance(log.entries[-1].event, table_events.RolledBack | table_events.DeadlineMoved)
    assert OutboxMail.objects.filter(game=game, user=alice, kind="turn").count() >= 1


@pytest.mark.usefixtures("sound")
def test_another_move_ends_the_vote_to_take_back(game: Game, alice: User, bob: User) -> None:
    play_one(game)
    ask(game, alice, "take_back")
    play_one(game)
    assert outcomes(game) == ["overtaken"]
    assert log_of(game).vote is None


def test_what_came_before_a_bot_on_the_seat_is_not_taken_back(
    alice: User, bob: User, mona: User
) -> None:
    game = play_turns(table_of(alice, bob, timeout_policy="seat1"), 2)
    miss_deadline(game)
    services.seat_take_back(game_id=game.pk, user=alice)
    with pytest.raises(ServiceError, match="You have no move"):
        ask(game, alice, "take_back")
    page = selectors.possible_votes(fresh(game), log_of(game), seats_of(game), 0)
    assert "take_back" not in [vote.about for vote in page]


def test_before_the_first_move_there_is_none_to_take_back(game: Game, bob: User) -> None:
    with pytest.raises(ServiceError, match="You have no move"):
        ask(game, bob, "take_back")


def test_everybody_reads_what_was_drawn_since(game: Game, alice: User, bob: User) -> None:
    play_turns(game, 2)
    ask(game, alice, "take_back")
    for viewer in (0, 1, None):
        text = selectors.vote_text(log_of(game), list(game.seats.order_by("number")), viewer)
        assert text is not None
        assert any(line.startswith("Alice drew ") for line in text.learnt)
        assert any(line.startswith("Bob drew ") for line in text.learnt)


@pytest.mark.usefixtures("sound")
def test_a_new_holder_of_a_seat_has_not_voted(
    alice: User, bob: User, carol: User, dave: User, mona: User
) -> None:
    game = table_of(alice, bob, carol)
    vote = ask(game, alice, "cancel")
    answer(game, bob, vote)
    services.moderate_hand_seat(
        game_id=game.pk, seat=1, to=dave, ruling=services.Ruling(mona, "because")
    )
    answer(game, carol, vote)
    assert fresh(game).status == Game.Status.RUNNING
    with pytest.raises(NotAllowed):
        answer(game, bob, vote)
    answer(game, dave, vote)
    assert fresh(game).status == Game.Status.ABORTED
    assert verify_game(game.pk)[2] == []


def test_a_vote_that_only_waited_for_somebody_who_resigns_passes_soon(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol)
    answer(game, bob, ask(game, alice, "pause"))
    services.game_resign(game_id=game.pk, user=carol)
    assert verify_game(game.pk)[2] == []
    services.votes_due(now=timezone.now() + timedelta(minutes=1))
    assert fresh(game).status == Game.Status.PAUSED
    assert outcomes(game) == ["passed"]


def test_a_vote_ends_with_its_player(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    vote = ask(game, alice, "cancel")
    services.game_resign(game_id=game.pk, user=alice)
    assert outcomes(game) == ["overtaken"]
    with pytest.raises(VoteIsOver, match="game has changed"):
        answer(game, bob, vote)


@pytest.mark.usefixtures("sound")
def test_the_pause_of_a_moderator_ends_the_vote_for_one(
    game: Game, alice: User, mona: User
) -> None:
    ask(game, alice, "pause")
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "because"))
    assert outcomes(game) == ["overtaken"]
    assert fresh(game).vote_due_at is None, "this pause does not end by itself"


def test_each_voter_but_the_asker_gets_an_email(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    vote = ask(game, alice, "cancel")
    mails = OutboxMail.objects.filter(game=game, kind="vote", seq=vote)
    assert {mail.user_id for mail in mails} == {bob.pk, carol.pk}


def test_to_agree_twice_is_to_agree_once(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    vote = ask(game, alice, "cancel")
    answer(game, bob, vote)
    version = fresh(game).version
    answer(game, bob, vote)
    assert fresh(game).version == version
    answer(game, bob, vote, agrees=False)
    assert outcomes(game) == ["refused"]


@pytest.mark.usefixtures("sound")
def test_a_deleted_account_is_waited_for_no_longer(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    vote = ask(game, bob, "cancel")
    delete_account(carol)
    answer(game, alice, vote)
    assert fresh(game).status == Game.Status.ABORTED
    assert verify_game(game.pk)[2] == []


@pytest.mark.usefixtures("sound")
def test_a_vote_ends_with_the_account_that_asked(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    vote = ask(game, carol, "cancel")
    delete_account(carol)
    assert outcomes(game) == ["overtaken"]
    with pytest.raises(VoteIsOver, match="game has changed"):
        answer(game, alice, vote)
    assert verify_game(game.pk)[2] == []


@pytest.mark.parametrize("alone", [True, False])
def test_the_pause_of_a_moderator_keeps_no_account_from_deletion(
    alice: User, bob: User, mona: User, *, alone: bool
) -> None:
    people = (alice,) if alone else (alice, bob)
    game = table_of(*people, bots=2 - len(people), resign_policy=Game.ResignPolicy.END)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "because"))
    delete_account(alice)
    assert fresh(game).status == Game.Status.PAUSED
    assert Seat.objects.get(game=game, number=1 if alone else 0).is_bot
    assert verify_game(game.pk)[2] == []


def delete_account(user: User) -> None:
    User.objects.filter(pk=user.pk).update(closes_at=timezone.now() - DAY)
    assert services.accounts_delete_due() == 1


@pytest.mark.usefixtures("sound")
def test_a_yes_after_the_deadline_has_passed_pauses_the_game_and_moves_no_deadline_earlier(
    game: Game, alice: User, bob: User
) -> None:
    vote = ask(game, bob, "pause")
    due = clock_of(game, alice).due_at
    assert due is not None
    make_late(game, alice)
    answer(game, alice, vote)
    assert fresh(game).status == Game.Status.PAUSED
    answer(game, bob, ask(game, alice, "resume"))
    later = clock_of(game, alice).due_at
    assert later is None or later >= due
    play_one(game)


@pytest.mark.usefixtures("sound")
def test_the_move_of_a_bot_at_the_deadline_ends_the_vote_to_take_back(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob, pace_days=1, timeout_policy="seat1")
    play_one(game)
    vote = ask(game, alice, "take_back")
    assert miss_deadline(game) == 1
    services.game_play_bots(game_id=game.pk)
    assert outcomes(game) == ["overtaken"]
    with pytest.raises(VoteIsOver):
        answer(game, alice, vote, agrees=False)
    assert verify_game(game.pk)[2] == []


@pytest.mark.parametrize("seconds", [-1, 0])
def test_a_yes_counts_until_the_vote_is_over(
    game: Game, alice: User, bob: User, seconds: int
) -> None:
    vote = ask(game, bob, "cancel")
    due = fresh(game).vote_due_at
    assert due is not None
    with still(due + timedelta(seconds=seconds)):
        if seconds < 0:
            answer(game, alice, vote)
        else:
            with pytest.raises(VoteIsOver, match=r"End the game without a result.* is over"):
                answer(game, alice, vote)
            services.votes_due(now=due)
    assert outcomes(game) == ["passed" if seconds < 0 else "expired"]


@pytest.mark.usefixtures("sound")
def test_a_vote_ends_when_a_moderator_ends_the_game(
    game: Game, alice: User, bob: User, mona: User
) -> None:
    vote = ask(game, bob, "cancel")
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "because"))
    with pytest.raises(ServiceError, match="over"):
        answer(game, alice, vote)
    assert fresh(game).vote_due_at is None
    assert services.votes_due(now=timezone.now() + 10 * DAY) == 0


@pytest.mark.usefixtures("sound")
def test_the_rollback_of_a_moderator_ends_the_vote_to_take_back(
    game: Game, alice: User, bob: User, mona: User
) -> None:
    begun = log_of(game).moves[0][-1].seq
    play_turns(game, 1)
    vote = ask(game, alice, "take_back")
    services.moderate_rollback(
        game_id=game.pk, to_seq=begun, ruling=services.Ruling(mona, "because")
    )
    assert outcomes(game) == ["overtaken"]
    with pytest.raises(VoteIsOver):
        answer(game, bob, vote)


def test_closing_talk_closes_no_vote(game: Game, alice: User, bob: User) -> None:
    vote = ask(game, bob, "cancel")
    services.talk_switch(game=game, user=alice, is_open=False)
    answer(game, alice, vote, agrees=False)
    assert outcomes(game) == ["refused"]
    ask(game, alice, "pause")


# -- players who are not waited for -----------------------------------------------------------


@pytest.fixture
def trio(alice: User, bob: User, carol: User) -> Game:
    """A table of Alice, Bob and Carol at which missed turns are played by a bot."""
    return table_of(alice, bob, carol, timeout_policy=Game.TimeoutPolicy.MOVE)


def go_away(user: User) -> None:
    today = timezone.now().astimezone(user.zone).date()
    last = today + 20 * DAY
    services.absence_enter(user=user, first=today, last=last, now=timezone.now())


def suspend(user: User, by: User) -> None:
    until = timezone.now() + 7 * DAY
    services.moderate_suspend(user=user, ruling=services.Ruling(by, "because"), until=until)


def read(game: Game, viewer: int | None) -> tuple[str, ...]:
    """What the page and the email say about the answers."""
    text = selectors.vote_text(log_of(game), seats_of(game), viewer)
    assert text is not None
    return text.answers


@pytest.mark.parametrize("about", ["cancel", "pause"])
def test_somebody_who_is_away_is_not_waited_for(
    trio: Game, alice: User, bob: User, carol: User, about: table_events.Proposal
) -> None:
    go_away(carol)
    vote = ask(trio, alice, about)
    assert not OutboxMail.objects.filter(game=trio, kind="vote", user=carol).exists()
    assert read(trio, 1) == (
        "Agreed so far: Alice.",
        "Not answered yet: Bob.",
        "The vote does not wait for anyone who is away or suspended: Carol.",
    )
    answer(trio, bob, vote)
    assert outcomes(trio) == ["passed"]
    assert verify_game(trio.pk)[2] == []


def test_the_no_of_somebody_who_is_away_counts(trio: Game, alice: User, carol: User) -> None:
    go_away(carol)
    answer(trio, carol, ask(trio, alice, "cancel"), agrees=False)
    assert outcomes(trio) == ["refused"]


def test_somebody_who_is_suspended_is_not_waited_for(
    trio: Game, alice: User, bob: User, carol: User, mona: User
) -> None:
    suspend(carol, mona)
    vote = ask(trio, alice, "cancel")
    assert not OutboxMail.objects.filter(game=trio, kind="vote", user=carol).exists()
    for viewer in (0, 1, None):
        assert "The vote does not wait for anyone who is away or suspended: Carol." in read(
            trio, viewer
        )
    answer(trio, bob, vote)
    assert outcomes(trio) == ["passed"]


@pytest.mark.parametrize("how", ["absence", "suspension"])
def test_a_vote_that_only_waited_for_somebody_who_goes_passes_soon(
    trio: Game, alice: User, bob: User, carol: User, mona: User, how: str
) -> None:
    answer(trio, bob, ask(trio, alice, "pause"))
    last = fresh(trio).last_event_at
    go_away(carol) if how == "absence" else suspend(carol, mona)
    assert fresh(trio).last_event_at == last
    services.votes_due(now=timezone.now() + timedelta(minutes=1))
    assert outcomes(trio) == ["passed"]
    assert verify_game(trio.pk)[2] == []


def test_nobody_decides_alone_while_all_the_others_are_away(
    game: Game, alice: User, bob: User
) -> None:
    go_away(bob)
    with pytest.raises(ServiceError, match="away or suspended"):
        ask(game, alice, "cancel")
    assert fresh(game).status == Game.Status.RUNNING


def test_nobody_has_decided_alone_when_the_last_one_went_away(
    game: Game, alice: User, bob: User
) -> None:
    ask(game, alice, "cancel")
    go_away(bob)
    due = fresh(game).vote_due_at
    assert due is not None
    services.votes_due(now=due)
    assert outcomes(game) == ["expired"]


def test_an_absence_entered_when_late_keeps_no_vote_from_its_player(
    game: Game, alice: User, bob: User
) -> None:
    make_late(game, alice)
    go_away(alice)
    ask(game, bob, "cancel")
    assert OutboxMail.objects.filter(game=game, kind="vote", user=alice).exists()
