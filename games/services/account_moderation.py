"""Moderation of people: warn, close their messages, suspend, and lift that; and of their accounts:
end sessions, delete, remove a lost second factor, correct.

Each action writes a decision with a reason. Nobody acts on a person with more rights.

A suspension ends by itself: `User.suspended_until` says when. Until then nothing that the person
sends is accepted but an appeal, and only emails about decisions are sent. Seats stay theirs at
tables that go on without players who miss deadlines.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Permission
from django.db.models import Q
from django.utils.translation import gettext as _

from games.log import table_events
from games.mail import queue
from games.models import (
    FOR_GOOD,
    Action,
    CredentialChange,
    Decision,
    Game,
    Seat,
    User,
    database_clock,
)

from . import decisions, quotas, timeouts
from .addresses import address_unblock
from .circles import circles_pass_on
from .clean_text import clean_name
from .credentials import account_close, change_report, sessions_close
from .decisions import Ruling, latest_decision
from .errors import NotAllowed, ServiceError
from .lobby import leave_table
from .locked_game import LockedGame
from .moderators import (
    CHANGE_ROLES,
    Role,
    appoint,
    has_right,
    require_no_more_rights,
    require_not_involved,
    require_right,
)
from .quotas import atomic
from .seats import give_to_bot, pass_host_on
from .sweeps import PART

SUSPEND = "suspend_user"  # the right to warn and suspend
EDIT = "change_user"  # the right to correct accounts
LONG = timedelta(days=30)  # a longer suspension is for administrators


@contextmanager
def _deciding(user: User, ruling: Ruling, right: str) -> Iterator[tuple[User, Ruling]]:
    """Yield the locked row of the person and the cleaned ruling, in a transaction that counts.

    right: what the decision needs. The ruling's version is the newest decision about the person
    that the moderator knew; GameMoved if there is another by now.
    """
    require_right(ruling.by, right)
    require_no_more_rights(user, ruling.by)
    require_not_involved(user, ruling.by, right)
    ruling = ruling.cleaned()
    with atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        ruling.require_version(latest_decision(user))
        quotas.spend(quotas.MODERATIONS, person=ruling.by)
        yield user, ruling


def moderate_warn(*, user: User, ruling: Ruling) -> Decision:
    """Warn a person by email."""
    with _deciding(user, ruling, SUSPEND) as (user, ruling):
        return decisions.record(Action.WARN, ruling, person=user)


def moderate_suspend(*, user: User, ruling: Ruling, until: datetime | None) -> Decision:
    """Suspend a person until a time, or (None) for good; an earlier suspension is replaced."""
    with _deciding(user, ruling, SUSPEND) as (user, ruling):
        end, now = until or FOR_GOOD, database_clock.now()
        if end <= now:
            raise ServiceError(_("Choose a day in the future."))
        _require_may_end_at(ruling.by, end, user.suspended_until)
        user.suspended_until = end
        user.save(update_fields=["suspended_until"])
        sessions_close(user=user)
        bots = [game.name for game in _games_of(user) if _give_up(game.pk, user, ruling.by)]
        kept = Seat.objects.filter(user=user, game__in=_games_of(user)).exists()
        circles_pass_on(user=user)
        context = {"bots": bots, "kept": kept}
        return decisions.record(Action.SUSPEND, ruling, person=user, until=until, context=context)


def moderate_lift(*, user: User, ruling: Ruling) -> Decision:
    """End a suspension before its time. Seats that a bot has stay with the bot."""
    with _deciding(user, ruling, SUSPEND) as (user, ruling):
        if not user.is_suspended:
            raise ServiceError(_("This person is not suspended."))
        _require_may_end_at(ruling.by, user.suspended_until)
        end_suspension(user)
        return decisions.record(Action.LIFT, ruling, person=user)


def end_suspension(user: User) -> None:
    """Let this person, whose row is locked, take part again, and tell them what waits for them."""
    user.suspended_until = None
    user.save(update_fields=["suspended_until"])
    queue.suspension_over(user)


def suspensions_end_due(*, now: datetime) -> int:
    """Tell the people whose suspensions are over what waits for them; how many there are."""
    with atomic():
        due = User.objects.filter(suspended_until__lte=now).order_by("suspended_until")
        over = list(due.select_for_update(no_key=True, skip_locked=True)[:PART])
        for user in over:
            end_suspension(user)
    return len(over)


def _require_may_end_at(by: User, *ends: datetime | None) -> None:
    """NotAllowed for a moderator if one of these restrictions lasts for long."""
    longest = max((end for end in ends if end is not None), default=None)
    if longest is None or longest <= database_clock.now() + LONG:
        return
    if not has_right(by, "change_user"):
        raise NotAllowed(_("Only administrators can choose more than 30 days."))


def moderate_close_talk(*, user: User, ruling: Ruling, until: datetime | None) -> Decision:
    """Let a person write no messages and notes until a time; an earlier such time is replaced."""
    with _deciding(user, ruling, SUSPEND) as (user, ruling):
        if until is None or until <= database_clock.now():
            raise ServiceError(_("Choose a day in the future."))
        _require_may_end_at(ruling.by, until, user.no_talk_until)
        set_no_talk(user, until)
        return decisions.record(Action.CLOSE_TALK, ruling, person=user, until=until)


def moderate_open_talk(*, user: User, ruling: Ruling) -> Decision:
    """Let a person write messages again before that time."""
    with _deciding(user, ruling, SUSPEND) as (user, ruling):
        if user.may_talk:
            raise ServiceError(_("This person can already write messages."))
        _require_may_end_at(ruling.by, user.no_talk_until)
        set_no_talk(user, None)
        return decisions.record(Action.OPEN_TALK, ruling, person=user)


def set_no_talk(user: User, until: datetime | None) -> None:
    """Let this person, whose row is locked, write no messages until a time; None: from now on."""
    user.no_talk_until = until
    user.save(update_fields=["no_talk_until"])


# -- tables of suspended people ------------------------------------------------------------


def _games_of(user: User) -> list[Game]:
    """The games that are not over in which this person sits or is the host, in the order in
    which they are locked."""
    open_games = Game.objects.exclude(status__in=(Game.Status.FINISHED, Game.Status.ABORTED))
    return list(open_games.filter(Q(seats__user=user) | Q(host=user)).distinct().order_by("pk"))


def _give_up(game_id: int, user: User, by: User) -> bool:
    """Leave a table that has not started; at one that waits for late players, give the seat to a
    bot, and return whether that was done. Elsewhere the table's policy for missed deadlines
    applies, and another player is host."""
    locked = LockedGame(game_id)
    seat = locked.seat_of(user)
    if locked.game.status == Game.Status.GATHERING:
        if seat is not None:
            leave_table(locked, seat, by=by)
        return False
    others = any(s.user_id not in (None, user.pk) for s in locked.seats)
    if seat is None or locked.game.is_over or not others:
        return False
    if timeouts.waits(locked.game):
        give_to_bot(locked, seat)
        seq = locked.log.version + 1
        locked.write(
            table_events.SeatHanded(seat=seat.number, to="bot"),
            by=by,
            also=lambda: queue.table_changed(locked.game, locked.seats, seq),
        )
        return True
    pass_host_on(locked, seat, user.pk)
    locked.write()
    return False


# -- accounts ------------------------------------------------------------------------------


def moderate_sessions(*, user: User, ruling: Ruling) -> Decision:
    """End all sessions of a user, who gets an email about it."""
    with _deciding(user, ruling, EDIT) as (user, ruling):
        sessions_close(user=user)
        change_report(user=user, kind=CredentialChange.Kind.SIGNED_OUT)
        return decisions.record(Action.SIGN_OUT, ruling, person=user)


def moderate_close(*, user: User, ruling: Ruling) -> Decision:
    """Delete an account in a week, as if its user had asked for it."""
    with _deciding(user, ruling, "delete_user") as (user, ruling):
        account_close(user=user)
        return decisions.record(Action.CLOSE, ruling, person=user)


def moderate_factor(*, factor: Authenticator, ruling: Ruling) -> Decision:
    """Remove a second factor that its user has lost."""
    with _deciding(factor.user, ruling, "delete_secondfactor") as (user, ruling):
        factor.delete()
        return decisions.record(Action.REMOVE_FACTOR, ruling, person=user)


def moderate_emails(*, user: User, ruling: Ruling) -> Decision:
    """Send emails again to an address that bounced."""
    with _deciding(user, ruling, EDIT) as (user, ruling):
        address_unblock(user=user)
        return decisions.record(Action.RESUME_EMAILS, ruling, person=user)


def moderate_person(
    *, user: User, ruling: Ruling, display_name: str, language: str, time_zone: str
) -> Decision:
    """Correct the name, language and time zone of a person. A new name is one that people can
    choose themselves, or none."""
    with _deciding(user, ruling, EDIT) as (user, ruling):
        before = user.display_name
        if display_name != before:
            user.display_name = clean_name(display_name) if display_name else ""
        user.language, user.time_zone = language, time_zone
        user.save(update_fields=["display_name", "language", "time_zone"])
        return decisions.record(
            Action.EDIT_PERSON, ruling, person=user, before=before, after=user.display_name
        )


def moderate_role(*, user: User, ruling: Ruling, role: Role) -> Decision:
    """Give a person a role, or none; for administrators. They sign in again."""
    with _deciding(user, ruling, CHANGE_ROLES) as (user, ruling):
        appoint(user, role)
        sessions_close(user=user)
        return decisions.record(Action.ROLES, ruling, person=user)


def moderate_permissions(
    *, user: User, ruling: Ruling, permissions: Iterable[Permission]
) -> Decision:
    """Give a person these permissions besides those of the role. They sign in again."""
    with _deciding(user, ruling, CHANGE_ROLES) as (user, ruling):
        user.user_permissions.set(permissions)
        sessions_close(user=user)
        return decisions.record(Action.ROLES, ruling, person=user)
