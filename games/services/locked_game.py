"""What all services share: a locked game, one way to write to it, and errors.

`LockedGame.write` is the only path from events to rows: log, game, seats, deadlines, email.
"""

import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime

from django.db.models import F
from django.utils.translation import gettext as _

from games.clock import Interval
from games.log import announcements, event_store, pipeline, projections, table_events
from games.log.entry import Entry
from games.log.game_log import Log
from games.log.loader import read_table
from games.log.pipeline import Statement
from games.mail import queue
from games.models import Game, Seat, User, database_clock
from games.rules.chance import SeededChance, order_chance
from games.rules.contract import Command, Event, Question, State
from games.rules.levels import Level

from . import quotas
from .errors import GameMoved, NotAllowed, ServiceError
from .seat_clocks import SeatClocks

__all__ = ["GameMoved", "LockedGame", "NotAllowed", "ServiceError", "atomic"]

MAX_NOTE = 500  # characters of a table note
MAX_REASON = 300  # characters of a moderator's reason


def clean_line(text: str, most: int) -> str:
    """One line: no control characters, single spaces, at most `most` characters."""
    spaced = "".join(
        " " if char.isspace() or unicodedata.category(char)[0] in "CZ" else char for char in text
    )
    return " ".join(spaced.split())[:most].rstrip()


def clean_note(text: str) -> str:
    """A note: lines are kept, other control characters removed; ServiceError if too long."""
    lines = [clean_line(line, MAX_NOTE + 1) for line in text.strip().splitlines()]
    note = "\n".join(lines).strip()
    if len(note) > MAX_NOTE:
        raise ServiceError(_("A note can have at most %(most)s characters.") % {"most": MAX_NOTE})
    return note


def clean_reason(text: str) -> str:
    """A moderator's reason as one line; ServiceError if there is none."""
    reason = clean_line(text, MAX_REASON)
    if not reason:
        raise ServiceError(_("Please give a reason. Everyone in the game can read it."))
    return reason


def is_current(log: Log, seat: int, version: int) -> bool:
    """Whether a move of this seat that was prepared at `version` still fits the game.

    It does while the position is unchanged, and also if only other seats have moved since that
    were asked at the same time or left orders in advance.
    """
    if version > log.version:
        return False
    if log.moved_at <= version:
        return True
    if any(isinstance(e.event, table_events.RolledBack) for e in log.entries if e.seq > version):
        return False
    made = (log.engine.rules.command_of(e.event) for e in log.effective if e.seq > version)
    if any(move is not None and move[0] == seat for move in made):
        return False
    engine, then = log.engine, log.until(version)
    if not then.effective:
        return False
    before = engine.rules.view(then.state, seat)
    if seat not in engine.rules.to_act(then.state):
        return engine.accepts_input(before)
    still = seat in engine.rules.to_act(log.state)
    return still and engine.rules.question(before) == engine.rules.question(
        engine.rules.view(log.state, seat)
    )


