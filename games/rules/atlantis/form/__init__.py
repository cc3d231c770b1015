"""The move form of Atlantis: questions in order, each once the ones before it are answered.

What to do → figure → landing → which cards, where several ways lead there → the bridge, if
wanted → the payment, the cheapest by default. All of it fits one GET form and works without
JavaScript.

Field names: do, figure, landing, cards, bridge, gap, pay, tile.
"""

from collections.abc import Callable

from ...move_form import Answers, FormBuilder, MoveForm
from ...text import _
from .. import moves, notation
from ..model import Command, View
from ..move_context import MoveContext
from ..svg.board import preview_marks
from . import preview_text
from .reach import Reach
from .turn import turn


def move_form(view: View, answers: Answers) -> MoveForm[View]:
    """The form as far as `answers` lead."""
    return forms(view)(answers)


def forms(view: View) -> Callable[[Answers], MoveForm[View]]:
    """Makes the form for any answers; looks at the position only once."""
    if view.outcome is not None:
        return lambda _answers: MoveForm(problem=_("The game is over."))
    if view.viewer is None or view.viewer not in view.to_act:
        return lambda _answers: MoveForm(problem=_("It’s not your turn."))
    context = MoveContext(view)
    reach = Reach(context)

    def form(answers: Answers) -> MoveForm[View]:
        builder: FormBuilder[View] = FormBuilder(answers)
        return builder.build(
            lambda: turn(builder, context, reach),
            lambda command: _described(context, command),
        )

    return form


def preview(view: View, command: Command) -> MoveForm[View]:
    """The command in notation, what it does, and warnings; IllegalMove where it is not legal."""
    moves.check_turn(view)
    return _described(MoveContext(view), command)


def _described(context: MoveContext, command: Command) -> MoveForm[View]:
    event = moves.simulate(context.view, command)
    return MoveForm(
        line=notation.describe(command, context.view),
        preview=tuple(preview_text.lines(context, event)),
        warnings=tuple(preview_text.warnings(context, event)),
        marks=tuple(preview_marks(context, event)),
    )
