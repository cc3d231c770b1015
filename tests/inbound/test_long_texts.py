"""What people write is read in time that grows with its length, and not with the square of it."""

import importlib
import pkgutil
import time
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest
from pytest_django import Settings

import games.inbound
import games.rules
from games.inbound import (
    authenticity,
    auto_replies,
    commands,
    doubts,
    intake,
    mime,
    reply_parser,
)
from games.inbound.blocks import LONGEST, MOST_LINES, MOST_TEXT
from games.models import User
from games.rules import GAMES
from games.rules.errors import MoveError
from tests.factories import table_of
from tests.rules.sentence_reading import questions
from tests.support.pattern_costs import slow_texts, uses
from tests.support.replies import address_of, arrive, reply_email


def modules_of(package: ModuleType) -> list[ModuleType]:
    names = [
        found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


MODULES = [*modules_of(games.inbound), *modules_of(games.rules)]
USES = [use for module in MODULES for use in uses(module)]


def test_no_pattern_takes_four_times_as_long_for_twice_the_text() -> None:
    assert len(USES) > 90
    assert [text for use in USES for text in slow_texts(use)[:1]] == []


def an_email(head: str = "", text: str = "", kind: str = "plain") -> Any:
    raw = f"From: a@example.org\nContent-Type: text/{kind}\n{head}\n\n{text}\n"
    return reply_parser.read(mime.read(raw.encode()))


FUNCTIONS: list[Callable[[str], object]] = [
    commands.parse,
    commands.split_talk,
    doubts.clauses,
    doubts.doubt,
    doubts.opinion,
    commands.is_yes,
    commands.is_no,
    commands.is_greeting,
    commands.is_about_absence,
    commands.is_to_players,
    commands.incomplete,
    commands.nearest,
    auto_replies.is_reaction,
    authenticity.results_of,
    authenticity._unquoted,
    mime.one_address,
    lambda text: intake.ours_in(text.encode()),
    lambda text: an_email(text=text),
    lambda text: an_email(text=text, kind="html"),
    lambda text: an_email(f"Subject: {text}"),
    lambda text: an_email(f"Content-Type: {text}"),
]


@pytest.mark.parametrize("game", ["atlantis", "escape"])
def test_no_game_takes_four_times_as_long_for_twice_the_line(game: str) -> None:
    engine = GAMES[game]
    (view, _moves), *_rest = questions(game)

    def parse(line: str) -> None:
        with suppress(MoveError):
            engine.notation.parse(line, view)

    assert slow_texts((game, parse, str, ("A 3", "flag and", "U1-E5")), 125, LONGEST) == []


def test_what_the_reader_hands_on_has_a_bound() -> None:
    reply = an_email(text="\n".join(["A flag " * 1000] * 100))
    assert reply.is_long
    assert len(reply.line) <= LONGEST
    lines = [line for block in reply.blocks for line in block.lines]
    assert len(lines) <= MOST_LINES
    assert sum(map(len, lines)) <= MOST_TEXT


@pytest.mark.django_db
def test_an_email_of_greetings_and_exclamation_marks_costs_the_worker_little(
    alice: User, bob: User, replies: Settings
) -> None:
    """In the worker, outside the process that reads emails within limits."""
    game = table_of(alice, bob)
    text = "Hi there I think this is a long greeting line that goes on and on for a\n"
    to = address_of(game, alice)

    def cost(marks: int) -> float:
        arrive(reply_email(text, to, alice.email), to)
        raw = reply_email(text + ("!" * marks + "\n") * 70, to, alice.email)
        before = time.thread_time()
        arrive(raw, to)
        return time.thread_time() - before

    assert cost(900) < 10 * cost(9)


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_no_function_takes_four_times_as_long_for_twice_the_text(number: int) -> None:
    assert slow_texts((str(number), FUNCTIONS[number], str, ())) == []
