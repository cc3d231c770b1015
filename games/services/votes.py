"""Votes: the players of a table pause it, end it, take back a move or go on without a late player.

The last "yes" and its effect are one transaction. Bots do not vote, and the player who asks agrees.
"""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import NoReturn

import msgspec
from django.utils.translation import gettext as _

from games import selectors
from games.log import table_events, voting
from games.log.game_log import OpenVote
from games.log.pipeline import Statement
from games.mail import queue
from games.models import Game, Seat, User
from games.rules.table_events import (
    BotVote,
    CancelVote,
    PauseVote,
    ResumeVote,
    TakeBackVote,
    Vote,
    VoteAnswered,
    VoteOpened,
    VoteSettled,
)
from games.translate import exact_time

from . import quotas
from .errors import NotAllowed, ServiceError
from .locked_game import AnyEvent, LockedGame, restart_clocks, stop_clocks
from .quotas import atomic
from .seats import give_to_bot
from .sweeps import PART, Sweep
from .timeouts import waits

DAY = timedelta(days=1)
MOST_DAYS = 30  # of a pause that is voted


class VoteIsOver(ServiceError):
    """The vote that was answered is not open."""


def vote_open(
    *,
    game_id: int,
    user: User,
    about: table_events.Proposal,
    until: date | None = None,
    late: int | None = None,
    is_sure: bool = False,
) -> bool:
    """Ask the others; return whether the vote has passed, because there is nobody else to ask.

    until: the day on which the pause ends, in the user's time zone. late: the seat that a bot is to
    have. is_sure: the user has confirmed that the game is to end, where nobody else is asked.
    """
    with atomic():
        locked = LockedGame(game_id)
        return vote_open_locked(locked, user, about, until=until, late=late, is_sure=is_sure)


def vote_open_locked(
    locked: LockedGame,
    user: User,
    about: table_events.Proposal,
    *,
    until: date | None = None,
    late: int | None = None,
    is_sure: bool = False,
) -> bool:
    """Ask for a vote for a caller who has locked the game. An error changes nothing."""
    seat = _seat_of(locked, user)
    if locked.log.vote is not None:
        raise ServiceError(_("Another vote is open. It must end before you can call a new one."))
    proposal = _proposal(locked, seat, user, about, until, late)
    _require_a_day_since(locked, proposal)
    quotas.spend(quotas.VOTES, person=user, table=locked.game)
    now = locked.now
    vote = OpenVote(locked.log.version + 1, proposal, frozenset({seat.number}), now, now)
    if locked.passes(vote):
        if about == "cancel" and not is_sure:
            raise ServiceError(
                _(
                    "There is nobody else to ask, so the game would end at once. This cannot be undone. "
                    "To confirm it, tick the box on the game page or reply “vote cancel: yes”."
                )
            )
        _pass(locked, proposal, proposal, by=user)
        return True
    asked = voting.awaited(vote, locked.seats)
    if not asked:
        raise ServiceError(selectors.nobody_answers_sentence())
    locked.write(
        proposal, by=user, also=lambda: queue.vote_opened(locked.game, asked, vote.seq, by=user)
    )
    return False


def _proposal(
    locked: LockedGame,
    seat: Seat,
    user: User,
    about: table_events.Proposal,
    until: date | None,
    late: int | None,
) -> Vote:
    """Return the vote with this content; ServiceError if it makes no sense now."""
    locked.require_not_over()
    locked.require_not_held()
    number = seat.number
    match about:
        case "pause":
            locked.require_running()
            return PauseVote(seat=number, until=_first_moment(until, user, locked.now))
        case "resume":
            if locked.game.status != Game.Status.PAUSED:
                raise ServiceError(_("This game is not paused."))
            return ResumeVote(seat=number)
        case "bot":
            locked.require_running()
            return BotVote(seat=number, late=_late_seat(locked, seat, late))
        case "take_back":
            to_seq = voting.position_before(locked.log, number)
            if to_seq is None:
                raise ServiceError(_("You have no move to take back."))
            return TakeBackVote(seat=number, to_seq=to_seq)
        case "cancel":
            return CancelVote(seat=number)


def _first_moment(day: date | None, user: User, now: datetime) -> str:
    """Return when this day begins for the user, as an event has it."""
    today = now.astimezone(user.zone).date()
    if day is None or not today < day <= today + timedelta(days=MOST_DAYS):
        raise ServiceError(
            _("Choose a day from tomorrow on, at most %(most)s days ahead.") % {"most": MOST_DAYS}
        )
    return datetime.combine(day, time(), user.zone).isoformat(timespec="seconds")


def _late_seat(locked: LockedGame, seat: Seat, late: int | None) -> int:
    """Return the number of the seat `late`; ServiceError unless the table waits for its player,
    whose deadline has passed."""
    if not waits(locked.game):
        raise ServiceError(
            _("At this table, a bot steps in by itself when someone misses a deadline.")
        )
    row = locked.seat(late) if late is not None else None
    if row is None or row.user_id is None or not row.overdue:
        raise ServiceError(_("This player is not late."))
    if seat.overdue:
        raise ServiceError(_("Your own deadline has passed. Make your move first."))
    return row.number


def _subject(proposal: Vote) -> tuple[type[Vote], int | None]:
    return type(proposal), proposal.late if isinstance(proposal, BotVote) else None


def _require_a_day_since(locked: LockedGame, proposal: Vote) -> None:
    """ServiceError if the same vote did not pass less than a day ago."""
    asked: Vote | None = None
    for entry in locked.log.entries:
        match entry.event:
            case PauseVote() | ResumeVote() | CancelVote() | BotVote() | TakeBackVote() as vote:
                asked = vote
            case VoteSettled(outcome="refused" | "expired") if asked is not None:
                same = _subject(asked) == _subject(proposal)
                if same and entry.at > locked.now - DAY:
                    raise ServiceError(
                        _("This vote did not pass. You can ask again after %(time)s.")
                        % {"time": exact_time(entry.at + DAY)}
                    )


