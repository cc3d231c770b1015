"""Absences: the clock of an absent player stands still, everybody can see it, and there are few of
them."""

from datetime import date, timedelta

import pytest
import time_machine
from django.core.management import call_command

from games import selectors, services
from games.clock.calendar import Absence, is_too_much
from games.inbound import command_words, commands
from games.log import table_events
from games.models import Game, InboundMail, Seat, User, database_clock
from games.services import ServiceError
from tests.factories import due, fresh, log_of, play_one, table_of
from tests.fixtures.clock import MONDAY
from tests.support.emails import written
from tests.support.pages import signed_in, text
from tests.support.replies import address_of, arrive, reply_email
from tests.support.reply_costs import assert_cheap, measured_reply

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    """Alice has three days from noon in UTC."""
    User.objects.update(time_zone="UTC")
    alice.refresh_from_db()
    return table_of(alice, bob)


def day(number: int) -> date:
    return date(2027, 1, number)


def enter(user: User, first: int, last: int) -> list[services.MovedDeadline]:
    now = database_clock.now()
    return services.absence_enter(user=user, first=day(first), last=day(last), now=now)


def end(user: User, first: int) -> list[services.MovedDeadline]:
    return services.absence_end(user=user, first=day(first), now=database_clock.now())


def test_the_open_deadline_stands_still_and_the_log_says_so(game: Game, alice: User) -> None:
    (effect,) = enter(alice, 5, 8)
    assert effect.due_at == due(game) == MONDAY + 7 * DAY
    last = log_of(game).entries[-1].event
    assert last == table_events.DeadlineMoved(seat=0, code="absence", seconds=4 * 86400)
    call_command("verify", game.public_id)


def test_only_the_clock_of_who_is_away_stands_still(game: Game, alice: User, bob: User) -> None:
    assert enter(bob, 5, 8) == []
    assert due(game) == MONDAY + 3 * DAY
    play_one(game)
    assert due(game, 1) == MONDAY + 7 * DAY


def test_a_deadline_that_would_have_passed_in_an_absence_is_not_missed(
    game: Game, alice: User, clock: time_machine.Traveller
) -> None:
    Game.objects.filter(pk=game.pk).update(timeout_policy=Game.TimeoutPolicy.SEAT1)
    clock.shift(2 * DAY)
    enter(alice, 6, 8)  # the day before the deadline
    clock.shift(2 * DAY)
    assert services.deadline_check(now=database_clock.now()) == 0
    assert fresh(game).to_act == [0]
    assert not Seat.objects.get(game=game, number=0).is_bot


def test_an_absence_after_the_deadline_moves_nothing(game: Game, alice: User) -> None:
    (effect,) = enter(alice, 10, 12)
    assert effect.due_at == effect.before
    assert "table.deadline_moved" not in [e.kind for e in log_of(game).entries]


def test_an_absence_of_somebody_late_says_where_it_does_not_count(
    game: Game, alice: User, clock: time_machine.Traveller
) -> None:
    Game.objects.filter(pk=game.pk).update(timeout_policy=Game.TimeoutPolicy.WAIT)
    clock.move_to(MONDAY + 3 * DAY)
    services.deadline_check(now=MONDAY + 3 * DAY)
    (effect,) = enter(alice, 7, 9)
    assert effect.is_late
    (line,) = selectors.effect_lines([effect])
    assert "so your absence does not count there" in line
    assert end(alice, 7) == []


def test_who_comes_back_early_keeps_the_deadline(
    game: Game, alice: User, clock: time_machine.Traveller
) -> None:
    enter(alice, 5, 8)
    clock.move_to(MONDAY + 2 * DAY)
    end(alice, 5)
    assert due(game) == MONDAY + 7 * DAY


def test_who_comes_back_early_has_a_full_day(
    game: Game, alice: User, clock: time_machine.Traveller
) -> None:
    clock.move_to(MONDAY + 2 * DAY)
    enter(alice, 6, 6)  # from now to midnight, with a day and twelve hours left after it
    clock.move_to(MONDAY + 2 * DAY + 11 * HOUR)
    end(alice, 6)
    assert due(game) >= database_clock.now() + DAY
    call_command("verify", game.public_id)


def test_that_day_does_not_end_in_quiet_hours(
    game: Game, alice: User, clock: time_machine.Traveller
) -> None:
    clock.move_to(MONDAY + 2 * DAY + 6 * HOUR)  # with 18 hours left
    enter(alice, 6, 6)
    clock.move_to(MONDAY + 2 * DAY + 11 * HOUR)  # 23 o'clock
    User.objects.filter(pk=alice.pk).update(quiet_from=22, quiet_until=7)
    end(alice, 6)
    assert due(game) == MONDAY + 3 * DAY + 19 * HOUR
    events = [entry.event for entry in log_of(game).entries]
    codes = [e.code for e in events if isinstance(e, table_events.DeadlineMoved)]
    assert codes[-2:] == ["absence", "quiet"]
    call_command("verify", game.public_id)


def test_absences_that_moved_deadlines_count_even_if_withdrawn(game: Game, alice: User) -> None:
    enter(alice, 5, 29)
    end(alice, 5)
    with pytest.raises(ServiceError, match="at most 30 days"):
        services.absence_enter(
            user=alice, first=date(2027, 2, 1), last=date(2027, 2, 10), now=MONDAY
        )


