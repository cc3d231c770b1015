"""Regular tasks over many games: all that is due is done once, whatever happens beside it."""

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from celery.exceptions import Retry
from celery.signals import before_task_publish
from django.db import connection, connections, transaction
from django.utils import timezone

from games import services, tasks
from games.log import pipeline
from games.models import Game, Heartbeat, OutboxMail, Seat, User
from games.services import bots, deadlines, sweeps
from tests.factories import play_one, table_of
from tests.support.processes import empty_queue

DAY = timedelta(days=1)


@pytest.fixture
def games(alice: User, bob: User) -> list[Game]:
    """Five games in which it is Alice's turn, with one day for a move."""
    return [table_of(alice, bob, pace_days=1) for _table in range(5)]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[Any, ...]]]:
    """The tasks that were asked for, with their arguments. A part is two games."""
    monkeypatch.setattr(deadlines, "PART", 2)
    monkeypatch.setattr(sweeps, "PART", 2)
    sent: list[tuple[Any, ...]] = []
    monkeypatch.setattr(transaction, "on_commit", lambda send, **_more: send())

    def note(sender: str, body: Any, **_signal: object) -> None:
        sent.append((sender, *body[0]))

    before_task_publish.connect(note)
    yield sent
    before_task_publish.disconnect(note)
    empty_queue()


def overdue() -> int:
    return Seat.objects.filter(overdue=True).count()


def late() -> datetime:
    return timezone.now() + 2 * DAY


@pytest.mark.django_db
def test_one_run_does_all_that_is_due_and_asks_others_for_help(
    games: list[Game], asked: list[tuple[Any, ...]]
) -> None:
    asked.clear()
    assert services.deadline_check(now=late(), sweep=services.Sweep("a.task")) == len(games)
    helpers = [words for words in asked if words[0] == "a.task"]
    assert helpers == [("a.task", number) for number in range(1, sweeps.HELPERS + 1)]


@pytest.mark.django_db
def test_a_helper_run_starts_no_others(games: list[Game], asked: list[tuple[Any, ...]]) -> None:
    asked.clear()
    services.deadline_check(now=late(), sweep=services.Sweep("a.task", helper=1))
    assert overdue() == len(games)
    assert {task for task, *_args in asked} == {"games.tasks.drain_outbox"}


@pytest.mark.django_db
def test_a_run_whose_time_is_up_asks_for_the_next_one(
    games: list[Game], asked: list[tuple[Any, ...]]
) -> None:
    asked.clear()
    sweep = services.Sweep("a.task", helper=1, seconds=0)
    assert services.deadline_check(now=late(), sweep=sweep) == 0
    sweep.go_on()
    assert asked == [("a.task",)]
    finished = services.Sweep("a.task", helper=1)
    assert services.deadline_check(now=late(), sweep=finished) == len(games)
    asked.clear()
    finished.go_on()
    assert not asked


@pytest.mark.django_db
def test_the_sender_is_woken_once_for_many_emails(
    games: list[Game], asked: list[tuple[Any, ...]]
) -> None:
    asked.clear()
    services.deadline_check(now=late())
    assert OutboxMail.objects.filter(kind="deadline").count() == 2 * len(games)
    assert asked.count(("games.tasks.drain_outbox",)) <= 2


def two_that_wait(faults: list[int]) -> pipeline.Statement:
    """Return a statement for `Sweep.drain`: two games that no run has renamed."""
    sql = "SELECT id FROM games_game WHERE name <> 'done' AND id <> ALL(%s) LIMIT 2 FOR UPDATE"
    return sql, [faults]


def rename(game_id: int) -> int:
    return Game.objects.filter(pk=game_id).update(name="done")


def done() -> set[int]:
    return set(Game.objects.filter(name="done").values_list("pk", flat=True))


@pytest.mark.django_db
def test_a_game_with_a_fault_does_not_keep_the_others_waiting(
    games: list[Game], caplog: pytest.LogCaptureFixture
) -> None:
    def fails_for_the_first(game_id: int) -> int:
        renamed = rename(game_id)
        if game_id == games[0].pk:
            raise RuntimeError("a fault")
        return renamed

    assert services.Sweep().drain(two_that_wait, fails_for_the_first) == len(games) - 1
    assert "a fault" in caplog.text
    assert done() == {game.pk for game in games[1:]}  # nothing is left half done


@pytest.mark.django_db
@pytest.mark.parametrize(
    "fails", ["games.services.quotas.purge_old", "games.mail.retention.purge_old"]
)
def test_one_part_of_an_hourly_task_that_fails_keeps_no_other_from_its_work(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fails: str
) -> None:
    done = list[str]()

    def part(name: str) -> Callable[..., int]:
        def work(*_args: object) -> int:
            if name == fails:
                raise RuntimeError("a fault")
            done.append(name)
            return 0  # nothing is left

        return work

    for name in ("games.services.quotas.purge_old", "games.mail.retention.purge_old"):
        monkeypatch.setattr(name, part(name))
    tasks.forget_mails()
    assert len(done) == 1
    assert "a fault" in caplog.text


