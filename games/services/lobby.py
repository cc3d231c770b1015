"""Tables before and after the game: set up, join, leave, start, play again."""

import secrets
from collections.abc import Collection, Mapping
from typing import Any

from django.utils.translation import gettext as _

from games.log import table_events
from games.mail import queue
from games.models import BANKS, HALF_DAY, PACES, SHARES, Game, Seat, User, database_clock
from games.rules import GAMES
from games.rules.chance import SEED_BYTES, commitment
from games.rules.errors import MoveError
from games.rules.levels import Level
from games.translate import say

from . import quotas
from .conditions import require_reliable
from .errors import NotAllowed, ServiceError
from .invitations import accept, invite, require_invited
from .locked_game import LockedGame
from .places import leave_place, take_place
from .quotas import atomic
from .texts import clean_line

MAX_NAME = 60  # characters of a table's name


def game_create(
    *,
    host: User,
    kind: str,
    name: str,
    seat_count: int,
    options: Mapping[str, str] | None = None,
    pace_days: int = 3,
    bank_days: int = 0,
    bank_returns: bool = False,
    weekends_off: bool = False,
    min_in_time: int = 0,
    newcomers: bool = True,
    is_open: bool = True,
    bots: int | Collection[int] | Mapping[int, Level] = 0,
    resign_policy: str = Game.ResignPolicy.BOT,
    timeout_policy: str = Game.TimeoutPolicy.SEAT2,
    rematch_of: Game | None = None,
    practice: bool = False,
) -> Game:
    """Create a game. pace_days: days per move, 0 for half a day. bank_days, bank_returns,
    weekends_off: see table_events.Created. min_in_time: the share of turns in time, in percent,
    that players must have to join; newcomers: those without figures may join too.

    There are bots on these places (0 is the first), normal ones or of the levels given, or this
    many normal ones after the host. The host takes the first free place; later players take the
    next one.

    A game that is full starts at once. A rematch does not count as an open table. practice: a game
    of the host against bots, without deadlines and without emails.
    """
    engine = GAMES.get(kind)
    if engine is None:
        raise ServiceError(_("This game is not available here."))
    if seat_count not in engine.seats:
        raise ServiceError(
            _("This game is for %(least)s to %(most)s players.")
            % {"least": engine.seats[0], "most": engine.seats[-1]}
        )
    if isinstance(bots, int):
        bots = range(1, bots + 1) if bots >= 0 else [bots]
    places = set(bots)
    if len(places) >= seat_count or not places <= set(range(seat_count)):
        raise ServiceError(_("There are not enough seats for that many bots."))
    if (
        pace_days not in PACES
        or bank_days not in BANKS
        or min_in_time not in SHARES
        or resign_policy not in Game.ResignPolicy.values
        or timeout_policy not in Game.TimeoutPolicy.values
    ):
        raise ServiceError(_("These table settings are not valid."))
    title = clean_line(name, MAX_NAME)
    if not title:
        raise ServiceError(_("Enter a name for the table."))
    try:
        complete = dict(engine.check_options(options or {}, seat_count))
    except MoveError as error:
        raise ServiceError(say(error.text)) from error
    control: dict[str, Any] = {
        "pace_days": pace_days,
        "pace_hours": 0 if pace_days else HALF_DAY,
        "bank_days": bank_days,
        "bank_returns": bank_returns and bank_days > 0,
        "weekends_off": weekends_off,
    }
    now = database_clock.now()
    seed = secrets.token_bytes(SEED_BYTES)
    with atomic():
        if rematch_of is None:
            _require_open_table(host)
        require_time_for_another(host)
        quotas.spend(quotas.TABLES, person=host)
        game = Game.objects.create(
            kind=kind,
            name=title,
            options=complete,
            seat_count=seat_count,
            **control,
            min_in_time=min_in_time,
            newcomers=newcomers,
            is_open=is_open,
            practice=practice,
            resign_policy=resign_policy,
            timeout_policy=timeout_policy,
            host=host,
            seed=seed,
            commitment=commitment(seed),
            created_at=now,
            last_event_at=now,
            rematch_of=rematch_of,
        )
        locked = LockedGame(game.pk, now=now)
        events: list[table_events.Event] = [
            table_events.Created(
                commitment=game.commitment,
                game=kind,
                options=complete,
                seat_count=seat_count,
                **control,
            ),
        ]
        levels = bots if isinstance(bots, Mapping) else {}
        for place in sorted(places):
            level = levels.get(place, Level.NORMAL)
            events.append(_seat_bot(locked, level, place)[1])
        seat = take_place(locked, host, mails_off=practice)
        events.append(table_events.Joined(seat=seat.number))
        _write_and_start_if_full(locked, *events, by=host)
        return locked.game


