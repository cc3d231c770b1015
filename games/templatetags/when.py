"""Times as people say them: how long, and exactly when in the reader's zone."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.contrib.humanize.templatetags.humanize import NaturalTimeFormatter as Spans
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince, timeuntil
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

register = template.Library()


def exact(moment: datetime) -> str:
    """The moment in the active zone, with its weekday: "Sat 23 Nov, 14:05"; the year when not this one."""
    here = timezone.localtime(moment)
    same_year = here.year == timezone.localtime().year
    # Translators: Django's date format for a day of this year and one of another.
    day = (
        pgettext("date format", "D j M, H:i")
        if same_year
        else pgettext("date format", "j M Y, H:i")
    )
    return date_format(here, day)


def relative(moment: datetime) -> str:
    """How far away: "in 2 days", "3 hours ago", "just now".

    Spans have the forms that stand behind "in" and "ago": “vor 2 Tagen”, not “vor 2 Tage”.
    """
    now = timezone.now()
    if abs((moment - now).total_seconds()) < 60:
        return _("just now") if moment <= now else _("in a moment")
    if moment > now:
        span = timeuntil(moment, now, depth=1, time_strings=Spans.future_substrings)
        return _("in %(time)s") % {"time": span}
    span = timesince(moment, now, depth=1, time_strings=Spans.past_substrings)
    return _("%(time)s ago") % {"time": span}


@register.simple_tag
def when(moment: datetime | None) -> SafeString:
    """How long ago or until, the exact time on hovering."""
    if moment is None:
        return SafeString("")
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(timespec="seconds"),
        exact(moment),
        relative(moment),
    )


@register.simple_tag
def on(moment: datetime | None) -> SafeString:
    """The exact time alone, for places where nothing must change while nothing happens."""
    if moment is None:
        return SafeString("")
    return format_html(
        '<time datetime="{}">{}</time>', moment.isoformat(timespec="seconds"), exact(moment)
    )


@register.simple_tag
def left(moment: datetime | None) -> SafeString:
    """A deadline: "2 days left, until Sat 23 Nov, 14:05"."""
    if moment is None:
        return SafeString("")
    now = timezone.now()
    if moment <= now:
        words = _("Time ran out on %(when)s.") % {"when": exact(moment)}
    else:
        words = _("%(time)s left, until %(when)s.") % {
            "time": timeuntil(moment, now),
            "when": exact(moment),
        }
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="seconds"), words)
