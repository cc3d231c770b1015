"""A report by reply: its word, the name of a player, and what happened.

The name keeps sentences that only begin with the word from being a report.
"""

from django.utils.translation import gettext as _

from games import services
from games.models import Report, User
from games.services import ServiceError

from . import commands
from .reply_context import ReplyContext


def find(context: ReplyContext) -> tuple[User, str] | None:
    """The other player whose name begins the text of the report, and what follows it; None for no
    name. Of two names, the longer one counts."""
    written = context.row.note.split()
    for count in range(len(written), 0, -1):
        start = " ".join(written[:count])
        for seat, name in zip(context.seats, context.names, strict=True):
            if seat.user is not None and commands.is_name(name, start):
                return seat.user, "".join(context.row.note.split(maxsplit=count)[count:])
    return None


def require(context: ReplyContext) -> tuple[User, str]:
    """As `find`; ServiceError for no name."""
    found = find(context)
    if found is None:
        raise ServiceError(
            _(
                "To report someone, write “report”, the name of the player as the table shows it, "
                "and what happened. You can also report a message on the game page."
            )
        )
    return found


def file(context: ReplyContext) -> Report:
    """File the report. Its text is not kept with the reply, which other moderators may read."""
    person, text = require(context)
    report = services.report_conduct(context.game, context.user, person, text, is_answered=True)
    context.row.line, context.row.note = context.row.line.split(maxsplit=1)[0], ""
    return report
