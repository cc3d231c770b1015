"""Moderation of games: reveal, pause, extend, excuse, reassign a seat, roll back, abort, rename.

For staff who do not play in the game (see `moderators`). The host may also let a bot play a turn or
reassign a seat once its deadline has passed, and excuse missed deadlines.
Each action leaves a decision and an event with a reason and is announced to all players by email.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial

from django.utils.translation import gettext as _

from games.log import announcements, pipeline, projections, table_events
from games.log.game_log import Log
from games.mail import queue, workers
from games.models import (
    Action,
    Decision,
    Game,
    InboundMail,
    Seat,
    User,
    database_clock,
)

from . import decisions, quotas
from .bots import turn_by_bot
from .clean_text import clean_title
from .decisions import Ruling
from .errors import NotAllowed, ServiceError
from .locked_game import AnyEvent, LockedGame, extend_clocks, restart_clocks, stop_clocks
from .moderators import (
    is_alone,
    may_moderate,
    require_moderator,
    require_right,
)
from .quotas import atomic
from .seats import Way, give_to_bot, give_to_player, require_may_sit

Allow = Callable[[LockedGame, User], None]  # raises NotAllowed
SEAT_OFFER_PERIOD = timedelta(days=14)


def _or_host(seat: int) -> Allow:
    """Let moderators act at any time, and the host once the deadline of this seat has passed, but
    not in a pause, because nobody can move then."""

    def allow(locked: LockedGame, by: User) -> None:
        row = locked.seat(seat)
        if may_moderate(locked, by):
            return
        if locked.game.host_id != by.pk:
            if by.is_staff:
                require_moderator(locked, by)
            raise NotAllowed(_("Only a moderator or the host can do that."))
        locked.require_running()
        if not row.overdue:
            raise NotAllowed(_("You can only do that once this player’s deadline has passed."))

    return allow


@contextmanager
def _moderating(
    game_id: int, ruling: Ruling, allow: Allow = require_moderator
) -> Iterator[tuple[LockedGame, Ruling]]:
    """Yield the locked game and the cleaned ruling, in a transaction. allow: refuses people who may
    not do this. The ruling's version is that of the log; GameMoved if it has changed since."""
    ruling = ruling.cleaned()
    with atomic():
        locked = LockedGame(game_id)
        allow(locked, ruling.by)
        ruling.require_version(locked.log.version)
        yield locked, ruling


def _write_and_announce(
    locked: LockedGame,
    action: Action,
    ruling: Ruling,
    *events: AnyEvent,
    person: User | None = None,
    removed: User | None = None,
    handed: int | None = None,
    ask_again: bool = False,
    seated: User | None = None,
) -> Game:
    """Write the decision and the events of a moderator, and announce the first event to all
    players. The reason is a row beside both.

    person: whom the decision concerns. removed: a player who lost a seat by it. The others: as for
    LockedGame.write.
    """
    by = ruling.by
    as_host = action != Action.OWN_GAME and not may_moderate(locked, by)
    limits = quotas.HOST_ACTIONS if as_host else quotas.MODERATIONS
    quotas.spend(limits, person=by, table=locked.game)
    seq = locked.log.version + 1
    decisions.record(action, ruling, game=locked.game, person=person, seq=seq, as_host=as_host)
    locked.write(*events, by=by, handed=handed, ask_again=ask_again, seated=seated)
    queue.moderated(
        locked.game, locked.seats, seq, ruling.reason, removed=removed, rule=ruling.rule
    )
    return locked.game


def _save_clocks(seats: Sequence[Seat]) -> None:
    pipeline.execute(projections.seat_changes(seats))


# -- secrets -------------------------------------------------------------------------------


def moderate_reveal(*, game_id: int, ruling: Ruling) -> None:
    """Record that a moderator looks at the hidden information of a game; the caller shows it."""
    with _moderating(game_id, ruling) as (locked, ruling):
        decisions.record(Action.REVEAL, ruling, game=locked.game)


