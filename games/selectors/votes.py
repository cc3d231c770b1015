"""Votes in words: what the open one does, who has answered, and what its readers must know."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.log import table_events, voting
from games.log.game_log import Log, OpenVote
from games.models import Game, Seat, seat_names
from games.rules import table_text
from games.rules.table_events import Paused, VoteSettled
from games.translate import day, exact_time, join_names, say

from .moves import sentence_of, sentences_of, text_of
from .seat_names import SeatNames

MOST_MOVES = 6  # that a vote would undo, in words


@dataclass(frozen=True)
class VoteText:
    """The open vote as one reader may read it, in the active language.

    seq: the event that opened it. asked: who wants what. effect: what happens if it passes. moves:
    those that would be undone, or the last one, because emails number none. learnt: what somebody
    has learnt by the moves that would be undone. answers: who has agreed, and whose answer is still
    open. may_answer: the reader has to answer; has_agreed: they have, and can still say no. until:
    when the vote closes.
    """

    seq: int
    title: str
    asked: str
    effect: str
    moves: tuple[str, ...]
    learnt: tuple[str, ...]
    answers: tuple[str, ...]
    until: str
    may_answer: bool
    has_agreed: bool


def vote_text(log: Log, seats: Sequence[Seat], viewer: int | None) -> VoteText | None:
    """The open vote of a table for the player on seat `viewer`, or a spectator; None without
    one."""
    vote = log.vote
    if vote is None:
        return None
    names, proposal = seat_names(seats), vote.proposal
    opened = next(entry for entry in log.entries if entry.seq == vote.seq)
    voters = [seat.number for seat in voting.voters(proposal, seats)]
    left = voting.unanswered(vote, seats)
    excused = [seat for seat in left if not voting.is_waited_for(seat)]
    answers = [
        (_("Agreed so far: %(names)s."), [n for n in voters if n in vote.agreed]),
        (_("Not answered yet: %(names)s."), [s.number for s in left if s not in excused]),
        (
            _("The vote does not wait for anyone who is away or suspended: %(names)s."),
            [s.number for s in excused],
        ),
    ]
    return VoteText(
        seq=vote.seq,
        title=say(table_text.vote_name(proposal.about)),
        asked=sentence_of(log, opened, viewer, SeatNames(log, seats)) or "",
        effect=_effect(log, vote, names),
        moves=_moves(log, proposal, viewer, SeatNames(log, seats)),
        learnt=learnt_since(log, proposal.to_seq, viewer, names)
        if isinstance(proposal, table_events.TakeBackVote)
        else (),
        answers=tuple(
            words % {"names": join_names([names[n] for n in found])}
            for words, found in answers
            if found
        ),
        until=exact_time(vote.closes_at),
        may_answer=viewer in [seat.number for seat in left],
        has_agreed=viewer in voters and viewer in vote.agreed,
    )


def _effect(log: Log, vote: OpenVote, names: Sequence[str]) -> str:
    """What happens if the vote passes, so that nobody reads it as what is."""
    proposal = vote.proposal
    match proposal:
        case table_events.PauseVote():
            return _(
                "During the pause, nobody can move, and all deadlines are paused. The game goes on "
                "by itself on %(day)s."
            ) % {"day": day(datetime.fromisoformat(proposal.until).date())}
        case table_events.ResumeVote():
            return _("Moves can then be made again. Nobody loses time because of the pause.")
        case table_events.CancelVote():
            return _(
                "The game then ends for everyone, without points or a winner. The vote does not "
                "wait for players whose deadline has passed, but their “no” counts."
            )
        case table_events.BotVote():
            return _("From then on, a bot plays for %(player)s, who can take the seat back.") % {
                "player": names[proposal.late]
            }
        case table_events.TakeBackVote():
            return _(
                "The game then goes back to the position before these moves, which are undone:"
            )


def _moves(
    log: Log, proposal: table_events.Vote, viewer: int | None, names: SeatNames
) -> tuple[str, ...]:
    """The moves that the vote would undo, of votes to cancel the game or to end a pause the last
    one, as `viewer` may read them."""
    match proposal:
        case table_events.TakeBackVote(to_seq=to_seq):
            return _moves_after(log, to_seq, viewer, names)
        case table_events.CancelVote() | table_events.ResumeVote():
            last = [" ".join(sentences_of(log, move, viewer, names)) for move in log.moves[1:][-1:]]
            return tuple(_("The last move: %(move)s") % {"move": words} for words in last)
    return ()


def _moves_after(log: Log, seq: int, viewer: int | None, names: SeatNames) -> tuple[str, ...]:
    """The moves after event `seq` in words, the first MOST_MOVES, and how many more there are."""
    moves = (move for move in log.moves if move[0].seq > seq)
    found = (" ".join(sentences_of(log, move, viewer, names)) for move in moves)
    lines = [line for line in found if line]
    left_out = len(lines) - MOST_MOVES
    more = ngettext("%(count)s further move", "%(count)s further moves", max(left_out, 1))
    shown = lines[:MOST_MOVES]
    if left_out > 0:
        shown.append(more % {"count": left_out})
    return tuple(shown)


def learnt_since(
    log: Log, to_seq: int, viewer: int | None, names: Sequence[str]
) -> tuple[str, ...]:
    """What somebody has learnt by the events after `to_seq`, as `viewer` may know it: kinds and
    numbers, no values."""
    rules = log.engine.rules
    events = [
        rules.visible(entry.event, viewer)
        for entry in log.effective
        if entry.seq > to_seq and not rules.is_reversible([entry.event])
    ]
    return tuple(say(text, names) for text in log.engine.presentation.learnt(events))


def ended_vote_sentence(log: Log, seats: Sequence[Seat], seq: int) -> str:
    """Return how the vote that event `seq` opened ended, with what changed by it."""
    ends = (entry for entry in log.entries[seq:] if isinstance(entry.event, VoteSettled))
    end = next(ends, None)
    if end is not None:
        return vote_news(log, SeatNames(log, seats), end.seq)
    opened = next(entry.event for entry in log.entries if entry.seq == seq)
    assert isinstance(opened, table_events.VoteOpened), "what the caller has checked"
    return _("The vote “%(vote)s” is over.") % {"vote": say(table_text.vote_name(opened.about))}


def vote_news(log: Log, names: SeatNames, seq: int) -> str:
    """Return what event `seq` says of a vote or of a pause that was voted, with what changed by
    it: the event after the end of a vote that passed."""
    first = log.entries[seq - 1]
    passed = isinstance(first.event, VoteSettled) and first.event.outcome == "passed"
    entries = log.entries[seq - 1 : seq + passed]
    found = [sentence_of(log, entry, None, names) for entry in entries]
    effect = entries[-1].event
    if isinstance(effect, table_events.RolledBack):
        undone = _moves_after(log.until(seq), effect.to_seq, None, names)
        found.append(_("These moves are undone: %(moves)s") % {"moves": " ".join(undone)})
    return " ".join(filter(None, found))


def pause_sentences(log: Log) -> tuple[str, str]:
    """Whose pause it is, until when and why; and what that means, and how it ends. ("", "") for a
    game that is not paused."""
    if log.projection.status != Game.Status.PAUSED:
        return "", ""
    pause = next(entry for entry in reversed(log.entries) if isinstance(entry.event, Paused))
    text = text_of(log.engine, pause, None, log)
    assert text is not None, "as for each pause"
    cause = say(text)
    if log.is_held:
        return cause, _(
            "Nobody can move, and all deadlines are paused until a moderator resumes the game."
        )
    return cause, _(
        "Until then, nobody can move, and all deadlines are paused. The players can end the pause "
        "earlier by a vote."
    )


def held_sentence() -> str:
    """What a pause by a moderator means for votes and for the end of the game."""
    return _(
        "A moderator has paused this game. Until a moderator resumes it, there are no votes, and "
        "players cannot end the game."
    )


def nobody_answers_sentence() -> str:
    """Why a vote cannot be asked for that nobody could answer."""
    return _(
        "All the others are away or suspended at the moment. Ask again when someone can answer."
    )


def why_no_votes(log: Log, seats: Sequence[Seat], viewer: int | None) -> str:
    """Why the player on seat `viewer` can ask for no vote now; "" for one who can."""
    if viewer is None or log.projection.status not in (Game.Status.RUNNING, Game.Status.PAUSED):
        return ""
    if log.is_held:
        return held_sentence()
    others = [seat for seat in seats if seat.user_id is not None and seat.number != viewer]
    is_alone = bool(others) and not any(voting.is_waited_for(seat) for seat in others)
    return nobody_answers_sentence() if is_alone and log.vote is None else ""


@dataclass(frozen=True)
class PossibleVote:
    """A vote that the reader can ask for. late: the seat that a bot would have. is_alone: there is
    nobody else at the table to ask."""

    about: table_events.Proposal
    late: int | None
    title: str
    is_alone: bool


def possible_votes(
    game: Game, log: Log, seats: Sequence[Seat], viewer: int | None
) -> tuple[PossibleVote, ...]:
    """The votes that the player on seat `viewer` can ask for now, in the active language."""
    if viewer is None or why_no_votes(log, seats, viewer):
        return ()
    names = seat_names(seats)
    is_alone = sum(seat.user_id is not None for seat in seats) == 1
    found = []
    for about, late in voting.possible(game, log, seats, seats[viewer]):
        title = say(table_text.vote_name(about))
        if late is not None:
            title = _("Bot for %(player)s, who is late") % {"player": names[late]}
        found.append(PossibleVote(about, late, title, is_alone))
    return tuple(found)
