"""The processes of test_concurrency: each has its own connection, as the app role.

A racer works through rounds; barriers make all of them read the same position and then act at
the same moment. What each one got is handed back for the test to judge.
"""

import multiprocessing as mp
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.synchronize import Barrier
from typing import Any

import django

django.setup()

from django.db import connection, transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from games import services  # noqa: E402
from games.log import event_store, table_events  # noqa: E402
from games.mail import outbox  # noqa: E402
from games.models import Game, Message, OutboxMail, User  # noqa: E402
from games.rules.errors import MoveError  # noqa: E402
from tests.support.bots import bot_choice  # noqa: E402

PATIENCE = 120  # seconds that one waits for the others
FORKS = mp.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])  # Django takes a while to wake up


@dataclass(frozen=True)
class Try:
    """The result of one racer in one round. outcome: "played", "repeated", "moved" or "refused"."""

    racer: int
    game: int
    version: int
    command: Any
    outcome: str
    result: Any = None


Racer = Callable[..., list[Try]]


class Racers:
    """Processes that wait for work; started once for all tests of a module.

    Their environment is that of the moment in which the first ones of a test process start.
    """

    def __init__(self, most: int) -> None:
        self.results: Any = FORKS.Queue()
        self.inboxes: list[Any] = [FORKS.Queue() for _racer in range(most)]
        # Kept here as well: a barrier is gone for all when the process that made it forgets it.
        self.barriers = {s: FORKS.Barrier(s, timeout=PATIENCE) for s in range(2, most + 1)}
        self.processes = [
            FORKS.Process(
                target=_run, args=(number, inbox, self.barriers, self.results), daemon=True
            )
            for number, inbox in enumerate(self.inboxes)
        ]
        for process in self.processes:
            process.start()

    def race(self, work: Racer, *args: Any, racers: int) -> list[Try]:
        """Let this number of processes do this work at once; everything they tried."""
        for inbox in self.inboxes[:racers]:
            inbox.put((work, racers, args))
        assert all(process.is_alive() for process in self.processes)
        found = [self.results.get(timeout=PATIENCE) for _racer in range(racers)]
        errors = [error for _number, _tries, error in found if error is not None]
        assert not errors, "\n".join(errors)
        return [one for _number, tries, _error in sorted(found, key=_first) for one in tries]

    def stop(self) -> None:
        """Send them home and wait until they are gone."""
        for inbox in self.inboxes:
            inbox.put(None)
        for process in self.processes:
            process.join(timeout=PATIENCE)


def _first(found: tuple[int, list[Try], str | None]) -> int:
    return found[0]


def _run(number: int, inbox: Any, barriers: dict[int, Barrier], results: Any) -> None:
    """One process: whatever happens in it reaches the test, an error as its traceback."""
    while (task := inbox.get()) is not None:
        work, racers, args = task
        try:
            results.put((number, work(number, barriers[racers], *args), None))
        except BaseException:  # noqa: BLE001 (the test reads it)
            barriers[racers].abort()
            results.put((number, [], traceback.format_exc()))
        finally:
            connection.close()


# -- what they do ------------------------------------------------------------------------------


def play_games(number: int, barrier: Barrier, games: list[int], most: int) -> list[Try]:
    """Play these games to their end, at most `most` rounds: in even rounds all racers send the
    same move (two tabs, a double click), in odd ones each its own (two devices)."""
    tries: list[Try] = []
    for game_id in games:
        while len(tries) < most:
            barrier.wait()
            game = Game.objects.get(pk=game_id)
            if game.status != Game.Status.RUNNING:
                break
            seat, command = _choice(game, 0 if len(tries) % 2 == 0 else number)
            user = game.seats.get(number=seat).user
            barrier.wait()
            try:
                played = services.game_play(
                    game_id=game_id,
                    user=user,  # type: ignore[arg-type]
                    seat=seat,
                    command=command,
                    version=game.version,
                    note=f"from {number}",
                )
                outcome = "repeated" if played.repeated else "played"
                tries.append(Try(number, game_id, game.version, command, outcome, played))
            except services.GameMoved:
                tries.append(Try(number, game_id, game.version, command, "moved"))
    return tries


def _choice(game: Game, number: int) -> tuple[int, Any]:
    log = event_store.load(game)
    seat = log.projection.to_act[0]
    if number == 0:
        return seat, bot_choice(log, seat)
    commands = list(log.engine.rules.legal_commands(log.state, seat))
    return seat, commands[number % len(commands)]


