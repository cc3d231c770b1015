"""A player did not move in time."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.models import Game, OutboxMail, Seat

from .base import SEND, MailContent, SendDecision, register
from .seat_mail import SeatMail, SeatMailKind, SeatStatus


class _Deadline(SeatMailKind):
    name = "deadline"
    label = gettext_lazy("deadline missed")
    category = gettext_lazy("Someone missed the deadline")
    position = 3
    digest_rank = 3

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        late = Seat.objects.filter(
            game=row.game_id, number=row.context["late"], asked_seq=row.seq, overdue=True
        )
        if seat.status != Game.Status.RUNNING or not late.exists():
            return SendDecision("the late player has moved or got more time")
        return SEND

    def seat_content(self, mail: SeatMail) -> MailContent:
        late = mail.seats[mail.row.context["late"]]
        mine = late.number == mail.number
        known = {
            "late": mail.names[late.number],
            "mine": mine,
            "host": mail.game.host_id == mail.user.pk,
            "caller": _name(mail, "caller"),
        }
        if mine:
            return mail.asking(mail.log, button_url=mail.turn_url(mail.row.seq), **known)
        due = mail.due_line(late.due_at)
        return mail.written(mail.context(due=due, button_url=mail.game_url, **known))

    def preheader(self, context: dict[str, Any]) -> str:
        if context["caller"]:
            return self.digest_line(context)
        if context["mine"]:
            return _("You can still make your move, as long as nobody makes it for you.")
        return _("%(late)s missed the deadline.") % {"late": context["late"]}

    def digest_line(self, context: dict[str, Any]) -> str:
        if context["mine"]:
            return _("Your time is up. You can still make your move.")
        if context["caller"]:
            names = {"name": context["caller"], "late": context["late"]}
            return _("%(name)s asks you to step in for %(late)s.") % names
        return _("%(name)s missed the deadline.") % {"name": context["late"]}

    def sample_context(self, seat: Seat) -> dict[str, Any]:
        return {"late": seat.number}


def _name(mail: SeatMail, key: str) -> str:
    number = mail.row.context.get(key)
    return mail.names[number] if number is not None else ""


DEADLINE = register(_Deadline())
