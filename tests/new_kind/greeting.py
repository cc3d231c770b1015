"""Somebody at the table says hello. As a module of games/mail/kinds it would register itself."""

from datetime import datetime
from typing import Any

from games.mail.kinds.base import SEND, MailContent, SendDecision
from games.mail.kinds.seat_mail import SeatMail, SeatMailKind, SeatStatus
from games.models import Game, OutboxMail, Seat


class Greeting(SeatMailKind):
    name = "greeting"
    label = "greeting"
    category = "Somebody says hello"
    position = 3

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        if seat.status == Game.Status.RUNNING:
            return SEND
        return SendDecision("nobody is at the table to hear it")

    def of_use_until(self, asked_at: datetime | None, due_at: datetime | None) -> datetime | None:
        return due_at

    def seat_content(self, mail: SeatMail) -> MailContent:
        view = mail.log.engine.rules.view(mail.log.state, mail.number)
        context = mail.context(words=mail.row.context["words"], button_url=mail.game_url)
        return mail.written(context, view=view)

    def digest_line(self, context: dict[str, Any]) -> str:
        return f"Somebody says “{context['words']}”."

    def sample_context(self, seat: Seat) -> dict[str, Any]:
        return {"words": "Ahoy!"}


GREETING = Greeting()
