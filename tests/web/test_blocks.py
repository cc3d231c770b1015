"""Blocks: no new table together, messages folded away, and the blocked person notices nothing."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.db import transaction

from games import services
from games.mail.kinds.base import SEND
from games.mail.relevance import check_before_send
from games.models import Game, User
from games.selectors.game_lists import invitations_to
from games.services import NotAllowed, seats
from games.services.locked_game import LockedGame
from games.web.players import player_key, player_url
from tests.factories import fresh, miss_deadline, person, play_to_the_end, table_of
from tests.support.emails import Kind, row_for, rows_for, written
from tests.support.pages import page_of, signed_in, text, url
from tests.support.unnoticed import seen_by

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

FULL = "You cannot join this table: it is full, or you do not meet its conditions."


def block(user: User, person: User, *, is_blocked: bool = True) -> None:
    services.person_block(user=user, person=person, is_blocked=is_blocked)
    user.refresh_from_db()


# -- no new table together -----------------------------------------------------------------------


def test_a_blocked_person_reads_the_sentence_of_a_full_table(alice: User, bob: User) -> None:
    table = table_of(alice, seats=3)
    block(alice, bob)
    answer = signed_in(bob).post(url(table, "join"), follow=True)
    assert FULL in text(answer)
    assert table.seats.count() == 1


def test_a_table_that_is_full_says_the_same(alice: User) -> None:
    table = table_of(alice, seats=2)
    with transaction.atomic():
        locked = LockedGame(table.pk)
        seats.take_place(locked, person("Zoe"))
        with pytest.raises(NotAllowed, match=re.escape(FULL)):
            seats.take_place(locked, person("Yves"))


def test_a_table_with_conditions_says_the_same_and_why(alice: User, bob: User) -> None:
    table = table_of(alice, seats=3, min_in_time=90, newcomers=False)
    assert FULL in text(signed_in(bob).post(url(table, "join"), follow=True))


def test_also_at_the_table_of_somebody_else(alice: User, bob: User, carol: User) -> None:
    table = table_of(carol, alice, seats=4)
    block(alice, bob)
    with pytest.raises(NotAllowed, match=re.escape(FULL)):
        services.game_join(game_id=table.pk, user=bob)


def test_who_has_blocked_somebody_is_told_so_at_their_table(alice: User, bob: User) -> None:
    table = table_of(bob, seats=3)
    block(alice, bob)
    assert "You have blocked someone at this table." in text(
        signed_in(alice).post(url(table, "join"), follow=True)
    )
    block(alice, bob, is_blocked=False)
    services.game_join(game_id=table.pk, user=alice)
    assert table.seats.count() == 2


def test_a_blocked_person_takes_over_no_seat(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, carol, timeout_policy=Game.TimeoutPolicy.OPEN)
    while not game.seats.filter(open_since__isnull=False).exists():
        miss_deadline(game)
        services.game_play_bots(game_id=game.pk)
    seat = game.seats.get(open_since__isnull=False)
    stays = carol if game.seats.filter(user=carol).exists() else alice
    block(stays, bob)
    with pytest.raises(NotAllowed, match=re.escape(FULL)):
        services.seat_take_over(game_id=game.pk, user=bob, seat=seat.number)
    block(stays, bob, is_blocked=False)
    services.seat_take_over(game_id=game.pk, user=bob, seat=seat.number)


def test_an_invitation_by_a_blocked_person_does_not_arrive(alice: User, bob: User) -> None:
    table = table_of(bob, seats=3, is_open=False)
    services.game_invite(game_id=table.pk, by=bob, address=alice.email)
    row = row_for(table, Kind.INVITATION)
    assert check_before_send(row) == SEND
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    assert invitations_to(alice)
    block(alice, bob)
    assert check_before_send(row) != SEND
    assert not invitations_to(alice)


def test_a_rematch_invites_nobody_whom_its_player_has_blocked(
    alice: User, bob: User, carol: User
) -> None:
    game = play_to_the_end(table_of(alice, bob, carol))
    block(alice, bob)
    again = services.game_rematch(game_id=game.pk, by=alice)
    assert [offer.address for offer in again.invitations.all()] == [carol.email]
    assert FULL in text(signed_in(bob).post(url(game, "rematch"), follow=True))


def test_running_tables_go_on(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    block(alice, bob)
    assert fresh(game).status == Game.Status.RUNNING
    assert FULL not in page_of(game, bob)


# -- messages ------------------------------------------------------------------------------------


def test_messages_of_a_blocked_person_are_folded_away_and_not_emailed(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    block(alice, bob)
    services.message_write(game_id=game.pk, user=bob, text="Hello, you")
    page = page_of(game, alice)
    assert page.index("someone you muted or blocked") < page.index("Hello, you")
    assert "Hello, you" not in written(row_for(game, Kind.TURN, alice)).text
    assert not rows_for(game, Kind.TALK, user=alice)


def test_somebody_who_was_muted_before_stays_so(alice: User, bob: User) -> None:
    services.person_mute(user=alice, person=bob.pk, is_muted=True)
    block(alice, bob)
    block(alice, bob, is_blocked=False)
    assert alice.unheard == [bob.pk]


# -- pages ---------------------------------------------------------------------------------------


def test_one_blocks_on_the_page_of_a_player_and_unblocks_in_the_settings(
    alice: User, bob: User
) -> None:
    browser = signed_in(alice)
    page = text(browser.get(player_url(bob)))
    assert "Block Bob" in page
    key = player_key(bob)
    done = text(browser.post("/settings/blocked/", {"player": key, "block": "yes"}, follow=True))
    assert "You have blocked Bob." in done
    assert "You have blocked Bob." in " ".join(text(browser.get(player_url(bob))).split())
    assert "/settings/blocked/" in text(browser.get("/settings/"))
    browser.post("/settings/blocked/", {"player": key, "block": "no"})
    assert "You have blocked nobody." in text(browser.get("/settings/blocked/"))


def test_one_blocks_at_the_table(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    number = game.seats.get(user=bob).number
    done = signed_in(alice).post(url(game, "block"), {"seat": number}, follow=True)
    assert "You have blocked Bob." in text(done)
    assert "You have blocked Bob." in " ".join(page_of(game, alice).split())


def test_nobody_blocks_themselves(alice: User) -> None:
    key = player_key(alice)
    browser = signed_in(alice)
    done = text(browser.post("/settings/blocked/", {"player": key, "block": "yes"}, follow=True))
    assert "You cannot block yourself." in done


def test_a_forged_address_of_a_player_blocks_nobody(alice: User) -> None:
    answer = signed_in(alice).post("/settings/blocked/", {"player": "x", "block": "yes"})
    assert answer.status_code == 404


# -- twins ---------------------------------------------------------------------------------------


def test_a_blocked_person_gets_the_same_bytes_as_one_who_is_not(alice: User, bob: User) -> None:
    tables = [table_of(alice, bob), table_of(alice, seats=3), table_of(bob, seats=3)]
    free = seen_by(bob, tables)
    blocked = seen_by(bob, tables, lambda: block(alice, bob))
    assert free["is left of the message"] is False
    for name in free:
        assert free[name] == blocked[name], name
