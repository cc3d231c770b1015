"""A line that an email prints is an answer: as it stands, with what it leads to behind a dash."""

import random
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from django.utils import translation
from hypothesis import assume, given
from hypothesis import strategies as st

from games.inbound import mime, reply_parser
from games.rules import GAMES, printed_lines
from games.rules.contract import Command
from games.rules.errors import MoveError
from games.rules.guidance import LegalLine
from games.rules.text import ngettext
from games.templatetags.mail import barred_example
from games.translate import say
from tests.rules.atlantis import games as atlantis_games
from tests.rules.escape import games as escape_games
from tests.support.email_only_player import one_of
from tests.support.lengths import by_length
from tests.support.quoting import in_parts

pytestmark = pytest.mark.long

LANGUAGES = ("en", "de", "fr")
GAME_KINDS = ("atlantis", "escape")
EVERY = by_length(25, 3)  # position of a game


def positions(kind: str, every: int = EVERY) -> Iterator[Any]:
    """Views of the seat that is asked, from whole games."""
    rules = GAMES[kind].rules
    if kind == "atlantis":
        for seats, seed in ((2, 1), (3, 8), (4, 5)):
            for state in islice(atlantis_games.sensible(seats, seed), 1, None, every):
                if asked := rules.to_act(state):
                    yield rules.view(state, asked[0])
    else:
        for seed in (2, 5):
            for moment in islice(escape_games.wandering(2, seed), 0, None, every):
                if moment.seat in rules.to_act(moment.state):
                    yield rules.view(moment.state, moment.seat)


def printed(kind: str, view: Any) -> list[LegalLine]:
    """The examples and the lines of `legal`."""
    show = GAMES[kind].presentation
    guide = show.guide(view)
    assert guide is not None
    return [*guide.examples, *(line for part in show.legal(view) for line in part.lines)]


def read(text: str) -> str:
    return reply_parser.read(mime.read(in_parts(text))).line


def command_of(kind: str, line: str, view: Any) -> Command | None:
    try:
        return printed_lines.parse(GAMES[kind], line, view, say)
    except MoveError:
        return None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", GAME_KINDS)
def test_each_printed_line_is_played_with_its_tail(kind: str, language: str) -> None:
    """Of a line with choices, one of them, as mail programs mark what is copied."""
    dice, engine, refused, count = random.Random(language), GAMES[kind], [], 0
    with translation.override(language):
        for view in positions(kind):
            for line in printed(kind, view):
                text = printed_lines.written(line, engine, say)
                words, dash, tail = text.partition(" – ")
                answer = f"{one_of(words, dice)}{dash}{tail}"
                bare = command_of(kind, answer.partition(" – ")[0], view)
                count += 1
                assert bare is not None, answer
                copies = [answer, f"* {answer}", f"| {answer}", f"> | {answer}"]
                if tail:
                    copies.append(f"> {answer}")
                if "{" not in answer:
                    copies.append(barred_example(answer))
                refused += [text for text in copies if command_of(kind, read(text), view) != bare]
    assert refused[:5] == []
    assert count > 20


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_example_asks_to_pay_without_its_price(language: str) -> None:
    with translation.override(language):
        pay = GAMES["atlantis"].notation.localised("pay cheapest", say)
        priced = say(ngettext("costs %(count)s", "costs %(count)s", 0)).partition("0")[0].strip()
        for view in positions("atlantis"):
            for line in printed("atlantis", view):
                text = printed_lines.written(line, GAMES["atlantis"], say)
                words, _dash, tail = text.partition(" – ")
                assert (pay in words) <= (priced in tail), text


def test_the_cheapest_way_comes_first() -> None:
    show = GAMES["atlantis"].presentation
    for view in positions("atlantis"):
        guide = show.guide(view)
        assert guide is not None
        of_figures = [part.lines for part in show.legal(view) if "Figure" in str(part.title)]
        prices = [[_price(line) for line in lines] for lines in of_figures]
        assert prices == [sorted(some) for some in prices]
        if prices:
            assert _price(guide.examples[0]) == min(map(min, prices))


def _price(line: LegalLine) -> int:
    """What the line costs, as it says itself."""
    words = str(line.detail).partition("costs ")[2].partition(",")[0]
    return int(words.split()[0]) if words else 0


def test_a_bridge_that_makes_a_move_cheaper_is_an_example() -> None:
    show, seen = GAMES["atlantis"].presentation, 0
    for view in positions("atlantis", every=1):
        guide = show.guide(view)
        assert guide is not None
        lines = [line for part in show.legal(view) for line in part.lines]
        saving = [line for line in lines if "instead of" in str(line.detail)]
        if saving:
            assert saving[0] in guide.examples
            seen += 1
    assert seen > 5


@given(data=st.data())
@pytest.mark.parametrize("kind", GAME_KINDS)
def test_a_tail_that_was_changed_makes_no_move(kind: str, data: st.DataObject) -> None:
    view = data.draw(st.sampled_from(SOME[kind]))
    lines = [line for line in printed(kind, view) if line.detail is not None]
    line = data.draw(st.sampled_from(lines))
    tail = str(line.detail).split()
    at = data.draw(st.integers(0, len(tail) - 1))
    word = data.draw(
        st.sampled_from(["3", "99", "not", "statue", "olive", "U1", "B", "and", "?", ""])
    )
    changed = " ".join([*tail[:at], word, *tail[at + 1 :]])
    assume(_words(changed) != _words(str(line.detail)))
    words = one_of(str(line), random.Random(1))
    text, meant = f"{words} – {changed}", command_of(kind, words, view)
    found = command_of(kind, text, view)
    assert found is None or found == meant == _alone(kind, text, view), text
    assert found or printed_lines.suggest(GAMES[kind], text, view, say) in (None, meant)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _alone(kind: str, text: str, view: Any) -> Command | None:
    """What the notation reads without knowing what was printed."""
    try:
        return GAMES[kind].notation.parse(text, view)
    except MoveError:
        return None


SOME = {kind: list(islice(positions(kind), 0, None, 3)) for kind in GAME_KINDS}


@pytest.mark.parametrize("kind", GAME_KINDS)
def test_a_line_with_choices_is_no_move_by_itself(kind: str) -> None:
    for view in positions(kind):
        for line in printed(kind, view):
            if any(len(part) > 1 for part in line.parts):
                text = printed_lines.written(line, GAMES[kind], say)
                assert command_of(kind, text, view) is None, text
