"""Enters the absence that a reply announces."""

from datetime import date, datetime

from django.utils.translation import gettext as _

from games import selectors, services
from games.models import User, database_clock
from games.services import ServiceError

from .commands import Away


def enter(user: User, command: Away, written: datetime) -> list[str]:
    """Enter the absence; what became of each deadline, in lines. ServiceError for no such day."""
    now = database_clock.now()
    last = last_day(user, command, written)
    effects = services.enter_absence(user, now.astimezone(user.zone).date(), last, now)
    until = _("You are away until %(day)s.") % {"day": selectors.day(last)}
    return [until, *selectors.effect_lines(effects)]


def last_day(user: User, command: Away, written: datetime) -> date:
    """The last day of the absence. ServiceError if there is no such day.

    written: when the reply arrived. A day without a year, or a weekday, is the next one after that,
    also if the reply is confirmed later.
    """
    try:
        return command.until.seen_from(written.astimezone(user.zone).date())
    except ValueError as error:
        raise ServiceError(_("This date does not exist. Check the day and the month.")) from error
