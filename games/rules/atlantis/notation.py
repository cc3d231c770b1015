"""Moves as lines that a person types and reads.

    line    = move | "buy" value | "pass"
    move    = [bridge] figure card {card} ["pay" coins] [bridge]
    bridge  = "bridge" space              before the move, or after the tile is taken
    figure  = "A" | "B" | "C"             may be left out where only one figure can do it
    card    = "flag" | "olive" | "helmet" | "amphora" | "ring" | "crown" | "statue"
    coins   = "cheapest" | coin {coin}
    coin    = value | card                a number is a collected tile, an item is a card
    card    may be counted: 3×olive, 3xolive, 3*olive

    B flag helmet pay 5 2 olive bridge 27
    bridge 27 B flag
    buy 6

Accents and punctuation do not matter, nor do the fillers of `VOCABULARY`, so that whole sentences
are understood in English, German and French. Case matters for "A" alone, which may be an article.
Without such fillers items may be shortened as long as it is clear which is meant (f, fl, flag,
flags). What is written back is always the form above.
"""

from collections.abc import Iterable

from ..guidance import in_words_of
from ..text import Text, Translate, _
from . import model
from .guessing import suggest
from .names import letter
from .reading import parse
from .rules import command_of
from .vocabulary import VOCABULARY
from .vocabulary import items as _items

__all__ = ["VOCABULARY", "_items", "describe", "help_lines", "localised", "parse", "suggest"]


# -- writing ---------------------------------------------------------------------------


def describe(move: model.Command | model.Event, view: model.View) -> str:
    """The move in notation; "" for an event that is only the consequence of one."""
    match move:
        case model.Buy(value):
            return f"buy {value}"
        case model.Pass():
            return "pass"
        case model.Move():
            return " ".join(_words(move))
        case _:
            found = command_of(move)
            return describe(found[1], view) if found else ""


def _words(move: model.Move) -> Iterable[str]:
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
    return in_words_of(line, WORDS, translate)


def help_lines() -> tuple[Text, ...]:
    """How a move is written, line by line."""
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
        _("You can shorten items (f, fla). Capitals and commas do not matter."),
    )
