"""Moderation: every action leaves an event with a reason and an email, and the game goes on."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.db.models import F
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from games import selectors, services
from games.log import table_events
from games.management.commands.verify import verify_game, verify_games
from games.models import FOR_GOOD, Decision, Game, GameEvent, OutboxMail, Seat, User
from games.selectors.seat_names import SeatNames
from games.services import NotAllowed, ServiceError
from tests.factories import (
    fresh,
    log_of,
    play_one,
    play_to_the_end,
    play_turns,
    some_move,
    table_of,
)
from tests.fixtures.people import a_host, a_player
from tests.support.emails import written
from tests.support.moderators import ACTS, give_factor
from tests.support.pages import page_of, signed_in, text
from tests.support.shared_rows import shared_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


@pytest.fixture(scope="module")
def shared_table(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Game]:
    """Two people, three days a move; Alice is asked."""
    with shared_rows(
        django_db_blocker, lambda: table_of(a_host(), a_player(), pace_days=3)
    ) as game:
        yield game


def seat(game: Game, number: int = 0) -> Seat:
    return Seat.objects.get(game=game, number=number)


def long_ago(game: Game, ago: timedelta) -> None:
    """As if all that happened had happened so much earlier."""
    for chair in Seat.objects.filter(game=game, asked_seq__isnull=False):
        assert chair.asked_at is not None
        chair.asked_at -= ago
        chair.due_at = chair.due_at and chair.due_at - ago
        chair.remind_at = chair.remind_at and chair.remind_at - ago
        chair.save()
    Game.objects.filter(pk=game.pk, paused_at__isnull=False).update(paused_at=timezone.now() - ago)


def about(first: datetime | None, second: datetime) -> bool:
    """The same within the seconds that a test takes."""
    assert first is not None
    return abs(first - second) < timedelta(seconds=20)


@pytest.mark.parametrize("act", ACTS)
def test_a_moderator_whose_account_was_closed_is_none_any_more(
    game: Game, mona: User, act: str
) -> None:
    mona.suspended_until = FOR_GOOD
    version = fresh(game).version
    with pytest.raises(NotAllowed):
        ACTS[act](game, mona, "because")
    assert fresh(game).version == version


def test_players_end_no_sessions_and_close_no_account_of_others(alice: User, bob: User) -> None:
    with pytest.raises(NotAllowed):
        services.moderate_sessions(user=alice, ruling=services.Ruling(bob, "x"))
    with pytest.raises(NotAllowed):
        services.moderate_close(user=alice, ruling=services.Ruling(bob, "x"))
    with pytest.raises(NotAllowed):
        services.moderate_factor(factor=give_factor(alice), ruling=services.Ruling(bob, "x"))
    alice.refresh_from_db()
    assert alice.closes_at is None


@pytest.mark.parametrize("act", ACTS)
def test_players_are_no_moderators(game: Game, alice: User, bob: User, act: str) -> None:
    version = fresh(game).version
    for user in (alice, bob):
        with pytest.raises(NotAllowed):
            ACTS[act](game, user, "because")
    assert fresh(game).version == version


@pytest.mark.parametrize("act", ACTS)
def test_without_a_reason_nothing_is_done(game: Game, mona: User, act: str) -> None:
    version = fresh(game).version
    with pytest.raises(ServiceError, match="reason"):
        ACTS[act](game, mona, " \n ")
    assert fresh(game).version == version


@pytest.mark.parametrize("act", [name for name in ACTS if name not in ("resume", "abort")])
def test_everybody_reads_what_was_done_and_why(
    game: Game, alice: User, bob: User, mona: User, act: str
) -> None:
    play_turns(game, 2)
    version = fresh(game).version
    ACTS[act](game, mona, "Bob asked\nfor it")
    first = log_of(game).entries[version]
    assert first.by == mona.pk
    assert first.reason == "Bob asked for it"
    mails = OutboxMail.objects.filter(game=game, kind="moderated", seq=first.seq)
    reasons = {mail.to_address: mail.context["reason"] for mail in mails}
    assert reasons == dict.fromkeys((alice.email, bob.email), "Bob asked for it")


@pytest.mark.parametrize("act", [name for name in ACTS if name != "resume"])
def test_what_a_moderator_writes_can_be_deleted_and_the_log_stays_whole(
    game: Game, mona: User, act: str
) -> None:
    play_turns(game, 2)
    version = fresh(game).version
    ACTS[act](game, mona, "Bob asked for it")
    payloads = GameEvent.objects.filter(game=game).values_list("payload", flat=True)
    assert "Bob asked for it" not in str(list(payloads))
    decision = Decision.objects.get(game=game)
    services.decision_text_remove(decision_id=decision.pk, ruling=services.Ruling(mona, "Unkind"))
    log = log_of(game)
    names = SeatNames(log, list(game.seats.order_by("number")))
    said = selectors.sentence_of(log, log.entries[version], None, names)
    assert said is not None and said.endswith(".")
    assert [faults for _id, _version, faults in verify_games([game.pk])] == [[]]


# -- pause and resume ----------------------------------------------------------------------------


def test_in_a_pause_no_deadline_runs_and_nobody_moves(game: Game, alice: User, mona: User) -> None:
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "holidays"))
    paused = fresh(game)
    assert paused.status == Game.Status.PAUSED
    assert seat(game).due_at is None
    assert seat(game).asked_seq is not None
    number, command = some_move(paused)
    with pytest.raises(ServiceError, match="paused"):
        services.game_play(
            game_id=game.pk, user=alice, seat=number, command=command, version=paused.version
        )


def test_the_deadline_moves_by_the_pause(game: Game, mona: User) -> None:
    before = seat(game)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "holidays"))
    ago = timedelta(days=10)
    Game.objects.filter(pk=game.pk).update(paused_at=F("paused_at") - ago)
    asked = Seat.objects.filter(game=game, number=0)
    asked.update(asked_at=F("asked_at") - ago, remind_from=F("remind_from") - ago)
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "back"))
    after = seat(game)
    assert fresh(game).status == Game.Status.RUNNING
    assert fresh(game).paused_at is None
    assert before.due_at is not None and before.remind_at is not None
    assert about(after.due_at, before.due_at)
    assert about(after.remind_at, before.remind_at)
    assert after.asked_seq == before.asked_seq


def test_a_deadline_that_had_passed_has_passed_after_the_pause(game: Game, mona: User) -> None:
    long_ago(game, timedelta(days=4))
    services.deadline_check(now=timezone.now())
    passed = seat(game).due_at
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "wait"))
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "on"))
    assert seat(game).overdue
    assert passed is not None
    assert about(seat(game).due_at, passed)


def test_to_pause_or_resume_twice_is_refused(game: Game, mona: User) -> None:
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "one"))
    with pytest.raises(ServiceError, match="already paused"):
        services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "two"))
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "on"))
    with pytest.raises(ServiceError, match="not paused"):
        services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "on again"))


def test_a_game_that_is_over_is_not_paused(game: Game, mona: User) -> None:
    with pytest.raises(ServiceError, match="over"):
        services.moderate_pause(
            game_id=play_to_the_end(game).pk, ruling=services.Ruling(mona, "late")
        )


# -- more time -----------------------------------------------------------------------------------


def test_more_time_is_added_to_the_deadline(game: Game, mona: User) -> None:
    before = seat(game)
    services.moderate_extend(game_id=game.pk, days=4, ruling=services.Ruling(mona, "travelling"))
    after = seat(game)
    assert before.due_at is not None
    assert after.due_at == before.due_at + timedelta(days=4)
    event, why = (entry.event for entry in log_of(game).entries[-2:])
    assert isinstance(event, table_events.Extended)
    assert why == table_events.DeadlineMoved(seat=0, code="moderator", seconds=4 * 86400)
    assert datetime.fromisoformat(event.until) == after.due_at.replace(microsecond=0)


def test_more_time_after_the_deadline_counts_from_now(game: Game, mona: User) -> None:
    long_ago(game, timedelta(days=8))
    services.deadline_check(now=timezone.now())
    services.moderate_extend(game_id=game.pk, days=2, seat=0, ruling=services.Ruling(mona, "ill"))
    assert about(seat(game).due_at, timezone.now() + timedelta(days=2))
    assert not seat(game).overdue


@pytest.mark.parametrize("days", [0, -1, 366])
def test_more_time_is_a_number_of_days(game: Game, mona: User, days: int) -> None:
    with pytest.raises(ServiceError, match="1 to 365"):
        services.moderate_extend(game_id=game.pk, days=days, ruling=services.Ruling(mona, "x"))


def test_a_player_who_is_not_asked_has_no_deadline_to_move(game: Game, mona: User) -> None:
    with pytest.raises(ServiceError, match="no deadline"):
        services.moderate_extend(game_id=game.pk, days=1, seat=1, ruling=services.Ruling(mona, "x"))


# -- the bot plays a turn ------------------------------------------------------------------------


def test_the_bot_plays_one_turn_and_the_seat_stays_whose_it_is(
    game: Game, alice: User, mona: User
) -> None:
    services.moderate_play_bot(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "away"))
    log = log_of(game)
    assert fresh(game).to_act == [1]
    assert seat(game).user == alice
    assert isinstance(log.entries[game.version].event, table_events.BotPlayed)
    assert log.engine.rules.command_of(log.moves[-1][0].event)[0] == 0  # type: ignore[index]


def test_the_luck_of_a_turn_played_by_the_bot_is_that_of_its_place(game: Game, mona: User) -> None:
    """Its moves are checked with the seed like any other's: see the whole log decided anew."""
    from games.rules.replay import check
    from games.selectors import record_lines

    services.moderate_play_bot(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "away"))
    play_one(game)
    services.moderate_play_bot(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "away"))
    over = play_to_the_end(game)
    [checked] = check(record_lines(over))
    assert checked.fair
    assert checked.outcome is not None
    assert list(checked.outcome.scores) == over.scores


