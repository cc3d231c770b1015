"""One step of the load: the busiest hour of this number of people for a while, and its figures."""

import asyncio
import math
import os
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from asgiref.sync import sync_to_async

from games.models import OutboxMail, User, database_clock
from tests.bench import memory, processor
from tests.bench.report import Table, percentile, progress
from tests.support.signed_in import cookies_of

from . import checks
from .fill import BLOCK, RUNNING, Club
from .people import CHOICES, MOVE, PAGE, PRESENCE, REPLY, Done, People
from .schedule import WARM_UP, Schedule, draw
from .sink import Sink

PAGE_SECONDS, EMAIL_SECONDS = 0.5, 10.0  # at the 95th percentile, or the step has not held
SETTLE_SECONDS = 30.0  # for what still waits at the end
ANSWERED, HANDED_OVER = "reply until its answer", "move until the next player's email"
OURS = "the load itself"


@dataclass
class Step:
    """times: seconds by what took them, sorted; inf for what was refused. spent: milliseconds of
    processor time by process while the figures were taken. memory: kilobytes after that. late:
    seconds by which requests were sent too late, at the 95th percentile. waiting: emails and
    replies that were due at the end. behind: seconds since the first of them was."""

    people: int
    seconds: float
    times: dict[str, list[float]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    spent: Counter[str] = field(default_factory=Counter)
    memory: Counter[str] = field(default_factory=Counter)
    streams: int = 0
    late: float = 0.0
    behind: float = 0.0
    waiting: int = 0

    @property
    def has_held(self) -> bool:
        """Whether pages and emails were in time."""
        return (
            self.at(PAGE) <= PAGE_SECONDS
            and self.at(HANDED_OVER) <= EMAIL_SECONDS
            and self.behind <= EMAIL_SECONDS
        )

    @property
    def moves(self) -> int:
        """Moves that were due, by page and by reply."""
        return len(self.times.get(MOVE, ())) + len(self.times.get(REPLY, ()))

    def at(self, what: str, share: float = 0.95) -> float:
        """A percentile of these times, 0 if there are none."""
        times = self.times.get(what)
        return percentile(times, share) if times else 0.0

    def busy(self, *, ours: bool = False) -> float:
        """The share of all processors that the service used, or the load itself."""
        spent = self.spent[OURS] if ours else self.spent.total() - self.spent[OURS]
        return spent / 1000 / self.seconds / len(os.sched_getaffinity(0))

    def tables(self) -> tuple[Table, Table]:
        """(times, processes)."""
        title = f"{self.people:,} people, {self.seconds:.0f} seconds of their busiest hour"
        times = Table(title, ("", "number", "median", "95th percentile", "99th", "refused"))
        for what in (PAGE, CHOICES, PRESENCE, MOVE, REPLY, ANSWERED, HANDED_OVER):
            found = self.times.get(what, [])
            cells = [seconds(self.at(what, share)) if found else "" for share in (0.5, 0.95, 0.99)]
            times.add(what, f"{len(found):,}", *cells, str(self.refused[what]))
        head = ("process", "memory (PSS)", "of one processor", "processor time for each move")
        processes = Table("The processes", head)
        for name, spent in self.spent.most_common():
            share = f"{spent / 10 / self.seconds:.1f} %"
            each = f"{spent / self.moves:.1f} ms" if self.moves else ""
            processes.add(name, f"{self.memory[name] / 1024:.0f} MB", share, each)
        return times, processes


def seconds(value: float) -> str:
    if math.isinf(value):
        return "no answer"
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.0f} ms"


class Service(NamedTuple):
    """pid: of the supervisor. mail_port: of its listener."""

    pid: int
    mail_port: int
    sink: Sink

    def used(self) -> Counter[str]:
        """Milliseconds of processor time so far, ours as well."""
        found = processor.used(self.pid)
        found[OURS] = processor.used(os.getpid()).total() - found.total()
        return found


