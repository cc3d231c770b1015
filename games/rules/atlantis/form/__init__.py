"""The move form of Atlantis: questions in order, each once the ones before it are answered.

What to do → figure → landing → which cards, where several ways lead there → the bridge, if
wanted → the payment, the cheapest by default. All of it fits one GET form and works without
JavaScript.

Field names: do, figure, landing, cards, bridge, gap, pay, tiles, card_<item>, tile.
"""

from ...form_builder import FormBuilder
from ...move_form import Answers, MoveForm
from ...text import _
from .. import moves, notation, preview_text
from ..model import Command, View
from ..move_context import MoveContext
from .turn import turn


def move_form(view: View, answers: Answers) -> MoveForm[View]:
    """The form as far as `answers` lead."""
    if view.outcome is not None:
        return MoveForm(problem=_("The game is over."))
    if view.viewer is None or view.viewer not in view.to_act:
        return MoveForm(problem=_("It is not your turn."))
    builder: FormBuilder[View] = FormBuilder(answers)
    context = MoveContext(view)
    return builder.build(lambda: turn(builder, context), lambda command: preview(view, command))


def preview(view: View, command: Command) -> MoveForm[View]:
    """The command in notation, what it does, and warnings; IllegalMove where it is not legal."""
    plan = moves.simulate(view, command)
    context = MoveContext(view)
    return MoveForm(
        line=notation.describe(command, view),
        preview=tuple(preview_text.lines(context, command, plan)),
        warnings=tuple(preview_text.warnings(context, command, plan)),
    )
