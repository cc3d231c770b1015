"""The four kinds of tests, and how they are dealt out to the workers of xdist.

Tests that wait for processes come first, so that no worker waits alone at the end of a run. One
worker runs all tests of the browser: another one would start a browser and a site of its own.
"""

from collections.abc import Generator

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

BROWSER, PROCESSES, DATABASE, RULES = KINDS = ("browser", "processes", "database", "rules")
# Fixtures that start processes; modules that start them without a fixture have the marker.
STARTING = frozenset(
    {"celery_worker", "field", "listener", "live_site", "make_listener", "make_stack", "pooled"}
)
WITH_DATABASE = frozenset({"db", "transactional_db"})


def kind_of(item: pytest.Item) -> str:
    """Which of KINDS this is; every test without a database counts as one of the rules."""
    fixtures = set(getattr(item, "fixturenames", ()))
    if fixtures & {"browser", "firefox"}:
        return BROWSER
    if fixtures & STARTING or item.get_closest_marker("processes"):
        return PROCESSES
    return DATABASE if fixtures & WITH_DATABASE or item.get_closest_marker("django_db") else RULES


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, None, None]:
    yield  # to what shuffles them
    items.sort(key=lambda item: min(KINDS.index(kind_of(item)), KINDS.index(DATABASE)))


class Scheduling(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """Modules stay together, and those of the browser with each other.

    xdist's `worksteal` does not know modules, so each worker would start the servers of each; and
    `loadgroup` hands out each test that is in no group by itself, also those of a module that fills
    tables once.
    """

    def _split_scope(self, nodeid: str) -> str:
        scope = super()._split_scope(nodeid)
        return BROWSER if scope.startswith("tests/browser/") else scope


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    return Scheduling(config, log) if config.getoption("dist") == "loadfile" else None
