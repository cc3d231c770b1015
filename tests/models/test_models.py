"""The database enforces triggers, rights and constraints by itself."""

import os
from collections.abc import Iterator

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import ProtectedError
from django.utils import timezone
from psycopg import errors

from games.models import Game, OutboxMail, Seat, User
from tests.factories import person, table_of

LOG = "games_gameevent"
ORDERS = "games_gameorder"
DECISIONS = "games_decision"


# -- the log is kept -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "verb"),
    [
        (f"UPDATE {LOG} SET kind = kind", "UPDATE"),
        (f"UPDATE {LOG} SET kind = kind WHERE false", "UPDATE"),
        (f"DELETE FROM {LOG}", "DELETE"),
        (f"UPDATE {ORDERS} SET kind = kind", "UPDATE"),
        (f"DELETE FROM {ORDERS}", "DELETE"),
        (f"UPDATE {DECISIONS} SET action = action", "UPDATE"),
        (f"DELETE FROM {DECISIONS}", "DELETE"),
    ],
)
def test_even_the_owner_cannot_change_the_log(alice: User, statement: str, verb: str) -> None:
    table_of(alice, bots=1)
    with (
        pytest.raises(IntegrityError, match=f"append-only: {verb} is refused"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


@pytest.mark.parametrize("table", [LOG, DECISIONS])
def test_even_the_owner_cannot_empty_the_log(alice: User, table: str) -> None:
    """Test databases lift this guard, to be flushed; here it is put back for one transaction."""
    table_of(alice, bots=1)
    with (
        pytest.raises(IntegrityError, match="append-only: TRUNCATE is refused"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_keep_table")
        cursor.execute(f"TRUNCATE {table} CASCADE")


def test_the_guards_stand_while_the_database_replicates(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgname, tgenabled FROM pg_trigger WHERE tgname = 'games_gameevent_keep_rows'"
        )
        assert cursor.fetchall() == [("games_gameevent_keep_rows", "A")]  # always


def test_a_game_with_a_log_cannot_be_deleted(alice: User) -> None:
    game = table_of(alice, bots=1)
    with pytest.raises(ProtectedError):
        game.delete()


def test_a_game_with_a_log_cannot_be_deleted_in_sql(alice: User) -> None:
    game = table_of(alice, bots=1)
    with (
        pytest.raises(IntegrityError, match="foreign key"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("DELETE FROM games_seat WHERE game_id = %s", [game.pk])
        cursor.execute("DELETE FROM games_outboxmail WHERE game_id = %s", [game.pk])
        cursor.execute("DELETE FROM games_game WHERE id = %s", [game.pk])
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.fixture
def app_role(db: None) -> Iterator[psycopg.Connection]:
    """A connection to the test database as the role that the service runs as."""
    url = psycopg.conninfo.conninfo_to_dict(os.environ["TEST_APP_DATABASE_URL"])
    name = connection.settings_dict["NAME"]
    with psycopg.connect(**{**url, "dbname": name}) as link:
        yield link


@pytest.mark.parametrize(
    "statement",
    [
        f"{statement.format(table)}"
        for table in (LOG, ORDERS, DECISIONS)
        for statement in ("UPDATE {} SET by_id = 1", "DELETE FROM {}", "TRUNCATE {}")
    ],
)
def test_the_role_of_the_service_has_no_right_to_change_the_log(
    app_role: psycopg.Connection, statement: str
) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        app_role.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        f"ALTER TABLE {LOG} DISABLE TRIGGER ALL",
        f"DROP TRIGGER games_gameevent_keep_rows ON {LOG}",
        "DROP FUNCTION games_gameevent_refuse() CASCADE",
        "CREATE TABLE mine (x int)",
        "SET session_replication_role = replica",
        "DELETE FROM django_migrations",
    ],
)
def test_the_role_of_the_service_cannot_lift_the_guards(
    app_role: psycopg.Connection, statement: str
) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        app_role.execute(statement)


def test_the_role_of_the_service_reads_and_adds_to_the_log(app_role: psycopg.Connection) -> None:
    rights = app_role.execute(
        "SELECT array_agg(privilege_type::text ORDER BY privilege_type)"
        " FROM information_schema.role_table_grants"
        " WHERE table_name = %s AND grantee = current_user",
        [LOG],
    ).fetchone()
    assert rights == (["INSERT", "SELECT"],)


def test_the_role_of_the_service_works_with_all_other_tables(
    app_role: psycopg.Connection,
) -> None:
    wanting = app_role.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        " AND NOT (has_table_privilege(format('%I.%I', schemaname, tablename), 'SELECT')"
        " AND has_table_privilege(format('%I.%I', schemaname, tablename), 'INSERT')"
        " AND has_table_privilege(format('%I.%I', schemaname, tablename), 'UPDATE')"
        " AND has_table_privilege(format('%I.%I', schemaname, tablename), 'DELETE')) ORDER BY 1"
    ).fetchall()
    assert wanting == [("django_migrations",), (DECISIONS,), (LOG,), (ORDERS,)]


def test_grants_go_to_a_role_that_exists(db: None) -> None:
    with pytest.raises(CommandError, match="There is no role nobody_of_that_name"):
        call_command("grant_app_role", "nobody_of_that_name")


def test_grants_do_not_go_to_the_owner(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        (owner,) = cursor.fetchone()
    with pytest.raises(CommandError, match="choose another role"):
        call_command("grant_app_role", owner)


def test_grants_can_be_given_again(db: None) -> None:
    call_command("grant_app_role", verbosity=0)
    call_command("grant_app_role", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT has_table_privilege(%s, '{LOG}', 'UPDATE')", [settings.DATABASE_APP_ROLE]
        )
        assert cursor.fetchone() == (False,)


# -- rows that cannot be -----------------------------------------------------------------------


def test_an_address_belongs_to_one_user_in_upper_or_lower_case(alice: User) -> None:
    with pytest.raises(IntegrityError, match="games_user_email_once"):
        User.objects.bulk_create([User(email="ALICE@example.org")])


def test_addresses_are_stored_in_lower_case(db: None) -> None:
    assert User.objects.create_user("  Eve@Example.ORG ").email == "eve@example.org"


def test_a_user_is_found_by_an_address_in_any_case_and_by_an_index(alice: User) -> None:
    found = User.objects.with_address(" Alice@Example.org")
    assert list(found) == [alice]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")  # with few rows, it would be faster
        assert "games_user_email_once" in found.explain()


def test_a_user_needs_an_address(db: None) -> None:
    with pytest.raises(ValueError, match="needs an email address"):
        User.objects.create_user("")


def test_the_address_is_never_used_as_the_name(db: None) -> None:
    assert "@" not in User.objects.create_user("nameless@example.org").name


def test_a_zone_that_is_no_longer_known_is_utc(db: None) -> None:
    assert str(person("Zoe", time_zone="Atlantis/Capital").zone) == "UTC"


def test_a_user_has_one_seat_in_a_game(alice: User) -> None:
    game = table_of(alice, seats=3)
    with pytest.raises(IntegrityError, match="games_seat_user_once"):
        Seat.objects.create(game=game, number=1, place=1, user=alice)


def test_a_seat_number_is_unique_in_a_game(alice: User, bob: User) -> None:
    game = table_of(alice, seats=3)
    with pytest.raises(IntegrityError, match="games_seat_number_once"):
        Seat.objects.create(game=game, number=0, place=1, user=bob)


def test_a_place_is_taken_once_in_a_game(alice: User, bob: User) -> None:
    game = table_of(alice, seats=3)
    with pytest.raises(IntegrityError, match="games_seat_place_once"):
        Seat.objects.create(game=game, number=1, place=0, user=bob)


def test_a_bot_seat_has_no_user(alice: User, bob: User) -> None:
    game = table_of(alice, seats=3)
    with pytest.raises(IntegrityError, match="games_seat_bot_or_person"):
        Seat.objects.create(game=game, number=1, place=1, user=bob, is_bot=True)


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"status": "lost"}, "games_game_status"),
        ({"pace_days": 61}, "games_game_pace"),
        ({"seat_count": 0}, "games_game_seats"),
        ({"resign_policy": "cry"}, "games_game_policy"),
        ({"status": "paused"}, "games_game_paused_since"),
        ({"status": "finished"}, "games_game_ended_at"),
        ({"ended_at": timezone.now()}, "games_game_ended_at"),
    ],
)
def test_impossible_states_of_a_game_are_refused(
    alice: User, change: dict[str, object], constraint: str
) -> None:
    game = table_of(alice, seats=3)
    with pytest.raises(IntegrityError, match=constraint):
        Game.objects.filter(pk=game.pk).update(**change)


