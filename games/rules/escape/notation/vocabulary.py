"""The words that a line may use, in English, German and French."""

import re

from ...everyday_words import word_set
from ...line_reader import Vocabulary
from ..hexes import BY_NAME
from ..model import COLOUR_LETTERS, Stage

KEYWORDS = {
    "sink": (
        "sink",
        "sinks",
        "sinke",
        "senke",
        "versenk",
        "versenke",
        "versenken",
        "untergehen",
        "remove",
        "removes",
        "sinking",
        "coule",
        "couler",
        "coulez",
        "enleve",
    ),
    "roll": ("roll", "wurfle", "wuerfle", "wurfeln", "lance", "lancer"),
    "sail": ("sail", "sails", "segle", "segeln", "segelt", "navigue"),
    "ship": ("ship", "board", "boards", "aboard", "schiff", "navire", "bateau"),
    "swim": (
        "swim",
        "swims",
        "jump",
        "jumps",
        "water",
        "wasser",
        "springt",
        "schwimm",
        "schwimme",
        "schwimmt",
        "nage",
        "saute",
        "eau",
    ),
    "isle": (
        "isle",
        "island",
        "ashore",
        "insel",
        "eiland",
        "land",
        "lands",
        "landet",
        "ile",
        "ilot",
    ),
    "dolphin": ("dolphin", "delfin", "delphin", "dauphin"),
    "wind": ("wind", "vent"),
    "move": ("move", "moves", "bewege", "bewegen", "deplace", "deplacer", "deplacez"),
    "serpent": ("serpent", "snake", "monster", "seeschlange", "schlange"),
    "shark": ("shark", "hai", "requin"),
    "whale": ("whale", "wal", "baleine"),
    "crew": ("crew", "mannschaft", "equipage"),
    "stay": (
        "stay",
        "stays",
        "leave",
        "keep",
        "none",
        "nothing",
        "pass",
        "bleib",
        "bleibt",
        "stehen",
        "nichts",
        "rien",
        "reste",
    ),
    "defend": (
        "defend",
        "yes",
        "abwehren",
        "wehre",
        "defends",
        "defendons",
        "verteidige",
        "verteidigen",
        "ja",
        "defendre",
        "oui",
    ),
    "allow": (
        *("allow", "let", "no", "zulassen", "lasse", "lassen", "lass", "nein"),
        *("laisse", "laisser", "non", "nope", "nah", "nee", "noe", "nan"),
    ),
    "place": ("place", "setze", "setzen", "pose", "poser", "placer"),
    "plan": ("plan",),
    "coast": ("coast", "kuste", "kueste", "cote"),
    "inland": ("inland", "binnenland", "interieur"),
    "spread": ("spread", "verteilt", "disperse"),
    "standing": ("standing", "standard", "voraus", "consigne"),
    "always": ("always", "immer", "toujours"),
    "never": ("never", "nie", "jamais"),
    "ask": ("ask", "frag", "fragen", "demande"),
    "from": ("from", "ab", "des", "von", "de"),
    # Values of explorers; the words for one are articles or pronouns as well.
    "2": ("two", "zwei", "deux"),
    "3": ("three", "drei", "trois"),
    "4": ("four", "vier", "quatre"),
    "5": ("five", "funf", "fuenf", "cinq"),
    "6": ("six", "sechs"),
}
# Words that say where something goes, and so never stand before the hex it leaves.
TOWARDS = frozenset(
    ("to", "onto", "into", "nach", "zu", "zum", "auf", "vers", "sur", "dans", "en", "a", "à")
)
# Words for what comes first, and so never stand before what comes later.
FIRST = frozenset(("first", "firstly", "zuerst", "erst", "abord", "premierement"))

NAME = re.compile(r"[a-z]\d{1,3}")  # of an explorer or a hex, or of nothing in this game
HEX = re.compile(r"[a-m]\d{1,3}")
EXPLORER = re.compile(rf"[{COLOUR_LETTERS.lower()}]\d{{1,3}}")
# A plan with twenty wishes needs a quarter of a line.
VOCABULARY = Vocabulary(
    KEYWORDS,
    "a it es happen happens geschehen explorer hex tile step value worth die dice entdecker forscher feld "
    "plattchen schritt wert wurfel explorateur case tuile valeur finally schliesslich zuletzt "
    "attack angriff attaque myself selbst where there ihn wo da dort ou is ist est er il faire "
    "enfin " + " ".join((*FIRST, *TOWARDS)),
    r"[a-z]\d{1,3}|[^\W\d_]+|\d+|[^\s\w,;:.!+&()“”\"'/@>→–-]",
    longest=1200,
    kinds=(HEX.pattern, EXPLORER.pattern, r"\d+", r"[a-z]{2,}"),
)

LOWER_NAMES = {text.lower(): hex_ for text, hex_ in BY_NAME.items()}

# Phrases for moving nothing, or for not defending.
DENIALS = word_set(
    "no not dont wont nothing nobody never none nicht nichts nein kein keine niemand ne n pas non "
    "aucun aucune rien personne"
)
UNSAID = {
    Stage.CREATURE: word_set(
        "move moving movement touch anfassen toucher deplacez bougez zug zieht ziehe ziehen bewegt bewegung bouge bouger mouvement "
        "deplacement"
    ),
    Stage.DEFENCE: word_set("defend defence defense verteidigung abwehr"),
}
# Words beside these that name nothing.
NO_MORE = word_set(
    "do does wo want he it him her them any anything anyone er sie ihn ihm sich uns euch il elle se s creature tier "
    "monstre ship from"
)
