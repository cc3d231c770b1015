"""Fixtures of all tests. tests/plugins/servers.py starts the servers."""

import fcntl
import gc
import os
from collections.abc import Generator, Iterator
from functools import lru_cache
from pathlib import Path

import msgspec
import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import TransactionTestCase
from django.utils import timezone, translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from psycopg import sql
from pytest_django.plugin import DjangoDbBlocker

from games.pictures import render_worker
from tests.plugins.servers import worker_number
from tests.plugins.truncation import empty_tables

from .support.lengths import LONG, by_length

pytest_plugins = [
    "tests.plugins.kinds",
    "tests.plugins.costs",
    "tests.plugins.one_processor",
    "tests.plugins.fast_hashes",
    "tests.support.smtp_sink",
    "tests.support.push_sink",
    "tests.plugins.process_logs",
    "tests.support.processes",
    "tests.plugins.missing_programs",
    "tests.fixtures.clock",
    "tests.fixtures.people",
    "tests.support.emails",
    "tests.support.outbox_workers",
    "tests.support.replies",
    "tests.support.webhooks",
]


# They have no short form that says anything: `make test-long` runs them, and `make chaos` the
# whole.
LONG_ONLY = (
    "mail/test_spam_score.py",
    "site/test_faults.py",
    "site/test_point_in_time.py",
    "site/test_two_machines.py",
)
collect_ignore = [] if LONG else list(LONG_ONLY)


def pytest_configure(config: pytest.Config) -> None:
    # Pages of the test client name files as they lie in static/; the real service that browser
    # tests speak to uses the collected, compressed ones.
    storage = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": storage}
    # Every test client begins with the middleware, which would list all collected files.
    settings.WHITENOISE_AUTOREFRESH = True
    # Django has no public way to empty the tables otherwise, see tests/plugins/truncation.py.
    assert hasattr(TransactionTestCase, "_fixture_teardown"), "Django has renamed it"
    TransactionTestCase._fixture_teardown = lambda _case: empty_tables()
    # On a busy machine a board takes longer than a service should wait for it.
    render_worker._worker.timeout = render_worker._worker.start_timeout = 60
    render_worker._worker.cold_timeout = 0


# How long an example takes says how busy the machine is.
hypothesis_settings.register_profile(
    "busy machine",
    deadline=None,
    max_examples=by_length(30, 200),
    suppress_health_check=[HealthCheck.too_slow],
)
hypothesis_settings.load_profile("busy machine")


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One worker more than there are processors: some tests do nothing but wait."""
    return (yield) + 1


def pytest_itemcollected(item: pytest.Item) -> None:
    if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
        item.add_marker("long")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """After a checkout, the first worker compiles the tests, and the others find them compiled."""
    with (Path(os.environ["TEST_FOLDER"]) / "collect.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(lock, fcntl.LOCK_SH)
        return (yield)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exempt the collected tests from garbage collection, because they stay until the end. Collect
    the rest less often than by default, which took 5 % of the time of tests of pages."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(autouse=True, scope="session")
def _equal_boards_are_drawn_once() -> Iterator[None]:
    """The same request gives the same pictures (see test_render_worker), and most tests that look
    at emails begin with the same table."""
    draw = render_worker.render

    @lru_cache(maxsize=200)
    def drawn(request: bytes) -> tuple[bytes, ...]:
        return tuple(draw(msgspec.msgpack.decode(request, type=render_worker.Request)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            render_worker, "render", lambda request: list(drawn(msgspec.msgpack.encode(request)))
        )
        yield


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """The language and the zone of a page's reader end with the test: the site itself leaves them
    to the next request."""
    translation.deactivate()
    timezone.deactivate()


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: DjangoDbBlocker) -> None:
    """A copy of the migrated database for this test process; the first process migrates it.

    The app role has its rights. The guard against TRUNCATE is lifted, which only the owner of a
    test database may do: tests empty tables between them.
    """
    origin, folder = connection.settings_dict["NAME"], Path(os.environ["TEST_FOLDER"])
    copy = f"test_{origin}_{worker_number()}"
    with django_db_blocker.unblock(), (folder / "migrate.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not lock.tell():
            call_command("prepare_database", verbosity=0)
            with connection.cursor() as cursor:
                for table in ("games_gameevent", "games_gameorder", "games_decision"):
                    cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {table}_keep_table")
            connection.close()
            lock.write("migrated")
        owner = os.environ["DATABASE_URL"].rpartition("/")[0]
        with psycopg.connect(f"{owner}/postgres", autocommit=True) as server:
            server.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                    sql.Identifier(copy), sql.Identifier(origin)
                )
            )
    connection.settings_dict["NAME"] = copy
