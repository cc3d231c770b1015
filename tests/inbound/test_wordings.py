"""Replies in people's own words: none is played as another move."""

from collections import Counter
from collections.abc import Callable
from email.message import EmailMessage
from functools import lru_cache
from typing import Any

import pytest

from games.inbound import commands, decision, letter, mime, reply_parser
from games.rules import GAMES
from games.rules.contract import AnyGame
from tests.rules.atlantis.tables import table
from tests.rules.escape.scenes import Scene
from tests.rules.escape.table import Table
from tests.support import samples
from tests.support.quoting import LetterTable

ATLANTIS = GAMES["atlantis"]
# Every move is legal, the one in the quoted email too.
EASY = table("f2 o2 h2 r2 c2 a2 s2 | *0/0/0 ffohrcas - b | 0/0/0 f - b")
VIEW = ATLANTIS.rules.view(EASY, 0)


LAND = "E5 beach U1 U2 | E6 beach | D5 ship | D6 U3 shark | C1 ship U4 | kept 1 dolphin wind move-shark"
WATER = "A3 shark | A4 V1 V2 | kept 2 shark-defence"
POSITIONS: dict[str, Callable[[], Any]] = {
    "turn": lambda: Scene(LAND).view(1),
    "setup": lambda: Table().view(1),
    "die": lambda: Scene(LAND, dice="shark").play("sink E5").view(1),
    "defence": lambda: Scene(WATER, dice="shark").play("sink J7").play("shark A3 A4").view(2),
}


def position(question: str) -> tuple[AnyGame, Any]:
    """The game of this question, and a view of a position that asks it."""
    if question == "atlantis":
        return ATLANTIS, VIEW
    return GAMES["escape"], POSITIONS[question]()


def mail(text: str, html: str = "") -> bytes:
    """An email of Bob with plain text, HTML or both."""
    message = EmailMessage()
    message["From"] = "Bob Example <bob@example.org>"
    message["Subject"] = "Re: Atlantis: Round the mainland"
    if text or not html:
        message.set_content(f"{text}\n")
    if html and text:
        message.add_alternative(html, subtype="html")
    elif html:
        message.set_content(html, subtype="html")
    return message.as_bytes()


@lru_cache(maxsize=1)
def text_of(raw: bytes) -> reply_parser.Reply:
    return reply_parser.read(mime.read(raw))


def became(raw: bytes, game: AnyGame = ATLANTIS, view: Any = VIEW) -> tuple[str, str]:
    """(what becomes of this reply, the move in notation)."""
    reply = text_of(raw)
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


@pytest.mark.parametrize(
    "wording", list(samples.lines("wordings")), ids=lambda wording: wording.text
)
def test_a_reply_becomes_what_a_person_would_expect(wording: samples.Line) -> None:
    assert " ".join(became(mail(wording.text))).strip() == wording.meaning


# Lines of an HTML part above the move, and whether they surely are not seen; else we ask.
WRONG = "C olive"
HIDDEN = {
    f"<s>{WRONG}</s>": True,
    f"<p><del>{WRONG}</del></p>": True,
    f'<div style="text-decoration:line-through">{WRONG}</div>': True,
    f'<style>.x{{text-decoration:line-through}}</style><div class="x">{WRONG}</div>': False,
    f'<style>.x{{display:none}}</style><div class="x">{WRONG}</div>': False,
    f"<div hidden>{WRONG}</div>": True,
    f'<div aria-hidden="true">{WRONG}</div>': False,
    f'<div style="font-size:0">{WRONG}</div>': True,
    f'<div style="opacity:0">{WRONG}</div>': False,
    f'<div style="color:#fff">{WRONG}</div>': False,
    f'<div style="position:absolute;left:-9999px">{WRONG}</div>': False,
    f'<div style="mso-hide:all">{WRONG}</div>': True,
    f"<details>{WRONG}</details>": False,
    f'<table width="0" height="0"><tr><td>{WRONG}</td></tr></table>': False,
}


@pytest.mark.parametrize("plain", ["", f"{WRONG}\n\nB flag\n"], ids=["HTML alone", "both"])
@pytest.mark.parametrize("hidden", HIDDEN)
def test_a_line_that_is_hidden_or_struck_out_is_not_played(hidden: str, plain: str) -> None:
    html = f"<html><body>{hidden}<div>B flag</div></body></html>"
    meant = ("played", "B flag") if HIDDEN[hidden] else ("asked", "")
    assert became(mail(plain, html)) == meant


def test_nine_of_ten_free_wordings_are_played_or_offered_and_none_as_another_move() -> None:
    """Wordings that were written before anybody tried them; "" is the move of a doubtful one."""
    meant, understood = Counter[str](), Counter[str]()
    for heading, text, move in samples.lines("free-wordings"):
        game, view = position(heading.partition(",")[0])
        how, found = became(mail(text), game, view)
        assert found in ("", move), (heading, text, how, found)
        meant[game.key] += move != ""
        understood[game.key] += move != "" and found == move
    assert meant["atlantis"] >= 100 and meant["escape"] >= 60
    assert all(understood[key] >= 0.9 * meant[key] for key in meant)


def test_unseen_wordings_of_each_kind_are_understood_and_none_as_another_move() -> None:
    meant, understood = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for wording in samples.wordings():
        game, view = position(wording.question)
        how, found = became(mail(wording.line), game, view)
        assert found in ("", wording.move), (wording, how, found)
        meant[game.key, wording.language] += 1
        understood[game.key, wording.language] += found != ""
    assert sum(meant.values()) >= 500
    for key, total in meant.items():
        assert understood[key] >= 0.85 * total, key


@pytest.mark.parametrize("language", samples.ITEMS)
def test_talk_is_neither_a_move_nor_offered_as_one(language: str) -> None:
    lines = [line for spoken, line in samples.talk() if spoken == language]
    views = [position(question) for question in ("atlantis", *POSITIONS)]
    wrong = [
        (raw, game.key, found)
        for raw in map(mail, lines)
        for game, view in views
        if (found := became(raw, game, view)[1])
    ]
    assert len(lines) >= 300
    assert wrong == []
