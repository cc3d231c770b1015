"""The move form of Escape from Atlantis!: questions in order, each once the ones before it are
answered.

In a turn: a kept tile, up to three steps with the position redrawn after each, the tile to sink,
which can be chosen in place of a piece.
All of it fits one GET form and works without JavaScript.

FormField names: do; tile, tile_who, tile_to, who1, step1 … who3, step3, who4; value, hex; preset,
wish1 …, wish1_hex …, ship1 …; creature, answer; crew; to. The answer do=plan or do=standing, which
may be given when it is not one's turn, asks for a plan for the setup or for an answer in advance.
"""

from collections.abc import Callable
from functools import partial

from ...errors import IllegalMove
from ...move_form import Answers, Choice, FormBuilder, MoveForm
from ...text import _
from .. import notation, validation
from ..board import to_place
from ..model import (
    Command,
    CreatureStage,
    CrewStage,
    DefenceStage,
    OverStage,
    SetupStage,
    TurnStage,
    View,
)
from ..svg.recent import preview_marks
from . import preview_text
from .placing import launch, place, plan
from .responses import creature, crew, defence, standing
from .turn import turn


def move_form(view: View, answers: Answers) -> MoveForm[View]:
    """The form as far as `answers` lead."""
    if isinstance(view.board.stage, OverStage):
        return MoveForm(problem=_("The game is over."))
    if view.viewer is None or not 0 <= view.viewer < view.board.seats:
        return MoveForm(problem=_("Only players in this game can play."))
    builder: FormBuilder[View] = FormBuilder(answers)
    return builder.build(lambda: _ask(builder, view), lambda command: preview(view, command))


def forms(view: View) -> Callable[[Answers], MoveForm[View]]:
    """Makes the form for any answers."""
    return partial(move_form, view)


def preview(view: View, command: Command) -> MoveForm[View]:
    """The command in notation, what it does, and warnings; IllegalMove where it is not legal."""
    validation.check_command(view, command)
    return MoveForm(
        line=notation.describe(command, view),
        preview=tuple(preview_text.lines(view, command)),
        warnings=tuple(preview_text.warnings(view, command)),
        marks=tuple(preview_marks(view, command)),
    )


def _ask(builder: FormBuilder[View], view: View) -> Command:
    """Ask until the answers make a command; UnansweredError where they do not yet."""
    board = view.board
    asked = view.viewer in view.to_act
    match _what(builder, view, asked=asked):
        case "plan":
            return plan(builder, view)
        case "standing":
            return standing(builder, view)
    match board.stage:
        case SetupStage():
            return launch(builder, view) if to_place(board) is None else place(builder, view)
        case TurnStage():
            return turn(builder, view)
        case CrewStage(site=site):
            return crew(builder, view, site)
        case CreatureStage(creature=kind):
            return creature(builder, view, kind)
        case DefenceStage(creature=kind):
            return defence(builder, view, kind)
        case OverStage():
            raise IllegalMove(_("The game is over."))


def _what(builder: FormBuilder[View], view: View, *, asked: bool) -> str:
    """Ask for the purpose of the form: the move, a plan, or an answer in advance."""
    choices: list[Choice] = []
    if asked:
        choices.append(Choice("move", _("Play my turn")))
    if view.board.is_setup:
        choices.append(
            Choice(
                "plan",
                _("Plan my setup"),
                _("The plan is carried out on your turns. Only you can see it."),
            )
        )
    choices.append(
        Choice(
            "standing",
            _("Set standing orders for attacks"),
            _("So that the game does not have to wait for you. Only you can see them."),
        )
    )
    given = builder.given("do")
    if given is None and asked:
        return "move"  # the question is not worth its place where the answer is so likely
    return builder.one("do", _("What do you want to do?"), choices, default=None)
