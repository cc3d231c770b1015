"""The words that a line may use, in English, German and French."""

import re

from ...line_reader import Vocabulary
from .. import model
from ..box import ITEMS

OTHER_NAMES = {
    model.Item.FLAG: ("banner", "flagge", "fahne", "drapeau"),
    model.Item.OLIVE: ("branch", "olivenzweig", "zweig", "rameau"),
    model.Item.HELMET: ("helm", "casque"),
    model.Item.AMPHORA: ("vase", "jar", "amphore", "amfora", "amfore"),
    model.Item.RING: ("bague", "anneau"),
    model.Item.CROWN: ("krone", "couronne"),
    model.Item.STATUE: ("bust", "bueste", "buste"),
}
SHORTEST = 3  # letters that one of the other names needs; one letter will do for the first

_NAMES = {name: item for item, names in OTHER_NAMES.items() for name in (item.value, *names)}
# Every name in full, and the same in the plural.
FULL_NAMES = dict(_NAMES)
PLURALS = {name + end: item for name, item in _NAMES.items() for end in ("s", "es", "n", "en", "x")}
PLURALS |= {
    "helme": model.Item.HELMET,
    "helmen": model.Item.HELMET,
    "ringe": model.Item.RING,
    "ringen": model.Item.RING,
    "amphoren": model.Item.AMPHORA,
    "zweige": model.Item.OLIVE,
}
PLURALS = {name: item for name, item in PLURALS.items() if name not in FULL_NAMES}

KEYWORDS = {
    "buy": (
        "buy",
        "sell",
        "selling",
        "kaufe",
        "kaufen",
        "verkaufe",
        "verkaufen",
        "achete",
        "acheter",
        "vends",
        "vendre",
    ),
    "pass": ("pass", "passe", "passen", "passer"),
    "pay": (
        "pay",
        "pays",
        "paying",
        "payment",
        "zahle",
        "zahlen",
        "zahl",
        "bezahle",
        "bezahlen",
        "paie",
        "paye",
        "payer",
        "payant",
    ),
    "bridge": ("bridge", "brucke", "bruecke", "pont"),
    "cheapest": (
        "cheapest",
        "cheap",
        "cheaply",
        "auto",
        "gunstig",
        "guenstig",
        "gunstigste",
        "gunstigsten",
        "billig",
        "billigste",
        "billigsten",
        "moins",
        "minimum",
    ),
}
_COUNTING = (
    "two three four five six seven eight nine",
    "zwei drei vier funf sechs sieben acht neun",
    "deux trois quatre cinq six sept huit neuf",
)
NUMBERS = {word: n for words in _COUNTING for n, word in enumerate(words.split(), 2)}
NUMBERS |= {"one": 1, "eins": 1, "fuenf": 5}
# Nouns behind which a letter names a figure.
FIGURE_NOUNS = frozenset(
    ("figure", "piece", "pawn", "figur", "spielfigur", "stein", "mannchen", "figurine", "pion")
)
# Items whose names are not English, so that no "a" before them is an article.
FOREIGN = frozenset(
    (
        "flagge",
        "fahne",
        "drapeau",
        "zweig",
        "olivenzweig",
        "rameau",
        "helm",
        "casque",
        "amphore",
        "amfora",
        "amfore",
        "anneau",
        "bague",
        "krone",
        "couronne",
        "bueste",
        "buste",
    )
)
# The letters of figures as dictation programs write them.
DICTATED = {
    "bee": "b",
    "be": "b",
    "bravo": "b",
    "see": "c",
    "sea": "c",
    "charlie": "c",
    "alpha": "a",
}
NOUNS = FIGURE_NOUNS | {"card", "tile", "space", "gap"}
# A letter behind one of these may be a figure as well, if none was named.
WITH = frozenset(("with", "mit", "avec"))
# A number behind one of these is the space on which the figure lands.
PLACES = frozenset(
    ["space", "feld", "case", "to", "on", "at", "into", "auf", "nach", "zu", "sur", "vers", "jusqu"]
)
MARKERS = WITH | {"for", "fur", "fuer"}
# Words that come between items of one order, and say nothing of a sentence around them.
JOINING = frozenset(("and", "then", "und", "dann", "et", "puis", *WITH))
# Fillers are what people write around a move. Forty cards and twenty coins need half of a line.
VOCABULARY = Vocabulary(
    KEYWORDS,
    "whatever possible moglichst moeglichst cher tile tiles card cards space gap karte karten kartchen plattchen feld lucke carte cartes "
    "tuile tuiles case trou jusqu aus baue bauen bau build building construis construire "
    + " ".join(sorted(FIGURE_NOUNS)),
    r"(?:\d+\s*[x*]\s*)?[^\W\d_]+|\d+|[^\s\w,;:.!+&()\"'-]",
    longest=1000,
    kinds=("[abc]", r"\d+", "[a-z]{2,}"),
)


def items(word: str) -> tuple[model.Item, ...]:
    """The items that a word may mean: by a beginning of the name, else by another name."""
    if word in FULL_NAMES:
        return (FULL_NAMES[word],)
    if word in PLURALS:
        return (PLURALS[word],)
    if word in NUMBERS or word in UNCLEAR:
        return ()
    singular = word[:-1] if word.endswith("s") and len(word) > SHORTEST else word
    for spelled in (word, singular):
        if found := tuple(item for item in ITEMS if item.startswith(spelled)):
            return found
    return tuple(
        item
        for item, names in OTHER_NAMES.items()
        for spelled in {word, singular}
        if len(spelled) >= SHORTEST and any(name.startswith(spelled) for name in names)
    )


# Words that begin a name and mean something else as often.
UNCLEAR = frozenset(("am", "he"))

COUNTED = re.compile(r"(\d+)[x*](\w+)")
