"""The render worker: the same pictures, and nothing of it left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from games.pictures import render_worker
from games.pictures.compositor import render_png

from .support.processes import wait_for
from .test_compositor import board


@pytest.fixture(autouse=True)
def _no_worker_is_left() -> Iterator[None]:
    yield
    render_worker.close()


def worker_pid() -> int:
    """The process id of the render worker."""
    assert render_worker._process is not None
    return render_worker._process.pid


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("width", [400, 260])
def test_its_pictures_are_the_very_ones(width: int) -> None:
    assert render_worker.render_png(board(7), width=width) == render_png(board(7), width=width)


def test_one_process_paints_all_boards() -> None:
    render_worker.render_png(board(0))
    first = worker_pid()
    render_worker.render_png(board(3))
    assert worker_pid() == first


def test_what_is_no_board_is_refused_and_the_next_board_is_painted() -> None:
    with pytest.raises(ValueError, match="whole SVG"):
        render_worker.render_png("words")
    assert render_worker.render_png(board(0)) == render_png(board(0))


def test_a_render_worker_that_was_killed_is_replaced() -> None:
    before = render_worker.render_png(board(2))
    killed = worker_pid()
    os.kill(killed, signal.SIGKILL)
    assert render_worker.render_png(board(2)) == before
    assert worker_pid() != killed


def test_a_render_worker_ends_with_the_process_that_wanted_a_board_even_if_that_is_killed() -> None:
    words = (
        "import sys; from games.pictures import render_worker; render_worker.render_png(sys.stdin.read());"
        "print(render_worker._process.pid, flush=True); import time; time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=render_worker.ROOT,
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write(board(0))
        parent.stdin.close()
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
    wait_for(lambda: not is_alive(pid), "the end of the worker")
