"""Whole sentences are played as they are meant, or asked about, and never as another move."""

import pytest

from games.rules import GAMES
from tests.rules.atlantis.tables import table
from tests.rules.escape.scenes import Scene
from tests.support import sentences
from tests.support.lengths import by_length

from .sentence_reading import read, understood

# Every card is playable, by every figure, and nothing costs anything.
EASY = table("f2 o2 h2 r2 c2 a2 s2 | *0/0/0 fohrcas - b | 0/0/0 f - b")
SEEN = GAMES["atlantis"].rules.view(EASY, 0)
ESCAPE_SCENE = Scene("E5 beach U1 U2 | E6 beach | D5 ship")

PLAYED = {
    "I play B ring": "B ring",
    "Ich ziehe B mit Helm": "B helmet",
    "Je joue B casque": "B helmet",
    "Figur B mit Flagge bitte": "B flag",
    "My move: B olive": "B olive",
    "My move: A olive": "A olive",
    "B – flag": "B flag",
    "B -> flag": "B flag",
    "*B flag*": "B flag",
    "**B** _flag_": "B flag",
    "B flag 😀": "B flag",
    "“B flag”": "B flag",
    "Hello all, B flag please. Thanks!": "B flag",
    "bonjour, je joue B drapeau, s'il vous plaît": "B flag",
    "Guten Morgen, ich werde B Flagge ziehen": "B flag",
    "play flag with B": "B flag",
    "play amphora with C": "C amphora",
    "I'll play A flag": "A flag",
    "A FLAG": "A flag",
    "figure a: flag": "A flag",
    "b f": "B flag",
    "B 1️⃣ flag": "B flag",
}
QUESTIONS = [
    "a flag",
    "a flag please",
    "A flag please",
    "play a flag",
    "flag",
    "Je joue une olive",
    "B a",
    "B c",
    "B flag c",
    "B flag, C olive",
    "B flag or olive",
    "B flag/olive",
    "0xflag",
    "B 0xflag",
    "B flag instead of ring",
    "B flag bridge",
    "Bob plays B flag",
    "B",
    "i",
    "D flag",
]
OFFERED = {
    "B plays a helmet": "B helmet",
    "Figure B: play a flag": "B flag",
    "I would like to play B flag": "B flag",
    "Ich möchte B Flagge spielen": "B flag",
    "Je voudrais jouer B drapeau": "B flag",
    "sorry for the delay, B flag": "B flag",
    "B flaag": "B flag",
    "B helmt bitte": "B helmet",
    "I guess": None,
    "well done everybody, B ring for me": "B ring",
}
DOUBTFUL = [
    "J'ai joué B drapeau",
    "Ich habe B Flagge gespielt",
    "I played B flag",
    "B flag?",
    "not B flag",
    "I don't play B flag",
    "maybe B flag",
    "if possible B flag",
    "Bob said B flag",
    "~~B flag~~",
    "B flag 👎",
    "I would play B flag",
    "nicht B Flagge",
    "pas B drapeau",
    "peut-être B drapeau",
    "He wants B flag",
    "B flag or not",
    "joué B drapeau",
    "B flag, but later",
    "never B flag",
]

HOW_MANY = by_length(350, 5_000)


@pytest.mark.parametrize("line", PLAYED)
def test_a_sentence_whose_every_word_is_accounted_for_is_played(line: str) -> None:
    expected = ("asked", "") if PLAYED[line] is None else ("played", PLAYED[line])
    assert understood("atlantis", line, SEEN) == expected


@pytest.mark.parametrize(
    "courtesy",
    [
        "Thanks!",
        "Thanks a lot",
        "Good luck everyone!",
        "Have a nice day",
        "Cheers",
        "glhf",
        "Vielen Dank",
        "Danke euch",
        "Viel Glück allen!",
        "Viel Spaß noch",
        "Liebe Grüße",
        "Merci à tous",
        "Bonne chance !",
        "Bonne soirée",
        "À bientôt",
        "bon jeu",
    ],
)
def test_thanks_and_wishes_change_no_move_of_either_game(courtesy: str) -> None:
    """Not even one that would be unclear in a sentence: a letter, or an item that is shortened."""
    island = ESCAPE_SCENE.view(1)
    for around in (f"%s. {courtesy}", f"%s, {courtesy.lower()}", f"{courtesy}, %s"):
        assert understood("atlantis", around % "A flag", SEEN) == ("played", "A flag")
        assert understood("atlantis", around % "b fla", SEEN) == ("played", "B flag")
        line = "U1 E6, sink E5"
        assert understood("escape", around % line, island) == ("played", line)


@pytest.mark.parametrize("line", ["B flag, well played!", "Gut gespielt: B Flagge"])
def test_praise_may_be_about_another_move(line: str) -> None:
    assert understood("atlantis", line, SEEN)[0] == "asked"


@pytest.mark.parametrize("line", QUESTIONS)
def test_what_may_mean_several_moves_is_not_played(line: str) -> None:
    assert understood("atlantis", line, SEEN)[0] != "played"


@pytest.mark.parametrize("line", OFFERED)
def test_what_comes_close_to_one_move_is_offered(line: str) -> None:
    expected = ("asked", "") if OFFERED[line] is None else ("offered", OFFERED[line])
    assert understood("atlantis", line, SEEN) == expected


@pytest.mark.parametrize("line", DOUBTFUL)
def test_a_doubtful_sentence_is_neither_played_nor_offered(line: str) -> None:
    assert understood("atlantis", line, SEEN) == ("asked", "")


def test_an_offer_says_what_it_costs() -> None:
    view = GAMES["atlantis"].rules.view(table("f2 . o5 | *1/0/0 oo s1 | 0/0/0 - -"), 0)
    assert understood("atlantis", "A olive", view) == ("offered", "A olive pay 1 olive")


@pytest.mark.long
@pytest.mark.parametrize("language", sentences.LANGUAGES)
@pytest.mark.parametrize("game", ["atlantis", "escape"])
def test_a_sentence_is_never_read_as_another_move(game: str, language: str) -> None:
    found = read(game, language, HOW_MANY)
    assert found.wrong == []
    understood_at_once = found.tally["played"] + found.tally["offered"]
    assert understood_at_once >= 0.9 * found.tally.total(), (found.tally, found.missed[:20])
