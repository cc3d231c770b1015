"""What each kind of mail says, as context for its template: names, moments, scores, links.

Words for people are in the templates; here is what they speak of.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import pgettext

from games import selectors
from games.log import table_events
from games.log.game_log import Log
from games.models import Game, Invitation, OutboxMail, Seat
from games.rules import GAMES
from games.rules.contract import Event, View
from games.translate import say

from . import signed_links

if TYPE_CHECKING:
    from .compose import Sheet

Kind = OutboxMail.Kind


class Letter(msgspec.Struct, frozen=True):
    """template, subject: names under templates/mail. view, recent: the board to draw, if any.

    seq: the position that a reply to it answers; None for the present one.
    """

    template: str
    context: dict[str, Any]
    subject: str = "game"
    view: View | None = None
    recent: tuple[Event, ...] = ()
    seq: int | None = None


def write(row: OutboxMail, sheet: Sheet | None) -> Letter:
    """The letter for this row; `sheet` is its game, where it has one."""
    if sheet is None:
        return _account(row)
    match row.kind:
        case Kind.INVITATION:
            return _invitation(row, sheet)
        case Kind.STARTED:
            return _started(row, sheet)
        case Kind.TURN | Kind.REMINDER:
            return _turn(row, sheet)
        case Kind.DEADLINE:
            return _deadline(row, sheet)
        case Kind.OVER:
            return _over(row, sheet)
        case Kind.MODERATED:
            return _moderated(row, sheet)
    raise ValueError(f"there is no mail of kind {row.kind!r} about a game")


def moment(at: datetime | None) -> str:
    """A moment in the active zone and language: "Saturday, 23 November, 14:05 (Europe/Berlin)"."""
    if at is None:
        return ""
    here = timezone.localtime(at)
    # Translators: Django's date format for a deadline in a mail: weekday, day, month, time.
    words = date_format(here, pgettext("date format in mails", "l, j F, H:i"))
    return f"{words} ({timezone.get_current_timezone_name()})"


# -- about one game -----------------------------------------------------------------------


def about(row: OutboxMail, sheet: Sheet) -> dict[str, Any]:
    """What every mail about a game knows."""
    game = sheet.game
    return {
        "game": game,
        "title": say(GAMES[game.kind].title),
        "me": row.user.name if row.user else "",
        "players": _players(sheet.seats),
        "seat": row.seat,
        "game_url": settings.SITE_URL + reverse("game", args=[game.public_id]),
    }


def _players(seats: Sequence[Seat]) -> list[dict[str, Any]]:
    return [{"seat": seat.number, "number": seat.number + 1, "name": seat.name} for seat in seats]


def _own(row: OutboxMail, sheet: Sheet) -> Seat:
    assert row.seat is not None
    return sheet.seats[row.seat]


def _turn_url(row: OutboxMail, sheet: Sheet, seq: int) -> str:
    assert row.user is not None and row.seat is not None
    return f"{settings.SITE_URL}{signed_links.turn_path(sheet.game.public_id, row.seat, seq, row.user)}"


def hand(log: Log, view: View) -> list[dict[str, Any]]:
    return [
        {"icon": held.icon, "label": say(held.label), "count": held.count}
        for held in log.engine.presentation.hand(view)
    ]


def _started(row: OutboxMail, sheet: Sheet) -> Letter:
    log = sheet.log
    view = log.engine.rules.view(log.until(row.seq).state, row.seat)
    to_act = log.engine.rules.to_act(log.until(row.seq).state)
    context = about(row, sheet) | {
        "first": [sheet.names[seat] for seat in to_act],
        "days": sheet.game.pace_days,
        "ahead": log.engine.accepts_input(view),
        "hand": hand(log, view),
        "board_text": log.engine.presentation.board_text(view, translate=say),
        "button_url": settings.SITE_URL + reverse("game", args=[sheet.game.public_id]),
    }
    return Letter("started", context, view=view)


def _turn(row: OutboxMail, sheet: Sheet) -> Letter:
    """As the game was when the seat was asked: the turn is still that one, or nothing is sent.
    A reminder shows the game as it is: a part of the turn may be done."""
    log = sheet.log if row.kind == Kind.REMINDER else sheet.log.until(row.seq)
    view = log.engine.rules.view(log.state, row.seat)
    assert row.seat is not None
    recap = selectors.recap(log, row.seat, row.user_id, sheet.names, sheet.game)
    question = log.engine.rules.question(view)
    context = about(row, sheet) | {
        "recap": recap,
        "question": say(question.text, sheet.names) if question is not None else "",
        "lapses": question is not None and question.default is not None,
        "which": row.context.get("which"),
        "due": moment(_own(row, sheet).due_at),
        "hand": hand(log, view),
        "board_text": log.engine.presentation.board_text(view, translate=say),
        "button_url": _turn_url(row, sheet, row.seq),
    }
    return Letter("turn", context, view=view, recent=recap.events, seq=log.moved_at)


def _deadline(row: OutboxMail, sheet: Sheet) -> Letter:
    late = sheet.seats[row.context["late"]]
    mine = late.number == row.seat
    context = about(row, sheet) | {
        "late": late.name,
        "mine": mine,
        "host": sheet.game.host_id == row.user_id,
        "due": moment(late.due_at),
        "button_url": _turn_url(row, sheet, row.seq)
        if mine
        else settings.SITE_URL + reverse("game", args=[sheet.game.public_id]),
    }
    return Letter("deadline", context)


def _over(row: OutboxMail, sheet: Sheet) -> Letter:
    log, game = sheet.log, sheet.game
    known = about(row, sheet)
    if not log.effective:  # called off before it began
        return Letter("over", known | {"ending": _ending(sheet), "aborted": True})
    view = log.engine.rules.view(log.state, row.seat)
    assert row.seat is not None
    recap = selectors.recap(log, row.seat, row.user_id, sheet.names, game)
    winners = log.projection.winners or ()
    cause = log.engine.presentation.ending(view) if log.outcome is not None else None
    context = known | {
        "aborted": game.status == Game.Status.ABORTED or log.projection.status == "aborted",
        "ending": _ending(sheet) or (say(cause, sheet.names) if cause is not None else ""),
        "winners": [sheet.names[seat] for seat in winners],
        "won": row.seat in winners,
        "shared": len(winners) > 1,
        "table": _score_table(log, view, sheet.names),
        "recap": recap,
        "board_text": log.engine.presentation.board_text(view, translate=say),
    }
    return Letter("over", context, view=view)


def _score_table(log: Log, view: View, names: Sequence[str]) -> list[dict[str, Any]]:
    """The seats by score, each with the lines that explain it; [] where nothing was scored."""
    if log.outcome is None:
        return []
    explained = {
        seat: [say(line, names) for line in lines]
        for seat, lines in log.engine.presentation.settlement(view)
    }
    rows = [
        {
            "seat": seat,
            "name": names[seat],
            "score": score,
            "won": seat in log.outcome.winners,
            "lines": explained.get(seat, []),
        }
        for seat, score in enumerate(log.outcome.scores)
    ]
    return sorted(rows, key=lambda line: (-int(line["score"]), int(line["seat"])))


def _ending(sheet: Sheet) -> str:
    """Why the game ended, where it was not played to its end."""
    for entry in reversed(sheet.log.entries):
        if isinstance(entry.event, table_events.Aborted | table_events.Resigned):
            text = table_events.sentence(entry.event)
            return say(text, sheet.names) if text is not None else ""
        if not entry.is_table:
            break
    return ""


def _moderated(row: OutboxMail, sheet: Sheet) -> Letter:
    own = _own(row, sheet) if row.seat is not None else None
    running = sheet.game.status == Game.Status.RUNNING
    asked = own is not None and own.asked_seq is not None and running
    event = next((entry.event for entry in sheet.log.entries if entry.seq == row.seq), None)
    text = table_events.sentence(event) if isinstance(event, table_events.Event) else None
    context = about(row, sheet) | {
        "said": say(text, sheet.names) if text is not None else row.context["reason"],
        "paused": sheet.game.status == Game.Status.PAUSED,
        "removed": own is None,
        "asked": asked,
        "due": moment(own.due_at) if own is not None and asked else "",
    }
    return Letter("moderated", context)


# -- before a game, and outside of all ------------------------------------------------------


def _invitation(row: OutboxMail, sheet: Sheet) -> Letter:
    invitation = Invitation.objects.select_related("invited_by").get(pk=row.context["invitation"])
    context = about(row, sheet) | {
        "inviter": invitation.invited_by.name if invitation.invited_by else "",
        "free": max(0, sheet.game.seat_count - len(sheet.seats)),
        "days": sheet.game.pace_days,
        "button_url": settings.SITE_URL + reverse("invitation", args=[invitation.token]),
    }
    return Letter("invitation", context, subject="invitation")


def _account(row: OutboxMail) -> Letter:
    """A code, a link or whatever else the sign-in has to say; see games.web.allauth_adapter."""
    return Letter("account", dict(row.context), subject="account")
