"""What a host asks of people who join."""

from django.utils.translation import gettext as _

from games import selectors
from games.models import User

from .errors import NotAllowed
from .locked_game import LockedGame


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
