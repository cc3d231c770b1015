"""What a seat is asked in an attack, and what is at stake for it."""

from ..contract import Question
from ..text import Text, _, and_list, literal, ngettext
from .board import crew, own, swimmers
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