def practice_create(*, host: User, kind: str) -> Game:
    """A private table against one easy bot, which starts at once, has no deadlines, never sends an
    email and does not count in the figures of its player."""
    return game_create(
        host=host,
        kind=kind,
        name=_("Practice"),
        seat_count=2,
        bots={1: Level.EASY},
        is_open=False,
        timeout_policy=Game.TimeoutPolicy.WAIT,
        practice=True,
    )


_OPEN_TABLES = "SELECT count(*) FROM games_game WHERE host_id = %s AND status = 'gathering'"
_GAMES_AT_ONCE = """
    SELECT count(*) FROM games_seat JOIN games_game ON games_game.id = game_id
    WHERE user_id = %s AND status NOT IN ('finished', 'aborted')
"""


def _require_open_table(host: User) -> None:
    sentence = _(
        "You already have %(count)s tables waiting for players. Start or leave one before you "
        "create another."
    )
    quotas.require_room(quotas.OPEN_TABLES, host, _OPEN_TABLES, sentence)


def require_time_for_another(user: User) -> None:
    """QuotaExceeded if this person takes part in as many games as allowed."""
    sentence = _(
        "You already take part in %(count)s games, which is the limit. Finish or leave one before "
        "you start or join another."
    )
    quotas.require_room(quotas.GAMES_AT_ONCE, user, _GAMES_AT_ONCE, sentence)


def _write_and_start_if_full(locked: LockedGame, *events: table_events.Event, by: User) -> None:
    if len(locked.seats) == locked.game.seat_count:
        _start(locked, *events, by=by)
    else:
        locked.write(*events, by=by)


def _start(locked: LockedGame, *events: table_events.Event, by: User) -> None:
    """Close the seats and set the game up."""
    before = (*events, table_events.Started(seats=len(locked.seats)))
    try:
        laid = locked.setup(after=before)
    except MoveError as error:
        raise ServiceError(say(error.text)) from error
    locked.write(*before, *laid, by=by)
    queue.game_started(locked.game, locked.seats)


# -- coming and going ----------------------------------------------------------------------


def game_join(*, game_id: int, user: User, token: str = "") -> Seat:
    """Take the next free seat; joining twice is joining once. A full table starts.

    token: the table's link or a personal invitation, needed where the table is not open to all.
    """
    with atomic():
        locked = LockedGame(game_id)
        seated = locked.seat_of(user)
        if seated is not None:
            return seated
        locked.require_gathering()
        invitation = require_invited(locked.game, token)
        if invitation is None and user.pk in locked.log.seating.removed:
            raise NotAllowed(
                _(
                    "The host removed you from this table. Only a personal invitation lets you return."
                )
            )
        require_time_for_another(user)
        require_reliable(locked, user, invited=invitation is not None)
        seat = take_place(locked, user)
        accept(invitation)
        _write_and_start_if_full(locked, table_events.Joined(seat=seat.number), by=user)
        return seat


def game_leave(*, game_id: int, user: User) -> Game:
    """Give up a seat before the start. A host passes the table on; the last one ends it."""
    with atomic():
        locked = LockedGame(game_id)
        seat = locked.seat_of(user)
        if seat is None:
            return locked.game
        locked.require_gathering()
        leave_place(locked, seat)
        events: list[table_events.Event] = [table_events.Left(seat=seat.number)]
        people = [other for other in locked.seats if other.user_id is not None]
        if not people:
            events.append(table_events.Aborted(code="empty"))
        elif locked.game.host_id == user.pk:
            locked.game.host = people[0].user  # saved with the event
        locked.write(*events, by=user)
        return locked.game


