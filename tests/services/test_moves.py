"""Moves through the service: whose, from which position, and never twice."""

from typing import Any

import pytest

from games import selectors, services
from games.log import table_events
from games.log.game_log import Log
from games.models import Game, Message, OutboxMail, User
from games.rules import GAMES, replay
from games.rules.atlantis.model import Buy, Move, Pass
from games.rules.chance import bot_chance
from games.rules.contract import BotChance, Command
from games.rules.errors import IllegalMove, MalformedMove, MoveError
from games.services import GameMoved, NotAllowed, ServiceError, bots
from tests.factories import (
    fresh,
    given_up,
    log_of,
    play_one,
    play_to_the_end,
    play_turns,
    some_move,
    table_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


def play(game: Game, user: User, seat: int, command: object, version: int) -> services.Played:
    return services.game_play(
        game_id=game.pk, user=user, seat=seat, command=command, version=version
    )


# -- a move --------------------------------------------------------------------------------------


def test_a_move_is_in_the_log_and_the_next_one_is_asked(game: Game, alice: User) -> None:
    seat, command = some_move(game)
    played = play(game, alice, seat, command, game.version)
    after = fresh(game)
    log = log_of(game)
    assert not played.repeated
    assert after.version == played.version == game.version + len(played.events)
    assert tuple(entry.event for entry in log.moves[-1]) == played.events
    assert all(entry.by == alice.pk for entry in log.moves[-1])
    assert after.to_act == [1]
    assert game.seats.get(number=1).asked_seq == played.version
    assert game.seats.get(number=0).asked_seq is None
    assert game.seats.get(number=0).due_at is None


def test_a_move_reads_in_one_message_and_writes_in_one_however_long_the_game(
    game: Game, alice: User, django_assert_num_queries: Any
) -> None:
    play_turns(game, 8)
    now = fresh(game)
    seat, command = some_move(now)
    user = now.seats.get(number=seat).user
    assert user is not None
    with django_assert_num_queries(4):  # with a savepoint before and its release after
        play(now, user, seat, command, now.version)


def test_whoever_is_asked_gets_an_email_about_this_turn(game: Game, bob: User) -> None:
    played = play_one(game)
    mail = OutboxMail.objects.get(game=game, user=bob, kind="turn")
    assert mail.seq == played.version


def test_a_game_of_two_is_played_to_its_last_score(game: Game) -> None:
    over = play_to_the_end(game)
    log = log_of(over)
    assert over.status == Game.Status.FINISHED
    assert log.outcome is not None
    assert over.scores == list(log.outcome.scores)
    assert over.winners == list(log.outcome.winners)
    assert over.to_act == []
    assert over.ended_at is not None
    assert not over.seats.filter(asked_seq__isnull=False).exists()


@pytest.mark.parametrize("kind", GAMES)
def test_every_game_is_played_to_an_end_that_anybody_can_check(
    alice: User, bob: User, kind: str
) -> None:
    """With as many as can play: people, bots, the log, the rows and the record all agree."""
    bots = GAMES[kind].seats[-1] - 2
    over = play_to_the_end(table_of(alice, bob, bots=bots, kind=kind, options={}))
    assert over.status == Game.Status.FINISHED
    [checked] = replay.check(selectors.record_lines(over))
    assert checked.fair
    assert checked.outcome is not None
    assert list(checked.outcome.scores) == over.scores


def test_the_seed_is_revealed_with_the_last_event_and_not_before(game: Game) -> None:
    play_turns(game, 3)
    assert log_of(game).table.seed is None
    over = play_to_the_end(game)
    revealed = [e for e in log_of(over).entries if isinstance(e.event, table_events.Revealed)]
    assert [entry.seq for entry in revealed] == [over.version]
    assert log_of(over).table.seed == bytes(game.seed).hex()


def test_everybody_is_notified_of_the_end(game: Game, alice: User, bob: User) -> None:
    play_to_the_end(game)
    recipients = OutboxMail.objects.filter(game=game, kind="over").values_list(
        "to_address", flat=True
    )
    assert sorted(recipients) == [alice.email, bob.email]


def test_a_buy_is_part_of_the_turn_and_keeps_the_question(alice: User, bob: User) -> None:
    """Buying draws cards first; the same player is still asked, by the same turn link."""
    game = table_of(alice, bob)
    for _turn in range(60):
        now = fresh(game)
        log = log_of(now)
        seat = now.to_act[0]
        buys = [c for c in log.engine.rules.legal_commands(log.state, seat) if isinstance(c, Buy)]
        if buys:
            break
        play_one(now)
    user = (alice, bob)[seat]
    asked = now.seats.get(number=seat)
    assert asked.asked_seq is not None
    play(now, user, seat, buys[0], now.version)
    again = now.seats.get(number=seat)
    assert fresh(game).to_act == [seat]
    assert again.asked_seq == asked.asked_seq
    assert OutboxMail.objects.filter(user=user, kind="turn", seq=asked.asked_seq).count() == 1


# -- who may -------------------------------------------------------------------------------------


def test_nobody_moves_for_another(game: Game, bob: User, dave: User) -> None:
    seat, command = some_move(game)
    for user in (bob, dave):
        with pytest.raises(NotAllowed, match="not your seat"):
            play(game, user, seat, command, game.version)


def test_nobody_moves_out_of_turn(game: Game, bob: User) -> None:
    _seat, command = some_move(game)
    with pytest.raises(MoveError, match="not your turn"):
        play(game, bob, 1, command, game.version)


def test_a_seat_that_is_not_there_is_refused(game: Game, alice: User) -> None:
    with pytest.raises(ServiceError, match="no such seat"):
        play(game, alice, 7, Pass(), game.version)


def test_an_illegal_move_says_why_and_changes_nothing(game: Game, alice: User) -> None:
    with pytest.raises(IllegalMove):
        play(game, alice, 0, Pass(), game.version)
    assert fresh(game).version == game.version
    assert not OutboxMail.objects.filter(game=game, seq__gt=game.version).exists()


def test_nobody_moves_before_the_start(alice: User) -> None:
    game = table_of(alice, seats=3)
    with pytest.raises(ServiceError, match="not started"):
        play(game, alice, 0, Pass(), game.version)


def test_nobody_moves_after_the_end(game: Game, alice: User) -> None:
    over = play_to_the_end(game)
    with pytest.raises(ServiceError, match="over"):
        play(over, alice, 0, Pass(), over.version)


# -- once and from the position one saw ----------------------------------------------------------


def test_a_double_click_is_one_move_and_the_second_gets_its_result(game: Game, alice: User) -> None:
    seat, command = some_move(game)
    first = play(game, alice, seat, command, game.version)
    second = play(game, alice, seat, command, game.version)
    assert second == services.Played(
        first.version, first.events, repeated=True, to_act=(1,), first=first.first
    )
    assert not first.repeated
    assert fresh(game).version == first.version


def test_a_retry_hours_later_still_gets_the_result_of_its_move(game: Game, alice: User) -> None:
    seat, command = some_move(game)
    first = play(game, alice, seat, command, game.version)
    play_turns(game, 4)
    late = play(game, alice, seat, command, game.version)
    assert late.repeated
    assert late.version == first.version


def test_a_double_click_on_the_last_move_of_a_game_gets_its_result(
    game: Game, alice: User, bob: User
) -> None:
    while True:
        now = fresh(game)
        seat, command = some_move(now)
        user = (alice, bob)[seat]
        played = play(now, user, seat, command, now.version)
        if fresh(game).status == Game.Status.FINISHED:
            break
    again = play(now, user, seat, command, now.version)
    assert again == services.Played(
        played.version, played.events, repeated=True, first=played.first
    )


def test_another_move_from_the_old_position_is_refused_because_the_game_moved_on(
    game: Game, alice: User
) -> None:
    seat, command = some_move(game)
    log = log_of(game)
    other = next(c for c in log.engine.rules.legal_commands(log.state, seat) if c != command)
    play(game, alice, seat, command, game.version)
    with pytest.raises(GameMoved, match="moved on"):
        play(game, alice, seat, other, game.version)


def test_a_form_older_than_somebody_elses_move_is_stale(game: Game, alice: User) -> None:
    play_turns(game, 2)  # Alice, Bob: Alice is asked again
    seat, command = some_move(game)
    with pytest.raises(GameMoved):
        play(game, alice, seat, command, game.version - 1)


@pytest.mark.parametrize("ahead", [1, 1000])
def test_a_version_that_is_still_to_come_is_refused(game: Game, alice: User, ahead: int) -> None:
    seat, command = some_move(game)
    with pytest.raises(GameMoved):
        play(game, alice, seat, command, game.version + ahead)


def test_a_form_that_only_missed_a_pause_is_not_stale(game: Game, alice: User, mona: User) -> None:
    """The position is the one the player saw: nothing is asked of them twice."""
    seat, command = some_move(game)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "holidays"))
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "back"))
    played = play(game, alice, seat, command, game.version)
    assert not played.repeated
    assert fresh(game).to_act == [1]


