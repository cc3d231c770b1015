"""The game has begun; for the players who are not asked to move at once."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.models import Game, OutboxMail
from games.translate import join_names

from .base import SEND, MailContent, SendDecision, register
from .seat_mail import SeatMail, SeatMailKind, SeatStatus


class _Started(SeatMailKind):
    name = "started"
    label = gettext_lazy("game started")
    category = gettext_lazy("A game starts")
    position = 4
    digest_rank = 4

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        if seat.status in (Game.Status.RUNNING, Game.Status.PAUSED):
            return SEND
        return SendDecision("the game is over")

    def seat_content(self, mail: SeatMail) -> MailContent:
        log = mail.log.until(mail.row.seq)
        view = log.engine.rules.view(log.state, mail.number)
        context = mail.context(
            first=[mail.names[seat] for seat in log.engine.rules.to_act(log.state)],
            days=mail.game.pace_days,
            hours=mail.game.pace_hours,
            ahead=log.engine.accepts_input(view),
            button_url=mail.game_url,
            **mail.introduction(view),
        )
        return mail.written(context, view=view)

    def preheader(self, context: dict[str, Any]) -> str:
        sentences = [self.digest_line(context)]
        if context["first"]:
            sentences.append(
                _("First to move: %(names)s.") % {"names": join_names(context["first"])}
            )
        return " ".join(sentences)

    def digest_line(self, context: dict[str, Any]) -> str:
        return _("The game has started.")


STARTED = register(_Started())
