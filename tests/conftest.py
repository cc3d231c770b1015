"""What all tests share. The servers themselves are started by tests/plugin.py."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from itertools import groupby

import pytest
from django.conf import settings
from django.core.management import call_command, get_commands
from django.db import connection
from django.utils import timezone, translation
from pytest_django.plugin import DjangoDbBlocker

pytest_plugins = [
    "tests.smtp_sink",
    "tests.processes",
    "tests.left_out",
    "tests.cast",
    "tests.letters",
    "tests.postman",
]


def pytest_configure(config: pytest.Config) -> None:
    # Pages of the test client name files as they lie in static/; the real service that browser
    # tests speak to uses the collected, compressed ones.
    storage = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": storage}


def pytest_report_header(config: pytest.Config) -> str:
    return f"order of tests: TEST_ORDER={os.environ['TEST_ORDER']}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A new order in every run, the same in all workers of one; a module stays together."""
    dice = random.Random(os.environ["TEST_ORDER"])
    modules = [list(group) for _, group in groupby(items, lambda item: item.path)]
    dice.shuffle(modules)
    for module in modules:
        dice.shuffle(module)
    items[:] = [item for module in modules for item in module]


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
