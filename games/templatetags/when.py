"""Times in the reader's time zone: relative, exact and as deadlines."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince, timeuntil
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from games import selectors, translate
from games.models import Game
from games.translate import exact_time

register = template.Library()

_EPOCH = datetime(2001, 1, 1, tzinfo=UTC)
# Whole phrases, because a language may inflect the unit: “2 Tage”, but “vor 2 Tagen”.
_AGO: dict[str, Any] = {  # lazy, which the stubs do not know
    "year": ngettext_lazy("%(num)d year ago", "%(num)d years ago", "num"),
    "month": ngettext_lazy("%(num)d month ago", "%(num)d months ago", "num"),
    "week": ngettext_lazy("%(num)d week ago", "%(num)d weeks ago", "num"),
    "day": ngettext_lazy("%(num)d day ago", "%(num)d days ago", "num"),
    "hour": ngettext_lazy("%(num)d hour ago", "%(num)d hours ago", "num"),
    "minute": ngettext_lazy("%(num)d minute ago", "%(num)d minutes ago", "num"),
}
_AHEAD: dict[str, Any] = {
    "year": ngettext_lazy("in %(num)d year", "in %(num)d years", "num"),
    "month": ngettext_lazy("in %(num)d month", "in %(num)d months", "num"),
    "week": ngettext_lazy("in %(num)d week", "in %(num)d weeks", "num"),
    "day": ngettext_lazy("in %(num)d day", "in %(num)d days", "num"),
    "hour": ngettext_lazy("in %(num)d hour", "in %(num)d hours", "num"),
    "minute": ngettext_lazy("in %(num)d minute", "in %(num)d minutes", "num"),
}


@register.filter
def pace(game: Game) -> str:
    """The time per move: "3 days per move"."""
    if game.practice:
        return _("no deadlines")
    return translate.pace(game.pace_days, game.pace_hours)


@register.filter(expects_localtime=True)
def day(of: date) -> str:
    """A day: "Sun 3 Jan 2027"."""
    return selectors.day(of)


@register.filter
def zoned(moment: datetime) -> str:
    """Format a time for moderators, who compare people's clocks: "2026-11-23 14:05 CET"."""
    return date_format(timezone.localtime(moment), "DATETIME_FORMAT")


@register.filter
def relative(moment: datetime) -> str:
    """The distance in time: "in 2 days", "3 hours ago", "just now"."""
    now = timezone.now()
    if abs((moment - now).total_seconds()) < 60:
        return _("just now") if moment <= now else _("in a moment")
    if moment > now:
        return timeuntil(moment, now, depth=1, time_strings=_AHEAD)
    return timesince(moment, now, depth=1, time_strings=_AGO)


@register.filter
def span(length: timedelta) -> str:
    """A length of time: "2 days", "5 minutes"."""
    if length < timedelta(minutes=1):
        return _("less than a minute")
    return timesince(_EPOCH, _EPOCH + length, depth=1)


@register.simple_tag
def when(moment: datetime | None) -> SafeString:
    """The relative time; the exact one is its title."""
    if moment is None:
        return SafeString("")
    return _time(moment, relative(moment), format_html(' title="{}"', exact_time(moment)))


@register.simple_tag
def on(moment: datetime | None) -> SafeString:
    """The exact time, which does not change from one request to the next."""
    return _time(moment, exact_time(moment)) if moment is not None else SafeString("")


@register.simple_tag
def left(moment: datetime | None) -> SafeString:
    """A deadline: "2 days left, until Sat 23 Nov, 14:05"."""
    return _time(moment, _left(moment)) if moment is not None else SafeString("")


@register.simple_tag
def short_left(moment: datetime | None) -> SafeString:
    """A deadline in at most 14 characters: "2 d 23 h"; in full as title and for screen readers."""
    if moment is None:
        return SafeString("")
    words = _left(moment)
    text = format_html(
        '<span aria-hidden="true">{}</span><span class="unseen">{}</span>', _short(moment), words
    )
    return _time(moment, text, format_html(' title="{}"', words))


@register.filter
def time_left(moment: datetime | None) -> str:
    """The deadline in words, as a title; "" for none."""
    return _left(moment) if moment is not None else ""


def _left(moment: datetime) -> str:
    now = timezone.now()
    if moment <= now:
        return _("Time ran out on %(when)s.") % {"when": exact_time(moment)}
    return _("%(time)s left, until %(when)s.") % {
        "time": timeuntil(moment, now),
        "when": exact_time(moment),
    }


def _short(moment: datetime) -> str:
    minutes = (moment - timezone.now()) // timedelta(minutes=1)
    hours = minutes // 60
    if minutes < 0:
        return _("overdue")
    # Translators: time left, in short; at most 14 characters with three digits for the days.
    if hours >= 24:
        return _("%(days)s d %(hours)s h") % {"days": hours // 24, "hours": hours % 24}
    if hours:
        return _("%(hours)s h") % {"hours": hours}
    return _("%(minutes)s min") % {"minutes": minutes}


def _time(moment: datetime, text: str, attributes: str = "") -> SafeString:
    iso = moment.isoformat(timespec="seconds")
    return format_html('<time datetime="{}"{}>{}</time>', iso, attributes, text)
