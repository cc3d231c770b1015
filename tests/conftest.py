"""What all tests share. The servers themselves are started by tests/support/servers.py."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.management import call_command, get_commands
from django.db import connection
from django.test import TransactionTestCase
from django.utils import timezone, translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django.plugin import DjangoDbBlocker

from .support.truncation import empty_tables

pytest_plugins = [
    "tests.support.scheduling",
    "tests.support.smtp_sink",
    "tests.support.process_logs",
    "tests.support.processes",
    "tests.support.missing_programs",
    "tests.fixtures.people",
    "tests.support.emails",
    "tests.support.replies",
]


def pytest_configure(config: pytest.Config) -> None:
    # Pages of the test client name files as they lie in static/; the real service that browser
    # tests speak to uses the collected, compressed ones.
    storage = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": storage}
    TransactionTestCase._fixture_teardown = lambda _case: empty_tables()  # type: ignore[attr-defined]


# How long an example takes says how busy the machine is.
hypothesis_settings.register_profile(
    "busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("busy machine")


def pytest_report_header(config: pytest.Config) -> str:
    return f"order of tests: TEST_ORDER={os.environ['TEST_ORDER']}"


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was collected stays until the end: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _nobody_reads() -> Iterator[None]:
    """The language and the zone of a page's reader end with the test: the site itself leaves them
    to the next request."""
    yield
    translation.deactivate()
    timezone.deactivate()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """The test database, with the rights of the app role, and without the guard against TRUNCATE.

    Only a test database may lift that guard, as its owner: tests empty tables between them.
    """
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        if "grant_app_role" in get_commands():
            call_command("grant_app_role", verbosity=0)
        cursor.execute("ALTER TABLE games_gameevent DISABLE TRIGGER games_gameevent_keep_table")
