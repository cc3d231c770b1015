"""Tables of the real service: its services, its database, and one injected clock for both beats.

The clock goes from one event to the next: a move, a reminder, a deadline or an email that is due,
an absence, a journey, an outage, a moderator, a mail server that is away. The recurring tasks run
twice each time that something is due, as from two beats, and now and then with a clock that was set
back by an hour, or with nothing to do.
"""

import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count, islice
from random import Random
from unittest.mock import patch

import time_machine
from django.db import transaction
from django.test import override_settings

from games import services
from games.log import event_store
from games.mail import reply_addresses
from games.mail.transport_state import Lane
from games.models import (
    Game,
    Heartbeat,
    InboundMail,
    OutboxMail,
    Seat,
    TableSettings,
    User,
    database_clock,
)
from games.services import ServiceError, quotas
from games.services.locked_game import LockedGame
from tests.fixtures.clock import still
from tests.support.game_seeds import TOKEN_BYTES

from .due import next_due
from .mailboxes import ABSENT, BACK, MailServer, Replies, closings_of
from .people import BEGIN, DAY, HOUR, PEOPLE, Holiday, Person, population
from .promises import MINUTE, Clock, Promises
from .pure import POLICIES, YEAR, Findings, outages_of

KINDS = ("atlantis", "escape")
LANGUAGES = ("en", "de", "fr")
SECOND = timedelta(seconds=1)


