"""Indexes and pages: no index that only costs, and none of games that a move writes."""

import pytest
from django.db import connection

from games.models import User
from tests.factories import play_turns, table_of

pytestmark = pytest.mark.django_db


def test_no_index_serves_prefixes_and_none_repeats_another() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE tablename LIKE 'games\\_%%'"
            " AND (indexname LIKE '%%\\_like' OR indexdef LIKE '%% games\\_seat USING btree (game\\_id)')"
        )
        assert cursor.fetchall() == []


def test_pages_of_rows_that_change_have_room() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE reloptions::text LIKE '%%fillfactor%%'")
        assert {name for (name,) in cursor} >= {"games_game", "games_outboxmail", "games_seat"}


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