def test_the_bot_plays_for_nobody_who_is_not_asked(game: Game, mona: User) -> None:
    with pytest.raises(ServiceError, match="not this player’s turn"):
        services.moderate_play_bot(game_id=game.pk, seat=1, ruling=services.Ruling(mona, "x"))


# -- another at the seat -------------------------------------------------------------------------


def test_a_seat_is_handed_to_the_bot(game: Game, mona: User) -> None:
    services.moderate_hand_seat(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "gone"))
    assert (seat(game).user, seat(game).is_bot, seat(game).due_at) == (None, True, None)
    assert log_of(game).table.bots == (True, False)
    assert services.game_play_bots(game_id=game.pk) > 0
    assert fresh(game).to_act == [1]


def test_a_seat_is_handed_to_another_player_who_is_asked_anew(
    game: Game, dave: User, mona: User
) -> None:
    long_ago(game, timedelta(days=4))
    services.deadline_check(now=timezone.now())
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=dave, ruling=services.Ruling(mona, "gone")
    )
    now = seat(game)
    assert now.user == dave
    assert not now.overdue
    assert now.asked_seq == fresh(game).version
    assert about(now.due_at, timezone.now() + timedelta(days=3))
    assert OutboxMail.objects.filter(user=dave, kind="turn", seq=now.asked_seq).count() == 1


