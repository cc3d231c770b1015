"""People at a browser: how they sign in, and what they do on the page of a table."""

from collections.abc import Callable
from typing import Protocol

from django.conf import settings
from playwright.sync_api import Locator, Page, Route

from games.models import Game, OutboxMail, User
from tests.support.accounts import sent_code
from tests.support.moderators import moderating
from tests.support.pages import signed_in
from tests.support.processes import LiveSite

from .expectations import expect


class Enter(Protocol):
    """enter(alice, java_script_enabled=False): a page of the live site for a signed-in person."""

    def __call__(self, user: User | None, **options: object) -> Page: ...


def session_of(user: User, site: LiveSite) -> tuple[str, str]:
    """The name and the value of the cookie of somebody who is signed in.

    Staff have proved their second factor, as the admin requires.
    """
    client = moderating(user) if user.is_staff else signed_in(user)
    # A site at another port has cookies of another name.
    name = f"sessionid_{site.url.rpartition(':')[2]}"
    return name, client.cookies[settings.SESSION_COOKIE_NAME].value


def table(game: Game, rest: str = "") -> str:
    """The path of a table."""
    return f"/g/{game.public_id}/{rest}"


def answer(page: Page, question: str, nth: int = 0) -> None:
    """Choose in the list of this question, which unfolds for the keyboard."""
    pick = page.locator(f"#orders input[name={question}]").nth(nth)
    pick.focus()
    pick.check()
    expect(pick).to_be_checked()


def instant(page: Page) -> None:
    """Wait until the page can choose without the server."""
    expect(page.locator("#board a[data-at]").first).to_be_attached()


def hold_request(page: Page, address: str) -> Callable[[], Route]:
    """Hold the next request to this address. The result is a function that waits for it.

    What a service worker fetches cannot be held.
    """
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(lambda url: url.partition("#")[0].endswith(address), hold, times=1)

    def held_request() -> Route:
        for _round in range(3000):
            if held:
                return held[0]
            page.wait_for_timeout(20)
        raise AssertionError(f"no request to {address}")

    return held_request


class Friend:
    """A person at a browser who counts what they do."""

    def __init__(self, page: Page, name: str) -> None:
        self.page, self.name = page, name
        self.clicks = self.fields = 0

    @property
    def address(self) -> str:
        return f"{self.name.lower()}@friends.example"

    @property
    def user(self) -> User:
        return User.objects.get(email=self.address)

    def follow(self, path: str) -> None:
        """Click a link in a chat or in an email."""
        self.clicks += 1
        self.page.goto(path)

    def click(self, target: str | Locator) -> None:
        self.clicks += 1
        (self.page.locator(target).first if isinstance(target, str) else target).click()

    def fill(self, name: str, value: str) -> None:
        self.fields += 1
        self.page.locator(f"[name={name}]").first.fill(value)

    def sign_in(self) -> None:
        """With the address, and with the code from the email."""
        self.fill("login", self.address)
        self.click("form:has([name=login]) button")
        expect(self.page.locator("[name=code]")).to_be_visible()
        self.fill("code", sent_code(self.address))
        self.click("form:has([name=code]) button")
        expect(self.page.locator("a[href='/accounts/logout/']")).to_be_visible()

    def join(self) -> None:
        """From the page of an invitation to the seat."""
        self.fill("display_name", self.name)
        self.click("button[name=accept]")
        self.sign_in()

    def emails(self) -> int:
        return OutboxMail.objects.filter(to_address=self.address).count()
