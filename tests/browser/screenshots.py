"""Take the screenshots of the README: `.venv/bin/python -m pytest tests/browser/screenshots.py`.

It runs on the servers of the tests, so no data is touched. `make test` does not collect it, because
its name does not begin with test_.
"""

from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page
from pytest_django import Settings

from games.mail import outbox
from games.models import Game, User
from games.rules.chance import SEED_BYTES
from games.web.dev_mailbox import sent_emails
from tests.factories import fresh, play_one, table_of

from .expectations import expect
from .people import Enter, table

FOLDER = Path(__file__).resolve().parents[2] / "games" / "static" / "games" / "screenshots"
MOST_BYTES = 250_000
MOVES = 25


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, carol: User) -> Game:
    """A game in its middle, Alice to move; the same luck every time."""
    monkeypatch.setattr(
        "games.services.new_tables.secrets.token_bytes", lambda _size: bytes(SEED_BYTES)
    )
    game = table_of(alice, bob, carol, name="Sunday evening")
    for number in range(MOVES):
        play_one(game, note="Mind the gap behind you!" if number == MOVES - 2 else "")
    while fresh(game).to_act != [0]:
        play_one(game)
    return game


def choose(page: Page, *questions: str) -> None:
    """Answer each question with its last option, and wait until the page has followed."""
    for question in questions:
        page.locator(f"#orders input[name={question}]").last.dispatch_event("click")
        expect(page.locator(f"#orders input[name={question}]:checked")).to_have_count(1)
        expect(page.locator(".busy")).to_have_count(0)


def take(page: Page, name: str) -> None:
    """Keep the picture, unless it is too heavy for a README."""
    page.wait_for_timeout(400)
    FOLDER.mkdir(exist_ok=True)
    target = FOLDER / f"{name}.jpg"
    page.screenshot(path=target, type="jpeg", quality=82, animations="disabled")
    size = target.stat().st_size
    assert size <= MOST_BYTES, f"{target.name} weighs {size} bytes"


def test_the_table_by_day(enter: Enter, game: Game, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(date_joined=game.created_at - timedelta(days=60))
    page = enter(alice, viewport={"width": 1180, "height": 960}, reduced_motion="reduce")
    page.goto(table(game))
    choose(page, "figure")
    expect(page.locator("#orders input[name=landing]").first).to_be_attached()
    take(page, "table")


def test_the_email_that_says_it_is_your_turn(
    enter: Enter, game: Game, alice: User, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = "games.mail.backends.FolderBackend"
    outbox.drain()
    page = enter(None, viewport={"width": 660, "height": 1000}, reduced_motion="reduce")
    page.goto(f"/mailbox/{sent_emails(alice.email)[0].name}/html")
    take(page, "mail")
