"""What pages and emails say beside the board: what is at stake in an attack, and how it ended."""

from collections.abc import Iterator

from ..contract import Question
from ..text import Text, _, and_list, literal, ngettext
from .board import crew, lost, out, own, saved, swimmers
from .hexes import NAMES
from .model import Command, Creature, Defend, Stage, View
from .names import CREATURES, explorer_name


def question(view: View) -> Question[Command] | None:
    """The attack that the viewer is asked about; None in a turn of its own."""
    board, seat = view.board, view.viewer
    if board.stage is not Stage.DEFENCE or seat is None or seat not in view.to_act:
        return None
    creature, site = board.rolled, board.site
    assert creature is not None and site is not None, "a creature has moved"
    there = swimmers(board, site) if creature is Creature.SHARK else crew(board, site)
    mine = [_worth(view, who) for who in there if who in own(board, seat)]
    return Question(
        ngettext(
            "A %(creature)s is attacking %(hex)s. One of your explorers is in danger: "
            "%(explorers)s. Do you want to defend?",
            "A %(creature)s is attacking %(hex)s. %(count)s of your explorers are in danger: "
            "%(explorers)s. Do you want to defend?",
            len(mine),
            creature=CREATURES[creature],
            hex=NAMES[site],
            explorers=and_list(mine),
        ),
        hours=board.options.hours,
        default=Defend(False),
    )


def _worth(view: View, who: int) -> Text:
    value = view.values[who]
    if value is None:
        return literal(explorer_name(who))
    return _("%(explorer)s, worth %(value)s", explorer=explorer_name(who), value=value)


def ending(view: View) -> Text | None:
    """Why the game is over; None before that."""
    if view.board.stage is not Stage.OVER:
        return None
    return {
        "volcano": _("The volcano erupted: everyone not on an isle was lost."),
        "nobody": _("Nobody was left on the board, so the game ended."),
        "calm": _(
            "Every player took twelve turns after the last tile sank: everyone still at sea "
            "was lost."
        ),
        "submerged": _("The last tile sank: everyone not on an isle was too late."),
    }.get(view.board.cause)


def holdings(view: View) -> tuple[tuple[Text, ...], ...]:
    """Per seat: who is safe, out there, lost, and how many face-down tiles it holds."""
    return tuple(tuple(_holding(view, seat)) for seat in range(view.board.seats))


def _holding(view: View, seat: int) -> Iterator[Text]:
    board = view.board
    out_there = sum(out(board.where[who]) for who in own(board, seat))
    safe, gone, held = len(saved(board, seat)), len(lost(board, seat)), board.held[seat]
    yield _("%(count)s on the board", count=out_there)
    if safe:
        yield _("%(count)s safe", count=safe)
    if gone:
        yield _("%(count)s lost", count=gone)
    if held:
        yield ngettext("%(count)s face-down tile", "%(count)s face-down tiles", held)
