"""Tables of the pure module: every deadline and reminder of a year, checked as it is computed."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from random import Random

from games import clock
from games.clock import Calendar, Code, Deadline, Interval, Step
from games.clock.calendar import days

from .people import BEGIN, DAY, HOUR, Person, population

YEAR = 365 * DAY
PACES = (12 * HOUR, DAY, 2 * DAY, 3 * DAY, 5 * DAY, 7 * DAY, 14 * DAY)
POLICIES = ("wait", "move", "seat1", "seat2", "seat3", "open")
MISSES = {"seat1": 1, "seat2": 2, "seat3": 3, "open": 2}
BOT = timedelta(minutes=1)
TURNS = 120  # of a table, then it is finished and the next one begins


@dataclass
class Findings:
    """Counts, and faults as sentences."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, other: "Findings") -> None:
        """Add those of another run."""
        self.counts.update(other.counts)
        self.faults += other.faults


@dataclass
class Turn:
    """An open question. steps: since `start`, what moved the deadline; used_from: from when on it
    uses the time bank; announced: the deadline that the last email named."""

    person: Person
    start: datetime
    base: timedelta
    due: datetime
    steps: list[Step]
    remind_from: datetime
    used_from: datetime
    announced: datetime
    reminded: set[str] = field(default_factory=set)


