"""Absences: entered and ended by their person, applied to all their open deadlines at once."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

import msgspec
from django.utils.translation import gettext as _

from games.clock.calendar import MOST_DAYS, PERIOD, Absence, is_too_much
from games.log import loader, pipeline, table_events
from games.log.pipeline import Statement
from games.models import Game, User

from . import quotas
from .errors import ServiceError
from .locked_game import LockedGame
from .quotas import atomic

DAY = timedelta(days=1)
REST = DAY  # what is left at least of a deadline when an absence ends early


class MovedDeadline(msgspec.Struct, frozen=True):
    """An open deadline of the person after the absence was entered or ended, and before. is_late:
    it had passed, and the table waits, so the absence does not count there."""

    game: Game
    due_at: datetime
    before: datetime
    is_late: bool = False


def absence_enter(*, user: User, first: date, last: date, now: datetime) -> list[MovedDeadline]:
    """Enter an absence from `first` to `last`, days in the person's time zone. Return all open
    deadlines of the person, which stand still during the absence.

    A first day that has passed counts as today.
    """
    with atomic():
        return absence_enter_in_transaction(user, first, last, now)


def absence_enter_in_transaction(
    user: User, first: date, last: date, now: datetime
) -> list[MovedDeadline]:
    """Enter an absence in the transaction of the caller. A ServiceError changes nothing."""
    user = _locked(user)
    today = now.astimezone(user.zone).date()
    known = [one for one in user.absence_list if one.counted > today - PERIOD]
    new = Absence(max(first, today), last, last)
    try:
        _check(known, new, today)
    except ServiceError:
        quotas.take_back(quotas.ABSENCES, person=user)
        raise
    return _apply(user, [*known, new], new, now)


def _check(known: Sequence[Absence], new: Absence, today: date) -> None:
    """ServiceError where a person with the absences `known` may not enter this one."""
    if new.last < new.first:
        raise ServiceError(
            _("Choose a last day that is neither before the first day nor in the past.")
        )
    if new.last > today + PERIOD:
        raise ServiceError(_("Enter an absence within the next twelve months."))
    if any(one.first <= new.last and new.first <= one.last for one in known):
        raise ServiceError(_("You have entered an absence for some of these days already."))
    if is_too_much([*known, new]):
        raise ServiceError(
            _("You can be away for at most %(most)s days within a year.") % {"most": MOST_DAYS}
        )


def absence_end(*, user: User, first: date, now: datetime) -> list[MovedDeadline]:
    """End the absence that begins on this day, or withdraw it before it begins. Return all open
    deadlines of the person.

    No deadline moves to an earlier time. One that the absence had moved is at least a day away.
    """
    with atomic():
        user = _locked(user)
        today = now.astimezone(user.zone).date()
        found = next((o for o in user.absence_list if o.first == first and o.last >= today), None)
        if found is None:
            raise ServiceError(_("This absence is over already."))
        last = max(found.first, today) - DAY
        counted = found.counted if found.moved else last
        ended = msgspec.structs.replace(found, last=last, counted=counted)
        kept = [ended if one == found else one for one in user.absence_list]
        return _apply(user, kept, None, now)


def _locked(user: User) -> User:
    """Lock the row of the user and return it as it is now. Counts against the quota of changes."""
    lock = loader.lock_person(user.pk)
    (rows,) = quotas.spend(quotas.ABSENCES, person=user, first=[lock])
    return loader.person_from(rows)


def _saved(user: User, absences: Sequence[Absence]) -> Statement:
    kept = sorted(one for one in absences if one.counted >= one.first)
    text = msgspec.json.encode(kept).decode()
    return "UPDATE games_user SET absences = %s::jsonb WHERE id = %s", [text, user.pk]


_GAMES = """
    SELECT game_id FROM games_seat JOIN games_game ON games_game.id = game_id
    WHERE user_id = %s AND status IN ('running', 'paused') ORDER BY game_id
"""


def _apply(
    user: User, absences: Sequence[Absence], entered: Absence | None, now: datetime
) -> list[MovedDeadline]:
    """Save the person's absences and move their open deadlines.

    entered: the new absence; None if one has ended. All games of the person are locked, even if
    somebody else is asked: a move that asks the person at the same time then reads the new
    calendar, and a vote that waits for nobody else passes.
    """
    _rows, games = pipeline.execute([_saved(user, absences), (_GAMES, [user.pk])])
    marked: list[Statement] = []
    if entered is not None:
        moved = msgspec.structs.replace(entered, moved=True)
        marked = [_saved(user, [moved if one == entered else one for one in absences])]
    found = []
    for (game_id,) in games:
        effect = _apply_to(game_id, user, entered, now, marked)
        if effect is not None:
            found.append(effect)
            if effect.due_at > effect.before:
                marked = []  # once is enough
    return found


def _apply_to(
    game_id: int, user: User, absence: Absence | None, now: datetime, marked: list[Statement]
) -> MovedDeadline | None:
    """Move the deadline of the person in one game; None if none is open.

    marked: statements to write if the deadline becomes later.
    """
    locked = LockedGame(game_id, now=now)
    seat = locked.seat_of(user)
    if seat is None or seat.due_at is None or seat.overdue:
        if locked.vote is not None:
            locked.write()
        if absence is None or seat is None or seat.due_at is None:
            return None
        return MovedDeadline(locked.game, seat.due_at, seat.due_at, is_late=True)
    before, question = seat.due_at, locked.question(seat.number)
    if absence is not None:
        locked.clocks.absence(seat, absence.interval(user.zone), question)
    elif any(
        isinstance(entry.event, table_events.DeadlineMoved)
        and (entry.event.seat, entry.event.code) == (seat.number, "absence")
        for entry in locked.log.entries
        if entry.seq > (seat.clock_seq or locked.log.version)
    ):
        locked.clocks.at_least(seat, REST, question)
    if locked.clocks.moved_seats or locked.vote is not None:
        later = seat.due_at > before
        locked.write(also=lambda: marked if later else [])
    return MovedDeadline(locked.game, seat.due_at, before)