class Player:
    """Plays steps, and keeps what the checks need of all of them."""

    def __init__(self, service: Service, club: Club) -> None:
        self.service, self.club = service, club
        self.moved: set[int] = set()  # games
        self.done = Done()
        self.arrivals: dict[str, list[float]] = defaultdict(list)  # by Message-ID
        self.answers: dict[str, float] = {}  # by the Message-ID that they answer
        self.since = database_clock.now()

    def play(self, people: int, length: float, seed: int) -> Step:
        """The busiest hour of the first of these people, for this number of seconds."""
        some = self.club.asked[: people * RUNNING // BLOCK]
        free = [asked for asked in some if asked.game not in self.moved]
        schedule = draw(free, people, length, seed)
        progress(
            f"{people:,} people: {len(schedule.moves):,} moves, {len(schedule.open_pages):,} open pages"
        )
        visitors = {move.asked.user for move in schedule.moves}
        visitors |= {asked.user for asked, _in_front in schedule.open_pages}
        crowd = People(cookies_of(User.objects.filter(pk__in=visitors)), self.service.mail_port)
        step, since = Step(people, length), database_clock.now()
        asyncio.run(self._run(crowd, schedule, step))
        self._settle()
        self.moved |= {move.asked.game for move in schedule.moves}
        self._count(step, crowd, since)
        self.done.accepted |= crowd.done.accepted
        self.done.replies |= crowd.done.replies
        return step

    async def _run(self, crowd: People, schedule: Schedule, step: Step) -> None:
        playing = asyncio.ensure_future(crowd.play(schedule, step.seconds))
        await asyncio.sleep(WARM_UP)
        before = self.service.used()
        await asyncio.sleep(step.seconds)
        step.spent = self.service.used() - before
        step.memory, _number = memory.used_by(self.service.pid)
        step.memory[OURS] = memory.pss(os.getpid()) + memory.pss(self.service.sink.pid)
        now = await sync_to_async(database_clock.now)()
        step.waiting, step.behind = await sync_to_async(checks.waiting)(now)
        await playing

    def _settle(self) -> None:
        """Wait until nothing waits any more, or for a while."""
        end = time.monotonic() + SETTLE_SECONDS
        while time.monotonic() < end and checks.waiting(database_clock.now())[0]:
            time.sleep(0.5)
        self._came()

    def _came(self) -> Counter[str]:
        """How often each Message-ID has come."""
        for arrival in self.service.sink.arrivals():
            self.arrivals[arrival.message_id].append(arrival.at)
            self.answers.setdefault(arrival.answers, arrival.at)
        return Counter({name: len(times) for name, times in self.arrivals.items()})

    def _count(self, step: Step, crowd: People, since: datetime) -> None:
        """Fill in the times, of what was due while the figures were taken."""
        found: dict[str, list[float]] = defaultdict(list)
        answers = [one for one in crowd.done.answers if one.due >= crowd.begin]
        for one in answers:
            found[one.what].append(one.took if one.is_expected else math.inf)
            step.refused[one.what] += not one.is_expected
        late = sorted(one.late for one in answers)
        step.late = percentile(late) if late else 0.0
        step.streams = crowd.done.streams
        for due, message_id in crowd.done.replies.values():
            if due >= crowd.begin:
                found[ANSWERED].append(self.answers.get(message_id, math.inf) - due)
        dues = {asked.game: due for asked, due in crowd.done.accepted.items()}
        dues |= {asked.game: due for asked, (due, _id) in crowd.done.replies.items()}
        rows = OutboxMail.objects.filter(kind="turn", game__in=dues, created_at__gte=since)
        movers = {move.game: move.user for move in (*crowd.done.accepted, *crowd.done.replies)}
        for game, user, message_id, state, at in rows.values_list(
            "game_id", "user_id", "message_id", "state", "next_try_at"
        ):
            is_now = state == "sent" or (state == "queued" and at <= database_clock.now())
            if dues[game] >= crowd.begin and user != movers[game] and is_now:
                came = self.arrivals.get(message_id, [math.inf])[0]
                found[HANDED_OVER].append(came - dues[game])
        step.times = {what: sorted(times) for what, times in found.items()}

    def wrong(self) -> list[str]:
        """What the checks find after all steps. What still waits is not lost."""
        self._settle()
        replies = {message_id: asked for asked, (_due, message_id) in self.done.replies.items()}
        played, wrong = checks.replies_wrong(replies)
        made = [*self.done.accepted, *(replies[message_id] for message_id in played)]
        moves = [(asked.game, asked.user) for asked in made]
        return [
            *wrong,
            *checks.moves_wrong(moves, self.moved, self.since),
            *checks.emails_wrong(self._came),
        ]