def inbound_reveal(*, mail_id: int, ruling: Ruling) -> None:
    """Record that a moderator reads the text of a reply; the caller shows it.

    A reply is as secret as the game it is about. One that names no game may be about any game of
    its sender.
    """
    mail = InboundMail.objects.select_related("user").get(pk=mail_id)
    read = partial(decisions.record, person=mail.user, about=mail)
    if mail.game_id is not None:
        with _moderating(mail.game_id, ruling) as (locked, ruling):
            read(Action.REVEAL, ruling, game=locked.game)
        return
    require_right(ruling.by, "change_game")
    ruling = ruling.cleaned()
    theirs = Game.objects.filter(
        seats__user=mail.user, status__in=(Game.Status.RUNNING, Game.Status.PAUSED)
    )
    if mail.user is not None and theirs.filter(seats__user=ruling.by).exists():
        raise NotAllowed(_("You play with the sender. Ask another moderator to look at it."))
    with atomic():
        read(Action.READ_REPLY, ruling)
        for game in theirs if mail.user is not None else ():
            read(Action.REVEAL, ruling, game=game)


def inbound_retry(*, ids: Sequence[int], by: User) -> int:
    """Let these replies that could not be processed be processed again; how many there were. Those
    that a provider sent in a form that cannot be read would fail again, and are left alone."""
    require_right(by, "change_inboundmail")
    with atomic():
        quotas.spend(quotas.MODERATIONS, person=by)
        failed = InboundMail.objects.filter(pk__in=ids, state=InboundMail.State.FAILED)
        failed = failed.exclude(outcome=InboundMail.Outcome.BROKEN).exclude(raw=b"")
        for mail in failed.select_related("game", "user"):
            decisions.record(
                Action.RETRY_REPLY, Ruling(by), game=mail.game, person=mail.user, about=mail
            )
        count = failed.update(
            state=InboundMail.State.NEW, attempts=0, next_try_at=database_clock.now(), error=""
        )
        if count:
            workers.wake("games.tasks.read_inbound")
    return count


def _require_alone(locked: LockedGame, by: User) -> None:
    """Refuse to moderate one's own game as long as somebody else can."""
    require_right(by, "change_game")
    if locked.seat_of(by) is None:
        raise ServiceError(_("You do not play in this game, so you can already moderate it."))
    if not is_alone(locked.game, by):
        raise NotAllowed(_("You play in this game. Ask another moderator to look at it."))


def moderate_own_game(*, game_id: int, ruling: Ruling) -> Game:
    """Announce to the table that an administrator who plays there moderates it for an hour, because
    nobody else can."""
    with _moderating(game_id, ruling, _require_alone) as (locked, ruling):
        locked.require_not_over()
        seat = locked.seat_of(ruling.by)
        assert seat is not None  # as _require_alone says
        event = table_events.PlayerModerates(seat=seat.number)
        return _write_and_announce(locked, Action.OWN_GAME, ruling, event)


# -- actions -------------------------------------------------------------------------------


def moderate_pause(*, game_id: int, ruling: Ruling) -> Game:
    """Stop all clocks and moves until a moderator resumes the game, also where it is paused by
    vote."""
    with _moderating(game_id, ruling) as (locked, ruling):
        locked.require_not_over()
        if locked.log.is_held:
            raise ServiceError(_("A moderator has already paused this game."))
        stop_clocks(locked)
        event = table_events.Paused()
        return _write_and_announce(
            locked,
            Action.PAUSE,
            ruling,
            event,
        )


def moderate_resume(*, game_id: int, ruling: Ruling) -> Game:
    """Resume; deadlines and reminders move, so that the pause takes no time from anybody."""
    with _moderating(game_id, ruling) as (locked, ruling):
        locked.require_not_over()
        if locked.game.status == Game.Status.RUNNING:
            raise ServiceError(_("This game is not paused."))
        restart_clocks(locked)
        event = table_events.Resumed()
        return _write_and_announce(
            locked,
            Action.RESUME,
            ruling,
            event,
        )


def moderate_extend(*, game_id: int, ruling: Ruling, days: int, seat: int | None = None) -> Game:
    """Add days to the deadline of one seat or, by default, of all seats that are asked.

    A deadline that has passed is counted from now and no longer counts as passed.
    """
    with _moderating(game_id, ruling) as (locked, ruling):
        if not 1 <= days <= 365:
            raise ServiceError(_("Enter a number of days from 1 to 365."))
        locked.require_running()
        late = [
            seat_row
            for seat_row in locked.seats
            if seat_row.due_at is not None and seat in (None, seat_row.number)
        ]
        if not late:
            raise ServiceError(_("There is no deadline to extend."))
        until = extend_clocks(locked, late, timedelta(days=days), "moderator")
        event = table_events.Extended(seat=seat, until=until)
        person = locked.seats[seat].user if seat is not None else None
        return _write_and_announce(locked, Action.EXTEND, ruling, event, person=person)


