"""The kind of command that a line begins, by its keywords alone.

Whether the game waits for that kind is checked before the content of the line.
"""

from collections.abc import Collection, Sequence

from ...errors import IllegalMove
from ...everyday_words import NOTHING
from ...line_reader import Token
from ...text import _
from .. import model
from .vocabulary import NAME, VOCABULARY

_DEFENCES = frozenset(("defence", "defense", "abwehr", "verteidigung"))  # names of kept tiles
_ANSWERS = _DEFENCES.union(("defend", "allow"))
_DO_NOTHING: dict[model.Stage, model.Defend | model.Steer] = {
    model.Stage.DEFENCE: model.Defend(False),
    model.Stage.CREATURE: model.Steer(),
}
_BARE = NOTHING.union(("yes", "ja", "oui"))  # they begin many a sentence about something else
_MOST_BESIDE = 3  # words of a line whose only keyword is one of these
_CREATURES = tuple(model.Creature)
_OF_TURNS = frozenset(["sink", "roll", "sail", "ship", "swim", "isle", "dolphin", "wind"])


def kind_of(
    words: Sequence[str], raw: Collection[str], stage: model.Stage
) -> type[model.Command] | None:
    """The kind of command that a line is in this stage; None for a line that may be anything.

    words: the keywords of the line; raw: its words.
    """
    if raw and stage in _DO_NOTHING and NOTHING.issuperset(raw):
        return type(_DO_NOTHING[stage])
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
        case ["ship", *_rest] if stage is model.Stage.SETUP:
            return model.Launch
        case ["place", *_rest]:
            return model.Place
    first = words[1 if words[:1] == ["move"] else 0 :][:1]
    match first:
        case [word] if word.isdecimal():
            return model.Place
        case [word] if word in _CREATURES:
            return model.Steer if stage is model.Stage.CREATURE else model.Turn
        case [word] if word in _OF_TURNS or "sink" in words:
            return model.Turn
        case [word] if NAME.fullmatch(word) and stage is not model.Stage.SETUP:
            return model.Turn
    return None


def short_answer(
    words: Sequence[str], raw: Collection[str], board: model.Board
) -> model.Defend | model.Steer | None:
    """Read "no", "nothing" and "shark defence" where a creature attacks or may be moved.

    Returns None for other lines.

    words, raw: as for `kind_of`. IllegalMove for the wrong defence.
    """
    if raw and NOTHING.issuperset(raw):
        return _DO_NOTHING.get(board.stage)
    if board.stage is model.Stage.DEFENCE and not _DEFENCES.isdisjoint(words):
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
