"""Voters and the state of an open vote, computed from the log and the seats of a table."""

from collections.abc import Sequence

from games.log import table_events
from games.log.game_log import Log, OpenVote
from games.models import Game, Seat


def voters(proposal: table_events.Vote, seats: Sequence[Seat]) -> list[Seat]:
    """The seats of those who vote: the people, but of a late player's seat only those in time."""
    people = [seat for seat in seats if seat.user_id is not None]
    if not isinstance(proposal, table_events.BotVote):
        return people
    return [seat for seat in people if seat.number != proposal.late and not seat.overdue]


def is_waited_for(seat: Seat) -> bool:
    """Return whether votes wait for the player of this seat: not for one who is suspended or away.
    An absence does not count where its player is late."""
    user = seat.user
    return user is not None and user.is_active and (seat.overdue or not user.is_away)


def unanswered(vote: OpenVote, seats: Sequence[Seat]) -> list[Seat]:
    """The seats of those who have not agreed; the vote does not wait for all of them."""
    return [seat for seat in voters(vote.proposal, seats) if seat.number not in vote.agreed]


def awaited(vote: OpenVote, seats: Sequence[Seat]) -> list[Seat]:
    """The seats of those who are asked and have not agreed."""
    return [seat for seat in unanswered(vote, seats) if is_waited_for(seat)]


def only_late_left(vote: OpenVote, left: Sequence[Seat]) -> bool:
    """Return whether those who are left to agree may keep silent: players who are late, where the
    game is to be cancelled."""
    return vote.proposal.about == "cancel" and all(seat.overdue for seat in left)


def passes_without(vote: OpenVote, seats: Sequence[Seat]) -> list[Seat] | None:
    """The late players without whose answers the vote passes now; None if it does not pass.

    Players who are late keep until its end the time to say no, unless somebody besides the player
    who asked has agreed. Nobody decides alone because all the others are suspended or away.
    """
    taking_part = voters(vote.proposal, seats)
    agreed = sum(seat.number in vote.agreed for seat in taking_part)
    if agreed < 2:
        return [] if 0 < agreed == len(taking_part) else None
    left = awaited(vote, seats)
    return left if not left or only_late_left(vote, left) else None


def is_overtaken(log: Log, vote: OpenVote, seats: Sequence[Seat]) -> bool:
    """Return whether the vote no longer makes sense: its player has left, or what it is about has
    changed."""
    proposal, status = vote.proposal, log.projection.status
    if log.is_held or log.seating.now[proposal.seat].since > vote.seq:
        return True
    match proposal:
        case table_events.PauseVote():
            return status != Game.Status.RUNNING
        case table_events.ResumeVote():
            return status != Game.Status.PAUSED
        case table_events.BotVote():
            late = seats[proposal.late]
            left = log.seating.now[late.number].since > vote.seq
            return left or not late.overdue or status != Game.Status.RUNNING
        case table_events.TakeBackVote():
            return log.moved_at > vote.seq
        case table_events.CancelVote():  # whoever is left alone is asked again before the game ends
            return voters(proposal, seats) == [seats[proposal.seat]]


def position_before(log: Log, seat: int) -> int | None:
    """Return the number of the last event before the last move of this seat's player; None without
    a move."""
    last = log.move_of_holder(seat)
    if last is None:
        return None
    return next(move[-1].seq for move in reversed(log.moves) if move[-1].seq < last.first.seq)


def possible(
    game: Game, log: Log, seats: Sequence[Seat], seat: Seat
) -> list[tuple[table_events.Proposal, int | None]]:
    """Return the votes that the player on this seat can ask for now, each with the seat that a bot
    would have."""
    if log.vote is not None or log.is_held:
        return []
    if game.status not in (Game.Status.RUNNING, Game.Status.PAUSED):
        return []
    found: list[tuple[table_events.Proposal, int | None]] = []
    if game.status == Game.Status.RUNNING:
        found.append(("pause", None))
        if game.timeout_policy == Game.TimeoutPolicy.WAIT and not seat.overdue:
            found += [("bot", each.number) for each in seats if each.overdue and each.user_id]
    else:
        found.append(("resume", None))
    if position_before(log, seat.number) is not None:
        found.append(("take_back", None))
    return [*found, ("cancel", None)]
