"""Escape from Atlantis: the question whether to defend, answered by replying to its email."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import parseaddr
from typing import Any

import pytest
from django.db import transaction

from games import services
from games.mail import kinds, relevance
from games.models import Game, InboundMail, OutboxMail, User
from games.rules.contract import State
from games.rules.errors import MoveError
from games.rules.escape import ESCAPE
from games.rules.escape.model import DefenceStage, TurnStage
from tests.factories import fresh, log_of, person_on
from tests.support.emails import Kind, Read, row_for, written
from tests.support.escape_games import (
    attacked,
    escape_table,
    game_with,
    play_line,
    seat_of,
    state_of,
)
from tests.support.replies import Outcome, arrive, reply_email

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies")]


def can_defend(state: State, seat: int) -> bool:
    return len(list(ESCAPE.rules.legal_commands(state, seat))) > 1


def attacked_and_able(*, seats: int = 1) -> Callable[[State], bool]:
    """This number of seats are asked, and the first of them holds a tile that helps."""
    asked = attacked(seats=seats)
    return lambda state: asked(state) and can_defend(state, ESCAPE.rules.to_act(state)[0])


def kept_tiles(game: Game, seat: int) -> int:
    """Return the number of tiles that this seat holds."""
    return sum(
        held.count for held in ESCAPE.presentation.hand(ESCAPE.rules.view(state_of(game), seat))
    )


def question_of(game: Game, user: User) -> Read:
    """The email that asked this person last."""
    return written(row_for(game, Kind.TURN, user))


def reply(mail: Read, text: str) -> InboundMail:
    """This text in answer to that email."""
    to = parseaddr(mail["Reply-To"])[1]
    return arrive(reply_email(text, to, mail["To"]), to)


def answer_to(row: InboundMail) -> Read:
    assert row.answer is not None
    return written(row.answer)


def answered(game: Game) -> list[tuple[int, bool, bool]]:
    """(seat, whether it defends, whether it had said so before) of each answer in the log."""
    found: list[Any] = [entry.event for entry in log_of(game).effective if entry.kind == "answered"]
    return [(event.seat, event.defend, event.auto) for event in found]


@contextmanager
def only_for_once() -> Iterator[None]:
    """Undo all that happens inside, so that the next try has the same position."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_a_player_who_defends_by_reply_spends_the_tile_and_the_answer_says_so(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked_and_able())
    seat = game.to_act[0]
    mail, tiles = question_of(game, person_on(game, seat)), kept_tiles(game, seat)
    assert "Do you want to defend?" in mail.words
    for words in ("defend", "Defend!", "yes", "Ja", "yes, please"):
        with only_for_once():
            row = reply(mail, words)
            assert row.outcome == Outcome.PLAYED, words
            assert answered(game)[-1] == (seat, True, False)
            assert kept_tiles(game, seat) == tiles - 1
            assert "Your move has been made." in answer_to(row).text


def test_a_player_who_lets_it_happen_keeps_the_tiles(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked_and_able())
    seat = game.to_act[0]
    mail, tiles = question_of(game, person_on(game, seat)), kept_tiles(game, seat)
    for words in ("allow", "no", "Nein.", "no thanks", "let it happen"):
        with only_for_once():
            row = reply(mail, words)
            assert row.outcome == Outcome.PLAYED, words
            assert answered(game)[-1] == (seat, False, False)
            assert kept_tiles(game, seat) == tiles
            assert "chose not to defend" in answer_to(row).text


def test_a_player_who_holds_no_tile_that_helps_gets_an_error_and_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    def helpless(state: State) -> bool:
        return attacked()(state) and not can_defend(state, ESCAPE.rules.to_act(state)[0])

    game = game_with(monkeypatch, (alice, bob), helpless)
    row = reply(question_of(game, person_on(game, game.to_act[0])), "defend")
    assert row.outcome == Outcome.REFUSED
    text = " ".join(answer_to(row).text.replace("\n| ", " ").split())
    assert "You have no tile that defends against this attack." in text
    assert "Do you want to defend?" in text
    assert fresh(game).version == game.version


def test_a_standing_answer_by_reply_answers_this_question_as_well(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked_and_able())
    seat, creature = game.to_act[0], state_of(game).board.rolled
    row = reply(question_of(game, person_on(game, seat)), f"standing {creature} always")
    assert row.outcome == Outcome.PLAYED
    assert answered(game)[-1] == (seat, True, False)
    assert log_of(game).orders[-1].seat == seat
    assert "chose to defend" in answer_to(row).text


