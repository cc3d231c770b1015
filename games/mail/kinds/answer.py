"""Answers to replies: what happened, what was not understood, what to confirm.

games.inbound decides which answer it is and what it says when it reads the reply; here the board
is added. No line of an answer can be read as a move.
"""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.log.entry import Entry
from games.log.game_log import Log
from games.mail import signed_links
from games.mail.snapshot import Snapshots
from games.models import Game, OutboxMail, User
from games.rules.contract import Event
from games.translate import say

from .base import SEND, MailContent, MailKind, SeatMail, SendDecision, moment, register
from .batch import batch_content, batch_preheader, batch_subject, reader_of, waiting_turns
from .over import OVER, ending_content

# The value of "what" in the context, and the end of the template's name.
PLAYED, UNCLEAR, SHOWN = "played", "unclear", "shown"
CONFIRM, RESIGN, TOLD = "confirm", "resign", "told"
WITH_BOARD = {PLAYED, SHOWN, TOLD}
ENDED = (Game.Status.FINISHED, Game.Status.ABORTED)


class _Answer(MailKind):
    name = "answer"
    label = gettext_lazy("answer to your reply")
    head_start = timedelta(hours=12)
    follows_user = False

    def check(self, row: OutboxMail) -> SendDecision:
        people = User.objects.filter(is_active=True, email=row.to_address)
        if row.user_id is None or not people.filter(pk=row.user_id).exists():
            return SendDecision("the reader has left, or has another address")
        return SEND

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        """The board as it was at the row's position; a list of games for a reply to an email about
        several of them."""
        if row.game is not None:
            return _about_game(SeatMail(row, snapshots))
        user = reader_of(row)
        topic = row.context.get("topic", "")  # an order about all email, which lists no games
        rows = [] if topic else waiting_turns(user)
        return batch_content(user, rows, snapshots, "reply_games", topic=topic)

    def subject(self, context: dict[str, Any]) -> str:
        return batch_subject(context) if "parts" in context else super().subject(context)

    def preheader(self, context: dict[str, Any]) -> str:
        if "final" in context:
            return OVER.preheader(context)
        match context.get("what"):
            case None:
                return batch_preheader(context)
            case "played":
                return " ".join(context["sentences"])
            case "unclear":
                return str(context["reason"])
            case "shown":
                return " ".join((context["lines"] or ())[:2])
            case "told":
                return str(context["game"].name)
        return _("Nothing has been changed yet.")


def _about_game(mail: SeatMail) -> MailContent:
    row, known = mail.row, mail.row.context
    what, log = known["what"], mail.log.until(row.seq)
    mine = mail.number < len(mail.seats) and mail.seat.user_id == mail.user.pk
    if mine and "final" in known and mail.log.projection.status in ENDED:
        return _final(mail, log)
    seen = log.projection
    asked = mine and seen.status == Game.Status.RUNNING and mail.number in seen.to_act
    asked_seq = mail.seat.asked_seq if asked else None
    if what == CONFIRM:
        button_url = settings.SITE_URL + signed_links.reply_path(known["inbound"])
    else:
        button_url = mail.game_url if asked_seq is None else mail.turn_url(asked_seq)
    context = mail.context(
        what=what,
        topic=known.get("topic", ""),
        **{name: known.get(name) for name in ("line", "reason", "lines", "why", "offer")},
        asked=asked,
        question=_question(log, mail, played=what == PLAYED) if asked else "",
        over=seen.status in ENDED,
        paused=seen.status == Game.Status.PAUSED,
        waits_for=[mail.names[seat] for seat in seen.to_act] if not asked else [],
        due=moment(mail.seat.due_at) if asked_seq is not None else "",
        button_url=button_url,
        rules_url=settings.SITE_URL + reverse("rules", args=[row.game.kind]) if row.game else "",
    )
    entries = _played(row, log)
    if what == PLAYED:
        context["repeated"] = known.get("repeated", False)
        context["sentences"] = _sentences(mail, entries)
    shows = what in WITH_BOARD and known.get("board", True) and mine and log.effective
    return mail.written(
        context,
        template=f"reply_{what}",
        log=log,
        view=log.engine.rules.view(log.state, mail.number) if shows else None,
        recent=_visible(mail, entries),
        # A player who has just moved knows the board, unless they decide on it again.
        picture=what != PLAYED or asked or context["over"],
    )


def _final(mail: SeatMail, log: Log) -> MailContent:
    """The final email of the game to the player whose reply ended it: what the reply did, and all
    that the others read."""
    entries = _played(mail.row, log)
    return ending_content(
        mail,
        template="reply_over",
        recent=_visible(mail, entries),
        hand=True,
        what=mail.row.context["what"],
        final=True,
        sentences=_sentences(mail, entries),
    )


def _played(row: OutboxMail, log: Log) -> list[Entry]:
    """The entries of the move that the email answers; [] if it answers something else."""
    known = row.context
    if known["what"] != PLAYED:
        return []
    if "order" in known:  # a private order, which has no number in the log
        return [entry for entry in log.orders if entry.order == known["order"]]
    return [entry for entry in log.effective if known["first"] <= entry.seq <= row.seq]


def _sentences(mail: SeatMail, entries: list[Entry]) -> list[str]:
    said = [selectors.sentence_of(mail.log, e, mail.number, mail.seat_names) for e in entries]
    return [sentence for sentence in said if sentence]


def _visible(mail: SeatMail, entries: list[Entry]) -> tuple[Event, ...]:
    return tuple(mail.log.engine.rules.visible(entry.event, mail.number) for entry in entries)


def _question(log: Log, mail: SeatMail, *, played: bool) -> str:
    """The question to the player, where it is not simply their turn; after their own move the first
    question of the form, which is about a second decision."""
    view = log.engine.rules.view(log.state, mail.number)
    question = log.engine.rules.question(view)
    if question is not None:
        return say(question.text, mail.names)
    fields = log.engine.presentation.move_form(view, {}).fields if played else ()
    return say(fields[0].prompt, mail.names) if fields else ""


ANSWER = register(_Answer())
