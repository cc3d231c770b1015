"""A real Chromium for tests that look at pages as people see them."""

import os
import tempfile
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from games.models import User
from tests.support.lengths import LONG
from tests.support.processes import LiveSite

from . import chromium
from .expectations import PATIENCE
from .people import Enter, session_of
from .tabs import Tabs

# Playwright's synchronous face runs an event loop in the thread of the tests, and Django would
# refuse to touch the database there; nothing is asynchronous about these tests.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# The long form looks at every page; the short one at some of each kind, in the other modules.
collect_ignore = [] if LONG else ["test_every_page.py"]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of this package. Then it ends, and with it the event loop of
    playwright: other tests could not run theirs."""
    program = chromium.find()
    assert program, "browser tests are left out where there is no Chromium"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=list(chromium.FLAGS))
        expect.set_options(timeout=PATIENCE)
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def tabs(browser: Browser, site: LiveSite) -> Tabs:
    """Pages of the site that one test leaves to the next."""
    return Tabs(browser, site.url, PATIENCE)


@pytest.fixture
def new_page(
    request: pytest.FixtureRequest, tabs: Tabs, live_site: LiveSite
) -> Iterator[Callable[..., Page]]:
    """new_page(java_script_enabled=False, viewport=…): a page with cookies of its own.

    It is somebody's who wants nothing to move (reduced_motion="no-preference" is for the others):
    a figure that glows has a board painted anew sixty times a second for as long as it is open.
    It has no service worker, which every context would install anew (service_workers="allow" is
    for tests of what is kept, and for a whole game).
    A script that fails, or anything that the content security policy had to stop, fails the test.
    """
    failed = request.session.testsfailed

    yield lambda **options: tabs.open(options)
    faults = tabs.take_back(reusable=request.session.testsfailed == failed)
    assert not faults, "\n".join(faults)


@pytest.fixture
def enter(new_page: Callable[..., Page], live_site: LiveSite) -> Enter:
    """Opens the site as somebody; None is a stranger."""

    def open_for(user: User | None, **options: object) -> Page:
        page = new_page(**options)
        if user is not None:
            name, value = session_of(user, live_site)
            cookie = {"name": name, "value": value, "url": live_site.url}
            page.context.add_cookies([cookie])  # type: ignore[list-item]
        return page

    return open_for


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """A page of the live site, 1280 by 900, JavaScript on."""
    return new_page()


@pytest.fixture(autouse=True, scope="package")
def _home_for_chromium() -> Iterator[None]:
    """Chromium writes into its home folder; it gets one that is ours to throw away."""
    with tempfile.TemporaryDirectory(prefix="atlantis-browser-") as folder:
        keep = {name: os.environ.get(name) for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
        os.environ.update(XDG_CONFIG_HOME=folder, XDG_CACHE_HOME=folder)
        yield
        for name, value in keep.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
