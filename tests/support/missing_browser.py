"""Without Chromium, the browser tests are left out, and the last lines of the run say which."""

from __future__ import annotations

import pytest
from xdist.workermanage import WorkerController

from tests.browser import chromium

KEY = "browser_tests_left_out"
_left_out: set[str] = set()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    browser = [item for item in items if "browser" in getattr(item, "fixturenames", ())]
    if not browser or chromium.find():
        return
    _left_out.update(item.nodeid for item in browser)
    config.hook.pytest_deselected(items=browser)
    items[:] = [item for item in items if item.nodeid not in _left_out]
    if hasattr(config, "workeroutput"):
        config.workeroutput[KEY] = sorted(_left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: WorkerController, error: object) -> None:
    _left_out.update(getattr(node, "workeroutput", {}).get(KEY, ()))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _left_out:
        terminalreporter.section("BROWSER TESTS DID NOT RUN", red=True, bold=True)
        for name in sorted(_left_out):
            terminalreporter.line(f"not run: {name}")
        terminalreporter.line(
            f"{len(_left_out)} browser tests did not run: this machine has no Chromium, and it "
            "could not be installed. Put it there (or name one with CHROMIUM=…) and run again."
        )
