"""A game that is locked, and the one way to write to it.

`LockedGame.write` is the only path from events to rows: log, game, seats, deadlines, email.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from games import clock, selectors
from games.clock import Interval
from games.log import announcements, event_store, pipeline, projections, table_events, voting
from games.log.announced import announced_before
from games.log.entry import Entry
from games.log.game_log import Log, OpenVote
from games.log.loader import read_table
from games.log.pipeline import Statement
from games.mail import channels, queue, workers
from games.models import Game, Seat, User, database_clock
from games.rules.chance import SeededChance, order_chance
from games.rules.contract import Command, Event, Question, State

from .errors import GameMoved, NotAllowed, ServiceError
from .seat_clocks import ClockEvent, SeatClocks

AnyEvent = Event | table_events.Event  # of the game or of its table
CLOCK_TOLERANCE = timedelta(minutes=1)  # by which the clocks of two processes may differ


def _not_before_last(entries: Sequence[Entry], now: datetime) -> datetime:
    """Return the time by which the clocks and the log go: `now` or that of the last entry.

    A sweep and a change of absences began before they got the lock, and a deadline must not begin
    before its seat was asked. An entry from the future was written by a wrong clock, and must not
    move all later deadlines.
    """
    last = entries[-1].at if entries else now
    return max(now, last) if last < database_clock.now() + CLOCK_TOLERANCE else now


class LockedGame:
    """A game whose row is locked until the transaction ends, with its seats and log.

    Make one only inside a transaction. now: the time of what happens, by default the present time;
    it is never before the last event, unless the clock of PostgreSQL has been set back.
    """

    def __init__(self, game_id: int, *, now: datetime | None = None) -> None:
        self.game, self.log, seats = read_table(game_id, lock=True)
        self.now = _not_before_last(self.log.entries, now or database_clock.now())
        self.seats = seats
        self.clocks = SeatClocks(self.game, self.now)
        self._vote_moved = 0  # seconds of outages that the next `write` records
        self._add_outages()
        # The next `write` also writes these seats, each with the user (pk) who has given it up,
        # and this private order.
        self.changed_holders: list[tuple[Seat, int | None]] = []
        self._order: Entry | None = None
        self._bots_moved = False  # and the answers that wait for them say what comes next, too

    def _add_outages(self) -> None:
        """Move open deadlines and the open vote by the outages that the log does not know yet; the
        next `write` records the moves."""
        for key, starts, ends in self.game.new_outages:
            self.game.outage_id = key
            vote = self.vote
            if vote is not None and starts < vote.closes_at and vote.opened_at < ends:
                self._vote_moved += clock.in_seconds(ends - max(starts, vote.opened_at))
            for seat in self.seats:
                if seat.due_at is not None and not seat.overdue:
                    still = Interval(starts, ends)
                    self.clocks.outage(seat, still, self.question(seat.number))

    @property
    def vote(self) -> OpenVote | None:
        """The open vote; it closes when the next `write` will say."""
        vote = self.log.vote
        return vote.later(self._vote_moved) if vote is not None else None

    def write_outages(self) -> None:
        """Write what outages have moved in a game in which nothing else happens now."""
        if self.clocks.moved_seats or self._vote_moved:
            self.write()
        elif self.game.new_outages:
            Game.objects.filter(pk=self.game.pk).update(outage_id=self.game.outage_id)

    def seat(self, number: int) -> Seat:
        """One seat; ServiceError if there is none."""
        if not 0 <= number < len(self.seats):
            raise ServiceError(_("This table has no such seat."))
        return self.seats[number]

    def seat_of(self, user: User) -> Seat | None:
        """The seat of this user."""
        return next((seat for seat in self.seats if seat.user_id == user.pk), None)

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
                raise ServiceError(" ".join(selectors.pause_sentences(self.log)))
            case Game.Status.FINISHED | Game.Status.ABORTED:
                raise ServiceError(_("This game is over."))

    def require_not_over(self) -> None:
        """ServiceError unless the game is running or paused."""
        if self.game.status != Game.Status.PAUSED:
            self.require_running()

    def require_not_held(self) -> None:
        """ServiceError in the pause of a moderator, in which nobody else ends the pause or the
        game."""
        if self.log.is_held:
            raise ServiceError(selectors.held_sentence())

    @property
    def waits_for_bots(self) -> bool:
        """Whether only bots are to act."""
        asked = [self.seats[number] for number in self.game.to_act]
        is_running = self.game.status == Game.Status.RUNNING
        return is_running and bool(asked) and all(seat.is_bot for seat in asked)

    # -- deciding and writing --------------------------------------------------------

    def decide(
        self, seat: int, command: Command, *, after: Sequence[AnyEvent] = ()
    ) -> tuple[Event, ...]:
        """Return the events that this command leads to; write nothing.

        after: events that are written before them, although they are not in the log yet. Chance
        comes from the stream that is named after the number of the first new event.
        """
        chance = SeededChance(bytes(self.game.seed), self.log.version + len(after) + 1)
        return self.log.engine.rules.decide(self.state_after(after), seat, command, chance)

    def leave_order(self, seat: int, command: Command, by: User) -> Entry:
        """Add the private order of this command to the log in memory, and return it.

        The next `write` or `write_order` stores it.
        """
        chance = order_chance(bytes(self.game.seed), len(self.log.orders) + 1)
        event, *_rest = self.log.engine.rules.decide(self.log.state, seat, command, chance)
        at = _not_before_last(self.log.orders, self.now)
        order = event_store.next_order(self.game, self.log, event, by.pk, at)
        self.log = self.log.extended((), self.log.digest, orders=[order])
        self._order = order
        return order

    def write_order(self) -> None:
        """Store the private order alone, so that no row changes that others can see."""
        assert self._order is not None, "an order was left"
        try:
            event_store.append_order(self.game, self._order)
        except event_store.VersionConflict as lost:
            raise GameMoved from lost
        self._order = None

    def state_after(self, events: Sequence[AnyEvent]) -> State:
        """Return the position after these events, as if they were in the log. None of them may be a
        rollback."""
        played = [event for event in events if not isinstance(event, table_events.Event)]
        return self.log.engine.fold(played, self.log.state) if played else self.log.state

    def setup(self, *, after: Sequence[AnyEvent] = ()) -> tuple[Event, ...]:
        """Return the events of the setup for all seats. after: as for `decide`."""
        chance = SeededChance(bytes(self.game.seed), self.log.version + len(after) + 1)
        return self.log.engine.setup(self.game.options, len(self.seats), chance)

    def write(
        self,
        *events: AnyEvent,
        by: User | None = None,
        moved: int | None = None,
        handed: int | None = None,
        ask_again: bool = False,
        seated: User | None = None,
        also: Callable[[], list[Statement]] = list,
    ) -> int:
        """Append events and write everything that follows from them, in one round trip.

        That is: the rows of the game and its seats, the deadlines, the emails and the announcement
        to open pages. If the events end the game, an event that reveals the seed follows them. If a
        turn begins for which its player left an order that fits, that move is written next.
        Return the version after the events. Raise GameMoved if somebody else has written to the log
        without a lock.

        by: the user who caused the events, None for bots and clocks.
        moved: the seat that made the move. If it is still asked, the turn goes on with new time.
        handed: the seat that changed hands. If it is asked, its new player is asked anew.
        ask_again: ask every seat anew that is asked, after a rollback.
        seated: the user whom a Seated event is about.
        also: returns further statements; called when the fields of the game are up to date.
        """
        game, before = self.game, self.log
        was_listed = game.status == Game.Status.GATHERING
        waited_for_bots = self._bots_moved or self.waits_for_bots
        new = list(events)
        by_id = by.pk if by is not None else None
        seated_id = seated.pk if seated is not None else None
        self._extend(new, by_id, seated_id)
        is_over = self.log.projection.status in (Game.Status.FINISHED, Game.Status.ABORTED)
        if is_over and self.log.table.seed is None:
            revealed = self._reveal_seed()
            self._extend([revealed], by_id)
            new.append(revealed)
        projections.update_game(game, self.log.projection, self.now)
        changed = self._update_questions(before, moved, handed, ask_again)
        if (settled := self._overtaken_vote()) is not None:
            self._extend([settled], by_id)
            new.append(settled)
        if clock_events := self._clock_events(is_over):  # they follow what moved the deadlines
            self._extend(clock_events, None)
            new += clock_events
        if self._vote_moved and self.log.vote is not None:
            moved_vote = table_events.VoteMoved(seconds=self._vote_moved)
            self._extend([moved_vote], None)
            new.append(moved_vote)
        self._vote_moved = 0
        game.version, game.last_event_at = self.log.version, self.log.entries[-1].at
        game.vote_due_at = self._vote_due_at()
        gained = [seat for seat, _former in self.changed_holders if seat.user_id is not None]
        statements = [*self._pending_rows(), projections.game_changes(game)]
        statements += projections.seat_changes(changed)
        due = self._due_order() if self._has_moved(events) else None
        statements += self._emails(is_over, before.version) if due is None else []
        statements += self._told_of_vote(before, by_id)
        if (vote := self.log.vote) is not None:
            asked = voting.awaited(vote, gained)
            statements += queue.vote_opened(game, asked, vote.seq)
        self._bots_moved = waited_for_bots and due is not None
        if waited_for_bots and not self.waits_for_bots and due is None:
            statements += queue.bots_have_moved(game, self.seats)
        statements += also()
        statements += announcements.about_table(game, was_listed=was_listed)
        try:
            event_store.append(
                game,
                before.version,
                new,
                by_id,
                seated=seated_id,
                at=self.now,
                digest=before.digest or None,
                statements=statements,
            )
        except event_store.VersionConflict as lost:
            raise GameMoved from lost
        version = self.log.version
        self._withdraw_orders()
        if due is not None:
            self.play_order(*due)
        elif game.status == Game.Status.RUNNING and self._bot_is_asked():
            workers.wake("games.tasks.play_bots", game.pk)
        return version

    def _has_moved(self, events: Iterable[AnyEvent]) -> bool:
        """Return whether these events are a move. After a rollback, nobody's order is carried out
        at once: it would only do again what was taken back."""
        return any(not isinstance(event, table_events.Event) for event in events)

    def _due_order(self) -> tuple[Seat, Command] | None:
        """The seat that is asked and whose player left an order for this, with what it says."""
        if self.game.status != Game.Status.RUNNING or not self.log.orders:
            return None
        for number in self.game.to_act:
            if (command := self.due_command(self.seats[number])) is not None:
                return self.seats[number], command
        return None

    def due_command(self, seat: Seat) -> Command | None:
        """What the orders of the present player of this seat say to what it is asked."""
        if seat.user_id is None or not self.log.is_ordered_by_holder(seat.number):
            return None
        return self.log.engine.rules.due_command(self.log.state, seat.number)

    def play_order(self, seat: Seat, command: Command) -> None:
        """Write what a player's order says, as their move."""
        events = self.decide(seat.number, command)
        seq = self.log.version + len(events)
        self.write(
            *events,
            by=seat.user,
            moved=seat.number,
            also=lambda: queue.plan_played(self.game, seat, seq),
        )

    def _withdraw_orders(self) -> None:
        """Withdraw what was left in advance on a seat before its player got it, or got it back: it
        counts once they leave it again. Nobody may leave an order in a pause."""
        if self.game.status != Game.Status.RUNNING or not self.log.orders:
            return
        for seat in self.seats:
            if seat.user is None or self.log.is_ordered_by_holder(seat.number):
                continue
            orders = self.log.engine.rules.standing_orders(self.log.state, seat.number)
            for _order, withdrawn in orders:
                self.leave_order(seat.number, withdrawn, seat.user)
                self.write_order()

    def _extend(
        self, events: Sequence[AnyEvent], by: int | None, seated: int | None = None
    ) -> None:
        """Add events to the end of the log in memory. by, seated: users (pk), as for `write`."""
        entries = event_store.entries_for(self.log, events, by, self.now, seated=seated)
        self.log = self.log.extended(entries)

    def _reveal_seed(self) -> table_events.Revealed:
        orders = self.log.orders[-1].digest.hex() if self.log.orders else ""
        return table_events.Revealed(seed=bytes(self.game.seed).hex(), orders=orders)

    def _overtaken_vote(self) -> table_events.VoteSettled | None:
        """Return the end of the open vote, if it no longer makes sense."""
        vote = self.log.vote
        if vote is None or not voting.is_overtaken(self.log, vote, self.seats):
            return None
        return table_events.VoteSettled(about=vote.proposal.about, outcome="overtaken")

    def _told_of_vote(self, before: Log, by: int | None) -> list[Statement]:
        """The emails that a vote has ended by the events after `before`: to the player who asked,
        and to all if the game changes by it. `by` reads it in the answer, those who are asked
        to move by it in the email about that, and all in the email about the end of the game."""
        new = self.log.entries[len(before.entries) :]
        ends = [
            (entry.seq, entry.event.outcome)
            for entry in new
            if isinstance(entry.event, table_events.VoteSettled)
        ]
        if not ends or self.game.is_over:
            return []
        ((seq, outcome),) = ends
        asker = before.vote.proposal.seat if before.vote is not None else None
        kept = asker is not None and self.log.seating.now[asker].since <= before.version
        told = [
            seat
            for seat in self.seats
            if (outcome == "passed" or (kept and seat.number == asker))
            and seat.user_id != by
            and (seat.asked_seq or 0) < seq
        ]
        return queue.vote_told(self.game, told, seq)

    def passes(self, vote: OpenVote) -> bool:
        """Return whether the vote passes now: late players whose answers are missing have been sent
        the email about it."""
        late = voting.passes_without(vote, self.seats)
        return late is not None and (not late or queue.vote_was_sent(self.game, late, vote.seq))

    def _vote_due_at(self) -> datetime | None:
        """Return when a task has to look at the open vote or pause: at once, if those who had not
        agreed have left."""
        vote = self.log.vote
        if vote is not None and self.passes(vote):
            return self.now
        return self.log.vote_due_at

    def _clock_events(self, is_over: bool) -> list[ClockEvent]:
        """Return the events that say why deadlines and time banks changed.

        Only the seed may follow the end of a game, so a game that is over gets none, and its time
        banks stay as they were.
        """
        events = self.clocks.take_events()
        if is_over:
            self.clocks.discard_changes(self.seats, events)
            return []
        return events

    def _pending_rows(self) -> list[Statement]:
        """Return the statements for the private order and the seats that changed hands, which
        waited for the next events."""
        order, holders = self._order, self.changed_holders
        self._order, self.changed_holders = None, []
        statements = [] if order is None else [event_store.insert_order(self.game, order)]
        for seat, former in holders:
            statements += projections.seat_holder(seat, former)
        return statements

    def _emails(self, is_over: bool, since: int) -> list[Statement]:
        """The emails and the news for the channel that follow from the events after event `since`,
        whatever caused them."""
        if is_over:
            over = queue.game_over(self.game, self.seats, self._former())
            return [*over, *channels.news(self.game, "over", self.log.version)]
        if self.game.status != Game.Status.RUNNING or not self.game.to_act:
            return []
        turns = queue.turns_changed(self.game, self.seats)
        asked = max((seat.asked_seq or 0 for seat in self.seats if seat.user_id), default=0)
        return turns + channels.news(self.game, "turn", asked) if asked > since else turns

    def _former(self) -> Iterable[User]:
        """The players who have resigned, or lost their seats to bots by missing deadlines, and got
        emails about the game until then."""
        seated = {seat.user_id for seat in self.seats}
        resigned = (
            (entry.event.seat, entry.by)
            for entry in self.log.entries
            if isinstance(entry.event, table_events.Resigned)
        )
        lost = ((seat.number, self.log.lost_by(seat.number)) for seat in self.seats)
        gone = {
            user
            for number, user in (*resigned, *lost)
            if user is not None and user not in seated and not self.seats[number].mails_off
        }
        return User.objects.active().filter(pk__in=gone) if gone else ()

    def _bot_is_asked(self) -> bool:
        return any(seat.is_bot and seat.asked_seq is not None for seat in self.seats)

    def question(self, seat: int, log: Log | None = None) -> Question[Command] | None:
        """Return the question to the seat; None if it is not asked or simply has its turn."""
        log = log or self.log
        return (
            log.engine.rules.question(log.engine.rules.view(log.state, seat))
            if log.effective
            else None
        )

    def _update_questions(
        self, before: Log, moved: int | None, handed: int | None, ask_again: bool
    ) -> list[Seat]:
        """Update which seats are asked, since when and until when. Returns the seats whose rows
        changed, also those whose deadlines an outage or an absence has moved."""
        changed = []
        for seat in self.seats:
            number = seat.number
            asked = number in self.game.to_act
            question = self.question(number) if asked else None
            if asked and (seat.asked_seq is None or ask_again or number == handed):
                self._ask(seat, question, before, is_handed=number == handed)
            elif asked and number == moved:
                known = self._announced(seat, question, before)
                self.clocks.end(seat)
                self.clocks.start(seat, self.log.version, question, known)
            elif asked and question != self.question(number, before):
                self._ask(seat, question, before)  # others have settled what it was asked before
            elif not asked and seat.asked_seq is not None:
                seat.asked_seq = seat.asked_at = None
                self.clocks.end(seat, in_person=number == moved)
            elif number not in self.clocks.moved_seats:
                continue
            changed.append(seat)
        return changed

    def _ask(
        self,
        seat: Seat,
        question: Question[Command] | None,
        before: Log,
        *,
        is_handed: bool = False,
    ) -> None:
        known = self._announced(seat, question, before, is_handed=is_handed)
        seat.asked_seq, seat.asked_at = self.log.version, self.now
        self.clocks.start(seat, self.log.version, question, known)

    def _announced(
        self,
        seat: Seat,
        question: Question[Command] | None,
        before: Log,
        *,
        is_handed: bool = False,
    ) -> datetime | None:
        """Return the latest deadline that the player of this seat was given for this question: the
        open one, unless it was given to the player before, or one of a question that came back."""
        if seat.is_bot or self.game.practice:
            return None
        known = [] if (found := announced_before(self.log, seat.number)) is None else [found]
        if seat.due_at is not None and not is_handed:
            asked_before = self.question(seat.number, before)
            if self.clocks.base(asked_before) == self.clocks.base(question):
                known.append(seat.due_at)
        return max(known, default=None)


def stop_clocks(locked: LockedGame) -> None:
    """Keep the time that is left to everybody. The caller writes that the game is paused."""
    stopped = [seat for seat in locked.seats if seat.due_at is not None]
    for seat in stopped:
        locked.clocks.stop(seat)
    pipeline.execute(projections.seat_changes(stopped))


def extend_clocks(
    locked: LockedGame, seats: Sequence[Seat], time: timedelta, code: clock.Code
) -> str:
    """Add time to the open deadlines of these seats; return the latest, as an event has it. The
    caller writes that event."""
    for seat in seats:
        locked.clocks.extend(seat, time, locked.question(seat.number), code)
    pipeline.execute(projections.seat_changes(seats))
    until = max(seat.due_at for seat in seats if seat.due_at is not None)
    return until.astimezone(timezone.get_default_timezone()).isoformat(timespec="seconds")


def restart_clocks(locked: LockedGame) -> None:
    """Move deadlines and reminders, so that the pause takes no time from anybody. The caller writes
    that the game goes on."""
    going = [seat for seat in locked.seats if seat.time_left is not None]
    for seat in going:
        locked.clocks.resume(seat, locked.question(seat.number))
    pipeline.execute(projections.seat_changes(going))