def test_a_move_that_was_taken_back_is_not_repeated_by_an_old_form(
    game: Game, alice: User, mona: User
) -> None:
    seat, command = some_move(game)
    play(game, alice, seat, command, game.version)
    services.moderate_rollback(
        game_id=game.pk, to_seq=game.version, ruling=services.Ruling(mona, "misread")
    )
    with pytest.raises(GameMoved):
        play(game, alice, seat, command, game.version)


def test_somebody_elses_same_move_is_not_ones_own(game: Game, bob: User) -> None:
    seat, command = some_move(game)
    play_one(game)
    with pytest.raises(NotAllowed):
        play(game, bob, seat, command, game.version)


# -- in notation -------------------------------------------------------------------------------


def test_a_move_can_be_written_as_a_line(game: Game, alice: User) -> None:
    log = log_of(game)
    seat, command = some_move(game)
    line = log.engine.notation.describe(command, log.engine.rules.view(log.state, seat))
    sent: dict[str, Any] = {
        "game_id": game.pk,
        "user": alice,
        "seat": 0,
        "line": line,
        "version": game.version,
    }
    first = services.game_play_line(**sent)
    assert log.engine.rules.command_of(first.events[0]) == (seat, command)
    play_one(game)
    again = services.game_play_line(**sent)
    assert (again.version, again.events, again.repeated) == (first.version, first.events, True)