class LockedGame:
    """A game whose row is locked until the transaction ends, with its seats and log.

    Make one only inside a transaction.
    """

    def __init__(self, game_id: int, *, now: datetime | None = None) -> None:
        self.game, self.log, seats = read_table(game_id, lock=True)
        self.now = now or database_clock.now()
        self.seats = seats
        self.clocks = SeatClocks(self.game, self.now)
        self._apply_outages()
        # To be written with the next events: seats and the users (pk) who have given them up.
        self.changed_holders: list[tuple[Seat, int | None]] = []
        self._order: Entry | None = None  # likewise

    def _apply_outages(self) -> None:
        """Move open deadlines by the outages that the log does not know; the next `write` says
        so."""
        for key, starts, ends in self.game.new_outages:
            self.game.outage_id = key
            for seat in self.seats:
                if seat.due_at is not None and not seat.overdue:
                    still = Interval(starts, ends)
                    self.clocks.outage(seat, still, self.question(seat.number))

    def reload_seats(self) -> None:
        """Reload the seats after a player joined or left."""
        rows = Seat.objects.filter(game=self.game).select_related("user").order_by("number")
        self.seats = list(rows)
        for row in self.seats:
            row.game = self.game

    def seat(self, number: int) -> Seat:
        """One seat; ServiceError if there is none."""
        if not 0 <= number < len(self.seats):
            raise ServiceError(_("This table has no such seat."))
        return self.seats[number]

    def seat_of(self, user: User) -> Seat | None:
        """The seat of this user."""
        return next((seat for seat in self.seats if seat.user_id == user.pk), None)

    def sit(
        self,
        user: User | None,
        *,
        is_bot: bool = False,
        level: Level = Level.NORMAL,
        place: int | None = None,
    ) -> Seat:
        """A new seat_row on this place, by default the first free one; those behind it move up."""
        free = self.free_places
        if not free:
            raise ServiceError(_("This table is full."))
        if place is None:
            place = free[0]
        if place not in free:
            raise ServiceError(_("This seat is already taken."))
        number = sum(seat.place < place for seat in self.seats)
        is_last = number == len(self.seats)
        if not is_last:
            behind = Seat.objects.filter(game=self.game, number__gte=number)
            behind.update(number=F("number") + 1)
        seat = Seat.objects.create(
            game=self.game,
            number=number,
            place=place,
            user=user,
            is_bot=is_bot,
            bot_level=level,
            joined_at=self.now,
        )
        if not is_last:
            self.reload_seats()
            return self.seat(number)
        self.seats.append(seat)
        return seat

    @property
    def free_places(self) -> list[int]:
        """The places at the table where nobody sits, in order."""
        taken = {seat.place for seat in self.seats}
        return [place for place in range(self.game.seat_count) if place not in taken]

    # -- what may be done now --------------------------------------------------------

    def require_host(self, user: User) -> None:
        """NotAllowed for everybody but the host."""
        if self.game.host_id != user.pk:
            raise NotAllowed(_("Only the host can do that."))

    def require_gathering(self) -> None:
        """ServiceError unless people can still come and go."""
        if self.game.status != Game.Status.GATHERING:
            raise ServiceError(_("This game has already started."))

    def require_running(self) -> None:
        """ServiceError unless moves can be made."""
        match self.game.status:
            case Game.Status.GATHERING:
                raise ServiceError(_("This game has not started yet."))
            case Game.Status.PAUSED:
                raise ServiceError(_("This game is paused. Nobody can move until it is resumed."))
            case Game.Status.FINISHED | Game.Status.ABORTED:
                raise ServiceError(_("This game is over."))

    def require_not_over(self) -> None:
        """ServiceError unless the game is running or paused."""
        if self.game.status != Game.Status.PAUSED:
            self.require_running()

    # -- deciding and writing --------------------------------------------------------

    def decide(
        self, seat: int, command: Command, *, after: Sequence[Event | table_events.Event] = ()
    ) -> tuple[Event, ...]:
        """The events of this command, as if `after` stood already at the end of the log.

        Their luck is the stream named by the number the first of them will have.
        """
        chance = SeededChance(bytes(self.game.seed), self.log.version + len(after) + 1)
        return self.log.engine.rules.decide(self.state_after(after), seat, command, chance)

    def leave_order(self, seat: int, command: Command, by: User) -> Entry:
        """The private order that this command is, at the end of the log; the next `write` or
        `write_order` writes it."""
        chance = order_chance(bytes(self.game.seed), len(self.log.orders) + 1)
        event, *_rest = self.log.engine.rules.decide(self.log.state, seat, command, chance)
        order = event_store.next_order(self.game, self.log, event, by.pk, self.now)
        self.log = self.log.extended((), self.log.digest, orders=[order])
        self._order = order
        return order

    def write_order(self) -> None:
        """Append the private order and nothing else: no row that others can see changes."""
        assert self._order is not None, "an order was left"
        try:
            event_store.append_order(self.game, self._order)
        except event_store.VersionConflict as lost:  # only where somebody writes without our lock
            raise GameMoved from lost
        self._order = None

    def state_after(self, events: Sequence[Event | table_events.Event]) -> State:
        """The position as it will be with these events (no rollback among them) in the log."""
        played = [event for event in events if not isinstance(event, table_events.Event)]
        return self.log.engine.fold(played, self.log.state) if played else self.log.state

    def setup(self, *, after: Sequence[Event | table_events.Event] = ()) -> tuple[Event, ...]:
        """The events of the setup for all seats, as if `after` were in the log."""
        chance = SeededChance(bytes(self.game.seed), self.log.version + len(after) + 1)
        return self.log.engine.setup(self.game.options, len(self.seats), chance)

    def write(
        self,
        *events: Event | table_events.Event,
        by: User | None = None,
        moved: int | None = None,
        handed: int | None = None,
        ask_again: bool = False,
        seated: User | None = None,
        more: Callable[[], list[Statement]] = list,
    ) -> int:
        """Append and let everything follow: rows, questions, deadlines, emails. The new version.

        moved: the seat that made the move; its own question, if it still has one, stays the same
        question with new time. handed: a seat with another player, who is asked anew if it is
        asked; ask_again: everybody who is asked is asked anew (after a rollback). seated: the user
        whom a Seated event is about. more: what is to be written as well, found once the row of the
        game says what follows from the events.
        The seed is revealed with the event that ends the game.
        """
        game, before = self.game, self.log
        new = list(events)
        by_id = by.pk if by is not None else None
        seated_id = seated.pk if seated is not None else None

        def extended() -> Log:
            entries = event_store.entries_for(before, new, by_id, self.now, seated=seated_id)
            return before.extended(entries)

        log = extended()
        over = log.projection.status in (Game.Status.FINISHED, Game.Status.ABORTED)
        if over and log.table.seed is None:
            orders = before.orders[-1].digest.hex() if before.orders else ""
            new.append(table_events.Revealed(seed=bytes(game.seed).hex(), orders=orders))
            log = extended()
        self.log = log
        was_listed = game.status == Game.Status.GATHERING
        self._project()
        along = [] if self._order is None else [event_store.insert_order(game, self._order)]
        self._order = None
        changed = self._update_questions(before, moved, handed, ask_again)
        outages = self.clocks.moved_seats - {seat.number for seat in changed}
        changed += [seat for seat in self.seats if seat.number in outages]
        moves = self.clocks.take_events()
        if over:  # nothing but the seed follows the end, so no time bank changes by it
            self.clocks.discard_changes(self.seats, moves)
        if moves and not over:  # they follow what moved the deadlines
            new += moves
            self.log = log = log.extended(event_store.entries_for(log, moves, None, self.now))
            game.version = log.version
        for seat, former in self.changed_holders:
            along += projections.seat_holder(seat, former)
        self.changed_holders = []
        along += [projections.game_changes(game), *projections.seat_changes(changed)]
        bots = False
        if log.projection.to_act and game.status == Game.Status.RUNNING:
            along += queue.turns_changed(game, self.seats)
            bots = any(seat.is_bot and seat.asked_seq is not None for seat in self.seats)
        if over:
            along += queue.game_over(game, self.seats)
        along += more()
        along += announcements.of_table(game, was_listed=was_listed)
        try:
            event_store.append(
                *(game, before.version, new, by_id),
                seated=seated_id,
                at=self.now,
                digest=before.digest or None,
                along=along,
            )
        except event_store.VersionConflict as lost:  # only where somebody writes without our lock
            raise GameMoved from lost
        if bots:
            queue.nudge("games.tasks.play_bots", game.pk)
        return log.version

    def _project(self) -> None:
        """The Game row says what the log says."""
        game, seen, now = self.game, self.log.projection, self.now
        if game.status == Game.Status.GATHERING and seen.status == Game.Status.RUNNING:
            game.started_at = now
        if seen.status == Game.Status.PAUSED and game.paused_at is None:
            game.paused_at = now
        if seen.status != Game.Status.PAUSED:
            game.paused_at = None
        if seen.status in (Game.Status.FINISHED, Game.Status.ABORTED) and game.ended_at is None:
            game.ended_at = now
        game.status = seen.status
        game.version = seen.version
        game.to_act = list(seen.to_act)
        game.scores = list(seen.scores) if seen.scores is not None else None
        game.winners = list(seen.winners) if seen.winners is not None else None
        game.last_event_at = now

    def question(self, seat: int, log: Log | None = None) -> Question[Command] | None:
        """What the seat is asked where that is not simply its turn."""
        log = log or self.log
        return (
            log.engine.rules.question(log.engine.rules.view(log.state, seat))
            if log.effective
            else None
        )

    def _update_questions(
        self, before: Log, moved: int | None, handed: int | None, ask_again: bool
    ) -> list[Seat]:
        """Update which seats are asked, since when and until when; the rows that changed."""
        changed = []
        for seat in self.seats:
            number = seat.number
            asked = number in self.game.to_act
            question = self.question(number) if asked else None
            if asked and (seat.asked_seq is None or ask_again or number == handed):
                self._ask(seat, question)
            elif asked and number == moved:
                self.clocks.end(seat)
                self.clocks.start(seat, self.log.version, question)
            elif asked and question != self.question(number, before):
                self._ask(seat, question)  # others have settled what it was asked before
            elif not asked and seat.asked_seq is not None:
                seat.asked_seq = seat.asked_at = None
                self.clocks.end(seat, in_person=number == moved)
            else:
                continue
            changed.append(seat)
        return changed

    def _ask(self, seat: Seat, question: Question[Command] | None) -> None:
        seat.asked_seq, seat.asked_at = self.log.version, self.now
        self.clocks.start(seat, self.log.version, question)


def save_seats(seats: Sequence[Seat]) -> None:
    """Write the questions and clocks of these seats."""
    pipeline.execute(projections.seat_changes(seats))


atomic = quotas.recording
