"""Leave out tests whose program this machine lacks; the last lines of the run list them."""

from collections.abc import Callable

import pytest
from xdist.workermanage import WorkerController

from tests.browser import chromium
from tests.support.containers import can_isolate
from tests.support.debian_programs import FIREFOX, NGINX, PGBOUNCER, PROMETHEUS, SPAMASSASSIN

# Fixture → (what its tests need, how to find it, how to name it).
PROGRAMS: dict[str, tuple[str, Callable[[], str | None], str]] = {
    "browser": ("Chromium", chromium.find, "CHROMIUM=…"),
    "firefox": ("Firefox", FIREFOX.find, "FIREFOX=…"),
    "pod": ("user namespaces (or no unshare)", can_isolate, "kernel.unprivileged_userns_clone=1"),
    "namespaces": (
        "user namespaces (or no unshare)",
        can_isolate,
        "kernel.unprivileged_userns_clone=1",
    ),
    "nginx": ("nginx", NGINX.find, "NGINX_PROGRAM=…"),
    "prometheus": ("prometheus", PROMETHEUS.find, "PROMETHEUS_PROGRAM=…"),
    "needs_pgbouncer": ("pgbouncer", PGBOUNCER.find, "PGBOUNCER_PROGRAM=…"),
    "pooled": ("pgbouncer", PGBOUNCER.find, "PGBOUNCER_PROGRAM=…"),
    "spamassassin": ("SpamAssassin", SPAMASSASSIN.find, "SPAMASSASSIN_PROGRAM=…"),
}
KEY = "left_out"
_left_out: dict[str, list[str]] = {}  # fixture → tests


@pytest.fixture
def needs_pgbouncer() -> None:
    """For a test that starts pgbouncer itself."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for fixture, (_program, find, _variable) in PROGRAMS.items():
        needing = [item for item in items if fixture in getattr(item, "fixturenames", ())]
        if needing and not find():
            _left_out[fixture] = sorted(item.nodeid for item in needing)
            config.hook.pytest_deselected(items=needing)
            items[:] = [item for item in items if item not in needing]
    if hasattr(config, "workeroutput"):
        config.workeroutput[KEY] = _left_out


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: WorkerController, error: object) -> None:
    _left_out.update(getattr(node, "workeroutput", {}).get(KEY, {}))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _left_out:
        return
    terminalreporter.section("TESTS DID NOT RUN", red=True, bold=True)
    for fixture, names in _left_out.items():
        program, _find, variable = PROGRAMS[fixture]
        for name in names:
            terminalreporter.line(f"not run: {name}")
        terminalreporter.line(
            f"{len(names)} tests did not run: this machine has no {program}. Install it, or name "
            f"one with {variable}, and run again."
        )
