"""The output of a test's processes, printed with the test when it fails."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

LINES = 40

_folders: list[Path] = []
_begins: dict[Path, int] = {}


def watch(folder: Path) -> None:
    """The logs in this folder belong to the test that runs."""
    _folders.append(folder)


def logs() -> Iterator[Path]:
    """The logs of this process's part of the run, and of the services that the test made."""
    for folder in (Path(os.environ["VAR_DIR"]), *_folders):
        yield from sorted(folder.glob("*.log"))


def news(log: Path) -> str:
    """The last lines that were written to this log since the test began."""
    with log.open("rb") as file:
        file.seek(_begins.get(log, 0))
        return "\n".join(file.read().decode(errors="replace").splitlines()[-LINES:])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    _folders.clear()
    _begins.clear()
    _begins.update((log, log.stat().st_size) for log in logs())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        report.sections += [(f"end of {log}", words) for log in logs() if (words := news(log))]
    return report
