"""A moderator or the host acted, or a player left; also for a player who lost a seat by it."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.mail.snapshot import Snapshots
from games.models import Decision, Game, OutboxMail, Rule
from games.translate import with_colon

from .base import SEND, MailContent, SendDecision, register
from .decision import appealing
from .seat_mail import GameMail, SeatMail, SeatMailKind


class _Moderated(SeatMailKind):
    name = "moderated"
    label = gettext_lazy("moderator action")
    category = gettext_lazy("A player left, or the host or a moderator intervened")
    position = 6
    sample_statuses = ()

    def check(self, row: OutboxMail) -> SendDecision:
        return SEND if row.seat is None else super().check(row)  # who lost a seat has none

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        if row.seat is None:
            mail = GameMail(row, snapshots)
            rule = row.context.get("rule", "")
            decision = _decision(row)
            words = f"{with_colon(_('Rule of conduct'))} {Rule(rule).label}" if rule else ""
            return MailContent(
                mail.context(
                    **_what(mail),
                    rule=words,
                    removed=True,
                    asked=False,
                    due="",
                    has_link=mail.game.is_open,
                    **(appealing(decision) if decision is not None else {}),
                )
            )
        return super().content(row, snapshots)

    def seat_content(self, mail: SeatMail) -> MailContent:
        known = {**_what(mail), "removed": False, "has_link": True}
        lost = selectors.undone_orders_sentence(mail.log, mail.row.seq, mail.number, mail.user.pk)
        known["said"] = " ".join(filter(None, (known["said"], lost)))
        if mail.seat.asked_seq is not None and mail.game.status == Game.Status.RUNNING:
            return mail.asking(mail.log, **known)
        return mail.written(mail.context(asked=False, due="", **known))


def _decision(row: OutboxMail) -> Decision | None:
    """The decision by which the reader lost the seat, if they can appeal."""
    found = Decision.objects.select_related("person").filter(game=row.game_id, seq=row.seq).first()
    return found if found is not None and found.can_be_appealed else None


def _what(mail: GameMail) -> dict[str, Any]:
    entry = next((e for e in mail.log.entries if e.seq == mail.row.seq and e.is_table), None)
    sentence = selectors.sentence_of(mail.log, entry, None, mail.seat_names) if entry else None
    return {
        "said": sentence or mail.row.context["reason"],
        "paused": mail.game.status == Game.Status.PAUSED,
    }


MODERATED = register(_Moderated())
