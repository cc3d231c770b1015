"""Permissions of moderators, by game.

A player must not moderate the game, and somebody who has seen its secrets must not play in it.
An administrator without any other moderator to turn to may step in all the same, after saying so to
the whole table.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils.translation import gettext as _

from games.log import event_store, table_events
from games.log.game_log import Log
from games.models import Action, Decision, Game, Seat, User

from .errors import NotAllowed, ServiceError
from .locked_game import LockedGame
from .roles import CHANGE_ROLES, has_right, require_right

OWN_GAME = timedelta(hours=1)  # how long a moderator who plays may act after announcing it


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


def require_does_not_play_with(user: User, by: User) -> None:
    """NotAllowed if both have a seat in a running game and there is another moderator."""
    running = Game.objects.filter(status__in=(Game.Status.RUNNING, Game.Status.PAUSED))
    shared = running.filter(seats__user=user).filter(seats__user=by)
    others = User.objects.active().filter(is_staff=True).exclude(pk__in=(user.pk, by.pk))
    if shared.exists() and others.exists():
        raise NotAllowed(_("You play with this person. Ask another moderator to decide."))


# -- secrets -------------------------------------------------------------------------------


def require_has_seen_nothing(game: Game, player: User) -> None:
    """ServiceError if this person has seen secrets of the game as a moderator."""
    seen = Decision.objects.filter(by=player, game=game, action=Action.REVEAL)
    if seen.exists():
        raise ServiceError(
            _("This moderator has seen hidden information of the game and cannot play in it.")
        )
