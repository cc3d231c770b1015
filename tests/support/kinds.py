"""The four kinds of tests, and their order.

Tests that wait for processes come first, so that no worker waits alone at the end of a run.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

BROWSER, PROCESSES, DATABASE, RULES = KINDS = ("browser", "processes", "database", "rules")
# Fixtures that start processes; modules that start them without a fixture have the marker.
STARTING = frozenset(
    {"celery_worker", "field", "listener", "live_site", "make_listener", "make_stack", "pooled"}
)
WITH_DATABASE = frozenset({"db", "transactional_db"})


def kind_of(item: pytest.Item) -> str:
    """Which of KINDS this is; every test without a database counts as one of the rules."""
    fixtures = set(getattr(item, "fixturenames", ()))
    if "browser" in fixtures:
        return BROWSER
    if fixtures & STARTING or item.get_closest_marker("processes"):
        return PROCESSES
    return DATABASE if fixtures & WITH_DATABASE or item.get_closest_marker("django_db") else RULES


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, None, None]:
    yield  # to what shuffles them
    items.sort(key=lambda item: kind_of(item) not in (BROWSER, PROCESSES))
