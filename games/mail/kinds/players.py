"""Emails that bring what another player has written to the table or asks of the table."""

from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.log import table_events
from games.log.event_store import load
from games.log.game_log import Log
from games.mail import talk
from games.models import DeliveryMode, Game, OutboxMail, Seat, database_clock
from games.selectors import RECALL

from .base import SEND, MailContent, SendDecision, Text, register
from .seat_mail import SeatMail, SeatMailKind, SeatStatus
from .turn import TURN

State = OutboxMail.State
TALK_PAUSE = timedelta(hours=1)  # between two emails with messages alone, and before the first
REPLY_SEQ = 0  # in a reply address: what comes there is a message, not a move


class _Talk(SeatMailKind):
    """Somebody has written to the table, and no other email about it has brought the message. At
    most one an hour to one reader about one table."""

    name = "talk"
    label = gettext_lazy("messages at the table")
    category = gettext_lazy("Someone has written to the table")
    position = 7
    digest_rank = 8
    waits_at_table = True
    sample_statuses = ()

    def mode_label(self, mode: DeliveryMode) -> Text:
        if mode == DeliveryMode.IMMEDIATE:
            return _("with the next email about the game, or within an hour")
        return super().mode_label(mode)

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        if row.user is None or row.game_id is None:
            return SEND  # a preview
        carrier = row.batched_into or row
        if talk.are_quoted(carrier, row.game_id):
            return SEND
        since = talk.unsent_since(row.game_id, row.user)
        if since is None:
            return SendDecision("everything has been read, sent or deleted")
        at = max(_alone_at(row, seat, since), _next_talk_at(row))
        return SEND if at <= database_clock.now() else SendDecision(wait=True, until=at)

    def seat_content(self, mail: SeatMail) -> MailContent:
        # The address names a seat, and seats get other numbers until the game starts.
        reply_to = mail.reply_to(REPLY_SEQ) if mail.game.started_at is not None else None
        content = mail.written(mail.context(button_url=mail.game_url))
        context = {**content.context, "reply_to": reply_to}
        return msgspec.structs.replace(content, context=context, reply_to=reply_to)

    def digest_line(self, context: dict[str, Any]) -> str:
        return _("There are messages at the table.")


TALK = register(_Talk())


def _alone_at(row: OutboxMail, seat: SeatStatus, since: datetime) -> datetime:
    """When a message of this moment is due alone, if no other email brings it: at once where none
    is to come, or to a reader who is to move and has the email of the turn already."""
    assert row.user is not None
    is_to_come = (
        seat.status == Game.Status.RUNNING
        and row.user.delivery_mode(TALK.name) == DeliveryMode.IMMEDIATE
        and (seat.asked_seq is None or _turn_email_is_to_come(row, seat.asked_seq))
    )
    return since + (TALK_PAUSE if is_to_come else RECALL)


def _turn_email_is_to_come(row: OutboxMail, seq: int) -> bool:
    waiting = (State.QUEUED, State.SENDING, State.MERGED)
    mine = OutboxMail.objects.filter(game=row.game_id, user=row.user_id, state__in=waiting)
    return mine.filter(kind=TURN.name, seq=seq).exists()


def _next_talk_at(row: OutboxMail) -> datetime:
    """When this reader may get the next email with messages alone from this table."""
    others = OutboxMail.objects.filter(kind=TALK.name, game=row.game_id, user=row.user_id)
    others = others.exclude(pk=row.pk)
    now = database_clock.now()
    if others.filter(state=State.SENDING).exclude(messages=[]).exists():
        return now + TALK_PAUSE
    last = others.filter(state=State.SENT, sent_at__gt=now - TALK_PAUSE)
    return max(
        (at + TALK_PAUSE for at in last.values_list("sent_at", flat=True) if at), default=now
    )


class _Vote(SeatMailKind):
    """A player asks the table for something: the others answer on the page or by reply. Or how that
    ended, or that a pause ended for which the players had voted."""

    name = "vote"
    label = gettext_lazy("vote")
    category = gettext_lazy("A player has called a vote, or a vote has ended")
    position = 5
    digest_rank = 1
    modes = (DeliveryMode.IMMEDIATE, DeliveryMode.OFF)  # a digest could come after its end
    sample_statuses = ()

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        assert row.game is not None, "as SeatMailKind.check found"
        log = load(row.game)
        vote = log.vote
        if not _asks(log, row):
            if seat.seen_at is None:
                return SEND
            if seat.seen_at > row.created_at:
                return SendDecision("the page has shown it")
            return self._check_presence(row, seat.seen_at)
        if vote is None or vote.seq != row.seq:
            return SendDecision("the vote is over")
        if row.seat in vote.agreed:
            return SendDecision("the recipient has answered already")
        return SEND

    def seat_content(self, mail: SeatMail) -> MailContent:
        if not _asks(mail.log, mail.row):
            return mail.changed(selectors.vote_news(mail.log, mail.seat_names, mail.row.seq))
        vote = selectors.vote_text(mail.log, mail.seats, mail.number)
        context = mail.context(vote=vote, button_url=f"{mail.game_url}#vote")
        reply_to = mail.reply_to(mail.row.seq)
        return MailContent({**context, "reply_to": reply_to}, reply_to=reply_to)

    def digest_line(self, context: dict[str, Any]) -> str:
        vote = context.get("vote")
        return vote.asked if vote is not None else context.get("said") or _("The vote is over.")

    def sample_context(self, seat: Seat) -> dict[str, Any]:
        return {}


def _asks(log: Log, row: OutboxMail) -> bool:
    """Whether the email asks for a vote."""
    return isinstance(log.entries[row.seq - 1].event, table_events.VoteOpened)


VOTE = register(_Vote())
