"""Health check of a container: `python -m atlantis_site.healthcheck web` (events, worker, bots,
beat, listener).

Runs in the container of the process that it checks. Prints one line; exit status 0 or 1.
"""

import os
import socket
import sys
from collections.abc import Sequence
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit


def web() -> str | None:
    """Return None if the web server responds here, else the problem."""
    port = (os.environ.get("BIND") or "127.0.0.1:8000").rpartition(":")[2]
    host = urlsplit(os.environ.get("SITE_URL", "http://127.0.0.1:8000")).netloc
    try:
        with closing(HTTPConnection("127.0.0.1", int(port), timeout=5)) as connection:
            connection.request("GET", "/healthz", headers={"Host": host})
            status = connection.getresponse().status
    except (OSError, ValueError, HTTPException) as error:  # ValueError: the port is none
        return f"/healthz: {error}"
    return None if status == 200 else f"/healthz answers {status}"


def worker(name: str = "celery") -> str | None:
    """Return None if this Celery worker of this machine responds to a ping, else the problem."""
    from atlantis_site.celery import app

    name = f"{name}@{socket.gethostname()}"
    answers = app.control.ping(destination=[name], timeout=5, limit=1)
    return None if answers else f"{name} does not answer"


def beat() -> str | None:
    """Return None if the tasks of beat have run lately, else the report."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")
    django.setup()
    from games.models import database_clock
    from games.operations import health

    report = health.report(database_clock.now())
    return None if report.get("beat") == "ok" else str(report)


def events() -> str | None:
    """Return None if the event process answers and listens to PostgreSQL, else the problem."""
    path = os.environ.get("EVENTS_SOCKET", "")
    try:
        with socket.socket(socket.AF_UNIX) as process:
            process.settimeout(5)
            process.connect(path)
            process.sendall(b"health\n")
            word = process.recv(100).decode()
    except OSError as error:
        return f"EVENTS_SOCKET={path}: {error}"
    return None if word == "ok" else word or "it says nothing"


def listener() -> str | None:
    """Return None if the mail listener sends its greeting here, else the problem."""
    port = (os.environ.get("MAIL_LISTEN") or "127.0.0.1:2525").rpartition(":")[2]
    try:
        with socket.create_connection(("127.0.0.1", int(port)), timeout=5) as caller:
            greeting = caller.recv(4)
    except (OSError, ValueError) as error:
        return f"port {port}: {error}"
    return None if greeting.startswith(b"220") else f"port {port} says {greeting!r}"


def bots() -> str | None:
    """Return None if the worker of the bots on this machine responds to a ping, else the
    problem."""
    return worker("bots")


PARTS = {
    "web": web,
    "events": events,
    "worker": worker,
    "bots": bots,
    "beat": beat,
    "listener": listener,
}


def main(words: Sequence[str]) -> int:
    """Check the part that is named, print what was found, and return the exit status."""
    if len(words) != 1 or words[0] not in PARTS:
        print(f"Name one part: {', '.join(PARTS)}.")
        return 1
    trouble = PARTS[words[0]]()
    print(trouble or "ok")
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
