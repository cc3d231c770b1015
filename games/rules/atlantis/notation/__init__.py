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

from .guessing import suggest
from .reading import parse
from .writing import describe, help_lines, localised

__all__ = ["describe", "help_lines", "localised", "parse", "suggest"]
