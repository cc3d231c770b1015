"""Messages between the players of a table: who writes, reads, deletes, removes and mutes them."""

from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games import selectors, services
from games.models import Game, Message, OutboxMail, Seat, User, database_clock
from games.services import NotAllowed, QuotaExceeded, ServiceError
from tests.factories import given_up, miss_deadline, person, play_one, table_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


def say(game: Game, user: User, text: str = "Hello") -> Message:
    return services.message_write(game_id=game.pk, user=user, text=text)


def read_by(game: Game, user: User | AnonymousUser) -> list[str]:
    """The texts on the page of the table, as this person sees it now."""
    found = selectors.talk_of(selectors.game_for(user, game.public_id), user)
    return [line.text for line in found.lines] if found is not None else []


def wait(minutes: float) -> None:
    """So much time goes by for all messages."""
    for message in Message.objects.all():
        message.at -= timedelta(minutes=minutes)
        message.save(update_fields=["at"])


def moderating(mona: User) -> User:
    mona.has_proved_factor = True
    return mona


# -- who reads ---------------------------------------------------------------------------------


def test_players_and_moderators_read_what_is_written_and_spectators_do_not(
    game: Game, alice: User, bob: User, dave: User, mona: User
) -> None:
    say(game, alice)
    assert read_by(game, bob) == read_by(game, alice) == ["Hello"]
    assert read_by(game, moderating(mona)) == ["Hello"]
    assert read_by(game, dave) == read_by(game, AnonymousUser()) == []


def test_a_new_player_on_a_seat_reads_what_is_written_from_then_on(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.OPEN)
    say(game, bob, "before")
    for _miss in range(2):
        assert miss_deadline(game) == 0
        services.game_play_bots(game_id=game.pk)
        play_one(game)
    services.seat_take_over(game_id=game.pk, seat=0, user=carol)
    say(game, bob, "after")
    assert read_by(game, carol) == ["after"]
    assert read_by(game, alice) == []


def test_after_the_end_talk_stays_with_those_who_held_a_seat(alice: User, bob: User) -> None:
    game = table_of(alice, bob, resign_policy=Game.ResignPolicy.END)
    say(game, bob)
    services.game_resign(game_id=game.pk, user=alice)
    assert read_by(game, alice) == read_by(game, bob) == ["Hello"]
    say(game, alice, "Thanks, good game")
    assert read_by(game, bob) == ["Hello", "Thanks, good game"]
    assert read_by(game, person("Eve")) == []


def test_only_players_write(game: Game, dave: User, mona: User) -> None:
    for somebody in (dave, moderating(mona)):
        with pytest.raises(NotAllowed):
            say(game, somebody)


def test_a_game_against_bots_has_no_talk(alice: User) -> None:
    game = table_of(alice, bots=1)
    assert selectors.talk_of(selectors.game_for(alice, game.public_id), alice) is None


# -- unread ------------------------------------------------------------------------------------


def test_the_page_marks_where_new_messages_begin_and_lists_count_them(
    game: Game, alice: User, bob: User
) -> None:
    seen = say(game, alice, "old")
    services.talk_seen(seat=Seat.objects.get(game=game, user=bob), newest=seen.pk)
    say(game, alice, "new")
    say(game, alice, "newer")
    say(game, bob, "mine")
    found = selectors.talk_of(selectors.game_for(bob, game.public_id), bob)
    assert found is not None
    assert [line.is_first_unread for line in found.lines] == [False, True, False, False]
    (row,) = selectors.home(bob).others
    assert row.unread == 2
    bob.muted = [alice.pk]
    assert selectors.home(bob).others[0].unread == 0


def test_lists_count_new_messages_of_finished_games(alice: User, bob: User) -> None:
    game = given_up(alice, bob)
    say(game, bob, "Well played")
    assert [row.unread for row in selectors.home(alice).finished] == [1]


