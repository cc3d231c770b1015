"""Answers to replies: what happened, what was not understood, what to confirm.

games.inbound decides which answer it is and what it says when it reads the reply; here the board
is added, and what the player is asked now.
"""

import textwrap
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.log.entry import Entry
from games.log.game_log import Log, Projection
from games.mail import signed_links
from games.mail.turn_text import more_on_page
from games.models import Game, OutboxMail, User
from games.rules.contract import Event
from games.translate import join_names, say

from .base import SEND, MailContent, MailKind, SendDecision, Snapshots, Text, register
from .batch import batch_content, batch_preheader, batch_subject, reader_of, waiting_turns
from .over import OVER, ending_content
from .seat_mail import SeatMail

# The value of "what" in the context, and the end of the template's name.
PLAYED, UNCLEAR, SHOWN = "played", "unclear", "shown"
CONFIRM, RESIGN, NOTICE = "confirm", "resign", "told"
SAY = "say"  # as an offer: to write to the others what the reply says
WITH_BOARD = {PLAYED, SHOWN, NOTICE}
# Answers to what needs no move show none; the list of legal moves has them all.
WITHOUT_FORMS = {
    "legal",
    "limit",
    "said",
    "note",
    "first_note",
    "reported",
    "away",
    "mails_off",
    "mails_on",
    "stop",
    "start",
    "day_given",
    "nudged",
    "vote_asked",
    "vote_yes",
    "vote_no",
    "no_seat",
    "declined",
}
ENDED = (Game.Status.FINISHED, Game.Status.ABORTED)
WEEK = timedelta(days=7)
# A move after which others are to act is answered in at most 20 lines; of what happened, it has …
MOST_LINES = 6
LINES_OF_MORE = 3  # that it does not have where the answer says more
LINE = 70  # characters

# What an answer says first, by "what" and topic; "" where the topic has no words of its own.
OPENINGS: dict[str, dict[str, Text]] = {
    PLAYED: {
        "": gettext_lazy("Your move has been made."),
        "order": gettext_lazy("Saved. Only you can see it. You can change it at any time."),
        "order_deleted": gettext_lazy("Done. You no longer have anything entered in advance."),
    },
    UNCLEAR: {
        "": gettext_lazy("We didn’t understand your reply. Nothing has been changed."),
        "refused": gettext_lazy("Your reply couldn’t be carried out. Nothing has been changed."),
    },
    CONFIRM: {"": gettext_lazy("We received a reply in your name. Nothing has been changed yet.")},
    RESIGN: {"": gettext_lazy("You wrote that you want to resign. Nothing has been changed yet.")},
    SHOWN: {
        "": gettext_lazy("This is the current position."),
        "words": gettext_lazy("This is the current position in words."),
        "legal": gettext_lazy("These are your legal moves."),
        "orders": gettext_lazy("This is what you’ve entered in advance. Only you can see it."),
        "no_orders": gettext_lazy("You haven’t entered anything in advance."),
        "preview": gettext_lazy(
            "This is what the move would do. Nothing has been changed yet. To make the move, send "
            "the line again without its first word."
        ),
        "help": gettext_lazy("You can write any of these on the first line of a reply."),
        "status": gettext_lazy("These are your games."),
        "standings": gettext_lazy("These are the standings of your circle."),
        "rules": gettext_lazy("This is how a move is written."),
    },
    NOTICE: {
        "away": gettext_lazy("Your absence has been entered."),
        "": gettext_lazy(
            "You’ve sent too many emails in the last hour. We won’t read any more for a while."
        ),
        "mails_off": gettext_lazy(
            "Emails for this game are off, apart from answers to your own emails. To turn them "
            "back on, reply “resume emails”."
        ),
        "mails_on": gettext_lazy("Emails for this game are on again."),
        "stop": gettext_lazy(
            "All emails of this service are off: about this game and all others. Your deadlines "
            "still apply, and if you miss one, you may be replaced. Sign-in codes that you ask "
            "for, security notices and answers to your own emails still come. To turn the emails "
            "back on as they were, reply “start”."
        ),
        "start": gettext_lazy("Your emails are on again as they were before."),
        "circle_left": gettext_lazy(
            "You’ve left the circle. Its members no longer see your name in its standings."
        ),
        "day_given": gettext_lazy("The player you’re waiting for has one more day now."),
        "nudged": gettext_lazy(
            "The player you’re waiting for gets a friendly nudge by email, unless they’ve turned "
            "such emails off."
        ),
        "undo": gettext_lazy("You’ve taken back your last step. The game is back to where it was."),
        "refused": gettext_lazy("One thing couldn’t be done:"),
        "first_note": gettext_lazy(
            "Everyone who may see the table can now read your note, at the beginning of the log."
        ),
        "note": gettext_lazy(
            "Everyone who may see the table can now read your note, next to your last move."
        ),
        "said": gettext_lazy("The others at the table can now read your message."),
        "reported": gettext_lazy(
            "Your report has reached the moderators. You’ll get an email when they have closed it."
        ),
        "resigned": gettext_lazy("You’ve resigned."),
        "seat_back": gettext_lazy("You have your seat back."),
        "stale": gettext_lazy(
            "The game has moved on since the email you replied to, so your reply wasn’t carried "
            "out. This is the current position."
        ),
        "vote_asked": gettext_lazy("The others are asked now. Each of them gets an email."),
        "vote_passed": gettext_lazy("Done: everyone with a vote has agreed."),
        "vote_yes": gettext_lazy("You’ve agreed."),
        "vote_no": gettext_lazy("You’ve said no."),
        "declined": gettext_lazy("All right, nothing has been changed."),
        "large": gettext_lazy(
            "Your email was too large to read. Send only the line with your move or command, "
            "without images or the quoted email."
        ),
        "failed": gettext_lazy(
            "Sorry, an error on our side kept us from reading your email, so nothing has been "
            "changed. Please send your move again in a new reply, or make it on the game page."
        ),
    },
}


