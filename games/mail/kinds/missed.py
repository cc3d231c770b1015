"""To a player who missed a deadline: a bot played the turn, or has taken the seat."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games import selectors
from games.mail import reply_addresses
from games.mail.snapshot import Snapshots
from games.models import Game, OutboxMail, Seat

from .base import SEND, MailContent, SendDecision, register
from .seat_mail import GameMail, SeatMail, SeatMailKind


class _Missed(SeatMailKind):
    name = "missed"
    label = gettext_lazy("missed turn")
    category = gettext_lazy("A bot played for me because I missed a deadline")
    position = 4
    digest_rank = 2

    def check(self, row: OutboxMail) -> SendDecision:
        if row.seat is not None:
            return super().check(row)
        if row.user is not None and row.game is not None:
            game = Game.objects.get(pk=row.game.pk)  # as it is now
            if selectors.can_take_back(row.user, game):
                return SEND
        return SendDecision("the seat cannot be taken back any more")

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        if row.seat is None:
            mail = GameMail(row, snapshots)
            said = _("You missed too many deadlines in a row, so a bot has taken your seat.")
            if row.context.get("voted"):
                said = _("You missed a deadline, and the others voted that a bot takes your seat.")
            number, seq = row.context["lost"], mail.log.moved_at
            reply_to = reply_addresses.reply_address(mail.game.public_id, number, seq)
            context = mail.context(said=said, lost=True, then="", asked=False, reply_to=reply_to)
            context["open"] = mail.game.timeout_policy == Game.TimeoutPolicy.OPEN
            return MailContent(context, reply_to=reply_to)
        return super().content(row, snapshots)

    def seat_content(self, mail: SeatMail) -> MailContent:
        left = mail.row.context["left"]
        then = _then(left, mail.game) % {"count": left} if left is not None else ""
        said = _("You missed the deadline, so a bot played this turn for you.")
        known: dict[str, Any] = {"said": said, "played": _played(mail), "lost": False, "then": then}
        if mail.seat.asked_seq is not None and mail.game.status == Game.Status.RUNNING:
            return mail.asking(mail.log, **known)
        return mail.written(mail.context(asked=False, **known))

    def sample_context(self, seat: Seat) -> dict[str, Any]:
        return {"left": 1}


def _played(mail: SeatMail) -> str:
    """The moves of the bot."""
    moves = (move for move in mail.log.moves if move[0].seq > mail.row.seq)
    move = next((move for move in moves if move[0].seat == mail.number), ())
    if not move:
        return ""
    return " ".join(selectors.sentences_of(mail.log, move, mail.number, mail.seat_names))


def _then(left: int, game: Game) -> str:
    if game.timeout_policy == Game.TimeoutPolicy.OPEN:
        return ngettext(
            "If you miss the next deadline too, a bot takes your seat, and others can take it over.",
            "If you miss %(count)s more deadlines in a row, a bot takes your seat, and others can take"
            " it over.",
            left,
        )
    return ngettext(
        "If you miss the next deadline too, a bot takes your seat.",
        "If you miss %(count)s more deadlines in a row, a bot takes your seat.",
        left,
    )


MISSED = register(_Missed())
