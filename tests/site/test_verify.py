"""`manage.py verify`: finds every disagreement, and lists a game event by event."""

import os
from datetime import timedelta
from datetime import timezone as datetime_timezone
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F
from django.utils import timezone

from games import services
from games.models import Game, Seat, User
from tests.factories import fresh, play_to_the_end, play_turns, table_of
from tests.support.processes import service_env
from tests.support.verification import change_log, verify
from tests.support.warm_processes import run_python


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    return play_turns(table_of(alice, bob), 4)


def test_every_kind_of_game_is_in_order(
    game: Game, alice: User, bob: User, carol: User, dave: User, mona: User
) -> None:
    """One table of each sort: all that services write agrees with what logs say."""
    table_of(alice, seats=3)
    table_of(alice, bots=2)
    over = play_to_the_end(table_of(alice, bob, bots=1))
    services.game_rematch(game_id=over.pk, by=alice)
    left = table_of(alice, bob, seats=4)
    services.game_leave(game_id=left.pk, user=alice)
    services.game_leave(game_id=left.pk, user=bob)
    services.game_resign(game_id=table_of(alice, bob, carol).pk, user=alice)
    services.game_resign(game_id=table_of(alice, bots=1).pk, user=alice)
    services.game_resign(game_id=table_of(alice, bob, resign_policy="end").pk, user=bob)
    busy = play_turns(table_of(alice, bob, carol), 3)
    services.deadline_check(now=timezone.now() + timedelta(days=30))
    why: dict[str, Any] = {"game_id": busy.pk, "ruling": services.Ruling(mona, "a test")}
    services.moderate_extend(**why, days=2)
    services.moderate_play_bot(**why, seat=fresh(busy).to_act[0])
    services.moderate_hand_seat(**why, seat=fresh(busy).to_act[0], to=dave)
    services.moderate_rollback(**why, to_seq=busy.version)
    services.moderate_pause(**why)
    paused = table_of(alice, bob)
    services.moderate_pause(game_id=paused.pk, ruling=services.Ruling(mona, "x"))
    services.moderate_resume(game_id=paused.pk, ruling=services.Ruling(mona, "y"))
    services.moderate_abort(game_id=play_turns(paused, 1).pk, ruling=services.Ruling(mona, "z"))
    status, words = verify()
    assert words.endswith(f"{Game.objects.count()} in order, 0 not.\n"), words
    assert status == 0


def test_with_no_games_there_is_nothing_wrong(db: None) -> None:
    assert verify() == (0, "0 games, 0 events; 0 in order, 0 not.\n")


def test_one_game_is_checked_alone(game: Game, alice: User) -> None:
    table_of(alice, bots=1)
    status, words = verify(game.public_id)
    assert status == 0
    assert f"1 game, {game.version} events; 1 in order" in words


def test_a_game_that_is_not_there_is_said_so(game: Game) -> None:
    with pytest.raises(CommandError, match="There is no game nonsense"):
        call_command("verify", "nonsense")


def test_secrets_are_revealed_of_one_game_at_a_time() -> None:
    with pytest.raises(CommandError, match="--reveal needs the id"):
        call_command("verify", "--reveal")


ROW_FAULTS: list[tuple[dict[str, object], str]] = [
    ({"status": "gathering"}, "status is gathering in the row, running by the log"),
    ({"version": 3}, "version is 3 in the row"),
    ({"to_act": [1]}, "to_act is (1,) in the row, (0,) by the log"),
    ({"scores": [1, 2]}, "scores is (1, 2) in the row, None by the log"),
    ({"winners": [0]}, "winners is (0,) in the row, None by the log"),
    ({"commitment": "0" * 64}, "commitment is 000"),
    ({"seed": b"x" * 32}, "the seed is not the one that was committed to"),
    ({"options": {"order": "random"}}, "options is"),
    ({"last_event_at": timezone.now() - timedelta(days=1)}, "last_event_at is"),
    ({"seat_count": 4}, "seat_count is 4 in the row, 2 by the log"),
    ({"started_at": None}, "started_at is None in the row"),
    ({"public_id": "aaaaaaaaaaaa"}, "its digest is wrong"),
    ({"kind": "chess"}, "there is no game of the kind chess here"),
]


@pytest.mark.parametrize(("change", "words"), ROW_FAULTS, ids=lambda x: str(x)[:20])
def test_a_row_that_disagrees_with_the_log_is_found(
    game: Game, change: dict[str, object], words: str
) -> None:
    Game.objects.filter(pk=game.pk).update(**change)
    status, said = verify()
    assert status == 1
    assert words in said
    assert "0 in order, 1 not." in said


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": F("version") - 1}, "version is"),
        (
            {"ended_at": None, "status": "running"},
            "status is running in the row, finished by the log",
        ),
        ({"ended_at": F("ended_at") - timedelta(days=1)}, "ended_at is"),
        ({"scores": [99, 99]}, "scores is (99, 99) in the row"),
    ],
    ids=lambda x: str(x)[:20],
)
def test_a_change_of_an_ended_game_is_found(
    game: Game, change: dict[str, object], words: str
) -> None:
    play_to_the_end(game)
    Game.objects.filter(pk=game.pk).update(**change)
    status, said = verify()
    assert status == 1
    assert words in said


SEAT_FAULTS: list[tuple[dict[str, object], str]] = [
    ({"is_bot": True, "user": None}, "seats is [True, False] in the row, [False, False]"),
    ({"asked_seq": None, "asked_at": None, "due_at": None}, "seats () are asked in the rows"),
    ({"asked_seq": 9999}, "was asked at event 9999, still to come"),
    ({"due_at": None}, "must have a deadline exactly if a person has to act"),
    ({"number": 4}, "not numbered from 0 without a gap"),
]


