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
from .model import Command, Creature, DefenceStage, Defend, View
from .names import A_CREATURE, explorer_name

MOST_AT_STAKE = 20


def alert(builder: EventBuilder, mover: int, creature: model.Creature, hex_: int) -> bool:
    """Ask those who may defend against this creature, which the seat `mover` moved; False where
    nobody is asked."""
    board = builder.board
    seats = tuple(seat for seat in affected(board, creature, hex_, mover) if board.held[seat])
    if not seats:
        return False
    attack = model.DefenceStage(mover, creature, hex_, seats)
    builder.add(model.Alerted(creature, hex_, seats))
    for seat in seats:
        _answer_by_standing(builder, attack, seat)
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
    attack = builder.board.stage
    if isinstance(attack, model.DefenceStage) and seat in attack.asked:
        _answer_by_standing(builder, attack, seat)


def settle(builder: EventBuilder, attack: model.DefenceStage) -> bool:
    """Return whether the question is answered; if so, the creature is driven off or does its
    harm."""
    board, answers = builder.board, dict(builder.state.answers)
    creature, hex_ = attack.creature, attack.site
    for seat in affected(board, creature, hex_, attack.seat):
        if seat in attack.asked:
            return False
        if answers.get(seat):
            builder.add(model.Defended(seat, creature, hex_))
            return True
    harm = harm_on(board, creature, hex_)
    if harm is not None:
        builder.add(harm)
    return True


def answer_in_advance(state: model.State, attack: model.DefenceStage, seat: int) -> bool | None:
    """Return whether the seat's standing answer defends against the creature; None: ask."""
    creature = attack.creature
    at_least = state.standing[seat][creature is model.Creature.WHALE]
    if at_least is None:
        return None
    wants = at_least > 0 and at_stake(state.board, creature, attack.site, seat) >= at_least
    return wants and model.DEFENCES[creature] in state.kept[seat]


def _answer_by_standing(builder: EventBuilder, attack: model.DefenceStage, seat: int) -> None:
    answer = answer_in_advance(builder.state, attack, seat)
    if answer is not None:
        builder.add(model.Answered(seat, answer, auto=True))


def question(view: View) -> Question[Command] | None:
    """The attack that the viewer is asked about; None in a turn of its own."""
    board, seat, attack = view.board, view.viewer, view.board.stage
    if not isinstance(attack, DefenceStage) or seat is None or seat not in view.to_act:
        return None
    creature, site = attack.creature, attack.site
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
