"""The service through pgbouncer in transaction mode: no code depends on the state of a session."""

import threading
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection, connections, transaction

from games.models import Game
from tests.factories import person, play_to_the_end, table_of
from tests.support import pgbouncer
from tests.support.lengths import by_length

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = by_length(2, 4)


@pytest.fixture
def pooled(transactional_db: None) -> Iterator[None]:
    """All connections of the test lead through pgbouncer, with the settings for it."""
    with pgbouncer.running() as folder, pytest.MonkeyPatch.context() as patch:
        connection.close()
        for name, value in {
            "HOST": str(folder),
            "PORT": str(pgbouncer.PORT),
            "DISABLE_SERVER_SIDE_CURSORS": True,
            "OPTIONS": connection.settings_dict["OPTIONS"] | {"prepare_threshold": None},
        }.items():
            patch.setitem(connection.settings_dict, name, value)
        yield
        connection.close()


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def in_threads(work: list[object]) -> None:
    """Run all of these at once, each on a connection of its own; raise what one of them raises."""
    errors: list[BaseException] = []

    def run(job: object) -> None:
        try:
            assert callable(job)
            job()
        except BaseException as error:  # noqa: BLE001 (raised again below)
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(job,)) for job in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not errors, errors


def test_transactions_of_one_connection_run_in_different_sessions(pooled: None) -> None:
    """Otherwise the next test would prove nothing."""
    first = backend()
    with transaction.atomic():
        own = backend()
        seen: set[int] = set()
        in_threads([lambda: seen.add(backend())])
        assert seen == {pid for pid in seen if pid != own}
    assert first in {own, *seen}


@pytest.mark.long
def test_whole_games_are_played_side_by_side(pooled: None) -> None:
    games = [
        table_of(person(f"Alice{n}"), person(f"Bob{n}"), bots=1, kind=kind, options={})
        for n, kind in enumerate(["atlantis", "escape"] * (THREADS // 2))
    ]
    in_threads([lambda game=game: play_to_the_end(game) for game in games])
    assert set(Game.objects.values_list("status", flat=True)) == {Game.Status.FINISHED}
    call_command("verify")
