"""The words that a line may use, in English, German and French, and the kind of command that it
begins, by its keywords alone.

Whether the game waits for that kind is checked before the content of the line.
"""

import re
from collections.abc import Collection, Sequence

from ...errors import IllegalMove
from ...everyday_words import NOTHING, word_set
from ...line_reader import Token, Vocabulary
from ...text import _
from .. import model
from ..hexes import BY_NAME

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
        "kein",
        "keine",
        "keinen",
        "keins",
        "keines",
        "aucun",
        "aucune",
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
        "allow",
        "let",
        "no",
        "zulassen",
        "lasse",
        "lassen",
        "lass",
        "nein",
        "laisse",
        "laisser",
        "non",
        "nope",
        "nah",
        "nee",
        "noe",
        "nan",
    ),
    "place": ("place", "setze", "setzen", "pose", "poser", "placer"),
    "plan": ("plan",),
    "coast": ("coast", "kuste", "kueste", "cote"),
    "inland": ("inland", "binnenland", "interieur"),
    "spread": ("spread", "verteilt", "disperse"),
    "standing": (
        "standing",
        "standard",
        "standardantwort",
        "standardantworten",
        "voraus",
        "consigne",
        "consignes",
    ),
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
# Words before one more hex on the way of the same piece.
ONWARDS = TOWARDS.union(
    ("and", "then", "und", "dann", "danach", "anschliessend", "et", "puis", "ensuite")
)
# Words for what comes first, and so never stand before what comes later.
FIRST = frozenset(("first", "firstly", "zuerst", "erst", "abord", "premierement"))

BACK = re.compile(r"\bzur(?:ü|ue|u)ck\b", re.IGNORECASE)  # a doubt, unless it is about land
NAME = re.compile(r"[a-z]\d{1,3}")  # of an explorer or a hex, or of nothing in this game
HEX = re.compile(r"[a-m]\d{1,3}")
EXPLORER = re.compile(rf"[{model.COLOUR_LETTERS.lower()}]\d{{1,3}}")
# A plan with twenty wishes needs a quarter of a line.
VOCABULARY = Vocabulary(
    KEYWORDS,
    "a it es happen happens geschehen explorer hex tile step value worth die dice entdecker forscher feld "
    "plattchen schritt wert wurfel explorateur case tuile valeur finally schliesslich zuletzt "
    "order orders attack angriff attaque myself selbst where there ihn wo da dort ou is ist est er il faire "
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
UNSAID: dict[type[model.Stage], frozenset[str]] = {
    model.CreatureStage: word_set(
        "move moving movement touch anfassen toucher deplacez bougez zug zieht ziehe ziehen bewegt bewegung bouge bouger mouvement "
        "deplacement"
    ),
    model.DefenceStage: word_set("defend defence defense verteidigung abwehr"),
}
# Words beside these that name nothing.
NO_MORE = word_set(
    "do does wo want he it him her them any anything anyone er sie ihn ihm sich uns euch il elle se s creature tier "
    "monstre ship from"
)

_DEFENCES = frozenset(("defence", "defense", "abwehr", "verteidigung"))  # names of kept tiles
_ANSWERS = _DEFENCES.union(("defend", "allow"))
_DO_NOTHING: dict[type[model.Stage], model.Defend | model.Steer] = {
    model.DefenceStage: model.Defend(False),
    model.CreatureStage: model.Steer(),
}
_BARE = NOTHING.union(("yes", "ja", "oui"))  # they begin many a sentence about something else
_MOST_BESIDE = 3  # words of a line whose only keyword is one of these
_CREATURES = tuple(model.Creature)
_OF_TURNS = frozenset(["sink", "roll", "sail", "ship", "swim", "isle", "dolphin", "wind"])


def kind_of(
    words: Sequence[str], raw: Collection[str], board: model.Board
) -> type[model.Command] | None:
    """The kind of command that a line is on this board; None for a line that may be anything.

    words: the keywords of the line; raw: its words.
    """
    stage = type(board.stage)
    if raw and stage in _DO_NOTHING and NOTHING.issuperset(raw):
        return type(_DO_NOTHING[stage])
    if stage is model.CreatureStage and leaves_all(words, (board.rolled,)):
        return model.Steer
    names = any(NAME.fullmatch(word) for word in words)
    match words:
        case ["plan", *_rest]:
            return model.Plan
        case ["standing", *_rest]:
            return model.Standing
        case ["crew", *_rest]:
            return model.Crew
        case ["stay", *_rest]:
            return model.Steer
        case _ if not names and not _ANSWERS.isdisjoint(words):
            return model.Defend
        case ["place", "ship", *_rest]:
            return model.Launch
        case ["ship", *_rest] if stage is model.SetupStage:
            return model.Launch
        case ["place", *_rest]:
            return model.Place
    first = words[1 if words[:1] == ["move"] else 0 :][:1]
    match first:
        case [word] if word.isdecimal():
            return model.Place
        case [word] if word in _CREATURES:
            return model.Steer if stage is model.CreatureStage else model.Turn
        case [word] if word in _OF_TURNS or "sink" in words:
            return model.Turn
        case [word] if NAME.fullmatch(word) and stage is not model.SetupStage:
            return model.Turn
    return None


def leaves_all(words: Collection[str], creatures: Collection[str | None]) -> bool:
    """Return whether these keywords say that none of these creatures moves: "no, move none"."""
    return "stay" in words and {*words} <= {"stay", "move", "allow", *creatures}


def is_about_creature(words: Sequence[str]) -> bool:
    """Return whether these keywords are an answer to the die: "stay", "whale D5 D6"."""
    if leaves_all(words, _CREATURES):
        return True
    named = [word for word in words if word not in ("move", "from")]
    return (
        len(named) == 3
        and named[0] in _CREATURES
        and all(HEX.fullmatch(word) for word in named[1:])
    )


def short_answer(
    words: Sequence[str], raw: Collection[str], board: model.Board
) -> model.Defend | model.Steer | None:
    """Read "no", "nothing" and "shark defence" where a creature attacks or may be moved.

    Returns None for other lines.

    words, raw: as for `kind_of`. IllegalMove for the wrong defence.
    """
    if raw and NOTHING.issuperset(raw):
        return _DO_NOTHING.get(type(board.stage))
    if isinstance(board.stage, model.DefenceStage) and not _DEFENCES.isdisjoint(words):
        named = set(words) - _DEFENCES - {"defend"}
        if named <= {board.rolled}:
            return model.Defend(True)
        if named.issubset(_CREATURES):
            raise IllegalMove(_("That tile does not defend against this attack."))
    return None


def is_chat(tokens: Sequence[Token]) -> bool:
    """Return whether a "yes", a "no" or a "nothing" is only the beginning of what is said."""
    words = [token.word for token in tokens]
    said = {word for word in words if word in VOCABULARY.keyword}
    return len(words) > _MOST_BESIDE and _BARE.issuperset(said)
