"""From a row of the admin's first page to its end: at most three clicks besides the text.

Without JavaScript it is the same.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from games.models import (
    Game,
    Heartbeat,
    InboundMail,
    MailAddress,
    MailTransport,
    OutboxMail,
    QuotaUse,
    Seat,
    User,
    address_digest,
)
from tests.browser.audits import MIDDLE, WIDE, look
from tests.factories import person, table_of
from tests.support.lengths import combined

from .expectations import expect
from .people import Enter

NOTHING = "Nothing needs a moderator now."
DAY = timedelta(days=1)


@pytest.fixture
def root(transactional_db: None) -> User:
    """An administrator."""
    return person("Root", is_staff=True, is_superuser=True)


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    game = table_of(alice, bob)
    OutboxMail.objects.all().delete()
    return game


def late(game: Game) -> None:
    seats = Seat.objects.filter(game=game, asked_seq__isnull=False)
    seats.update(overdue=True, due_at=timezone.now() - 5 * DAY)


def bounces(game: Game) -> None:
    user = game.seats.get(number=0).user
    assert user is not None
    digest = address_digest(user.email)
    MailAddress.objects.create(digest=digest, stopped="bounce", stopped_at=timezone.now())
    User.objects.filter(pk=user.pk).update(mail_trouble=f"bounce:{digest}")


def parked(game: Game) -> None:
    fields = {"state": "parked", "to_address": "zoe@example.org", "message_id": "<1@x>"}
    OutboxMail.objects.create(kind="turn", game=game, dedupe_key="1", **fields)


def closed(_game: Game) -> None:
    at = timezone.now()
    MailTransport.objects.update_or_create(
        name="all", defaults={"closed_at": at, "retry_at": at + DAY, "words": "550 no"}
    )


def play_bot(page: Page) -> None:
    page.get_by_label("Reason").first.fill("Asleep")
    page.get_by_role("button", name="Let a bot play this turn").click()
    page.locator(".confirm [type=submit]").click()


def send_again(page: Page) -> None:
    page.get_by_label("Reason").first.fill("It works again")
    page.get_by_role("button", name="Send emails to this address again").click()
    page.locator(".confirm [type=submit]").click()


def run_action(page: Page) -> None:
    page.locator("input.action-select").check()
    page.locator(".actions button").click()


class Way(NamedTuple):
    """A cause, the link of its row, and what is done on the page where it leads."""

    cause: Callable[[Game], None]
    link: str
    act: Callable[[Page], None]


WAYS = (
    Way(late, "Round the mainland", play_bot),
    Way(bounces, "alice@example.org", send_again),
    Way(parked, "z…@example.org", run_action),
    Way(closed, "all", run_action),
)


@pytest.mark.long
@pytest.mark.parametrize(("size", "scripts"), combined([MIDDLE, WIDE], [True, False]))
def test_each_row_is_settled_in_three_clicks(
    enter: Enter, root: User, game: Game, scripts: bool, size: dict[str, int]
) -> None:
    page = enter(root, java_script_enabled=scripts, viewport=size)
    for way in WAYS:
        way.cause(game)
        page.goto("/admin/")
        expect(page.locator("#attention tbody")).to_have_count(1)
        page.locator("#attention").get_by_role("link", name=way.link).click()
        way.act(page)
        expect(page.locator(".messagelist .success, .messagelist .info").first).to_be_visible()
        # The email that was tried has gone out.
        MailTransport.objects.update(closed_at=None, retry_at=None)
        page.goto("/admin/")
        expect(page.locator("#attention")).to_contain_text(NOTHING)


def test_the_list_and_the_search_fit_every_window(
    enter: Enter, root: User, game: Game, alice: User
) -> None:
    for way in WAYS:
        way.cause(game)
    now = timezone.now()
    InboundMail.objects.create(state="failed", raw=b"x", key="1", channel="relay")
    Heartbeat.objects.create(name="verify", at=now, started_at=now, faults={game.public_id: 3})
    refused = {"quota": "mutes_person_day", "subject": str(alice.pk), "refused": 50}
    QuotaUse.objects.create(**refused, limit=1, refused_at=now, ends_at=now)
    page = enter(root)
    look(page, "/admin/")
    expect(page.locator("#attention tbody")).to_have_count(7)
    page.get_by_label("Search").fill("ro")
    page.get_by_role("button", name="Find").click()
    expect(page).to_have_url(re.compile("/admin/search/"))
    look(page, "/admin/search/?q=example")
    look(page, "/admin/search/?q=ro")
