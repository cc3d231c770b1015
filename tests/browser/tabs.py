"""Pages of the browser that one test leaves to the next.

A profile and a tab of its own cost each test a quarter of a second of processor time: a process
starts, and the first page fetches and compiles all files of the site. An init script would stay
for the next tests: tests use page.evaluate() instead.
"""

from collections import defaultdict
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page

USUAL: dict[str, Any] = {
    "viewport": {"width": 1280, "height": 900},
    "locale": "en-GB",
    "service_workers": "block",
}
MEDIA: dict[str, Any] = {
    "color_scheme": "light",
    "forced_colors": "none",
    "reduced_motion": "reduce",
}
# What a test may ask for in a page that others use, too: what can be changed there, and what
# cannot. Anything else takes a page of its own.
CHANGED = {"viewport", *MEDIA}
GIVEN = ("java_script_enabled", "has_touch", "is_mobile")
# What the site kept in the browser, for the time of a tab or for longer.
EMPTY = """async () => {
    sessionStorage.clear()
    localStorage.clear()
    for (const name of await caches.keys()) await caches.delete(name)
    for (const { name } of await indexedDB.databases()) indexedDB.deleteDatabase(name)
}"""


class Tabs:
    """Opens pages and takes them back."""

    def __init__(self, browser: Browser, url: str, patience: float) -> None:
        self.browser, self.url, self.patience = browser, url, patience
        self.faults: list[str] = []
        self.free: dict[tuple[object, ...], list[Page]] = defaultdict(list)
        self.taken: dict[Page, tuple[object, ...] | None] = {}

    def open(self, options: dict[str, Any]) -> Page:
        """A page without cookies, at about:blank or at an empty page of the site."""
        key = None
        if {*options} <= CHANGED | {*GIVEN}:
            key = tuple(options.get(name) for name in GIVEN)
        if key and self.free[key]:
            page = self.free[key].pop()
            page.set_viewport_size(options.get("viewport", USUAL["viewport"]))
            page.emulate_media(**{name: options.get(name, usual) for name, usual in MEDIA.items()})
        else:
            context = self.browser.new_context(base_url=self.url, **USUAL | MEDIA | options)
            context.set_default_timeout(self.patience)
            page = context.new_page()
            page.on("pageerror", lambda error: self.faults.append(str(error)))
            page.on("console", self._listen)
        self.taken[page] = key
        return page

    def _listen(self, message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            self.faults.append(message.text)

    def take_back(self, *, reusable: bool) -> list[str]:
        """Close or empty all pages; the script errors and violations since they were opened."""
        for page, key in self.taken.items():
            if reusable and key is not None and page.context.pages == [page]:
                self._clear(page)
                self.free[key].append(page)
            else:
                page.context.close()
        self.taken.clear()
        faults, self.faults = self.faults, []
        return faults

    def _clear(self, page: Page) -> None:
        """Leave the page as a new one, but for what the browser keeps of files and scripts."""
        page.unroute_all()
        page.context.set_offline(False)
        page.goto("/healthz")
        page.evaluate(EMPTY)
        page.context.clear_cookies()
        page.mouse.move(0, 0)