def test_a_bots_seat_is_handed_to_a_player(alice: User, dave: User, mona: User) -> None:
    game = table_of(alice, bots=1)
    services.moderate_hand_seat(
        game_id=game.pk, seat=1, to=dave, ruling=services.Ruling(mona, "a guest")
    )
    assert (seat(game, 1).user, seat(game, 1).is_bot) == (dave, False)
    assert log_of(game).table.bots == (False, False)


def test_another_player_is_host_when_the_seat_of_the_host_is_handed_over(
    game: Game, bob: User, dave: User, mona: User
) -> None:
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=dave, ruling=services.Ruling(mona, "gone")
    )
    assert fresh(game).host == bob


def test_a_player_who_is_given_a_seat_among_bots_is_host(
    alice: User, dave: User, mona: User
) -> None:
    game = table_of(alice, bots=1)
    services.moderate_hand_seat(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "gone"))
    assert fresh(game).host is None
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=dave, ruling=services.Ruling(mona, "a guest")
    )
    assert fresh(game).host == dave


def test_nobody_sits_on_two_seats(game: Game, bob: User, mona: User) -> None:
    with pytest.raises(ServiceError, match="already has a seat"):
        services.moderate_hand_seat(
            game_id=game.pk, seat=0, to=bob, ruling=services.Ruling(mona, "x")
        )