def _seat_bot(
    locked: LockedGame, level: Level, place: int | None
) -> tuple[Seat, table_events.Joined]:
    """Seat a bot of this level; the event does not name a normal one, as in older logs."""
    seat = take_place(locked, None, is_bot=True, level=level, place=place)
    if level == Level.NORMAL:
        return seat, table_events.Joined(seat=seat.number, bot=True)
    return seat, table_events.Joined(seat=seat.number, bot=True, level=level)


def game_add_bot(
    *, game_id: int, by: User, place: int | None = None, level: Level = Level.NORMAL
) -> Seat:
    """Put a bot on this place, by default the first free one; a full game starts. For the
    host."""
    with atomic():
        locked = LockedGame(game_id)
        locked.require_host(by)
        locked.require_gathering()
        seat, joined = _seat_bot(locked, level, place)
        _write_and_start_if_full(locked, joined, by=by)
        return seat


def game_remove_bot(*, game_id: int, by: User, seat: int) -> None:
    """Remove a bot before the start. For the host."""
    with atomic():
        locked = LockedGame(game_id)
        locked.require_host(by)
        locked.require_gathering()
        seat_row = locked.seat(seat)
        if not seat_row.is_bot:
            raise ServiceError(_("There is no bot in that seat."))
        leave_place(locked, seat_row)
        locked.write(table_events.Left(seat=seat), by=by)


def game_remove_player(*, game_id: int, by: User, player: User) -> None:
    """Remove another player before the start, with an email to them. For the host.

    They can return by a personal invitation only.
    """
    with atomic():
        locked = LockedGame(game_id)
        locked.require_host(by)
        locked.require_gathering()
        if player == by:
            raise ServiceError(_("Leave the table instead of removing yourself."))
        seat = locked.seat_of(player)
        if seat is None:
            return
        quotas.spend(quotas.MODERATIONS, person=by, table=locked.game)
        seq = locked.log.version + 1
        leave_place(locked, seat)
        locked.write(table_events.Left(seat=seat.number), by=by)
        queue.moderated(locked.game, (), seq, "", removed=player)


def game_start(*, game_id: int, by: User) -> Game:
    """Start with the players who have joined. For the host; a second start is no error."""
    with atomic():
        locked = LockedGame(game_id)
        locked.require_host(by)
        if locked.game.status == Game.Status.RUNNING:
            return locked.game
        locked.require_gathering()
        least = min(locked.log.engine.seats)
        if len(locked.seats) < least:
            raise ServiceError(_("This game needs at least %(least)s players.") % {"least": least})
        _start(locked, by=by)
        return locked.game


def game_rematch(*, game_id: int, by: User) -> Game:
    """The same game with the same people: they are invited, the bots are there already.

    Unlike other tables, the limits of invitations are those of rematches.

    The second player to ask joins the game that the first one created.
    """
    with atomic():
        old = LockedGame(game_id)
        if old.seat_of(by) is None:
            raise NotAllowed(_("Only players from this game can start a rematch."))
        if old.game.status != Game.Status.FINISHED:
            raise ServiceError(_("This game is not over yet."))
        again = old.game.rematches.exclude(status=Game.Status.ABORTED).first()
        if again is None:
            return _rematch(old, by)
    if again.status == Game.Status.GATHERING:
        game_join(game_id=again.pk, user=by, token=again.invite_token)
        again.refresh_from_db()
    return again


def _rematch(old: LockedGame, by: User) -> Game:
    game = game_create(
        host=by,
        kind=old.game.kind,
        name=old.game.name,
        seat_count=len(old.seats),
        options=old.game.options,
        pace_days=old.game.pace_days,
        bank_days=old.game.bank_days,
        bank_returns=old.game.bank_returns,
        weekends_off=old.game.weekends_off,
        min_in_time=old.game.min_in_time,
        newcomers=old.game.newcomers,
        is_open=False,
        practice=old.game.practice,
        bots={seat.number: Level(seat.bot_level) for seat in old.seats if seat.is_bot},
        resign_policy=old.game.resign_policy,
        timeout_policy=old.game.timeout_policy,
        rematch_of=old.game,
    )
    others = [seat.user.email for seat in old.seats if seat.user and seat.user_id != by.pk]
    quotas.spend(quotas.REMATCHES, person=by, addresses=others, table=old.game)
    for address in others:
        invite(game, by, address)
    return game
