"""The host of a table that waits for players hears about it, at most once a day."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress

from games import services
from games.mail.relevance import check_before_send
from games.models import Game, OutboxMail, User, database_clock
from tests.factories import fresh, log_of, table_of
from tests.support.emails import SITE, Kind, both_bodies, row_for, written

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

ZOE, YAN = "zoe@example.net", "yan@example.net"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def invite(game: Game, host: User, *addresses: str) -> None:
    for address in addresses:
        services.game_invite(game_id=game.pk, by=host, address=address)


def decline(game: Game, address: str) -> None:
    services.invitation_decline(token=game.invitations.get(address=address).token)


def join(game: Game, user: User) -> Game:
    services.game_join(game_id=game.pk, user=user, token=game.invite_token)
    return game


def news(game: Game) -> list[OutboxMail]:
    """The emails to hosts about this table, in order."""
    return list(OutboxMail.objects.filter(game=game, kind=Kind.TABLE).order_by("pk"))


def send(game: Game) -> None:
    """All emails about this table go out now."""
    queued = OutboxMail.objects.filter(game=game, state=OutboxMail.State.QUEUED)
    queued.update(state=OutboxMail.State.SENT, sent_at=database_clock.now())


def later(game: Game, time: timedelta) -> None:
    """This much time goes by without anything at this table."""
    moved = {name: getattr(fresh(game), name) - time for name in ("created_at", "last_event_at")}
    Game.objects.filter(pk=game.pk).update(**moved)
    for invitation in game.invitations.all():
        invitation.created_at -= time
        invitation.save()
    for mail in OutboxMail.objects.filter(game=game):
        mail.created_at -= time
        mail.save()


def check() -> int:
    return services.waiting_tables_check(now=database_clock.now())


# -- when all have answered ----------------------------------------------------------------------


def test_the_host_hears_when_the_last_invitation_is_answered(alice: User) -> None:
    game = table_of(alice, seats=3)
    invite(game, alice, ZOE, YAN)
    decline(game, ZOE)
    assert news(game) == []
    decline(game, YAN)
    (row,) = news(game)
    assert row.user == alice
    for words in both_bodies(written(row)):
        assert "This table has no open invitations any more." in words
        assert "1 of 3 seats are taken." in words
        assert "declined" in words
        assert "add a bot, or invite someone else" in words
    assert f"{SITE}/g/{game.public_id}/" in written(row).text


def test_somebody_who_comes_by_the_link_has_answered(alice: User, bob: User) -> None:
    EmailAddress.objects.create(user=bob, email=bob.email, verified=True, primary=True)
    game = table_of(alice, seats=3)
    invite(game, alice, bob.email)
    services.game_join(game_id=game.pk, user=bob, token=game.invite_token)
    assert "2 of 3 seats are taken." in written(row_for(game, Kind.TABLE)).text


def test_an_answer_that_starts_the_game_needs_no_news(alice: User, bob: User) -> None:
    game = table_of(alice, seats=2)
    token = services.game_invite(game_id=game.pk, by=alice, address=bob.email).token
    services.game_join(game_id=game.pk, user=bob, token=token)
    assert news(game) == []


def test_news_that_are_no_longer_true_are_not_sent(alice: User, bob: User) -> None:
    game = table_of(alice, seats=3)
    invite(game, alice, ZOE)
    decline(game, ZOE)
    (row,) = news(game)
    assert not check_before_send(row).drop
    invite(game, alice, YAN)
    assert check_before_send(row).drop
    decline(game, YAN)
    services.game_start(game_id=join(game, bob).pk, by=alice)
    assert check_before_send(row).drop


def test_the_host_gets_one_email_a_day_about_a_table(alice: User) -> None:
    game = table_of(alice, seats=4)
    invite(game, alice, ZOE)
    decline(game, ZOE)
    send(game)
    later(game, HOUR)
    invite(game, alice, YAN)
    decline(game, YAN)
    first, second = news(game)
    assert second.next_try_at == first.created_at + DAY
    invite(game, alice, "xim@example.net")
    decline(game, "xim@example.net")
    assert len(news(game)) == 2  # the second says it


def test_a_host_who_turned_these_emails_off_gets_none(alice: User) -> None:
    services.mail_kind_switch(kind=Kind.TABLE, user=alice, off=True)
    game = table_of(alice, seats=3)
    invite(game, alice, ZOE)
    decline(game, ZOE)
    (row,) = news(game)
    assert check_before_send(row).drop
    assert "/mail/off/" in written(row)["List-Unsubscribe"]


# -- a new host -----------------------------------------------------------------------------------


def test_a_new_host_hears_of_it(alice: User, bob: User) -> None:
    game = table_of(alice, bob, seats=3)
    services.game_leave(game_id=game.pk, user=alice)
    (row,) = news(game)
    assert row.user == bob
    for words in both_bodies(written(row)):
        assert "The host has left, so you decide when the game starts" in words


def test_a_host_who_hands_on_at_once_hears_nothing(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol, seats=4)
    services.game_leave(game_id=game.pk, user=alice)
    services.game_leave(game_id=game.pk, user=bob)
    first, second = news(game)
    assert [first.user, second.user] == [bob, carol]
    assert check_before_send(first).drop
    assert not check_before_send(second).drop


# -- nobody comes ---------------------------------------------------------------------------------


def test_after_three_days_without_anybody_the_host_hears_of_it_once(alice: User, bob: User) -> None:
    game = table_of(alice, bob, seats=3)
    later(game, 3 * DAY - HOUR)
    assert check() == 0
    later(game, 2 * HOUR)
    assert check() == 1
    (row,) = news(game)
    for words in both_bodies(written(row)):
        assert "Nobody has joined for three days. 2 of 3 seats are taken." in words
        assert "you can start with those who are here" in words
        assert "it closes on" in words
    for _day in range(4):
        send(game)
        later(game, DAY)
        assert check() == 0


def test_an_invitation_is_given_three_days_of_its_own(alice: User) -> None:
    game = table_of(alice, seats=3)
    later(game, 2 * DAY)
    invite(game, alice, ZOE)
    later(game, 2 * DAY)
    assert check() == 0
    later(game, DAY)
    assert check() == 1


def test_whoever_comes_begins_the_three_days_anew(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, seats=4)
    later(game, 4 * DAY)
    assert check() == 1
    send(game)
    join(game, bob)
    assert check() == 0
    later(game, 4 * DAY)
    assert check() == 1
    assert len(news(game)) == 2


def test_a_game_that_runs_is_no_waiting_table(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    later(game, 40 * DAY)
    assert check() == 0
    assert fresh(game).status == Game.Status.RUNNING


def test_a_table_that_waits_for_30_days_is_closed_with_an_email(alice: User, bob: User) -> None:
    game = table_of(alice, bob, seats=3)
    later(game, 29 * DAY)
    check()
    assert fresh(game).status == Game.Status.GATHERING
    later(game, DAY)
    assert check() == 1
    assert fresh(game).status == Game.Status.ABORTED
    assert log_of(game).version == fresh(game).version
    mails = OutboxMail.objects.filter(game=game, kind=Kind.OVER)
    assert {mail.user for mail in mails} == {alice, bob}
    for words in both_bodies(written(row_for(game, Kind.OVER, bob))):
        assert "closed because nothing had happened there for a month" in words
        assert "everything revealed" not in words
        assert "Play again" not in words
    assert check() == 0
