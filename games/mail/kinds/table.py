"""News of a table that waits for players, for its host: all have answered, nobody came, or its
reader has become the host."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.models import CLOSES_AFTER, Game, Invitation, OutboxMail
from games.rules import GAMES

from .base import SEND, MailContent, SendDecision, register
from .seat_mail import SeatMail, SeatMailKind, SeatStatus


class _Table(SeatMailKind):
    name = "table"
    label = gettext_lazy("your table is waiting")
    category = gettext_lazy("News of your table that is waiting for players")
    position = 8
    digest_rank = 5
    sample_statuses = ()

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        if seat.status != Game.Status.GATHERING:
            return SendDecision("the table waits no longer")
        if not Game.objects.filter(mails=row, host=row.user).exists():
            return SendDecision("the reader is not the host")
        open_ones = Invitation.objects.filter(game=row.game_id, answer=Invitation.Answer.NONE)
        if row.context["about"] == "answered" and open_ones.exists():
            return SendDecision("others have been invited since")
        return SEND

    def seat_content(self, mail: SeatMail) -> MailContent:
        game, taken = mail.game, len(mail.seats)
        sent = Invitation.objects.filter(game=game, invited_by=mail.user).select_related("invitee")
        context = mail.context(
            about=mail.row.context["about"],
            taken=taken,
            free=max(0, game.seat_count - taken),
            can_start=taken >= min(GAMES[game.kind].seats),
            invitations=[
                {"to": one.recipient, "answer": one.get_answer_display()}
                for one in sent.order_by("created_at")
            ],
            closes=selectors.day(timezone.localtime(game.last_event_at + CLOSES_AFTER).date()),
            button_url=mail.game_url,
        )
        return MailContent(context)

    def preheader(self, context: dict[str, Any]) -> str:
        return self.digest_line(context)

    def digest_line(self, context: dict[str, Any]) -> str:
        match context["about"]:
            case "host":
                lead = _("You’re the host of this table now.")
            case "answered":
                lead = _("Everyone has answered your invitations.")
            case _:
                lead = _("Nobody has come for three days.")
        seats = _("%(taken)s of %(of)s seats are taken.")
        return f"{lead} {seats % {'taken': context['taken'], 'of': context['game'].seat_count}}"


TABLE = register(_Table())