def _require_may_excuse(seat: int) -> Allow:
    """Moderators may excuse a missed deadline, and the host one of somebody else."""

    def allow(locked: LockedGame, by: User) -> None:
        row = locked.seat(seat)
        if may_moderate(locked, by):
            return
        if locked.game.host_id != by.pk:
            raise NotAllowed(_("Only a moderator or the host can do that."))
        if by.pk in (row.user_id, locked.log.lost_by(seat)):
            raise NotAllowed(_("You cannot excuse a deadline that you missed yourself."))

    return allow


def moderate_excuse(*, game_id: int, ruling: Ruling, seat: int) -> Game:
    """Excuse the player's last missed deadline; for moderators and for the host, but not for the
    player. It gives no seat back."""
    with _moderating(game_id, ruling, _require_may_excuse(seat)) as (locked, ruling):
        locked.require_not_over()
        missed = locked.log.last_miss(seat)
        if missed is None:
            raise ServiceError(_("There is no missed deadline to excuse."))
        event = table_events.Excused(seat=seat, missed=missed.seq)
        person = locked.seat(seat).user
        return _write_and_announce(locked, Action.EXCUSE, ruling, event, person=person)


def moderate_play_bot(*, game_id: int, ruling: Ruling, seat: int) -> Game:
    """Let the bot play this turn of a seat to its end; the seat keeps its player."""
    with _moderating(game_id, ruling, _or_host(seat)) as (locked, ruling):
        seat_row = locked.seat(seat)
        locked.require_running()
        if seat not in locked.game.to_act:
            raise ServiceError(_("It is not this player’s turn."))
        events = turn_by_bot(locked, seat, table_events.BotPlayed(seat=seat))
        # Asked again at once it is a turn of its own: the question before is answered.
        seat_row.asked_seq = seat_row.asked_at = None
        locked.clocks.end(seat_row)
        _save_clocks([seat_row])
        return _write_and_announce(
            locked,
            Action.PLAY_BOT,
            ruling,
            *events,
            person=seat_row.user,
        )


def moderate_hand_seat(*, game_id: int, ruling: Ruling, seat: int, to: User | None = None) -> Game:
    """Give a seat to another player, or (to=None) to a bot. A new player who is asked has the
    full time. From a bot to which the host gave the seat, its late player may take it back."""
    with _moderating(game_id, ruling, _or_host(seat)) as (locked, ruling):
        seat_row = locked.seat(seat)
        locked.require_not_over()
        removed = seat_row.user
        if to is None:
            if seat_row.is_bot:
                raise ServiceError(_("A bot already has this seat."))
            is_lost = not may_moderate(locked, ruling.by)
            give_to_bot(locked, seat_row)
            handed = table_events.SeatHanded(seat=seat, to="bot", lost=is_lost)
            game = _write_and_announce(
                locked,
                Action.HAND_SEAT,
                ruling,
                handed,
                person=removed,
                removed=None if is_lost else removed,
            )
            if is_lost and removed is not None:
                seq = locked.log.seating.now[seat].since
                pipeline.execute(queue.seat_lost(game, seat, removed, seq, to="host"))
            return game
        _require_may_be_handed(locked, seat, to)
        give_to_player(locked, seat_row, to)
        handed = table_events.SeatHanded(seat=seat, to="player")
        return _write_and_announce(
            locked,
            Action.HAND_SEAT,
            ruling,
            handed,
            table_events.Seated(seat=seat),
            person=removed,
            removed=removed,
            handed=seat,
            seated=to,
        )


def _require_may_be_handed(locked: LockedGame, seat: int, to: User) -> None:
    if locked.seat_of(to) is not None:
        name = {"name": to.name}
        raise ServiceError(_("%(name)s already has a seat in this game.") % name)
    require_may_sit(to, Way.HANDED, locked, seat=seat)


