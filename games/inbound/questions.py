"""What the answered email asked: the vote of its reply address, an email with messages, or the
question of one of our answers, which In-Reply-To names.

A question of an answer is over after any move of the game, after anything that its player does, and
after a newer question. `find` alone decides that.
"""

from collections.abc import Sequence
from datetime import timedelta

import msgspec
from django.utils import timezone
from django.utils.translation import gettext as _

from games.mail.kinds.answer import SAY
from games.mail.kinds.players import REPLY_SEQ as TALK_SEQ
from games.models import InboundMail, Message
from games.rules import table_events
from games.services import GameMoved, ServiceError

from . import commands
from .commands import Answer, Move, Note, Say
from .decision import QUESTION, Question
from .letter import Letter
from .reply_context import ReplyContext

GOOD_FOR = timedelta(days=7)
MOST = 20  # emails that are looked at

Outcome = InboundMail.Outcome

_WITHOUT_EFFECT = (Outcome.QUIET, Outcome.STRANGER, Outcome.LIMIT, Outcome.LARGE, Outcome.AUTO)
_ABOUT_NO_GAME = commands.SwitchMail | commands.StopAll | commands.Away


def find(context: ReplyContext, letter: Letter) -> Question:
    """The question that the answered email asked. ServiceError, with the reason, if the letter
    answers a question that is over; GameMoved if that was about a move in another position."""
    if context.row.seq == TALK_SEQ:
        return Question("talk")
    if letter.acts and all(isinstance(act, _ABOUT_NO_GAME) for act in letter.acts):
        return QUESTION
    for entry in context.log.entries:
        if entry.seq == context.row.seq and isinstance(entry.event, table_events.VoteOpened):
            return Question("vote", about=entry.event.about, seq=entry.seq)
    rows = _recent(context)
    if not context.answered:
        _require_one_meaning(context, letter, rows)
    at = next((n for n, row in enumerate(rows) if _is_asking(row, context.answered)), None)
    if at is None:
        return QUESTION
    asked, since = rows[at], rows[:at]
    question = _question(asked)
    why = _why_over(context, asked, since)
    if not why:
        return question
    if not any(isinstance(act, Answer) for act in letter.acts):
        return QUESTION  # "resign" is asked again
    if why == "moved":
        raise GameMoved
    raise ServiceError(why)


def _recent(context: ReplyContext) -> list[InboundMail]:
    """The last emails of this player on this seat, the newest first; none if the letter names no
    answer of ours, and answers nothing."""
    if not context.answered and not any(isinstance(act, Answer) for act in context.letter.acts):
        return []
    earlier = InboundMail.objects.filter(
        game=context.game,
        seat=context.seat,
        user=context.user,
        state=InboundMail.State.DONE,
        received_at__gt=timezone.now() - GOOD_FOR,
    )
    rows = earlier.exclude(pk=context.row.pk).exclude(outcome__in=_WITHOUT_EFFECT)
    return list(rows.select_related("answer").defer("raw").order_by("-read_at", "-pk")[:MOST])


def _require_one_meaning(
    context: ReplyContext, letter: Letter, rows: Sequence[InboundMail]
) -> None:
    """ServiceError for a "yes" or "no" that is a move, while another move is offered: the email
    names none that it answers."""
    moves = [act.move for act in letter.acts if isinstance(act, Answer) and act.move]
    if moves and rows and rows[0].offer:
        raise ServiceError(
            _("“%(line)s” could mean two things here. Write the move itself.")
            % {"line": moves[0][:60]}
        )


def _is_asking(row: InboundMail, answered: str) -> bool:
    """Return whether the answer to this email asks something, and is the one that is answered."""
    asks = row.offer != "" or row.outcome == Outcome.ASKED
    return asks and row.answer is not None and row.answer.message_id == answered


def _question(asked: InboundMail) -> Question:
    if asked.outcome == Outcome.ASKED:
        return Question("resign")
    said = msgspec.convert(asked.letter, Letter) if asked.letter else Letter()
    if asked.offer == SAY:
        return Question("say", (Say(message(said)),))
    assert asked.answer is not None, "it was answered"
    notes = (act for act in said.acts if isinstance(act, Note | Say))
    return Question("move", (Move(asked.offer, asked.answer.seq), *notes))


def message(letter: Letter) -> str:
    """What would be written to the table: the whole text, without a word for talk at its
    beginning."""
    first = next(iter(letter.own), None)
    if first is not None and first.kind == "word" and isinstance(first.act, Say):
        return letter.whole.removeprefix(first.text[: -len(first.act.text)]).strip()
    return letter.whole


def _why_over(context: ReplyContext, asked: InboundMail, since: Sequence[InboundMail]) -> str:
    """Return why a question is over, "moved" if the position is another one; "" if it is not.

    since: the emails of the player after it.
    """
    assert asked.answer is not None and asked.read_at is not None, "it was answered"
    declines = (row for row in since if row.outcome in (Outcome.SHOWN, Outcome.REACTION))
    if any(commands.is_no(row.line) for row in declines):
        return _("You answered “no” to this question. Write the move that you want to make.")
    if any(row.offer or row.outcome == Outcome.ASKED for row in since):
        return _("This answers an earlier question. Answer the last one, or write the move itself.")
    done = [row for row in since if row.outcome not in (Outcome.SHOWN, Outcome.REACTION)]
    seq, log = asked.answer.seq or 0, context.log
    if not done and log.moved_at > seq:
        return "moved"
    entries = (entry for entry in (*log.entries, *log.orders) if entry.seq > seq)
    acted = any(entry.by == context.user.pk for entry in entries)
    wrote = Message.objects.filter(game=context.game, author=context.user, at__gt=asked.read_at)
    if done or acted or wrote.exists():
        return _("You’ve written something else since this question. Write the move itself.")
    return ""
