"""A table page in Chromium: what it weighs, when it can be used, how long a tap takes.

Bytes are those of the network: as sent, with the heads of the answers. The page can be used once
its board is drawn and its scripts run; a little later it has the legal moves, and no tap waits for
the server. A tap takes the processor time of the page's main thread until what it changed is
painted, so that other work on the machine does not count. Slow 4G is that of Lighthouse.
"""

import os
import time
from collections import Counter
from statistics import median
from typing import Any

from django.conf import settings
from django.urls import reverse
from playwright.sync_api import BrowserContext, CDPSession, Page, sync_playwright

from atlantis_site.supervisor.stack import ServiceStack
from games.log import event_store
from games.models import Game, User
from tests.browser import chromium
from tests.factories import person, person_on, play_turns, table_of
from tests.support.signed_in import cookies_of

from .report import Table, ms, progress
from .service import wait_for_web

SLOW_4G = {"latency": 150, "downloadThroughput": 1_638_400 / 8, "uploadThroughput": 750_000 / 8}
SLOWER = 4  # times, the processor
MOVES = {"atlantis": 16, "escape": 30}  # before the page is opened
PHONE = {"width": 360, "height": 740}
WAIT = 60_000  # milliseconds
# Resolves in the second frame after the tap, when the first one has been painted.
TAP = """
kind => new Promise((done) => {
  const name = `#board a[id^="${kind}"].target:not(.idle):not(.chosen) .halo`
  document.querySelector(name).dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }))
  requestAnimationFrame(() => requestAnimationFrame(done))
})
"""
# Milliseconds from the request of the page until its scripts have run and its board has been drawn.
USABLE = """
() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0]
  const [page] = performance.getEntriesByType("navigation")
  return paint && page.domContentLoadedEventEnd
    ? Math.max(paint.startTime, page.domContentLoadedEventEnd) : 0
}
"""
CHOICES = "#board a[data-at]"


def bench(stack: ServiceStack, taps: int) -> Table:
    """A row for each game. `taps`: pairs of taps, a piece and where it goes."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop is in this thread
    people = person("Pagealice"), person("Pagebob")
    stack.start("web")
    stack.start("events")
    wait_for_web(stack)
    table = Table(
        f"A table page in Chromium; the last two at {SLOWER} times CPU slowdown and slow 4G",
        (
            "game",
            "first visit",
            "second visit",
            "legal moves",
            "a tap",
            "usable",
            "with legal moves",
        ),
    )
    program = chromium.find()
    if program is None:
        raise SystemExit("the page needs Chromium: python -m tests.browser.chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(chromium.FLAGS))
        for kind in MOVES:
            progress(f"the page of {kind}")
            game, asked = played(kind, people)
            context = browser.new_context(
                viewport=PHONE,  # type: ignore[arg-type]
                reduced_motion="reduce",
                service_workers="block",  # its requests would not be counted
            )
            sign_in(context, asked)
            path = settings.SITE_URL + reverse("game", args=[game.public_id])
            measure(table, kind, context, path, taps)
            context.close()
        browser.close()
    stack.parts["events"].stop()
    stack.parts["web"].stop()
    return table


def played(kind: str, people: tuple[User, User]) -> tuple[Game, User]:
    """A game in its middle, and somebody who is to take a whole turn."""
    game = play_turns(table_of(*people, kind=kind, options={}), MOVES[kind])
    while True:
        log = event_store.load(game)
        if getattr(getattr(log.state, "board", None), "stage", "turn") == "turn":
            return game, person_on(game, log.projection.to_act[0])
        game = play_turns(game, 1)


def sign_in(context: BrowserContext, user: User) -> None:
    for pair in cookies_of([user])[user.pk].split("; "):
        name, _equals, value = pair.partition("=")
        context.add_cookies([{"name": name, "value": value, "url": settings.SITE_URL}])


def measure(table: Table, kind: str, context: BrowserContext, path: str, taps: int) -> None:
    """Add a row."""
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    first, second = visit(page, devtools, path), visit(page, devtools, path)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    tap = median([tapped(page, devtools, path) for _tap in range(taps)])
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    devtools.send("Network.emulateNetworkConditions", {"offline": False, **SLOW_4G})
    devtools.send("Network.clearBrowserCache")
    start = time.perf_counter()
    page.goto(path, timeout=WAIT)
    page.wait_for_selector(CHOICES, state="attached", timeout=WAIT)
    chosen = time.perf_counter() - start
    usable = float(page.evaluate(USABLE)) / 1000
    moves = first["choices"]
    first_page, second_page = first.total() - moves, second.total() - second["choices"]
    table.add(
        kind,
        kilobytes(first_page),
        kilobytes(second_page),
        kilobytes(moves),
        ms(tap),
        f"{usable:.2f} s",
        f"{chosen:.2f} s",
    )
    table.aim(f"first visit of a table of {kind}", first_page, most=50_000, write=kilobytes)
    table.aim(f"second visit of a table of {kind}", second_page, most=15_000, write=kilobytes)


def visit(page: Page, devtools: CDPSession, path: str) -> Counter[str]:
    """Bytes that came over the network: {"choices": …, "": everything else}."""
    names: dict[str, str] = {}
    found: Counter[str] = Counter()

    def note(event: Any) -> None:
        names[event["requestId"]] = event["request"]["url"]

    def count(event: Any) -> None:
        url = names.get(event["requestId"], "")
        found["choices" if url.partition("?")[0].endswith("/choices") else ""] += int(
            event["encodedDataLength"]
        )

    devtools.on("Network.requestWillBeSent", note)
    devtools.on("Network.loadingFinished", count)
    page.goto(path, timeout=WAIT)
    page.wait_for_selector(CHOICES, state="attached", timeout=WAIT)
    page.wait_for_timeout(500)
    devtools.remove_listener("Network.requestWillBeSent", note)
    devtools.remove_listener("Network.loadingFinished", count)
    return found


def tapped(page: Page, devtools: CDPSession, path: str) -> float:
    """Seconds of the slower one of two taps: a piece, and where it goes."""
    page.goto(path, timeout=WAIT)
    page.wait_for_selector(CHOICES, state="attached", timeout=WAIT)
    figure = page.locator('#board a[id^="figure"].target:not(.idle)').count()
    took = []
    for kind in ("figure", "space") if figure else ("explorer", "hex"):
        page.wait_for_timeout(300)  # in which Escape fetches what follows
        before = worked(devtools)
        page.evaluate(TAP, kind)
        took.append(worked(devtools) - before)
    return max(took)


def worked(devtools: CDPSession) -> float:
    """Seconds of processor time that the page's main thread has worked."""
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


def kilobytes(count: float) -> str:
    return f"{count / 1000:.1f} kB"