def moderate_offer_seat(*, game_id: int, ruling: Ruling, seat: int, to: User | None = None) -> Game:
    """Offer a seat to a person, who accepts by the link of an email; until then it stays as it is.
    to=None: give it to a bot at once."""
    if to is None:
        return moderate_hand_seat(game_id=game_id, ruling=ruling, seat=seat)
    with _moderating(game_id, ruling) as (locked, ruling):
        row = locked.seat(seat)
        locked.require_not_over()
        _require_may_be_handed(locked, seat, to)
        quotas.spend(quotas.MODERATIONS, person=ruling.by, table=locked.game)
        decisions.record(Action.OFFER_SEAT, ruling, game=locked.game, person=to, about=row)
        return locked.game


def offered_seat(offer: Decision, log: Log, seats: Sequence[Seat]) -> Seat | None:
    """Return the seat of an offer as long as it can be accepted: for two weeks, unless it has
    another holder since or the words of the offer were removed."""
    row = next(seat for seat in seats if offer.message == f"seat {seat.pk}")
    since = log.seating.now[row.number].since
    is_same = since == 0 or log.entries[since - 1].at <= offer.at
    is_late = database_clock.now() > offer.at + SEAT_OFFER_PERIOD
    return row if is_same and offer.reason and not is_late else None


def seat_offer_accept(*, decision_id: int, user: User) -> Game:
    """Take the seat that a moderator has offered to this person; twice is once.

    NotAllowed if nobody has; ServiceError if the offer is too old, the seat has another holder
    since, or whoever offered it may not give it any more.
    """
    offers = Decision.objects.select_related("by", "words", "game")
    offer = offers.filter(pk=decision_id, person=user, action=Action.OFFER_SEAT).first()
    if offer is None or offer.by is None or offer.game is None:
        raise NotAllowed(_("This offer does not exist any more."))
    with atomic():
        locked = LockedGame(offer.game.pk)
        row = next(seat for seat in locked.seats if offer.message == f"seat {seat.pk}")
        if row.user_id == user.pk:
            return locked.game
        is_open = offered_seat(offer, locked.log, locked.seats) is not None
        if not (is_open and may_moderate(locked, offer.by)):
            raise ServiceError(
                _("This offer has expired: it was made too long ago, or the seat is taken.")
            )
        require_may_sit(user, Way.ACCEPT, locked, seat=row.number)
        ruling = Ruling(offer.by, offer.reason, offer.rule)
        return moderate_hand_seat(game_id=locked.game.pk, ruling=ruling, seat=row.number, to=user)


def moderate_rollback(*, game_id: int, ruling: Ruling, to_seq: int) -> Game:
    """Go on from the position after event `to_seq`, the last of the setup or of a move that
    counts; what came later is undone and stays readable. The seats that are asked then have the
    full time. Impossible once the game is over, because its seed is public."""
    with _moderating(game_id, ruling) as (locked, ruling):
        locked.require_not_over()
        ends = [move[-1].seq for move in locked.log.moves]
        if to_seq not in ends:
            raise ServiceError(
                _("You can only roll back to the end of a move. Choose another event.")
            )
        if to_seq == ends[-1]:
            raise ServiceError(_("The game is already at this position."))
        event = table_events.RolledBack(to_seq=to_seq)
        return _write_and_announce(locked, Action.ROLLBACK, ruling, event, ask_again=True)


def moderate_abort(*, game_id: int, ruling: Ruling) -> Game:
    """End a game, started or not, without a result."""
    with _moderating(game_id, ruling) as (locked, ruling):
        if locked.game.status == Game.Status.ABORTED:
            return locked.game
        if locked.game.status != Game.Status.GATHERING:
            locked.require_not_over()
        event = table_events.Aborted(code="moderator")
        return _write_and_announce(
            locked,
            Action.ABORT,
            ruling,
            event,
        )


def moderate_rename(*, game_id: int, ruling: Ruling, title: str) -> Game:
    """Give the table another name, at any time. Its host gets an email."""
    with _moderating(game_id, ruling) as (locked, ruling):
        game = locked.game
        before, game.name = game.name, clean_title(title)
        if game.name == before:
            raise ServiceError(_("The table already has this name."))
        quotas.spend(quotas.MODERATIONS, person=ruling.by)
        Game.objects.filter(pk=game.pk).update(name=game.name)
        pipeline.execute(announcements.about_table(game, was_listed=True))
        decisions.record(
            Action.RENAME, ruling, game=game, person=game.host, before=before, after=game.name
        )
        return game
