"""Reads emails, and checks their signatures, within limits that the kernel enforces.

Anybody may send an email, and its author decides what parsers and patterns cost. So a process of
its own reads it, a copy of a server process that has imported the parsers, but neither Django nor
any secret. A copy that exceeds a limit is ended: one email costs at most one of them. The server
starts with the first email, and ends when none came for a while or its parent has ended.

The email goes to its copy over a socket, as a Request in MessagePack that ends with its sending
side. The copy answers with one byte once it has started, and with a Reply or an address in
MessagePack; nothing follows if it was ended.
"""

import atexit
import gc
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from . import mime, reply_parser
from .reply_parser import Problem, Reply

CPU_SECONDS = 1  # of a processor, for one email
MEMORY = 100 * 1024 * 1024  # bytes for one email, besides what the server has
SECONDS = 8.0  # until the reply, however busy the machine is
IDLE_SECONDS = 60.0  # after which the server ends
END_SECONDS = 5.0
UNREADABLE = Reply(problem=Problem.UNREADABLE)
NAME_SERVER: tuple[str, int] | None = None  # which readers ask; None: those of this machine

_ROOT = Path(__file__).resolve().parents[2]
_STARTED = b"."

T = TypeVar("T")


class Request(msgspec.Struct, array_like=True):
    """wants_author: check the signatures by this name server, and do not read the text."""

    raw: bytes
    is_truncated: bool = False
    wants_author: bool = False
    name_server: tuple[str, int] | None = None


def read(raw: bytes, *, is_truncated: bool = False) -> Reply:
    """The own text of the writer of this email; Problem.UNREADABLE where that exceeds a limit.

    Raises OSError if the machine is too busy, or out of memory or processes: then try again later.
    """
    return _answer(Request(raw, is_truncated), Reply) or UNREADABLE


def signed_author(raw: bytes) -> str:
    """The author of this whole email by its signatures (see `signatures`), "" if they name none or
    exceed a limit. Raises OSError as `read` does."""
    return _answer(Request(raw, wants_author=True, name_server=NAME_SERVER), str) or ""


def _answer(request: Request, kind: type[T]) -> T | None:
    """The answer of a reader; None if it was ended."""
    for _try in range(2):
        if answer := _ask(msgspec.msgpack.encode(request)):
            break
    else:
        raise ConnectionError("the server of the readers has ended")
    try:
        return decoded(answer, kind)
    except msgspec.DecodeError:
        return None


def decoded(answer: bytes, kind: type[T]) -> T:
    """The answer of a reader. Raises msgspec.DecodeError if it was ended."""
    return msgspec.msgpack.decode(answer.removeprefix(_STARTED), type=kind)


def _ask(request: bytes) -> bytes:
    """The answer; b"" if the server ended before a reader started."""
    deadline = time.monotonic() + SECONDS
    answer = bytearray()
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            _server.hand_over(theirs)
        ours.settimeout(SECONDS)
        with suppress(BrokenPipeError, ConnectionResetError):
            ours.sendall(request)
            ours.shutdown(socket.SHUT_WR)
            while True:
                ours.settimeout(max(deadline - time.monotonic(), 0.001))
                if not (part := ours.recv(65_536)):
                    break
                answer += part
    return bytes(answer)


class _Server:
    """The server, which is started when it is needed."""

    _process: subprocess.Popen[bytes] | None = None
    _socket: socket.socket | None = None

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def hand_over(self, connection: socket.socket) -> None:
        """Start a reader at the other end of a connection. Raises OSError."""
        with self._lock:
            try:
                self._send(connection)
            except OSError:  # it has ended, or not started
                self._stop()
                self._start()
                self._send(connection)

    def _send(self, connection: socket.socket) -> None:
        if self._socket is None:
            raise ConnectionError("there is no server")
        self._socket.settimeout(SECONDS)
        socket.send_fds(self._socket, [_STARTED], [connection.fileno()])

    def _start(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                cwd=_ROOT,
                env={},
            )

    def stop(self) -> None:
        """End the server. The next email starts a new one."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.kill()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(END_SECONDS)
        self._process = self._socket = None

    def abandon(self) -> None:
        """Forget the server after a fork: it belongs to the parent, and so may the lock."""
        if self._socket is not None:
            self._socket.close()
        self._lock, self._process, self._socket = threading.Lock(), None, None


_server = _Server()
stop = _server.stop
atexit.register(stop)
os.register_at_fork(after_in_child=_server.abandon)


# -- in the server -----------------------------------------------------------------------------


def serve(requests: socket.socket) -> None:
    """Fork a reader for each connection that comes."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the readers
    gc.collect()
    gc.freeze()
    requests.settimeout(IDLE_SECONDS)
    while True:
        try:
            _message, descriptors, _flags, _address = socket.recv_fds(requests, 1, 1)
        except TimeoutError:
            return
        if not descriptors:
            return
        if os.fork() == 0:
            read_one(descriptors[0])
            os._exit(0)
        os.close(descriptors[0])


def read_one(descriptor: int) -> None:
    """Do what is asked for through this socket, and answer."""
    with socket.socket(fileno=descriptor) as connection:
        # It does not block where it was made under a default timeout, as Celery sets for a moment.
        connection.setblocking(True)
        connection.sendall(_STARTED)
        asked = connection.makefile("rb").read()
        _limit()
        request = msgspec.msgpack.decode(asked, type=Request)
        answer = _author(request) if request.wants_author else _text(request)
        connection.sendall(msgspec.msgpack.encode(answer))


def _text(request: Request) -> Reply:
    try:
        return reply_parser.read(mime.read(request.raw, is_truncated=request.is_truncated))
    except (mime.Unreadable, MemoryError):
        return UNREADABLE


def _author(request: Request) -> str:
    from games.mail import dns_lookup  # few emails need these

    from . import signatures

    try:
        lookup = dns_lookup.lookup_at(request.name_server, signatures.DNS_SECONDS)
        return signatures.signed_author(request.raw, lookup)
    except (dns_lookup.DnsUnavailable, MemoryError):
        return ""


def _limit() -> None:
    """Limit what this process may use. The memory is only limited on Linux."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    signal.alarm(round(SECONDS))
    with suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        Path("/proc/self/oom_score_adj").write_text("1000")  # the first to be ended


if __name__ == "__main__":
    # A signal to the whole process group is not for the server: it ends with its parent.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    with socket.socket(fileno=0) as parent:
        serve(parent)