def test_the_bot_cannot_be_given_its_own_seat(alice: User, mona: User) -> None:
    game = table_of(alice, bots=1)
    with pytest.raises(ServiceError, match="already has this seat"):
        services.moderate_hand_seat(game_id=game.pk, seat=1, ruling=services.Ruling(mona, "x"))


# -- a seat goes to somebody who agrees ----------------------------------------------------------


def offer(game: Game, to: User, by: User) -> Decision:
    services.moderate_offer_seat(
        game_id=game.pk, seat=0, to=to, ruling=services.Ruling(by, "Alice is gone")
    )
    return Decision.objects.latest("pk")


def test_a_seat_stays_as_it_is_until_the_person_accepts(
    game: Game, alice: User, dave: User, mona: User
) -> None:
    version = game.version
    made = offer(game, dave, mona)
    assert (seat(game).user, fresh(game).version) == (alice, version)
    assert f"/seat-offers/{made.pk}/" in written(OutboxMail.objects.get(kind="decision")).text
    services.seat_offer_accept(decision_id=made.pk, user=dave)
    assert seat(game).user == dave
    services.seat_offer_accept(decision_id=made.pk, user=dave)
    assert log_of(game).seating.now[0].since == version + 1


def test_nobody_else_accepts_it(game: Game, dave: User, carol: User, mona: User) -> None:
    made = offer(game, dave, mona)
    with pytest.raises(NotAllowed):
        services.seat_offer_accept(decision_id=made.pk, user=carol)


def test_an_offer_is_over_once_the_seat_has_another_holder(
    game: Game, dave: User, mona: User
) -> None:
    made = offer(game, dave, mona)
    services.moderate_hand_seat(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "gone"))
    with pytest.raises(ServiceError, match="expired"):
        services.seat_offer_accept(decision_id=made.pk, user=dave)


def test_an_offer_is_over_once_its_moderator_may_not_act_there(
    game: Game, dave: User, mona: User
) -> None:
    made = offer(game, dave, mona)
    User.objects.filter(pk=mona.pk).update(is_staff=False)
    with pytest.raises(ServiceError, match="This offer has expired"):
        services.seat_offer_accept(decision_id=made.pk, user=dave)


def test_an_offer_is_over_once_its_words_are_removed(
    game: Game, dave: User, mona: User, ada: User
) -> None:
    made = offer(game, dave, mona)
    services.decision_text_remove(decision_id=made.pk, ruling=services.Ruling(ada, "Private"))
    with pytest.raises(ServiceError, match="This offer has expired"):
        services.seat_offer_accept(decision_id=made.pk, user=dave)


def test_a_seat_is_offered_to_nobody_who_blocks_a_player_there(
    game: Game, bob: User, dave: User, mona: User
) -> None:
    refusals = []
    for one, other in ((bob, dave), (dave, bob)):
        User.objects.filter(pk=one.pk).update(blocked=[other.pk])
        with pytest.raises(ServiceError, match="they would read") as refused:
            offer(game, User.objects.get(pk=dave.pk), mona)
        User.objects.filter(pk=one.pk).update(blocked=[])
        refusals.append(refused.value.text)
    assert refusals[0] == refusals[1], "nobody learns who has blocked whom"
    assert not Decision.objects.exists()


def test_without_a_person_a_bot_has_the_seat_at_once(game: Game, mona: User) -> None:
    services.moderate_offer_seat(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "gone"))
    assert seat(game).is_bot


def test_the_page_of_an_offer_is_for_its_person_alone(
    game: Game, carol: User, dave: User, mona: User
) -> None:
    page = f"/seat-offers/{offer(game, dave, mona).pk}/"
    assert signed_in(carol).get(page).status_code == 404
    client = signed_in(dave)
    said = text(client.get(page))
    assert "Alice is gone" in said
    assert "Seat 1, which you can take until " in said
    assert client.post(page)["Location"].endswith(f"/g/{game.public_id}/")
    assert seat(game).user == dave


# -- the host, once a deadline has passed --------------------------------------------------------


