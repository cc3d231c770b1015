"""Decisions of moderators and hosts: one row for each of their actions, in its transaction."""

from datetime import datetime

from django.db.models import Model
from django.utils.translation import gettext as _

from games.log import announcements, pipeline
from games.mail import queue
from games.models import Action, Decision, DecisionText, Game, Message, Report, User

from .clean_text import clean_reason
from .errors import NotAllowed
from .locked_game import LockedGame
from .moderators import require_moderator, require_right
from .quotas import atomic


def record(
    action: Action,
    *,
    by: User,
    reason: str = "",
    game: Game | None = None,
    person: User | None = None,
    about: Model | None = None,
    rule: str = "",
    until: datetime | None = None,
    seq: int | None = None,
    as_host: bool = False,
    reported: bool = False,
    before: str = "",
    thread: str = "",
) -> Decision:
    """Write a decision in the caller's transaction.

    The person whom it restricts gets a statement of reasons. reason: cleaned, "" for none. about:
    the text that it concerns. before: the name that it replaces. reported: also true if
    there is an open report about it. thread: the Message-ID that the email answers. The rest: as
    in Decision.
    """
    decision = Decision.objects.create(
        action=action,
        by=by,
        as_host=as_host,
        game=game,
        person=person,
        message=f"{about._meta.model_name} {about.pk}" if about is not None else "",
        rule=rule,
        until=until,
        seq=seq,
        reported=reported or (not as_host and _is_reported(person, about)),
    )
    if reason:
        DecisionText.objects.create(decision=decision, text=reason, before=before)
    if person is not None:
        queue.decided(decision, person, thread)
    return decision


def _is_reported(person: User | None, about: Model | None) -> bool:
    """Return whether there is an open report about this message, else about this person."""
    reports = Report.objects.filter(person=person, outcome="")
    if isinstance(about, Message):
        reports = reports.filter(message=about.pk)
    return person is not None and reports.exists()


def decision_text_remove(*, decision_id: int, by: User, reason: str) -> None:
    """Delete the words of a decision; the decision stays, and this is another one."""
    require_right(by, "delete_decision")
    reason = clean_reason(reason)
    with atomic():
        decision = Decision.objects.select_related("words").get(pk=decision_id)
        if decision.person_id == by.pk:
            raise NotAllowed(_("This decision is about you. Ask another moderator."))
        if decision.game_id is not None:
            require_moderator(LockedGame(decision.game_id), by)
        DecisionText.objects.filter(decision=decision).delete()
        record(
            Action.REMOVE_TEXT,
            by=by,
            reason=reason,
            game=decision.game,
            person=decision.person,
            about=decision,
        )


def message_remove(*, message_id: int, by: User, reason: str, rule: str = "") -> None:
    """Remove a message or a note, whose author may have broken a rule. Only moderators can still
    read it."""
    require_right(by, "delete_message")
    reason = clean_reason(reason)
    with atomic():
        message = Message.objects.select_related("author").get(pk=message_id)
        locked = LockedGame(message.game_id)
        require_moderator(locked, by)
        shown = Message.objects.filter(pk=message.pk, state=Message.State.SHOWN)
        if not shown.update(state=Message.State.REMOVED):
            return
        record(
            Action.REMOVE_MESSAGE,
            by=by,
            reason=reason,
            game=locked.game,
            person=message.author,
            about=message,
            rule=rule,
        )
        is_note = message.seq is not None
        pipeline.execute(announcements.of_message(message.game_id, is_note=is_note))
