"""Answers to replies: what happened, what is asked next, what was not understood, what to confirm.

Which answer and the words that belong to it were decided when the reply was read (games.inbound);
here they meet the board. No answer holds a move as one would write it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.urls import reverse

from games import selectors
from games.log.game_log import Log
from games.models import Game, OutboxMail
from games.translate import say

from . import signed_links
from .content import Letter, about, hand, moment

if TYPE_CHECKING:
    from .compose import Sheet

# What an answer can be: the value of "what" in its context, and the end of its template's name.
PLAYED, UNCLEAR, SHOWN, CONFIRM, RESIGN, TOLD = (
    "played",
    "unclear",
    "shown",
    "confirm",
    "resign",
    "told",
)
WITH_BOARD = {PLAYED, SHOWN, TOLD}


def write(row: OutboxMail, sheet: Sheet) -> Letter:
    """The answer that this row is, the board as the row's own position shows it."""
    assert row.seat is not None and row.user is not None
    what, topic = row.context["what"], row.context.get("topic", "")
    log = sheet.log.until(row.seq)
    mine = row.seat < len(sheet.seats) and sheet.seats[row.seat].user_id == row.user_id
    shows = what in WITH_BOARD and row.context.get("board", True) and mine and log.effective
    seen = log.projection
    asked = mine and seen.status == Game.Status.RUNNING and row.seat in seen.to_act
    still = sheet.seats[row.seat].asked_seq if asked else None
    context = about(row, sheet) | {
        "what": what,
        "topic": topic,
        **{name: row.context.get(name) for name in ("line", "reason", "lines", "why")},
        "asked": asked,
        "question": _question(log, row.seat, sheet.names, played=what == PLAYED) if asked else "",
        "over": seen.status in (Game.Status.FINISHED, Game.Status.ABORTED),
        "paused": seen.status == Game.Status.PAUSED,
        "waits_for": [sheet.names[seat] for seat in seen.to_act] if not asked else [],
        "due": moment(sheet.seats[row.seat].due_at) if still is not None else "",
        "button_url": _button(row, sheet, still),
    }
    if what == PLAYED:
        context["repeated"] = row.context.get("repeated", False)
        context["sentences"] = _sentences(row, sheet, log)
    if not shows:
        return Letter(f"reply_{what}", context, seq=log.moved_at)
    view = log.engine.rules.view(log.state, row.seat)
    context |= {
        "hand": hand(log, view),
        "board_text": log.engine.presentation.board_text(view, translate=say),
    }
    recent = _recent(row, log) if what == PLAYED else ()
    return Letter(f"reply_{what}", context, view=view, recent=recent, seq=log.moved_at)


def _question(log: Log, seat: int, names: list[str], *, played: bool) -> str:
    """What the seat is asked: where it is not simply its turn, or where its move has led to a
    second decision, whose first question the form would ask."""
    view = log.engine.rules.view(log.state, seat)
    question = log.engine.rules.question(view)
    if question is not None:
        return say(question.text, names)
    fields = log.engine.presentation.move_form(view, {}).fields if played else ()
    return say(fields[0].prompt, names) if fields else ""


def _button(row: OutboxMail, sheet: Sheet, asked_seq: int | None) -> str:
    """Where the button leads: what to confirm, the form of this turn, or the table."""
    assert row.seat is not None and row.user is not None
    public_id = sheet.game.public_id
    if row.context["what"] == CONFIRM:
        path = signed_links.reply_path(row.context["inbound"])
    elif asked_seq is not None:
        path = signed_links.turn_path(public_id, row.seat, asked_seq, row.user)
    else:
        path = reverse("game", args=[public_id])
    return f"{settings.SITE_URL}{path}"


def _of_the_move(row: OutboxMail, log: Log) -> list[Any]:
    first = row.context["first"]
    return [entry for entry in log.effective if first <= entry.seq <= row.seq]


def _recent(row: OutboxMail, log: Log) -> tuple[Any, ...]:
    return tuple(
        log.engine.rules.visible(entry.event, row.seat) for entry in _of_the_move(row, log)
    )


def _sentences(row: OutboxMail, sheet: Sheet, log: Log) -> list[str]:
    """What the move did, as the player may know it."""
    said = [
        selectors.sentence_of(log.engine, entry, row.seat, sheet.names)
        for entry in _of_the_move(row, log)
    ]
    return [sentence for sentence in said if sentence]
