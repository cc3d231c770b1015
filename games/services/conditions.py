"""What is asked of people who join a table."""

from django.utils.translation import gettext as _

from games import selectors
from games.models import User

from . import quotas
from .errors import NotAllowed, ServiceError
from .locked_game import LockedGame

_GAMES_AT_ONCE = """
    SELECT count(*) FROM games_seat JOIN games_game ON games_game.id = game_id
    WHERE user_id = %s AND status NOT IN ('finished', 'aborted')
"""


def require_name(user: User) -> None:
    """ServiceError for a person without a name that others at the table could read."""
    if not user.shown_name:
        raise ServiceError(_("Choose a name first. Other players will see it."))


def require_time_for_another(user: User) -> None:
    """QuotaExceeded if this person takes part in as many games as allowed."""
    sentence = _(
        "You already take part in %(count)s games, which is the limit. Finish or leave one before "
        "you start or join another."
    )
    quotas.require_room(quotas.GAMES_AT_ONCE, user, _GAMES_AT_ONCE, sentence)


def require_reliable(locked: LockedGame, user: User, *, invited: bool) -> None:
    """NotAllowed if the host asks for a share of turns in time that this person does not have.
    invited: the host has invited this person by name."""
    least = locked.game.min_in_time
    if not least or invited:
        return
    found = selectors.reliability(user, locked.now)
    if found.is_newcomer:
        if not locked.game.newcomers:
            raise NotAllowed(_("The host of this table asks for some games played here before."))
    elif (found.share or 0) < least:
        raise NotAllowed(
            _(
                "The host asks for at least %(least)s%% of turns made in time, and you have "
                "%(share)s%%."
            )
            % {"least": least, "share": found.share}
        )
