"""Playwright's `expect`, for pages with a board: it waits cheaply for what is not there yet.

Each look of Playwright's own that fails describes the whole page by roles and names, for the
message of an error to come. With a board on the page, that takes a tenth of a second of processor
time, and there are several such looks to a wait. Here, an element is awaited first, and then looked
at.
"""

import time
from collections.abc import Callable
from typing import Any, Literal

from playwright.sync_api import Error, Locator, Page
from playwright.sync_api import expect as expect_now

PATIENCE = 120_000  # milliseconds without a page or an element that are called a hang
State = Literal["attached", "detached", "hidden", "visible"]
STATES: dict[str, State | None] = {  # "attached" for all other expectations
    "to_be_visible": "visible",
    "to_be_hidden": "hidden",
    "not_to_be_visible": "hidden",
    "not_to_be_attached": "detached",
    # These describe nothing.
    "to_have_count": None,
    "not_to_have_count": None,
}


class _Patient:
    """The assertions of a locator, each after a wait for its element."""

    def __init__(self, locator: Locator) -> None:
        self._locator = locator

    def __getattr__(self, name: str) -> Callable[..., None]:
        def check(*values: Any, **options: Any) -> None:
            state = STATES.get(name, "attached")
            if options.get("visible") is False:
                state = "hidden"
            if state is not None:
                try:
                    self._locator.wait_for(state=state, timeout=options.get("timeout"))
                except Error:
                    options["timeout"] = 1  # no second wait before the message
            getattr(expect_now(self._locator), name)(*values, **options)

        return check


def expect(subject: Locator | Page) -> Any:
    """The assertions of Playwright's `expect`."""
    return _Patient(subject) if isinstance(subject, Locator) else expect_now(subject)


def wait_for_script(page: Page, script: str) -> None:
    """Wait until a script returns true. `Page.wait_for_function` looks again by eval(), which the
    policy of the site forbids, so it fails unless its first look succeeds."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(script):
        assert time.monotonic() < deadline, script
        page.wait_for_timeout(50)
