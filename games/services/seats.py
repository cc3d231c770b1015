"""Seats: who may take one, taking and leaving one before the start, and changing a player later.

A table has `seat_count` places. Before the start, a seat exists for each place that is taken; seats
are numbered without gaps in the order of their places, so taking or leaving one renumbers those
behind it. Once the game has started, a bot or another player can take a seat. The caller writes the
event, and with it the row of the seat and the host, who may have changed.
"""

from datetime import datetime

from django.db.models import F
from django.utils.translation import gettext as _

from games import selectors
from games.models import Seat, User
from games.rules.bots import Level

from . import quotas
from .errors import NotAllowed, ServiceError
from .locked_game import LockedGame

_GAMES_AT_ONCE = """
    SELECT count(*) FROM games_seat JOIN games_game ON games_game.id = game_id
    WHERE user_id = %s AND status NOT IN ('finished', 'aborted')
"""


def _free_places(locked: LockedGame) -> list[int]:
    """Return the places that are free, in order."""
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
        raise NotAllowed(no_seat_here())
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


def give_to_bot(locked: LockedGame, seat: Seat, *, open_since: datetime | None = None) -> None:
    """Replace the player of this seat by a bot, which answers an open question. open_since: others
    may take the seat over."""
    former = seat.user_id
    if seat.asked_seq is not None:
        locked.clocks.end(seat)
    seat.user, seat.is_bot, seat.bot_level = None, True, Level.NORMAL
    seat.open_since = open_since
    locked.changed_holders.append((seat, former))
    pass_host_on(locked, seat, former)


def give_to_player(locked: LockedGame, seat: Seat, user: User, *, keep_mails: bool = False) -> None:
    """Let this user play on the seat from now on, in place of its bot or its player.

    keep_mails: whether they get the emails of the game stays as it was, for a player who returns.
    """
    former = seat.user_id
    seat.user, seat.is_bot, seat.bot_level, seat.open_since = user, False, Level.NORMAL, None
    seat.joined_at = locked.now
    if not keep_mails:
        seat.mails_off = False
    locked.changed_holders.append((seat, former))
    pass_host_on(locked, seat, former)


def pass_host_on(locked: LockedGame, seat: Seat, former: int | None) -> None:
    """Pass the host's role on if the former player (pk) of this seat had it, or nobody has it: to
    a player on another seat, otherwise to the new holder of this one."""
    if locked.game.host_id in (None, former):
        others = (s.user for s in locked.seats if s is not seat and s.user_id is not None)
        locked.game.host = next(others, seat.user)


def no_seat_here() -> str:
    """The refusal of a table that is full. It also stands for what its reader must not learn."""
    return _("You cannot join this table: it is full, or you do not meet its conditions.")


def require_not_blocked(locked: LockedGame, user: User) -> None:
    """NotAllowed for a person who has blocked somebody at this table, or whom somebody there has
    blocked: they read what they would read if the table were full."""
    others = [seat.user for seat in locked.seats if seat.user is not None]
    if any(other.pk in user.blocked for other in others):
        raise NotAllowed(
            _(
                "You have blocked someone at this table. To join it, unblock them in your settings first."
            )
        )
    if any(user.pk in other.blocked for other in others):
        raise NotAllowed(no_seat_here())


def require_name(user: User) -> None:
    """ServiceError for a person without a name that others at the table could read."""
    if not user.shown_name:
        raise ServiceError(_("Choose a name first. Other players will see it."))


def require_time_for_another(user: User) -> None:
    """QuotaExceeded if this person takes part in as many games as allowed."""
    sentence = _(
        "You are already in %(count)s games, which is the limit. Finish or leave one before you "
        "start or join another."
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
            raise NotAllowed(
                f"{no_seat_here()} "
                + _("The host accepts only players who have already played some turns here.")
            )
    elif (found.share or 0) < least:
        raise NotAllowed(
            f"{no_seat_here()} "
            + _(
                "The host asks for at least %(least)s%% of turns made on time, and you have "
                "%(share)s%%."
            )
            % {"least": least, "share": found.share}
        )
