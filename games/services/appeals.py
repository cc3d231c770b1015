"""Appeals: made once against a decision, answered by a moderator who did not make it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from games.log import announcements, pipeline
from games.mail import outbox_rows
from games.models import (
    APPEAL_PERIOD,
    Action,
    Appeal,
    Circle,
    Decision,
    Game,
    Message,
    Seat,
    User,
    database_clock,
)
from games.selectors import day

from . import decisions, quotas
from .account_moderation import LONG, end_suspension, set_no_talk
from .clean_text import clean_talk
from .decisions import Ruling
from .errors import NotAllowed, ServiceError
from .locked_game import LockedGame
from .moderators import Role, has_right, require_right
from .quotas import atomic

ANSWER = "change_appeal"  # the right to answer appeals
KEPT = timedelta(days=365)  # then the text is deleted
MOST = 500  # texts in one go


def appeal_make(*, decision_id: int, text: str, message_id: str = "") -> Appeal:
    """Keep the appeal of the person whom this decision restricts. message_id: of its email.

    ServiceError if they cannot appeal any more, or if the text is empty or too long.
    """
    with atomic():
        decision = Decision.objects.get(pk=decision_id)
        # One appeal waits here for the other.
        found = User.objects.select_for_update(no_key=True).filter(pk=decision.person_id or 0)
        person = found.first()
        if obstacle := appeal_obstacle(decision):
            raise ServiceError(obstacle)
        text = clean_talk(text)
        if not text:
            raise ServiceError(_("Write why the decision is wrong."))
        return Appeal.objects.create(
            decision=decision,
            text=text,
            message_id=message_id,
            for_administrators=_needs_administrator(decision, person),
        )


def _needs_administrator(decision: Decision, person: User | None) -> bool:
    """Whether a moderator could not have made this decision about this person."""
    if decision.action in (Action.EDIT_PERSON, Action.CLOSE) or (person and person.is_staff):
        return True
    end = decision.until
    ends = (Action.SUSPEND, Action.CLOSE_TALK)
    return decision.action in ends and (end is None or end > decision.at + LONG)


def appeal_obstacle(decision: Decision) -> str:
    """Why there can be no appeal against this decision now; "" if there can."""
    if not decision.can_be_appealed:
        return _("There is no appeal against this decision.")
    if Appeal.objects.filter(decision=decision).exists():
        return _(
            "You have already appealed against this decision. A moderator will answer by email."
        )
    last = decision.at + APPEAL_PERIOD
    if last < database_clock.now():
        until = {"day": day(timezone.localtime(last).date())}
        return _("You could appeal against this decision until %(day)s.") % until
    return ""


def appeals_for(by: User) -> QuerySet[Appeal]:
    """The appeals that this moderator may answer.

    Nobody answers one about themselves. Who made the decision or plays at its table answers only
    if no other moderator can; `is_own` is true then.
    """
    if not has_right(by, ANSWER):
        return Appeal.objects.none()
    found = Appeal.objects.exclude(decision__person=by.pk)
    if not has_right(by, "change_user"):
        found = found.exclude(for_administrators=True)
    own = Q(decision__by=by.pk, decision__by__isnull=False) | Q(Exists(_seats(by.pk, OuterRef)))
    return found.annotate(is_own=own).filter(Q(is_own=False) | ~_others())


def _seats(user: Any, outer: Callable[[str], Any]) -> QuerySet[Seat]:
    """The seats of this user at the table of an appeal, or at running ones with its person. outer:
    names a field of the appeal."""
    running = (Game.Status.RUNNING, Game.Status.PAUSED)
    return Seat.objects.filter(user=user).filter(
        Q(game=outer("decision__game"))
        | Q(game__status__in=running, game__seats__user=outer("decision__person"))
    )


def _others() -> Q:
    """Whether somebody else can answer an appeal: a moderator who neither made the decision nor is
    its person or plays with them."""
    staff = (
        User.objects.active()
        .filter(~Exists(_seats(OuterRef("pk"), lambda name: OuterRef(OuterRef(name)))))
        .filter(is_staff=True)
        .exclude(pk=OuterRef("decision__person"))
        .exclude(pk=OuterRef("decision__by"))
    )
    administrators = staff.filter(Q(is_superuser=True) | Q(groups__name=Role.ADMINISTRATOR))
    return Q(Exists(administrators)) | Q(Exists(staff), for_administrators=False)


def appeal_answer(*, appeal_id: int, ruling: Ruling, lifts: bool) -> Decision:
    """Uphold the decision, or lift it and undo what can be undone, with a sentence for its person,
    who gets an email in the thread of theirs."""
    require_right(ruling.by, ANSWER)
    ruling = ruling.cleaned()
    with atomic():
        appeal = Appeal.objects.select_for_update().get(pk=appeal_id)
        if appeal.answer_id is not None:
            raise ServiceError(_("Someone else has answered this appeal in the meantime."))
        if not appeals_for(ruling.by).filter(pk=appeal_id).exists():
            raise NotAllowed(_("Another moderator will answer this appeal."))
        decision = Decision.objects.select_related("words", "game").get(pk=appeal.decision_id)
        found = User.objects.select_for_update(no_key=True).filter(pk=decision.person_id or 0)
        person = found.get()
        if lifts:
            _undo(decision, person)
        quotas.spend(quotas.MODERATIONS, person=ruling.by)
        statement = outbox_rows.message_id(f"decision:{decision.pk}")
        appeal.answer = decisions.record(
            Action.GRANT if lifts else Action.UPHOLD,
            ruling,
            game=decision.game,
            person=person,
            about=decision,
            context={"message_id": appeal.message_id or statement},
        )
        appeal.save(update_fields=["answer"])
        return appeal.answer


def _undo(decision: Decision, person: User) -> None:
    """Restore what was before the decision, as far as nobody has changed it since."""
    match decision.action:
        case Action.SUSPEND if decision == last_suspension(person):
            end_suspension(person)
        case Action.CLOSE_TALK if decision == _last(Action.CLOSE_TALK, person):
            set_no_talk(person, None)
        case Action.CLOSE:
            person.closes_at = None
            person.save(update_fields=["closes_at"])
        case Action.EDIT_PERSON if decision.has_named(person.display_name):
            person.display_name = decision.name_before
            person.save(update_fields=["display_name"])
        case Action.RENAME if decision.name_before and decision.game_id is not None:
            game = LockedGame(decision.game_id).game
            if decision.has_named(game.name):
                Game.objects.filter(pk=game.pk).update(name=decision.name_before)
                pipeline.execute(announcements.about_table(game, was_listed=True))
        case Action.RENAME_CIRCLE if decision.name_before:
            named = _circle(decision).filter(name=decision.words.after)
            named.update(name=decision.name_before)
        case Action.CLOSE_CIRCLE:
            _circle(decision).update(closed_at=None)
        case Action.REMOVE_MESSAGE:
            removed = Message.objects.filter(
                pk=decision.message.rpartition(" ")[2], state=Message.State.REMOVED
            )
            message = removed.first()
            if message is not None and removed.update(state=Message.State.SHOWN):
                is_note = message.seq is not None
                pipeline.execute(announcements.about_message(message.game_id, is_note=is_note))


def _circle(decision: Decision) -> QuerySet[Circle]:
    """The circle that the decision is about; none if it is gone."""
    return Circle.objects.filter(pk=decision.message.rpartition(" ")[2])


def last_suspension(person: User) -> Decision | None:
    """The decision by which this person was suspended last."""
    return _last(Action.SUSPEND, person)


def _last(action: Action, person: User) -> Decision | None:
    return Decision.objects.filter(person=person, action=action).order_by("-pk").first()


def appeals_forget() -> int:
    """Delete the texts of some appeals that are older than a year; how many."""
    old = Appeal.objects.exclude(text="").filter(at__lt=database_clock.now() - KEPT)
    keys = list(old.values_list("pk", flat=True)[:MOST])
    return Appeal.objects.filter(pk__in=keys).update(text="", message_id="")
