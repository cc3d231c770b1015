"""What a confirming link shows and what its button does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from games.models import InboundMail
from games.rules.contract import MoveError
from games.services import GameMoved, ServiceError

from . import handlers
from .commands import Mails, Move, Note, Resign, order_of

Verdict = InboundMail.Verdict

GOOD_FOR = timedelta(days=7)


@dataclass(frozen=True)
class Question:
    """What would be done: the line as it was read, what it means in sentences, the note with it.

    problem: why it cannot be done (any more); done: it was confirmed before.
    """

    row: InboundMail
    sentences: tuple[str, ...] = ()
    problem: str = ""
    done: bool = False


def question(key: int) -> Question | None:
    """The question behind a link; None where there is none (any more)."""
    row = _asked(InboundMail.objects.all(), key)
    return _question(row) if row is not None else None


def _asked(rows: object, key: int) -> InboundMail | None:
    found: InboundMail | None = (
        rows.select_related("game", "user")  # type: ignore[attr-defined]
        .filter(pk=key, game__isnull=False, user__is_active=True)
        .first()
    )
    if found is None or found.received_at < timezone.now() - GOOD_FOR:
        return None
    return found if found.confirmed_at or found.verdict == Verdict.CONFIRM else None


def _question(row: InboundMail) -> Question:
    if row.confirmed_at:
        return Question(row, done=True)
    try:
        return Question(row, tuple(_sentences(row)))
    except GameMoved as error:
        return Question(row, problem=error.text)
    except MoveError as error:
        return Question(row, problem=handlers.reason_of(error, handlers.names_at(row)))
    except ServiceError as error:
        return Question(row, problem=error.text)


def _sentences(row: InboundMail) -> list[str]:
    match order_of(row.line):
        case Move(line):
            return handlers.foreseen(row, line)
        case Note(text):
            return [_("Add a note to your last move: %(text)s") % {"text": text}]
        case Mails(off):
            return [
                _("Turn off emails for this game.")
                if off
                else _("Turn emails for this game back on.")
            ]
        case Resign():
            return [_("You are about to resign. This cannot be undone.")]
    raise ServiceError(_("There is nothing to confirm."))


def confirm(key: int) -> Question | None:
    """Do it, once. What it shows afterwards: done, or why it could not be done."""
    with transaction.atomic():
        row = _asked(InboundMail.objects.select_for_update(of=("self",)), key)
        if row is None:
            return None
        if row.confirmed_at:
            return Question(row, done=True)
        row.confirmed_at = timezone.now()
        try:
            row.verdict = handlers.obey(row, order_of(row.line))
        except GameMoved as error:
            return Question(row, problem=error.text)
        except MoveError as error:
            return Question(row, problem=handlers.reason_of(error, handlers.names_at(row)))
        except ServiceError as error:
            return Question(row, problem=error.text)
        row.save()
        return Question(row, done=True)
