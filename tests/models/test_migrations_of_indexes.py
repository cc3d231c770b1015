"""Indexes: none that only costs, none that blocks writes while it is made, none of games that a
move writes."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connection, migrations, models

from games import migrations as package
from games.models import User
from tests.factories import play_turns, table_of

FIRST = 18  # earlier migrations ran before there were large tables


def later() -> list[Any]:
    names = sorted(module.name for module in iter_modules(package.__path__))
    return [
        import_module(f"{package.__name__}.{name}").Migration
        for name in names
        if int(name[:4]) >= FIRST
    ]


def blocking(migration: Any) -> list[str]:
    """What a migration does that makes an index of a table that exists, in a way that blocks."""
    new = {
        operation.name.lower()
        for operation in migration.operations
        if isinstance(operation, migrations.CreateModel)
    }
    found = []
    for operation in migration.operations:
        table = getattr(operation, "model_name", "").lower()
        field = getattr(operation, "field", None)
        makes = (
            (
                isinstance(operation, migrations.AddIndex)
                and not isinstance(operation, AddIndexConcurrently)
            )
            or (
                isinstance(operation, migrations.AddConstraint)
                and isinstance(operation.constraint, models.UniqueConstraint)
            )
            or (isinstance(operation, migrations.RunSQL) and _makes_index(str(operation.sql)))
            or (
                isinstance(operation, migrations.AddField)
                and field
                and (field.db_index or field.unique)
            )
        )
        if makes and table not in new:
            found.append(operation.describe())
    return found


def _makes_index(sql: str) -> bool:
    words = " ".join(sql.upper().split())
    return "CREATE INDEX" in words.replace("UNIQUE ", "") and "CONCURRENTLY" not in words


@pytest.mark.parametrize("migration", later(), ids=lambda migration: migration.__module__)
def test_a_later_index_is_made_concurrently(migration: Any) -> None:
    assert blocking(migration) == []


@pytest.mark.django_db
def test_no_index_serves_prefixes_and_none_repeats_another() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE tablename LIKE 'games\\_%%'"
            " AND (indexname LIKE '%%\\_like' OR indexdef LIKE '%% games\\_seat USING btree (game\\_id)')"
        )
        assert cursor.fetchall() == []


@pytest.mark.django_db
def test_pages_of_rows_that_change_have_room() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE reloptions::text LIKE '%%fillfactor%%'")
        assert {name for (name,) in cursor} >= {"games_game", "games_outboxmail", "games_seat"}


@pytest.mark.django_db
def test_a_move_writes_no_index_of_games(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    before = _updates("games_game")
    play_turns(game, 3)
    done, hot, moved = (
        now - then for now, then in zip(_updates("games_game"), before, strict=True)
    )
    assert done >= 3
    # The page may be full of what earlier tests rolled back: then the row moves to the next one.
    assert hot and hot + moved == done


def _updates(table: str) -> tuple[int, int, int]:
    """Updates of a table in this transaction: all, HOT, and those that found no room in their page.
    HOT updates write no index."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_stat_get_xact_tuples_updated(oid), pg_stat_get_xact_tuples_hot_updated(oid),"
            " pg_stat_get_xact_tuples_newpage_updated(oid) FROM pg_class WHERE relname = %s",
            [table],
        )
        found: tuple[int, int, int] = cursor.fetchone()
    return found
