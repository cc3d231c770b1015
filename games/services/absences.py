"""Absences: entered and ended by their person, applied to all their open deadlines at once."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from games.clock.absences import MOST_DAYS, PERIOD, Absence, is_too_much
from games.log import table_events
from games.models import Game, Seat, User

from . import quotas
from .locked_game import LockedGame, ServiceError, atomic

DAY = timedelta(days=1)
REST = DAY  # what is left at least of a deadline when an absence ends early


class MovedDeadline(msgspec.Struct, frozen=True):
    """An open deadline of the person after the absence was entered or ended, and before."""

    game: Game
    due_at: datetime
    before: datetime


def absence_enter(*, user: User, first: date, last: date, now: datetime) -> list[MovedDeadline]:
    """Enter an absence from `first` to `last`, days in the person's zone; all open deadlines of the
    person, which stand still in it. A first day that has passed counts as today."""
    with atomic():
        user = _locked(user)
        quotas.spend(quotas.ABSENCES, person=user)
        today = now.astimezone(user.zone).date()
        first = max(first, today)
        if last < first:
            raise ServiceError(_("The last day is before the first one, or has passed."))
        if last > today + PERIOD:
            raise ServiceError(_("Please enter absences of the next twelve months only."))
        known = [one for one in user.absence_list if one.counted > today - PERIOD]
        if any(one.first <= last and first <= one.last for one in known):
            raise ServiceError(_("You have entered an absence for some of these days already."))
        new = Absence(first, last, last)
        if is_too_much([*known, new]):
            raise ServiceError(
                _("You can be away for at most %(most)s days within a year.") % {"most": MOST_DAYS}
            )
        _save(user, [*known, new])
        effects = _apply(user, new, now)
        if any(effect.due_at > effect.before for effect in effects):
            _save(user, [*known, msgspec.structs.replace(new, moved=True)])
        return effects


def absence_end(*, user: User, first: date, now: datetime) -> list[MovedDeadline]:
    """End the absence that begins on this day, or withdraw it before it begins. Deadlines that were
    announced stay, and those that it moved are at least a day away."""
    with atomic():
        user = _locked(user)
        quotas.spend(quotas.ABSENCES, person=user)
        today = now.astimezone(user.zone).date()
        found = next((o for o in user.absence_list if o.first == first and o.last >= today), None)
        if found is None:
            raise ServiceError(_("This absence is over already."))
        last = max(found.first, today) - DAY
        counted = found.counted if found.moved else last
        ended = msgspec.structs.replace(found, last=last, counted=counted)
        _save(user, [ended if one == found else one for one in user.absence_list])
        return _apply(user, None, now)


def _locked(user: User) -> User:
    return User.objects.select_for_update(no_key=True).get(pk=user.pk)


def _save(user: User, absences: Sequence[Absence]) -> None:
    kept = sorted(one for one in absences if one.counted >= one.first)
    values: Any = msgspec.to_builtins(kept)
    user.absences = values
    user.save(update_fields=["absences"])


def _apply(user: User, absence: Absence | None, now: datetime) -> list[MovedDeadline]:
    """Move the person's open deadlines; None: the absence that moved them has ended.

    All running games are locked, also those where somebody else is asked: a move that asks the
    person at the same time then reads the new calendar.
    """
    seats = Seat.objects.filter(user=user, game__status=Game.Status.RUNNING)
    games = sorted(seats.values_list("game_id", flat=True))
    found = (_apply_to(game_id, user, absence, now) for game_id in games)
    return [effect for effect in found if effect is not None]


def _apply_to(
    game_id: int, user: User, absence: Absence | None, now: datetime
) -> MovedDeadline | None:
    locked = LockedGame(game_id, now=now)
    seat = locked.seat_of(user)
    if seat is None or seat.due_at is None or seat.overdue:
        return None
    if locked.game.status != Game.Status.RUNNING:
        return None
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
    if locked.clocks.moved_seats:
        locked.write()
    return MovedDeadline(locked.game, seat.due_at, before)
