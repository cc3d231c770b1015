"""Pages for players while other clients are slow, and while there are too many of them."""

import http.client
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse

from atlantis_site.supervisor.stack import ServiceStack
from tests.factories import person, table_of
from tests.support.signed_in import cookies_of
from tests.support.slow_clients import slow_clients

from .report import Table, median, ms, percentile, progress
from .service import wait_for_web

WORKERS = 2  # as in `make play` and compose
SLOW = 500  # connections
PER_SECOND = 10  # pages that players open
CROWD = 100  # clients that ask again as soon as they are answered


def bench(stack: ServiceStack, seconds: float) -> Table:
    """Every row takes `seconds`."""
    alice, bob = person("Webalice"), person("Webbob")
    page = reverse("game", args=[table_of(alice, bob, options={}).public_id])
    cookie = cookies_of([alice])[alice.pk]
    web = stack.parts["web"]
    web.env = {**(web.env or {}), "WEB_CONCURRENCY": str(WORKERS)}
    stack.start("web")
    wait_for_web(stack)
    port = urlsplit(settings.SITE_URL).port or 80
    table = Table(
        f"A table page over HTTP, {WORKERS} workers",
        ("clients", "pages", "median", "95th percentile", "/healthz, 95th percentile", "refused"),
    )
    get(page, cookie)
    usual = 0.0
    for name, slow in (
        (f"{PER_SECOND} pages a second", 0),
        (f"{PER_SECOND} pages a second and {SLOW} slow connections", SLOW),
    ):
        progress(name)
        with slow_clients(port, slow) if slow else nullcontext():
            pages, health = regular(page, cookie, seconds)
        table.add(name, *row(pages, health))
        took = percentile(sorted(each for _status, each in pages))
        usual = usual or took
    what = f"a table page beside {SLOW} slow clients against one without, 95th percentile"
    table.aim(what, took / usual, most=2, write="{:.1f}".format)
    progress(f"{CROWD} at once")
    table.add(f"{CROWD} at once, without a pause", *row(*crowd(page, cookie, seconds)))
    web.stop()
    return table


def row(pages: list[tuple[int, float]], health: list[tuple[int, float]]) -> tuple[str, ...]:
    """Return the cells of these (status, seconds)."""
    found = Counter(status for status, _seconds in pages)
    served = sorted(took for status, took in pages if status == 200)
    if set(found) - {200, 503} or {status for status, _seconds in health} != {200}:
        raise SystemExit(f"unexpected answers: {found}, {Counter(s for s, _ in health)}")
    return (
        str(len(served)),
        ms(median(served)),
        ms(percentile(served)),
        ms(percentile(sorted(took for _status, took in health))),
        str(found[503]),
    )


def get(path: str, cookie: str = "") -> tuple[int, float]:
    """Return (status, seconds); status 0 is no answer within 30 seconds."""
    start = time.perf_counter()
    server = http.client.HTTPConnection("127.0.0.1", urlsplit(settings.SITE_URL).port, timeout=30)
    status = 0
    try:
        server.request("GET", path, headers={"Cookie": cookie, "Accept-Encoding": "gzip, br"})
        answer = server.getresponse()
        answer.read()
        status = answer.status
    except OSError:
        pass
    finally:
        server.close()
    return status, time.perf_counter() - start


def regular(
    page: str, cookie: str, seconds: float
) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """(pages, health checks), asked at fixed times whether earlier ones were answered or not."""
    with ThreadPoolExecutor(100) as pool:
        pages, health = [], []
        start = time.perf_counter()
        for number in range(int(seconds * PER_SECOND)):
            time.sleep(max(0.0, start + number / PER_SECOND - time.perf_counter()))
            pages.append(pool.submit(get, page, cookie))
            if number % 5 == 0:
                health.append(pool.submit(get, "/healthz"))
        return [one.result() for one in pages], [one.result() for one in health]


def crowd(
    page: str, cookie: str, seconds: float
) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """As `regular`, but from CROWD clients without a pause. One that is refused waits a second."""
    pages: list[tuple[int, float]] = []
    health: list[tuple[int, float]] = []
    end = time.perf_counter() + seconds

    def ask() -> None:
        while time.perf_counter() < end:
            pages.append(get(page, cookie))
            if pages[-1][0] != 200:
                time.sleep(1)

    threads = [threading.Thread(target=ask) for _client in range(CROWD)]
    for thread in threads:
        thread.start()
    while time.perf_counter() < end:
        health.append(get("/healthz"))
        time.sleep(0.2)
    for thread in threads:
        thread.join()
    return pages, health