def append_unlocked(number: int, barrier: Barrier, game_id: int, rounds: int) -> list[Try]:
    """Append at the same version with no lock at all: only the primary key stands between."""
    tries: list[Try] = []
    for _round in range(rounds):
        barrier.wait()
        log = event_store.load(Game.objects.get(pk=game_id))
        barrier.wait()
        event = table_events.Paused()
        try:
            with transaction.atomic():
                event_store.append(
                    Game.objects.get(pk=game_id), log.version, [event, event], digest=log.digest
                )
            outcome = "played"
        except event_store.VersionConflict:
            outcome = "moved"
        tries.append(Try(number, game_id, log.version, None, outcome))
    return tries


def join_tables(number: int, barrier: Barrier, games: list[int], users: list[int]) -> list[Try]:
    """Everybody wants a seat at every table, twice."""
    user, tries = User.objects.get(pk=users[number]), []
    for game_id in games:
        barrier.wait()
        for _click in range(2):
            try:
                seat = services.game_join(game_id=game_id, user=user)
                tries.append(Try(number, game_id, 0, None, "played", seat.number))
            except services.ServiceError:
                tries.append(Try(number, game_id, 0, None, "refused"))
    return tries


def play_bots(number: int, barrier: Barrier, games: list[int]) -> list[Try]:
    """Several workers are woken for the same bots."""
    tries = []
    for game_id in games:
        barrier.wait()
        moves = services.game_play_bots(game_id=game_id)
        tries.append(Try(number, game_id, 0, None, "played", moves))
    return tries


def look_at_clocks(number: int, barrier: Barrier, days: list[int]) -> list[Try]:
    """Several beats sweep at once."""
    tries = []
    for day in days:
        barrier.wait()
        now = timezone.now() + timedelta(days=day)
        noted = services.deadline_check(now=now)
        reminded = services.reminders_due(now=now)
        tries.append(Try(number, 0, day, None, "played", (noted, reminded)))
    return tries


def ask_for_rematch(number: int, barrier: Barrier, games: list[int], users: list[int]) -> list[Try]:
    """Everybody who played asks for a rematch at once."""
    user, tries = User.objects.get(pk=users[number]), []
    for game_id in games:
        barrier.wait()
        again = services.game_rematch(game_id=game_id, by=user)
        tries.append(Try(number, game_id, 0, None, "played", again.pk))
    return tries


def vote_move_and_write(
    number: int, barrier: Barrier, games: list[int], people: list[int], times: int
) -> list[Try]:
    """At each table, some answer the vote, while others move, write, ask for another vote, sweep
    votes and send emails."""
    user = User.objects.get(pk=people[number % len(people)])
    acts: list[Callable[[Game, User], Any]] = [_agree] * 6 + [_move] * 3 + [_write] * 6
    acts += [_disagree, _ask, _sweep_votes, _send_emails, _send_emails]
    act, tries = acts[number % len(acts)], []
    for game_id in games:
        barrier.wait()
        for _time in range(times):
            game = Game.objects.get(pk=game_id)
            try:
                result = act(game, user)
                tries.append(Try(number, game_id, game.version, None, "played", result))
            except (services.ServiceError, MoveError):
                tries.append(Try(number, game_id, game.version, None, "refused"))
    return tries


def send_emails(number: int, barrier: Barrier) -> list[Try]:
    """Several workers send what waits, as if all of it were due."""
    barrier.wait()
    _send_emails(None, None)
    return []


def _agree(game: Game, user: User) -> None:
    _answer(game, user, agrees=True)


def _disagree(game: Game, user: User) -> None:
    _answer(game, user, agrees=False)


def _answer(game: Game, user: User, *, agrees: bool) -> None:
    if (vote := event_store.load(game).vote) is not None:
        services.vote_answer(game_id=game.pk, user=user, vote=vote.seq, agrees=agrees)


def _ask(game: Game, user: User) -> None:
    services.vote_open(game_id=game.pk, user=user, about="take_back")


def _sweep_votes(_game: Game, _user: User) -> None:
    services.votes_due(now=timezone.now() + timedelta(days=10))


def _move(game: Game, _user: User) -> None:
    if game.status == Game.Status.RUNNING:
        seat, command = _choice(game, 0)
        user = game.seats.get(number=seat).user
        assert user is not None
        services.game_play(
            game_id=game.pk, user=user, seat=seat, command=command, version=game.version
        )


def _write(game: Game, user: User) -> int:
    message = services.message_write(game_id=game.pk, user=user, text="Hello")
    text = f"Message {message.pk} of {user.display_name}"
    then = message.at - timedelta(hours=1)  # it can be emailed now
    Message.objects.filter(pk=message.pk).update(text=text, at=then)
    return message.pk


def _send_emails(_game: Game | None, _user: User | None) -> None:
    waiting = OutboxMail.objects.select_for_update(skip_locked=True).filter(state="queued")
    with transaction.atomic():
        OutboxMail.objects.filter(pk__in=list(waiting.values_list("pk", flat=True))).update(
            next_try_at=timezone.now() - timedelta(seconds=1)
        )
    outbox.drain()
