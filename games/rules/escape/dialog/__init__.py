"""The turn form of Escape from Atlantis!: questions in order, each once the ones before it are answered.

In a turn: a kept tile, up to three steps one after another with the position redrawn, the tile to
sink. All of it fits one GET form and works without JavaScript. It knows the view and nothing else;
what is legal is asked of the rules. Answers that do not fit never fail: they leave a sentence.

Field names: do; tile, tile_who, tile_to, who1, step1 … who3, step3, sink; value, hex; preset, wish1 …,
wish1_hex …, ship1 …; creature, answer; crew; to. The answer do=plan or do=standing, which may be
given when it is not one's turn, asks for a plan for the setup or for an answer in advance.
"""

from __future__ import annotations

from msgspec.structs import replace

from ...asking import Answers, Asker, UnansweredError
from ...engine import Dialog, IllegalMove, MoveError, Option, _
from ..board import to_place
from ..model import Command, Stage, View
from ..notation import describe
from ..trial import check_command
from .answers import creature, crew, defence, standing
from .forecast import forecast, warnings
from .placing import launch, place, plan
from .turn import turn

__all__ = ["dialog", "foresee"]


def dialog(view: View, answers: Answers) -> Dialog:
    """The form as far as `answers` (name → values of a query string) lead."""
    board = view.board
    if board.stage is Stage.OVER:
        return Dialog((), problem=_("The game is over."))
    if view.viewer is None or not 0 <= view.viewer < board.seats:
        return Dialog((), problem=_("Only who sits at the table can play."))
    asker = Asker(answers)
    redrawn: list[View] = []
    try:
        command = _ask(asker, view, redrawn)
    except UnansweredError:
        return _open(asker, redrawn)
    if asker.problem is None:
        try:
            return replace(
                foresee(view, command),
                fields=tuple(asker.fields),
                view=redrawn[-1] if redrawn else None,
            )
        except MoveError as error:
            asker.refuse(error.text)
    return _open(asker, redrawn)


def foresee(view: View, command: Command) -> Dialog:
    """The command in notation, what it does and what a friend would say; no questions.

    IllegalMove where it may not be given.
    """
    check_command(view, command)
    return Dialog(
        (),
        line=describe(command, view),
        preview=tuple(forecast(view, command)),
        warnings=tuple(warnings(view, command)),
    )


def _open(asker: Asker, redrawn: list[View]) -> Dialog:
    return Dialog(tuple(asker.fields), problem=asker.problem, view=redrawn[-1] if redrawn else None)


def _ask(asker: Asker, view: View, redrawn: list[View]) -> Command:
    """Ask until the answers make a command; UnansweredError where they do not yet."""
    board = view.board
    asked = view.viewer in view.to_act
    match _what(asker, view, asked=asked):
        case "plan":
            return plan(asker, view)
        case "standing":
            return standing(asker, view)
    match board.stage:
        case Stage.SETUP:
            return launch(asker, view) if to_place(board) is None else place(asker, view)
        case Stage.TURN:
            return turn(asker, view, redrawn)
        case Stage.CREW:
            return crew(asker, view)
        case Stage.CREATURE:
            return creature(asker, view)
        case Stage.DEFENCE:
            return defence(asker, view)
        case Stage.OVER:
            raise IllegalMove(_("The game is over."))


def _what(asker: Asker, view: View, *, asked: bool) -> str:
    """What the form is for: the move that is asked, a plan, or an answer in advance."""
    options: list[Option] = []
    if asked:
        options.append(Option("move", _("Make my move")))
    if view.board.stage is Stage.SETUP:
        options.append(
            Option(
                "plan", _("Plan my setup"), _("It is played when your turn comes; only you see it.")
            )
        )
    options.append(
        Option(
            "standing",
            _("Answer an attack in advance"),
            _("So that the game need not wait for you; only you see it."),
        )
    )
    given = asker.given("do")
    if given is None and asked:
        return "move"  # the question is not worth its place where the answer is so likely
    return asker.one("do", _("What do you want to do?"), options, default=None)
