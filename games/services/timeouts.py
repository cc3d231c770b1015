"""Missed deadlines: apply the policy of the table. Seats of people who have left: offer them, and
take them over."""

from django.utils.translation import gettext as _

from games import selectors
from games.log import announcements, pipeline, projections, table_events
from games.log.pipeline import Statement
from games.mail import queue
from games.models import MISSES, Game, Seat, User

from . import quotas
from .bots import turn_by_bot
from .errors import NotAllowed, ServiceError
from .invitations import accept, require_invited
from .locked_game import LockedGame, extend_clocks
from .quotas import atomic
from .seats import Way, give_to_bot, give_to_player, require_may_sit

Policy = Game.TimeoutPolicy


def waits(game: Game) -> bool:
    """Return whether this table waits for players who miss their deadlines."""
    return game.timeout_policy == Policy.WAIT


def settle(locked: LockedGame, seat: Seat) -> None:
    """Go on without the player of this seat, whose deadline has passed.

    A bot plays the turn or takes the seat. It does not take the seat of the last person at the
    table: the game would go on for nobody.
    """
    user, number = seat.user, seat.number
    assert user is not None, "bots have no deadlines"
    missed = locked.log.misses(number) + 1
    allowed = MISSES.get(Policy(locked.game.timeout_policy))
    people = sum(other.user_id is not None for other in locked.seats)
    timed_out = table_events.TimedOut(seat=number)
    if allowed is not None and missed >= allowed and people > 1:
        is_open = locked.game.timeout_policy == Policy.OPEN
        give_to_bot(locked, seat, open_since=locked.now if is_open else None)
        locked.write(
            timed_out,
            table_events.TakenOver(seat=number),
            also=lambda: queue.seat_lost(locked.game, number, user, locked.log.version),
        )
        return
    before: list[table_events.Event] = [timed_out, table_events.Covered(seat=number)]
    events = turn_by_bot(locked, number, *before)
    seat.asked_seq = seat.asked_at = None  # asked again at once, it is another turn
    locked.clocks.end(seat)
    left = allowed - missed if allowed is not None and people > 1 else None
    seq = locked.log.version + len(before)

    def also() -> list[Statement]:
        return [
            *projections.seat_changes([seat]),
            *queue.turn_missed(locked.game, seat, seq, left),
        ]

    locked.write(*events, also=also)


def seat_take_back(*, game_id: int, user: User) -> Game:
    """Give the seat back to the player who lost it by missing deadlines, with the full time."""
    with atomic():
        locked = LockedGame(game_id)
        seat_take_back_locked(locked, user)
        return locked.game


def seat_take_back_locked(locked: LockedGame, user: User) -> None:
    """Give the seat back for a caller who has locked the game. An error changes nothing."""
    locked.require_not_over()
    number = locked.log.seat_to_take_back(user.pk)
    if number is None or locked.seat_of(user) is not None:
        raise NotAllowed(_("There is no seat that you can take back."))
    require_may_sit(user, Way.TAKE_BACK, locked, seat=number)
    seat = locked.seat(number)
    if not seat.is_bot:
        raise ServiceError(_("Someone else has this seat now."))
    give_to_player(locked, seat, user, keep_mails=True)
    locked.write(table_events.TakenBack(seat=number), by=user, handed=number)


def host_call(*, game_id: int, by: User) -> None:
    """Ask the host by email to step in for a player who is late; for the others at the table."""
    with atomic():
        locked = LockedGame(game_id)
        mine = locked.seat_of(by)
        if mine is None:
            raise NotAllowed(_("You are not a player in this game."))
        late = next((seat for seat in locked.seats if seat.overdue), None)
        if late is None:
            raise ServiceError(_("That player has moved in the meantime."))
        host = next((s for s in locked.seats if s.user_id == locked.game.host_id), None)
        is_there = host is not None and host.user is not None and host.user.is_active
        if host is None or not is_there or host.number == late.number:
            raise ServiceError(
                _(
                    "The host cannot be reached. Call a vote instead: if the others "
                    "agree, a bot takes the seat."
                )
            )
        quotas.spend(quotas.HOST_CALLS, person=by, table=locked.game)
        queue.host_called(locked.game, host, late=late, caller=mine, day=locked.now.date())


