"""Moves as lines that a person types and reads.

    turn    = [tile] {step} ("sink" hex | "roll")      or any part of it, one after another
    tile    = "dolphin" explorer hex | "wind" hex hex | "move" creature hex hex
    step    = explorer hex | explorer "ship" hex | explorer "swim" hex | explorer "isle"
            | "sail" hex hex
    then    = "crew" explorer explorer explorer | creature hex hex | "stay"
    answer  = "defend" | "allow"
    setup   = "place" value hex | "ship" hex | "plan" {value hex} {"ship" hex} [preset] | "plan
    none" preset  = "coast" | "inland" | "spread"
    ahead   = "standing" ("shark" | "whale") ("always" | "never" | "from" number | "ask")
    creature = "serpent" | "shark" | "whale"

    V3 E6, V3 ship D6, sail D6 C5, sink F4
    wind D4 B5, V1 isle, sink G3

Explorers are a colour's letter (U blue, V vermilion, Y yellow, N black) and a number, hexes a
row's letter and a number. Case, accents and punctuation do not matter, nor do the fillers of
`VOCABULARY`; keywords are understood in English, German and French. What is written back is always
the form above, with commas.
"""

from .guessing import suggest
from .reading import parse
from .writing import describe, describe_step, help_lines, localised

__all__ = ["describe", "describe_step", "help_lines", "localised", "parse", "suggest"]
