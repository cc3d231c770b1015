"""Boards are drawn by a process of their own, so that emails can be written on another core.

The process starts with the first board, needs neither Django nor the database, and ends with the
process that started it, however that ends. Every wait has a deadline: a worker that crashed, was
stopped or hangs is killed, and the next board starts another. The board that it failed at is not
tried again, since emails wait behind it. After two failures in a row no board is drawn for a while.

A request is a length (4 bytes) and a Request in MessagePack. A reply is one byte, 0 for PNGs in
MessagePack and 1 for the reason why there are none, a length (4 bytes), and that. The worker's
first message is an empty reply, once it has imported everything.
"""

import atexit
import ctypes
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from games.pictures import compositor
from games.rules.drawing import Box, Drawing

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 2.0  # seconds for one picture
# A new process draws the sprites that its first boards need. If it were killed over that on a busy
# machine, the next one would have to begin anew.
COLD_TIMEOUT = 5.0  # seconds for each of those boards
COLD_BOARDS = 20
START_TIMEOUT = 10.0  # seconds for the start of the worker
END_TIMEOUT = 5.0  # seconds for its end after SIGKILL
MAX_FAILURES = 2  # in a row, then there are no boards for PAUSE seconds
PAUSE = 30.0
PR_SET_PDEATHSIG = 1  # of prctl(2): the signal that a process gets when its parent thread ends

_LENGTH, _REPLY = struct.Struct(">I"), struct.Struct(">BI")


class Request(msgspec.Struct, array_like=True):
    """A board to draw with this many pixels, and parts of it to enlarge."""

    drawing: Drawing
    pixels: int
    details: tuple[Box, ...] = ()


class RenderWorker:
    """One process that draws boards, started when there is one to draw."""

    def __init__(
        self,
        timeout: float = TIMEOUT,
        start_timeout: float = START_TIMEOUT,
        pause: float = PAUSE,
        cold_timeout: float = COLD_TIMEOUT,
    ) -> None:
        self.timeout, self.start_timeout, self.pause = timeout, start_timeout, pause
        self.cold_timeout = cold_timeout
        self._drawn = 0  # boards since the process started
        self._failures = 0
        self._paused_until = 0.0
        self.process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()  # one board at a time

    def render_png(self, drawing: Drawing, *, pixels: int = compositor.PIXELS) -> bytes:
        """The PNG that compositor.render_png draws. Raises as `render`."""
        return self.render(Request(drawing, pixels))[0]

    def render(self, request: Request) -> list[bytes]:
        """The PNGs that compositor.render_pngs draws.

        Raises ValueError where a fragment is not SVG, and OSError if the worker crashed or took too
        long, just now or several times before.
        """
        pictures = 1 + len(request.details)
        data = msgspec.msgpack.encode(request)
        with self._lock:
            if time.monotonic() < self._paused_until:
                raise TimeoutError("the render worker failed repeatedly and is paused")
            try:
                reply = self._ask(data, pictures)
            except ValueError:
                raise  # a reply like any other, which was read to its end
            except BaseException as error:
                # A reply that nobody has read would be taken for the reply to the next request,
                # which may be for another reader.
                self._stop()
                if isinstance(error, OSError):  # it was killed, or is too slow
                    self._count_failure()
                raise
            self._failures = 0
            return msgspec.msgpack.decode(reply, type=list[bytes])

    def _count_failure(self) -> None:
        self._failures += 1
        if self._failures >= MAX_FAILURES:
            self._failures = 0
            self._paused_until = time.monotonic() + self.pause

    def close(self) -> None:
        """End the process, if there is one. The next board starts a new one."""
        with self._lock:
            self._stop()

    def abandon(self) -> None:
        """Forget the process after a fork: it belongs to the parent, and so may the lock."""
        if self.process is not None:
            self._socket.close()  # the worker ends when the parent's is closed
        self.process, self._lock = None, threading.Lock()

    def _ask(self, request: bytes, pictures: int) -> bytes:
        if self.process is not None and self.process.poll() is not None:
            self._stop()  # it ended between two boards
        if self.process is None:
            self._start()
            self._reply(time.monotonic() + self.start_timeout)
        is_cold = self._drawn < COLD_BOARDS
        limit = max(self.timeout, self.cold_timeout) if is_cold else self.timeout
        limit *= pictures
        deadline = time.monotonic() + limit
        self._socket.settimeout(limit)
        self._socket.sendall(_LENGTH.pack(len(request)) + request)
        reply = self._reply(deadline)
        self._drawn += 1
        return reply

    def _reply(self, deadline: float) -> bytes:
        failed, length = _REPLY.unpack(self._receive(_REPLY.size, deadline))
        reply = self._receive(length, deadline)
        if failed:
            raise ValueError(reply.decode())
        return reply

    def _receive(self, length: int, deadline: float) -> bytes:
        received = bytearray()
        while len(received) < length:
            self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
            part = self._socket.recv(length - len(received))
            if not part:
                raise ConnectionError("the render worker has ended")
            received += part
        return bytes(received)

    def _start(self) -> None:
        self._drawn = 0
        self._socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "games.pictures.render_worker"],
                stdin=theirs.fileno(),
                cwd=ROOT,
            )

    def _stop(self) -> None:
        if self.process is not None:
            self._socket.close()
            self.process.kill()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(END_TIMEOUT)
            self.process = None


_worker = RenderWorker()
render, render_png, close = _worker.render, _worker.render_png, _worker.close
atexit.register(close)
os.register_at_fork(after_in_child=_worker.abandon)


def main(requests: IO[bytes], replies: IO[bytes]) -> None:
    """Draw until the other end is closed."""
    replies.write(_REPLY.pack(0, 0))
    replies.flush()
    while head := requests.read(_LENGTH.size):
        data = requests.read(*_LENGTH.unpack(head))
        try:
            request = msgspec.msgpack.decode(data, type=Request)
            pngs = compositor.render_pngs(request.drawing, request.pixels, request.details)
            failed, reply = 0, msgspec.msgpack.encode(pngs)
        except Exception as error:  # noqa: BLE001 (a bad drawing must not prevent the next one)
            failed, reply = 1, f"{type(error).__name__}: {error}".encode()
        replies.write(_REPLY.pack(failed, len(reply)) + reply)
        replies.flush()


if __name__ == "__main__":
    # A signal to the whole process group is not for the worker: it ends with its parent.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if sys.platform == "linux":  # even when it hangs or is stopped and does not see the parent end
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    with socket.socket(fileno=0) as parent, suppress(ConnectionError):
        # It does not block where it was made under a default timeout, as Celery sets for a moment.
        parent.setblocking(True)
        main(parent.makefile("rb"), parent.makefile("wb"))
