"""The move form of Atlantis: questions in order, each once the ones before it are answered.

What to do → figure → landing → which cards, where several ways lead there → the bridge, if
wanted → the payment, the cheapest by default. All of it fits one GET form and works without
JavaScript. When it is not one's turn, the same questions about figure, landing and cards make a
line of the plan for the next one.

Field names: do, figure, landing, cards, bridge, gap, pay, tile.
"""

from collections.abc import Callable

from msgspec.structs import replace

from ...errors import IllegalMove
from ...move_form import Answers, Choice, FormBuilder, MoveForm
from ...text import _, joined
from .. import moves, notation, plans
from ..event_text import plan_lines
from ..model import Command, Plan, PlanLine, TurnCommand, View
from ..move_context import MoveContext
from ..svg.board import preview_marks
from . import preview_text
from .reach import Reach
from .turn import planned_move, turn


def move_form(view: View, answers: Answers) -> MoveForm[View]:
    """The form as far as `answers` lead."""
    return forms(view)(answers)


def forms(view: View) -> Callable[[Answers], MoveForm[View]]:
    """Makes the form for any answers; looks at the position only once."""
    if view.outcome is not None:
        return lambda _answers: MoveForm(problem=_("The game is over."))
    if view.viewer is None or not view.to_act:
        return lambda _answers: MoveForm(problem=_("It’s not your turn."))
    if view.viewer not in view.to_act:
        return _plan_forms(view)
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
    if isinstance(command, Plan):
        return _planned(view, command)
    moves.check_turn(view)
    return _described(MoveContext(view), command)


def _described(context: MoveContext, command: TurnCommand) -> MoveForm[View]:
    event = moves.simulate(context.view, command)
    return MoveForm(
        line=notation.describe(command, context.view),
        preview=tuple(preview_text.lines(context, event)),
        warnings=tuple(preview_text.warnings(context, event)),
        marks=tuple(preview_marks(context, event)),
    )


# -- the plan ----------------------------------------------------------------------------------


def _plan_forms(view: View) -> Callable[[Answers], MoveForm[View]]:
    """Makes the form of a plan for the next turn. A plan builds no bridge."""
    then = plans.next_turn(view)
    players = [replace(player, bridge=False) for player in view.players]
    context = MoveContext(replace(then, players=tuple(players)))
    reach = Reach(context)
    left = view.plan.lines or () if view.plan is not None else ()

    def ask(builder: FormBuilder[View]) -> Plan:
        what = _what(builder, left, can_move=not reach.stuck)
        if what == "none":
            return Plan()
        line = plans.exactly(view, planned_move(builder, context, reach))
        _move, event = plans.trial(then, line)
        line = replace(line, ends=plans.ends_game(then, event))
        return Plan((*left, line) if what == "add" else (line,))

    def form(answers: Answers) -> MoveForm[View]:
        builder: FormBuilder[View] = FormBuilder(answers)
        return builder.build(lambda: ask(builder), lambda command: _planned(view, command))

    return form


def _what(builder: FormBuilder[View], left: tuple[PlanLine, ...], *, can_move: bool) -> str:
    """new, add or none; not asked where there is no plan yet."""
    choices = []
    if can_move and 0 < len(left) < plans.MOST_LINES:
        detail = _("It is played if the lines before it do not fit.")
        choices.append(Choice("add", _("Add another line"), detail))
    if can_move:
        choices.append(Choice("new", _("Make a new plan")))
    if not left:
        if not can_move:
            raise IllegalMove(_("None of your figures can move now, so there is nothing to plan."))
        return "new"
    choices.append(Choice("none", _("Delete the plan")))
    help_text = joined([_("Your plan:"), *plan_lines(left)], "\n")
    return builder.one("do", _("What do you want to do?"), choices, help_text=help_text)


def _planned(view: View, plan: Plan) -> MoveForm[View]:
    plans.left(view, plan)
    then = MoveContext(plans.next_turn(view))
    events = [plans.trial(then.view, line)[1] for line in plan.lines[-1:]]
    return MoveForm(
        line=notation.describe(plan, view),
        preview=tuple(plan_lines(plan.lines)),
        marks=tuple(mark for event in events for mark in preview_marks(then, event)),
    )