@pytest.mark.parametrize(("change", "words"), SEAT_FAULTS, ids=lambda x: str(x)[:20])
def test_a_seat_that_disagrees_with_the_log_is_found(
    game: Game, change: dict[str, object], words: str
) -> None:
    Seat.objects.filter(game=game, number=0).update(**change)
    status, said = verify()
    assert status == 1
    assert words in said


def test_a_seat_with_another_player_than_the_log_says_is_found(game: Game, carol: User) -> None:
    Seat.objects.filter(game=game, number=1).update(user=carol)
    status, said = verify()
    assert status == 1
    assert f"seat 1 is held by user {carol.pk} in the row" in said


def test_a_seat_without_a_player_or_a_bot_is_found(game: Game) -> None:
    Seat.objects.filter(game=game, number=1).update(user=None)
    status, said = verify()
    assert status == 1
    assert "seat 1 has neither a player nor a bot" in said


def test_a_changed_event_is_found(game: Game) -> None:
    change_log(
        "UPDATE games_gameevent SET payload = jsonb_set(payload, '{pace_days}', '14')"
        " WHERE game_id = %s AND seq = 1",
        game.pk,
    )
    status, said = verify()
    assert status == 1
    assert f"{game.public_id}: event 1 (table.created) is not what was written" in said


def test_the_good_games_beside_a_bad_one_are_counted(game: Game, alice: User) -> None:
    table_of(alice, bots=1)
    Game.objects.filter(pk=game.pk).update(version=1)
    assert "2 games" in verify()[1]
    assert "1 in order, 1 not." in verify()[1]


# -- in words ------------------------------------------------------------------------------------


def test_a_game_is_described_event_by_event(game: Game) -> None:
    _status, words = verify(game.public_id)
    lines = words.splitlines()
    assert lines[0] == f"Round the mainland ({game.public_id}), atlantis, running"
    assert len(lines) == 1 + game.version + 1
    assert "table.created" in lines[1]
    assert "The table was created." in lines[1]
    assert "Alice joined." in lines[2]
    assert any(" moved " in line and "Alice" in line for line in lines)


def test_players_are_listed_by_name_though_seats_change_until_the_start(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol, seats=4)
    services.game_leave(game_id=game.pk, user=bob)
    services.game_add_bot(game_id=game.pk, by=alice, place=3)
    services.game_start(game_id=game.pk, by=alice)
    sentences = [line.rpartition("  ")[2] for line in verify(game.public_id)[1].splitlines()]
    came = [line for line in sentences if line.endswith(("joined.", "free again."))]
    bot = fresh(game).seats.get(is_bot=True).own_name
    assert came == [
        "Alice joined.",
        "Bob joined.",
        "Carol joined.",
        "Seat 2 is free again.",
        f"{bot}, a bot, joined.",
    ]


def test_a_bot_that_was_there_first_is_not_given_the_name_of_the_host(alice: User) -> None:
    game = table_of(alice, bots=1)
    output = verify(game.public_id)[1]
    assert f"{game.seats.get(is_bot=True).own_name}, a bot, joined." in output
    assert "Alice joined." in output


def test_undone_moves_are_marked(game: Game, mona: User, alice: User, bob: User) -> None:
    fresh_game = table_of(alice, bob)
    start = fresh_game.version
    play_turns(fresh_game, 1)
    services.moderate_rollback(
        game_id=fresh_game.pk, to_seq=start, ruling=services.Ruling(mona, "x")
    )
    words = verify(fresh_game.public_id)[1]
    assert words.count("[undone]") == fresh(fresh_game).version - start - 1


def test_secrets_of_a_running_game_are_shown_on_demand_only(game: Game) -> None:
    hidden, shown = verify(game.public_id)[1], verify(game.public_id, "--reveal")[1]
    assert hidden != shown
    assert "card." in hidden


def test_every_open_deadline_is_computed_again(game: Game, alice: User, mona: User) -> None:
    services.moderate_extend(game_id=game.pk, days=2, ruling=services.Ruling(mona, "ill"))
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "a storm"))
    assert verify()[0] == 0
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "it is over"))
    assert verify()[0] == 0
    Seat.objects.filter(game=game, number=0).update(due_at=F("due_at") - timedelta(seconds=1))
    status, said = verify()
    assert status == 1
    assert "the deadline of seat 0 is" in said


def test_a_deadline_that_began_with_no_event_is_found(game: Game) -> None:
    Seat.objects.filter(game=game, number=0).update(clock_seq=None)
    assert verify()[0] == 1


# -- some games, several processes -----------------------------------------------------------------


def test_only_games_with_recent_events_are_verified(game: Game, alice: User) -> None:
    old = table_of(alice, bots=1)
    Game.objects.filter(pk=old.pk).update(last_event_at=timezone.now() - timedelta(days=9))
    yesterday = timezone.now() - timedelta(days=1)
    assert "1 game," in verify(f"--since={yesterday:%Y-%m-%d}")[1]
    far_east = (timezone.now() - timedelta(hours=1)).astimezone(
        datetime_timezone(timedelta(hours=14))
    )
    assert "1 game," in verify(f"--since={far_east.isoformat()}")[1]


@pytest.mark.processes
def test_several_processes_verify_together(transactional_db: None, alice: User, bob: User) -> None:
    games = [play_turns(table_of(alice, bob), 2) for _ in range(2)]
    Game.objects.filter(pk=games[1].pk).update(status="paused", paused_at=timezone.now())
    done = run_python("manage.py", "verify", "--jobs", "2", env={**os.environ, **service_env()})
    assert f"{games[1].public_id}: status is paused in the row" in done.stdout.decode()
    assert b"2 games" in done.stdout
    assert done.returncode == 1