def test_each_finished_game_is_listed_once_with_its_new_messages(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    monkeypatch.setattr("games.selectors.game_lists.FINISHED_SHOWN", 2)
    games = [given_up(alice, bob), given_up(bob, alice)]
    for game in games:
        say(game, bob, "Well played")
    assert {(row.game.pk, row.unread) for row in selectors.home(alice).finished} == {
        (game.pk, 1) for game in games
    }


def test_the_page_shows_the_latest_thirty(game: Game, alice: User, bob: User) -> None:
    for number in range(32):
        say(game, alice, f"{number}")
    seen = selectors.game_for(bob, game.public_id)
    found = selectors.talk_of(seen, bob)
    whole = selectors.talk_of(seen, bob, whole=True)
    assert found is not None
    assert whole is not None
    assert found.has_earlier
    assert [line.text for line in found.lines] == [str(n) for n in range(2, 32)]
    assert len(whole.lines) == 32


# -- text --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("a" + "\n" * 1000 + "b", "a\n\nb"),
        ("in\u200bvi\u202esi\u2066ble\x07", "in vi si ble"),
        ("-=-=- Reply above this line -=-=-", "– Reply above this line –"),
        ("-\u200b=-=\u200b-=- Reply", "– Reply"),
        ("see <b>https://example.org</b>", "see <b>https://example.org</b>"),
        ("a - b = c -- d", "a - b = c -- d"),
    ],
)
def test_what_nobody_types_is_cleaned(game: Game, alice: User, written: str, stored: str) -> None:
    assert say(game, alice, written).text == stored


@pytest.mark.parametrize("text", ["", " \n ", "\u200b\u2060", "x" * 1001, "a\n" * 60])
def test_empty_and_endless_messages_are_refused(game: Game, alice: User, text: str) -> None:
    with pytest.raises(ServiceError):
        say(game, alice, text)
    assert not Message.objects.exists()


# -- delete, remove, mute, close -----------------------------------------------------------------


def test_its_author_deletes_a_message_without_a_trace_within_two_minutes(
    game: Game, alice: User, bob: User
) -> None:
    message = say(game, alice)
    services.message_delete(game_id=game.pk, user=alice, key=message.pk)
    assert read_by(game, bob) == []
    assert not Message.objects.exists()


def test_later_a_deleted_message_leaves_its_place(game: Game, alice: User, bob: User) -> None:
    message = say(game, alice)
    wait(minutes=3)
    services.message_delete(game_id=game.pk, user=alice, key=message.pk)
    assert read_by(game, bob) == [""]
    assert Message.objects.get().state == Message.State.DELETED


def test_nobody_deletes_the_message_of_somebody_else(game: Game, alice: User, bob: User) -> None:
    message = say(game, alice)
    with pytest.raises(NotAllowed):
        services.message_delete(game_id=game.pk, user=bob, key=message.pk)


def test_a_removed_message_stays_readable_for_moderators(
    game: Game, alice: User, bob: User, mona: User
) -> None:
    message = say(game, alice, "You fool")
    services.message_remove(message_id=message.pk, ruling=services.Ruling(mona, "An insult"))
    assert read_by(game, bob) == read_by(game, alice) == [""]
    assert read_by(game, moderating(mona)) == ["You fool"]


def test_a_muted_person_is_folded_away_for_me_only(game: Game, alice: User, bob: User) -> None:
    services.person_mute(user=bob, person=alice.pk, is_muted=True)
    bob.refresh_from_db()
    say(game, alice)
    mine, theirs = (
        selectors.talk_of(selectors.game_for(user, game.public_id), user) for user in (bob, alice)
    )
    assert mine is not None
    assert theirs is not None
    assert [line.is_muted for line in mine.lines] == [True]
    assert [line.is_muted for line in theirs.lines] == [False]
    assert mine.others == ((0, "Alice", True, False),)
    services.person_mute(user=bob, person=alice.pk, is_muted=False)
    bob.refresh_from_db()
    assert bob.muted == []


def test_the_host_closes_and_opens_talk_and_others_cannot(
    game: Game, alice: User, bob: User
) -> None:
    with pytest.raises(NotAllowed):
        services.talk_switch(game=game, user=bob, is_open=False)
    services.talk_switch(game=game, user=alice, is_open=False)
    with pytest.raises(ServiceError, match="turned off"):
        say(game, bob)
    play_one(game, note="Hello")
    assert not Message.objects.filter(game=game).exists(), "the move is made, its note is not sent"
    services.talk_switch(game=game, user=alice, is_open=True)
    say(game, bob)


