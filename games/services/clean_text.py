"""Clean text that people enter, before it is stored."""

import re
import unicodedata

from django.utils.translation import gettext as _

from games.models import (
    MAX_MESSAGE,
    MAX_TALK,
    appearance,
    has_letter,
    has_link,
    has_many_marks,
    has_one_script,
    is_reserved,
    without_blanks,
)

from .errors import ServiceError

MAX_DISPLAY_NAME = 40
MAX_TITLE = 60  # characters of the name of a table
MAX_LINES = 40  # of a message
MAX_REASON = 300  # characters of a moderator's reason

_BARS = re.compile("(?:[-=_] ?){5,}")


def clean_line(text: str, most: int) -> str:
    """One line: no control characters, single spaces, at most `most` characters; "" if nobody would
    see any of them."""
    spaced = "".join(
        " " if char.isspace() or unicodedata.category(char)[0] in "CZ" else char for char in text
    )
    line = " ".join(spaced.split())[:most].rstrip()
    return line if appearance(line) else ""


def clean_name(text: str) -> str:
    """The display name of a person; ServiceError if it cannot be one."""
    name = without_blanks(clean_line(text, MAX_DISPLAY_NAME))
    if not name:
        raise ServiceError(_("Choose a name. Other players will see it."))
    if "@" in name:
        raise ServiceError(_("Everyone can see your name, so do not use an email address."))
    if has_link(name):
        raise ServiceError(_("Your name cannot contain a link. Leave it out."))
    if not has_one_script(name) or has_many_marks(name):
        raise ServiceError(
            _("Choose a name in letters of one alphabet, with at most two accents on each.")
        )
    if not has_letter(name):
        raise ServiceError(_("Choose a name with at least one letter or digit."))
    if is_reserved(name):
        raise ServiceError(
            _("That name could be taken for a bot or for part of this service. Choose another one.")
        )
    return name


def clean_title(text: str) -> str:
    """The name of a table; ServiceError if there is none."""
    title = without_blanks(clean_line(text, MAX_TITLE))
    if not title:
        raise ServiceError(_("Enter a name for the table."))
    if has_link(title):
        raise ServiceError(
            _("The name of a table cannot contain links or addresses. Leave them out.")
        )
    return title


def clean_circle_name(text: str) -> str:
    """The name of a circle; ServiceError if there is none."""
    name = without_blanks(clean_line(text, MAX_TITLE))
    if not name:
        raise ServiceError(_("Enter a name for the circle."))
    if has_link(name):
        raise ServiceError(
            _("The name of a circle cannot contain links or addresses. Leave them out.")
        )
    return name


def clean_talk(text: str) -> str:
    """A message to the table: lines are kept, one empty line in a row and MAX_LINES in all; other
    control characters, and what looks like the bar above quotations in our emails, are removed.
    ServiceError if it is too long."""
    lines = [_BARS.sub("– ", clean_line(line, MAX_TALK + 1)) for line in text.splitlines()]
    message = re.sub(r"\n{3,}", "\n\n", "\n".join(lines).strip())
    if len(message) > MAX_TALK or message.count("\n") >= MAX_LINES:
        raise ServiceError(
            _("A message can have at most %(most)s characters and %(lines)s lines.")
            % {"most": MAX_TALK, "lines": MAX_LINES}
        )
    return message


def clean_message(text: str) -> str:
    """A line beside an invitation, which may go to a stranger; ServiceError with a link or an
    address in it."""
    message = clean_line(text, MAX_MESSAGE)
    if has_link(message):
        raise ServiceError(_("This line cannot contain links or addresses. Leave them out."))
    return message


def clean_reason(text: str) -> str:
    """A moderator's reason as one line; ServiceError if there is none."""
    reason = clean_line(text, MAX_REASON)
    if not reason:
        raise ServiceError(_("Enter a reason. Everyone in the game can read it."))
    return reason
