"""Turns and answers in people's own words: what can be done is done, and a refusal says why."""

from collections import Counter
from itertools import product

import pytest

from games.rules.errors import MoveError, PartlyRead
from games.rules.escape.model import View
from games.rules.escape.notation import describe, parse, suggest

from .scenes import Scene

BOARD = "E5 beach U1 | E6 beach | E4 beach | D6 U7 | C8 ship U4 | A3 whale | B10 shark"

# Of each language: pieces of sentences that are combined below.
SAILS = {
    "en": ("I sail the ship from C8 to C9 and then to C10", "sail from C8 to C9, then to C10"),
    "de": (
        "Ich segle mit dem Schiff von C8 nach C9 und dann nach C10",
        "Schiff von C8 nach C9, danach nach C10",
    ),
    "fr": ("je navigue de C8 vers C9 puis vers C10", "bateau de C8 à C9, ensuite à C10"),
}
WALKS = {
    "en": ("U1 E6", "I move U1 to E6", "U1 goes onto E6"),
    "de": ("U1 E6", "ich ziehe U1 nach E6", "U1 geht auf E6"),
    "fr": ("U1 E6", "je déplace U1 en E6", "U1 va sur E6"),
}
LANDS = {
    "en": ("U7 back to land on E5", "U7 land E5", "U7 climbs back on land at E5", "U7 to E5"),
    "de": ("U7 wieder an Land auf E5", "U7 land E5", "U7 zurück an Land nach E5", "U7 nach E5"),
    "fr": ("U7 revient à terre en E5", "U7 va en E5", "U7 remonte sur E5", "U7 E5"),
}
SINKS = {
    "en": ("sink E4", "and sink E4", "then I sink E4"),
    "de": ("versenke E4", "und versenke E4", "und E4 versenken"),
    "fr": ("coule E4", "et coule E4", "et je coule E4"),
}
NONE = {
    "en": ("none", "no, none", "move none", "stay", "I move no whale", "no whale"),
    "de": ("keinen", "keinen Wal", "nein, keinen bewegen", "ich bewege keinen", "Keine"),
    "fr": ("aucun", "aucune", "aucune baleine", "non, aucune", "ne déplace aucune baleine"),
}
LATER = {
    "en": ("stay", "whale A3 A4", "none", "and move the whale from A3 to A4"),
    "de": ("bleib", "Wal A3 A4", "keinen", "und bewege den Wal von A3 nach A4"),
    "fr": ("reste", "baleine A3 A4", "aucun", "et déplace la baleine de A3 à A4"),
}
LANGUAGES = tuple(SAILS)


def turn() -> View:
    return Scene(BOARD).view(1)


def die() -> View:
    return Scene(BOARD, dice="whale").play("sink E4").view(1)


def became(line: str, view: View) -> tuple[str, str]:
    """(what becomes of the line, the move or the reason)."""
    try:
        return "played", describe(parse(line, view), view)
    except PartlyRead as partly:
        return "in part", describe(parse(partly.line, view), view)
    except MoveError as error:
        found = suggest(line, view)
        return ("offered", describe(found, view)) if found else ("refused", str(error))


def wordings(language: str) -> list[tuple[str, View, str]]:
    """(line, position, the move or the reason) of all combinations."""
    return [
        *(
            (f"{steps}, {sink}", turn(), f"{moves}, sink E4")
            for part, moves in ((SAILS, "sail C8 C9, sail C9 C10"), (WALKS, "U1 E6"))
            for steps, sink in product(part[language], SINKS[language])
        ),
        *(
            (f"{lands}{mark}", turn(), "Explorers cannot return to land.")
            for lands in LANDS[language]
            for mark in ("", f", {SINKS[language][0]}")
        ),
        *((none, die(), "stay") for none in NONE[language]),
        *(
            (f"{walks}, {SINKS[language][1]}, {later}", turn(), "U1 E6, sink E4")
            for walks, later in product(WALKS[language], LATER[language])
        ),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_wordings_of_a_turn_are_played_or_refused_for_the_reason_of_the_rules(
    language: str,
) -> None:
    counts, wrong, unclear = Counter[str](), list[str](), list[str]()
    for line, view, meant in wordings(language):
        how, found = became(line, view)
        counts[how] += 1
        if how == "refused" and meant in found:
            counts["for the reason of the rules"] += 1
        elif how == "refused":
            unclear.append(f"{line}: {found}")
        elif found != meant:
            wrong.append(f"{line}: {found}")
    assert wrong == []
    assert unclear == []
    assert counts.total() >= 30
    assert counts["offered"] <= 0.1 * counts.total()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_die_does_not_ask_yet_is_named_as_not_read(language: str) -> None:
    for walks, later in product(WALKS[language], LATER[language]):
        with pytest.raises(PartlyRead) as partly:
            parse(f"{walks}, {SINKS[language][0]}, {later}", turn())
        assert partly.value.rest == later
        assert partly.value.line == f"{walks}, {SINKS[language][0]}"


@pytest.mark.parametrize("rest", ["U1 E7", "sink E5", "stay, U1 E7", "whale A3", "not stay", "Bob"])
def test_what_answers_no_later_question_is_no_part_to_leave_out(rest: str) -> None:
    view = turn()
    with pytest.raises(MoveError) as error:
        parse(f"U1 E6, sink E4, {rest}", view)
    assert not isinstance(error.value, PartlyRead)


@pytest.mark.parametrize(
    "line", ["keine Ahnung", "aucune idée", "keinen Hai", "pas stay", "rien ou non"]
)
def test_a_word_for_none_in_another_sentence_leaves_nothing_where_it_is(line: str) -> None:
    assert became(line, die())[0] == "refused"


def test_a_tile_named_before_its_sinking_is_no_step() -> None:
    assert became("U1 nach E6 und E4 versenken", turn()) == ("played", "U1 E6, sink E4")
