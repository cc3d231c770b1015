"""A player asks the table for something: the others answer on the page or by reply."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.log.event_store import load
from games.models import DeliveryMode, OutboxMail, Seat

from .base import SEND, MailContent, SendDecision, register
from .seat_mail import SeatMail, SeatMailKind, SeatStatus


class _Vote(SeatMailKind):
    name = "vote"
    label = gettext_lazy("vote")
    category = gettext_lazy("A player asks the others for a vote")
    position = 5
    digest_rank = 1
    modes = (DeliveryMode.IMMEDIATE, DeliveryMode.OFF)  # a digest could come after its end
    sample_statuses = ()

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        assert row.game is not None, "as SeatMailKind.check found"
        vote = load(row.game).vote
        if vote is None or vote.seq != row.seq:
            return SendDecision("the vote is over")
        if row.seat in vote.agreed:
            return SendDecision("the recipient has answered already")
        return SEND

    def seat_content(self, mail: SeatMail) -> MailContent:
        vote = selectors.vote_text(mail.log, mail.seats, mail.number)
        context = mail.context(vote=vote, button_url=f"{mail.game_url}#vote")
        reply_to = mail.reply_to(mail.row.seq)
        return MailContent({**context, "reply_to": reply_to}, reply_to=reply_to)

    def digest_line(self, context: dict[str, Any]) -> str:
        vote = context["vote"]
        return vote.asked if vote is not None else _("The vote is over.")

    def sample_context(self, seat: Seat) -> dict[str, Any]:
        return {}


VOTE = register(_Vote())
