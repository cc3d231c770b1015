"""Seats: who may take one, taking and leaving one before the start, and changing a player later.

A table has `seat_count` places. Before the start, a seat exists for each place that is taken; seats
are numbered without gaps in the order of their places, so taking or leaving one renumbers those
behind it. Once the game has started, a bot or another player can take a seat. The caller writes the
event, and with it the row of the seat and the host, who may have changed.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple

from django.db.models import F
from django.utils.translation import gettext as _

from games import selectors
from games.models import Seat, User
from games.rules.bots import Level

from . import quotas
from .errors import NotAllowed, ServiceError
from .locked_game import LockedGame
from .moderators import require_has_seen_nothing

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
        locked.game.host = next_host(locked.seats, seat) or seat.user


def next_host(seats: Sequence[Seat], left: Seat | None = None) -> User | None:
    """The first person on a seat besides `left`, if possible one who may act; None without any."""
    people = [seat.user for seat in seats if seat is not left and seat.user is not None]
    return next((user for user in people if user.is_active), next(iter(people), None))


class Way(Enum):
    """How somebody comes to a seat."""

    CREATE = auto()
    JOIN = auto()
    TAKE_OVER = auto()
    TAKE_BACK = auto()
    HANDED = auto()  # by a moderator, who reads the refusal
    ACCEPT = auto()  # what a moderator has offered


class Sitter(NamedTuple):
    """Somebody who is to sit down. locked: None for a table that is only being created. seat: the
    number of the seat where the game has begun. invited: the host has invited them by name."""

    user: User
    way: Way
    locked: LockedGame | None = None
    seat: int | None = None
    invited: bool = False

    @property
    def table(self) -> LockedGame:
        """The table, for the conditions of ways that have one."""
        assert self.locked is not None
        return self.locked


def require_may_sit(
    user: User,
    way: Way,
    locked: LockedGame | None = None,
    *,
    seat: int | None = None,
    invited: bool = False,
) -> None:
    """Raises ServiceError unless this person may sit down at this table in this way. The one list
    of conditions is at the end of this module; for the arguments see `Sitter`."""
    sitter = Sitter(user, way, locked, seat, invited)
    try:
        for require, ways in CONDITIONS.items():
            if way in ways:
                require(sitter)
    except ServiceError as refusal:
        if way != Way.HANDED:
            raise
        sentence = _(
            "This user cannot take the seat. If they tried it themselves, they would read: %(why)s"
        )
        raise ServiceError(sentence % {"why": refusal.text}) from refusal


def _require_active(sitter: Sitter) -> None:
    if not sitter.user.is_active:
        raise NotAllowed(selectors.why_not_active(sitter.user))


def _require_stays(sitter: Sitter) -> None:
    if sitter.user.is_closing:
        raise NotAllowed(_("Your account will be deleted soon. To play, cancel that first."))


def _require_not_removed(sitter: Sitter) -> None:
    if not sitter.invited and sitter.user.pk in sitter.table.log.seating.removed:
        raise NotAllowed(
            _("The host removed you from this table. Only a personal invitation lets you return.")
        )


def _require_knows_no_cards(sitter: Sitter) -> None:
    """Refuse somebody who plays or has played at the table: they may know what others hold. Those
    who get their own seat back from a moderator know no other."""
    held = sitter.table.log.seating.seats_of(sitter.user.pk)
    own = {sitter.seat} if sitter.way in (Way.HANDED, Way.ACCEPT) else set[int | None]()
    if held - own or sitter.table.seat_of(sitter.user) is not None:
        raise NotAllowed(
            _("You play or have played at this table, so you cannot take over the seat.")
        )


def _require_has_seen_nothing(sitter: Sitter) -> None:
    require_has_seen_nothing(sitter.table.game, sitter.user)


def no_seat_here() -> str:
    """The refusal of a table that is full. It also stands for what its reader must not learn."""
    return _("You cannot join this table: it is full, or you do not meet its conditions.")


def _require_not_blocked(sitter: Sitter) -> None:
    """A person whom somebody at the table has blocked reads what they would read if it were full,
    and so does a moderator, who does not learn who has blocked whom."""
    user = sitter.user
    others = [seat.user for seat in sitter.table.seats if seat.user is not None]
    if sitter.way != Way.HANDED and any(other.pk in user.blocked for other in others):
        raise NotAllowed(
            _(
                "You have blocked someone at this table. To join it, unblock them in your "
                "settings first."
            )
        )
    if any(user.pk in other.blocked or other.pk in user.blocked for other in others):
        raise NotAllowed(no_seat_here())


def _require_name(sitter: Sitter) -> None:
    if not sitter.user.shown_name:
        raise ServiceError(_("Choose a name first. Other players will see it."))


def _require_time_for_another(sitter: Sitter) -> None:
    """QuotaExceeded if this person takes part in as many games as allowed."""
    sentence = _(
        "You are already in %(count)s games, which is the limit. Finish or leave one before you "
        "start or join another."
    )
    quotas.require_room(quotas.GAMES_AT_ONCE, sitter.user, _GAMES_AT_ONCE, sentence)


def _require_reliable(sitter: Sitter) -> None:
    """NotAllowed if the host asks for a share of turns in time that this person does not have."""
    locked = sitter.table
    least = locked.game.min_in_time
    if not least or sitter.invited:
        return
    found = selectors.reliability(sitter.user, locked.now)
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


_ALL = frozenset(Way)
_NEW = frozenset({Way.JOIN, Way.TAKE_OVER})  # of their own will, at a table of others
_PLAYING = frozenset({Way.TAKE_OVER, Way.HANDED, Way.ACCEPT})  # where others have played on
# What is asked of somebody who sits down, in this order, and by which ways. Whoever takes a seat
# back that they lost has sat there: what the table asks of newcomers is not asked again.
CONDITIONS: Mapping[Callable[[Sitter], None], frozenset[Way]] = {
    _require_active: _ALL,
    _require_stays: _ALL,
    _require_not_removed: _NEW | _PLAYING,
    _require_knows_no_cards: _PLAYING,
    _require_has_seen_nothing: _PLAYING | {Way.TAKE_BACK},
    _require_name: _ALL,
    _require_time_for_another: _NEW | {Way.CREATE},
    _require_reliable: _NEW,
    _require_not_blocked: _NEW | _PLAYING,
}
