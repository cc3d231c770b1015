"""Create tables: for a host, for practice, or as a rematch; and look after those that wait for
players: their hosts hear about it, and after some weeks they are closed."""

import secrets
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _
from msgspec.structs import asdict, replace

from games import selectors
from games.log import pipeline, table_events
from games.log.pipeline import Statement
from games.mail import channels, queue
from games.models import (
    BANKS,
    CLOSES_AFTER,
    HALF_DAY,
    PACES,
    SHARES,
    WAITS_FOR,
    Circle,
    Game,
    Invitation,
    Seat,
    TableSettings,
    User,
    database_clock,
)
from games.rules import GAMES
from games.rules.bots import Level
from games.rules.chance import SEED_BYTES, commitment
from games.rules.errors import MoveError
from games.translate import say

from . import quotas
from .clean_text import clean_title
from .errors import NotAllowed, ServiceError
from .invitations import invite
from .lobby import game_join, rotated_place, seat_bot, write_and_start_if_full
from .locked_game import LockedGame
from .quotas import atomic
from .seats import Way, require_may_sit, take_place
from .sweeps import PART, Sweep


def game_create(
    *,
    host: User,
    kind: str,
    name: str,
    settings: TableSettings,
    bots: int | Collection[int] | Mapping[int, Level] = 0,
    rematch_of: Game | None = None,
) -> Game:
    """Create a game with seats for its host and its bots. A game that is full starts at once.

    The host takes the first free place, and each player who joins later the next one.

    bots: the number of normal bots, on the places after the first; or the places of normal bots,
    from 0; or a level for each place. rematch_of: the game that is played again; a rematch does not
    count as an open table. A table for a circle is not open to all, and its free seats are offered
    to the other members.
    """
    engine = GAMES.get(kind)
    if engine is None:
        raise ServiceError(_("This game is not available here."))
    try:
        options = engine.check_options(settings.options, settings.seat_count)
    except MoveError as error:
        raise ServiceError(say(error.text)) from error
    levels = _bot_levels(bots, settings.seat_count)
    if (
        settings.pace_days not in PACES
        or settings.bank_days not in BANKS
        or settings.min_in_time not in SHARES
        or settings.resign_policy not in Game.ResignPolicy.values
        or settings.timeout_policy not in Game.TimeoutPolicy.values
    ):
        raise ServiceError(_("These table settings are not valid."))
    chosen: dict[str, Any] = {
        **asdict(settings),
        "options": options,
        "pace_hours": 0 if settings.pace_days else HALF_DAY,
        "bank_returns": settings.bank_returns and settings.bank_days > 0,
        "is_open": settings.is_open and settings.circle_id is None,
    }
    seed, now, title = secrets.token_bytes(SEED_BYTES), database_clock.now(), clean_title(name)
    with atomic():
        if rematch_of is None:
            _require_open_table(host)
        require_may_sit(host, Way.CREATE)
        quotas.spend(quotas.TABLES, person=host)
        circle = _circle(settings, host)
        game = Game.objects.create(
            kind=kind,
            name=title,
            **chosen,
            host=host,
            seed=seed,
            commitment=commitment(seed),
            created_at=now,
            last_event_at=now,
            rematch_of=rematch_of,
        )
        public = chosen.keys() & set(table_events.Created.__struct_fields__)
        created = table_events.Created(
            commitment=game.commitment,
            game=kind,
            circle=circle.public_id if circle is not None else "",
            **{name: chosen[name] for name in public},
        )
        game = _begin_log(LockedGame(game.pk, now=now), created, host, levels)
        if circle is None or game.status != Game.Status.GATHERING:
            return game
        pipeline.execute(channels.news(game, "open", game.version))
        if rematch_of is None:
            offered = Q(pk__in=selectors.members(circle).values("user"))
            _offer_seats(game, host, offered, quotas.CIRCLE_TABLES, game)
        return game


def _circle(settings: TableSettings, host: User) -> Circle | None:
    """The circle for which the host makes the table. NotAllowed if it is not one of theirs."""
    if settings.circle_id is None:
        return None
    circle = selectors.circles_of(host, is_open=True).filter(pk=settings.circle_id).first()
    if circle is None:
        raise NotAllowed(_("You are not a member of this circle, or it has been closed."))
    return circle


def _offer_seats(game: Game, by: User, to: Q, limits: quotas.Quotas, counted: Game) -> None:
    """Offer the free seats of a table to these people, except `by` and whom `by` has blocked: the
    first who come get them. counted: the table in whose limits that counts."""
    others = User.objects.active().filter(to).exclude(pk__in=[by.pk, *by.blocked]).order_by("pk")
    addresses = [other.email for other in others]
    quotas.spend(limits, person=by, addresses=addresses, table=counted)
    for other in others:
        invite(by, other.email, game=game, invitee=other)


def _bot_levels(
    bots: int | Collection[int] | Mapping[int, Level], seat_count: int
) -> dict[int, Level]:
    """Return the level of the bot on each place that has one. `bots` is as for `game_create`.

    Raises ServiceError for places that do not exist and where no place is left for the host.
    """
    if isinstance(bots, Mapping):
        levels = dict(bots)
    else:
        places = range(1, bots + 1) if isinstance(bots, int) else bots
        levels = dict.fromkeys(places, Level.NORMAL)
    is_negative = isinstance(bots, int) and bots < 0
    if is_negative or len(levels) >= seat_count or not levels.keys() <= set(range(seat_count)):
        raise ServiceError(_("There are not enough seats for that many bots."))
    return levels


