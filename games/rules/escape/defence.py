"""The defence window: who is asked what, what their answers do, and the answers left in advance.

The question reveals nothing: every affected seat with any face-down tile is asked. The
answers are secret; clockwise from the active player the first who defends spends its tile, as soon
as everybody before it has answered.
"""

from ..contract import Question
from ..errors import IllegalMove
from ..text import Text, _, and_list, literal, ngettext
from . import model
from .board import crew, own, swimmers
from .creatures import affected, at_stake, harm_on
from .event_builder import EventBuilder
from .hexes import NAMES
from .model import Command, Creature, Defend, Stage, View
from .names import A_CREATURE, explorer_name

MOST_AT_STAKE = 20


def alert(builder: EventBuilder, creature: model.Creature, hex_: int) -> bool:
    """Ask those who may defend against this creature; False where nobody is asked."""
    board = builder.board
    assert board.active is not None, "somebody moved the creature"
    seats = tuple(
        seat for seat in affected(board, creature, hex_, board.active) if board.held[seat]
    )
    if not seats:
        return False
    builder.add(model.Alerted(creature, hex_, seats))
    for seat in seats:
        _answer_by_standing(builder, seat)
    return True


def check_standing(standing: model.Standing) -> None:
    """IllegalMove with the reason where an answer in advance makes no sense."""
    if standing.creature not in model.DEFENCES:
        raise IllegalMove(_("There is no defence against sea serpents."))
    if standing.at_least is not None and not 0 <= standing.at_least <= MOST_AT_STAKE:
        raise IllegalMove(_("Give the smallest number of explorers to defend, from 1 to 20."))


def leave_standing(builder: EventBuilder, seat: int, standing: model.Standing) -> None:
    """Keep a standing answer; it settles a question that is open already."""
    builder.add(model.Ordered(seat, standing))
    if builder.board.stage is model.Stage.DEFENCE and seat in builder.board.asked:
        _answer_by_standing(builder, seat)


def settle(builder: EventBuilder) -> bool:
    """Return whether the question is answered; if so, the creature is driven off or does its
    harm."""
    board, state = builder.board, builder.state
    creature, hex_ = board.rolled, board.site
    assert creature is not None and hex_ is not None, "a creature has moved"
    answers = dict(state.answers)
    for seat in affected(board, creature, hex_, board.active or 0):
        if seat in board.asked:
            return False
        if answers.get(seat):
            builder.add(model.Defended(seat, creature, hex_))
            return True
    harm = harm_on(board, creature, hex_)
    if harm is not None:
        builder.add(harm)
    return True


def answer_in_advance(state: model.State, seat: int) -> bool | None:
    """Return whether the seat's standing answer defends against the creature; None: ask."""
    board, creature, hex_ = state.board, state.board.rolled, state.board.site
    assert creature is not None and hex_ is not None, "a creature has moved"
    at_least = state.standing[seat][creature is model.Creature.WHALE]
    if at_least is None:
        return None
    wants = at_least > 0 and at_stake(board, creature, hex_, seat) >= at_least
    return wants and model.DEFENCES[creature] in state.kept[seat]


def _answer_by_standing(builder: EventBuilder, seat: int) -> None:
    answer = answer_in_advance(builder.state, seat)
    if answer is not None:
        builder.add(model.Answered(seat, answer, auto=True))


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
            "%(hex)s is under attack by %(creature)s. One of your explorers is in danger: "
            "%(explorers)s. Do you want to defend?",
            "%(hex)s is under attack by %(creature)s. %(count)s of your explorers are in danger: "
            "%(explorers)s. Do you want to defend?",
            len(mine),
            creature=A_CREATURE[creature],
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
