"""It is the reader's turn."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.log.game_log import Log
from games.models import Game, OutboxMail

from .base import SEND, MailContent, SendDecision, register
from .seat_mail import SeatMail, SeatMailKind, SeatStatus


class Turn(SeatMailKind):
    name = "turn"
    label = gettext_lazy("your turn")
    category = gettext_lazy("It’s your turn")
    position = 1
    asks = True
    pushes = True
    digest_rank = 0
    waits_at_table = True

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        if seat.asked_seq != row.seq:
            return SendDecision("the turn is over")
        if seat.status == Game.Status.PAUSED:
            # The question stays the same one after the pause, and is not queued again.
            return SendDecision(wait=True)
        return SEND

    def of_use_until(self, asked_at: datetime | None, due_at: datetime | None) -> datetime | None:
        """Return when half of the time is over."""
        return asked_at + (due_at - asked_at) / 2 if asked_at and due_at else None

    def seat_content(self, mail: SeatMail) -> MailContent:
        """The game as it was when the seat was asked, without what has happened since."""
        return turn_content(mail, mail.log.until(mail.row.seq))

    def preheader(self, context: dict[str, Any]) -> str:
        last = (line.text for line in context["recap"].lines[-1:])
        return " – ".join(filter(None, (context["task"], context["due"], *last)))

    def digest_line(self, context: dict[str, Any]) -> str:
        return _("It’s your turn.")


def turn_content(mail: SeatMail, log: Log, *, helped: str = "") -> MailContent:
    """The email that asks for a turn, with the events since the reader's last move. helped: what
    somebody who waits has done for the reader."""
    first: dict[str, Any] = {}
    if not mail.row.context and len(log.moves) < 2:  # the player's first email about this game
        first = mail.introduction(log.engine.rules.view(log.state, mail.number))
    return mail.asking(
        log,
        template="turn",
        which=mail.row.context.get("which"),
        helped=helped,
        button_url=mail.turn_url(mail.row.seq),
        **first,
    )


TURN = register(Turn())


class _Planned(SeatMailKind):
    """A plan of the reader was played."""

    name = "planned"
    label = gettext_lazy("plan played")
    category = gettext_lazy("My plan was played")
    position = 2
    digest_rank = 1

    def seat_content(self, mail: SeatMail) -> MailContent:
        """The move, with what was drawn, what happened before it, and the board as it left it."""
        log = mail.log.until(mail.row.seq)
        moves = [move for move in log.moves if move[-1].seq == mail.row.seq]
        played = " ".join(
            " ".join(selectors.sentences_of(log, move, mail.number, mail.seat_names))
            for move in moves
        )
        view = log.engine.rules.view(log.state, mail.number)
        news: dict[str, Any] = {}
        unfit: list[str] = []
        if moves and moves[0] is not log.moves[0]:
            before = log.until(moves[0][0].seq - 1)
            unfit = selectors.unfit_lines(before, mail.number)
            recap = selectors.recap(before, mail.number, mail.user.pk, mail.seat_names)
            news = {"recap": recap, "news_title": _("Before that")}
        context = mail.context(played=played, unfit=unfit, button_url=mail.game_url, **news)
        events = tuple(
            log.engine.rules.visible(entry.event, mail.number) for move in moves for entry in move
        )
        return mail.written(context, log=log, view=view, recent=events)

    def preheader(self, context: dict[str, Any]) -> str:
        return str(context["played"])

    def digest_line(self, context: dict[str, Any]) -> str:
        return _("Your plan was played.")


PLANNED = register(_Planned())