# -- answers -------------------------------------------------------------------------------


def vote_answer(*, game_id: int, user: User, vote: int, agrees: bool) -> str:
    """Answer the vote that event `vote` opened; return how that ended it, "" if it is still open.
    Raises VoteIsOver if it is not open."""
    with atomic():
        return vote_answer_locked(LockedGame(game_id), user, vote, agrees=agrees)


def vote_answer_locked(locked: LockedGame, user: User, vote: int, *, agrees: bool) -> str:
    """Answer a vote for a caller who has locked the game. An error changes nothing."""
    seat = _seat_of(locked, user)
    found = locked.vote
    if found is None or found.seq != vote or found.closes_at <= locked.now:
        _refuse_ended(locked, vote)
    if seat not in voting.voters(found.proposal, locked.seats):
        raise NotAllowed(_("You do not take part in this vote."))
    if agrees and seat.number in found.agreed:
        return ""
    answered = VoteAnswered(seat=seat.number, agrees=agrees)
    if not agrees:
        settled = VoteSettled(about=found.proposal.about, outcome="refused")
        locked.write(answered, settled, by=user)
        return selectors.ended_vote_sentence(locked.log, locked.seats, vote)
    after = msgspec.structs.replace(found, agreed=found.agreed | {seat.number})
    if locked.passes(after):
        _pass(locked, found.proposal, answered, by=user)
        return selectors.ended_vote_sentence(locked.log, locked.seats, vote)
    locked.write(answered, by=user)
    return ""


def _refuse_ended(locked: LockedGame, vote: int) -> NoReturn:
    opened = next((entry for entry in locked.log.entries if entry.seq == vote), None)
    if opened is None or not isinstance(opened.event, VoteOpened):
        raise ServiceError(_("There is no such vote."))
    raise VoteIsOver(selectors.ended_vote_sentence(locked.log, locked.seats, opened.seq))


def _seat_of(locked: LockedGame, user: User) -> Seat:
    seat = locked.seat_of(user)
    if seat is None:
        raise NotAllowed(_("You are not a player in this game."))
    return seat


def _pass(
    locked: LockedGame,
    proposal: Vote,
    *before: AnyEvent,
    by: User | None = None,
) -> None:
    """Write that the vote passed, and its effect."""
    settled = VoteSettled(about=proposal.about, outcome="passed")
    match proposal:
        case PauseVote():
            stop_clocks(locked)
            paused = table_events.Paused(until=proposal.until)
            locked.write(*before, settled, paused, by=by)
        case ResumeVote():
            restart_clocks(locked)
            locked.write(*before, settled, table_events.Resumed(), by=by)
        case CancelVote():
            locked.write(*before, settled, table_events.Aborted(code="vote"), by=by)
        case BotVote():
            _hand_to_bot(locked, proposal, [*before, settled], by)
        case TakeBackVote():
            back = table_events.RolledBack(to_seq=proposal.to_seq)
            locked.write(*before, settled, back, by=by, ask_again=True)


def _hand_to_bot(
    locked: LockedGame,
    proposal: BotVote,
    before: Sequence[AnyEvent],
    by: User | None,
) -> None:
    seat = locked.seat(proposal.late)
    former = seat.user
    assert former is not None, "a bot is never late"
    give_to_bot(locked, seat)
    handed = table_events.SeatHanded(seat=seat.number, to="bot", lost=True)
    seq = locked.log.version + len(before) + 1
    locked.write(
        *before,
        handed,
        by=by,
        also=lambda: queue.seat_lost(locked.game, seat.number, former, seq, to="vote"),
    )


# -- time ----------------------------------------------------------------------------------


def votes_due(*, now: datetime, sweep: Sweep | None = None) -> int:
    """Settle expired votes and votes with no one left to answer, and end the pauses that were
    voted; return their number."""

    def due(faults: list[int]) -> Statement:
        return _DUE_GAMES, [now, faults, PART]

    return (sweep or Sweep()).drain(due, lambda game_id: _settle_due(game_id, now))


_DUE_GAMES = """
    SELECT id FROM games_game WHERE vote_due_at <= %s AND id <> ALL(%s)
    ORDER BY vote_due_at LIMIT %s FOR NO KEY UPDATE SKIP LOCKED
"""


def _settle_due(game_id: int, now: datetime) -> int:
    locked = LockedGame(game_id, now=now)
    done, vote = 0, locked.vote
    if vote is not None:
        is_closed = vote.closes_at <= locked.now
        if locked.passes(vote) or (is_closed and _silence_agrees(locked, vote)):
            _pass(locked, vote.proposal)
            done += 1
        elif is_closed:
            locked.write(VoteSettled(about=vote.proposal.about, outcome="expired"))
            done += 1
    until = locked.log.table.paused_until
    is_paused = locked.game.status == Game.Status.PAUSED
    if is_paused and until and datetime.fromisoformat(until) <= locked.now:
        restart_clocks(locked)
        seq = locked.log.version + 1
        locked.write(
            table_events.Resumed(),
            also=lambda: queue.vote_told(locked.game, locked.seats, seq),
        )
        done += 1
    if not done:
        locked.write_outages()
    return done


def _silence_agrees(locked: LockedGame, vote: OpenVote) -> bool:
    """Return whether the silence of those who have not agreed is no "no": they are late, and have
    been sent the email about the vote."""
    left = voting.unanswered(vote, locked.seats)
    return voting.only_late_left(vote, left) and queue.vote_was_sent(locked.game, left, vote.seq)