def test_the_same_days_are_entered_once(game: Game, alice: User) -> None:
    enter(alice, 5, 8)
    with pytest.raises(ServiceError, match="already"):
        enter(alice, 8, 9)
    assert due(game) == MONDAY + 7 * DAY


def test_a_day_that_has_passed_is_no_absence(alice: User) -> None:
    with pytest.raises(ServiceError, match="nor in the past"):
        enter(alice, 1, 3)


def test_an_absence_entered_in_a_pause_takes_no_time(
    game: Game, alice: User, mona: User, clock: time_machine.Traveller
) -> None:
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "x"))
    enter(alice, 5, 6)
    clock.move_to(MONDAY + 5 * DAY)
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "y"))
    assert due(game) == MONDAY + 8 * DAY
    call_command("verify", game.public_id)


def test_thirty_days_within_a_year_are_the_most() -> None:
    def absence(first: date, days: int) -> Absence:
        last = first + (days - 1) * DAY
        return Absence(first, last, last)

    begin = date(2027, 1, 1)
    assert not is_too_much([absence(begin, 30)])
    assert is_too_much([absence(begin, 31)])
    assert is_too_much([absence(begin, 30), absence(begin + 364 * DAY, 1)])
    assert not is_too_much([absence(begin, 30), absence(begin + 365 * DAY, 30)])


def test_the_page_enters_and_ends_an_absence(game: Game, alice: User, bob: User) -> None:
    client = signed_in(alice)
    page = text(client.post("/settings/absences/", {"first": day(5), "last": day(8)}, follow=True))
    assert "your deadline has moved to Mon 11 Jan, 12:00" in page
    assert "I’m back" not in page
    assert "Withdraw" in page
    table = text(signed_in(bob).get(f"/g/{game.public_id}/"))
    assert "Alice will be away from Tue 5 Jan 2027 to Fri 8 Jan 2027." in table
    client.post("/settings/absences/", {"end": day(5)})
    assert "will be away" not in text(signed_in(bob).get(f"/g/{game.public_id}/"))


def test_it_is_seen_before_a_table_starts(alice: User, bob: User) -> None:
    enter(alice, 4, 8)
    table = table_of(alice, seats=2)
    assert "Alice is away until" in text(signed_in(bob).get(f"/g/{table.public_id}/"))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("away until 3 Jan", (3, 1, 0)),
        ("I'm away until January 3rd, 2027, thanks", (3, 1, 2027)),
        ("I’ll be away until 3 January", (3, 1, 0)),
        ("On holiday until 3 January!", (3, 1, 0)),
        ("Ich bin bis 3. Januar im Urlaub", (3, 1, 0)),
        ("Bin bis zum 3. Januar verreist.", (3, 1, 0)),
        ("Abwesend bis 3.1.", (3, 1, 0)),
        ("Ich bin verreist bis zum 3. März 2027", (3, 3, 2027)),
        ("absent jusqu’au 1er août", (1, 8, 0)),
        ("Je suis en vacances jusqu'au 12 février", (12, 2, 0)),
        ("away until 2027-01-03", (3, 1, 2027)),
    ],
)
def test_a_reply_may_announce_an_absence(line: str, found: tuple[int, int, int]) -> None:
    assert commands.parse(line) == commands.Away(command_words.CalendarDay(*found))


@pytest.mark.parametrize(
    "line",
    [
        "away until 3/4",
        "away until soon",
        "away until 40 foo",
        "away",
        "Ich bin vom 1. bis 3. Januar im Urlaub",
    ],
)
def test_what_is_no_clear_day_is_no_absence(line: str) -> None:
    assert isinstance(commands.parse(line), commands.Move)


@pytest.mark.usefixtures("replies")
def test_a_reply_is_answered_with_the_effect_on_each_deadline(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    row = arrive(reply_email("away until 8 Jan", to, alice.email), to)
    assert row.outcome == InboundMail.Outcome.ORDERED
    assert row.answer is not None
    answer = " ".join(written(row.answer).text.split())
    assert "You’re away until Fri 8 Jan 2027." in answer
    assert "your deadline has moved to Mon 11 Jan, 12:00" not in answer  # the present day counts
    assert "your deadline has moved to" in answer
    assert due(game) == MONDAY + 7 * DAY + 12 * HOUR
    assert fresh(game).to_act == [0]


@pytest.mark.usefixtures("replies")
def test_a_reply_about_an_absence_costs_no_more_than_others(game: Game, alice: User) -> None:
    """With one game; each further one is loaded and written as well."""
    found = measured_reply(address_of(game, alice), "away until 8 Jan", alice)
    assert_cheap(found, InboundMail.Outcome.ORDERED)
    found = measured_reply(address_of(game, alice), "away until 8 Jan", alice)
    assert_cheap(found, InboundMail.Outcome.REFUSED)


@pytest.mark.usefixtures("replies")
@pytest.mark.parametrize("line", ["away until 31 Feb", "away until 1 Dec 2028"])
def test_a_day_that_cannot_be_is_refused(game: Game, alice: User, line: str) -> None:
    to = address_of(game, alice)
    assert arrive(reply_email(line, to, alice.email), to).outcome == InboundMail.Outcome.REFUSED
    assert due(game) == MONDAY + 3 * DAY
