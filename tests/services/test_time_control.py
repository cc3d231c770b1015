"""The host's choices about time, and their effects at the table."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.management import call_command

from games import selectors, services
from games.log import table_events
from games.models import Game, OutboxMail, Seat, User
from games.rules import replay
from tests.factories import due, fresh, log_of, play_one, play_to_the_end, seats_of, table_of
from tests.support.emails import written
from tests.support.pages import new_table, signed_in, text
from tests.support.replies import address_of, arrive, line_of, reply_email

pytestmark = pytest.mark.django_db

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FRIDAY = datetime(2027, 1, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _noon_on_a_friday(clock: time_machine.Traveller) -> None:
    clock.move_to(FRIDAY)


def why(game: Game, number: int = 0) -> list[str]:
    return [
        line.replace("\xa0", " ")
        for line in selectors.deadline_lines(log_of(game), seats_of(game)[number])
    ]


@pytest.mark.parametrize("days", [0, 1, 2, 3, 5, 7, 14])
def test_each_time_per_move_and_each_bank_can_be_chosen(alice: User, bob: User, days: int) -> None:
    """0 is half a day per move, and no bank."""
    game = new_table(signed_in(alice), seat_count=2, bots=[], pace_days=days, bank_days=days)
    services.game_join(game_id=game.pk, user=bob, token=game.invite_token)
    assert due(game, fresh(game).to_act[0]) == FRIDAY + (2 * days * DAY or 12 * HOUR)


def test_half_a_day_per_move(alice: User, bob: User) -> None:
    game = table_of(alice, bob, pace_days=0)
    assert due(game) == FRIDAY + 12 * HOUR
    assert why(game) == ["12 hours from Fri 1 Jan, 12:00"]


def test_weekends_that_do_not_count_are_those_of_each_player(alice: User, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(time_zone="Pacific/Auckland")  # Saturday has begun
    game = table_of(alice, bob, pace_days=1, weekends_off=True)
    assert due(game) == FRIDAY + 3 * DAY
    assert why(game)[1:] == ["Saturday and Sunday do not count: +2 days"]
    play_one(game)
    assert due(game, 1) == datetime(2027, 1, 4, 11, tzinfo=UTC)  # Monday has passed there


def test_a_deadline_moves_to_the_end_of_the_players_quiet_hours(alice: User, bob: User) -> None:
    User.objects.filter(pk=alice.pk).update(quiet_from=22, quiet_until=7)
    game = table_of(alice, bob, pace_days=0)
    assert due(game) == FRIDAY + 18 * HOUR  # in Berlin it is seven then
    call_command("verify", game.public_id)


def test_a_time_bank_is_used_and_returns(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    game = table_of(alice, bob, pace_days=1, bank_days=2, bank_returns=True)
    assert due(game) == FRIDAY + 3 * DAY
    clock.move_to(FRIDAY + DAY + 6 * HOUR)
    play_one(game)  # Alice used six hours
    play_one(game)  # Bob's bank is full already
    assert due(game) == FRIDAY + DAY + 6 * HOUR + 2 * DAY + 18 * HOUR
    play_one(game)  # in time: a tenth of two days returns
    changes = [e.event for e in log_of(game).entries if e.kind == "table.bank_changed"]
    assert changes == [
        table_events.BankChanged(seat=0, seconds=-6 * 3600),
        table_events.BankChanged(seat=0, seconds=17280),
    ]
    call_command("verify", game.public_id)


def test_the_last_move_changes_no_time_bank(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    game = table_of(alice, bob, pace_days=1, bank_days=2, bank_returns=True)
    while fresh(game).status == Game.Status.RUNNING:
        play_one(game)
        if fresh(game).status == Game.Status.RUNNING:  # the banks have room for what returns
            clock.shift(DAY + HOUR)
    call_command("verify", game.public_id)


def test_a_missed_deadline_empties_the_bank(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    game = table_of(alice, bob, pace_days=1, bank_days=1, timeout_policy=Game.TimeoutPolicy.MOVE)
    clock.move_to(FRIDAY + 2 * DAY + HOUR)
    services.deadline_check(now=FRIDAY + 2 * DAY + HOUR)
    assert Seat.objects.get(game=game, number=0).bank_left == timedelta()
    call_command("verify", game.public_id)


def test_such_a_game_has_a_record_that_replays(alice: User, bob: User) -> None:
    User.objects.filter(pk=alice.pk).update(quiet_from=1, quiet_until=13)
    game = table_of(alice, bob, pace_days=1, bank_days=1, bank_returns=True, weekends_off=True)
    play_to_the_end(game)
    call_command("verify", game.public_id)
    (checked,) = replay.check(selectors.record_lines(fresh(game)))
    assert checked.fair


def test_the_page_and_the_email_explain_the_deadline(alice: User, bob: User) -> None:
    game = table_of(alice, bob, pace_days=1, bank_days=2, weekends_off=True)
    page = text(signed_in(bob).get(f"/g/{game.public_id}/"))
    assert "Why this deadline for Alice?" in page
    assert '<ul id="why-0">' in page  # browsers open what a link leads to
    details = text(signed_in(bob).get(f"/g/{game.public_id}/?details=all"))
    assert "Each player has a time bank of 2\xa0days" in details
    mail = OutboxMail.objects.get(game=game, user=alice, kind="turn")
    words = " ".join(written(mail).text.split()).replace("\xa0", " ")
    assert "How this deadline was worked out: 1 day from" in words
    assert "Saturday and Sunday do not count: +2 days; time bank: +2 days." in words


def test_the_form_offers_all_of_it(alice: User) -> None:
    game = new_table(
        signed_in(alice), pace_days=0, bank_days=3, bank_returns="on", weekends_off="on"
    )
    assert (game.pace_days, game.pace_hours, game.bank_days) == (0, 12, 3)
    assert game.bank_returns
    assert game.weekends_off
    assert "12 hours per move" in text(signed_in(alice).get(f"/g/{game.public_id}/"))


@pytest.mark.usefixtures("replies")
def test_the_answer_to_a_reply_shows_the_move_where_deadlines_moved_after_it(
    alice: User, bob: User
) -> None:
    User.objects.filter(pk=bob.pk).update(quiet_from=1, quiet_until=20, time_zone="UTC")
    game = table_of(alice, bob, pace_days=1)
    to = address_of(game, alice)
    row = arrive(reply_email(line_of(game), to, alice.email), to)
    assert log_of(game).entries[-1].kind == "table.deadline_moved"
    assert row.answer is not None
    first, last = row.answer.context["first"], row.answer.seq
    assert not log_of(game).entries[first - 1].is_table
    assert last == fresh(game).version
