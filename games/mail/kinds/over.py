"""The game is over: who won, the scores and what explains them; also for players who resigned."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.models import Game, OutboxMail
from games.rules.contract import Event, View
from games.translate import join_names, say

from .base import SEND, MailContent, SendDecision, Snapshots, register
from .seat_mail import GameMail, SeatMail, SeatMailKind, SeatStatus


class _Over(SeatMailKind):
    name = "over"
    label = gettext_lazy("game over")
    category = gettext_lazy("A game ends")
    position = 5
    digest_rank = 2
    sample_statuses = (Game.Status.FINISHED, Game.Status.ABORTED)

    def check(self, row: OutboxMail) -> SendDecision:
        if row.seat is not None:
            return super().check(row)
        games = Game.objects.filter(mails=row, status__in=self.sample_statuses)
        return SEND if games.exists() else SendDecision("the game goes on")

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        return SEND if seat.status in self.sample_statuses else SendDecision("the game goes on")

    def can_unsubscribe(self, row: OutboxMail) -> bool:
        return self.is_bulk

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        if row.seat is None:
            return _ending_for_former(GameMail(row, snapshots))
        return super().content(row, snapshots)

    def seat_content(self, mail: SeatMail) -> MailContent:
        return ending_content(mail)

    def preheader(self, context: dict[str, Any]) -> str:
        scores = [f"{row['name']} {row['score']}" for row in context.get("table", ())]
        return " ".join(filter(None, (context["ending"], ", ".join(scores))))

    def digest_line(self, context: dict[str, Any]) -> str:
        if context["aborted"]:
            return _("The game was cancelled.")
        lines = [_("The game is over.")]
        if context["winners"]:
            lines.append(_("Won by %(names)s.") % {"names": join_names(context["winners"])})
        return " ".join(lines)


def ending_content(
    mail: SeatMail,
    *,
    template: str = "",
    recent: tuple[Event, ...] = (),
    hand: bool = False,
    **more: Any,
) -> MailContent:
    """Context about the end of the game, and `more`. recent: events to mark on the board. hand:
    whether to show what the player holds."""
    log, ending = mail.log, selectors.ending_sentence(mail.log, mail.seat_names)
    if not log.effective:  # called off before it began
        context = mail.context(ending=ending, aborted=True, never_began=True, **more)
        return MailContent(context, template)
    view = log.engine.rules.view(log.state, mail.number)
    context = _result(mail, view, ending) | more
    lapsed = selectors.lapsed_orders_sentence(log, log.version, mail.number, mail.user.pk)
    context["ending"] = " ".join(filter(None, (context["ending"], lapsed)))
    context["standing"] = selectors.standing_line(mail.game, mail.user)
    context["won"] = mail.number in (log.projection.winners or ())
    context["check_code"] = mail.check_code(log)
    context["recap"] = selectors.recap(log, mail.number, mail.user.pk, mail.seat_names)
    return mail.written(context, template=template, view=view, recent=recent, hand=hand)


def _ending_for_former(mail: GameMail) -> MailContent:
    """The end of the game, for a player who resigned before."""
    view = mail.log.engine.rules.view(mail.log.state, None)
    return MailContent(_result(mail, view, selectors.ending_sentence(mail.log, mail.seat_names)))


def _result(mail: GameMail, view: View, ending: str) -> dict[str, Any]:
    log = mail.log
    winners = log.projection.winners or ()
    cause = log.engine.presentation.ending(view) if log.outcome is not None else None
    return mail.context(
        aborted=Game.Status.ABORTED in (mail.game.status, log.projection.status),
        ending=ending or (say(cause, mail.names) if cause is not None else ""),
        winners=[mail.names[seat] for seat in winners],
        shared=len(winners) > 1,
        table=_score_table(mail, view),
    )


def _score_table(mail: GameMail, view: View) -> list[dict[str, Any]]:
    """The seats by score, each with the lines that explain it; [] where nothing was scored."""
    outcome = mail.log.outcome
    if outcome is None:
        return []
    explained = dict(mail.log.engine.presentation.settlement(view))
    rows = [
        {
            "seat": seat,
            "name": mail.names[seat],
            "score": score,
            "won": seat in outcome.winners,
            "lines": [say(line, mail.names) for line in explained.get(seat, ())],
        }
        for seat, score in enumerate(outcome.scores)
    ]
    return sorted(rows, key=lambda row: (-int(row["score"]), int(row["seat"])))


OVER = register(_Over())
