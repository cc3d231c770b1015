"""Emails to the address of a decision: the appeal of its person, and never a move."""

from typing import Any

from django.utils.translation import gettext as _

from games import services
from games.mail import queue
from games.mail.compose import MailComposer
from games.models import Decision, InboundMail, OutboxMail, User
from games.services import QuotaExceeded, ServiceError, quotas

from . import auto_replies
from .reply_parser import Reply

Outcome = InboundMail.Outcome


def handle(row: InboundMail, user: User, decision_id: int, reply: Reply) -> Outcome:
    """Keep the appeal of a verified sender, and answer to the user's own address.

    Its text is stored as the appeal alone, not with the email.
    """
    text = _own_text(decision_id, [reply.line, *reply.more])
    row.line = row.note = ""
    if row.sender_check == InboundMail.SenderCheck.STRANGER:
        return Outcome.STRANGER
    if reply.is_reaction or auto_replies.is_reaction(text):
        return Outcome.REACTION
    is_trusted = row.sender_check == InboundMail.SenderCheck.PASS
    try:
        quotas.spend(quotas.GAME_LISTS if is_trusted else quotas.UNVERIFIED_REPLIES, person=user)
    except QuotaExceeded:
        return Outcome.QUIET
    if not is_trusted:
        problem = _("We couldn’t make sure that the email came from you.")
        return _answer(row, user, decision_id, Outcome.CONFIRM, problem=problem)
    if reply.problem is not None or not text:
        problem = _("We found no words of yours in the email.")
        return _answer(row, user, decision_id, Outcome.UNCLEAR, problem=problem)
    try:
        services.appeal_make(decision_id=decision_id, text=text, message_id=row.message_id)
    except ServiceError as error:
        return _answer(row, user, decision_id, Outcome.REFUSED, refused=error.text)
    return _answer(row, user, decision_id, Outcome.ORDERED)


def _own_text(decision_id: int, lines: list[str]) -> str:
    """The lines without those at the end that quote our email: some mail programs break its lines
    and mark only the first part of each."""
    found = OutboxMail.objects.filter(dedupe_key=f"decision:{decision_id}")
    statement = found.select_related("game", "user").first()
    ours = str(MailComposer().compose(statement).body) if statement is not None else ""
    squeezed = "".join(ours.split())
    while lines and "".join(lines[-1].split()) in squeezed:
        lines = lines[:-1]
    return "\n".join(lines).strip()


def _answer(
    row: InboundMail, user: User, decision_id: int, outcome: Outcome, **content: Any
) -> Outcome:
    decision = Decision.objects.select_related("game").get(pk=decision_id)
    known = {"message_id": row.message_id, **content}
    row.answer_id = queue.appeal_read(decision, user, about=str(row.pk), context=known)
    return outcome
