"""Places at a table that waits for players: take one and leave one.

A table has `seat_count` places. A seat exists for each place that is taken; seats are numbered
without gaps in the order of their places, so taking or leaving one renumbers those behind it. The
caller writes the event.
"""

from django.db.models import F
from django.utils.translation import gettext as _

from games.models import Seat, User
from games.rules.levels import Level

from .errors import ServiceError
from .locked_game import LockedGame


def _free_places(locked: LockedGame) -> list[int]:
    """Return the places where nobody sits, in order."""
    taken = {seat.place for seat in locked.seats}
    return [place for place in range(locked.game.seat_count) if place not in taken]


def take_place(
    locked: LockedGame,
    user: User | None,
    *,
    is_bot: bool = False,
    level: Level = Level.NORMAL,
    place: int | None = None,
    mails_off: bool = False,
) -> Seat:
    """Add a seat for a user, or for a bot of this level; the seats behind it go up by one number.

    Raises ServiceError if the place is taken or the table is full.

    place: by default the first free one. mails_off: the user gets no emails about the game.
    """
    free = _free_places(locked)
    if not free:
        raise ServiceError(_("This table is full."))
    if place is None:
        place = free[0]
    if place not in free:
        raise ServiceError(_("This seat is already taken."))
    number = sum(seat.place < place for seat in locked.seats)
    is_last = number == len(locked.seats)
    if not is_last:
        behind = Seat.objects.filter(game=locked.game, number__gte=number)
        behind.update(number=F("number") + 1)
    seat = Seat.objects.create(
        game=locked.game,
        number=number,
        place=place,
        user=user,
        is_bot=is_bot,
        bot_level=level,
        joined_at=locked.now,
        mails_off=mails_off,
    )
    if not is_last:
        _reload_seats(locked)
        return locked.seat(number)
    locked.seats.append(seat)
    return seat


def leave_place(locked: LockedGame, seat: Seat) -> None:
    """Remove a seat; the numbers of those behind it go down by one."""
    Seat.objects.filter(pk=seat.pk).delete()
    behind = Seat.objects.filter(game=locked.game, number__gt=seat.number)
    behind.update(number=F("number") - 1)
    _reload_seats(locked)


def _reload_seats(locked: LockedGame) -> None:
    rows = Seat.objects.filter(game=locked.game).select_related("user").order_by("number")
    locked.seats = list(rows)
    for seat in locked.seats:
        seat.game = locked.game
