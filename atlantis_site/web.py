"""The web server: `python -m atlantis_site.web`, for `make play` and containers alike.

This process serves BIND (host:port, [IPv6]:port, unix:path, or fd://3 for an inherited socket) as
described in `front`. Its child is gunicorn with WEB_CONCURRENCY workers on a Unix socket in a
private folder; if one of the two ends, so does the other.
"""

import asyncio
import contextlib
import ctypes
import gc
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import NoReturn

from prometheus_client import REGISTRY

from atlantis_site import metrics_server, scrubbed_logs
from atlantis_site.connections import allow_many_connections
from atlantis_site.front import Front
from atlantis_site.plain_variables import YES, variable
from atlantis_site.refusals import LargeBodies

PR_SET_PDEATHSIG = 1  # of prctl(2)
START_SECONDS = 120.0
# For requests that have arrived when we are asked to stop, and for gunicorn after that. Together
# less than what the supervisor (8 seconds) and Docker (10 seconds) wait before they kill.
GRACE_SECONDS = 4.0
BACKEND_SECONDS = 3.0


def open_listener(bind: str) -> socket.socket:
    """Return the socket that BIND describes, listening."""
    if bind.startswith("fd://"):
        return socket.socket(fileno=int(bind.removeprefix("fd://")))
    if bind.startswith("unix:"):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(bind.removeprefix("unix:"))
        return listener
    host, _, port = bind.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        sys.exit("BIND must look like this: 127.0.0.1:8000, [::1]:8000 or unix:/path/to/socket")
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    return socket.create_server((host.strip("[]"), int(port)), family=family, backlog=512)


def worker_count() -> int:
    """Return WEB_CONCURRENCY, the number of gunicorn's workers."""
    text = os.environ.get("WEB_CONCURRENCY") or "2"
    if not text.isdecimal() or int(text) < 1:
        sys.exit("WEB_CONCURRENCY must be a whole number, at least 1.")
    return int(text)


def metrics_address() -> tuple[str, int] | None:
    """Return host and port of WEB_METRICS_BIND, None for no metrics."""
    try:
        return metrics_server.parse_bind(os.environ.get("WEB_METRICS_BIND", ""))
    except ValueError as error:
        sys.exit(f"WEB_METRICS_BIND: {error}")


def make_front(backend: str, workers: int) -> Front:
    """The front, with what the variables of the environment say."""
    try:
        secrets = [secret for secret in variable("INBOUND_SECRET").split(",") if secret]
        is_proxied = variable("TRUST_PROXY").strip().lower() in YES
    except (OSError, ValueError) as error:
        sys.exit(f"A variable names a file that cannot be read: {error}")
    large = LargeBodies(secrets, trust_proxy=is_proxied)
    return Front(backend, workers, events=os.environ.get("EVENTS_SOCKET", ""), large=large)


def start_backend(address: str, listener: socket.socket) -> int:
    """Fork gunicorn, which shares no sockets with us; return its pid.

    gunicorn forks its workers from here, and a worker that is ended raises SystemExit. Neither it
    nor gunicorn may return to our callers, who remove the backend's socket at the end.
    """
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() == parent:
            listener.close()
            run_backend(address)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 1
    except Exception:
        logging.getLogger(__name__).exception("gunicorn failed")
    finally:
        os._exit(status)


def run_backend(address: str) -> NoReturn:
    """Run gunicorn in this process."""
    from gunicorn.app.wsgiapp import run

    os.environ["BACKEND"] = address
    sys.argv = ["gunicorn", "-c", "python:atlantis_site.gunicorn", "atlantis_site.wsgi"]
    run()
    sys.exit(0)


def has_ended(pid: int) -> bool:
    """Return whether the child has ended, and leave its status for the next call of waitpid."""
    found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return found is not None


async def wait_for_backend(address: str, pid: int) -> bool:
    """Wait until the backend accepts connections; return False if it ends or takes too long."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and not has_ended(pid):
        with contextlib.suppress(OSError):
            _reader, writer = await asyncio.open_unix_connection(address)
            writer.close()
            return True
        await asyncio.sleep(0.05)
    return False


async def serve(listener: socket.socket, front: Front, pid: int) -> bool:
    """Serve until a signal; return whether that is why it ended, and not the end of the backend."""
    stop = asyncio.Event()
    asked: list[int] = []
    loop = asyncio.get_running_loop()

    def on_signal(number: int) -> None:
        asked.append(number)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, on_signal, number)
    loop.add_signal_handler(signal.SIGCHLD, lambda: stop.set() if has_ended(pid) else None)
    ready = asyncio.ensure_future(wait_for_backend(front.backend, pid))
    stopped = asyncio.ensure_future(stop.wait())
    await asyncio.wait({ready, stopped}, return_when=asyncio.FIRST_COMPLETED)
    if ready.done() and ready.result():
        await front.serve(listener, stop, GRACE_SECONDS)
    return bool(asked)


def end(pid: int) -> int:
    """Stop the backend, at the latest after a few seconds; return its exit status."""
    deadline = time.monotonic() + BACKEND_SECONDS
    if not has_ended(pid):
        os.kill(pid, signal.SIGTERM)
    while not has_ended(pid):
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main() -> int:
    """Run both; return 0 after a signal, else the status of the backend, or 1."""
    allow_many_connections()
    scrubbed_logs.configure()
    workers, metrics = worker_count(), metrics_address()
    folder = Path(tempfile.mkdtemp(prefix="web-"))
    try:
        front = make_front(str(folder / "backend"), workers)
        listener = open_listener(os.environ.get("BIND") or "127.0.0.1:8000")
        pid = start_backend(front.backend, listener)
        if metrics:
            metrics_server.serve(metrics, REGISTRY)
        gc.freeze()
        asked = asyncio.run(serve(listener, front, pid))
        status = end(pid)
        return 0 if asked else max(status, 1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
