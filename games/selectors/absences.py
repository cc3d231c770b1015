"""Absences in words, for everybody at the person's tables."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Protocol

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.clock.absences import Absence
from games.models import Game, User
from games.translate import exact_time


class DeadlineChange(Protocol):
    """An open deadline after an absence was entered or ended, and before."""

    @property
    def game(self) -> Game:
        """Where the deadline is."""

    @property
    def due_at(self) -> datetime:
        """The deadline."""

    @property
    def before(self) -> datetime:
        """What it was."""


def day(of: date) -> str:
    """A day: "Sun 3 Jan 2027"."""
    # Translators: Django's date format for a day.
    return date_format(of, pgettext("date format", "D j M Y"))


def effect_lines(effects: Iterable[DeadlineChange]) -> list[str]:
    """What became of each open deadline, a sentence each."""
    return [_effect(effect) for effect in effects]


def _effect(effect: DeadlineChange) -> str:
    values = {"game": effect.game.name, "when": exact_time(effect.due_at)}
    if effect.due_at > effect.before:
        return _("%(game)s: your deadline has moved to %(when)s.") % values
    return _("%(game)s: your deadline is still %(when)s.") % values


def open_absences(user: User, now: datetime) -> list[Absence]:
    """The present absence and those to come, in order; days in the person's zone."""
    today = now.astimezone(user.zone).date()
    return [one for one in user.absence_list if one.last >= today and one.last >= one.first]


def absence_text(user: User | None, now: datetime, name: str) -> str:
    """The present absence of a person or the next one, as a sentence; "" for none. name: what to
    call the person."""
    found = open_absences(user, now) if user is not None and user.absences else []
    if user is None or not found:
        return ""
    values = {"name": name, "first": day(found[0].first), "last": day(found[0].last)}
    if found[0].first <= now.astimezone(user.zone).date():
        return _("%(name)s is away until %(last)s.") % values
    return _("%(name)s will be away from %(first)s to %(last)s.") % values
