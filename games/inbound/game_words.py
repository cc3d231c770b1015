"""What a line is to a game, whoever is on turn: whether all of its words are the game's, and
whether it answers a question that comes later in the turn."""

import re

from games.rules.atlantis.notation import vocabulary as atlantis
from games.rules.escape.notation import vocabulary as escape
from games.rules.line_reader import Vocabulary

LONGEST = 200  # characters of a line that are looked at

_ITEMS = frozenset([*atlantis.FULL_NAMES, *atlantis.PLURALS])
_FIGURE = re.compile(r"[abc]")
_NUMBER = re.compile(r"\d+")
_PLACE = re.compile(r"[a-z]\d{1,2}")
_CREATURES = frozenset(["serpent", "shark", "whale"])


def _vocabulary(kind: str) -> Vocabulary:
    return escape.VOCABULARY if kind == "escape" else atlantis.VOCABULARY


def are_all(kind: str, line: str) -> bool:
    """Return whether a line names something of the game, and has no word that is not the game's."""
    found = _vocabulary(kind)
    if len(line) > LONGEST or found.is_doubtful(line):
        return False
    words = found.words(line)
    names = [word for word in words if _is_name(kind, word)]
    known = (
        word in found.keyword or _NUMBER.fullmatch(word) for word in words if word not in names
    )
    is_verb = bool(words) and words[0] in found.keyword
    return all(known) and (bool(names) or is_verb)


def _is_name(kind: str, word: str) -> bool:
    if kind == "escape":
        return _PLACE.fullmatch(word) is not None
    return word in _ITEMS or _FIGURE.fullmatch(word) is not None


def is_for_later(kind: str, line: str) -> bool:
    """Return whether a line says what happens after the die: a creature moves, or none does."""
    if kind != "escape" or len(line) > LONGEST:
        return False
    words = escape.VOCABULARY.keywords(escape.VOCABULARY.words(line))
    moves = words[:1] != [] and words[0] in _CREATURES and len(words) == 3
    return words == ["stay"] or (moves and all(_PLACE.fullmatch(word) for word in words[1:]))