def test_a_table_can_be_created_without_talk(alice: User, bob: User) -> None:
    game = table_of(alice, bob, talk_open=False)
    with pytest.raises(ServiceError, match="turned off"):
        say(game, bob)


def closed_to(user: User, by: User, days: int = 5) -> User:
    """The user, whose messages are closed for some days."""
    until = database_clock.now() + timedelta(days=days)
    services.moderate_close_talk(user=user, ruling=services.Ruling(by, "Insults"), until=until)
    return User.objects.get(pk=user.pk)


def test_a_person_whose_messages_are_closed_plays_on_and_writes_nothing(
    game: Game, alice: User, bob: User, mona: User
) -> None:
    silent = closed_to(alice, mona)
    with pytest.raises(ServiceError, match="you cannot write messages until"):
        say(game, silent)
    assert "you cannot write messages" in play_one(game, note="You donkey").note_refused
    say(game, bob)
    found = selectors.talk_of(selectors.game_for(silent, game.public_id), silent)
    assert found is not None
    assert not found.can_write
    assert "until" in found.why_not


def test_a_person_whose_messages_are_closed_invites_without_a_word(alice: User, mona: User) -> None:
    silent = closed_to(alice, mona)
    table = table_of(silent, seats=3)
    circle = services.circle_create(founder=silent, name="Sunday table")
    for invite in (
        partial(services.game_invite, game_id=table.pk),
        partial(services.circle_invite, circle_id=circle.pk),
    ):
        with pytest.raises(ServiceError, match="you cannot write messages until"):
            invite(by=silent, address="zoe@example.net", message="You donkey")
        assert invite(by=silent, address="zoe@example.net").message == ""


def test_their_messages_are_open_again_by_themselves_and_by_a_moderator(
    game: Game, alice: User, mona: User
) -> None:
    closed_to(alice, mona)
    User.objects.filter(pk=alice.pk).update(no_talk_until=database_clock.now())
    say(game, User.objects.get(pk=alice.pk))
    silent = closed_to(alice, mona)
    services.moderate_open_talk(user=silent, ruling=services.Ruling(mona, "She is sorry"))
    say(game, User.objects.get(pk=alice.pk))
    with pytest.raises(ServiceError, match="can already write messages"):
        services.moderate_open_talk(user=alice, ruling=services.Ruling(mona, "Again"))


def test_a_moderator_closes_messages_for_a_month_at_most(alice: User, mona: User) -> None:
    for days, refusal in ((0, "in the future"), (31, "Only administrators")):
        with pytest.raises(ServiceError, match=refusal):
            closed_to(alice, mona, days)


def test_messages_are_limited_per_person_and_seat(
    game: Game, alice: User, bob: User, settings: Settings
) -> None:
    settings.QUOTAS = {"messages_person_hour": 1}
    say(game, alice)
    with pytest.raises(QuotaExceeded):
        say(game, alice)
    settings.QUOTAS = {"messages_seat_day": 1}
    say(game, bob)
    with pytest.raises(QuotaExceeded):
        say(game, bob)


def test_personal_data_have_ones_own_messages(game: Game, alice: User, bob: User) -> None:
    say(game, alice, "mine")
    say(game, bob, "not mine")
    (data,) = selectors.personal_data(alice)["games"]
    assert [message["text"] for message in data["messages"]] == ["mine"]


def test_a_deleted_account_takes_its_messages_along(game: Game, alice: User, bob: User) -> None:
    say(game, alice)
    say(game, bob, "I stay")
    alice.delete()
    assert [message.text for message in Message.objects.all()] == ["I stay"]


# -- cost and secrecy ----------------------------------------------------------------------------


def test_writing_a_message_costs_at_most_eight_queries(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    with CaptureQueriesContext(connection) as found:
        say(game, alice)
    counted = [q for q in found.captured_queries if "SAVEPOINT" not in q["sql"]]
    assert len(counted) <= 8


def test_a_message_changes_no_row_that_others_are_shown(game: Game, alice: User, bob: User) -> None:
    def rows() -> list[object]:
        seats = Seat.objects.filter(game=game).order_by("number").values()
        mails = OutboxMail.objects.exclude(kind="talk").order_by("pk").values()
        return [Game.objects.filter(pk=game.pk).values().get(), list(seats), list(mails)]

    before = rows()
    say(game, alice)
    assert rows() == before
