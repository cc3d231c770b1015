"""The painter's process: the same pictures, and nothing of it left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from games import studio
from games.painter import paint

from .processes import wait_for
from .test_mail_painter import board


@pytest.fixture(autouse=True)
def _no_painter_is_left() -> Iterator[None]:
    yield
    studio.close()


def painter() -> int:
    """The process that paints."""
    assert studio._process is not None
    return studio._process.pid


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("width", [400, 260])
def test_its_pictures_are_the_very_ones(width: int) -> None:
    assert studio.paint(board(7), width=width) == paint(board(7), width=width)


def test_one_process_paints_all_boards() -> None:
    studio.paint(board(0))
    first = painter()
    studio.paint(board(3))
    assert painter() == first


def test_what_is_no_board_is_refused_and_the_next_board_is_painted() -> None:
    with pytest.raises(ValueError, match="whole SVG"):
        studio.paint("words")
    assert studio.paint(board(0)) == paint(board(0))


def test_a_painter_that_was_killed_is_replaced() -> None:
    before = studio.paint(board(2))
    killed = painter()
    os.kill(killed, signal.SIGKILL)
    assert studio.paint(board(2)) == before
    assert painter() != killed


def test_a_painter_ends_with_the_process_that_wanted_a_board_even_if_that_is_killed() -> None:
    words = (
        "import sys; from games import studio; studio.paint(sys.stdin.read());"
        "print(studio._process.pid, flush=True); import time; time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=studio.ROOT,
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write(board(0))
        parent.stdin.close()
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
    wait_for(lambda: not is_alive(pid), "the end of the painter")