@pytest.fixture
def late(game: Game) -> Game:
    """Bob let his deadline pass; Alice is the host."""
    play_one(game)
    long_ago(game, timedelta(days=4))
    services.deadline_check(now=timezone.now())
    return fresh(game)


def test_the_host_lets_the_bot_play_for_one_who_is_late(late: Game, alice: User, bob: User) -> None:
    services.moderate_play_bot(game_id=late.pk, seat=1, ruling=services.Ruling(alice, "three days"))
    assert fresh(late).to_act == [0]
    assert seat(late, 1).user == bob


def test_the_host_hands_over_the_seat_of_one_who_is_late(
    late: Game, alice: User, dave: User
) -> None:
    services.moderate_hand_seat(
        game_id=late.pk, seat=1, to=dave, ruling=services.Ruling(alice, "gone")
    )
    assert seat(late, 1).user == dave


def test_a_late_player_takes_the_seat_back_from_the_bot_of_the_host(
    late: Game, alice: User, bob: User
) -> None:
    services.moderate_hand_seat(game_id=late.pk, ruling=services.Ruling(alice, "gone"), seat=1)
    mail = written(OutboxMail.objects.get(game=late, user=bob, kind="missed"))
    assert "the host gave your seat to a bot" in mail.text
    assert "Reason: gone" in mail.text
    assert "You can take your seat back on the game page" in mail.text
    assert not OutboxMail.objects.filter(game=late, user=bob, kind="moderated").exists()
    assert "Take my seat back" in page_of(late, bob)
    services.seat_take_back(game_id=late.pk, user=bob)
    assert seat(late, 1).user == bob
    assert verify_game(late.pk)[2] == []


def test_nobody_takes_a_seat_back_that_a_moderator_gave_to_a_bot(
    late: Game, bob: User, mona: User
) -> None:
    services.moderate_hand_seat(game_id=late.pk, ruling=services.Ruling(mona, "insults"), seat=1)
    with pytest.raises(NotAllowed):
        services.seat_take_back(game_id=late.pk, user=bob)


def test_a_guest_does_neither(late: Game, bob: User, dave: User) -> None:
    for user in (bob, dave):
        with pytest.raises(NotAllowed):
            services.moderate_play_bot(game_id=late.pk, seat=1, ruling=services.Ruling(user, "x"))
        with pytest.raises(NotAllowed):
            services.moderate_hand_seat(game_id=late.pk, seat=1, ruling=services.Ruling(user, "x"))


def test_the_host_does_nothing_else(late: Game, alice: User) -> None:
    for act in ("pause", "extend", "rollback", "abort"):
        with pytest.raises(NotAllowed):
            ACTS[act](late, alice, "because")


def test_the_host_takes_no_seat_in_a_pause(late: Game, alice: User, bob: User, mona: User) -> None:
    services.moderate_pause(game_id=late.pk, ruling=services.Ruling(mona, "looking into it"))
    with pytest.raises(ServiceError, match="paused"):
        services.moderate_hand_seat(game_id=late.pk, ruling=services.Ruling(alice, "slow"), seat=1)
    assert seat(late, 1).user == bob


def test_the_host_waits_until_the_deadline_has_passed(game: Game, alice: User) -> None:
    play_one(game)
    with pytest.raises(NotAllowed, match="has passed"):
        services.moderate_play_bot(game_id=game.pk, seat=1, ruling=services.Ruling(alice, "slow"))


# -- back to an earlier event --------------------------------------------------------------------


def test_after_a_rollback_the_one_who_was_asked_then_is_asked_anew(
    game: Game, alice: User, mona: User
) -> None:
    start = log_of(game)
    play_turns(game, 3)
    services.moderate_rollback(
        game_id=game.pk, to_seq=start.version, ruling=services.Ruling(mona, "misread")
    )
    now = fresh(game)
    assert now.to_act == [0]
    assert log_of(game).state == start.state
    assert seat(game).asked_seq == now.version
    assert seat(game, 1).asked_seq is None
    assert about(seat(game).due_at, timezone.now() + timedelta(days=3))
    assert OutboxMail.objects.filter(user=alice, kind="turn", seq=now.version).count() == 1


