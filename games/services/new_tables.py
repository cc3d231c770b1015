"""Tables are set up: by a host, for practice, or for a rematch."""

import secrets
from collections.abc import Collection, Mapping
from typing import Any

from django.utils.translation import gettext as _

from games.log import table_events
from games.models import BANKS, HALF_DAY, PACES, SHARES, Game, User, database_clock
from games.rules import GAMES
from games.rules.chance import SEED_BYTES, commitment
from games.rules.errors import MoveError
from games.rules.levels import Level
from games.translate import say

from . import quotas
from .conditions import require_time_for_another
from .errors import NotAllowed, ServiceError
from .invitations import invite
from .lobby import game_join, seat_bot, write_and_start_if_full
from .locked_game import LockedGame
from .places import take_place
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
    try:
        complete = engine.check_options(options or {}, seat_count)
    except MoveError as error:
        raise ServiceError(say(error.text)) from error
    levels = _bot_levels(bots, seat_count)
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
        events += [seat_bot(locked, level, place)[1] for place, level in levels]
        seat = take_place(locked, host, mails_off=practice)
        events.append(table_events.Joined(seat=seat.number))
        write_and_start_if_full(locked, *events, by=host)
        return locked.game


def _bot_levels(
    bots: int | Collection[int] | Mapping[int, Level], seat_count: int
) -> list[tuple[int, Level]]:
    """The place and level of each bot, by place. Raises ServiceError where the bots leave no place
    for the host, or have places that the table does not have."""
    if isinstance(bots, int):
        bots = range(1, bots + 1) if bots >= 0 else [bots]
    if len(set(bots)) >= seat_count or not set(bots) <= set(range(seat_count)):
        raise ServiceError(_("There are not enough seats for that many bots."))
    levels = bots if isinstance(bots, Mapping) else {}
    return [(place, levels.get(place, Level.NORMAL)) for place in sorted(set(bots))]


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


def _require_open_table(host: User) -> None:
    sentence = _(
        "You already have %(count)s tables waiting for players. Start or leave one before you "
        "create another."
    )
    quotas.require_room(quotas.OPEN_TABLES, host, _OPEN_TABLES, sentence)


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