class _Answer(MailKind):
    name = "answer"
    label = gettext_lazy("answer to your reply")
    head_start = timedelta(hours=12)
    follows_user = False

    def check(self, row: OutboxMail) -> SendDecision:
        people = User.objects.filter(email=row.to_address)
        if row.user_id is None or not people.filter(pk=row.user_id).exists():
            return SendDecision("the reader has left, or has another address")
        return SEND

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        """The board as it was at the row's position; a list of games for a reply to an email about
        several of them."""
        if row.game is not None:
            return _about_game(SeatMail(row, snapshots))
        user = reader_of(row)
        topic = row.context.get("topic", "")  # a command about all email, which lists no games
        rows = [] if topic else waiting_turns(user)
        for part in rows:
            part.created_at = row.created_at
        opening = _opening_about_all(topic, row.context.get("lines", ()))
        return batch_content(user, rows, snapshots, "reply_games", topic=topic, opening=opening)

    def subject(self, context: dict[str, Any]) -> str:
        return batch_subject(context) if "parts" in context else super().subject(context)

    def preheader(self, context: dict[str, Any]) -> str:
        if "ending" in context:
            return OVER.preheader(context)
        what = context.get("what")
        if what is None:
            return batch_preheader(context)
        if what in (CONFIRM, RESIGN) or context["offer"]:
            return str(context["task"])
        # The subject is that of the thread: only these words say what became of the reply.
        if what == PLAYED and context["sentences"] and not context["repeated"]:
            return " ".join(context["sentences"])
        reason = context["reason"] if what == UNCLEAR else ""
        return f"{context['opening']} {reason}".strip()


