"""Tables before and after the game: who may sit where, and when it starts."""

import pytest

from games import services
from games.log import table_events
from games.models import Game, Invitation, OutboxMail, User
from games.services import NotAllowed, ServiceError
from tests.factories import fresh, log_of, person, play_turns, table_of, with_settings
from tests.support.emails import Kind, row_for, written


def names(game: Game) -> list[str]:
    """The players, in order of the seats; "bot" for a bot."""
    seats = game.seats.select_related("user").order_by("number")
    return ["bot" if seat.is_bot else str(seat.user) for seat in seats]


def kinds(game: Game) -> list[str]:
    return [entry.kind for entry in log_of(game).entries if entry.is_table]


def create(host: User, **changes: object) -> Game:
    fields: dict[str, object] = {
        "kind": "atlantis",
        "name": "A table",
        "seat_count": 3,
        **changes,
    }
    return services.game_create(host=host, **with_settings(fields))


# -- setting up ---------------------------------------------------------------------------------


def test_a_new_table_waits_with_its_host_on_the_first_seat(alice: User) -> None:
    game = create(alice)
    assert game.status == Game.Status.GATHERING
    assert names(game) == ["Alice"]
    assert kinds(game) == ["table.created", "table.joined"]


def test_a_table_takes_its_settings(alice: User) -> None:
    game = create(
        alice, pace_days=7, is_open=False, resign_policy="end", options={"order": "seated"}
    )
    again = fresh(game)
    assert (again.pace_days, again.is_open, again.resign_policy) == (7, False, "end")
    assert again.options == {"order": "seated"}


def test_options_are_completed_by_the_game(alice: User) -> None:
    assert create(alice).options == {"order": "random"}


