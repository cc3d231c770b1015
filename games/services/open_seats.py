"""Seats that others may take over after their players missed deadlines."""

from django.utils.translation import gettext as _

from games.log import table_events
from games.models import Seat, User

from . import quotas
from .conditions import require_name, require_reliable, require_time_for_another
from .errors import NotAllowed, ServiceError
from .invitations import accept, require_invited
from .locked_game import LockedGame
from .moderators import require_has_seen_nothing
from .quotas import atomic
from .seat_holders import give_to_player


def seat_take_over(*, game_id: int, user: User, seat: int, token: str = "") -> Seat:
    """Take a seat that is open after missed deadlines, with the full time; twice is once.

    token: as for `game_join`. Somebody who plays or has played at the table, or who has moderated
    it with hidden information, may know what others hold.
    """
    with atomic():
        locked = LockedGame(game_id)
        row = locked.seat(seat)
        if row.user_id == user.pk:
            return row
        locked.require_not_over()
        invitation = require_invited(locked.game, token)
        if user.pk in locked.log.seating.players or locked.seat_of(user) is not None:
            raise NotAllowed(
                _("You play or have played at this table, so you cannot take it over.")
            )
        require_has_seen_nothing(locked.game, user)
        if row.open_since is None or not user.is_active:
            raise ServiceError(_("Somebody else has this seat now."))
        require_name(user)
        require_time_for_another(user)
        require_reliable(locked, user, invited=invitation is not None)
        quotas.spend(quotas.TAKEOVERS, person=user, table=locked.game)
        give_to_player(locked, row, user)
        accept(invitation)
        locked.write(table_events.Replaced(seat=seat), by=user, handed=seat)
        return row