def test_a_standing_answer_can_be_left_in_reply_to_any_email_and_nobody_else_learns_of_it(
    alice: User, bob: User
) -> None:
    game = escape_table(alice, bob)
    for user in (bob, alice):
        play_line(game, user, "plan coast")
    before = OutboxMail.objects.exclude(kind=Kind.ANSWER).count()
    row = reply(written(row_for(game, Kind.STARTED, bob)), "standing shark never")
    assert row.outcome == Outcome.PLAYED
    log = log_of(game)
    assert log.engine.rules.view(log.state, 1).standing[0] is not None
    assert log.engine.rules.view(log.state, 0).standing == (None, None)
    assert OutboxMail.objects.exclude(kind=Kind.ANSWER).count() == before
    assert fresh(game).to_act == [0]


def test_an_answer_after_the_time_is_over_changes_nothing_and_shows_the_table(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked_and_able())
    user = person_on(game, game.to_act[0])
    mail, due = question_of(game, user), seat_of(game, user).due_at
    assert due is not None
    services.deadline_check(now=due)
    before = fresh(game).version
    row = reply(mail, "defend")
    assert row.outcome == Outcome.STALE
    assert fresh(game).version == before
    assert answered(game)[-1][1] is False
    assert "The game has moved on" in answer_to(row).text


def test_two_are_asked_and_answer_in_whatever_order(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, carol: User
) -> None:
    game = game_with(monkeypatch, (alice, bob, carol), attacked(seats=2))
    User.objects.update(language="en")
    first, second = game.to_act
    mails = {seat: question_of(game, person_on(game, seat)) for seat in game.to_act}
    row = reply(mails[second], "no")
    assert row.outcome == Outcome.PLAYED
    assert fresh(game).to_act == [first]
    waits = f"Waiting for {person_on(game, first).name}."
    assert waits in answer_to(row).text
    assert reply(mails[first], "no").outcome == Outcome.PLAYED
    assert isinstance(state_of(game).board.stage, TurnStage)


def test_the_first_who_defends_releases_the_other_whose_answer_then_comes_too_late(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, carol: User
) -> None:
    game = game_with(monkeypatch, (alice, bob, carol), attacked_and_able(seats=2))
    User.objects.update(language="en")
    first, second = game.to_act
    asked = row_for(game, Kind.TURN, person_on(game, second))
    other = written(asked)
    assert relevance.check_before_send(asked) == kinds.SEND
    assert reply(question_of(game, person_on(game, first)), "defend").outcome == Outcome.PLAYED
    assert second not in {seat for seat, _defends, _auto in answered(game)[-1:]}
    assert not isinstance(state_of(game).board.stage, DefenceStage)
    before = fresh(game).version
    late = reply(other, "defend")
    assert late.outcome == Outcome.STALE
    assert fresh(game).version == before
    assert "The game has moved on" in answer_to(late).text
    assert (
        relevance.check_before_send(asked).drop == "the turn is over"
    )  # were it not sent yet, it never would be


def test_what_is_possible_is_named_behind_bars_that_are_no_answer(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked_and_able())
    seat = game.to_act[0]
    listed = answer_to(reply(question_of(game, person_on(game, seat)), "legal"))
    view = ESCAPE.rules.view(state_of(game), seat)
    assert "| Your answer:\n|   defend – your tile is spent" in listed.text
    assert "\n|   allow – lost: U5\n" in listed.text
    for line in (*listed.text.splitlines(), *listed.blocks):
        with pytest.raises(MoveError):
            raise AssertionError(line, ESCAPE.notation.parse(line, view))


@pytest.mark.parametrize(
    ("wish", "said"), [("I would like to allow it", "yes"), ("I would like to defend", "no")]
)
def test_a_yes_or_a_no_that_is_a_move_of_its_own_plays_nothing_after_another_offer(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, wish: str, said: str
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked_and_able())
    mail = question_of(game, person_on(game, game.to_act[0]))
    assert reply(mail, wish).offer
    row = reply(mail, said)
    assert row.outcome == Outcome.REFUSED
    assert "could mean two things here" in answer_to(row).words
    assert fresh(game).version == game.version
