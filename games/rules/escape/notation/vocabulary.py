"""The words that a line may use, in English, German and French."""

from __future__ import annotations

import re

from ...line_reader import Vocabulary
from ..hexes import BY_NAME
from ..model import COLOUR_LETTERS

KEYWORDS = {
    "sink": ("sink", "sinks", "versenke", "versenken", "coule", "couler"),
    "roll": ("roll", "wurfle", "wuerfle", "wurfeln", "lance", "lancer"),
    "sail": ("sail", "sails", "segle", "segeln", "navigue"),
    "ship": ("ship", "board", "boards", "schiff", "navire", "bateau"),
    "swim": ("swim", "swims", "jump", "water", "schwimm", "schwimme", "schwimmt", "nage", "saute"),
    "isle": ("isle", "island", "ashore", "insel", "eiland", "land", "ile", "ilot"),
    "dolphin": ("dolphin", "delfin", "delphin", "dauphin"),
    "wind": ("wind", "vent"),
    "move": ("move", "moves", "bewege", "deplace"),
    "serpent": ("serpent", "snake", "monster", "seeschlange", "schlange"),
    "shark": ("shark", "hai", "requin"),
    "whale": ("whale", "wal", "baleine"),
    "crew": ("crew", "mannschaft", "equipage"),
    "stay": ("stay", "leave", "none", "nothing", "pass", "bleib", "nichts", "rien"),
    "defend": (
        "defend",
        "defends",
        "yes",
        "abwehren",
        "wehre",
        "verteidige",
        "verteidigen",
        "ja",
        "defendre",
        "oui",
    ),
    "allow": ("allow", "let", "no", "zulassen", "nein", "laisse", "non"),
    "place": ("place", "setze", "pose"),
    "plan": ("plan",),
    "coast": ("coast", "kuste", "kueste", "cote"),
    "inland": ("inland", "binnenland", "interieur"),
    "spread": ("spread", "verteilt", "disperse"),
    "standing": ("standing", "standard", "voraus"),
    "always": ("always", "immer", "toujours"),
    "never": ("never", "nie", "jamais"),
    "ask": ("ask", "frag", "fragen", "demande"),
    "from": ("from", "ab", "des"),
}
# A plan with twenty wishes needs a quarter of a line.
VOCABULARY = Vocabulary(
    KEYWORDS,
    "the a an to on onto into at with and then it happen goes go explorer hex tile "
    "der die das den nach auf in mit und dann zu feld le la les a vers sur dans avec et puis",
    r"[a-z]\d{1,3}|[^\W\d_]+|\d+|[^\s\w,;:.!+&()“”\"'/@>→–-]",
    longest=1200,
)

HEX = re.compile(r"[a-m]\d{1,3}")
EXPLORER = re.compile(rf"[{COLOUR_LETTERS.lower()}]\d{{1,3}}")

LOWER_NAMES = {text.lower(): hex_ for text, hex_ in BY_NAME.items()}