def _begin_log(
    locked: LockedGame, created: table_events.Created, host: User, levels: Mapping[int, Level]
) -> Game:
    """Write the first events of a new game: bots of these levels sit down, then its host."""
    events: list[table_events.Event] = [created]
    for place, level in sorted(levels.items()):
        events.append(seat_bot(locked, level, place)[1])
    own = rotated_place(locked, host)
    seat = take_place(locked, host, mails_off=locked.game.practice, place=own)
    events.append(table_events.Joined(seat=seat.number))
    write_and_start_if_full(locked, *events, by=host)
    return locked.game


def practice_create(*, host: User, kind: str) -> Game:
    """A private table against one easy bot, which starts at once, has no deadlines, never sends an
    email and does not count in the figures of its player."""
    settings = TableSettings(
        seat_count=2,
        is_open=False,
        timeout_policy=Game.TimeoutPolicy.WAIT,
        practice=True,
    )
    return game_create(
        host=host,
        kind=kind,
        name=_("Practice"),
        settings=settings,
        bots={1: Level.EASY},
    )


_OPEN_TABLES = "SELECT count(*) FROM games_game WHERE host_id = %s AND status = 'gathering'"


def _require_open_table(host: User) -> None:
    sentence = _(
        "You already have %(count)s tables waiting for players. Start or leave one before you "
        "create another."
    )
    quotas.require_room(quotas.OPEN_TABLES, host, _OPEN_TABLES, sentence)


def game_rematch(*, game_id: int, by: User) -> Game:
    """Create the next game with the settings and bots of the start, and invite everybody else who
    has played, whatever became of their seats, except people whom `by` has blocked.

    The second player who asks for it joins the game that the first one created. The invitations
    count towards the quota of rematches, not towards that of invitations. A rematch of a table for
    a circle is for that circle, too: all members are invited, as to a table for it, and the next
    player begins.
    """
    with atomic():
        old = LockedGame(game_id)
        if not (old.game.is_over and old.log.seating.at_start):
            raise ServiceError(_("This game is not over yet."))
        if by.pk not in old.log.seating.players:
            raise NotAllowed(_("Only players from this game can start a rematch."))
        again = old.game.rematches.exclude(status=Game.Status.ABORTED).first()
        if again is None:
            return _rematch(old, by)
    if again.status == Game.Status.GATHERING:
        personal = again.invitations.filter(invitee=by, answer=Invitation.Answer.NONE).first()
        token = personal.token if personal is not None else again.invite_token
        game_join(game_id=again.pk, user=by, token=token)
        again.refresh_from_db()
    elif not again.seats.filter(user=by).exists():
        raise ServiceError(_("The others have started a rematch without you."))
    return again


def _rematch(old: LockedGame, by: User) -> Game:
    seating = old.log.seating
    circle = selectors.circles_of(by, is_open=True).filter(pk=old.game.circle_id or 0).first()
    levels = {n: holder.level for n, holder in enumerate(seating.at_start) if holder.is_bot}
    if circle is not None:  # as in `rotated_place`
        levels = {(n - 1) % len(old.seats): level for n, level in levels.items()}
    game = game_create(
        host=by,
        kind=old.game.kind,
        name=old.game.name,
        settings=replace(
            old.game.table_settings,
            seat_count=len(old.seats),
            is_open=False,
            circle_id=circle.pk if circle is not None else None,
        ),
        bots=levels,
        rematch_of=old.game,
    )
    played = Q(pk__in=seating.players)
    _offer_seats(game, by, played, quotas.REMATCHES, old.game)
    if circle is not None:
        members = Q(pk__in=selectors.members(circle).values("user"))
        _offer_seats(game, by, members & ~played, quotas.CIRCLE_TABLES, old.game)
    return game


_QUIET = """
    SELECT id FROM games_game AS game
    WHERE status = 'gathering' AND created_at <= %s AND last_event_at <= %s AND id <> ALL(%s)
"""
_CLOSING = f"{_QUIET} ORDER BY created_at LIMIT %s FOR NO KEY UPDATE SKIP LOCKED"
# Once for each version of the game, and not while other news of the table wait.
_UNREPORTED = f"""
    {_QUIET}
    AND EXISTS (
        SELECT FROM games_user
        WHERE games_user.id = host_id AND coalesce(suspended_until <= %s, true)
    )
    AND NOT EXISTS (
        SELECT FROM games_invitation AS sent WHERE sent.game_id = game.id AND created_at > %s
    )
    AND NOT EXISTS (
        SELECT FROM games_outboxmail AS mail WHERE mail.game_id = game.id AND kind = 'table'
        AND (state = 'queued' OR seq = version AND context->>'about' = 'waiting')
    )
    ORDER BY created_at LIMIT %s FOR NO KEY UPDATE SKIP LOCKED
"""  # noqa: S608 (put together from constants)


def waiting_tables_check(*, now: datetime, sweep: Sweep | None = None) -> int:
    """Close the tables at which nothing has happened for CLOSES_AFTER, and tell the hosts of those
    where nobody has come for WAITS_FOR; return the number of both."""
    sweep = sweep or Sweep()

    def closing(faults: list[int]) -> Statement:
        since = now - CLOSES_AFTER
        return _CLOSING, [since, since, faults, PART]

    def unreported(faults: list[int]) -> Statement:
        since = now - WAITS_FOR
        return _UNREPORTED, [since, since, faults, now, since, PART]

    closed = sweep.drain(closing, lambda pk: _close_waiting(pk, now))
    return closed + sweep.drain(unreported, _report_waiting)


def _close_waiting(pk: int, now: datetime) -> int:
    LockedGame(pk, now=now).write(table_events.Aborted(code="waited"))
    return 1


def _report_waiting(pk: int) -> int:
    seats = Seat.objects.filter(game=pk).select_related("user")
    queue.table_news(Game.objects.select_related("host").get(pk=pk), seats, "waiting")
    return 1
