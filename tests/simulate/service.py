"""Tables of the real service: its services, its database, and one injected clock for both beats.

The clock goes from one event to the next: a move, a reminder or a deadline that is due, an absence, a
journey, an outage, a moderator. The recurring tasks run twice each time, as from two beats, and now and
then with a clock that was set back by an hour.
"""

import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from random import Random
from unittest.mock import patch

import time_machine
from django.db.models import Min
from django.test import override_settings
from django.utils import timezone, translation

from games import services
from games.log import event_store
from games.log.game_log import Log
from games.mail import kinds
from games.mail.relevance import check_before_send
from games.mail.snapshot import Snapshots
from games.management.commands.verify import verify_games
from games.models import Game, Heartbeat, OutboxMail, Seat, User, database_clock
from games.selectors.deadlines import deadline_steps
from games.services import ServiceError, quotas
from tests.support.luck import TOKEN_BYTES

from .people import BEGIN, DAY, HOUR, PEOPLE, Person, population
from .pure import POLICIES, YEAR, Findings, outages_of

MINUTE = timedelta(minutes=1)
KINDS = ("atlantis", "escape")
Key = tuple[int, int, int]  # game, seat, the event that asked


@contextmanager
def at_once() -> Iterator[time_machine.Traveller]:
    """One clock, which stands still until it is moved, and no limits."""
    with (
        time_machine.travel(BEGIN, tick=False) as traveller,
        patch.object(database_clock, "now", lambda: datetime.now(UTC)),
        override_settings(QUOTAS=dict.fromkeys(quotas.REGISTRY, 10**9)),
    ):
        yield traveller


