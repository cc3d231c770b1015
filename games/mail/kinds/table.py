"""News of a table: for its host while it waits for players, and for the players when the game
starts."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.models import CLOSES_AFTER, Game, Invitation, OutboxMail
from games.rules import GAMES
from games.translate import join_names

from .base import SEND, MailContent, SendDecision, register
from .seat_mail import SeatMail, SeatMailKind, SeatStatus


class _Table(SeatMailKind):
    """Tells the host that all have answered, that nobody came, or that they have become the
    host."""

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
                lead = _("Nobody has joined for three days.")
        seats = _("%(taken)s of %(of)s seats are taken.")
        return f"{lead} {seats % {'taken': context['taken'], 'of': context['game'].seat_count}}"


TABLE = register(_Table())


class _Started(SeatMailKind):
    """The game has begun; for the players who are not asked to move at once."""

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