def _about_game(mail: SeatMail) -> MailContent:
    row, known = mail.row, mail.row.context
    what, log = known["what"], mail.log.until(row.seq)
    mine, is_order = mail.sits_here, "order" in known
    if mine and known.get("instead_of") == OVER.name and mail.log.projection.status in ENDED:
        return _final(mail, log)
    seen = log.projection
    asked = mine and seen.status == Game.Status.RUNNING and mail.number in seen.to_act
    asked_seq = mail.seat.asked_seq if asked else None
    if what == CONFIRM:
        button_url = settings.SITE_URL + signed_links.reply_path(known["inbound"], reader_of(row))
    else:
        button_url = mail.game_url if asked_seq is None else mail.turn_url(asked_seq)
    moves = _played(row, log)
    nothing_left = is_order and not log.engine.rules.standing_orders(log.state, mail.number)
    said = [] if nothing_left else _sentences(mail, moves)
    context = mail.context(
        what=what,
        topic=known.get("topic", ""),
        **{name: known.get(name) for name in ("line", "reason", "lines", "why", "offer")},
        **{name: known.get(name) or () for name in ("sent", "also", "unread")},
        asked=asked,
        has_button=what != UNCLEAR or bool(known.get("why")),
        question=_question(log, mail) if asked else "",
        state=_state(mail, seen) if not asked else "",
        due=mail.due_line(mail.seat.due_at) if asked_seq is not None else "",
        button_url=button_url,
        rules_url=settings.SITE_URL + reverse("rules", args=[row.game.kind]) if row.game else "",
        opening=_opening(known, log, mail),
        repeated=known.get("repeated", False),
        is_order=is_order,
        can_plan=log.engine.plans_turns
        and not (asked or is_order)
        and seen.status == Game.Status.RUNNING,
        sentences=[" ".join(texts) for texts in said],
        **(mail.guidance(log) if asked else {}),
    )
    _ask(context, mail)
    if context["topic"] in WITHOUT_FORMS or "vote" in known:
        context["forms"] = context["examples"] = ()
    elif context["topic"] in ("help", "rules"):
        context |= {"forms": (), "written_above": True}
    if what == PLAYED and not (asked or is_order):
        more = sum(bool(context[name]) for name in ("sent", "also", "unread"))
        context["can_plan"] = context["can_plan"] and not more
        room = max(MOST_LINES - LINES_OF_MORE * more - context["can_plan"], 1)
        context["sentences"] = _shortened(said, room)
    # A player who has just moved knows the board, unless they decide on it again.
    shows = what in WITH_BOARD and known.get("board", True) and (what != PLAYED or asked)
    view = (
        log.engine.rules.view(log.state, mail.number) if shows and mine and log.effective else None
    )
    if asked and shows_position(known):
        context["check_code"] = mail.check_code(log)
        if what == PLAYED:  # the recap says what followed
            context["sentences"] = context["sentences"][:1]
        if not is_order and context["topic"] != "undo":
            context["recap"] = selectors.recap(log, mail.number, mail.user.pk, mail.seat_names)
    if known.get("note_refused"):
        context["sentences"] = [*context["sentences"], known["note_refused"]]
    return mail.written(
        context,
        template=f"reply_{what}",
        log=log,
        view=view,
        recent=_visible(mail, moves),
        answers=known.get("vote"),
    )


def shows_position(context: dict[str, Any]) -> bool:
    """Whether an answer with this context shows the whole position, in a picture or in words."""
    is_whole = context.get("board", True) or context.get("topic") == "words"
    return context["what"] in WITH_BOARD and is_whole


def opening_of(topic: str) -> str:
    """What an answer says first about something that was done, by its topic."""
    return str(OPENINGS[NOTICE][topic])


def _opening_about_all(topic: str, lines: Sequence[str]) -> str:
    """What became of a command that is about no game: what `lines` say, else the words of its
    topic; "" for no such command."""
    if lines:
        return " ".join(lines)
    return str(OPENINGS[NOTICE][topic]) if topic else ""


def _opening(known: dict[str, Any], log: Log, mail: SeatMail) -> str:
    """The first sentences, which say what became of the reply."""
    if known.get("repeated") and not known.get("order"):
        return _("This move had already been made. Nothing has changed.")
    openings = OPENINGS[known["what"]]
    topic = "order" if known.get("order") else known.get("topic", "")
    if topic == "order" and not log.engine.rules.standing_orders(log.state, mail.number):
        topic = "order_deleted"
    if known["what"] == NOTICE and topic not in openings:
        return known.get("reason") or str(openings[""])
    said = str(openings.get(topic, openings[""]))
    lost = selectors.lost_orders(log, mail.number, mail.user.pk) if topic == "undo" else None
    if lost is None:
        return said
    also = selectors.undone_orders_sentence(log, lost.first.seq, mail.number, mail.user.pk)
    return f"{said} {also}"


