"""What keeps a table alive: pause, more time, another player, a step back, the end.

For staff; letting the bot play a turn and handing a seat over also for the host of the table,
once that seat's deadline has passed. Each leaves an event with a reason and a mail to everybody.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from games.log import table_events
from games.mail import queue
from games.models import Game, Seat, User
from games.rules.engine import Event

from .locked_game import (
    DAY,
    NotAllowed,
    ServiceError,
    Table,
    atomic,
    clean_reason,
    next_reminder,
    save_seats,
)
from .moves import decide_for_bot, give_to_bot

MOST_COMMANDS = 50  # of one turn


def _need_staff(by: User) -> None:
    if not (by.is_staff and by.is_active):
        raise NotAllowed(_("Only a moderator can do that."))


def _need_staff_or_host(desk: Table, seat: Seat, by: User) -> None:
    """Staff may always; the host once this seat let its deadline pass."""
    if by.is_staff and by.is_active:
        return
    if desk.game.host_id != by.pk:
        raise NotAllowed(_("Only a moderator or the host of this table can do that."))
    if not seat.overdue:
        raise NotAllowed(_("You can do that once the deadline of this seat has passed."))


def _tell(desk: Table, *events: Event | table_events.Event, by: User, reason: str) -> Game:
    """Write what a moderator did and tell everybody; the first event is the one they read."""
    seq = desk.log.version + 1
    desk.write(*events, by=by)
    queue.moderated(desk.game, seq, reason)
    return desk.game


def moderate_pause(*, game_id: int, by: User, reason: str) -> Game:
    """Stop the clock and all moves; pausing a paused game is no error and leaves no event."""
    _need_staff(by)
    reason = clean_reason(reason)
    with atomic():
        desk = Table(game_id)
        if desk.game.status == Game.Status.PAUSED:
            return desk.game
        desk.need_running()
        stopped = [seat for seat in desk.seats if seat.due_at is not None]
        for seat in stopped:
            assert seat.due_at is not None
            seat.time_left, seat.due_at = seat.due_at - desk.now, None
        save_seats(stopped)
        return _tell(desk, table_events.Paused(reason=reason), by=by, reason=reason)


def moderate_resume(*, game_id: int, by: User, reason: str) -> Game:
    """Go on: deadlines and reminders have moved by the length of the pause."""
    _need_staff(by)
    reason = clean_reason(reason)
    with atomic():
        desk = Table(game_id)
        if desk.game.status == Game.Status.RUNNING:
            return desk.game
        desk.need_alive()
        assert desk.game.paused_at is not None
        pause = desk.now - desk.game.paused_at
        going = [seat for seat in desk.seats if seat.time_left is not None]
        for seat in going:
            assert seat.time_left is not None
            seat.due_at, seat.time_left = desk.now + seat.time_left, None
            if seat.remind_at is not None:
                seat.remind_at += pause
            elif seat.asked_at is not None and seat.asked_at >= desk.game.paused_at:
                seat.remind_at = next_reminder(seat.asked_at, seat.due_at, desk.now)
        save_seats(going)
        return _tell(desk, table_events.Resumed(reason=reason), by=by, reason=reason)


def moderate_extend(
    *, game_id: int, by: User, reason: str, days: int, seat: int | None = None
) -> Game:
    """`days` more for one seat or, by default, all that are asked: added to the deadline, or to
    now where that has passed. The deadline counts as not passed then."""
    _need_staff(by)
    reason = clean_reason(reason)
    if not 1 <= days <= 365:
        raise ServiceError(_("Please give 1 to 365 days."))
    with atomic():
        desk = Table(game_id)
        desk.need_running()
        late = [
            chair
            for chair in desk.seats
            if chair.due_at is not None and seat in (None, chair.number)
        ]
        if not late:
            raise ServiceError(_("There is no deadline to move."))
        for chair in late:
            _extend(chair, days * DAY, desk.now)
        save_seats(late)
        until = max(chair.due_at for chair in late if chair.due_at is not None)
        event = table_events.Extended(seat=seat, until=_iso(until), reason=reason)
        return _tell(desk, event, by=by, reason=reason)


def _extend(seat: Seat, more: timedelta, now: datetime) -> None:
    assert seat.due_at is not None and seat.asked_at is not None
    seat.due_at = max(seat.due_at, now) + more
    seat.remind_at = next_reminder(seat.asked_at, seat.due_at, now)
    seat.overdue = False


def _iso(at: datetime) -> str:
    return at.astimezone(timezone.get_default_timezone()).isoformat(timespec="seconds")


def moderate_play_bot(*, game_id: int, by: User, reason: str, seat: int) -> Game:
    """The house bot plays this turn of a seat, to its end; the seat stays whose it is."""
    reason = clean_reason(reason)
    with atomic():
        desk = Table(game_id)
        chair = desk.seat(seat)
        _need_staff_or_host(desk, chair, by)
        desk.need_running()
        if seat not in desk.game.to_act:
            raise ServiceError(_("This seat is not asked to move."))
        events = _turn_by_bot(desk, seat, table_events.BotPlayed(seat=seat, reason=reason))
        # Asked again at once it is a turn of its own: the question before is answered.
        chair.asked_seq = chair.asked_at = None
        chair.due_at = chair.time_left = chair.remind_at = None
        chair.overdue = False
        save_seats([chair])
        return _tell(desk, *events, by=by, reason=reason)


def _turn_by_bot(
    desk: Table, seat: int, first: table_events.Event
) -> list[Event | table_events.Event]:
    """`first` and then what the bot does until the seat is no longer asked, or its view says
    that another turn has begun."""
    engine = desk.log.engine
    events: list[Event | table_events.Event] = [first]
    turn = getattr(engine.view(desk.log.state, seat), "turn", None)
    for _command in range(MOST_COMMANDS):
        state = desk.state_after(events)
        view = engine.view(state, seat)
        if seat not in engine.to_act(state) or getattr(view, "turn", None) != turn:
            break
        played = decide_for_bot(desk, seat, engine.bot(view), after=events)
        events += played
        if any(getattr(event, "seat", seat) != seat for event in played):
            break  # others have acted: what is asked now is another turn
    return events


def moderate_hand_seat(
    *, game_id: int, by: User, reason: str, seat: int, to: User | None = None
) -> Game:
    """Give a seat to another player, or (to=None) to the house bot. Whoever sits there now and
    is asked has the whole time anew."""
    reason = clean_reason(reason)
    with atomic():
        desk = Table(game_id)
        chair = desk.seat(seat)
        _need_staff_or_host(desk, chair, by)
        desk.need_alive()
        seq, removed = desk.log.version + 1, chair.user
        if to is None:
            if chair.is_bot:
                raise ServiceError(_("The house bot sits there already."))
            give_to_bot(desk, chair)
            desk.write(table_events.SeatHanded(seat=seat, to="bot", reason=reason), by=by)
        else:
            if desk.seat_of(to) is not None or not to.is_active:
                raise ServiceError(_("This person cannot take the seat."))
            chair.user, chair.is_bot, chair.mails_off = to, False, False
            chair.save(update_fields=["user", "is_bot", "mails_off"])
            desk.write(
                table_events.SeatHanded(seat=seat, to="player", reason=reason), by=by, handed=seat
            )
        queue.moderated(desk.game, seq, reason, removed=removed)
        return desk.game


def moderate_rollback(*, game_id: int, by: User, reason: str, to_seq: int) -> Game:
    """Go on from the position after event `to_seq`, the last of the setup or of a move that
    counts; what came later is undone and stays readable. Whoever is asked then has the whole
    time. Impossible once the game is over: its seed is known."""
    _need_staff(by)
    reason = clean_reason(reason)
    with atomic():
        desk = Table(game_id)
        desk.need_alive()
        ends = [move[-1].seq for move in desk.log.moves]
        if to_seq not in ends:
            raise ServiceError(
                _("The game can be taken back to the end of a move only; choose another event.")
            )
        if to_seq == ends[-1]:
            raise ServiceError(_("The game stands there already."))
        event = table_events.RolledBack(to_seq=to_seq, reason=reason)
        seq = desk.log.version + 1
        desk.write(event, by=by, ask_again=True)
        queue.moderated(desk.game, seq, reason)
        return desk.game


def moderate_abort(*, game_id: int, by: User, reason: str) -> Game:
    """End a game, or a table that still gathers, without a result."""
    _need_staff(by)
    reason = clean_reason(reason)
    with atomic():
        desk = Table(game_id)
        if desk.game.status == Game.Status.ABORTED:
            return desk.game
        if desk.game.status != Game.Status.GATHERING:
            desk.need_alive()
        return _tell(desk, table_events.Aborted(reason=reason), by=by, reason=reason)