@contextmanager
def at_once() -> Iterator[time_machine.Traveller]:
    """One clock, which stands still until it is moved, and no limits."""
    with (
        still(BEGIN) as traveller,
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
        self.planned: set[Clock] = set()
        self.promises, self.replies = Promises(self.found), Replies(self.found)
        self.mail = MailServer(Random(f"mail:{seed}"), self.found)
        self.is_closed = False  # for bulk email
        self.over: set[int] = set()
        self.closings = closings_of(Random(f"closings:{seed}"), self.end)

    def _user(self, person: Person) -> User:
        quiet = person.quiet
        return User.objects.create_user(
            f"p{person.number}@example.org",
            display_name=f"P{person.number}",
            time_zone=person.zone(BEGIN).key,
            language=LANGUAGES[person.number % len(LANGUAGES)],
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
        for away, back in self.closings:
            self._plan(away, "server", 1)
            self._plan(back, "server", 0)
        day = BEGIN
        while (day := day + DAY) < self.end:
            self._plan(day + self.chance.random() * DAY, "moderator")
        with self.mail.at_work():
            while self._step():
                pass
        self.promises.check_the_end()
        return self.found

    def _step(self) -> bool:
        """Go to the next moment and do what happens then; False at the end."""
        was_closed, now = self.is_closed, database_clock.now()
        works, emails, self.is_closed = next_due(now)
        plan = self.plans[0][0] if self.plans else self.end
        now = max(min([plan, *works, *emails.values()]), now + SECOND)
        if now >= self.end:
            return False
        self.clock.move_to(now)
        is_changing = self.is_closed or was_closed
        if not is_changing:  # beats have come until now; in a closing the mark stays
            Heartbeat.objects.filter(name=Heartbeat.SERVICE).update(at=now - MINUTE)
        is_due, has_plans = is_changing or min(works, default=self.end) <= now, plan <= now
        while self.plans and self.plans[0][0] <= now:
            _at, _number, what, keys = heapq.heappop(self.plans)
            is_due = is_due or what not in ("move", "calendar", "beat")
            self._do(what, keys)
        if is_due or self.chance.random() < 0.1:
            self._beats(database_clock.now())
        if is_due or has_plans:
            for game in services.bots_waiting():
                services.game_play_bots(game_id=game)
        lanes = {lane for lane, at in emails.items() if at <= now}
        self._look(lanes, only_emails=not (is_due or has_plans))
        if self.is_closed:  # the server may have taken an email again
            self._plan(now + MINUTE, "beat")
        return True

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
                    mark = Heartbeat.objects.filter(name=Heartbeat.SERVICE, at__gt=outage.start)
                    mark.update(at=outage.start)
                    self.clock.move_to(max(outage.end, now))
                    self.found.counts["outages"] += 1
                case "server", (is_away,):
                    self.mail.is_away = bool(is_away)
                    self.found.counts["closings of the mail server"] += is_away
                case "moderator", ():
                    self._moderate()
                case "back", (game, pk):
                    self._take_back(game, User.objects.get(pk=pk))
                case "undo", (game, seat):
                    self._undo(game, seat)
                case "roll back", (game,):
                    self._roll_back(Game.objects.get(pk=game))
                case "hand back", (game, seat, pk):
                    self._hand(Game.objects.get(pk=game), seat, User.objects.get(pk=pk))
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
            settings=TableSettings(
                seat_count=len(others) + 1,
                pace_days=chance.choice((0, 1, 2, 3, 5, 7, 14)),
                bank_days=chance.choice((0, 0, 1, 3, 7)),
                bank_returns=chance.random() < 0.5,
                weekends_off=chance.random() < 0.3,
                timeout_policy=chance.choice(POLICIES),
            ),
        )

    def _move(self, game_id: int, seat: int, asked: int) -> None:
        row = Seat.objects.select_related("game", "user").get(game=game_id, number=seat)
        if row.asked_seq != asked or row.user is None or row.game.status != Game.Status.RUNNING:
            return
        log = event_store.load(row.game)
        legal = islice(log.engine.rules.legal_commands(log.state, seat), 30)
        command = self.chance.choice(list(legal))
        self.found.counts["moves"] += 1
        if self.chance.random() < 0.1:
            later = database_clock.now() + self.chance.choice((MINUTE, 3 * HOUR, 2 * DAY))
            self._plan(later, "undo", game_id, seat)
        to = self.promises.reply_to.get((game_id, seat, asked))
        if to and self.person_of[row.user.pk].by_email:
            view = log.engine.rules.view(log.state, seat)
            self._reply(row, to, log.engine.notation.describe(command, view))
            return
        services.game_play(
            game_id=game_id, user=row.user, seat=seat, command=command, version=log.version
        )

    def _reply(self, seat: Seat, to: str, line: str) -> None:
        """Answer an email; what is asked next is in the answer to that, with another address."""
        assert seat.user is not None
        outcome = self.replies.write(seat.user, to, line)
        seat.refresh_from_db(fields=["asked_seq"])
        if seat.asked_seq is not None and seat.user_id is not None:
            self.promises.answered(seat, event_store.load(seat.game))
            if outcome == InboundMail.Outcome.STALE:
                later = database_clock.now() + HOUR
                self._plan(later, "move", seat.game_id, seat.number, seat.asked_seq)

    def _take_back(self, game_id: int, user: User) -> None:
        self.found.counts["seats taken back"] += 1
        if self.person_of[user.pk].by_email:
            log = event_store.load(Game.objects.get(pk=game_id))
            lost = [n for n in range(len(log.seating.now)) if log.lost_by(n) == user.pk]
            for seat in lost:
                public_id = Game.objects.values_list("public_id", flat=True).get(pk=game_id)
                to = reply_addresses.reply_address(public_id, seat, log.moved_at)
                self.replies.write(user, to or "", BACK)
            return
        services.seat_take_back(game_id=game_id, user=user)

    def _undo(self, game_id: int, seat: int) -> None:
        user = Seat.objects.get(game=game_id, number=seat).user
        if user is not None:
            with transaction.atomic():
                services.step_undo_locked(LockedGame(game_id), user)
            self.found.counts["steps taken back"] += 1

    def _person_changes(self, person: Person, now: datetime) -> None:
        user = User.objects.get(pk=self.users[person.number].pk)
        if user.time_zone != person.zone(now).key:
            user.time_zone = person.zone(now).key
            user.save(update_fields=["time_zone"])
            self.found.counts["journeys"] += 1
        for holiday in person.holidays:
            if now - MINUTE < holiday.entered_at <= now:
                self._go_away(person, user, holiday, now)
            if holiday.back_at is not None and now - MINUTE < holiday.back_at <= now:
                services.absence_end(user=user, first=holiday.first, now=now)

    def _go_away(self, person: Person, user: User, holiday: Holiday, now: datetime) -> None:
        """Enter the absence on the page, or by a reply where it begins today."""
        self.found.counts["absences"] += 1
        seat = Seat.objects.filter(user=user, game__status=Game.Status.RUNNING).first()
        starts_today = now.astimezone(person.zone(now)).date() == holiday.first
        if not (person.by_email and starts_today and seat):
            services.absence_enter(user=user, first=holiday.first, last=holiday.last, now=now)
            return
        seq = event_store.load(seat.game).moved_at
        to = reply_addresses.reply_address(seat.game.public_id, seat.number, seq)
        day = f"{holiday.last.day}.{holiday.last.month}.{holiday.last.year}"
        self.found.counts["absences by email"] += 1
        self.replies.write(user, to or "", ABSENT[user.language].format(day))

    def _moderate(self) -> None:
        running = Game.objects.filter(status__in=(Game.Status.RUNNING, Game.Status.PAUSED))
        games = list(running.order_by("pk"))
        if not games or self.chance.random() > 0.3:
            return
        game, now = self.chance.choice(games), database_clock.now()
        ruling = services.Ruling(self.mona, "Simulated")
        if game.status == Game.Status.PAUSED:
            services.moderate_resume(game_id=game.pk, ruling=ruling)
            return
        later = now + self.chance.uniform(0.1, 2) * DAY
        match self.chance.choice(("pause", "extend", "excuse", "bot", "roll back", "hand")):
            case "pause":
                services.moderate_pause(game_id=game.pk, ruling=ruling)
                if self.chance.random() < 0.5:
                    self._plan(later, "roll back", game.pk)
            case "extend":
                services.moderate_extend(game_id=game.pk, ruling=ruling, days=2)
                if self.chance.random() < 0.5:
                    self._plan(later, "roll back", game.pk)
            case "roll back":
                self._roll_back(game)
            case "hand":
                seat = self.chance.choice(game.seats.filter(user__isnull=False))
                assert seat.user_id is not None
                self._plan(later, "hand back", game.pk, seat.number, seat.user_id)
                self._hand(game, seat.number, None)
            case "excuse":
                services.moderate_excuse(game_id=game.pk, ruling=ruling, seat=0)
            case "bot":
                late = game.seats.filter(asked_seq__isnull=False, is_bot=False).first()
                if late is not None:
                    services.moderate_play_bot(game_id=game.pk, ruling=ruling, seat=late.number)
        self.found.counts["actions of moderators"] += 1

    def _roll_back(self, game: Game) -> None:
        ends = [move[-1].seq for move in event_store.load(game).moves]
        if len(ends) > 1:
            to_seq = self.chance.choice(ends[-4:-1])
            services.moderate_rollback(
                game_id=game.pk, to_seq=to_seq, ruling=services.Ruling(self.mona, "Simulated")
            )
            self.found.counts["rollbacks"] += 1

    def _hand(self, game: Game, seat: int, to: User | None) -> None:
        services.moderate_hand_seat(
            game_id=game.pk, seat=seat, to=to, ruling=services.Ruling(self.mona, "Simulated")
        )
        self.found.counts["seats handed by moderators"] += 1

    # -- what follows -------------------------------------------------------------------------

    def _look(self, lanes: set[Lane], *, only_emails: bool) -> None:
        """Send emails, compare what changed with what was promised, and plan what people do
        next."""
        now = database_clock.now()
        if not only_emails:  # what was just done queued emails
            due = OutboxMail.objects.filter(state=OutboxMail.State.QUEUED, next_try_at__lte=now)
            urgent = due.order_by().values_list("urgent", flat=True).distinct()
            lanes |= {Lane.URGENT if is_urgent else Lane.BULK for is_urgent in urgent}
        for row in self.mail.deliver(lanes) if lanes else ():
            self.promises.read(row, now)
        if only_emails:
            return
        changed = Seat.objects.filter(game__last_event_at__gte=now - MINUTE)
        for seat in changed.select_related("game").order_by("game_id", "number"):
            self._look_at(seat, now)
            if seat.game.is_over and seat.number == 0 and seat.game_id not in self.over:
                self.over.add(seat.game_id)
                self.found.counts["games finished"] += 1
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
        self.promises.look_at(seat)
        asked = seat.game_id, seat.number, seat.asked_seq
        clock = (*asked[:2], seat.clock_seq or 0)
        if clock not in self.planned:
            self.planned.add(clock)
            person = self.person_of[seat.user_id]
            at = person.moves_at(now, seat.game.pace, self.chance)
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


def run(*, tables: int, length: timedelta = YEAR, seed: int = 1) -> Findings:
    """This many tables for this long."""
    with at_once() as clock:
        found = Service(clock, tables=tables, length=length, seed=seed).run()
    found.counts["table-days in PostgreSQL"] += tables * length // DAY
    return found
