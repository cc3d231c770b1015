"""The render worker draws the same pictures, survives what happens to it, and leaves nothing."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path

import msgspec
import pytest
from django.test import Client

from games.models import User
from games.pictures import render_worker
from games.pictures.compositor import render_png, render_pngs
from games.pictures.render_worker import ROOT, RenderWorker, Request
from games.rules.drawing import Drawing, Element
from tests.factories import table_of
from tests.pictures.boards import board_after
from tests.support.default_timeout import default_timeout
from tests.support.emails import read
from tests.support.process_tree import descendants_of, is_alive
from tests.support.processes import CeleryProcess, wait_for
from tests.support.smtp_sink import SmtpSink

pytestmark = pytest.mark.processes

BROKEN = Drawing("", (0, 0, 10, 10), "", "", (), (), (Element(("<g>",)),))
# Noise of a hundred million octaves: no machine is done with it before the test is over.
NOISE = '<filter id="noise"><feTurbulence numOctaves="100000000"/></filter>'
ENDLESS = Drawing(
    "",
    (0, 0, 10, 10),
    "",
    "",
    (("filters", NOISE),),
    (),
    (Element(('<rect width="9" height="9" filter="url(#noise)"/>',)),),
)


@contextmanager
def render_worker_of_its_own() -> Iterator[RenderWorker]:
    # However busy the machine is.
    worker = RenderWorker(timeout=60, start_timeout=60, cold_timeout=0)
    yield worker
    worker.close()


@pytest.fixture
def new_worker() -> Iterator[RenderWorker]:
    """A render worker that has drawn nothing and has never failed."""
    with render_worker_of_its_own() as worker:
        yield worker


@pytest.fixture(scope="module")
def shared_worker() -> Iterator[RenderWorker]:
    with render_worker_of_its_own() as worker:
        yield worker


@pytest.fixture
def worker(shared_worker: RenderWorker) -> RenderWorker:
    """The render worker of tests that end with a board that it drew."""
    shared_worker.timeout = 60
    return shared_worker


def pid_of(worker: RenderWorker) -> int:
    assert worker.process is not None
    return worker.process.pid


def test_it_waits_for_boards_whatever_the_default_timeout_of_sockets_is(
    new_worker: RenderWorker,
) -> None:
    """Celery sets one for a moment when it closes a connection to the broker."""
    with default_timeout(60):
        first = new_worker.render_png(board_after(7))
        pid = pid_of(new_worker)
        time.sleep(0.3)
        assert new_worker.render_png(board_after(7)) == first
    assert pid_of(new_worker) == pid


@pytest.mark.parametrize("pixels", [360_000, 70_000])
def test_it_draws_the_pictures_of_the_compositor(worker: RenderWorker, pixels: int) -> None:
    assert worker.render_png(board_after(7), pixels=pixels) == render_png(
        board_after(7), pixels=pixels
    )


def test_it_enlarges_parts_of_a_board_in_the_same_request(worker: RenderWorker) -> None:
    drawing, part = board_after(7), (100, 100, 160, 200)
    drawn = worker.render(Request(drawing, 70_000, (part,)))
    assert drawn == render_pngs(drawing, 70_000, (part,))


def test_it_does_without_the_engines() -> None:
    """They would add a third to its memory."""
    code = "import sys, games.pictures.render_worker; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "games.rules.drawing" in loaded
    assert not {"games.rules.registry", "games.rules.atlantis", "games.rules.escape"} & {*loaded}


def test_the_first_boards_of_a_process_may_take_longer(
    new_worker: RenderWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It draws their sprites, and would begin anew if it were killed over that."""
    monkeypatch.setattr(render_worker, "COLD_BOARDS", 1)
    new_worker.timeout, new_worker.cold_timeout = 1e-6, 60
    assert new_worker.render_png(board_after(0))
    with pytest.raises(OSError):
        new_worker.render_png(ENDLESS)  # a board may be drawn within the shortest wait


def test_one_process_draws_all_boards(worker: RenderWorker) -> None:
    worker.render_png(board_after(0))
    first = pid_of(worker)
    worker.render_png(board_after(3))
    assert pid_of(worker) == first


def test_a_drawing_that_raises_is_refused_and_the_next_one_is_drawn(worker: RenderWorker) -> None:
    with pytest.raises(ValueError, match="ValueError: "):
        worker.render_png(BROKEN)
    first = pid_of(worker)
    assert worker.render_png(board_after(0)) == render_png(board_after(0))
    assert pid_of(worker) == first


def test_a_worker_that_was_killed_is_replaced(worker: RenderWorker) -> None:
    before = worker.render_png(board_after(2))
    killed = pid_of(worker)
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: worker.process is not None and worker.process.poll() is not None, "its end")
    assert worker.render_png(board_after(2)) == before
    assert pid_of(worker) != killed


def test_a_worker_that_is_stopped_is_killed_and_the_next_board_is_drawn(
    worker: RenderWorker,
) -> None:
    before = worker.render_png(board_after(2))
    stopped = pid_of(worker)
    os.kill(stopped, signal.SIGSTOP)
    worker.timeout = 0.5
    with pytest.raises(TimeoutError):
        worker.render_png(board_after(2))
    assert not is_alive(stopped)
    worker.timeout = 60
    assert worker.render_png(board_after(2)) == before