def test_a_line_that_cannot_be_read_changes_nothing(game: Game, alice: User) -> None:
    with pytest.raises(MalformedMove):
        services.game_play_line(
            game_id=game.pk, user=alice, seat=0, line="swim to the shore", version=game.version
        )
    assert fresh(game).version == game.version


# -- notes ---------------------------------------------------------------------------------------


def test_a_note_comes_with_a_move_and_stays_out_of_the_log(game: Game) -> None:
    play_one(game, note="  Mind the\u202e gap!\r\n\r\n\x07Second line ")
    note = Message.objects.get(game=game)
    assert (note.seq, note.seat, note.text) == (game.version + 1, 0, "Mind the gap!\n\nSecond line")
    assert not any(
        "gap" in str(entry.event) and "Mind" in str(entry.event) for entry in log_of(game).entries
    )


def test_a_note_of_a_thousand_characters_is_the_longest(game: Game) -> None:
    with pytest.raises(ServiceError, match="1000"):
        play_one(game, note="x" * 1001)
    assert fresh(game).version == game.version
    play_one(game, note="x" * 1000)
    assert len(Message.objects.get(game=game).text) == 1000


def test_a_double_click_leaves_one_note(game: Game, alice: User) -> None:
    seat, command = some_move(game)
    for _click in range(2):
        services.game_play(
            game_id=game.pk, user=alice, seat=seat, command=command, version=game.version, note="hi"
        )
    assert Message.objects.filter(game=game).count() == 1


# -- bots ----------------------------------------------------------------------------------------


def test_bots_move_until_a_person_is_asked(alice: User) -> None:
    game = table_of(alice, bots=3)
    play_one(game)
    assert services.bots_waiting() == [game.pk]
    assert services.game_play_bots(game_id=game.pk) >= 3
    assert fresh(game).to_act == [0]
    assert services.bots_waiting() == []
    assert services.game_play_bots(game_id=game.pk) == 0


def test_a_bot_has_no_deadline_and_gets_no_email(alice: User) -> None:
    game = table_of(alice, bots=1)
    play_one(game)
    seat = game.seats.get(number=1)
    assert seat.asked_seq is not None
    assert (seat.due_at, seat.remind_at) == (None, None)
    assert not OutboxMail.objects.filter(game=game, seat=1).exists()


def test_nobody_made_a_bots_move(alice: User) -> None:
    game = table_of(alice, bots=1)
    play_one(game)
    services.game_play_bots(game_id=game.pk)
    assert log_of(game).moves[-1][0].by is None


def test_a_bot_that_thought_about_an_old_position_does_nothing(
    monkeypatch: pytest.MonkeyPatch, alice: User
) -> None:
    game = table_of(alice, bots=1)
    play_one(game)
    decide, versions = bots._bot_command, []

    def decide_late(log: Log, seat: int, chance: BotChance) -> Command:
        monkeypatch.setattr(bots, "_bot_command", decide)
        assert services.game_play_bots(game_id=game.pk) == 1  # by another worker
        versions.append(fresh(game).version)
        return decide(log, seat, chance)

    monkeypatch.setattr(bots, "_bot_command", decide_late)
    assert services.game_play_bots(game_id=game.pk) == 0
    assert [fresh(game).version] == versions


