"""The rights of moderators, by their roles and by game, and the daily email about what needs them.

Moderators see to tables, messages and emails, administrators also to people. A role is a group of
Django with the same name. Every `migrate` makes the groups if they are missing and gives them their
permissions, so that new models are included. People with a role are staff: the admin lets nobody
else in, and asks for their second factor.

A player must not moderate the game, and somebody who has seen its secrets must not play in it.
An administrator without any other moderator to turn to may step in all the same, after saying so to
the whole table.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.contrib.auth.models import Group, Permission
from django.db.models import Q, QuerySet, TextChoices
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.log import event_store, table_events
from games.log.game_log import Log
from games.mail.kinds.attention import ATTENTION
from games.mail.outbox_rows import enqueue, row_for
from games.models import Action, Decision, DeliveryMode, Game, OutboxMail, Seat, User

from .errors import NotAllowed, ServiceError
from .locked_game import LockedGame

CHANGE_ROLES = "change_roles"
OF_MODERATORS = (
    "view_game",
    "change_game",
    "view_circle",
    "change_circle",
    "suspend_user",
    "view_invitation",
    "view_decision",
    "delete_decision",
    "view_message",
    "delete_message",
    "view_report",
    "change_report",
    "view_appeal",
    "change_appeal",
    "view_inboundmail",
    "change_inboundmail",
    "view_outboxmail",
    "change_outboxmail",
    "view_mailtransport",
    "change_mailtransport",
    "view_quotause",
)
OWN_GAME = timedelta(hours=1)  # how long a moderator who plays may act after announcing it

Open = list[tuple[str, str, str]]  # label, how many, path of their list


# -- roles ---------------------------------------------------------------------------------


class Role(TextChoices):
    """What somebody may do besides playing."""

    PLAYER = "", gettext_lazy("player")
    MODERATOR = "moderator", gettext_lazy("moderator")
    ADMINISTRATOR = "administrator", gettext_lazy("administrator")


def _granted(role: Role) -> QuerySet[Permission]:
    ours = Permission.objects.filter(content_type__app_label="games")
    return ours if role == Role.ADMINISTRATOR else ours.filter(codename__in=OF_MODERATORS)


def groups_fill(**_signal: Any) -> None:
    """Make the groups and give them their permissions; a receiver of post_migrate."""
    for role in (Role.MODERATOR, Role.ADMINISTRATOR):
        Group.objects.get_or_create(name=role)[0].permissions.set(_granted(role))


def role_of(user: User) -> Role:
    """The role of this person. Superusers are administrators."""
    if not user.is_staff:
        return Role.PLAYER
    names = set(user.groups.values_list("name", flat=True))
    is_administrator = user.is_superuser or Role.ADMINISTRATOR in names
    return Role.ADMINISTRATOR if is_administrator else Role.MODERATOR


def appoint(user: User, role: Role) -> None:
    """Give this person the role, in the caller's transaction. No other rights remain."""
    user.is_staff = role != Role.PLAYER
    user.is_superuser = user.is_superuser and role == Role.ADMINISTRATOR
    user.save(update_fields=["is_staff", "is_superuser"])
    user.groups.set(Group.objects.filter(name=role))
    if role == Role.PLAYER:
        user.user_permissions.clear()


def has_right(user: User, right: str) -> bool:
    """Return whether this is an active member of staff with this permission of the app."""
    return user.is_staff and user.is_active and user.has_perm(f"games.{right}")


def require_right(by: User, right: str) -> None:
    """NotAllowed unless `has_right`."""
    if not (by.is_staff and by.is_active):
        raise NotAllowed(_("Only a moderator can do that."))
    if not has_right(by, right):
        raise NotAllowed(_("Only an administrator can do that."))


def has_more_rights(other: User, by: User) -> bool:
    """Return whether `other` may do anything that `by` may not."""
    if by.is_superuser:
        return False
    if other.is_superuser or (other.is_staff and not by.is_staff):
        return True
    return not _permissions(other) <= _permissions(by)


def require_no_more_rights(other: User, by: User) -> None:
    """NotAllowed if `other` may do anything that `by` may not."""
    if has_more_rights(other, by):
        raise NotAllowed(_("This person has rights that you do not have."))


def _permissions(user: User) -> set[int]:
    """Return the permissions, also those of a closed account, which come back when it is opened."""
    granted = Permission.objects.filter(Q(user=user) | Q(group__user=user))
    return set(granted.values_list("pk", flat=True))


# -- games ---------------------------------------------------------------------------------


class Involvement(NamedTuple):
    """The involvement of a moderator in a game. plays: has a seat in it. until: the end of the
    access that they announced to the table; None without one."""

    plays: bool
    until: datetime | None = None

    @property
    def may_moderate(self) -> bool:
        """Whether they may reveal and act."""
        return not self.plays or self.until is not None


