"""Whoever can get emails again gets those about the turns and votes that are still open."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from games import services, tasks
from games.mail import claims
from games.models import PREFERENCES, Game, OutboxMail, User, address_digest, database_clock
from tests.factories import fresh, miss_deadline, play_one, play_to_the_end, table_of
from tests.fixtures.clock import MONDAY
from tests.support.emails import Kind, State, make_all_due, row_for, rows_for, written

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def preferences_saved(game: Game, user: User) -> None:
    known = {name: getattr(user, name) for name in PREFERENCES}
    services.mail_preferences_set(user=user, modes={Kind.TURN: "once"}, **known)


def game_off_and_on(game: Game, user: User) -> None:
    services.game_mail_switch(game_id=game.pk, user=user, off=True)
    services.game_mail_switch(game_id=game.pk, user=user, off=False)


def all_off_and_on(_game: Game, user: User) -> None:
    services.all_mail_switch(user=user, off=True)
    services.all_mail_switch(user=user, off=False)


def address_works(game: Game, user: User) -> None:
    user.mail_trouble = f"bounce:{address_digest(user.email)}"
    services.address_unblock(user=user)


WAYS: dict[str, Callable[[Game, User], object]] = {
    "emails of the game": game_off_and_on,
    "emails of a kind": lambda _game, user: [
        services.mail_kind_switch(kind=Kind.TURN, user=user, off=off) for off in (True, False)
    ],
    "all emails": all_off_and_on,
    "preferences": preferences_saved,
    "address": address_works,
}


@pytest.mark.parametrize("way", WAYS)
def test_emails_that_were_dropped_are_queued_again(alice: User, bob: User, way: str) -> None:
    game = table_of(alice, bob)
    services.vote_open(game_id=game.pk, user=bob, about="cancel")
    queued = OutboxMail.objects.filter(user=alice, kind__in=(Kind.TURN, Kind.VOTE))
    assert queued.update(state=State.DROPPED, error="no way to send it") == 2
    WAYS[way](game, alice)
    assert {mail.state for mail in queued} == {State.QUEUED}


def test_what_was_sent_is_not_sent_again(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    rows = OutboxMail.objects.filter(game=game, user=alice)
    rows.update(state=State.SENT, sent_at=timezone.now())
    services.game_mail_switch(game_id=game.pk, user=alice, off=True)
    services.game_mail_switch(game_id=game.pk, user=alice, off=False)
    assert {mail.state for mail in rows} == {State.SENT}


@pytest.mark.parametrize("how", ["lifted", "over"])
def test_after_a_suspension_an_email_says_that_it_is_your_turn(
    alice: User, bob: User, mona: User, clock: time_machine.Traveller, how: str
) -> None:
    game = table_of(alice, bob, timeout_policy="move")
    services.moderate_suspend(user=bob, ruling=services.Ruling(mona, "because"), until=MONDAY + DAY)
    play_one(game)
    assert not rows_for(game, Kind.TURN, user=bob)
    if how == "lifted":
        services.moderate_lift(user=bob, ruling=services.Ruling(mona, "because"))
    else:
        clock.move_to(MONDAY + DAY)
        tasks.reminders()
    assert row_for(game, Kind.TURN, bob).state == State.QUEUED
    assert row_for(game, Kind.TURN, bob).seq == game.seats.get(user=bob).asked_seq
    assert User.objects.get(pk=bob.pk).is_active
    assert services.suspensions_end_due(now=database_clock.now()) == 0


@pytest.mark.parametrize("how", ["lifted", "over"])
def test_after_a_suspension_one_email_names_all_turns_that_wait_and_their_deadlines(
    alice: User, bob: User, mona: User, clock: time_machine.Traveller, how: str
) -> None:
    table_of(bob, alice, name="First", timeout_policy="move")
    later = table_of(alice, bob, name="Second", timeout_policy="move")
    OutboxMail.objects.update(state=State.SENT, sent_at=timezone.now())
    services.moderate_suspend(user=bob, ruling=services.Ruling(mona, "because"), until=MONDAY + DAY)
    play_one(later)
    if how == "lifted":
        services.moderate_lift(user=bob, ruling=services.Ruling(mona, "because"))
    else:
        clock.move_to(MONDAY + DAY)
        tasks.reminders()
    make_all_due()
    sent = [row for row in claims.claim(10) if row.user == bob and row.kind != Kind.DECISION]
    (row,) = sent
    words = written(row).words
    assert words.count("left, until") == 2
    assert "First" in words
    assert "Second" in words


def test_who_takes_over_a_seat_is_asked_for_the_open_vote(
    alice: User, bob: User, carol: User, dave: User, mona: User
) -> None:
    game = table_of(alice, bob, carol)
    services.vote_open(game_id=game.pk, user=alice, about="cancel")
    services.moderate_hand_seat(
        game_id=game.pk, ruling=services.Ruling(mona, "because"), seat=1, to=dave
    )
    assert row_for(game, Kind.VOTE, dave).state == State.QUEUED


def test_who_lost_the_seat_hears_of_the_end(alice: User, bob: User) -> None:
    game = table_of(alice, bob, timeout_policy="seat1")
    miss_deadline(game)
    play_to_the_end(fresh(game))
    assert row_for(game, Kind.OVER, alice).seat is None