def test_a_bot_does_not_move_for_a_person(game: Game) -> None:
    assert services.game_play_bots(game_id=game.pk) == 0
    assert fresh(game).version == game.version


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_the_revealed_seed_reproduces_every_move_of_a_bot(
    alice: User, mona: User, kind: str
) -> None:
    """Including the moves that a moderator let it make for a person."""
    game = table_of(alice, bots=1, kind=kind, options={"order": "seated"})
    services.moderate_play_bot(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "asleep"))
    services.game_play_bots(game_id=game.pk)
    play_one(game)
    services.game_play_bots(game_id=game.pk)
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "enough"))
    log = log_of(game)
    assert log.table.seed is not None
    seed, engine, repeated = bytes.fromhex(log.table.seed), log.engine, 0
    for move in log.moves[1:]:
        if move[0].by is not None and move[0].by != mona.pk:
            continue
        made = engine.rules.command_of(move[0].event)
        assert made is not None
        seat, command = made
        then = log.until(move[0].seq - 1)
        luck = bot_chance(seed, seat, move[0].seq)
        assert engine.bot.choose(engine.rules.view(then.state, seat), luck) == command
        repeated += 1
    assert repeated >= 3


def test_a_fault_in_the_bot_does_not_hold_up_the_table(
    alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    game = table_of(alice, bots=1)
    play_one(game)
    engine = log_of(game).engine
    monkeypatch.setattr(engine.bot, "choose", lambda *_any: Pass())
    services.game_play_bots(game_id=game.pk)
    assert fresh(game).to_act == [0]
    assert "illegal move" in caplog.text
    made = engine.rules.command_of(log_of(game).moves[-1][0].event)
    assert made is not None
    assert isinstance(made[1], Move)


def test_bots_do_not_play_in_a_pause(alice: User, mona: User) -> None:
    game = table_of(alice, bots=1)
    play_one(game)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "wait"))
    assert services.bots_waiting() == []
    assert services.game_play_bots(game_id=game.pk) == 0


# -- giving up -----------------------------------------------------------------------------------


def test_a_player_who_gives_up_leaves_the_seat_to_a_bot(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol)
    services.game_resign(game_id=game.pk, user=alice)
    seat = game.seats.get(number=0)
    assert (seat.user, seat.is_bot, seat.due_at) == (None, True, None)
    assert fresh(game).status == Game.Status.RUNNING
    assert log_of(game).table.bots == (True, False, False)
    services.game_play_bots(game_id=game.pk)
    assert fresh(game).to_act == [1]


def test_a_host_who_gives_up_passes_the_table_on(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    services.game_resign(game_id=game.pk, user=alice)
    assert fresh(game).host == bob


def test_the_game_ends_when_only_bots_would_be_left(alice: User) -> None:
    game = table_of(alice, bots=2)
    services.game_resign(game_id=game.pk, user=alice)
    over = fresh(game)
    assert over.status == Game.Status.FINISHED
    assert over.scores is None
    assert over.winners == []
    assert log_of(game).table.seed is not None


def test_with_one_person_left_the_game_goes_on_if_the_host_chose_so(alice: User, bob: User) -> None:
    game = table_of(alice, bob, resign_policy="bot")
    services.game_resign(game_id=game.pk, user=bob)
    assert fresh(game).status == Game.Status.RUNNING


def test_with_one_person_left_the_game_ends_if_the_host_chose_so(alice: User, bob: User) -> None:
    game = table_of(alice, bob, bots=1, resign_policy="end")
    services.game_resign(game_id=game.pk, user=bob)
    over = fresh(game)
    assert over.status == Game.Status.FINISHED
    assert over.winners == [0]
    assert over.to_act == []


def test_with_two_people_left_the_bot_takes_over_in_any_case(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol, resign_policy="end")
    services.game_resign(game_id=game.pk, user=carol)
    assert fresh(game).status == Game.Status.RUNNING
    assert game.seats.get(number=2).is_bot


def test_nobody_gives_up_twice(game: Game, bob: User) -> None:
    services.game_resign(game_id=game.pk, user=bob)
    with pytest.raises(NotAllowed, match="not a player"):
        services.game_resign(game_id=game.pk, user=bob)


def test_nobody_gives_up_what_has_not_begun_or_is_over(alice: User, bob: User) -> None:
    with pytest.raises(ServiceError, match="not started"):
        services.game_resign(game_id=table_of(alice, seats=2).pk, user=alice)
    over = given_up(alice, bob)
    with pytest.raises(ServiceError, match="over"):
        services.game_resign(game_id=over.pk, user=alice)


def test_refusals_are_sentences_and_the_engines_are_its_own(game: Game, alice: User) -> None:
    with pytest.raises(MoveError) as refusal:
        play(game, alice, 0, Pass(), game.version)
    assert str(refusal.value.text).endswith(".")