def test_a_table_with_bots_on_all_other_seats_starts_at_once(alice: User) -> None:
    game = create(alice, bots=2)
    assert game.status == Game.Status.RUNNING
    assert names(game) == ["Alice", "bot", "bot"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": "chess"}, "not available here"),
        ({"seat_count": 1}, "2 to 4 players"),
        ({"seat_count": 5}, "2 to 4 players"),
        ({"bots": 3}, "not enough seats for that many bots"),
        ({"bots": -1}, "not enough seats for that many bots"),
        ({"pace_days": 4}, "settings are not valid"),
        ({"resign_policy": "weep"}, "settings are not valid"),
        ({"name": "  \n\t "}, "name for the table"),
        ({"options": {"order": "by beauty"}}, "Order of play"),
        ({"options": {"wind": "west"}}, "no option"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_the_reason(
    alice: User, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(ServiceError, match=words):
        create(alice, **changes)
    assert not Game.objects.exists()


def test_a_name_is_one_line_of_at_most_sixty_characters(alice: User) -> None:
    game = create(alice, name="  Above\nthe \u202e\x00sea " + "x" * 80)
    assert game.name.startswith("Above the sea xxx")
    assert len(game.name) == 60


def test_a_host_cannot_litter_the_lobby(alice: User) -> None:
    for _table in range(5):
        create(alice)
    with pytest.raises(ServiceError, match="waiting for players"):
        create(alice)


def test_started_tables_do_not_count_against_the_host(alice: User) -> None:
    for _table in range(6):
        assert create(alice, bots=2).status == Game.Status.RUNNING


# -- joining -------------------------------------------------------------------------------------


def test_a_player_who_joins_takes_the_next_seat(alice: User, bob: User) -> None:
    game = create(alice, bots=1)
    assert services.game_join(game_id=game.pk, user=bob).number == 2
    assert names(game) == ["Alice", "bot", "Bob"]


def test_joining_twice_is_joining_once(alice: User, bob: User) -> None:
    game = create(alice)
    first = services.game_join(game_id=game.pk, user=bob)
    assert services.game_join(game_id=game.pk, user=bob).pk == first.pk
    assert names(game) == ["Alice", "Bob"]
    assert kinds(game).count("table.joined") == 2


def test_joining_again_after_the_start_is_no_error(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    assert services.game_join(game_id=game.pk, user=bob).number == 1


def test_a_full_table_starts_by_itself(alice: User, bob: User, carol: User) -> None:
    game = create(alice)
    services.game_join(game_id=game.pk, user=bob)
    assert fresh(game).status == Game.Status.GATHERING
    services.game_join(game_id=game.pk, user=carol)
    assert fresh(game).status == Game.Status.RUNNING
    assert fresh(game).started_at is not None


def test_nobody_joins_a_game_that_has_begun(alice: User, bob: User, dave: User) -> None:
    game = table_of(alice, bob)
    with pytest.raises(ServiceError, match="already started"):
        services.game_join(game_id=game.pk, user=dave)


def test_a_closed_table_needs_its_link(alice: User, bob: User) -> None:
    game = create(alice, is_open=False)
    with pytest.raises(NotAllowed, match="only join this table by invitation"):
        services.game_join(game_id=game.pk, user=bob)
    with pytest.raises(NotAllowed, match="only join this table by invitation"):
        services.game_join(game_id=game.pk, user=bob, token="guessed")
    assert len(game.invite_token) == 26  # of 32 letters and digits: 130 bits
    services.game_join(game_id=game.pk, user=bob, token=game.invite_token)
    assert names(game) == ["Alice", "Bob"]


# -- invitations ---------------------------------------------------------------------------------


def test_an_invitation_seats_one_person(alice: User, bob: User, dave: User) -> None:
    game = create(alice, is_open=False)
    offer = services.game_invite(game_id=game.pk, by=alice, address=" Bob@Example.org ")
    assert offer.address == "bob@example.org"
    services.game_join(game_id=game.pk, user=bob, token=offer.token)
    offer.refresh_from_db()
    assert offer.answer == Invitation.Answer.ACCEPTED
    with pytest.raises(NotAllowed):
        services.game_join(game_id=game.pk, user=dave, token=offer.token)


def test_an_invitation_to_another_table_is_none_here(alice: User, bob: User) -> None:
    here, there = create(alice, is_open=False), create(alice, is_open=False)
    offer = services.game_invite(game_id=there.pk, by=alice, address=bob.email)
    with pytest.raises(NotAllowed):
        services.game_join(game_id=here.pk, user=bob, token=offer.token)


def test_an_address_is_invited_once_per_table(alice: User) -> None:
    game = create(alice)
    first = services.game_invite(game_id=game.pk, by=alice, address="zoe@example.org")
    again = services.game_invite(game_id=game.pk, by=alice, address="ZOE@example.org")
    assert first.pk == again.pk
    assert OutboxMail.objects.filter(kind="invitation").count() == 1


def test_a_declined_invitation_is_remembered_and_may_be_thought_over(
    alice: User, bob: User
) -> None:
    game = create(alice, is_open=False)
    offer = services.game_invite(game_id=game.pk, by=alice, address=bob.email)
    services.invitation_decline(token=offer.token)
    offer.refresh_from_db()
    assert offer.answer == Invitation.Answer.DECLINED
    services.game_join(game_id=game.pk, user=bob, token=offer.token)
    services.invitation_decline(token=offer.token)
    offer.refresh_from_db()
    assert offer.answer == Invitation.Answer.ACCEPTED


def test_only_the_host_invites(alice: User, bob: User) -> None:
    game = create(alice)
    services.game_join(game_id=game.pk, user=bob)
    with pytest.raises(NotAllowed, match="Only the host"):
        services.game_invite(game_id=game.pk, by=bob, address="zoe@example.org")


def test_what_is_no_address_is_not_written_to(alice: User) -> None:
    game = create(alice)
    with pytest.raises(ServiceError, match="valid email address"):
        services.game_invite(game_id=game.pk, by=alice, address="zoe at example")


def test_invitations_are_counted_per_host_and_day(alice: User) -> None:
    first, second = create(alice), create(alice)
    for number in range(20):
        game = (first, second)[number % 2]
        services.game_invite(game_id=game.pk, by=alice, address=f"guest{number}@example.org")
    with pytest.raises(ServiceError, match=r"limit for invitations \(20 per day\)"):
        services.game_invite(game_id=first.pk, by=alice, address="one.more@example.org")


# -- leaving -------------------------------------------------------------------------------------


def test_those_behind_move_down_when_somebody_leaves(alice: User, bob: User, carol: User) -> None:
    game = create(alice, seat_count=4)
    for user in (bob, carol):
        services.game_join(game_id=game.pk, user=user)
    services.game_leave(game_id=game.pk, user=bob)
    assert names(game) == ["Alice", "Carol"]
    assert [seat.number for seat in game.seats.order_by("number")] == [0, 1]
    assert kinds(game)[-1] == "table.left"


def test_leaving_twice_is_leaving_once(alice: User, bob: User) -> None:
    game = create(alice)
    services.game_join(game_id=game.pk, user=bob)
    services.game_leave(game_id=game.pk, user=bob)
    version = fresh(game).version
    services.game_leave(game_id=game.pk, user=bob)
    assert fresh(game).version == version


def test_a_host_who_leaves_passes_the_table_on(alice: User, bob: User) -> None:
    game = create(alice, seat_count=4, bots=1)
    services.game_join(game_id=game.pk, user=bob)
    services.game_leave(game_id=game.pk, user=alice)
    assert fresh(game).host == bob
    assert names(game) == ["bot", "Bob"]


def test_the_last_one_to_leave_puts_out_the_light(alice: User) -> None:
    game = create(alice, bots=1)
    services.game_leave(game_id=game.pk, user=alice)
    assert fresh(game).status == Game.Status.ABORTED
    assert kinds(game)[-2:] == ["table.aborted", "table.revealed"]


def test_nobody_leaves_a_game_that_runs(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    with pytest.raises(ServiceError, match="already started"):
        services.game_leave(game_id=game.pk, user=bob)


def test_the_seat_of_one_who_left_can_be_taken(alice: User, bob: User, carol: User) -> None:
    game = create(alice)
    services.game_join(game_id=game.pk, user=bob)
    services.game_leave(game_id=game.pk, user=bob)
    services.game_join(game_id=game.pk, user=carol)
    services.game_join(game_id=game.pk, user=bob)
    assert names(game) == ["Alice", "Carol", "Bob"]
    assert fresh(game).status == Game.Status.RUNNING


# -- bots at the table ---------------------------------------------------------------------------


def test_the_host_seats_bots_and_sends_them_away(alice: User, bob: User) -> None:
    game = create(alice, seat_count=4)
    services.game_add_bot(game_id=game.pk, by=alice)
    services.game_join(game_id=game.pk, user=bob)
    services.game_remove_bot(game_id=game.pk, by=alice, seat=1)
    assert names(game) == ["Alice", "Bob"]
    with pytest.raises(ServiceError, match="no bot"):
        services.game_remove_bot(game_id=game.pk, by=alice, seat=1)


def test_a_player_whom_the_host_removes_gets_an_email(alice: User, bob: User) -> None:
    game = create(alice, seat_count=3, is_open=False)
    services.game_join(game_id=game.pk, user=bob, token=game.invite_token)
    services.game_remove_player(game_id=game.pk, by=alice, player=bob)
    assert names(game) == ["Alice"]
    mail = written(row_for(game, "moderated", bob))
    assert "You’ve been removed from the game" in mail.text
    assert "Hello" not in mail.text  # it would stand below what happened
    assert f"/g/{game.public_id}/" not in mail.text
    with pytest.raises(ServiceError, match="has left the table"):  # a second click
        services.game_remove_player(game_id=game.pk, by=alice, player=bob)


def test_only_the_host_removes_others_and_only_before_the_start(
    alice: User, bob: User, dave: User
) -> None:
    game = create(alice, seat_count=3)
    for user in (bob, dave):
        with pytest.raises(NotAllowed, match="Only the host"):
            services.game_remove_player(game_id=game.pk, by=bob, player=alice)
        services.game_join(game_id=game.pk, user=user)
    with pytest.raises(ServiceError, match="already started"):
        services.game_remove_player(game_id=game.pk, by=alice, player=bob)
    other = create(alice, seat_count=3)
    with pytest.raises(ServiceError, match="Leave the table"):
        services.game_remove_player(game_id=other.pk, by=alice, player=alice)


def test_a_removed_player_returns_by_a_personal_invitation_only(alice: User, bob: User) -> None:
    game = create(alice, seat_count=3)
    services.game_invite(game_id=game.pk, by=alice, address=bob.email)
    first = Invitation.objects.get(game=game)
    services.game_join(game_id=game.pk, user=bob, token=first.token)
    services.game_remove_player(game_id=game.pk, by=alice, player=bob)
    for token in ("", game.invite_token, first.token):
        with pytest.raises(NotAllowed, match="removed you"):
            services.game_join(game_id=game.pk, user=bob, token=token)
    services.game_invite(game_id=game.pk, by=alice, address=bob.email)
    second = Invitation.objects.get(game=game)
    services.game_join(game_id=game.pk, user=bob, token=second.token)
    assert names(game) == ["Alice", "Bob"]


def test_somebody_who_left_can_be_invited_again(alice: User, bob: User) -> None:
    game = create(alice, seat_count=3, is_open=False)
    invited = services.game_invite(game_id=game.pk, by=alice, address=bob.email)
    services.game_join(game_id=game.pk, user=bob, token=invited.token)
    assert services.game_invite(game_id=game.pk, by=alice, address=bob.email) == invited
    services.game_leave(game_id=game.pk, user=bob)
    again = services.game_invite(game_id=game.pk, by=alice, address=bob.email)
    assert OutboxMail.objects.filter(game=game, kind=Kind.INVITATION).count() == 2
    services.game_join(game_id=game.pk, user=bob, token=again.token)
    assert names(game) == ["Alice", "Bob"]


def test_only_the_host_replaces_the_link_and_only_before_the_start(
    alice: User, bob: User, dave: User
) -> None:
    game = create(alice, seat_count=2)
    with pytest.raises(NotAllowed, match="Only the host"):
        services.game_replace_link(game_id=game.pk, by=bob)
    services.game_join(game_id=game.pk, user=dave)
    with pytest.raises(ServiceError, match="already started"):
        services.game_replace_link(game_id=game.pk, by=alice)


def test_the_last_bot_starts_the_game(alice: User) -> None:
    game = create(alice, seat_count=2)
    services.game_add_bot(game_id=game.pk, by=alice)
    assert fresh(game).status == Game.Status.RUNNING


def test_a_guest_seats_no_bots(alice: User, bob: User) -> None:
    game = create(alice)
    services.game_join(game_id=game.pk, user=bob)
    with pytest.raises(NotAllowed):
        services.game_add_bot(game_id=game.pk, by=bob)


# -- starting ------------------------------------------------------------------------------------


def test_the_host_starts_with_those_who_are_there(alice: User, bob: User) -> None:
    game = create(alice, seat_count=4)
    services.game_join(game_id=game.pk, user=bob)
    services.game_start(game_id=game.pk, by=alice)
    log = log_of(game)
    assert fresh(game).status == Game.Status.RUNNING
    assert len(log.engine.rules.view(log.state, None).players) == 2


def test_nobody_starts_alone(alice: User) -> None:
    game = create(alice)
    with pytest.raises(ServiceError, match="needs at least 2 players"):
        services.game_start(game_id=game.pk, by=alice)


def test_a_guest_does_not_start_the_game(alice: User, bob: User) -> None:
    game = create(alice)
    services.game_join(game_id=game.pk, user=bob)
    with pytest.raises(NotAllowed):
        services.game_start(game_id=game.pk, by=bob)


def test_starting_twice_is_starting_once(alice: User, bob: User) -> None:
    game = create(alice)
    services.game_join(game_id=game.pk, user=bob)
    services.game_start(game_id=game.pk, by=alice)
    version = fresh(game).version
    services.game_start(game_id=game.pk, by=alice)
    assert fresh(game).version == version


def test_at_the_start_the_first_player_is_asked_and_has_the_pace_of_the_table(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob, pace_days=5)
    first, second = game.seats.order_by("number")
    assert game.to_act == [0]
    assert first.asked_seq == game.version
    assert first.due_at is not None
    assert first.asked_at is not None
    assert (first.due_at - first.asked_at).days == 5
    assert (second.asked_seq, second.due_at) == (None, None)


def test_at_the_start_everybody_is_notified_once(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    emails = OutboxMail.objects.filter(game=game).order_by("to_address")
    assert [(mail.to_address, mail.kind) for mail in emails] == [
        (alice.email, "turn"),
        (bob.email, "started"),
    ]


def test_the_log_promises_fair_luck_before_it_uses_any(alice: User, bob: User) -> None:
    entries = log_of(table_of(alice, bob)).entries
    assert isinstance(entries[0].event, table_events.Created)
    first_luck = next(entry for entry in entries if not entry.is_table)
    assert first_luck.seq > 1


# -- people --------------------------------------------------------------------------------------


def test_a_person_sets_name_zone_and_language(alice: User) -> None:
    services.person_update(
        user=alice, display_name=" Alice \n Liddell ", time_zone="Asia/Tokyo", language="fr"
    )
    alice.refresh_from_db()
    assert (alice.display_name, alice.time_zone, alice.language) == (
        "Alice Liddell",
        "Asia/Tokyo",
        "fr",
    )


@pytest.mark.parametrize(
    "change",
    [
        {"display_name": " "},
        {"display_name": "alice@example.org"},
        {"time_zone": "Moon/Tranquility"},
        {"language": "tlh"},
    ],
)
def test_settings_that_cannot_be_are_refused(alice: User, change: dict[str, str]) -> None:
    fields = {"display_name": "A", "time_zone": "UTC", "language": "en", **change}
    with pytest.raises(ServiceError):
        services.person_update(user=alice, **fields)
    alice.refresh_from_db()
    assert alice.display_name == "Alice"


def test_emails_of_one_game_are_switched_off_and_on_again(alice: User, bob: User) -> None:
    game, other = table_of(alice, bob), table_of(alice, bob)
    services.game_mail_switch(game_id=game.pk, user=bob, off=True)
    assert game.seats.get(user=bob).mails_off
    assert not game.seats.get(user=alice).mails_off
    assert not other.seats.get(user=bob).mails_off
    services.game_mail_switch(game_id=game.pk, user=bob, off=False)
    assert not game.seats.get(user=bob).mails_off


def test_a_player_who_does_not_sit_there_switches_nothing(alice: User, bob: User) -> None:
    with pytest.raises(NotAllowed):
        services.game_mail_switch(game_id=table_of(alice, bob).pk, user=person("Eve"), off=True)


def test_a_table_plays_on_when_one_of_its_people_is_deleted(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    bob.delete()
    play_turns(game, 1)
    assert fresh(game).to_act == [1]


def test_bots_sit_on_any_seat_and_people_on_those_between(
    alice: User, bob: User, carol: User
) -> None:
    game = create(alice, seat_count=4, bots=[0, 3])
    services.game_join(game_id=game.pk, user=bob)
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING
    assert [seat.user for seat in game.seats.order_by("number")] == [None, alice, bob, None]
    log = log_of(game)
    assert log.table.bots == (True, False, False, True)


def test_a_bot_on_the_last_seat_leaves_the_one_before_it_free(alice: User, bob: User) -> None:
    game = create(alice, seat_count=4)
    services.game_add_bot(game_id=game.pk, by=alice, place=3)
    services.game_join(game_id=game.pk, user=bob)
    assert [seat.user for seat in game.seats.order_by("number")] == [alice, bob, None]
    services.game_start(game_id=game.pk, by=alice)
    assert log_of(game).table.bots == (False, False, True)


def test_a_taken_seat_is_refused_to_a_bot(alice: User) -> None:
    game = create(alice, seat_count=4)
    with pytest.raises(services.ServiceError, match="This seat is already taken"):
        services.game_add_bot(game_id=game.pk, by=alice, place=0)


def test_a_seat_left_is_the_next_to_be_taken(alice: User, bob: User, carol: User) -> None:
    game = create(alice, seat_count=3)
    services.game_join(game_id=game.pk, user=bob)
    services.game_leave(game_id=game.pk, user=alice)
    services.game_join(game_id=game.pk, user=carol)
    assert [seat.user for seat in game.seats.order_by("number")] == [carol, bob]
