"""Escape from Atlantis at tables of the service: plans, attacks, answers, deadlines."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import translation

from games import services
from games.log import table_events
from games.mail import outbox
from games.models import Game, OutboxMail, User
from games.rules.contract import State
from games.rules.errors import IllegalMove
from games.rules.escape import ESCAPE
from games.rules.escape.model import DEFENCES, CreatureStage, DefenceStage, TurnStage
from games.services import GameMoved, ServiceError
from tests.factories import fresh, log_of
from tests.support.escape_games import (
    attacked,
    escape_table,
    game_with,
    mail_count,
    play_line,
    play_on,
    seat_of,
    state_of,
)

HOUR = timedelta(hours=1)


def happened(game: Game, kind: str) -> list[Any]:
    """All events of this kind that count."""
    return [entry.event for entry in log_of(game).effective if entry.kind == kind]


def person_on(game: Game, seat: int) -> User:
    user = game.seats.get(number=seat).user
    assert user is not None
    return user


# -- the setup -----------------------------------------------------------------------------------


def test_seats_with_a_plan_hold_nobody_up(alice: User, bob: User, carol: User) -> None:
    game = escape_table(alice, bob, carol)
    assert game.to_act == [0]
    play_line(game, carol, "plan inland")
    play_line(game, bob, "plan spread")
    assert fresh(game).to_act == [0], "a plan waits for its turn"
    play_line(game, alice, "plan coast")
    assert isinstance(state_of(game).board.stage, TurnStage)
    assert fresh(game).to_act == [0]


def test_a_plan_of_a_seat_that_is_not_asked_brings_no_email_and_leaves_the_others_page_good(
    alice: User, bob: User
) -> None:
    game = escape_table(alice, bob)
    asked, written = seat_of(game, alice).asked_seq, OutboxMail.objects.count()
    play_line(game, bob, "plan coast")
    assert OutboxMail.objects.count() == written
    assert seat_of(game, alice).asked_seq == asked
    assert not play_line(game, alice, "place 6 E5", version=game.version).repeated


def test_a_plan_is_changed_until_it_is_used(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    play_line(game, bob, "plan 6 E5, 5 E6")
    play_line(game, bob, "plan 4 E5")
    play_line(game, alice, "place 6 D5")
    assert [(event.seat, event.value) for event in happened(game, "placed")] == [(0, 6), (1, 4)]
    assert fresh(game).to_act == [0], "Bob's wish was granted, so it is Alice's turn"


def test_the_same_plan_sent_twice_is_kept_once(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    first, again = (play_line(game, bob, "plan coast", version=game.version) for _time in range(2))
    assert (first.repeated, again.repeated) == (False, True)
    assert fresh(game).version == first.version


def test_a_player_who_is_not_asked_cannot_place(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    with pytest.raises(IllegalMove, match="not your turn"):
        play_line(game, bob, "place 6 E5")
    assert fresh(game).version == game.version


def test_a_plan_is_refused_with_the_reason_of_the_rules(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    for user in (bob, alice):
        play_line(game, user, "plan coast")
    with pytest.raises(IllegalMove, match="setup is over"):
        play_line(game, bob, "plan coast")


def test_bots_place_and_play_until_a_person_is_asked(alice: User) -> None:
    game = escape_table(alice, bots=2)
    play_line(game, alice, "plan coast")
    services.game_play_bots(game_id=game.pk)
    assert isinstance(state_of(game).board.stage, TurnStage)
    assert fresh(game).to_act == [0]


def test_options_that_cannot_be_had_are_refused_with_the_reason(alice: User) -> None:
    with translation.override("en"), pytest.raises(ServiceError, match="only for two players"):
        escape_table(alice, seats=3, colours="two")
    assert not Game.objects.exists()


# -- the turn ------------------------------------------------------------------------------------


def test_what_follows_the_sinking_is_the_same_question_and_brings_no_email(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(
        monkeypatch,
        (alice, bob),
        lambda state: isinstance(state.board.stage, CreatureStage) and state.board.turn == 1,
    )
    asked = seat_of(game, alice).asked_seq
    assert asked is not None and asked < game.version
    assert (game.to_act, mail_count(game, alice)) == ([0], 1)


def test_a_whole_game_comes_to_an_end_that_verifies(
    alice: User, bob: User, carol: User, capsys: pytest.CaptureFixture[str]
) -> None:
    game = escape_table(alice, bob, carol)
    for user in (carol, bob, alice):
        play_line(game, user, "plan coast")
    game = play_on(game, lambda _state: False)
    assert game.status == Game.Status.FINISHED
    assert game.scores is not None and len(game.scores) == 3
    call_command("verify", game.public_id)
    assert [mail_count(game, user, "over") for user in (alice, bob, carol)] == [1, 1, 1]


# -- attacks -------------------------------------------------------------------------------------


def test_an_attack_is_asked_with_its_own_time_and_its_own_email(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked(), answer="12")
    user = person_on(game, game.to_act[0])
    seat = seat_of(game, user)
    assert seat.due_at is not None and seat.asked_at is not None
    assert seat.due_at - seat.asked_at == 12 * HOUR
    assert seat.asked_seq == game.version
    assert OutboxMail.objects.filter(game=game, user=user, kind="turn", seq=game.version).exists()


def test_silence_lets_it_happen_and_the_game_goes_on_without_a_moderator(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked(), answer="6")
    late = seat_of(game, person_on(game, game.to_act[0]))
    assert late.due_at is not None
    assert services.deadline_check(now=late.due_at - HOUR) == 0
    assert services.deadline_check(now=late.due_at + HOUR) == 1
    assert services.deadline_check(now=late.due_at + HOUR) == 0
    entries = [entry for entry in log_of(game).entries if entry.seq > game.version]
    assert entries[0].event == table_events.TimedOut(seat=late.number)
    assert [(e.seat, e.by) for e in entries if e.kind == "answered"] == [(late.number, None)]
    assert isinstance(state_of(game).board.stage, TurnStage)
    assert not OutboxMail.objects.filter(game=game, kind="deadline").exists()
    call_command("verify", game.public_id)


def test_after_an_answer_that_was_not_given_the_turn_is_asked_anew(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked())
    user = person_on(game, game.to_act[0])
    written, due = mail_count(game, user), seat_of(game, user).due_at
    assert due is not None
    services.deadline_check(now=due)
    assert fresh(game).to_act == [seat_of(game, user).number]
    assert mail_count(game, user) == written + 1
    again = seat_of(game, user)
    assert again.due_at is not None and again.due_at - due == timedelta(days=3)
    assert not again.overdue


def test_an_own_answer_that_leads_into_the_own_turn_brings_no_second_email(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked())
    user = person_on(game, game.to_act[0])
    written = mail_count(game, user)
    play_line(game, user, "allow")
    seat = seat_of(game, user)
    assert fresh(game).to_act == [seat.number]
    assert mail_count(game, user) == written
    assert seat.due_at is not None
    assert seat.due_at - fresh(game).last_event_at == timedelta(days=3), "the time of a turn"


def test_a_standing_answer_settles_the_question_without_anybody_being_asked(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked())
    user = person_on(game, game.to_act[0])
    creature = state_of(game).board.rolled
    assert creature is not None
    play_line(game, user, f"standing {creature} never")
    answered = happened(game, "answered")[-1]
    assert (answered.seat, answered.defend, answered.auto) == (
        seat_of(game, user).number,
        False,
        False,  # the log has the answer as if it had been given; the order is private
    )
    assert isinstance(state_of(game).board.stage, TurnStage)


def test_standing_answers_may_be_left_at_any_time_and_stay_secret(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = escape_table(alice, bob)
    for user in (bob, alice):
        play_line(game, user, "plan coast")
    play_line(game, bob, "standing shark from 2")
    log = log_of(game)
    event = log.orders[-1].event
    assert log.engine.rules.view(log.state, 1).standing == (2, None)
    assert log.engine.rules.visible(event, 0).standing is None
    assert fresh(game).to_act == [0]


def test_all_who_are_in_danger_are_asked_at_once_and_answer_in_any_order(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, carol: User
) -> None:
    game = game_with(monkeypatch, (alice, bob, carol), attacked(seats=2))
    first, second = (person_on(game, seat) for seat in game.to_act)
    opened = game.version
    play_line(game, second, "allow", version=opened)
    assert fresh(game).to_act == [seat_of(game, first).number]
    done = play_line(game, first, "allow", version=opened)
    assert not done.repeated, "the page of the first was as good as before"
    assert isinstance(state_of(game).board.stage, TurnStage)
    with pytest.raises(GameMoved):
        play_line(game, second, "defend", version=opened)


def able(state: State) -> bool:
    """Two seats are asked, and the first of them clockwise holds the tile that helps."""
    attack = state.board.stage
    if not isinstance(attack, DefenceStage) or not attacked(seats=2)(state):
        return False
    return DEFENCES[attack.creature] in state.kept[attack.asked[0]]


def test_the_answer_of_one_of_two_defenders_settles_the_question_and_the_other_is_released(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, carol: User
) -> None:
    game = game_with(monkeypatch, (alice, bob, carol), able)
    first, second = (person_on(game, seat) for seat in state_of(game).board.stage.asked)
    opened, tiles = game.version, state_of(game).kept
    play_line(game, first, "defend", version=opened)
    state = state_of(game)
    released, spent = seat_of(game, second).number, seat_of(game, first).number
    since = [entry for entry in log_of(game).effective if entry.seq > opened]
    assert [entry.seat for entry in since if entry.kind == "answered"] == [spent]
    assert state.kept[released] == tiles[released], "keeps what it holds"
    assert len(state.kept[spent]) == len(tiles[spent]) - 1
    assert isinstance(state.board.stage, TurnStage)
    with pytest.raises(GameMoved):
        play_line(game, second, "allow", version=opened)


def test_a_player_who_was_released_owes_no_answer_and_gets_no_email_that_asks_for_one(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, carol: User
) -> None:
    game = game_with(monkeypatch, (alice, bob, carol), able)
    first, second = (person_on(game, seat) for seat in state_of(game).board.stage.asked)
    asked_at = seat_of(game, second).asked_seq
    assert asked_at is not None
    mail = OutboxMail.objects.get(game=game, user=second, kind="turn", seq=asked_at)
    assert mail.state == OutboxMail.State.QUEUED
    play_line(game, first, "defend")
    seat, now = seat_of(game, second), fresh(game)
    assert (seat.asked_seq is not None) == (seat.number in now.to_act)
    assert seat.asked_seq != asked_at, "whatever is asked now, it is not this"
    outbox.drain()
    mail.refresh_from_db()
    assert mail.state == OutboxMail.State.DROPPED


def test_bots_answer_attacks(monkeypatch: pytest.MonkeyPatch, alice: User) -> None:
    for number in range(40):
        monkeypatch.setattr(
            "games.services.new_tables.secrets.token_bytes", lambda _size, n=number: bytes([n] * 32)
        )
        game = escape_table(alice, bots=2)
        play_line(game, alice, "plan coast")
        while fresh(game).status == Game.Status.RUNNING:
            services.game_play_bots(game_id=game.pk)
            if any(
                event.seat != seat_of(game, alice).number for event in happened(game, "answered")
            ):
                return
            game = fresh(game)
            if game.status == Game.Status.RUNNING and game.to_act:
                play_on(game, lambda state: 0 not in ESCAPE.rules.to_act(state))
    raise AssertionError("no bot was ever attacked")


def test_a_moderator_lets_the_bot_play_one_turn_and_no_more(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, mona: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), lambda state: state.board.turn == 3)
    late = game.to_act[0]
    services.moderate_play_bot(game_id=game.pk, seat=late, ruling=services.Ruling(mona, "Away"))
    board = state_of(game).board
    assert board.turn == 4 or isinstance(board.stage, DefenceStage)
    assert late not in fresh(game).to_act
    call_command("verify", game.public_id)


def test_a_bot_that_takes_over_an_attacked_seat_answers(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked())
    attacked_seat = game.to_act[0]
    before = len(happened(game, "answered"))
    services.game_resign(game_id=game.pk, user=person_on(game, attacked_seat))
    services.game_play_bots(game_id=game.pk)
    assert len(happened(game, "answered")) > before
    assert fresh(game).to_act == [1 - attacked_seat]
