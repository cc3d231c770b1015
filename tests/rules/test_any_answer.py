"""Whatever people write to a question of either game is a move, or a sentence that helps."""

import random
import string
from functools import cache
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules import GAMES
from games.rules.chance import bot_chance
from games.rules.contract import View
from games.rules.errors import MoveError
from games.rules.escape.model import CreatureStage, CrewStage, DefenceStage, OverStage, Stage
from tests.rules.atlantis import games as atlantis_games
from tests.rules.escape import games as escape_games
from tests.rules.escape.scenes import Scene
from tests.support.lengths import by_length

# Of both games, and some of none.
SAID = (
    "plan standing defend allow stay crew place ship move sink roll sail dolphin wind shark whale "
    "serpent swim isle coast never always from ask U1 U3 V2 V10 N1 E5 D6 M9 G6 A1 2 6 10 99 0 "
    "A B C a b c flag helm olive amphora crown ring statue 3xflag 0xflag pay cheapest bridge 27 "
    "buy pass yes no ja nein oui non the please not never mind I it , . - ? ! -> 👍 é ² ٣ ß ı"
)
WORDS = SAID.split()
DIE_ANSWERS = ("the shark please", "a whale", "move", "move it", "3", "roll it", "let it", "")


@cache
def questions(game: str) -> tuple[View, ...]:
    """Return views of the seat that is asked: one position for every kind of question."""
    if game == "atlantis":
        states = list(atlantis_games.wandering(3, 4))
        seen = [states[0], *states[4::11]]
        return tuple(
            GAMES[game].rules.view(state, GAMES[game].rules.to_act(state)[0]) for state in seen
        )
    crowd = Scene("E5 U1 U2 V1 V2 ship | site E5").view(1)
    found: dict[object, View] = {CrewStage: crowd}
    for seed in range(30):
        for moment in escape_games.wandering(2, seed):
            stage = moment.state.board.stage
            asked = (type(stage), stage.creature if isinstance(stage, CreatureStage) else None)
            found.setdefault(asked, GAMES[game].rules.view(moment.state, moment.seat))
        if (DefenceStage, None) in found:
            break
    return tuple(found.values())


def read(game: str, line: str) -> None:
    engine = GAMES[game]
    for view in questions(game):
        try:
            command = engine.notation.parse(line, view)
        except MoveError as error:
            assert str(error)
        else:
            assert engine.notation.parse(engine.notation.describe(command, view), view) == command


def test_every_kind_of_question_is_asked() -> None:
    stages = {type(view.board.stage) for view in questions("escape")}
    assert stages == set(get_args(Stage)) - {OverStage}


@pytest.mark.parametrize("game", ["atlantis", "escape"])
@given(st.lists(st.sampled_from(WORDS), max_size=9))
@settings(max_examples=by_length(60, 300), deadline=None)
def test_any_words_are_a_move_or_a_question(game: str, words: list[str]) -> None:
    read(game, " ".join(words))


@pytest.mark.parametrize("game", ["atlantis", "escape"])
@given(st.text(max_size=80))
@settings(max_examples=by_length(40, 160), deadline=None)
def test_any_text_is_a_move_or_a_question(game: str, text: str) -> None:
    read(game, text)


@pytest.mark.parametrize("game", ["atlantis", "escape"])
def test_what_people_say_about_the_die_is_a_move_or_a_question(game: str) -> None:
    for line in DIE_ANSWERS:
        read(game, line)


@pytest.mark.parametrize("game", ["atlantis", "escape"])
def test_spoilt_moves_are_a_move_or_a_question(game: str) -> None:
    engine, dice = GAMES[game], random.Random(5)
    for view in questions(game):
        move = engine.notation.describe(engine.bot.choose(view, bot_chance(bytes(32), 0, 1)), view)
        for _spoilt in range(20):
            at = dice.randrange(len(move) + 1)
            insert = dice.choice(string.printable + "éß²…😀")
            read(game, move[:at] + insert + move[at + dice.randrange(3) :])
