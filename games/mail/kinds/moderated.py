"""A moderator or the host acted; also for a player who lost a seat by it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy

from games.log import table_events
from games.mail.snapshot import Snapshots
from games.models import Game, OutboxMail
from games.translate import say

from .base import (
    SEND,
    GameMail,
    MailContent,
    SeatMail,
    SeatMailKind,
    SendDecision,
    moment,
    register,
)


class _Moderated(SeatMailKind):
    name = "moderated"
    label = gettext_lazy("moderator action")
    category = gettext_lazy("The host or a moderator intervened")
    position = 6
    sample_statuses = ()

    def check(self, row: OutboxMail) -> SendDecision:
        return SEND if row.seat is None else super().check(row)  # who lost a seat has none

    def can_unsubscribe(self, row: OutboxMail) -> bool:
        return row.seat is not None  # a lost seat is reported once

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        if row.seat is None:
            mail = GameMail(row, snapshots)
            return MailContent(mail.context(**_what(mail), removed=True, asked=False, due=""))
        return super().content(row, snapshots)

    def seat_content(self, mail: SeatMail) -> MailContent:
        asked = mail.seat.asked_seq is not None and mail.game.status == Game.Status.RUNNING
        due = moment(mail.seat.due_at) if asked else ""
        return mail.written(mail.context(**_what(mail), removed=False, asked=asked, due=due))


def _what(mail: GameMail) -> dict[str, Any]:
    event = next((e.event for e in mail.log.entries if e.seq == mail.row.seq), None)
    text = table_events.sentence(event) if isinstance(event, table_events.Event) else None
    return {
        "said": say(text, mail.names) if text is not None else mail.row.context["reason"],
        "paused": mail.game.status == Game.Status.PAUSED,
    }


MODERATED = register(_Moderated())