def test_the_picture_of_a_request_that_was_interrupted_is_no_reply_to_the_next(
    worker: RenderWorker,
) -> None:
    """It may show what only another reader may see."""
    worker.render_png(board_after(2))

    slow = pid_of(worker)
    os.kill(slow, signal.SIGSTOP)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            worker.render_png(board_after(2))
    finally:
        signal.signal(signal.SIGALRM, before)
        with suppress(ProcessLookupError):
            os.kill(slow, signal.SIGCONT)
    assert worker.render_png(board_after(7)) == render_png(board_after(7))


def test_a_drawing_without_end_is_given_up_and_the_next_one_is_drawn(worker: RenderWorker) -> None:
    before = worker.render_png(board_after(2))
    worker.timeout = 0.2
    with pytest.raises(TimeoutError):
        worker.render_png(ENDLESS)
    assert worker.process is None
    worker.timeout = 60
    assert worker.render_png(board_after(2)) == before


def test_after_two_failures_in_a_row_no_board_costs_time_for_a_while(
    new_worker: RenderWorker,
) -> None:
    new_worker.timeout, new_worker.pause = 0.001, 60
    for _failure in range(2):
        with pytest.raises(TimeoutError, match="timed out"):
            new_worker.render_png(ENDLESS)
    with pytest.raises(TimeoutError, match="is paused"):
        new_worker.render_png(board_after(2))
    assert new_worker.process is None


def test_after_the_pause_boards_are_drawn_again(new_worker: RenderWorker) -> None:
    new_worker.timeout, new_worker.pause = 0.001, 0
    for _failure in range(2):
        with pytest.raises(TimeoutError, match="timed out"):
            new_worker.render_png(ENDLESS)
    new_worker.timeout = 60
    assert new_worker.render_png(board_after(2)) == render_png(board_after(2))


def test_a_board_has_two_seconds() -> None:
    assert render_worker.TIMEOUT == 2


def drawing_processes(pid: int) -> list[int]:
    """The render workers below a process."""
    return [
        child
        for child in descendants_of(pid)
        if b"games.pictures.render_worker" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def test_a_process_that_was_forked_has_a_worker_of_its_own() -> None:
    before = render_worker.render_png(board_after(2))
    ours = drawing_processes(os.getpid())

    def draw_elsewhere() -> None:
        assert render_worker.render_png(board_after(2)) == before
        assert len(drawing_processes(os.getpid())) == 1

    child = get_context("fork").Process(target=draw_elsewhere)
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert render_worker.render_png(board_after(2)) == before
    assert drawing_processes(os.getpid()) == ours
    render_worker.close()


@pytest.mark.parametrize("state", ["idle", "stopped", "busy"])
def test_a_worker_ends_with_its_parent_even_if_that_is_killed(state: str) -> None:
    code = (
        "import sys, threading, msgspec; from games.pictures import render_worker as r;"
        "w = r.RenderWorker(timeout=60.0, start_timeout=60.0);"  # however busy the machine is
        "asked = [msgspec.msgpack.decode(line, type=r.Request).drawing for line in "
        "map(bytes.fromhex, sys.stdin.read().split())]; w.render_png(asked[0]);"
        "print(w.process.pid, flush=True); w.render_png(asked[-1]);"
        "import time; time.sleep(600)"
    )
    drawings = [board_after(0), ENDLESS] if state == "busy" else [board_after(0)]
    lines = [msgspec.msgpack.encode(Request(drawing, 40_000)).hex() for drawing in drawings]
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=render_worker.ROOT,
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write("\n".join(lines))
        parent.stdin.close()
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        if state == "stopped":
            os.kill(pid, signal.SIGSTOP)
        parent.kill()
    try:
        wait_for(lambda: not is_alive(pid), "the end of the worker")
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


SENTENCE = "The picture of the board could not be drawn this time."


@pytest.mark.django_db(transaction=True)
def test_a_sign_in_code_arrives_although_the_render_worker_of_the_outbox_is_stopped(
    celery_worker: CeleryProcess, smtp_sink: SmtpSink, alice: User, bob: User
) -> None:
    table_of(alice, bob)
    wait_for(lambda: len(smtp_sink.messages) == 2, "the first emails")
    (renderer,) = drawing_processes(celery_worker.child.reaper_pid)
    os.kill(renderer, signal.SIGSTOP)
    table_of(alice, bob)
    Client().post("/accounts/login/", {"login": alice.email})
    wait_for(lambda: len(smtp_sink.messages) == 5, "emails without pictures")
    late = [read(message) for message in smtp_sink.messages[2:]]
    assert any("code" in mail["Subject"] for mail in late)
    without = [mail for mail in late if SENTENCE in " ".join(mail.html.split())]
    assert without
    for mail in without:
        assert set(re.findall(r'"cid:([^"]+)"', mail.html)) == set(mail.pictures)
        assert SENTENCE not in mail.text  # it has the board as text
    assert not is_alive(renderer)
