"""Pages and emails of Escape from Atlantis: what is at stake, how it ended, and no secrets."""

from typing import Any

import pytest

from games import selectors
from games.models import Game, User
from games.rules.escape.model import TurnStage
from tests.factories import fresh, log_of
from tests.support.emails import Kind, row_for, written
from tests.support.escape_differing_secrets import (
    ESCAPE,
    assert_indistinguishable,
    both_parts,
    last_mail,
)
from tests.support.escape_games import (
    MOST_GAMES,
    attacked,
    escape_table,
    foreseen,
    game_with,
    play_line,
    play_moves,
    table_with_luck,
)
from tests.support.lengths import by_length
from tests.support.pages import page_of, signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]


# -- what is asked -------------------------------------------------------------------------------


def test_the_email_and_the_page_say_what_is_at_stake(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked())
    log, user = log_of(game), (alice, bob)[game.to_act[0]]
    question = ESCAPE.rules.question(log.engine.rules.view(log.state, game.to_act[0]))
    assert question is not None and "in danger" in str(question.text)
    for words in both_parts(last_mail(game, user, "turn")):
        assert str(question.text) in words
        assert "the attack goes ahead" in words
    page = page_of(game, user)
    assert str(question.text) in page
    assert "Send response" in page


def test_the_turn_email_has_the_board_as_picture_and_as_text(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    mail = last_mail(game, alice, "turn")
    assert any(part.get_content_type() == "image/png" for part in mail.message().walk())
    board = log_of(game).engine.presentation.board_text(ESCAPE.rules.view(log_of(game).state, 0))
    assert " ".join(board.split()) in " ".join(mail.body.split())
    for row in board.splitlines()[:12]:
        assert f"\n{row}\n" in mail.body


def test_an_email_that_asks_enlarges_what_is_decided_about(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    started = written(row_for(escape_table(alice, bob), Kind.TURN))
    assert {"detail-1@127.0.0.1", "detail-2@127.0.0.1"} < set(started.pictures)
    asked = written(row_for(game_with(monkeypatch, (alice, bob), attacked()), Kind.TURN))
    assert set(asked.pictures) >= {"board@127.0.0.1", "detail-1@127.0.0.1"}
    for mail in (started, asked):
        for name in mail.pictures:
            assert f'<img src="cid:{name}"' in mail.html
            assert len(mail.pictures[name]) < 60_000


def test_players_learn_at_the_start_that_they_can_plan_ahead(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    for words in both_parts(last_mail(game, bob, "started")):
        assert "plan ahead on the game page, or reply “plan”" in words


def test_the_last_email_says_that_the_volcano_ended_it(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    people = (alice, bob)
    for number in range(MOST_GAMES):
        moves = list(foreseen(number, 2))
        last = moves[-1].before
        news = ESCAPE.rules.decide(last, moves[-1].seat, moves[-1].command, Anything())
        if ESCAPE.fold(news, last).board.cause == "volcano":
            break
    game = play_moves(table_with_luck(monkeypatch, people, number), moves)
    assert game.status == Game.Status.FINISHED
    for user in people:
        for words in both_parts(last_mail(game, user, "over")):
            assert "The volcano erupted" in words
        page = page_of(game, user)
        assert "The volcano erupted: everyone not on an isle was lost." in page
        assert "of 28 points" in page


class Anything:
    """Luck that does not matter."""

    def shuffle(self, items: Any) -> Any:
        return tuple(items)

    def roll(self, faces: int) -> int:
        return 0


# -- the form out of turn ------------------------------------------------------------------------


def test_a_player_who_is_not_to_move_leaves_a_plan_on_the_page(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    page = page_of(game, bob, "?do=plan&preset=coast")
    assert "Plan ahead" in page and "Save" in page
    client = signed_in(bob)
    answer = client.post(
        f"/g/{game.public_id}/play",
        {"line": "plan coast", "version": game.version},
        follow=True,
    )
    assert "Saved. You can change it at any time." in text(answer)
    assert "You have made a plan for your setup." in text(answer)


def test_a_spectator_has_no_form(alice: User, bob: User, dave: User) -> None:
    game = escape_table(alice, bob)
    assert 'id="orders"' not in page_of(game, dave)


# -- secrets -------------------------------------------------------------------------------------


@pytest.mark.long
def test_pages_and_emails_do_not_depend_on_secrets(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, dave: User
) -> None:
    """Before anything has sunk, so that the open part of the log is the same in both."""
    game = escape_table(alice, bob)
    for user in (bob, alice):
        play_line(game, user, "plan coast")
    play_line(game, bob, "standing shark always")
    game = fresh(game)
    queries = ("", f"at/{game.version}/")
    assert_indistinguishable(
        monkeypatch, game, alice, *queries, "?do=standing&creature=shark", mail=True
    )
    assert_indistinguishable(monkeypatch, game, dave, *queries)


@pytest.mark.long
def test_face_down_tiles_of_others_change_neither_page_nor_email(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, dave: User
) -> None:
    def wanted(state: Any) -> bool:
        return (
            isinstance(state.board.stage, TurnStage)
            and state.board.active == 0
            and len(state.kept[1]) > 1
        )

    game = game_with(monkeypatch, (alice, bob), wanted)
    queries = ("", f"at/{log_of(game).moves[-1][-1].seq}/")
    assert_indistinguishable(monkeypatch, game, alice, *queries, "?who1=U1", mail=True)
    assert_indistinguishable(monkeypatch, game, dave, *by_length(queries[1:], queries))


def test_there_is_no_record_before_the_end(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    with pytest.raises(selectors.NotFound):
        list(selectors.record_lines(game))
