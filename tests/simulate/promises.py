"""Checks the service's promises about time: compares rows, emails and logs."""

from datetime import datetime, timedelta

from django.utils import timezone, translation

from games.log import event_store
from games.log.game_log import Log
from games.mail import kinds, reply_addresses
from games.mail.kinds.base import Snapshots
from games.management.commands.verify import verify_games
from games.models import Game, GameEvent, OutboxMail, Seat, database_clock
from games.selectors.deadlines import deadline_steps

from .pure import Findings

MINUTE = timedelta(minutes=1)
Clock = tuple[int, int, int]  # game, seat, the event with which its clock began
Turn = tuple[int, int, int]  # game, seat, the event that asked
Asked = tuple[object, ...]


class Promises:
    """Announced times, to be compared with later ones."""

    def __init__(self, found: Findings) -> None:
        self.found = found
        self.due: dict[Asked, datetime] = {}
        self.announced: dict[Clock, datetime] = {}
        self.reminded: set[tuple[Turn, str]] = set()
        self.reply_to: dict[Turn, str] = {}

    def look_at(self, seat: Seat) -> None:
        """Compare the deadline of a seat with the one that it had."""
        if seat.due_at is None:
            return
        for key in _names_of_question(seat):
            before = self.due.get(key, seat.due_at)
            if seat.due_at < before:
                self.found.counts["deadlines moved to earlier"] += 1
                self.found.faults.append(f"{key}: {before} became {seat.due_at}")
            self.found.counts["deadlines moved"] += seat.due_at > before
            self.due[key] = seat.due_at

    def read(self, row: OutboxMail, now: datetime) -> None:
        """Check an email that was delivered now."""
        self.found.counts["emails delivered"] += 1
        if row.kind not in ("turn", "reminder") or row.user is None:
            return
        assert row.game is not None and row.seat is not None
        seat = Seat.objects.select_related("game", "user").get(game=row.game, number=row.seat)
        if seat.due_at is None or seat.asked_seq is None:
            return
        which, clock = row.context.get("which"), _clock(seat)
        announced, self.announced[clock] = self.announced.get(clock), seat.due_at
        if announced is not None and announced != seat.due_at:
            self._check_that_it_is_named(row, announced, seat.due_at)
        log = event_store.load(seat.game)
        if which == "late":
            self.found.counts["daily reminders"] += 1
        elif which is not None:
            self._check_reminder(row, seat, now)
        self.answered(seat, log.until(row.seq) if row.kind == "turn" else log)
        self._check_the_sum(log, seat)

    def answered(self, seat: Seat, log: Log) -> None:
        """The player of this seat has an email about this position, to which they may reply."""
        assert seat.asked_seq is not None
        to = reply_addresses.reply_address(seat.game.public_id, seat.number, log.moved_at)
        self.reply_to[seat.game_id, seat.number, seat.asked_seq] = to or ""

    def _check_reminder(self, row: OutboxMail, seat: Seat, now: datetime) -> None:
        assert seat.due_at is not None and seat.asked_seq is not None
        which = row.context["which"]
        self.found.counts["reminders"] += 1
        if now > seat.due_at:
            self.found.faults.append(f"{seat}: a reminder ({which}) after the deadline, at {now}")
        once = (seat.game_id, seat.number, seat.asked_seq), which
        if once in self.reminded:
            self.found.counts["duplicate reminders"] += 1
            self.found.faults.append(f"{seat}: {which} came twice, at {now}")
        self.reminded.add(once)

    def _check_that_it_is_named(self, row: OutboxMail, announced: datetime, due: datetime) -> None:
        """The email about a deadline that moved since the email before says why."""
        assert row.user is not None
        self.found.counts["emails about a deadline that moved"] += 1
        if due < announced:
            self.found.faults.append(f"an email says {due} after {announced}")
        with translation.override("en"), timezone.override(row.user.zone):
            content = kinds.get(row.kind).content(row, Snapshots())
        if not content.context["why_then"]:
            self.found.faults.append(f"an email says {due} after {announced} without a reason")

    def _check_the_sum(self, log: Log, seat: Seat) -> None:
        if seat.clock_seq is None or seat.due_at is None:
            return
        moved = sum(step.seconds for step in deadline_steps(log, seat))
        start = next(entry.at for entry in log.entries if entry.seq == seat.clock_seq)
        rest = seat.due_at - timedelta(seconds=moved) - start
        if rest <= timedelta():
            self.found.faults.append(f"{seat}: {seat.due_at} is not explained by the log")

    def check_the_end(self) -> None:
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
            else:
                self.found.faults.append(f"nothing happened at a deadline of {game.pk}")
            if not waits:
                self.found.faults.append(f"nobody is asked in {game.pk}")
        keys = list(Game.objects.values_list("pk", flat=True))
        for public_id, _version, faults in verify_games(keys):
            self.found.faults += [f"{public_id}: {fault}" for fault in faults]
        self.found.counts["games verified"] += len(keys)
        kept = GameEvent.objects.filter(payload__code="announced").count()
        self.found.counts["deadlines kept for a question that came back"] += kept


def _names_of_question(seat: Seat) -> tuple[Asked, Asked]:
    """Return two names of the question to a seat: its turn, and the number of the seat's moves that
    count, which is the same when the question comes back after an undo."""
    log = event_store.load(seat.game)
    rules = log.engine.rules
    commands = (rules.command_of(move[0].event) for move in log.moves)
    moves = sum(command is not None and command[0] == seat.number for command in commands)
    question = rules.question(rules.view(log.state, seat.number))
    whose = seat.game_id, seat.number, seat.user_id
    return (*whose, question is None, seat.asked_seq), (*whose, repr(question), -moves)


def _clock(seat: Seat) -> Clock:
    return seat.game_id, seat.number, seat.clock_seq or 0
