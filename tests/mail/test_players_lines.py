"""What an email says of the players: the same in its text and under the picture of its HTML."""

import re

import pytest

from games.models import Game, User
from tests.factories import log_of, person_on, play_turns, table_of
from tests.support.emails import Kind, Read, row_for, written
from tests.support.escape_games import escape_table, play_line

pytestmark = pytest.mark.django_db


def game_of(kind: str, alice: User, bob: User) -> Game:
    """Some turns into a game of each kind."""
    if kind == "atlantis":
        return play_turns(table_of(alice, bob), 12)
    game = escape_table(alice, bob)
    for user in (alice, bob):
        play_line(game, user, "plan spread")
    return play_turns(game, 12)


def lines_of(mail: Read) -> list[str]:
    """The players' lines of the text part, each on one line, without what marks the pieces."""
    joined = mail.text.replace("\n|     ", " ")
    return re.findall(r"^\| [0-9UVYN]+ = (.+)$", joined, re.MULTILINE)


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_each_number_of_a_players_line_is_under_the_picture(
    alice: User, bob: User, kind: str
) -> None:
    game = game_of(kind, alice, bob)
    asked = person_on(game, game.to_act[0])
    row = row_for(game, Kind.TURN, asked)
    for language in ("en", "de", "fr"):
        User.objects.filter(pk=asked.pk).update(language=language)
        mail = written(row)
        lines = lines_of(mail)
        assert len(lines) == 2, mail.text
        html = mail.words
        for line in lines:
            name, _colon, facts = line.partition(":")
            said = " ".join(facts.split())
            assert re.search(rf"● {name.strip()} (\([^)]+\) )?{re.escape(said)}", html)
        assert len(re.findall(r"\d", "".join(lines))) > 6


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_the_readers_own_line_comes_first(alice: User, bob: User, kind: str) -> None:
    game = game_of(kind, alice, bob)
    asked = person_on(game, game.to_act[0])
    mail = written(row_for(game, Kind.TURN, asked))
    assert lines_of(mail)[0].startswith(asked.shown_name)


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_the_words_in_the_place_of_a_blocked_picture_name_every_player(
    alice: User, bob: User, kind: str
) -> None:
    game = game_of(kind, alice, bob)
    mail = written(row_for(game, Kind.TURN, person_on(game, game.to_act[0])))
    found = re.search(r'<img src="cid:board@[^>]*?alt="([^"]+)"', mail.html)
    assert found is not None
    assert "Alice" in found[1] and "Bob" in found[1]


def test_nobody_reads_the_values_of_others(alice: User, bob: User) -> None:
    game = game_of("escape", alice, bob)
    asked = person_on(game, game.to_act[0])
    own, others = lines_of(written(row_for(game, Kind.TURN, asked)))
    assert "values" in own
    assert "values" not in others
    assert log_of(game).state.values