class Table:
    """One table through a year."""

    def __init__(
        self, people: list[Person], outages: list[Interval], chance: Random, found: Findings
    ) -> None:
        self.chance, self.found, self.outages = chance, found, outages
        self.seats: list[Person | None] = list(chance.sample(people, chance.randint(2, 4)))
        self.people = people
        self.pace = chance.choice(PACES)
        self.bank = chance.choice((0, 0, 1, 3, 7)) * DAY
        self.returns, self.weekends = chance.random() < 0.5, chance.random() < 0.3
        self.policy = chance.choice(POLICIES)
        self.banks = [self.bank] * len(self.seats)
        self.misses = [0] * len(self.seats)

    def run(self) -> None:
        """Play games one after the other until the year is over, or the table waits for somebody
        who is gone."""
        at: datetime | None = BEGIN + self.chance.random() * DAY
        for number in count():
            assert at is not None
            now = self._in_service(at)
            if now >= BEGIN + YEAR:
                self.found.counts["tables in a game at the end of the year"] += 1
                return
            if number and number % TURNS == 0:
                self._new_game()
            seat = number % len(self.seats)
            person = self.seats[seat]
            if person is None:
                at = now + BOT
                self._others_come(seat)
                continue
            at = self._turn(seat, person, now, BEGIN + YEAR)
            if at is None:
                self.found.counts["tables that wait for a person by their policy"] += 1
                return

    def _new_game(self) -> None:
        self.found.counts["games finished"] += 1
        self.seats = list(self.chance.sample(self.people, len(self.seats)))
        self.banks = [self.bank] * len(self.seats)
        self.misses = [0] * len(self.seats)

    def _in_service(self, now: datetime) -> datetime:
        """`now`, or the end of the outage that it falls into: nobody is asked during an outage."""
        return next((one.end for one in self.outages if one.start <= now < one.end), now)

    def _others_come(self, seat: int) -> None:
        if self.policy == "open" and self.chance.random() < 0.2:
            others = [one for one in self.people if one not in self.seats]
            self.seats[seat] = self.chance.choice(others)
            self.misses[seat] = 0
            self.found.counts["seats taken over"] += 1
        elif self.policy in MISSES and self.chance.random() < 0.02:
            self.found.counts["seats left to a bot"] += 1

    # -- a turn ------------------------------------------------------------------------------

    def _calendar(self, person: Person, at: datetime) -> Calendar:
        known = person.calendar(at)
        return Calendar(known.zone, self.weekends, known.quiet, known.absences)

    def _turn(self, seat: int, person: Person, now: datetime, end: datetime) -> datetime | None:
        """When the turn was over; None where the table waits for ever."""
        turn = self._ask(seat, person, now)
        self.found.counts["turns"] += 1
        moves_at = person.moves_at(now, self.pace, self.chance)
        changes = [(at, "person") for at in person.changes if now < at]
        for what, share in (("pause", 0.01), ("more time", 0.01), ("undo", 0.03)):
            if self.chance.random() < share:
                changes.append((now + self.chance.random() * (turn.due - now), what))
                if what != "undo" and self.chance.random() < 0.5:
                    changes.append((now + self.chance.random() * (turn.due - now), "undo"))
        changes.sort()
        at = now
        while True:
            # Each comes once in a turn, also where the person moved to a zone in which it would now
            # be later: the outbox has one row for it.
            wanted = [which for which in person.wanted if which not in turn.reminded]
            reminder = clock.next_reminder(
                turn.remind_from, turn.due, at, self._calendar(person, at), wanted
            )
            outage = next((one for one in self.outages if one.end > at), None)
            moments = [turn.due, *([moves_at] if moves_at else []), *(at for at, _ in changes[:1])]
            moments += [reminder.at] if reminder else []
            soonest = min(moments)
            if outage is not None and outage.start <= soonest:
                at = outage.end
                self._move(turn, at, self._stopped(turn, at, outage, "outage"))
                self.found.counts["deadlines moved by outages"] += 1
                if moves_at is not None and moves_at <= at:
                    moves_at = at + HOUR * self.chance.random()
                changes = [change for change in changes if change[0] > at]
                continue
            if soonest >= end:
                return end
            at = soonest
            if moves_at is not None and moves_at == at and at < turn.due:
                self._made(seat, turn, at)
                return at
            if changes and changes[0][0] == at:
                _at, what = changes.pop(0)
                if what == "person":
                    self._person_changed(turn, at)
                elif what == "more time":
                    calendar = self._calendar(person, at)
                    self._move(turn, at, clock.extended(turn.due, 2 * DAY, at, calendar))
                    self.found.counts["deadlines extended by moderators"] += 1
                else:
                    later = at + self.chance.randint(1, 72) * HOUR
                    if what == "pause":
                        still = Interval(at, later)
                        self._move(turn, later, self._stopped(turn, later, still, "pause"))
                        self.found.counts["pauses"] += 1
                    else:
                        later = self._in_service(later)
                        turn = self._comes_back(seat, turn, at, later)
                    if moves_at is not None and moves_at <= later:
                        moves_at = later + HOUR
                    changes = [change for change in changes if change[0] > later]
                    at = later
                continue
            if at == turn.due:
                break
            assert reminder is not None
            self._remind(turn, reminder, at)
        if self.chance.random() < 0.05:  # a moderator gives more time after the deadline
            later = at + HOUR * self.chance.randint(1, 48)
            longer = clock.extended(turn.due, 2 * DAY, later, self._calendar(person, later))
            self._move(turn, later, longer)
            self.found.counts["deadlines extended by moderators"] += 1
        return self._missed(seat, turn, at, moves_at)

    def _ask(
        self, seat: int, person: Person, now: datetime, announced: datetime | None = None
    ) -> Turn:
        calendar = self._calendar(person, now)
        found = clock.deadline(now, self.pace, calendar, self.banks[seat], announced)
        regular = [s for s in found.steps if s.code not in ("bank", "quiet")]
        used_from = clock.recomputed(now, self.pace, regular)
        turn = Turn(person, now, self.pace, found.due, list(found.steps), now, used_from, found.due)
        self._check(turn, now)
        return turn

    def _comes_back(self, seat: int, turn: Turn, gone: datetime, now: datetime) -> Turn:
        """The question went away, because a step was taken back, and comes back later."""
        self.found.counts["questions that came back"] += 1
        if self.bank:
            calendar = self._calendar(turn.person, gone)
            self.banks[seat] = clock.remaining(self.banks[seat], turn.used_from, gone, calendar)
        again = self._ask(seat, turn.person, now, turn.due)
        if again.due < turn.due:
            self.found.counts["deadlines moved to earlier"] += 1
            self.found.faults.append(f"{turn.due} became {again.due} by an undo")
        kept = any(step.code == "announced" for step in again.steps)
        self.found.counts["questions that came back with their deadline"] += kept
        return again

    def _made(self, seat: int, turn: Turn, at: datetime) -> None:
        self.misses[seat] = 0
        moved = sum(s.seconds for s in turn.steps) - round(
            (turn.due - turn.start - turn.base).total_seconds()
        )
        if moved:
            self.found.faults.append(f"the steps of {turn.person.number} do not add up")
        if self.bank:
            before = self.banks[seat]
            calendar = self._calendar(turn.person, at)
            left = clock.remaining(before, turn.used_from, at, calendar)
            if left > before or left < timedelta():
                self.found.faults.append("a time bank grew or became negative")
            if left == before and self.returns:
                left = clock.returned(before, self.bank)
            self.banks[seat] = left

    def _missed(
        self, seat: int, turn: Turn, at: datetime, moves_at: datetime | None
    ) -> datetime | None:
        self.found.counts["deadlines missed"] += 1
        self.banks[seat] = timedelta()
        if self.policy == "wait":
            self.found.counts["daily reminders"] += 10 if moves_at is None else 1
            if moves_at is not None:
                return max(moves_at, at)
            # The host is called, and steps in or not.
            return at + 10 * DAY if self.chance.random() < 0.5 else None
        self.misses[seat] += 1
        people = sum(one is not None for one in self.seats)
        if self.misses[seat] >= MISSES.get(self.policy, 1000) and people > 1:
            self.seats[seat], self.misses[seat] = None, 0
            self.found.counts["seats that bots took"] += 1
            if turn.person.gone_at is None and self.chance.random() < 0.7:
                self.seats[seat] = turn.person
                self.found.counts["seats taken back"] += 1
        return at + BOT

    # -- what moves a deadline ---------------------------------------------------------------

    def _stopped(self, turn: Turn, now: datetime, still: Interval, code: Code) -> Deadline:
        still = Interval(max(still.start, turn.start), still.end)
        return clock.stopped(turn.due, still, self._calendar(turn.person, now), code)

    def _person_changed(self, turn: Turn, at: datetime) -> None:
        """An absence was entered or ended, or the person is in another time zone."""
        for holiday in turn.person.holidays:
            if holiday.entered_at == at:
                last = holiday.last
                zone = turn.person.zone(at)
                whole = days(holiday.first, last, zone)
                still = Interval(max(whole.start, at), whole.end)
                if still.start < still.end:
                    calendar = self._calendar(turn.person, at)
                    self._move(turn, at, clock.stopped(turn.due, still, calendar, "absence"))
                    self.found.counts["absences entered during a turn"] += 1
            if holiday.back_at == at and turn.due < at + DAY:
                calendar = self._calendar(turn.person, at)
                self._move(turn, at, clock.at_least(turn.due, DAY, at, calendar))
                self.found.counts["absences ended early during a turn"] += 1

    def _move(self, turn: Turn, now: datetime, found: Deadline) -> None:
        if found.due < turn.due:
            self.found.counts["deadlines moved to earlier"] += 1
            self.found.faults.append(f"{turn.due} became {found.due} at {now}")
        if found.due != turn.due and not found.steps:
            self.found.counts["changes without a reason"] += 1
            self.found.faults.append(f"{turn.due} became {found.due} without a step")
        still = sum(step.seconds for step in found.steps if step.code not in ("bank", "moderator"))
        turn.remind_from += timedelta(seconds=still)
        turn.used_from += timedelta(seconds=sum(step.seconds for step in found.steps))
        turn.steps += found.steps
        turn.due = found.due
        self.found.counts["deadlines moved"] += bool(found.steps)
        self._check(turn, now)

    def _check(self, turn: Turn, now: datetime) -> None:
        """Compute the open deadline as `verify` does, and compare."""
        if clock.recomputed(turn.start, turn.base, turn.steps) != turn.due:
            self.found.faults.append(f"{turn.steps} do not lead to {turn.due}")
        if any(step.seconds < 1 for step in turn.steps):
            self.found.faults.append(f"a step back: {turn.steps}")

    def _remind(self, turn: Turn, reminder: clock.Reminder, at: datetime) -> None:
        self.found.counts["reminders"] += 1
        if at >= turn.due:
            self.found.faults.append("a reminder came after the deadline")
        quiet = self._calendar(turn.person, at)
        awake = clock.after_quiet(at, quiet.quiet, quiet.zone)
        if at != awake and awake < turn.due:
            self.found.faults.append(f"a reminder at night: {at}")
        if turn.announced != turn.due:
            named = {step.code for step in turn.steps}
            if not named:
                self.found.faults.append(f"{turn.announced} contradicted by {turn.due}")
            self.found.counts["emails that name a change"] += 1
            turn.announced = turn.due
        if reminder.which in turn.reminded:
            self.found.counts["duplicate reminders"] += 1
            self.found.faults.append(f"{reminder.which} came twice at {at}")
        turn.reminded.add(reminder.which)


def outages_of(chance: Random) -> list[Interval]:
    """About a dozen outages of a year, of eleven minutes to two days, none inside of another."""
    starts = sorted(BEGIN + chance.random() * YEAR for _outage in range(12))
    found: list[Interval] = []
    for start in starts:
        end = start + timedelta(minutes=11) + chance.choice((0, 1, 5, 48)) * HOUR * chance.random()
        if not found or found[-1].end < start:
            found.append(Interval(start, end))
    return found


def run(tables: range, seed: int = 1) -> Findings:
    """These tables, by number; each is a year of games one after the other."""
    found = Findings()
    people = population(Random(seed))
    outages = outages_of(Random(seed))
    for number in tables:
        Table(people, outages, Random(f"{seed}:{number}"), found).run()
        found.counts["table-years"] += 1
    return found
