"""Players and bots come and go before the game, and it starts."""

from django.utils.translation import gettext as _

from games.log import event_store, table_events
from games.mail import queue
from games.models import Action, Game, Seat, User
from games.rules.bots import Level
from games.rules.errors import MoveError
from games.translate import say

from . import decisions, quotas
from .errors import ServiceError
from .invitations import accept, report_if_all_answered, require_invited
from .locked_game import LockedGame
from .quotas import atomic
from .seats import Way, leave_place, next_host, require_may_sit, take_place


def write_and_start_if_full(locked: LockedGame, *events: table_events.Event, by: User) -> None:
    """Write these events, by which somebody has sat down; a full table starts."""
    if len(locked.seats) == locked.game.seat_count:
        _start(locked, *events, by=by)
    else:
        locked.write(*events, by=by)


def _start(locked: LockedGame, *events: table_events.Event, by: User) -> None:
    """Close the seats and set the game up."""
    before = (*events, table_events.Started(seats=len(locked.seats)))
    try:
        laid = locked.setup(after=before)
    except MoveError as error:
        raise ServiceError(say(error.text)) from error
    locked.write(*before, *laid, by=by)
    queue.game_started(locked.game, locked.seats)
    queue.begun_without(locked.game)


# -- coming and going ----------------------------------------------------------------------


def game_join(*, game_id: int, user: User, token: str = "") -> Seat:
    """Take the next free seat; joining twice is joining once. A full table starts.

    token: the table's link or a personal invitation, needed where the table is not open to all.
    """
    with atomic():
        locked = LockedGame(game_id)
        seated = locked.seat_of(user)
        if seated is not None:
            return seated
        locked.require_gathering()
        invitation = require_invited(locked.game, user, token)
        require_may_sit(user, Way.JOIN, locked, invited=invitation is not None)
        quotas.spend(quotas.SEATINGS, person=user, table=locked.game)
        seat = take_place(locked, user, place=rotated_place(locked, user))
        answered = accept(user, invitation, game=locked.game)
        write_and_start_if_full(locked, table_events.Joined(seat=seat.number), by=user)
        if answered:
            report_if_all_answered(locked)
        return seat


def rotated_place(locked: LockedGame, user: User) -> int | None:
    """The place of somebody at a rematch for a circle: one before that of the start of the last
    game, so that the next player begins. None for the first free one."""
    last = locked.game.rematch_of
    if last is None or locked.game.circle_id is None:
        return None
    holders = event_store.load(last).seating.at_start
    own = next((n for n, holder in enumerate(holders) if holder.user == user.pk), None)
    if own is None:
        return None
    place = (own - 1) % len(holders)
    return None if any(seat.place == place for seat in locked.seats) else place


def game_leave(*, game_id: int, user: User) -> Game:
    """Give up a seat before the start. A host passes the table on; the last one ends it."""
    with atomic():
        locked = LockedGame(game_id)
        seat = locked.seat_of(user)
        if seat is None:
            return locked.game
        locked.require_gathering()
        leave_table(locked, seat, by=user)
        return locked.game


def leave_table(locked: LockedGame, seat: Seat, *, by: User) -> None:
    """Free the seat of a person before the start. A host passes the table on; without people, it is
    closed."""
    leave_place(locked, seat)
    events: list[table_events.Event] = [table_events.Left(seat=seat.number)]
    host = next_host(locked.seats)
    passes_on = host is not None and locked.game.host_id == seat.user_id
    if host is None:
        events.append(table_events.Aborted(code="empty"))
    elif passes_on:
        locked.game.host = host  # saved with the event
    locked.write(*events, by=by)
    if passes_on:
        queue.table_news(locked.game, locked.seats, "host")


def seat_bot(
    locked: LockedGame, level: Level, place: int | None
) -> tuple[Seat, table_events.Joined]:
    """Seat a bot of this level."""
    seat = take_place(locked, None, is_bot=True, level=level, place=place)
    return seat, table_events.Joined(seat=seat.number, bot=True, level=level)


def game_add_bot(
    *, game_id: int, by: User, place: int | None = None, level: Level = Level.NORMAL
) -> Seat:
    """Put a bot on this place, by default the first free one; a full game starts. For the
    host."""
    with atomic():
        locked = LockedGame(game_id)
        locked.require_host(by)
        locked.require_gathering()
        quotas.spend(quotas.SEATINGS, person=by, table=locked.game)
        seat, joined = seat_bot(locked, level, place)
        write_and_start_if_full(locked, joined, by=by)
        return seat


def game_remove_bot(*, game_id: int, by: User, seat: int) -> None:
    """Remove a bot before the start. For the host."""
    with atomic():
        locked = LockedGame(game_id)
        locked.require_host(by)
        locked.require_gathering()
        seat_row = locked.seat(seat)
        if not seat_row.is_bot:
            raise ServiceError(_("There is no bot in that seat."))
        leave_place(locked, seat_row)
        locked.write(table_events.Left(seat=seat), by=by)


def game_remove_player(*, game_id: int, by: User, player: User) -> None:
    """Remove another player before the start, with an email to them. For the host.

    They can return by a personal invitation only.
    """
    with atomic():
        locked = LockedGame(game_id)
        locked.require_host(by)
        locked.require_gathering()
        if player == by:
            raise ServiceError(_("Leave the table instead of removing yourself."))
        seat = locked.seat_of(player)
        if seat is None:
            raise ServiceError(_("This person has left the table."))
        quotas.spend(quotas.HOST_ACTIONS, person=by, table=locked.game)
        seq = locked.log.version + 1
        decisions.record(
            Action.REMOVE_PLAYER,
            decisions.Ruling(by),
            game=locked.game,
            person=player,
            seq=seq,
            as_host=True,
        )
        leave_place(locked, seat)
        locked.write(table_events.Left(seat=seat.number), by=by)
        queue.moderated(locked.game, (), seq, "", removed=player)


def game_start(*, game_id: int, by: User) -> Game:
    """Start with the players who have joined. For the host; a second start is no error."""
    with atomic():
        locked = LockedGame(game_id)
        locked.require_host(by)
        if locked.game.status == Game.Status.RUNNING:
            return locked.game
        locked.require_gathering()
        least = min(locked.log.engine.seats)
        if len(locked.seats) < least:
            raise ServiceError(_("This game needs at least %(least)s players.") % {"least": least})
        _start(locked, by=by)
        return locked.game
