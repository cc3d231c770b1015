"""Moderation of people: warn, suspend, lift a suspension; and of their accounts: end sessions,
delete, remove a lost second factor, correct.

Each action writes a decision with a reason. Nobody acts on a person with more rights.

A suspension ends by itself: `User.suspended_until` says when. Until then nothing that the person
sends is accepted but an appeal, and only emails about decisions are sent. Seats stay theirs at
tables that go on without players who miss deadlines.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from allauth.mfa.models import Authenticator
from django.utils.translation import gettext as _

from games.log import table_events
from games.mail import queue
from games.models import (
    FOR_GOOD,
    Action,
    CredentialChange,
    Decision,
    Game,
    User,
    database_clock,
)

from . import decisions, quotas, timeouts
from .addresses import address_unblock
from .clean_text import clean_reason
from .credentials import account_close, change_report, sessions_end
from .errors import GameMoved, NotAllowed, ServiceError
from .lobby import leave_table
from .locked_game import LockedGame
from .moderators import (
    CHANGE_ROLES,
    Role,
    appoint,
    has_right,
    require_does_not_play_with,
    require_no_more_rights,
    require_right,
)
from .quotas import atomic
from .seats import give_to_bot, pass_host_on
from .sweeps import PART

SUSPEND = "suspend_user"  # the right to warn and suspend
LONG = timedelta(days=30)  # a longer suspension is for administrators


def latest_decision(user: User) -> int:
    """The key of the newest decision about this person, 0 for none."""
    keys = Decision.objects.filter(person=user).values_list("pk", flat=True)
    return keys.order_by("-pk").first() or 0


@contextmanager
def _deciding_conduct(
    user: User, by: User, reason: str, latest: int | None
) -> Iterator[tuple[User, str]]:
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
    with _deciding_conduct(user, by, reason, latest) as (user, reason):
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
    with _deciding_conduct(user, by, reason, latest) as (user, reason):
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
    with _deciding_conduct(user, by, reason, latest) as (user, reason):
        quotas.spend(quotas.MODERATIONS, person=by)
        return lift(user, by=by, reason=reason, rule=rule)


def lift(user: User, *, by: User, reason: str, rule: str = "") -> Decision:
    """Do the same as `moderate_lift`, for a person whose row is locked."""
    if not user.is_suspended:
        raise ServiceError(_("This person is not suspended."))
    _require_may_end_at(by, user.suspended_until)
    end_suspension(user)
    return decisions.record(Action.LIFT, by=by, reason=reason, person=user, rule=rule)


def end_suspension(user: User) -> None:
    """Let this person, whose row is locked, take part again, and tell them what waits for them."""
    user.suspended_until = None
    user.save(update_fields=["suspended_until"])
    queue.catch_up(user)


def suspensions_end_due(*, now: datetime) -> int:
    """Tell the people whose suspensions are over what waits for them; how many there are."""
    with atomic():
        due = User.objects.filter(suspended_until__lte=now).order_by("suspended_until")
        over = list(due.select_for_update(no_key=True, skip_locked=True)[:PART])
        for user in over:
            end_suspension(user)
    return len(over)


def _require_may_end_at(by: User, *ends: datetime | None) -> None:
    """NotAllowed for a moderator if one of these suspensions lasts for long."""
    longest = max((end for end in ends if end is not None), default=None)
    if longest is None or longest <= database_clock.now() + LONG:
        return
    if not has_right(by, "change_user"):
        raise NotAllowed(_("Only an administrator decides about suspensions of over 30 days."))


# -- tables of suspended people ------------------------------------------------------------


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
    locked.write()


# -- accounts ------------------------------------------------------------------------------


@contextmanager
def _deciding_account(
    action: Action,
    user: User,
    by: User,
    reason: str,
    right: str = "change_user",
    *,
    before: str = "",
) -> Iterator[None]:
    """A transaction in which this decision about a person is written and counted. right: what it
    needs. before: the name that it replaces."""
    require_right(by, right)
    require_no_more_rights(user, by)
    reason = clean_reason(reason)
    with atomic():
        quotas.spend(quotas.MODERATIONS, person=by)
        decisions.record(action, by=by, reason=reason, person=user, before=before)
        yield


def moderate_sessions(*, user: User, by: User, reason: str) -> None:
    """End all sessions of a user, who gets an email about it."""
    with _deciding_account(Action.SIGN_OUT, user, by, reason):
        sessions_end(user=user)
        change_report(user=user, kind=CredentialChange.Kind.SIGNED_OUT)


def moderate_close(*, user: User, by: User, reason: str) -> None:
    """Delete an account in a week, as if its user had asked for it."""
    with _deciding_account(Action.CLOSE, user, by, reason, "delete_user"):
        account_close(user=user)


def moderate_factor(*, factor: Authenticator, by: User, reason: str) -> None:
    """Remove a second factor that its user has lost."""
    with _deciding_account(Action.REMOVE_FACTOR, factor.user, by, reason, "delete_secondfactor"):
        factor.delete()


def moderate_emails(*, user: User, by: User, reason: str) -> None:
    """Send emails again to an address that bounced."""
    with _deciding_account(Action.RESUME_EMAILS, user, by, reason):
        address_unblock(user=user)


def moderate_person(*, user: User, by: User, reason: str) -> None:
    """Save the corrected name, language and time zone of a person."""
    before = User.objects.values_list("display_name", flat=True).get(pk=user.pk)
    with _deciding_account(Action.EDIT_PERSON, user, by, reason, before=before):
        user.save(update_fields=["display_name", "language", "time_zone"])


def moderate_role(*, user: User, by: User, reason: str, role: Role) -> None:
    """Give a person a role, or none; for administrators. They sign in again."""
    with _deciding_account(Action.ROLES, user, by, reason, CHANGE_ROLES):
        appoint(user, role)
        sessions_end(user=user)


def moderate_permissions(*, user: User, by: User, reason: str) -> None:
    """Record that the extra permissions of a person are changed; the caller saves them."""
    with _deciding_account(Action.ROLES, user, by, reason, CHANGE_ROLES):
        sessions_end(user=user)
