"""One step of the load: the busiest hour of this number of people for a while, and its figures."""

import math
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db import DatabaseError, InterfaceError, connection

from games.models import OutboxMail, User, database_clock
from tests.bench import memory
from tests.bench.report import Table, percentile, progress
from tests.support.signed_in import cookies_of

from . import checks
from .faults import Window, cause
from .fill import BLOCK, RUNNING, Club
from .people import BUSY, CHOICES, MOVE, PAGE, PRESENCE, REPLY, Done, People
from .schedule import USUAL, Pace, draw
from .service import Fault, Service

PAGE_SECONDS, EMAIL_SECONDS = 0.5, 10.0  # at the 95th percentile, or the step has not held
SETTLE_SECONDS = 30.0  # for what still waits at the end
RECOVERED_SECONDS = 3.0  # for which nothing waits longer once a fault is over
ANSWERED, HANDED_OVER = "reply until its answer", "move until the next player's email"
OURS = "the load itself"


@dataclass
class Step:
    """times: seconds by what took them, sorted; inf for what was refused. spent: milliseconds of
    processor time by process while the figures were taken. memory: kilobytes after that. late:
    seconds by which requests were sent too late, at the 95th percentile. waiting: emails and
    replies that were due at the end. behind: seconds since the first of them was. windows: the
    faults. moments: (what, when it was due, seconds that it took) of all times."""

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
    windows: list[Window] = field(default_factory=list)
    moments: list[tuple[str, float, float]] = field(default_factory=list)

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

    def tables(self) -> Iterator[Table]:
        """Times and processes; of a step with faults, the worst times during each."""
        if self.windows:
            yield self._worst()
            return
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
        yield times
        yield processes

    def _worst(self) -> Table:
        whats = (PAGE, MOVE, REPLY, ANSWERED, HANDED_OVER)
        head = ("fault", "moves", "refused", *(f"worst {what}" for what in whats))
        table = Table("Faults while people play by page and by reply", head)
        for window in [*self.windows, Window("all", -math.inf)]:
            if window.why_not:
                table.add(window.name, f"NOT RUN: {window.why_not}", *[""] * (len(head) - 2))
                continue
            found: dict[str, list[float]] = {what: [] for what in whats}
            refused = 0
            for what, due, took in self.moments:
                if window.begin <= due < window.end and what in found:
                    refused += math.isinf(took)
                    found[what] += [] if math.isinf(took) else [took]
            worst = [seconds(max(times, default=0.0)) for times in found.values()]
            moves = len(found[MOVE]) + len(found[REPLY])
            table.add(window.name, f"{moves:,}", f"{refused:,}", *worst)
        return table


def seconds(value: float) -> str:
    if math.isinf(value):
        return "no answer"
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.0f} ms"


