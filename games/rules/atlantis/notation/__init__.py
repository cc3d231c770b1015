"""Moves as lines that a person types and reads.

    line    = move | "buy" value | "pass"
    move    = [bridge] figure card {card} ["pay" coins] [bridge]
    bridge  = "bridge" space              before the move, or after the tile is taken
    figure  = "A" | "B" | "C"             may be left out where only one figure can do it
    card    = "flag" | "olive" | "helmet" | "amphora" | "ring" | "crown" | "statue"
    coins   = "cheapest" | coin {coin}
    coin    = value | card                a number is a collected tile, an item is a card
    card    may be counted: 3×olive, 3xolive, 3*olive
    plan    = "plan" way {("/" | "else") way} | "no plan"
    way     = figure card {card} {"," condition}

What a condition may be is in `plan_reading`; where a way says nothing, it is to be as now.

    B flag helmet pay 5 2 olive bridge 27
    bridge 27 B flag
    buy 6
    plan B flag, at most 3, take at least 4 / else A ring

Accents and punctuation do not matter, nor do the fillers of `VOCABULARY`, so that whole sentences
are understood in English, German and French. Case matters for "A" alone, which may be an article.
Without such fillers items may be shortened as long as it is clear which is meant (f, fl, flag,
flags). What is written back is always the form above.
"""

from ...errors import IllegalMove, MoveError
from ...text import _
from .. import model, plans
from ..names import cards_of
from . import guessing, plan_reading, reading
from .vocabulary import VOCABULARY
from .writing import describe, help_lines, localised

__all__ = ["describe", "help_lines", "localised", "parse", "suggest"]


def parse(text: str, view: model.View) -> model.Command:
    """The command that a line means for the seat that looks; it is legal now. IllegalMove for a
    move that comes before the turn says how it is planned."""
    if plan_reading.is_plan(text):
        return plan_reading.parse(text, view)
    if view.to_act and view.viewer is not None and view.viewer not in view.to_act:
        raise _too_early(text, view)
    return reading.parse(text, view)


def _too_early(text: str, view: model.View) -> IllegalMove:
    """Why a line cannot be carried out yet. MalformedMove for one without any word of a move."""
    command: model.Command | None = None
    try:
        command = reading.parse(text, plans.next_turn(view))
    except MoveError:
        if not VOCABULARY.keywords(VOCABULARY.words(text)):
            raise
    if not isinstance(command, model.Move):
        return IllegalMove(_("It’s not your turn."))
    return IllegalMove(
        _(
            "It’s not your turn. To plan this for your next turn, write: plan %(move)s",
            move=cards_of(command.figure, command.cards),
        )
    )


def suggest(text: str, view: model.View) -> model.Command | None:
    """The one legal command that a line comes close to; of a plan for a turn that has begun, its
    first line that can be played."""
    if plan_reading.is_plan(text):
        return plan_reading.first_move(text, view) if view.viewer in view.to_act else None
    return guessing.suggest(text, view)
