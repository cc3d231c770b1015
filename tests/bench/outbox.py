"""Turn emails sent by a real worker, beside plain smtplib with the same emails."""

import multiprocessing
import smtplib
import time
from multiprocessing.connection import Connection
from urllib.parse import urlsplit

from django.conf import settings
from django.test import override_settings

from atlantis_site.supervisor.stack import ServiceStack
from games.models import OutboxMail, User
from games.services import quotas

from .moves import Browser, new_game
from .report import Table, progress
from .sink import serve

PATIENCE = 600.0


def bench(stack: ServiceStack, mails: int) -> Table:
    """Compare the rates from the first email that arrives to the last, without the start."""
    port = urlsplit(stack.env["EMAIL_URL"]).port
    assert port is not None
    here, there = multiprocessing.Pipe()
    sink = multiprocessing.get_context("spawn").Process(target=serve, args=(port, there))
    sink.start()
    here.recv()
    try:
        progress(f"{mails} turn mails")
        queue(mails)
        stack.start("worker")
        worker, sizes, sample = _arrived(here, mails)
        stack.parts["worker"].stop()
        progress("the same with smtplib")
        _plain(port, sample, mails)
        plain, _sizes, _sample = _arrived(here, mails)
    finally:
        here.send("stop")
        sink.join(10)
    table = Table(
        f"{mails} turn mails ({sum(sizes) / len(sizes) / 1024:.0f} kB each, with board) to one sink",
        ("", "mails per second", "ratio"),
    )
    table.add("plain smtplib, one connection, one mail made beforehand", f"{plain:.0f}", "1.00")
    table.add(
        "outbox, one worker: claim, render, send, mark", f"{worker:.0f}", f"{worker / plain:.2f}"
    )
    return table


def queue(count: int) -> None:
    """Queue a turn email in each of `count` games."""
    people = [
        Browser(
            User.objects.get_or_create(email=f"mail{n}@example.org", display_name=f"Mail {n}")[0]
        )
        for n in range(2)
    ]
    OutboxMail.objects.all().delete()
    with override_settings(QUOTAS=dict.fromkeys(quotas.REGISTRY, 10**9)):
        for _number in range(count):
            game = new_game(people)
            OutboxMail.objects.filter(game=game).exclude(kind="turn").delete()
    made = OutboxMail.objects.filter(kind="turn").count()
    if made != count:
        raise SystemExit(f"{made} turn mails were queued instead of {count}")


def _arrived(wire: Connection, count: int) -> tuple[float, list[int], bytes]:
    """Return (emails per second, sizes, the first email) once `count` have arrived."""
    end = time.monotonic() + PATIENCE
    times: list[float] = []
    sizes: list[int] = []
    while True:
        wire.send("look")
        more, some, sample = wire.recv()
        times += more
        sizes += some
        if len(times) >= count:
            return (len(times) - 1) / (times[-1] - times[0]), sizes, sample
        if time.monotonic() > end:
            raise SystemExit(f"only {len(times)} of {count} mails came")
        time.sleep(0.5)


def _plain(port: int, mail: bytes, count: int) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=20) as server:
        for _number in range(count):
            server.sendmail(settings.MAIL_FROM, ["bench@example.org"], mail)
