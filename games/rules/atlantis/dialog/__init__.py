"""The turn form of Atlantis: questions in order, each once the ones before it are answered.

What to do → figure → landing → which cards, where several ways lead there → the bridge, if
wanted → the payment, the cheapest beforehand. All of it fits one GET form and works without
JavaScript. It knows the view and nothing else; what is legal is asked of moves. Answers that
do not fit never fail: they leave a sentence.

Field names: do, figure, landing, cards, bridge, gap, pay, tiles, card_<item>, tile.
"""

from __future__ import annotations

from msgspec.structs import replace

from ...asking import Answers, Asker, UnansweredError
from ...engine import Dialog, MoveError, _
from ..forecast import forecast, warnings
from ..model import Command, View
from ..moves import preview
from ..notation import describe
from ..table import Table
from .turn import turn

__all__ = ["dialog", "foresee"]


def dialog(view: View, answers: Answers) -> Dialog:
    """The form as far as `answers` (name → values of a query string) lead."""
    if view.outcome is not None:
        return Dialog((), problem=_("The game is over."))
    if view.viewer is None or view.viewer not in view.to_act:
        return Dialog((), problem=_("It is not your turn."))
    asker = Asker(answers)
    table = Table(view)
    try:
        command = turn(asker, table)
    except UnansweredError:
        return Dialog(tuple(asker.fields), problem=asker.problem)
    if asker.problem is None:
        try:
            return replace(foresee(view, command), fields=tuple(asker.fields))
        except MoveError as error:
            asker.refuse(error.text)
    return Dialog(tuple(asker.fields), problem=asker.problem)


def foresee(view: View, command: Command) -> Dialog:
    """The command in notation, what it does and what a friend would say; no questions.

    IllegalMove where it may not be made.
    """
    table, plan = Table(view), preview(view, command)
    return Dialog(
        (),
        line=describe(command, view),
        preview=tuple(forecast(table, command, plan)),
        warnings=tuple(warnings(table, command, plan)),
    )
