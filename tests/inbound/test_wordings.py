"""Replies in people's own words from many mail programs: none is played as another move."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from games.inbound import commands, decision, letter, mime, reply_parser
from games.rules import GAMES
from games.rules.contract import AnyGame
from tests.rules.atlantis.tables import table
from tests.rules.escape.scenes import Scene
from tests.rules.escape.table import Table
from tests.support import free_wordings, talk
from tests.support.mail_programs import mail, part
from tests.support.quoting import LetterTable
from tests.support.wording_samples import FOLDER, WORDINGS, WordingSample, samples

ALL = list(samples())
ATLANTIS = GAMES["atlantis"]
# Every move is legal, the one in the quoted email too.
EASY = table("f2 o2 h2 r2 c2 a2 s2 | *0/0/0 ffohrcas - b | 0/0/0 f - b")
VIEW = ATLANTIS.rules.view(EASY, 0)


def became(raw: bytes, game: AnyGame = ATLANTIS, view: Any = VIEW) -> tuple[str, str]:
    """(what becomes of this reply, the move in notation)."""
    reply = reply_parser.read(mime.read(raw))
    table = LetterTable(game, view)
    said = letter.read(reply, table)
    decided = decision.decide(said, decision.QUESTION, decision.Allowed())
    moves = [act.line for act in decided.acts if isinstance(act, commands.Move)]
    if reply.problem or (decided.acts and not moves):
        return "asked", ""
    if moves and table.is_legal(moves[0]):
        return "played", table.legal(moves[0])
    if decided.why not in ("unclear", "") or not said.own:
        return "asked", ""
    lines = [part.text for part in said.own if part.kind != "courtesy"][:1]
    offered = next(filter(None, (table.near(commands.split_talk(line)[0]) for line in lines)), "")
    return ("offered", offered) if offered else ("asked", "")


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.name)
def test_a_reply_becomes_what_a_person_would_expect(sample: WordingSample) -> None:
    assert became((FOLDER / f"{sample.name}.eml").read_bytes()) == (sample.how, sample.move)


def test_the_files_are_what_the_programs_are_said_to_write() -> None:
    assert {path.stem for path in FOLDER.glob("*.eml")} == {sample.name for sample in ALL}
    for sample in ALL:
        assert (FOLDER / f"{sample.name}.eml").read_bytes() == sample.raw
    outcomes = json.loads((FOLDER / "outcomes.json").read_text())
    assert outcomes == {sample.name: [sample.how, sample.move] for sample in ALL}


def test_there_are_two_hundred_of_them_and_most_wordings_are_understood() -> None:
    assert len(ALL) >= 200
    for language, wordings in WORDINGS.items():
        meant = [how for _text, how, move in wordings if move]
        assert meant.count("played") >= 0.6 * len(meant), language
        # What is only asked about is doubtful, or names no figure.
        doubtful = [text for text, how, _move in wordings if how == "asked"]
        assert len(doubtful) <= len(wordings) / 2


def test_nine_of_ten_free_wordings_are_played_or_offered_and_none_as_another_move() -> None:
    """Wordings that were written before anybody tried them; "" is the move of a doubtful one."""
    wordings = json.loads((FOLDER.parent / "free-wordings.json").read_text())
    meant = understood = 0
    for language, lines in wordings.items():
        for text, move in lines:
            raw = mail(part(f"{text}\n"), program="", name="free")
            how, found = became(raw)
            assert found in ("", move), (language, text, how, found)
            meant += move != ""
            understood += move != "" and found == move
    assert meant >= 100
    assert understood >= 0.9 * meant


def test_unseen_wordings_of_each_kind_are_understood_and_none_as_another_move() -> None:
    meant, understood = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for wording in free_wordings.wordings():
        is_atlantis = wording.question == "atlantis"
        view = VIEW if is_atlantis else POSITIONS[wording.question]()
        game = ATLANTIS if is_atlantis else GAMES["escape"]
        how, found = became(mail(part(f"{wording.line}\n"), program="", name="free"), game, view)
        assert found in ("", wording.move), (wording, how, found)
        meant[game.key, wording.language] += 1
        understood[game.key, wording.language] += found != ""
    assert sum(meant.values()) >= 500
    for key, total in meant.items():
        assert understood[key] >= 0.85 * total, key


@pytest.mark.parametrize("language", talk.TALK)
def test_talk_is_neither_a_move_nor_offered_as_one(language: str) -> None:
    lines = [line for spoken, line in talk.talk() if spoken == language]
    views = [(ATLANTIS, VIEW), *((GAMES["escape"], view()) for view in POSITIONS.values())]
    wrong = [
        (line, game.key, found)
        for line in lines
        for game, view in views
        if (found := became(mail(part(f"{line}\n"), program="", name="talk"), game, view)[1])
    ]
    assert len(lines) >= 300
    assert wrong == []


LAND = "E5 beach U1 U2 | E6 beach | D5 ship | D6 U3 shark | C1 ship U4 | kept 1 dolphin wind move-shark"
WATER = "A3 shark | A4 V1 V2 | kept 2 shark-defence"
POSITIONS: dict[str, Callable[[], Any]] = {
    "turn": lambda: Scene(LAND).view(1),
    "setup": lambda: Table().view(1),
    "die": lambda: Scene(LAND, dice="shark").play("sink E5").view(1),
    "defence": lambda: Scene(WATER, dice="shark").play("sink J7").play("shark A3 A4").view(2),
}


def test_free_wordings_of_escape_are_understood_as_well() -> None:
    """Written before anybody tried them, for each kind of question; "" is the move of a doubtful
    one."""
    wordings = json.loads((FOLDER.parent / "free-wordings-escape.json").read_text())
    meant = understood = 0
    for question, languages in wordings.items():
        view = POSITIONS[question]()
        for language, lines in languages.items():
            for text, move in lines:
                raw = mail(part(f"{text}\n"), program="", name="free")
                how, found = became(raw, GAMES["escape"], view)
                assert found in ("", move), (question, language, text, how, found)
                meant += move != ""
                understood += move != "" and found == move
    assert meant >= 60
    assert understood >= 0.9 * meant
