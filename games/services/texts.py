"""Clean text that people enter, before it is stored."""

import unicodedata

from django.utils.translation import gettext as _

from .errors import ServiceError

MAX_NOTE = 500  # characters of a table note
MAX_REASON = 300  # characters of a moderator's reason


def clean_line(text: str, most: int) -> str:
    """One line: no control characters, single spaces, at most `most` characters."""
    spaced = "".join(
        " " if char.isspace() or unicodedata.category(char)[0] in "CZ" else char for char in text
    )
    return " ".join(spaced.split())[:most].rstrip()


def clean_note(text: str) -> str:
    """A note: lines are kept, other control characters removed; ServiceError if too long."""
    lines = [clean_line(line, MAX_NOTE + 1) for line in text.strip().splitlines()]
    note = "\n".join(lines).strip()
    if len(note) > MAX_NOTE:
        raise ServiceError(_("A note can have at most %(most)s characters.") % {"most": MAX_NOTE})
    return note


def clean_reason(text: str) -> str:
    """A moderator's reason as one line; ServiceError if there is none."""
    reason = clean_line(text, MAX_REASON)
    if not reason:
        raise ServiceError(_("Enter a reason. Everyone in the game can read it."))
    return reason
