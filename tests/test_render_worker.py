"""The render worker draws the same pictures, survives what happens to it, and leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import get_context

import msgspec
import pytest
from django.utils import timezone

from games.mail import outbox
from games.models import OutboxMail, User
from games.pictures import render_worker
from games.pictures.compositor import render_png
from games.pictures.render_worker import RenderWorker, Request
from games.rules.drawing import Drawing, Element

from .factories import table_of
from .support.emails import Kind, State, read
from .support.processes import wait_for
from .support.smtp_sink import SmtpSink
from .test_compositor import board
from .test_reaper import is_alive

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


@pytest.fixture
def worker() -> Iterator[RenderWorker]:
    worker = RenderWorker()
    yield worker
    worker.close()


def be_quick_once(worker: RenderWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a second for the present process, and as long as it takes for the next one."""
    start = worker._start

    def start_patiently() -> None:
        worker.timeout = 60
        start()

    monkeypatch.setattr(worker, "timeout", 1)
    monkeypatch.setattr(worker, "_start", start_patiently)


def pid_of(worker: RenderWorker) -> int:
    assert worker.process is not None
    return worker.process.pid


@pytest.mark.parametrize("width", [400, 260])
def test_it_draws_the_pictures_of_the_compositor(worker: RenderWorker, width: int) -> None:
    assert worker.render_png(board(7), width=width) == render_png(board(7), width=width)


def test_one_process_draws_all_boards(worker: RenderWorker) -> None:
    worker.render_png(board(0))
    first = pid_of(worker)
    worker.render_png(board(3))
    assert pid_of(worker) == first


def test_a_drawing_that_raises_is_refused_and_the_next_one_is_drawn(worker: RenderWorker) -> None:
    with pytest.raises(ValueError, match="ValueError: "):
        worker.render_png(BROKEN)
    first = pid_of(worker)
    assert worker.render_png(board(0)) == render_png(board(0))
    assert pid_of(worker) == first


def test_a_worker_that_is_killed_is_replaced(worker: RenderWorker) -> None:
    before = worker.render_png(board(2))
    killed = pid_of(worker)
    os.kill(killed, signal.SIGKILL)
    assert worker.render_png(board(2)) == before
    assert pid_of(worker) != killed


def test_a_worker_that_is_stopped_is_killed_and_replaced(
    worker: RenderWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = worker.render_png(board(2))
    stopped = pid_of(worker)
    os.kill(stopped, signal.SIGSTOP)
    worker.timeout = 1
    start = worker._start

    def start_with_patience() -> None:  # a busy machine takes longer to start another
        worker.timeout = render_worker.TIMEOUT
        start()

    monkeypatch.setattr(worker, "_start", start_with_patience)
    assert worker.render_png(board(2)) == before
    assert not is_alive(stopped)


def test_a_drawing_without_end_is_given_up_and_the_next_one_is_drawn(worker: RenderWorker) -> None:
    before = worker.render_png(board(2))
    worker.timeout = 1
    with pytest.raises(TimeoutError):
        worker.render_png(ENDLESS)
    assert worker.process is None
    worker.timeout = 60
    assert worker.render_png(board(2)) == before


def test_a_process_that_was_forked_has_a_worker_of_its_own() -> None:
    before = render_worker.render_png(board(2))
    ours = pid_of(render_worker._worker)

    def draw_elsewhere() -> None:
        assert render_worker.render_png(board(2)) == before
        assert pid_of(render_worker._worker) != ours

    child = get_context("fork").Process(target=draw_elsewhere)
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert render_worker.render_png(board(2)) == before
    assert pid_of(render_worker._worker) == ours
    render_worker.close()


@pytest.mark.parametrize("state", ["idle", "stopped", "busy"])
def test_a_worker_ends_with_its_parent_even_if_that_is_killed(state: str) -> None:
    code = (
        "import sys, threading, msgspec; from games.pictures import render_worker as r;"
        "asked = [msgspec.msgpack.decode(line, type=r.Request).drawing for line in "
        "map(bytes.fromhex, sys.stdin.read().split())]; r.render_png(asked[0]);"
        "print(r._worker.process.pid, flush=True); r.render_png(asked[-1]);"
        "import time; time.sleep(600)"
    )
    drawings = [board(0), ENDLESS] if state == "busy" else [board(0)]
    lines = [msgspec.msgpack.encode(Request(drawing, 400)).hex() for drawing in drawings]
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


@pytest.mark.django_db
def test_an_email_goes_out_although_the_worker_was_stopped(
    outgoing: SmtpSink, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    render_worker.render_png(board(0))
    stopped = pid_of(render_worker._worker)
    os.kill(stopped, signal.SIGSTOP)
    be_quick_once(render_worker._worker, monkeypatch)
    table_of(alice, bob)
    assert outbox.drain().sent >= 1
    assert any(read(message).pictures for message in outgoing.messages)
    assert not is_alive(stopped)
    render_worker.close()


@pytest.mark.django_db
def test_an_email_whose_board_cannot_be_drawn_is_tried_again(
    outgoing: SmtpSink, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render_worker._worker, "timeout", 0.0001)
    table_of(alice, bob)
    outbox.drain()
    row = OutboxMail.objects.get(kind=Kind.TURN)
    assert (row.state, "TimeoutError" in row.error) == (State.QUEUED, True)
    monkeypatch.undo()
    OutboxMail.objects.update(next_try_at=timezone.now())
    outbox.drain()
    row.refresh_from_db()
    assert row.state == State.SENT
    render_worker.close()
