"""What a reply can ask for, in lines of words: the position, and all games of a user."""

from django.utils import timezone
from django.utils.translation import gettext as _

from games import selectors
from games.mail.guidance import time_left
from games.models import Game, User
from games.translate import exact_time, join_names, say, with_colon

from .reply_context import ReplyContext


def position(context: ReplyContext) -> list[str]:
    """The player's hand and the position in words, as on the page."""
    presentation, view = context.log.engine.presentation, context.view
    found: list[str] = []
    if hand := presentation.hand(view):
        items = ", ".join(f"{item.count} × {say(item.label)}" for item in hand)
        found.append(_("Your hand: %(items)s") % {"items": items})
    for section in presentation.position_text(view):
        found.append(with_colon(say(section.title)))
        found += [f"  {say(text, context.names)}" for text in section.lines]
    return found


def games_of(user: User) -> list[str]:
    """One line for each game that is not over: whose turn it is, and the time left."""
    return [_line(row) for row in selectors.games_in_progress(user)] or [
        _("You are not playing in any game now.")
    ]


def _line(row: selectors.GameRow) -> str:
    name = f"{row.game.name} ({row.title})"
    match row.game.status:
        case Game.Status.GATHERING:
            return _("%(game)s: waiting for players") % {"game": name}
        case Game.Status.PAUSED:
            return _("%(game)s: paused") % {"game": name}
    if row.seat not in row.game.to_act:
        names = join_names(list(row.turn))
        return _("%(game)s: waiting for %(names)s") % {"game": name, "names": names}
    if row.due_at is None:
        return _("%(game)s: your turn") % {"game": name}
    now = timezone.now()
    until = {"game": name, "when": exact_time(row.due_at)}
    if row.due_at <= now:
        return _("%(game)s: your turn, time ran out on %(when)s") % until
    until["time"] = time_left(row.due_at, now)
    return _("%(game)s: your turn, %(time)s left, until %(when)s") % until
