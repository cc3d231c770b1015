"""Decisions of moderators and hosts: one row for each of their actions, in its transaction."""

from datetime import datetime

from django.db.models import Model
from django.utils.translation import gettext as _

from games.models import Action, Decision, DecisionText, Game, TableNote, User

from .clean_text import clean_reason
from .errors import NotAllowed
from .locked_game import LockedGame
from .moderators import require_moderator, require_staff
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
) -> Decision:
    """Write a decision in the caller's transaction.

    reason: cleaned, "" for none. about: the text that it concerns. The rest: as in Decision.
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
    )
    if reason:
        DecisionText.objects.create(decision=decision, text=reason)
    return decision


def decision_text_remove(*, decision_id: int, by: User, reason: str) -> None:
    """Delete the words of a decision; the decision stays, and this is another one."""
    require_staff(by)
    reason = clean_reason(reason)
    with atomic():
        decision = Decision.objects.select_related("words").get(pk=decision_id)
        if decision.person_id == by.pk:
            raise NotAllowed(_("This decision is about you. Ask another moderator."))
        if decision.game_id is not None:
            require_moderator(LockedGame(decision.game_id), by)
        DecisionText.objects.filter(decision=decision).delete()
        record(
            *(Action.REMOVE_TEXT,),
            by=by,
            reason=reason,
            game=decision.game,
            person=decision.person,
            about=decision,
        )


def note_remove(*, note_id: int, by: User, reason: str, rule: str = "") -> None:
    """Delete a note of a table, whose author may have broken a rule."""
    require_staff(by)
    reason = clean_reason(reason)
    with atomic():
        note = TableNote.objects.select_related("game").get(pk=note_id)
        locked = LockedGame(note.game_id)
        require_moderator(locked, by)
        written_by = locked.log.entries[note.seq - 1].by
        author = User.objects.filter(pk=written_by or 0).first()
        record(
            *(Action.REMOVE_NOTE,),
            by=by,
            reason=reason,
            game=locked.game,
            person=author,
            about=note,
            rule=rule,
        )
        note.delete()