@pytest.mark.django_db
def test_a_run_that_meets_too_many_faults_waits_for_the_next_beat(
    games: list[Game], asked: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run at once would meet the same faults, and so on without end."""

    def fails(game_id: int) -> int:
        raise RuntimeError("a fault")

    monkeypatch.setattr(sweeps, "MAX_FAULTS", 3)
    asked.clear()
    sweep = services.Sweep("a.task", helper=1)
    assert sweep.drain(two_that_wait, fails) == 0
    sweep.go_on()
    assert not asked


@pytest.mark.django_db
def test_a_bot_with_a_fault_does_not_keep_the_others_waiting(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [table_of(alice, bots=1) for _table in range(3)]
    for game in games:
        play_one(game)
    play = bots.game_play_bots

    def fails_for_the_first(*, game_id: int) -> int:
        if game_id == games[0].pk:
            raise RuntimeError("a fault")
        return play(game_id=game_id)

    monkeypatch.setattr(bots, "game_play_bots", fails_for_the_first)
    assert services.bots_sweep() == 2
    assert services.bots_waiting() == [games[0].pk]


@pytest.mark.django_db
def test_a_bot_waits_while_another_thread_of_the_worker_plays_bots(alice: User) -> None:
    game = table_of(alice, bots=1)
    play_one(game)
    with services.alone("play_bots"), pytest.raises(Retry):
        tasks.play_bots(game.pk)
    assert services.bots_waiting() == [game.pk]
    tasks.play_bots(game.pk)
    assert services.bots_waiting() == []


@pytest.mark.django_db
def test_a_second_beat_is_harmless(games: list[Game]) -> None:
    Seat.objects.filter(due_at__isnull=False).update(
        due_at=timezone.now(), remind_at=timezone.now()
    )
    for _beat in range(2):
        tasks.deadlines()
        tasks.reminders()
        tasks.play_bots()
    assert overdue() == len(games)
    assert OutboxMail.objects.filter(kind="deadline").count() == 2 * len(games)
    assert not OutboxMail.objects.filter(kind="reminder").exists()
    assert {"deadlines", "reminders", "play_bots"} <= set(
        Heartbeat.objects.values_list("name", flat=True)
    )


@pytest.mark.django_db
def test_a_task_that_is_running_is_not_begun_again_in_the_same_process(games: list[Game]) -> None:
    Seat.objects.filter(due_at__isnull=False).update(due_at=timezone.now())
    with services.alone("deadlines"):
        tasks.deadlines()
    assert overdue() == 0


@pytest.mark.django_db
def test_a_flood_of_deadlines_does_not_hold_up_the_other_kinds(
    games: list[Game],
    asked: list[tuple[Any, ...]],
    alice: User,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For a single worker that takes one task after the other, and six seconds for each deadline: a
    run ends after its slice, and the rest of its work goes behind the tasks that wait."""
    now = timezone.now()
    Seat.objects.filter(due_at__isnull=False).update(due_at=now)
    reminded, with_bot = table_of(alice, bob, pace_days=1), table_of(alice, bots=1)
    play_one(with_bot)
    Seat.objects.filter(game=reminded, due_at__isnull=False).update(
        due_at=now - DAY, overdue=True, remind_at=now
    )
    monkeypatch.setattr(sweeps, "time", SimpleNamespace(monotonic=lambda: 6.0 * overdue()))
    waiting, kinds = asked, ("deadlines", "reminders", "play_bots")
    waiting[:] = [(f"games.tasks.{kind}",) for kind in kinds]

    def take_the_first() -> None:
        task, *args = waiting.pop(0)
        if "drain" not in task:
            getattr(tasks, task.rpartition(".")[2])(*args)

    for _kind in kinds:
        take_the_first()
    assert 1 < overdue() < 1 + len(games)
    assert OutboxMail.objects.filter(kind="reminder").exists()
    assert with_bot.pk not in services.bots_waiting()
    while waiting:
        take_the_first()
    assert overdue() == 1 + len(games)


@pytest.fixture
def another_worker(transactional_db: None) -> Callable[[Callable[[], object]], None]:
    """another_worker(work): run this in a thread with a connection of its own, to its end."""

    def run(work: Callable[[], object]) -> None:
        def then_close() -> None:
            try:
                work()
            finally:
                connections.close_all()

        thread = threading.Thread(target=then_close)
        thread.start()
        thread.join(120)
        assert not thread.is_alive()

    return run


@pytest.mark.django_db(transaction=True)
def test_workers_share_what_is_due(
    another_worker: Any, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one worker holds its part, another does the rest, and neither waits."""
    games = [table_of(alice, bob, pace_days=1) for _table in range(4)]
    monkeypatch.setattr(deadlines, "PART", 2)
    now, others = late(), list[int]()

    def execute(run: Callable[..., Any], sql: str, *more: Any) -> Any:
        """Let another worker run once this one has claimed its part and begins its work."""
        if sql.startswith("SAVEPOINT") and not others:
            others.append(0)
            another_worker(lambda: others.append(services.deadline_check(now=now)))
        return run(sql, *more)

    with connection.execute_wrapper(execute):
        assert services.deadline_check(now=now) == 2
    assert others == [0, 2]
    assert overdue() == len(games)
    assert not connection.in_atomic_block