def test_after_a_rollback_the_luck_is_another(game: Game, alice: User, mona: User) -> None:
    """Nobody can play a move, look at the cards and ask for another go with the same ones: what is
    drawn from a shuffled deck stays, every new shuffle is a new one."""
    start = game.version
    play_one(game)
    services.moderate_rollback(
        game_id=game.pk, to_seq=start, ruling=services.Ruling(mona, "misread")
    )
    play_one(game)
    first, again = (e.seq for e in log_of(game).entries if e.kind == "moved")
    assert first == start + 1
    assert again > first


def test_a_rollback_cuts_between_moves_only(game: Game, mona: User) -> None:
    play_turns(game, 3)
    log = log_of(game)
    middles = [entry.seq for move in log.moves for entry in move[:-1]]
    before = [entry.seq for entry in log.entries if entry.is_table]
    assert middles
    for to_seq in [*middles, *before, 0, -1, log.version + 1]:
        with pytest.raises(ServiceError, match="end of a move"):
            services.moderate_rollback(
                game_id=game.pk, to_seq=to_seq, ruling=services.Ruling(mona, "x")
            )


def test_a_rollback_to_where_the_game_stands_is_refused(game: Game, mona: User) -> None:
    play_one(game)
    with pytest.raises(ServiceError, match="already at this position"):
        services.moderate_rollback(
            game_id=game.pk, to_seq=fresh(game).version, ruling=services.Ruling(mona, "x")
        )


def test_what_was_undone_cannot_be_gone_back_to(game: Game, mona: User) -> None:
    start = game.version
    gone = play_one(game).version
    services.moderate_rollback(game_id=game.pk, to_seq=start, ruling=services.Ruling(mona, "x"))
    play_one(game)
    with pytest.raises(ServiceError, match="end of a move"):
        services.moderate_rollback(game_id=game.pk, to_seq=gone, ruling=services.Ruling(mona, "x"))


def test_once_the_seed_is_known_there_is_no_way_back(game: Game, mona: User) -> None:
    over = play_to_the_end(game)
    with pytest.raises(ServiceError, match="over"):
        services.moderate_rollback(
            game_id=game.pk,
            to_seq=log_of(over).moves[-2][-1].seq,
            ruling=services.Ruling(mona, "x"),
        )


def test_a_rollback_in_a_pause_keeps_the_pause(game: Game, mona: User) -> None:
    start = game.version
    play_turns(game, 2)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "dispute"))
    services.moderate_rollback(
        game_id=game.pk, to_seq=start, ruling=services.Ruling(mona, "settled")
    )
    assert fresh(game).status == Game.Status.PAUSED
    assert seat(game).due_at is None
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "on"))
    assert about(seat(game).due_at, timezone.now() + timedelta(days=3))
    assert seat(game).remind_at is not None
    play_one(game)


def test_a_seat_keeps_its_player_through_a_rollback(game: Game, dave: User, mona: User) -> None:
    start = game.version
    play_one(game)
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=dave, ruling=services.Ruling(mona, "new")
    )
    services.moderate_rollback(game_id=game.pk, to_seq=start, ruling=services.Ruling(mona, "x"))
    assert seat(game).user == dave


# -- the end without a result --------------------------------------------------------------------


def test_an_aborted_game_has_no_result_and_no_secrets(game: Game, mona: User) -> None:
    play_turns(game, 2)
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "both asked"))
    over = fresh(game)
    assert over.status == Game.Status.ABORTED
    assert (over.scores, over.winners, over.to_act) == (None, None, [])
    assert log_of(over).table.seed == bytes(game.seed).hex()
    assert seat(game).due_at is None
    assert OutboxMail.objects.filter(game=game, kind="over").count() == 2


def test_a_table_that_gathers_can_be_aborted(alice: User, mona: User) -> None:
    game = table_of(alice, seats=3)
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "rude name"))
    assert fresh(game).status == Game.Status.ABORTED


def test_aborting_twice_is_aborting_once(game: Game, mona: User) -> None:
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "x"))
    version = fresh(game).version
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "y"))
    assert fresh(game).version == version


def test_a_game_can_be_aborted_in_a_pause(game: Game, mona: User) -> None:
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "x"))
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "y"))
    assert fresh(game).status == Game.Status.ABORTED
    assert seat(game).time_left is None
