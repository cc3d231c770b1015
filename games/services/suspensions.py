"""Warn people, suspend them, and lift a suspension.

A suspension ends by itself: `User.suspended_until` says when. Until then nothing that the person
sends is accepted but an appeal, and only emails about decisions are sent. Seats stay theirs at
tables that go on without players who miss deadlines.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from games.log import announcements, pipeline, table_events
from games.mail import queue
from games.models import FOR_GOOD, Action, Decision, Game, User, database_clock

from . import decisions, quotas, timeouts
from .clean_text import clean_reason
from .credentials import sessions_end
from .errors import GameMoved, NotAllowed, ServiceError
from .lobby import leave_table
from .locked_game import LockedGame
from .moderators import require_does_not_play_with
from .quotas import atomic
from .roles import has_right, require_no_more_rights, require_right
from .seats import give_to_bot, pass_host_on

SUSPEND = "suspend_user"  # the right to warn and suspend
LONG = timedelta(days=30)  # a longer suspension is for administrators


def latest_decision(user: User) -> int:
    """The key of the newest decision about this person, 0 for none."""
    keys = Decision.objects.filter(person=user).values_list("pk", flat=True)
    return keys.order_by("-pk").first() or 0


@contextmanager
def _deciding(user: User, by: User, reason: str, latest: int | None) -> Iterator[tuple[User, str]]:
    """The locked row of the person and the cleaned reason, in a transaction. latest: the newest
    decision about them that the moderator knew; GameMoved if there is another by now."""
    require_right(by, SUSPEND)
    require_no_more_rights(user, by)
    if user.pk == by.pk:
        raise NotAllowed(_("This would be about you. Ask another moderator."))
    require_does_not_play_with(user, by)
    reason = clean_reason(reason)
    with atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if latest is not None and latest != latest_decision(user):
            raise GameMoved
        yield user, reason


def moderate_warn(
    *, user: User, by: User, reason: str, rule: str = "", latest: int | None = None
) -> Decision:
    """Warn a person by email."""
    with _deciding(user, by, reason, latest) as (user, reason):
        quotas.spend(quotas.MODERATIONS, person=by)
        return decisions.record(Action.WARN, by=by, reason=reason, person=user, rule=rule)


def moderate_suspend(
    *,
    user: User,
    by: User,
    reason: str,
    until: datetime | None,
    rule: str = "",
    latest: int | None = None,
) -> Decision:
    """Suspend a person until a time, or (None) for good; an earlier suspension is replaced."""
    with _deciding(user, by, reason, latest) as (user, reason):
        end, now = until or FOR_GOOD, database_clock.now()
        if end <= now:
            raise ServiceError(_("Choose a day in the future."))
        _require_may_end_at(by, end, user.suspended_until)
        user.suspended_until = end
        user.save(update_fields=["suspended_until"])
        sessions_end(user=user)
        for game_id in _games_of(user):
            _give_up(game_id, user, by)
        quotas.spend(quotas.MODERATIONS, person=by)
        return decisions.record(
            Action.SUSPEND, by=by, reason=reason, person=user, rule=rule, until=until
        )


def moderate_lift(
    *, user: User, by: User, reason: str, rule: str = "", latest: int | None = None
) -> Decision:
    """End a suspension before its time. Seats that a bot has stay with the bot."""
    with _deciding(user, by, reason, latest) as (user, reason):
        quotas.spend(quotas.MODERATIONS, person=by)
        return lift(user, by=by, reason=reason, rule=rule)


def lift(user: User, *, by: User, reason: str, rule: str = "") -> Decision:
    """Do the same as `moderate_lift`, for a person whose row is locked."""
    if user.is_active:
        raise ServiceError(_("This person is not suspended."))
    _require_may_end_at(by, user.suspended_until)
    user.suspended_until = None
    user.save(update_fields=["suspended_until"])
    return decisions.record(Action.LIFT, by=by, reason=reason, person=user, rule=rule)


def _require_may_end_at(by: User, *ends: datetime | None) -> None:
    """NotAllowed for a moderator if one of these suspensions lasts for long."""
    longest = max((end for end in ends if end is not None), default=None)
    if longest is None or longest <= database_clock.now() + LONG:
        return
    if not has_right(by, "change_user"):
        raise NotAllowed(_("Only an administrator decides about suspensions of over 30 days."))


# -- tables --------------------------------------------------------------------------------


def _games_of(user: User) -> list[int]:
    """The games (pk) that are not over in which this person sits or is the host, in the order in
    which they are locked."""
    open_games = Game.objects.exclude(status__in=(Game.Status.FINISHED, Game.Status.ABORTED))
    seated = open_games.filter(seats__user=user).values_list("pk", flat=True)
    hosted = open_games.filter(host=user).values_list("pk", flat=True)
    return sorted({*seated, *hosted})


def _give_up(game_id: int, user: User, by: User) -> None:
    """Leave a table that has not started; at one that waits for late players, give the seat to a
    bot. Elsewhere the table's policy for missed deadlines applies, and another player is host."""
    locked = LockedGame(game_id)
    seat = locked.seat_of(user)
    if locked.game.status == Game.Status.GATHERING:
        if seat is not None:
            leave_table(locked, seat, by=by)
        return
    others = any(s.user_id not in (None, user.pk) for s in locked.seats)
    if seat is None or locked.game.is_over or not others:
        return
    if timeouts.waits(locked.game):
        give_to_bot(locked, seat)
        seq = locked.log.version + 1
        locked.write(
            table_events.SeatHanded(seat=seat.number, to="bot"),
            by=by,
            also=lambda: queue.table_changed(locked.game, locked.seats, seq),
        )
        return
    pass_host_on(locked, seat, user.pk)
    Game.objects.filter(pk=game_id).update(host=locked.game.host)
    pipeline.execute(announcements.of_table(locked.game))