def involvement(log: Log, seats: Sequence[Seat], by: User, now: datetime) -> Involvement:
    """Return the involvement of this moderator in a game."""
    if all(seat.user_id != by.pk for seat in seats):
        return Involvement(plays=False)
    announced = [
        entry.at + OWN_GAME
        for entry in log.entries
        if isinstance(entry.event, table_events.PlayerModerates) and entry.by == by.pk
    ]
    return Involvement(plays=True, until=max((at for at in announced if at > now), default=None))


def games_kept_from(by: User, now: datetime) -> set[int]:
    """The running games (pk) about which this moderator may read nothing that is hidden from its
    players, because they play there."""
    running = Game.objects.filter(status__in=(Game.Status.RUNNING, Game.Status.PAUSED))
    playing = set(running.filter(seats__user=by).values_list("pk", flat=True))
    if not playing:  # most moderators, on each list and several times on the first page
        return playing
    kind = table_events.PlayerModerates.__struct_config__.tag
    since = now - OWN_GAME
    return playing - event_store.games_with(str(kind), by=by.pk, since=since, among=playing)


def may_moderate(locked: LockedGame, by: User) -> bool:
    """Return whether this is a moderator who does not play in the game, or has announced to
    moderate it all the same less than an hour ago."""
    if not has_right(by, "change_game"):
        return False
    return involvement(locked.log, locked.seats, by, locked.now).may_moderate


def require_moderator(locked: LockedGame, by: User) -> None:
    """NotAllowed unless `may_moderate`."""
    require_right(by, "change_game")
    if not may_moderate(locked, by):
        raise NotAllowed(
            _("You play in this game. Ask another moderator to look at it.")
            if not is_alone(locked.game, by)
            else _("You play in this game. Announce to the table first that you moderate it too.")
        )


def is_alone(game: Game, by: User) -> bool:
    """Return whether this is an administrator, and all other moderators play in the game too."""
    others = User.objects.active().filter(is_staff=True).exclude(pk=by.pk)
    return has_right(by, CHANGE_ROLES) and not others.exclude(seats__game=game).exists()


def require_not_involved(user: User, by: User, right: str, *, knows: bool = False) -> None:
    """NotAllowed for a decision about oneself or somebody with whom one plays, if somebody else has
    the right to make it. knows: they play with each other in a circle."""
    running = Game.objects.filter(status__in=(Game.Status.RUNNING, Game.Status.PAUSED))
    is_self = user.pk == by.pk
    plays = knows or running.filter(seats__user=user).filter(seats__user=by).exists()
    if not (is_self or plays):
        return
    others = User.objects.active().filter(is_staff=True).exclude(pk__in=(user.pk, by.pk))
    if not any(has_right(other, right) for other in others):
        return
    if is_self:
        raise NotAllowed(_("This is about you. Ask another moderator."))
    raise NotAllowed(_("You play with this person. Ask another moderator to decide."))


# -- secrets -------------------------------------------------------------------------------


def require_has_seen_nothing(game: Game, player: User) -> None:
    """ServiceError if this person has seen secrets of the game as a moderator."""
    seen = Decision.objects.filter(by=player, game=game, action=Action.REVEAL)
    if seen.exists():
        raise ServiceError(
            _("This moderator has seen hidden information of the game and cannot play in it.")
        )


# -- the daily email -----------------------------------------------------------------------


def daily_figures_send(*, now: datetime, open_now: Callable[[User], Open]) -> int:
    """Queue an email to each moderator who wants it, once the hour of their daily digest has come,
    at most one on each of their days; return their number. open_now: what needs this moderator, in
    the active language; no email where that is nothing."""
    hour = {user: now.astimezone(user.zone).hour for user in informed()}
    keys = {_day_key(user, now): user for user in hour if hour[user] >= user.digest_hour}
    known = OutboxMail.objects.filter(dedupe_key__in=keys).values_list("dedupe_key", flat=True)
    rows = []
    for key in keys.keys() - set(known):
        with translation.override(keys[key].language):
            found = open_now(keys[key])
        if found:
            rows.append(row_for(ATTENTION, keys[key], key, context={"open": found}))
    enqueue(rows)
    return len(rows)


def informed() -> list[User]:
    """The moderators who want emails about what needs them."""
    staff = User.objects.active().filter(is_staff=True).order_by("pk")
    return [user for user in staff if user.delivery_mode(ATTENTION.name) != DeliveryMode.OFF]


def _day_key(user: User, now: datetime) -> str:
    return f"attention:{user.pk}:{now.astimezone(user.zone).date()}"
