"""Emails about the deadline of a turn: it is near, somebody missed it, or a bot has moved for the
reader."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games import selectors
from games.mail import reply_addresses
from games.models import Game, OutboxMail, Seat, User

from .base import SEND, MailContent, SendDecision, Snapshots, register
from .seat_mail import GameMail, SeatMail, SeatMailKind, SeatStatus
from .turn import Turn, turn_content


class _Reminder(Turn):
    """It is still the reader's turn: half of the time is over, or one day is left, or somebody who
    waits nudges the reader or has given a day more."""

    name = "reminder"
    label = gettext_lazy("reminder")
    category = gettext_lazy("Your time is running out")
    position = 2
    digest_rank = 1
    waits_at_table = False
    resent = False

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        reader = User.objects.filter(mails=row).first()
        if reader is not None and row.context.get("by") in reader.unheard:
            return SendDecision("the recipient has muted or blocked who sends it")
        decision = super().check_seat(row, seat)
        return SendDecision("the game is paused") if decision.wait else decision

    def of_use_until(self, asked_at: datetime | None, due_at: datetime | None) -> datetime | None:
        return due_at if asked_at else None

    def deadline(self, row: OutboxMail) -> datetime | None:
        """A reminder after the deadline, or by somebody who waits, is of use whenever it comes."""
        timed = row.context["which"] in ("half", "day", "last")
        return super().deadline(row) if timed else None

    def seat_content(self, mail: SeatMail) -> MailContent:
        """The game as it is: a part of the turn may be done."""
        return turn_content(mail, mail.log, helped=_helped(mail))

    def digest_line(self, context: dict[str, Any]) -> str:
        if context["which"] == "half":
            return _("It’s still your turn, and half of your time is gone.")
        if context["which"] == "last":
            return _("It’s still your turn, and most of your time is gone.")
        if context["which"] == "late":
            return _("Your time is up, and the others are waiting for you.")
        if context["helped"]:
            return str(context["helped"])
        return _("It’s still your turn, and you have one day left.")

    def sample_context(self, seat: Seat) -> dict[str, Any]:
        return {"which": "half"}


REMINDER = register(_Reminder())


def _helped(mail: SeatMail) -> str:
    """What somebody who waits has done for the reader; "" for other reminders."""
    words = {
        "given": _("%(name)s has given you one more day."),
        "nudge": _("%(name)s is waiting for your move and sends you a friendly nudge."),
    }
    return words.get(mail.row.context["which"], "") % {"name": _name(mail, "caller")}


class _Deadline(SeatMailKind):
    """A player did not move in time."""

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


class _Missed(SeatMailKind):
    """Tells a player who missed a deadline that a bot played the turn or has taken the seat."""

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
            match row.context.get("to"):
                case "vote":
                    said = _(
                        "You missed a deadline, and the others voted that a bot takes your seat."
                    )
                case "host":
                    said = _("You missed a deadline, and the host gave your seat to a bot.")
                    entry = next(entry for entry in mail.log.entries if entry.seq == row.seq)
                    reason = selectors.sentence_of(mail.log, entry, None, mail.seat_names)
                    said = f"{said} {reason or ''}".strip()
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
            "If you miss the next deadline too, a bot takes your seat, and others can take it "
            "over.",
            "If you miss %(count)s more deadlines in a row, a bot takes your seat, and others can "
            "take it over.",
            left,
        )
    return ngettext(
        "If you miss the next deadline too, a bot takes your seat.",
        "If you miss %(count)s more deadlines in a row, a bot takes your seat.",
        left,
    )


MISSED = register(_Missed())
