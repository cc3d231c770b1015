"""Take screenshots of the pages, to be looked at: `.venv/bin/python -m pytest tests/browser/gallery.py`.

The pictures go to var/gallery/<page>-<width>-<scheme>-<language>.png. GALLERY_SIZES, GALLERY_SCHEMES
and GALLERY_LANGUAGES (comma-separated) narrow the run, `-k` picks pages. It runs on the servers of the
tests, so no data is touched; `make test` does not collect it.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from games.models import Game, User
from games.rules.chance import SEED_BYTES
from tests.factories import fresh, play_one, play_to_the_end, table_of
from tests.support.escape_games import escape_table

from .people import Enter, enter, table

__all__ = ["enter"]

FOLDER = Path(__file__).resolve().parents[2] / "var" / "gallery"
SIZES = {"360": 740, "768": 1024, "1366": 768, "1920": 1080}


def chosen(name: str, usual: str) -> list[str]:
    return os.environ.get(name, usual).split(",")


@pytest.fixture(autouse=True)
def _same_luck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.services.lobby.secrets.token_bytes", lambda _size: bytes(SEED_BYTES))


def until_asked(game: Game, seat: int, moves: int) -> Game:
    """Play this many moves, then on until the seat is asked."""
    for _number in range(moves):
        play_one(game)
    while fresh(game).to_act != [seat]:
        play_one(game)
    return fresh(game)


def take(
    enter: Enter, name: str, user: User | None, path: str, *steps: Callable[[Any], object]
) -> None:
    """The window and, with a name ending in "whole", the whole page, in each form."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for language in chosen("GALLERY_LANGUAGES", "en,de,fr"):
        if user is not None:
            User.objects.filter(pk=user.pk).update(language=language)
        for scheme in chosen("GALLERY_SCHEMES", "light,dark"):
            for width in chosen("GALLERY_SIZES", ",".join(SIZES)):
                viewport = {"width": int(width), "height": SIZES[width]}
                touch = width == "360"
                page = enter(
                    user,
                    viewport=viewport,
                    color_scheme=scheme,
                    locale=language,
                    has_touch=touch,
                    is_mobile=touch,
                )
                page.goto(path)
                for step in steps:
                    step(page)
                page.wait_for_timeout(150)
                target = FOLDER / f"{name}-{width}-{scheme}-{language}.png"
                page.screenshot(path=target, animations="disabled")
                page.context.close()


def atlantis(alice: User, bob: User, carol: User) -> Game:
    return until_asked(table_of(alice, bob, carol, name="Sunday evening"), 0, 25)


def answer(question: str) -> Callable[[Any], None]:
    def step(page: Any) -> None:
        page.locator(f"#orders input[name={question}]").last.dispatch_event("click")
        page.wait_for_timeout(500)

    return step


def test_atlantis_table(enter: Enter, alice: User, bob: User, carol: User) -> None:
    game = atlantis(alice, bob, carol)
    take(enter, "atlantis", alice, table(game))
    take(enter, "atlantis-figure", alice, table(game), answer("figure"))
    take(enter, "atlantis-landing", alice, table(game), answer("figure"), answer("landing"))


def test_escape_table(enter: Enter, alice: User, bob: User) -> None:
    game = until_asked(escape_table(alice, bob), 0, 60)
    take(enter, "escape", alice, table(game))
    take(enter, "escape-setup", alice, table(escape_table(alice, bob)))


def test_other_pages(enter: Enter, alice: User, bob: User, carol: User) -> None:
    game = play_to_the_end(table_of(alice, bob, name="A short one"))
    table_of(alice, bob, carol)
    take(enter, "over", alice, table(game))
    for name, user, path in (
        ("home", alice, "/"),
        ("welcome", None, "/"),
        ("new", alice, "/new/"),
        ("new-preset", alice, "/new/?game=escape&preset=family"),
        ("settings", alice, "/settings/"),
        ("email-settings", alice, "/settings/mails/"),
        ("rules-atlantis", None, "/rules/atlantis/"),
        ("sign-in", None, "/accounts/login/"),
    ):
        take(enter, name, user, path)
