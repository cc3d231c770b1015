"""The text of a turn in an email: the decision, the deadline, and how to answer."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, get_args

from django.utils import timezone
from django.utils.timesince import timeuntil
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext

from games import selectors
from games.log.game_log import Log
from games.rules import printed_lines
from games.rules.contract import AnyGame, View
from games.rules.guidance import Guide, legal_line
from games.rules.table_events import Proposal
from games.rules.text import Text
from games.translate import Names, date_in_words, exact_time, say

NEWS_LOSSES, NEWS_LETTERS = 3, 300  # as much as the first screen of a telephone can hold
STEPS = {f"table.vote_{kind}" for kind in ("answered", "moved", *get_args(Proposal))}
MAKE_YOUR_MOVE = Text(gettext_noop("Make your move"))
MOST_LISTED = 10  # answers in an email in the place of how an answer is written
TOLERANCE = timedelta(minutes=1)  # an email that is queued a moment later says "3 days" as well


def guidance(log: Log, seat: int, names: Names | None = None) -> dict[str, Any]:
    """The context `task`, `examples`, `forms`, `is_listed` and `choose` of the position; {} for a
    seat that is not asked.

    task: what is asked, without a full stop. examples: complete answers that are legal now, with
    what they lead to. forms: how an answer is written; if is_listed, all other answers instead.
    choose: how those with a choice are read.
    """
    engine = log.engine
    if seat not in engine.rules.to_act(log.state):
        return {}
    view = engine.rules.view(log.state, seat)
    guide = engine.presentation.guide(view)
    if guide is None:
        legal = islice(engine.rules.legal_commands(log.state, seat), 2)
        lines = [legal_line(engine.notation.describe(command, view)) for command in legal]
        guide = Guide(MAKE_YOUR_MOVE, engine.notation.help_lines(), tuple(lines), is_listed=False)
    examples = [printed_lines.written(line, engine, say) for line in guide.examples]
    listed = _listed(engine, view) if guide.is_listed else []
    return {
        "task": say(guide.task, names),
        "examples": examples,
        "forms": [line for line in listed if line not in examples]
        if listed
        else [say(form, names) for form in guide.forms],
        "is_listed": bool(listed),
        "choose": choose_one() if any("{" in line for line in listed) else "",
    }


@dataclass(frozen=True)
class NewsLine:
    """A line of the news. seat: of the player who moved. is_loss: it is about what the reader
    lost."""

    text: str
    seat: int | None = None
    is_loss: bool = False


def news(recap: selectors.Recap, *, brief: bool = False) -> tuple[list[NewsLine], int]:
    """News for the first screen of a telephone, in whole sentences, and how many sentences of the
    recap they leave out: what the reader lost, then the beginning of each line, and more of the
    last ones where there is room. brief: there is none, because messages follow."""
    losses = [NewsLine(loss, is_loss=True) for loss in recap.losses[:NEWS_LOSSES]]
    kept = [_least(line) for line in recap.lines]
    said = [*(line.text for line in losses), *(text for texts in kept for text in texts)]
    room = 0 if brief else NEWS_LETTERS - sum(map(len, said))
    for texts, line in zip(reversed(kept), reversed(recap.lines), strict=True):
        while (more := line.sentences[len(texts) :]) and len(more[0]) <= room:
            texts.append(more[0])
            room -= len(more[0])
    told = [
        NewsLine(" ".join(texts), line.seat)
        for texts, line in zip(kept, recap.lines, strict=True)
        if texts
    ]
    whole = sum(len(line.sentences) for line in recap.lines)
    return [*losses, *told], whole - sum(len(texts) for texts in kept)


def more_below(left_out: int) -> str:
    """Where the sentences are that the news leave out, of an email that has them all."""
    words = ngettext(
        "%(count)s more detail is below, move by move.",
        "%(count)s more details are below, move by move.",
        left_out,
    )
    return words % {"count": left_out}


def more_on_page(left_out: int) -> str:
    """The same, of an email that has no more."""
    words = ngettext(
        "See %(count)s more detail on the game page.",
        "See %(count)s more details on the game page.",
        left_out,
    )
    return words % {"count": left_out}


def _least(line: selectors.LogLine) -> list[str]:
    """What the news say of a line in any case: of a move, its first sentence; nothing of a step
    whose result is told."""
    if line.kind in STEPS or line.kind == "table.deadline_moved":
        return []
    return list(
        line.sentences[:1] if line.seat is not None and not line.is_table else line.sentences
    )


def _listed(engine: AnyGame, view: View) -> list[str]:
    """All lines of `legal`, those with a choice last; [] for too many."""
    lines = [line for section in engine.presentation.legal(view) for line in section.lines]
    if len(lines) > MOST_LISTED:
        return []
    written = [printed_lines.written(line, engine, say) for line in lines]
    return sorted(written, key=lambda text: "{" in text)


def choose_one() -> str:
    """The explanation of a line with a choice."""
    return _("Choose one option from each pair of braces, and no option twice.")


def deadline_line(due_at: datetime | None, at: datetime) -> str:
    """ "3 days left, until Wed 25 Nov, 18:23, Berlin time" for an email of `at`; "" for None."""
    if due_at is None:
        return ""
    when = local_time(due_at)
    if due_at <= at:
        return _("The time ran out on %(when)s") % {"when": when}
    return _("%(time)s left, until %(when)s") % {"time": time_left(due_at, at), "when": when}


def time_left(due_at: datetime, at: datetime) -> str:
    """The time from `at` to the deadline in at most two units: "2 days, 3 hours"."""
    return timeuntil(due_at, at - TOLERANCE, depth=2).replace("\xa0", " ")


def local_time(at: datetime) -> str:
    """A moment in the active time zone, which it names: "Wed 25 Nov, 18:23, Berlin time"."""
    return with_zone(exact_time(at))


def with_zone(when: str) -> str:
    """The words for a moment, and the active time zone."""
    zone = timezone.get_current_timezone_name()
    if "/" not in zone:
        return f"{when} {zone}"
    city = zone.rpartition("/")[2].replace("_", " ")
    # Translators: "Wed 25 Nov, 18:23, Berlin time"
    return _("%(when)s, %(city)s time") % {"when": when, "city": city}


def moment(at: datetime | None) -> str:
    """A moment in the active zone and language: "Saturday, 23 November, 14:05, Berlin time"."""
    if at is None:
        return ""
    here = timezone.localtime(at)
    # Translators: Django's date format for a deadline in a mail: weekday, day, month, time.
    return with_zone(date_in_words(here, pgettext("date format in mails", "l, j F, H:i")))
