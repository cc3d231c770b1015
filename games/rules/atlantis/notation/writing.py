"""Moves written down in the notation, and how it is explained."""

from collections.abc import Iterator

from ...guidance import in_words_of
from ...text import Text, Translate, _
from .. import model
from ..names import letter
from ..rules import command_of
from . import plan_reading


def describe(move: model.Command | model.Event, view: model.View) -> str:
    """The move in notation; "" for an event that is only the consequence of one."""
    match move:
        case model.Buy(value):
            return f"buy {value}"
        case model.Pass():
            return "pass"
        case model.Plan():
            return plan_reading.describe(move)
        case model.Move():
            return " ".join(_words(move))
        case _:
            found = command_of(move)
            return describe(found[1], view) if found else ""


def _words(move: model.Move) -> Iterator[str]:
    if move.bridge_before is not None:
        yield f"bridge {move.bridge_before}"
    yield letter(move.figure)
    yield from move.cards
    if move.pay_tiles or move.pay_cards:
        yield "pay"
        yield from map(str, move.pay_tiles)
        yield from move.pay_cards
    if move.bridge_after is not None:
        yield f"bridge {move.bridge_after}"


# Translators: the words of moves, as players type them; keep their order, one word for each.
WORDS = _("flag olive helmet amphora ring crown statue buy pass pay cheapest bridge")


def localised(line: str, translate: Translate) -> str:
    """A line of `describe` with the words of the reader's language."""
    line = in_words_of(line, WORDS, translate)
    return plan_reading.localised(line, translate) if plan_reading.is_plan(line) else line


def help_lines() -> tuple[Text, ...]:
    """Return lines that explain how to write a move."""
    return (
        _("Write the figure, then the cards in the order you play them: B flag helmet"),
        _(
            "If the route costs something, say how you pay: numbers are your tiles, items are "
            "cards. B flag pay 5 2 olive"
        ),
        _("“pay cheapest” picks the payment that wastes the least."),
        _("Build your bridge before the move: bridge 27 B flag – or after it: B flag bridge 27"),
        _("To sell a tile first, write on a line of its own: buy 6"),
        _("If none of your figures can move: pass"),
        _(
            "Plan your next turn while others move: plan B olive, at most 3, take at least 4 / "
            "else A ring"
        ),
        _(
            "A plan plays exactly what you see now, unless you add: anywhere (on any space) – ring if "
            "occupied (a spare card) – and end the game – even so (if another figure reaches the "
            "mainland first). To take it back: no plan"
        ),
        _("You can shorten items (f, fla). Capitals and commas do not matter."),
    )