def _ask(context: dict[str, Any], mail: SeatMail) -> None:
    """Put what the answer itself asks in the place of the move that is asked."""
    game, what = {"game": mail.game.name}, context["what"]
    if what == RESIGN:
        context |= {
            "task": _("Reply “resign” if you really want to resign from “%(game)s”") % game,
            "due": mail.due_line(mail.row.created_at + WEEK),
            "forms": [],
            "examples": [_("resign")],
            "one_word": True,
        }
    elif what == CONFIRM:
        context["task"] = _("Confirm a reply to “%(game)s”, or ignore this email") % game
        context["forms"] = context["examples"] = ()
    elif context["offer"] == SAY:
        context |= {
            "task": _("Did you mean to write this to the table? Reply “yes”"),
            "forms": [],
            "examples": [_("yes")],
            "one_word": True,
        }
    elif context["offer"]:
        offer = {"offer": mail.log.engine.notation.localised(context["offer"], say)}
        context["task"] = _("Did you mean “%(offer)s”? Reply “yes” to do exactly that") % offer


def _final(mail: SeatMail, log: Log) -> MailContent:
    """The final email of the game to the player whose reply ended it: what the reply did, and all
    that the others read."""
    moves = _played(mail.row, log)
    return ending_content(
        mail,
        template="reply_over",
        recent=_visible(mail, moves),
        hand=True,
        what=mail.row.context["what"],
        sentences=[" ".join(texts) for texts in _sentences(mail, moves)],
    )


def _played(row: OutboxMail, log: Log) -> list[tuple[Entry, ...]]:
    """The moves that the email answers, each as its entries; [] if it answers something else."""
    known = row.context
    if known["what"] != PLAYED:
        return []
    if "order" in known:  # a private order, which has no number in the log
        return [(entry,) for entry in log.orders if entry.order == known["order"]]
    return [move for move in log.moves if move[0].seq >= known["first"]]


def _sentences(mail: SeatMail, moves: Sequence[Sequence[Entry]]) -> list[list[str]]:
    """The sentences of each move."""
    of_moves = (
        selectors.sentences_of(mail.log, move, mail.number, mail.seat_names) for move in moves
    )
    return [sentences for sentences in of_moves if sentences]


def _shortened(said: list[list[str]], room: int) -> list[str]:
    """What happened, in at most `room` lines of the text part if they hold the first sentence: as
    many whole sentences of the moves as fit, and how many do not."""
    whole = sum(len(texts) for texts in said)
    shown = whole
    while shown > 1 and _height(_beginning(said, shown)) + (shown < whole) > room:
        shown -= 1
    kept = _beginning(said, shown)
    if left_out := whole - shown:
        kept.append(more_on_page(left_out))
    return kept


def _beginning(said: list[list[str]], shown: int) -> list[str]:
    """Each move in one paragraph, up to this number of sentences."""
    found = []
    for texts in said:
        if shown > 0:
            found.append(" ".join(texts[:shown]))
        shown -= len(texts)
    return found


def _height(texts: Sequence[str]) -> int:
    return sum(len(textwrap.wrap(text, LINE)) for text in texts)


def _state(mail: SeatMail, seen: Projection) -> str:
    """The players for whom the game waits, for somebody who is not asked."""
    if seen.status in ENDED:
        return _("The game is over.")
    if seen.status == Game.Status.PAUSED:
        return " ".join(selectors.pause_sentences(mail.log))
    names = join_names([mail.names[seat] for seat in seen.to_act])
    return _("Waiting for %(names)s.") % {"names": names} if names else ""


def _visible(mail: SeatMail, moves: Sequence[Sequence[Entry]]) -> tuple[Event, ...]:
    visible = mail.log.engine.rules.visible
    return tuple(visible(entry.event, mail.number) for move in moves for entry in move)


def _question(log: Log, mail: SeatMail) -> str:
    """The question to the player, where it is not simply their turn."""
    view = log.engine.rules.view(log.state, mail.number)
    question = log.engine.rules.question(view)
    return say(question.text, mail.names) if question is not None else ""


ANSWER = register(_Answer())