def seat_open(*, game_id: int, by: User, seat: int) -> None:
    """Let others take over a seat on which a bot plays for somebody who has left, whatever the
    policy of the table says; twice is once. For the players at the table."""
    with atomic():
        locked = LockedGame(game_id)
        if locked.seat_of(by) is None:
            raise NotAllowed(_("You are not a player in this game."))
        locked.require_not_over()
        row = locked.seat(seat)
        if row.open_since is not None:
            return
        if not row.is_bot or locked.log.seating.last_player(seat) is None:
            raise ServiceError(_("Nobody has left this seat, or someone else has it now."))
        quotas.spend(quotas.SEAT_OFFERS, person=by, table=locked.game)
        row.open_since = locked.now
        row.save(update_fields=["open_since"])
        pipeline.execute(announcements.about_table(locked.game))


# -- help for late players -----------------------------------------------------------------------


def day_give(*, game_id: int, by: User, late: int | None = None) -> None:
    """Give a player who is late, or nearly so, a day more, once each turn. late: the seat, by
    default that of the only one."""
    with atomic():
        day_give_locked(LockedGame(game_id), by, late)


def day_give_locked(locked: LockedGame, by: User, late: int | None) -> None:
    """Give a day for a caller who has locked the game. An error changes nothing."""
    mine, seat = _waits_for(locked, by, late)
    if selectors.was_given_day(locked.log, seat):
        raise ServiceError(_("This player has already been given one more day this turn."))
    quotas.spend(quotas.HELP, person=by, table=locked.game)
    until = extend_clocks(locked, [seat], selectors.DAY, "given")
    event = table_events.Extended(seat=seat.number, until=until, giver=mine.number)
    about = str(locked.log.version)
    locked.write(
        event, by=by, also=lambda: queue.helped(locked.game, seat, "given", by=mine, about=about)
    )


def player_nudge(*, game_id: int, by: User, late: int | None = None) -> None:
    """Remind a player who is late, or nearly so, in the name of somebody who waits; each player at
    most once a day. late: as for `day_give`."""
    with atomic():
        player_nudge_locked(LockedGame(game_id), by, late)


def player_nudge_locked(locked: LockedGame, by: User, late: int | None) -> None:
    """Nudge a player for a caller who has locked the game. An error changes nothing.

    Somebody whom that player has muted or blocked is not told so: the email is not sent."""
    mine, seat = _waits_for(locked, by, late)
    if seat.user_id in by.unheard:
        raise ServiceError(_("You have muted or blocked this player."))
    if selectors.was_nudged(seat, locked.now):
        raise ServiceError(_("This player has been nudged within the last day."))
    quotas.spend(quotas.HELP, person=by, table=locked.game)
    about = f"{mine.number}-{locked.now.date()}"
    pipeline.execute(queue.helped(locked.game, seat, "nudge", by=mine, about=about))


def _waits_for(locked: LockedGame, user: User, late: int | None) -> tuple[Seat, Seat]:
    """The seat of this user, who waits, and that of the player for whom."""
    mine = locked.seat_of(user)
    if mine is None:
        raise NotAllowed(_("You are not a player in this game."))
    locked.require_running()
    if mine.asked_seq is not None:
        raise ServiceError(_("The others are waiting for you. Make your move first."))
    found = selectors.late_players(locked.game, locked.seats, mine.number, locked.now)
    found = [seat for seat in found if late in (None, seat.number)]
    if len(found) != 1:
        raise ServiceError(_("You can only do that for a player whose time is up or nearly up."))
    return mine, found[0]


def seat_take_over(*, game_id: int, user: User, seat: int, token: str = "") -> Seat:
    """Take a seat that is open, with the full time; twice is once.

    token: as for `game_join`. Conditions: `require_may_sit`.
    """
    with atomic():
        locked = LockedGame(game_id)
        row = locked.seat(seat)
        if row.user_id == user.pk:
            return row
        locked.require_not_over()
        invitation = require_invited(locked.game, user, token)
        require_may_sit(user, Way.TAKE_OVER, locked, seat=seat, invited=invitation is not None)
        if row.open_since is None:
            raise ServiceError(_("Someone else has this seat now."))
        quotas.spend(quotas.TAKEOVERS, person=user, table=locked.game)
        give_to_player(locked, row, user)
        accept(user, invitation, game=locked.game)
        locked.write(table_events.Replaced(seat=seat), by=user, handed=seat)
        return row
