"""The memory that ten large replies take at one moment: by webhook, and by the listener."""

import base64
import http.client
import json
import re
import smtplib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

from django.test.utils import override_settings

from atlantis_site.supervisor.children import Child
from atlantis_site.supervisor.reaper import children_of
from atlantis_site.supervisor.stack import ServiceStack, command_child
from games.mail.reply_addresses import person_address
from games.models import InboundMail, User
from tests.support.compose_file import COMMANDS
from tests.support.smtp_sink import free_port

from .memory import tree
from .report import Table, progress

EMAILS = 10
SIZE = 29 * 1024 * 1024  # of the attachment in base64
DOMAIN, SECRET = "reply.example.org", "postmark:open-sesame"
PATIENCE = 300.0
START_SECONDS = 120.0


def bench(stack: ServiceStack) -> Table:
    """Ten emails of 29 MB at once, from two networks, by each way; the peaks of the processes."""
    port = free_port()
    env = {
        **stack.env,
        "MAIL_REPLY_DOMAIN": DOMAIN,
        "MAIL_LISTEN": f"127.0.0.1:{port}",
        "INBOUND_SECRET": SECRET,
        "TRUST_PROXY": "1",
        "WEB_CONCURRENCY": "2",
    }
    table = Table(
        f"Memory of the web server and the listener: {EMAILS} emails of {SIZE >> 20} MB at once",
        ("way", "process", "before", "at most", "seconds", "answers"),
    )
    progress(f"{EMAILS} emails of {SIZE >> 20} MB")
    with ExitStack() as after, override_settings(MAIL_REPLY_DOMAIN=DOMAIN):
        user = User.objects.get_or_create(email="large@example.org")[0]
        to = person_address(user.pk)
        assert to is not None
        web, listener = (
            command_child(name, COMMANDS[name], stack.logs / f"large-{name}.log", env, grace=8)
            for name in ("web", "listener")
        )
        for child in (web, listener):
            child.start()
            after.callback(child.stop)
        url = urlsplit(env["SITE_URL"])
        _wait_until(lambda: smtplib.SMTP("127.0.0.1", port, timeout=2).quit())
        _wait_until(lambda: urlopen(f"{env['SITE_URL']}/healthz", timeout=30).close())
        web_most = _measure(table, "webhook", web, lambda number: _post(url.port or 0, to, number))
        _measure(table, "SMTP", listener, lambda number: _send(port, to, number))
    kept = InboundMail.objects.filter(recipient=to).count()
    if kept < EMAILS:
        raise SystemExit(f"only {kept} emails were stored")
    table.aim("memory of all of the web server", web_most, most=1000, write="{:.0f} MB".format)
    return table


def _measure(table: Table, way: str, child: Child, send: Callable[[int], int]) -> float:
    """Send all emails at once; those that are asked to try again, do. The MB that the processes
    had together, if each had its most at the same time."""
    pids = [pid for one in children_of(child.reaper_pid) for pid in tree(one)]
    before = [_status(pid, "VmRSS") for pid in pids]
    start = time.monotonic()
    with ThreadPoolExecutor(EMAILS) as pool:
        answers = sorted(pool.map(send, range(EMAILS)))
    took = time.monotonic() - start
    said = ", ".join(f"{answers.count(one)} × {one}" for one in dict.fromkeys(answers))
    names = ("front", "gunicorn", "worker", "worker") if way == "webhook" else ("listener",)
    mosts = [_status(pid, "VmHWM") for pid in pids]
    for name, was, most in zip(names, before, mosts, strict=True):
        table.add(way, name, f"{was:.0f} MB", f"{most:.0f} MB", f"{took:.0f}", said)
    return sum(mosts)


def _email(to: str, message_id: str) -> str:
    head = f"From: large@example.org\r\nTo: {to}\r\nMessage-ID: <{message_id}@mail.example.org>\r\n"
    parts = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'
    text = "--b\r\n\r\nstatus\r\n--b\r\nContent-Type: image/jpeg\r\n\r\n"
    photo = ("A" * 76 + "\r\n") * (SIZE // 78)
    return f"{head}{parts}{text}{photo}--b--\r\n"


def _post(port: int, to: str, number: int) -> int:
    body = json.dumps({"OriginalRecipient": to, "RawEmail": _email(to, f"web-{number}")})
    head = {
        "Authorization": f"Basic {base64.b64encode(SECRET.encode()).decode()}",
        "Content-Type": "application/json",
        "X-Forwarded-For": f"192.0.2.{number % 2}",
        "X-Forwarded-Proto": "https",
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("POST", "/anymail/postmark/inbound/", body, head)
    return connection.getresponse().status


def _send(port: int, to: str, number: int) -> int:
    with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as server:
        server.sendmail("large@example.org", [to], _email(to, f"smtp-{number}"))
    return 250


def _status(pid: int, name: str) -> float:
    """A size in MB."""
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    assert found
    return int(found[1]) / 1024


def _wait_until(answers: Callable[[], object]) -> None:
    """Wait until this raises no error."""
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            answers()
        except (OSError, http.client.HTTPException):
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
        else:
            return
