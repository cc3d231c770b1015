"""Decisions of moderators and hosts: one row for each of their actions, in its transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext as _

from games.log import announcements, pipeline
from games.mail import queue
from games.models import Action, Decision, DecisionText, Game, Message, Report, User

from .clean_text import clean_reason
from .errors import GameMoved, NotAllowed
from .locked_game import LockedGame
from .moderators import require_moderator, require_right
from .quotas import atomic


@dataclass(frozen=True)
class Ruling:
    """Who acts, why, by which rule of conduct ("" for none), and against which version.

    version: of what the moderator saw: the log of a table, or the newest decision about a person.
    None for whoever did not look. messages: those (pk) for which a person is restricted.
    """

    by: User
    reason: str = ""
    rule: str = ""
    version: int | None = None
    messages: Sequence[int] = ()

    def cleaned(self) -> "Ruling":
        """The same with a clean reason; ServiceError without one."""
        return replace(self, reason=clean_reason(self.reason))

    def require_version(self, version: int) -> None:
        """GameMoved if this is not the version that the moderator saw."""
        if self.version not in (None, version):
            raise GameMoved


def latest_decision(person: User) -> int:
    """The key of the newest decision about this person, 0 for none."""
    keys = Decision.objects.filter(person=person).values_list("pk", flat=True)
    return keys.order_by("-pk").first() or 0


def record(
    action: Action,
    ruling: Ruling,
    *,
    game: Game | None = None,
    person: User | None = None,
    about: Model | None = None,
    until: datetime | None = None,
    seq: int | None = None,
    as_host: bool = False,
    before: str = "",
    after: str = "",
    context: Mapping[str, Any] | None = None,
) -> Decision:
    """Write a decision in the caller's transaction.

    The person whom it restricts gets a statement of reasons. ruling: with a cleaned reason, "" for
    none. about: the text that it concerns. before, after: the name that it replaces,
    and the new one. context: what the email needs besides. The rest: as in Decision.
    """
    decision = Decision.objects.create(
        action=action,
        by=ruling.by,
        as_host=as_host,
        game=game,
        person=person,
        message=f"{about._meta.model_name} {about.pk}" if about is not None else "",
        messages=list(ruling.messages),
        rule=ruling.rule,
        until=until,
        seq=seq,
        reported=not as_host and _is_reported(person, game, about, before),
    )
    if ruling.reason:
        DecisionText.objects.create(
            decision=decision, text=ruling.reason, before=before, after=after
        )
    if person is not None:
        queue.decided(decision, person, context or {})
    return decision


def _is_reported(person: User | None, game: Game | None, about: Model | None, before: str) -> bool:
    """Return whether anybody has reported this message, else this name, else this person at this
    table, else this person; a report counts whether it is open or closed."""
    if person is None:
        return False
    reports = Report.objects.filter(person=person)
    if isinstance(about, Message):
        reports = reports.filter(message=about.pk)
    elif game is not None:
        reports = reports.filter(game=game)
    elif before:
        reports = reports.filter(about=Report.About.NAME, quoted=before)
    return reports.exists()


def decision_text_remove(*, decision_id: int, ruling: Ruling) -> None:
    """Delete the words of a decision; the decision stays, and this is another one."""
    require_right(ruling.by, "delete_decision")
    ruling = ruling.cleaned()
    with atomic():
        decision = Decision.objects.select_related("words").get(pk=decision_id)
        if decision.person_id == ruling.by.pk:
            raise NotAllowed(_("This decision is about you. Ask another moderator."))
        if decision.game_id is not None:
            require_moderator(LockedGame(decision.game_id), ruling.by)
        DecisionText.objects.filter(decision=decision).delete()
        record(
            Action.REMOVE_TEXT, ruling, game=decision.game, person=decision.person, about=decision
        )


def message_remove(*, message_id: int, ruling: Ruling) -> None:
    """Remove a message or a note, whose author may have broken a rule. Only moderators can still
    read it."""
    require_right(ruling.by, "delete_message")
    ruling = ruling.cleaned()
    with atomic():
        message = Message.objects.select_related("author").get(pk=message_id)
        locked = LockedGame(message.game_id)
        require_moderator(locked, ruling.by)
        ruling.require_version(latest_decision(message.author))
        shown = Message.objects.filter(pk=message.pk, state=Message.State.SHOWN)
        if not shown.update(state=Message.State.REMOVED):
            return
        author = message.author
        record(Action.REMOVE_MESSAGE, ruling, game=locked.game, person=author, about=message)
        is_note = message.seq is not None
        pipeline.execute(announcements.about_message(message.game_id, is_note=is_note))
