"""Many open pages at one event process: its memory, and how long it takes to notify them all."""

import selectors
import socket
import threading
import time
from statistics import median
from urllib.parse import urlencode, urlsplit

import psycopg
from django.conf import settings
from django.core.signing import TimestampSigner

from atlantis_site.connections import allow_many_connections
from atlantis_site.supervisor.reaper import children_of
from atlantis_site.supervisor.stack import ServiceStack
from games.table_stamps import CHANNEL, TICKET_SALT, ticket_body

from .memory import pss
from .report import Table, ms, progress
from .service import wait_for_web

CHANGES = 10
COMMITTERS = 4
PAGES_PER_TABLE = 4


def bench(stack: ServiceStack, pages: int, seconds: float) -> tuple[Table, Table]:
    """Open this number of pages; measure NOTIFY for `seconds` per row."""
    allow_many_connections()
    table = Table(
        f"{pages:,} open pages, {pages // PAGES_PER_TABLE:,} tables",
        ("pages", "memory (PSS)", "the front (PSS)", "one table is notified", "all are notified"),
    )
    for name in ("web", "events"):
        # All pages come from here; the limits are for networks.
        part = stack.parts[name]
        part.env = {**(part.env or {}), "TRUST_PROXY": "1"}
        stack.start(name)
    wait_for_web(stack)
    events = min(children_of(stack.parts["events"].reaper_pid))
    front = min(children_of(stack.parts["web"].reaper_pid))
    sizes: list[list[float]] = []
    for count in (0, pages):
        progress(f"{count:,} open pages")
        crowd = Crowd(count)
        one = median([crowd.notified([0]) for _change in range(CHANGES)]) if count else 0.0
        everybody = crowd.notified(range(pages // PAGES_PER_TABLE)) if count else 0.0
        sizes.append([pss(pid) / 1024 for pid in (events, front)])
        cells = (f"{size:.0f} MB" for size in sizes[-1])
        table.add(f"{count:,}", *cells, *(ms(took) if count else "" for took in (one, everybody)))
        crowd.close()
    for name in ("web", "events"):
        stack.parts[name].stop()
    what = f"what {pages:,} open pages add to both processes"
    table.aim(what, sum(sizes[1]) - sum(sizes[0]), most=40, write="{:.0f} MB".format)
    return table, commits(stack, seconds)


class Crowd:
    """Open this number of pages, each with a stream, several for each table."""

    def __init__(self, count: int) -> None:
        self.selector = selectors.DefaultSelector()
        self.pages: list[socket.socket] = []
        self.version = 0
        signer = TimestampSigner(salt=TICKET_SALT)
        for number in range(count):
            topic = f"table{number // PAGES_PER_TABLE:07}"
            self._open(number, signer.sign(ticket_body("", "", [topic])))
        for page in self.pages:
            heard = b""
            while b"data: " not in heard:  # the first stamp
                heard += page.recv(4096)
            page.setblocking(False)

    def _open(self, number: int, ticket: str) -> None:
        address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        page = socket.create_connection(("127.0.0.1", urlsplit(settings.SITE_URL).port or 0), 60)
        page.sendall(
            f"GET /events/?{urlencode({'ticket': ticket})} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"X-Forwarded-For: {address}\r\n\r\n".encode()
        )
        self.selector.register(page, selectors.EVENT_READ)
        self.pages.append(page)

    def notified(self, tables: "range | list[int]") -> float:
        """Seconds from the change of these tables until their pages have it."""
        self.version += 1
        waiting = len(tables) * PAGES_PER_TABLE
        stamp = f"data: {self.version}.0\n".encode()
        with psycopg.connect(settings_url(), connect_timeout=5) as session:
            session.execute(
                "SELECT pg_notify(%s, 'table' || to_char(number, 'FM0000000') || %s)"
                " FROM unnest(%s::int[]) AS number",
                [CHANNEL, f" {self.version}.0", list(tables)],
            )
            began = time.perf_counter()
        while waiting:
            for key, _mask in self.selector.select(60):
                waiting -= stamp in key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
        return time.perf_counter() - began

    def close(self) -> None:
        self.selector.close()
        for page in self.pages:
            page.close()


def settings_url() -> str:
    """The database of the bench, as a connection string."""
    database = settings.DATABASES["default"]
    names = {"dbname": "NAME", "user": "USER", "host": "HOST", "port": "PORT"}
    return psycopg.conninfo.make_conninfo(
        **{name: database[key] for name, key in names.items() if database.get(key)}
    )


def commits(stack: ServiceStack, seconds: float) -> Table:
    """Transactions that write one row, a second, with NOTIFY and without."""
    table = Table(
        f"Transactions of one row, {COMMITTERS} connections", ("", "a second", "median of one")
    )
    with stack.postgres.connect() as session:
        session.execute("CREATE TABLE bench_rows (id int PRIMARY KEY, value int)")
        session.execute("INSERT INTO bench_rows SELECT n, 0 FROM generate_series(1, 100) n")
        session.execute("GRANT ALL ON bench_rows TO PUBLIC")
    counts: list[int] = []
    for name, notify in (("without NOTIFY", False), ("with NOTIFY", True)):
        progress(name)
        times: list[float] = []
        threads = [
            threading.Thread(target=write, args=[number, notify, seconds, times])
            for number in range(1, COMMITTERS + 1)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        counts.append(len(times))
        table.add(name, f"{len(times) / seconds:.0f}", ms(median(times)))
    what = "transactions with NOTIFY against those without"
    table.aim(what, counts[1] / counts[0], least=0.6, write="{:.2f}".format)
    return table


def write(number: int, notify: bool, seconds: float, times: list[float]) -> None:
    """Commit one row after the other for so long."""
    end = time.monotonic() + seconds
    with psycopg.connect(settings_url(), connect_timeout=5) as session:
        while time.monotonic() < end:
            began = time.perf_counter()
            session.execute("UPDATE bench_rows SET value = value + 1 WHERE id = %s", [number])
            if notify:
                session.execute("SELECT pg_notify(%s, %s)", [CHANNEL, f"bench{number:07} 1.0"])
            session.commit()
            times.append(time.perf_counter() - began)