class Player:
    """Plays steps, and keeps what the checks need of all of them. has_faults: nothing may wait at
    the end. once: no email comes twice. patience: seconds for what still waits at the end."""

    def __init__(self, service: Service, club: Club) -> None:
        self.service, self.club = service, club
        self.has_faults, self.once, self.patience = False, True, SETTLE_SECONDS
        self.moved: set[int] = set()  # games
        self.done = Done()
        self.since = database_clock.now()

    def play(
        self,
        people: int,
        length: float,
        seed: int,
        faults: Mapping[str, Fault] | None = None,
        pace: Pace = USUAL,
    ) -> Step:
        """The busiest hour of the first of these people, for this number of seconds, while these
        faults happen."""
        some = self.club.asked[: people * RUNNING // BLOCK]
        free = [asked for asked in some if asked.game not in self.moved]
        schedule = draw(free, people, length, seed, pace)
        progress(
            f"{people:,} people: {len(schedule.moves):,} moves, {len(schedule.open_pages):,} open pages"
        )
        visitors = {move.asked.user for move in schedule.moves}
        visitors |= {asked.user for asked, _in_front in schedule.open_pages}
        cookies = cookies_of(User.objects.filter(pk__in=visitors))
        step, since = Step(people, length), database_clock.now()
        self.moved |= {move.asked.game for move in schedule.moves}
        crowd = People(cookies, self.service.hosts, self.service.mail_port)
        crowd.start(schedule, length)
        is_over = False
        try:
            self._watch(step, crowd, faults)
            is_over = True
        finally:
            crowd.finish(now=not is_over)
            self.done.accepted |= crowd.done.accepted
            self.done.unknown |= crowd.done.unknown
            self.done.replies |= crowd.done.replies
        self._settle()
        self._count(step, crowd, since)
        return step

    def _watch(self, step: Step, crowd: People, faults: Mapping[str, Fault] | None) -> None:
        """Let the time of the step pass, and take the figures of processes or cause the faults."""
        service = self.service
        service.hold(crowd.begin - time.monotonic())
        if faults:
            step.windows.extend(cause(service, faults, crowd.end, self._has_recovered))
            service.hold(crowd.end - time.monotonic())
            return
        before = self._used()
        service.hold(crowd.end - time.monotonic())
        step.spent = self._used() - before
        step.memory = service.memory()
        step.memory[OURS] = memory.pss(os.getpid())
        step.waiting, step.behind = self._waiting()

    def _used(self) -> Counter[str]:
        """Milliseconds of processor time so far, ours as well."""
        found = self.service.used()
        found[OURS] = round(time.process_time() * 1000)
        return found

    @staticmethod
    def _waiting() -> tuple[int, float]:
        """As `checks.waiting`; (1, inf) while PostgreSQL is away."""
        try:
            return checks.waiting(database_clock.now())
        except (DatabaseError, InterfaceError):
            connection.close()
            return 1, math.inf

    def _has_recovered(self) -> bool:
        return self._waiting()[1] < RECOVERED_SECONDS

    def _settle(self) -> None:
        """Wait until nothing waits any more, or for a while."""
        end = time.monotonic() + self.patience
        while time.monotonic() < end and (self._waiting()[0] or not self._is_sent()):
            self.service.hold(0.5)

    def _is_sent(self) -> bool:
        """Whether no email waits for its next try after a fault."""
        retried = OutboxMail.objects.filter(state__in=checks.UNSENT, attempts__gt=0)
        return not self.has_faults or not retried.exists()

    def _count(self, step: Step, crowd: People, since: datetime) -> None:
        """Fill in the times, of what was due while the figures were taken."""
        moments, answers = step.moments, crowd.done.answers
        arrivals = self.service.arrivals
        moments += [(a.what, a.due, a.took if a.is_expected else math.inf) for a in answers]
        step.refused.update(a.what for a in answers if not a.is_expected and a.due >= crowd.begin)
        late = sorted(
            one.late for one in answers if one.due >= crowd.begin and one.status not in BUSY
        )
        step.late = percentile(late) if late else 0.0
        step.streams = crowd.done.streams
        for due, message_id in crowd.done.replies.values():
            moments.append((ANSWERED, due, arrivals.answers.get(message_id, math.inf) - due))
        dues = {asked.game: due for asked, due in crowd.done.accepted.items()}
        dues |= {asked.game: due for asked, (due, _id) in crowd.done.replies.items()}
        rows = OutboxMail.objects.filter(kind="turn", game__in=dues, created_at__gte=since)
        movers = {move.game: move.user for move in (*crowd.done.accepted, *crowd.done.replies)}
        for game, user, message_id, state, at in rows.values_list(
            "game_id", "user_id", "message_id", "state", "next_try_at"
        ):
            is_now = state == "sent" or (state == "queued" and at <= database_clock.now())
            if user != movers[game] and is_now:
                came = arrivals.times.get(message_id, [math.inf])[0]
                moments.append((HANDED_OVER, dues[game], came - dues[game]))
        found: dict[str, list[float]] = defaultdict(list)
        for what, due, took in moments:
            if due >= crowd.begin:
                found[what].append(took)
        step.times = {what: sorted(times) for what, times in found.items()}

    def wrong(self) -> list[str]:
        """What the checks find after all steps. What still waits is lost only after faults."""
        self._settle()
        replies = {message_id: asked for asked, (_due, message_id) in self.done.replies.items()}
        played, wrong = checks.replies_wrong(replies)
        made = [*self.done.accepted, *(replies[message_id] for message_id in played)]
        moves = [(asked.game, asked.user) for asked in made]
        games = self.moved - {asked.game for asked in self.done.unknown}
        if self.has_faults and (waiting := self._waiting()[0]):
            wrong.append(f"{waiting} emails or replies still wait")
        return [
            *wrong,
            *checks.moves_wrong(moves, games, self.since),
            *checks.emails_wrong(self.service.arrivals.came, once=self.once),
        ]
