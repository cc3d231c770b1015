"""Our own emails, sent back: none of their lines moves anything, however it is quoted."""

import re
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from games.models import Game, User
from tests.factories import log_of, play_turns, table_of
from tests.support.emails import Read, read
from tests.support.escape_games import escape_table
from tests.support.every_mail import bytes_of, every_row
from tests.support.lengths import by_length
from tests.support.quoting import STYLES, in_parts, meaning, reply
from tests.support.replies import Post

pytestmark = [pytest.mark.django_db, pytest.mark.long]

# The short form looks at an email of each shape and at the styles that differ most.
NAMES = by_length({"turn-0", "answer-unclear", "legal"}, set())
SOME = by_length(("bars", "nothing", "nothing, made from the HTML"), tuple(STYLES))
BROKEN = "angle brackets, broken lines"
GAMES = by_length(["escape"], ["atlantis", "escape"])


def emails_of(game: Game, user: User) -> Iterator[tuple[str, Read]]:
    """An email of every kind to the player who is asked, and answers with long lists."""
    for name, row in every_row(game, user):
        if not NAMES or name in NAMES:
            yield name, read(bytes_of(row, game))
    post = Post(game, user)
    for text in ("legal", "help", "rules", "resign", "status"):
        if not NAMES or text in NAMES:
            post.write(text)
            yield text, post.answer()


@pytest.fixture(params=GAMES)
def table(request: pytest.FixtureRequest, replies: Settings, alice: User, bob: User) -> Game:
    """A table of each game, where the first player is asked; Escape's is being set up."""
    if request.param == "escape":
        return escape_table(alice, bob)
    return play_turns(table_of(alice, bob), 6)


def test_no_email_that_is_sent_back_is_a_move(table: Game, alice: User) -> None:
    log = log_of(table)
    view = log.engine.rules.view(log.state, 0)
    read_as = {
        (name, style): found
        for name, mail in emails_of(table, alice)
        for style in SOME
        if (found := meaning(reply(mail, style), log, view))
    }
    assert len(STYLES) == 12
    assert read_as == {}


def test_no_part_of_an_email_that_is_left_without_marks_is_a_move(table: Game, alice: User) -> None:
    """Two or more lines of ours are ours, wherever the writer cuts the email."""
    log = log_of(table)
    view = log.engine.rules.view(log.state, 0)
    seen: set[str] = set()
    for name, mail in emails_of(table, alice):
        for text in (mail.text, "\n".join(mail.blocks)):
            lines = [line for line in text.splitlines() if line.strip()]
            for at in range(0, len(lines) - 1, by_length(3, 1)):
                part = "\n".join(lines[at : at + 4])
                if part not in seen:
                    assert not meaning(in_parts(part), log, view), (name, part)
                seen.add(part)


@pytest.mark.parametrize("style", SOME)
def test_an_example_that_the_writer_copies_to_the_top_is_the_move(
    table: Game, alice: User, style: str
) -> None:
    """With the bar of our email or without it. Below lines that were broken, words without a mark
    may be the writer's, so the move is offered at least."""
    log = log_of(table)
    view = log.engine.rules.view(log.state, 0)
    mail = read(bytes_of(next(row for _name, row in every_row(table, alice)), table))
    examples = [
        line
        for line in re.findall(r"^\|     \S.*(?:\n\|         .*)*", mail.text, re.MULTILINE)
        if "{" not in line  # which has a choice for the reader
    ]
    assert len(examples) > 1
    for line in examples:
        whole = " ".join(line.replace("|", "").split())
        for copied in (line, whole):
            found = meaning(reply(mail, style, copied), log, view)
            expected = log.engine.notation.parse(whole.partition(" – ")[0], view)
            move = log.engine.notation.describe(expected, view)
            assert found == move or (style == BROKEN and found == f"offer: {move}")
