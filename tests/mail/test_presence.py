"""The email of a turn waits while its reader has the page of that table open."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.plugin import DjangoDbBlocker

from games.mail import outbox, retention, signed_links
from games.models import Game, OutboxMail, TablePresence, User, database_clock
from tests.factories import play_one, table_of
from tests.fixtures.people import a_host, a_player
from tests.support.emails import Kind, State, keep_only_mail_to, make_all_due, prefer, row_for
from tests.support.shared_rows import shared_rows
from tests.support.smtp_sink import SmtpSink

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


@pytest.fixture(scope="module")
def shared_table(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Game]:
    """Bob is asked, and only emails to him are queued from now on."""

    def make() -> Game:
        game = table_of(a_host(), a_player())
        OutboxMail.objects.all().delete()
        return game

    with shared_rows(django_db_blocker, make) as game:
        yield game


def opens(client: Client, user: User, game: Game) -> None:
    client.force_login(user)
    assert client.get(f"/g/{game.public_id}/").status_code == 200


def everybody_left(minutes: float) -> None:
    """The pages were last seen this long ago."""
    ago = database_clock.now() - timedelta(minutes=minutes)
    TablePresence.objects.update(at=ago)


def bob_is_asked(game: Game, bob: User) -> OutboxMail:
    play_one(game)
    keep_only_mail_to(bob)
    return row_for(game, Kind.TURN)


def test_the_email_waits_until_two_minutes_after_the_reader_left(
    outgoing: SmtpSink, client: Client, game: Game, bob: User
) -> None:
    opens(client, bob, game)
    row = bob_is_asked(game, bob)
    assert outbox.drain().put_back == 1
    row.refresh_from_db()
    assert (row.state, row.attempts) == (State.QUEUED, 0)
    seen = TablePresence.objects.get(game=game, user=bob).at
    assert row.next_try_at == seen + timedelta(minutes=2)
    everybody_left(minutes=2)
    make_all_due()
    assert outbox.drain().sent == 1


def test_a_reader_who_moves_there_gets_no_email(
    outgoing: SmtpSink, client: Client, game: Game, bob: User
) -> None:
    opens(client, bob, game)
    row = bob_is_asked(game, bob)
    outbox.drain()
    play_one(game)
    keep_only_mail_to(bob)
    everybody_left(minutes=2)
    make_all_due()
    assert outbox.drain().dropped == 1
    row.refresh_from_db()
    assert row.error == "the turn is over"
    assert outgoing.messages == []


def test_a_page_that_stays_open_holds_the_email_for_half_an_hour_at_most(
    outgoing: SmtpSink, client: Client, game: Game, bob: User
) -> None:
    opens(client, bob, game)
    row = bob_is_asked(game, bob)
    OutboxMail.objects.filter(pk=row.pk).update(created_at=row.created_at - timedelta(minutes=29))
    outbox.drain()
    row.refresh_from_db()
    assert row.next_try_at == row.created_at + timedelta(minutes=30)
    OutboxMail.objects.filter(pk=row.pk).update(created_at=row.created_at - timedelta(minutes=1))
    make_all_due()
    assert outbox.drain().sent == 1


@pytest.mark.parametrize("where", ["another table", "the page of a spectator", "nowhere"])
def test_only_the_reader_at_that_table_is_waited_for(
    outgoing: SmtpSink, client: Client, game: Game, alice: User, bob: User, where: str
) -> None:
    if where == "another table":
        opens(client, bob, table_of(alice, bob))
    elif where == "the page of a spectator":
        opens(client, alice, game)
        client.logout()
        client.get(f"/g/{game.public_id}/")
    row = bob_is_asked(game, bob)
    outbox.drain()
    row.refresh_from_db()
    assert row.state == State.SENT


def test_a_player_can_have_every_email_at_once_and_then_nothing_is_kept(
    outgoing: SmtpSink, client: Client, game: Game, bob: User
) -> None:
    prefer(bob, hold_at_table=False)
    opens(client, bob, game)
    assert not TablePresence.objects.exists()
    bob_is_asked(game, bob)
    assert outbox.drain().sent == 1


def test_what_was_kept_before_the_choice_does_not_matter_after_it(
    outgoing: SmtpSink, client: Client, game: Game, bob: User
) -> None:
    opens(client, bob, game)
    prefer(bob, hold_at_table=False)
    bob_is_asked(game, bob)
    assert outbox.drain().sent == 1


def test_an_open_page_keeps_saying_so_and_writes_once_a_minute(
    client: Client, game: Game, bob: User
) -> None:
    opens(client, bob, game)
    first = TablePresence.objects.get().at
    for minutes, writes in ((0.5, 0), (1.0, 1)):
        TablePresence.objects.update(at=first - timedelta(minutes=minutes))
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/g/{game.public_id}/version")
        found = [query for query in queries if "INSERT INTO games_tablepresence" in query["sql"]]
        assert len(found) == writes
    assert TablePresence.objects.get().at >= first


def test_the_link_of_a_turn_email_opens_the_table_for_its_reader(
    outgoing: SmtpSink, client: Client, game: Game, alice: User, bob: User
) -> None:
    row = bob_is_asked(game, bob)
    path = signed_links.turn_path(game.public_id, 1, row.seq, bob)
    client.get(path)
    assert not TablePresence.objects.exists()  # nobody but a scanner may have opened it
    client.post(path)
    client.get(f"/g/{game.public_id}/")
    assert TablePresence.objects.get().user == bob


def test_a_spectator_and_a_stranger_leave_nothing(client: Client, game: Game, carol: User) -> None:
    opens(client, carol, game)
    client.get(f"/g/{game.public_id}/version")
    assert not TablePresence.objects.exists()


def test_several_games_in_one_email_are_not_lost_when_the_reader_comes_back(
    outgoing: SmtpSink, client: Client, alice: User, bob: User
) -> None:
    prefer(bob, "gather", gather_minutes=0, hold_at_table=True)
    games = [table_of(alice, bob) for _game in range(2)]
    for each in games:
        play_one(each)
    keep_only_mail_to(bob)
    outgoing.answer = "451 later"
    outbox.drain()
    for each in games:
        opens(client, bob, each)
    outgoing.answer = "250 kept"
    make_all_due()
    assert outbox.drain().sent == 1
    assert set(OutboxMail.objects.values_list("state", flat=True)) == {State.SENT}


def test_the_daily_digest_comes_at_its_hour(
    outgoing: SmtpSink, client: Client, game: Game, bob: User
) -> None:
    prefer(bob, "digest", hold_at_table=True)
    opens(client, bob, game)
    bob_is_asked(game, bob)
    make_all_due()
    assert outbox.drain().sent == 1


def test_when_players_were_there_is_forgotten(client: Client, game: Game, bob: User) -> None:
    opens(client, bob, game)
    retention.purge_old(database_clock.now())
    assert TablePresence.objects.exists()
    everybody_left(minutes=31)
    retention.purge_old(database_clock.now())
    assert not TablePresence.objects.exists()