class Service:
    """Some tables for some time. Needs an empty database and `at_once`."""

    def __init__(
        self, clock: time_machine.Traveller, *, tables: int, length: timedelta, seed: int
    ) -> None:
        self.clock, self.found, self.chance = clock, Findings(), Random(f"service:{seed}")
        self.end, self.tables = BEGIN + length, tables
        self.people = population(Random(seed))[: min(PEOPLE, 8 * tables)]
        self.outages = [one for one in outages_of(Random(seed)) if one.end < self.end]
        self.users = {person.number: self._user(person) for person in self.people}
        self.person_of = {user.pk: self.people[n] for n, user in self.users.items()}
        self.mona = User.objects.create_user(
            "mona@example.org", display_name="Mona", is_staff=True, is_superuser=True
        )
        self.plans: list[tuple[datetime, int, str, tuple[int, ...]]] = []
        self.number = count()
        self.planned: set[Key] = set()
        self.due: dict[Key, datetime] = {}
        self.told: dict[Key, datetime] = {}
        self.reminded: set[tuple[int, int, int, str, datetime]] = set()

    def _user(self, person: Person) -> User:
        quiet = person.quiet
        return User.objects.create_user(
            f"p{person.number}@example.org",
            display_name=f"P{person.number}",
            time_zone=person.zone(BEGIN).key,
            quiet_from=quiet.start if quiet else None,
            quiet_until=quiet.end if quiet else None,
            remind_half="half" in person.wanted,
            remind_day="day" in person.wanted,
            remind_last="last" in person.wanted,
        )

    # -- what happens when --------------------------------------------------------------------

    def _plan(self, at: datetime, what: str, *keys: int) -> None:
        heapq.heappush(self.plans, (at, next(self.number), what, keys))

    def run(self) -> Findings:
        """Play, then check that all games are in order."""
        Heartbeat.objects.create(name=Heartbeat.SERVICE, at=BEGIN)
        for _table in range(self.tables):
            self._new_table()
        for person in self.people:
            for at in person.changes:
                if BEGIN < at < self.end:
                    self._plan(at, "calendar", person.number)
        for outage in self.outages:
            self._plan(outage.start, "outage")
        day = BEGIN
        while (day := day + DAY) < self.end:
            self._plan(day + self.chance.random() * DAY, "moderator")
        while (now := self._next()) < self.end:
            self.clock.move_to(now)
            Heartbeat.objects.filter(name=Heartbeat.SERVICE).update(at=now - MINUTE)
            while self.plans and self.plans[0][0] <= now:
                _at, _number, what, keys = heapq.heappop(self.plans)
                self._do(what, keys)
            self._beats(database_clock.now())
            self._look()
        self._check_the_end()
        return self.found

    def _next(self) -> datetime:
        running = Seat.objects.filter(game__status=Game.Status.RUNNING)
        open_ones = running.filter(overdue=False).aggregate(at=Min("due_at"))["at"]
        reminder = running.filter(due_at__isnull=False).aggregate(at=Min("remind_at"))["at"]
        moments = [at for at in (open_ones, reminder) if at is not None]
        moments += [self.plans[0][0]] if self.plans else []
        return max(min(moments, default=self.end), database_clock.now() + timedelta(seconds=1))

    def _do(self, what: str, keys: tuple[int, ...]) -> None:
        now = database_clock.now()
        try:
            match what, keys:
                case "move", (game, seat, asked):
                    self._move(game, seat, asked)
                case "calendar", (number,):
                    self._person_changes(self.people[number], now)
                case "outage", ():
                    outage = next(one for one in self.outages if one.end > now)
                    # No process runs during the outage; the first beat after it finds an old mark.
                    Heartbeat.objects.filter(name=Heartbeat.SERVICE).update(at=outage.start)
                    self.clock.move_to(outage.end)
                    self.found.counts["outages"] += 1
                case "moderator", ():
                    self._moderate()
                case "back", (game, pk):
                    services.seat_take_back(game_id=game, user=User.objects.get(pk=pk))
                    self.found.counts["seats taken back"] += 1
                case "table", ():
                    self._new_table()
        except ServiceError:
            self.found.counts["actions that were refused"] += 1

    def _beats(self, now: datetime) -> None:
        """The recurring tasks, twice; once in a while after a step of the clock back."""
        moments = [now, now]
        if self.chance.random() < 0.05:
            moments.insert(1, now - HOUR)
        for moment in moments:
            if services.in_service(now=moment):
                services.outages_apply(now=moment)
                services.deadline_check(now=moment)
            services.reminders_due(now=moment)
        for game in services.bots_waiting():
            services.bots_play(game_id=game)

    # -- people -------------------------------------------------------------------------------

    def _new_table(self) -> None:
        chance = self.chance
        host, *others = chance.sample(self.people, chance.randint(2, 4))
        with patch(TOKEN_BYTES, lambda size: chance.randbytes(size)):
            game = self._create(host, others, chance)
        for other in others:
            services.game_join(game_id=game.pk, user=self.users[other.number])
        self.found.counts["games"] += 1

    def _create(self, host: Person, others: list[Person], chance: Random) -> Game:
        return services.game_create(
            host=self.users[host.number],
            kind=chance.choice(KINDS),
            name="Simulated",
            seat_count=len(others) + 1,
            pace_days=chance.choice((0, 1, 2, 3, 5, 7, 14)),
            bank_days=chance.choice((0, 0, 1, 3, 7)),
            bank_returns=chance.random() < 0.5,
            weekends_off=chance.random() < 0.3,
            timeout_policy=chance.choice(POLICIES),
        )

    def _move(self, game_id: int, seat: int, asked: int) -> None:
        row = Seat.objects.select_related("game", "user").get(game=game_id, number=seat)
        if row.asked_seq != asked or row.user is None or row.game.status != Game.Status.RUNNING:
            return
        log = event_store.load(row.game)
        legal = islice(log.engine.rules.legal_commands(log.state, seat), 30)
        services.game_play(
            game_id=game_id,
            user=row.user,
            seat=seat,
            command=self.chance.choice(list(legal)),
            version=log.version,
        )
        self.found.counts["moves"] += 1

    def _person_changes(self, person: Person, now: datetime) -> None:
        user = User.objects.get(pk=self.users[person.number].pk)
        if user.time_zone != person.zone(now).key:
            user.time_zone = person.zone(now).key
            user.save(update_fields=["time_zone"])
            self.found.counts["journeys"] += 1
        for holiday in person.holidays:
            if now - MINUTE < holiday.entered_at <= now:
                services.absence_enter(user=user, first=holiday.first, last=holiday.last, now=now)
                self.found.counts["absences"] += 1
            if holiday.back_at is not None and now - MINUTE < holiday.back_at <= now:
                services.absence_end(user=user, first=holiday.first, now=now)

    def _moderate(self) -> None:
        running = Game.objects.filter(status__in=(Game.Status.RUNNING, Game.Status.PAUSED))
        games = list(running.order_by("pk"))
        if not games or self.chance.random() > 0.3:
            return
        game = self.chance.choice(games)
        by = {"game_id": game.pk, "by": self.mona, "reason": "Simulated"}
        if game.status == Game.Status.PAUSED:
            services.moderate_resume(**by)  # type: ignore[arg-type]  # as named
            return
        match self.chance.choice(("pause", "extend", "excuse", "bot")):
            case "pause":
                services.moderate_pause(**by)  # type: ignore[arg-type]  # as named
            case "extend":
                services.moderate_extend(**by, days=2)  # type: ignore[arg-type]  # as named
            case "excuse":
                services.moderate_excuse(**by, seat=0)  # type: ignore[arg-type]  # as named
            case "bot":
                late = game.seats.filter(overdue=True).first()
                if late is not None:
                    services.moderate_play_bot(**by, seat=late.number)  # type: ignore[arg-type]  # as named
        self.found.counts["actions of moderators"] += 1

    # -- what was promised --------------------------------------------------------------------

    def _look(self) -> None:
        """Compare what changed with what was known, and plan what people do next."""
        now = database_clock.now()
        self._read_emails(now)
        changed = Seat.objects.filter(game__last_event_at__gte=now - MINUTE)
        for seat in changed.select_related("game"):
            self._look_at(seat, now)
        over = Game.objects.filter(status__in=(Game.Status.FINISHED, Game.Status.ABORTED))
        for _game in over.filter(last_event_at__gte=now - MINUTE, name="Simulated"):
            self.found.counts["games finished"] += 1
            Game.objects.filter(pk=_game.pk).update(name="Over")
            self._plan(now + HOUR, "table")

    def _look_at(self, seat: Seat, now: datetime) -> None:
        if seat.open_since is not None and seat.game.status == Game.Status.RUNNING:
            self._others_come(seat)
        elif seat.is_bot and self.chance.random() < 0.3:
            lost = event_store.load(seat.game).lost_by(seat.number)
            person = self.person_of.get(lost or 0)
            if lost is not None and person is not None and person.gone_at is None:
                self._plan(now + DAY, "back", seat.game_id, lost)
        if seat.asked_seq is None or seat.user_id is None:
            return
        key = seat.game_id, seat.number, seat.clock_seq or 0
        if seat.due_at is not None:
            before = self.due.get(key, seat.due_at)
            if seat.due_at < before:
                self.found.counts["deadlines moved to earlier"] += 1
                self.found.faults.append(f"{key}: {before} became {seat.due_at}")
            self.found.counts["deadlines moved"] += seat.due_at > before
            self.due[key] = seat.due_at
        asked = seat.game_id, seat.number, seat.asked_seq
        if (*asked[:2], seat.clock_seq or 0) not in self.planned:
            self.planned.add(key)
            person = self.person_of[seat.user_id]
            at = self._moves_at(person, now, seat)
            if at is not None:
                self._plan(at, "move", *asked)

    def _others_come(self, seat: Seat) -> None:
        if self.chance.random() < 0.3:
            user = self.chance.choice(list(self.users.values()))
            try:
                services.seat_take_over(game_id=seat.game_id, user=user, seat=seat.number)
                self.found.counts["seats taken over"] += 1
            except ServiceError:
                self.found.counts["actions that were refused"] += 1

    def _moves_at(self, person: Person, now: datetime, seat: Seat) -> datetime | None:
        if person.gone_at is not None and person.gone_at <= now:
            return None
        pace = seat.game.pace
        late = self.chance.random() < person.late
        hours = 3 * pace if late else min(person.typical * HOUR, 0.6 * pace)
        at: datetime = now + self.chance.uniform(0.1, 1.6) * hours
        for away in person.absences(at):
            if away.start <= at < away.end:
                at = away.end + self.chance.uniform(0, 0.3) * pace
        return at

    def _read_emails(self, now: datetime) -> None:
        """Check each email as it would be sent now, and take it out of the queue."""
        queued = OutboxMail.objects.filter(state=OutboxMail.State.QUEUED, created_at__lte=now)
        for row in queued.select_related("game", "user").order_by("pk"):
            self.found.counts["emails"] += 1
            if row.kind in ("turn", "reminder") and check_before_send(row) == kinds.SEND:
                self._read_email(row, now)
        queued.update(state=OutboxMail.State.SENT, sent_at=now)

    def _read_email(self, row: OutboxMail, now: datetime) -> None:
        assert row.game is not None and row.user is not None and row.seat is not None
        seat = Seat.objects.select_related("game", "user").get(game=row.game, number=row.seat)
        if seat.due_at is None or seat.asked_seq is None:
            return
        which = row.context.get("which")
        key = seat.game_id, seat.number, seat.clock_seq or 0
        told = self.told.get(key)
        self.told[key] = seat.due_at
        if which == "late":
            self.found.counts["daily reminders"] += 1
            return
        if which is not None:
            self.found.counts["reminders"] += 1
            if now > seat.due_at:
                self.found.faults.append(f"{seat}: a reminder after the deadline, at {now}")
            once = seat.game_id, seat.number, seat.asked_seq, which, now
            if once[:4] in {known[:4] for known in self.reminded if known[0] == seat.game_id}:
                self.found.faults.append(f"{seat}: {which} came twice, at {now}")
            self.reminded.add(once)
            if told is not None and told != seat.due_at:
                self._check_that_it_is_named(row, told, seat.due_at)
        self._check_the_sum(event_store.load(seat.game), seat)

    def _check_that_it_is_named(self, row: OutboxMail, told: datetime, due: datetime) -> None:
        """The email about a deadline that moved since the email before says why."""
        assert row.user is not None
        self.found.counts["emails about a deadline that moved"] += 1
        if due < told:
            self.found.faults.append(f"an email says {due} after {told}")
        with translation.override("en"), timezone.override(row.user.zone):
            content = kinds.get(row.kind).content(row, Snapshots())
        if not content.context["why_then"]:
            self.found.faults.append(f"an email says {due} after {told} without a reason")

    def _check_the_sum(self, log: Log, seat: Seat) -> None:
        if seat.clock_seq is None or seat.due_at is None:
            return
        moved = sum(step.seconds for step in deadline_steps(log, seat))
        start = next(entry.at for entry in log.entries if entry.seq == seat.clock_seq)
        rest = seat.due_at - timedelta(seconds=moved) - start
        if rest <= timedelta():
            self.found.faults.append(f"{seat}: {seat.due_at} is not explained by the log")

    # -- the end ------------------------------------------------------------------------------

    def _check_the_end(self) -> None:
        """Every game is over or waits for somebody, and rows and logs agree."""
        now = database_clock.now()
        for game in Game.objects.filter(status=Game.Status.RUNNING).prefetch_related("seats"):
            asked = [seat for seat in game.seats.all() if seat.asked_seq is not None]
            waits = [seat for seat in asked if seat.user_id is not None]
            if any(seat.overdue for seat in waits):
                self.found.counts["tables that wait for a late player by their policy"] += 1
                if game.timeout_policy != Game.TimeoutPolicy.WAIT:
                    self.found.faults.append(f"{game.pk} waits, which is not its policy")
            elif all(seat.due_at is not None and seat.due_at >= now - MINUTE for seat in waits):
                self.found.counts["tables in a game at the end"] += 1
            if not waits:
                self.found.faults.append(f"nobody is asked in {game.pk}")
        keys = list(Game.objects.values_list("pk", flat=True))
        for public_id, _version, faults in verify_games(keys):
            self.found.faults += [f"{public_id}: {fault}" for fault in faults]
        self.found.counts["games verified"] += len(keys)


def run(*, tables: int, length: timedelta = YEAR, seed: int = 1) -> Findings:
    """This many tables for this long."""
    with at_once() as clock:
        found = Service(clock, tables=tables, length=length, seed=seed).run()
    found.counts["table-days in PostgreSQL"] += tables * length // DAY
    return found
