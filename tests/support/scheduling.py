"""In which order tests run, and how they are dealt out among workers.

What takes longest comes first, so that no worker is left with it at the end; all else in a new
order in every run, the same in all workers of one. A module stays together in one worker, as its
tests share what is dear to make; but the tests of the slowest ones are dealt out one by one.

Much of what those do is waiting (for a lease to run out, for a killed server to come back), so one
worker more than there are processors has no processor idle meanwhile.
"""

from __future__ import annotations

import os
import random
from collections.abc import Generator
from itertools import groupby

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

APART = (
    "tests/browser/test_whole_game.py",
    "tests/test_kill9.py",
    "tests/test_inbound_kill9.py",
    "tests/browser/test_escape.py",
    "tests/test_inbound_game.py",
    "tests/test_outbox_worker.py",
    "tests/browser/test_pages.py",
    "tests/test_gathered_worker.py",
)
FIRST = (*APART[:2], "tests/test_supervisor.py", *APART[2:], "tests/test_concurrency.py")


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests as this run's TEST_ORDER has them."""
    dice = random.Random(os.environ["TEST_ORDER"])
    modules = [list(group) for _, group in groupby(items, lambda item: item.path)]
    dice.shuffle(modules)
    for module in modules:
        dice.shuffle(module)
    modules.sort(key=lambda module: _place(module[0].nodeid))
    return [item for module in modules for item in module]


def _place(nodeid: str) -> int:
    module = nodeid.partition("::")[0]
    return FIRST.index(module) if module in FIRST else len(FIRST)


class Dealing(LoadScopeScheduling):  # type: ignore[misc]
    """A module at a time to whoever is free, in the order of the tests."""

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        return nodeid if module in APART else module


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Dealing | None:
    """Ours, unless --dist asks for another."""
    return Dealing(config, log) if config.getvalue("dist") == "load" else None


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    return (yield) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = in_order(items)
