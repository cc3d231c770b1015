"""It is still the reader's turn: half of the time is over, or one day is left."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.models import OutboxMail, Seat

from .base import MailContent, SendDecision, register
from .seat_mail import SeatMail, SeatStatus
from .turn import Turn, turn_content


class _Reminder(Turn):
    name = "reminder"
    label = gettext_lazy("reminder")
    category = gettext_lazy("Your time is running out")
    position = 2
    digest_rank = 1
    waits_at_table = False
    resent = False

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        decision = super().check_seat(row, seat)
        return SendDecision("the game is paused") if decision.wait else decision

    def of_use_until(self, asked_at: datetime | None, due_at: datetime | None) -> datetime | None:
        return due_at if asked_at else None

    def deadline(self, row: OutboxMail) -> datetime | None:
        """A reminder after the deadline is of use whenever it comes."""
        return None if row.context["which"] == "late" else super().deadline(row)

    def seat_content(self, mail: SeatMail) -> MailContent:
        """The game as it is: a part of the turn may be done."""
        return turn_content(mail, mail.log)

    def digest_line(self, context: dict[str, Any]) -> str:
        if context["which"] == "half":
            return _("It’s still your turn, and half of your time is gone.")
        if context["which"] == "last":
            return _("It’s still your turn, and most of your time is gone.")
        if context["which"] == "late":
            return _("Your time is up, and the others are waiting for you.")
        return _("It’s still your turn, and you have one day left.")

    def sample_context(self, seat: Seat) -> dict[str, Any]:
        return {"which": "half"}


REMINDER = register(_Reminder())
