"""A missed deadline: what the table does is what its host chose, and no table stalls."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core.management import call_command

from games import selectors, services
from games.log import table_events
from games.models import Game, OutboxMail, Seat, TableSettings, User
from games.rules import replay
from games.rules.bots import Level
from games.services import NotAllowed, ServiceError
from tests.factories import fresh, log_of, miss_deadline, play_one, play_to_the_end, table_of
from tests.support.emails import written
from tests.support.escape_games import escape_table
from tests.support.pages import signed_in, text

pytestmark = pytest.mark.django_db

Policy = Game.TimeoutPolicy


def table(*people: User, policy: str = Policy.SEAT2, **more: object) -> Game:
    return table_of(*people, timeout_policy=policy, **more)  # type: ignore[arg-type]


def held_by_bot(game: Game, number: int) -> bool:
    return Seat.objects.get(game=game, number=number).is_bot


def kinds(game: Game) -> list[str]:
    return [e.kind for e in log_of(game).entries if e.is_table]


def missed_emails(game: Game, user: User) -> list[OutboxMail]:
    return list(OutboxMail.objects.filter(game=game, user=user, kind="missed").order_by("pk"))


def test_a_new_table_gives_a_seat_to_a_bot_after_two_misses(alice: User) -> None:
    settings = TableSettings(seat_count=2)
    game = services.game_create(host=alice, kind="atlantis", name="New", settings=settings)
    assert game.timeout_policy == Policy.SEAT2


@pytest.mark.parametrize(
    ("policy", "then"),
    [
        (Policy.WAIT, "the game waits, and the host can let a bot play."),
        (Policy.MOVE, "a bot plays this turn for you."),
        (Policy.SEAT1, "a bot takes your seat. You can take it back."),
        (Policy.SEAT2, "a bot plays this turn for you."),
        (Policy.OPEN, "a bot plays this turn for you."),
    ],
)
def test_a_reminder_names_the_deadline_in_the_readers_zone_and_what_comes_then(
    alice: User, bob: User, policy: str, then: str
) -> None:
    User.objects.update(time_zone="Asia/Kathmandu")
    game = table(alice, bob, policy=policy, pace_days=3)
    seat = Seat.objects.get(game=game, number=0)
    assert seat.due_at is not None
    services.reminders_due(now=seat.due_at - timedelta(hours=30))
    mail = OutboxMail.objects.get(game=game, user=alice, kind="reminder")
    words = " ".join(written(mail).text.split()).replace("\xa0", " ")
    here = seat.due_at.astimezone(ZoneInfo("Asia/Kathmandu"))
    assert f"{here:%H:%M}, Kathmandu time" in words
    assert f"After the deadline, {then}" in words
    page = " ".join(text(signed_in(alice).get(f"/g/{game.public_id}/")).split())
    assert f"<small>After the deadline, {then}</small>" in page


def test_a_table_that_waits_keeps_the_turn_open(alice: User, bob: User) -> None:
    game = table(alice, bob, policy=Policy.WAIT)
    assert miss_deadline(game) == 0
    assert fresh(game).to_act == [0]
    assert Seat.objects.get(game=game, number=0).overdue


def test_a_bot_plays_the_missed_turn_and_the_next_player_is_asked(alice: User, bob: User) -> None:
    game = table(alice, bob, policy=Policy.MOVE)
    for _turn in range(3):
        assert miss_deadline(game) == 0
        assert not held_by_bot(game, 0)
        assert fresh(game).to_act == [1]
        play_one(game)
    assert kinds(game).count("table.covered") == 3
    assert [mail.context["left"] for mail in missed_emails(game, alice)] == [None] * 3


def test_the_second_miss_in_a_row_gives_the_seat_to_a_bot(alice: User, bob: User) -> None:
    game = table(alice, bob, policy=Policy.SEAT2)
    miss_deadline(game)
    assert not held_by_bot(game, 0)
    play_one(game)
    assert miss_deadline(game) == 0
    assert held_by_bot(game, 0)
    assert Seat.objects.get(game=game, number=0).bot_level == Level.NORMAL
    assert kinds(game)[-2:] == ["table.timed_out", "table.taken_over"]
    assert [mail.context for mail in missed_emails(game, alice)] == [{"left": 1}, {"lost": 0}]


def test_a_move_in_time_ends_the_row_of_misses(alice: User, bob: User) -> None:
    game = table(alice, bob, policy=Policy.SEAT2)
    for _round in range(2):
        miss_deadline(game)
        play_one(game)  # Bob
        play_one(game)  # Alice, in time
        play_one(game)  # Bob
    miss_deadline(game)
    assert not held_by_bot(game, 0)


def test_the_bot_does_not_take_the_seat_of_the_last_person(alice: User) -> None:
    game = table(alice, bots=1, policy=Policy.SEAT1)
    while fresh(game).to_act != [0]:
        services.game_play_bots(game_id=game.pk)
    miss_deadline(game)
    assert not held_by_bot(game, 0)
    assert kinds(game)[-1] == "table.covered"


def test_the_player_takes_the_seat_back_and_has_the_full_time(alice: User, bob: User) -> None:
    game = table(alice, bob, policy=Policy.SEAT1)
    miss_deadline(game)
    client = signed_in(alice)
    assert "Take my seat back" in text(client.get(f"/g/{game.public_id}/"))
    assert "Take my seat back" not in text(signed_in(bob).get(f"/g/{game.public_id}/"))
    client.post(f"/g/{game.public_id}/take-back")
    seat = Seat.objects.get(game=game, number=0)
    assert (seat.user, seat.is_bot) == (alice, False)
    assert log_of(game).seating.now[0].user == alice.pk
    services.game_play_bots(game_id=game.pk)
    assert fresh(game).to_act == [0]
    assert seat.due_at is not None and seat.asked_at is not None
    assert seat.due_at - seat.asked_at == timedelta(days=3)


def test_nobody_else_takes_the_seat(alice: User, bob: User, dave: User) -> None:
    game = table(alice, bob, policy=Policy.SEAT1)
    miss_deadline(game)
    for user in (bob, dave):
        with pytest.raises(NotAllowed):
            services.seat_take_back(game_id=game.pk, user=user)


def test_a_seat_that_was_resigned_is_not_taken_back(alice: User, bob: User, carol: User) -> None:
    game = table(alice, bob, carol)
    services.game_resign(game_id=game.pk, user=bob)
    with pytest.raises(NotAllowed):
        services.seat_take_back(game_id=game.pk, user=bob)


def test_a_moderator_who_has_seen_the_hands_does_not_take_their_seat_back(
    mona: User, alice: User
) -> None:
    game = table(mona, alice, policy=Policy.SEAT1)
    miss_deadline(game)
    services.moderate_reveal(game_id=game.pk, ruling=services.Ruling(mona, "A complaint"))
    with pytest.raises(ServiceError, match="hidden information"):
        services.seat_take_back(game_id=game.pk, user=mona)
    assert held_by_bot(game, 0)


def test_misses_after_the_return_count_anew(alice: User, bob: User) -> None:
    game = table(alice, bob, policy=Policy.SEAT2)
    miss_deadline(game)
    play_one(game)
    miss_deadline(game)
    services.seat_take_back(game_id=game.pk, user=alice)
    assert miss_deadline(game) == 0
    assert not held_by_bot(game, 0)


def test_such_games_are_verified_and_their_records_replay(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    game = table(alice, bob, policy=Policy.SEAT2)
    miss_deadline(game)
    clock.move_to(fresh(game).last_event_at)
    play_one(game)
    miss_deadline(game)
    clock.move_to(fresh(game).last_event_at)
    services.seat_take_back(game_id=game.pk, user=alice)
    call_command("verify", game.public_id)  # raises where rows and log differ
    play_to_the_end(game)
    (checked,) = replay.check(selectors.record_lines(fresh(game)))
    assert checked.fair


@pytest.mark.parametrize("policy", [Policy.MOVE, Policy.SEAT1, Policy.SEAT3])
def test_a_game_that_everybody_has_left_is_played_to_its_end(
    alice: User, bob: User, policy: str
) -> None:
    game = table(alice, bob, policy=policy)
    for _turn in range(200):
        now = fresh(game)
        if now.status == Game.Status.FINISHED:
            break
        if Seat.objects.filter(game=game, is_bot=True, asked_seq__isnull=False).exists():
            services.game_play_bots(game_id=game.pk)
        else:
            miss_deadline(game)
    assert fresh(game).status == Game.Status.FINISHED


def test_missed_turns_of_a_setup_are_played_too(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    Game.objects.filter(pk=game.pk).update(timeout_policy=Policy.MOVE)
    before = log_of(game).version
    miss_deadline(game)
    assert log_of(game).version > before
    assert "table.covered" in kinds(game)


def test_a_pause_and_a_longer_deadline_are_no_misses(alice: User, bob: User, mona: User) -> None:
    game = table(alice, bob, policy=Policy.SEAT1)
    due = Seat.objects.get(game=game, number=0).due_at
    assert due is not None
    services.moderate_extend(
        game_id=game.pk, days=2, seat=0, ruling=services.Ruling(mona, "A storm")
    )
    services.deadline_check(now=due + timedelta(minutes=1))
    assert not held_by_bot(game, 0)


def test_the_log_says_what_happened(alice: User, bob: User) -> None:
    game = table(alice, bob, policy=Policy.SEAT2)
    miss_deadline(game)
    play_one(game)
    miss_deadline(game)
    page = text(signed_in(bob).get(f"/g/{game.public_id}/"))
    assert "Alice missed the deadline." in page
    assert "A bot played this turn for Alice." in page
    assert "Alice missed too many deadlines in a row. A bot takes over." in page


def test_events_of_missed_deadlines_are_read_as_they_were_written() -> None:
    for event in (
        table_events.Covered(seat=1),
        table_events.TakenOver(seat=0),
        table_events.TakenBack(seat=2),
    ):
        assert table_events.decode(table_events.encode(event), 1) == event