def test_a_game_has_one_rematch(alice: User) -> None:
    game = table_of(alice, seats=3)
    first = table_of(alice, seats=3)
    second = table_of(alice, seats=3)
    Game.objects.filter(pk=first.pk).update(rematch_of=game)
    with pytest.raises(IntegrityError, match="games_game_one_rematch"):
        Game.objects.filter(pk=second.pk).update(rematch_of=game)


def test_an_email_is_queued_once(alice: User) -> None:
    words = {"kind": "turn", "to_address": alice.email, "dedupe_key": "1:2:3:turn"}
    OutboxMail.objects.create(message_id="<a@x>", **words)
    with pytest.raises(IntegrityError, match="dedupe_key"):
        OutboxMail.objects.create(message_id="<b@x>", **words)


def test_an_email_that_is_being_sent_has_a_lease(alice: User) -> None:
    with pytest.raises(DatabaseError, match="games_outbox_leased_while_sending"):
        OutboxMail.objects.create(
            kind="turn", to_address=alice.email, dedupe_key="k", message_id="<m@x>", state="sending"
        )


# -- people go, games stay -----------------------------------------------------------------------


def test_a_person_can_be_deleted_and_the_log_stays(alice: User, bob: User) -> None:
    from games.log import event_store, stored_rows

    game = table_of(alice, bob)
    before = event_store.load(game).entries
    bob.delete()
    assert event_store.load(game).entries == before
    assert stored_rows.audit(game)[1] == []
    assert [seat.user for seat in game.seats.order_by("number")] == [alice, None]


# -- public ids ----------------------------------------------------------------------------------


def test_public_ids_are_random_words(alice: User) -> None:
    ids = {table_of(alice, bots=1).public_id for _ in range(20)}
    assert len(ids) == 20
    assert all(
        len(word) == 12 and set(word) <= set("abcdefghijklmnopqrstuvwxyz234567") for word in ids
    )
