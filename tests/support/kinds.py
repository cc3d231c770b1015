"""The four kinds of tests, and on which worker and when each kind runs.

Everything that waits for processes comes first, so that no worker waits alone at the end of a run.
Tests that share an expensive fixture stay on one worker: the browser, and fixtures of a module.
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
    """Group the tests before xdist reads the groups; sort them after they were shuffled."""
    for item in items:
        group = BROWSER if kind_of(item) == BROWSER else _module_with_fixtures(item)
        if group:
            item.add_marker(pytest.mark.xdist_group(group))
    yield
    items.sort(key=lambda item: kind_of(item) not in (BROWSER, PROCESSES))


def _module_with_fixtures(item: pytest.Item) -> str:
    """The module of this test if it has fixtures that last as long as the module."""
    found = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    shared = any(fixture.scope == "module" for fixtures in found.values() for fixture in fixtures)
    return item.nodeid.partition("::")[0] if shared else ""
