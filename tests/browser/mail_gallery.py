"""Take pictures of the emails of every kind: `.venv/bin/python -m pytest
tests/browser/mail_gallery.py`.

They go to var/mail-gallery/<game>-<kind>-<language>-<width>-<form>.png; the forms are light, dark
and blocked (light, without images). Beside them are the text parts (.txt) and the sizes (.sizes).
GALLERY_LANGUAGES, GALLERY_SIZES, GALLERY_FORMS and GALLERY_KINDS (comma-separated; kinds by the
beginning of their names) narrow the run. It runs on the servers of the tests, so no data is
touched; `make test` does not collect it.
"""

import base64
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Browser
from pytest_django import Settings

from games.models import Game, User
from tests.factories import play_to_the_end, play_turns, table_of
from tests.support.emails import Kind, Read, read, row_for, written
from tests.support.escape_games import attacked, escape_table, game_with
from tests.support.every_mail import bytes_of, every_row
from tests.support.replies import Post

pytestmark = pytest.mark.django_db(transaction=True)

FOLDER = Path(__file__).resolve().parents[2] / "var" / "mail-gallery"
REPLIES = ("legal", "help", "rules", "show words", "status", "what now?")


def chosen(name: str, usual: str) -> list[str]:
    return os.environ.get(name, usual).split(",")


def emails(game: Game, user: User) -> Iterator[tuple[str, Read]]:
    """An email of every kind, and answers to replies with long lists."""
    for name, row in every_row(game, user):
        if row.kind != Kind.DEADLINE:  # written while there is time left
            row.created_at = timezone.now()
        yield name, read(bytes_of(row, game))
    post = Post(game, user)
    for text in REPLIES:
        post.write(text)
        yield f"reply-{text.replace(' ', '-').strip('?')}", post.answer()


def shown(mail: Read) -> str:
    """The HTML with its pictures in it."""
    html = mail.html
    for name, png in mail.pictures.items():
        data = base64.b64encode(png).decode()
        html = html.replace(f"cid:{name}", f"data:image/png;base64,{data}")
    return html


def take(browser: Browser, name: str, mail: Read) -> None:
    """One picture of the whole email for each width and form."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for width in chosen("GALLERY_SIZES", "360,640"):
        for form in chosen("GALLERY_FORMS", "light,dark,blocked"):
            context = browser.new_context(
                viewport={"width": int(width), "height": 740},
                color_scheme="dark" if form == "dark" else "light",
            )
            page = context.new_page()
            page.set_content(mail.html if form == "blocked" else shown(mail))
            page.screenshot(path=FOLDER / f"{name}-{width}-{form}.png", full_page=True)
            context.close()
    (FOLDER / f"{name}.txt").write_text(mail.text)
    sizes = f"{len(mail.message.as_bytes())} bytes, {len(mail.html.encode())} of HTML"
    (FOLDER / f"{name}.sizes").write_text(f"{sizes}, {len(mail.pictures)} pictures\n")


def speak(language: str, *users: User) -> None:
    for user in users:
        user.language = language
        user.save()


IN_EACH_LANGUAGE = pytest.mark.parametrize("language", chosen("GALLERY_LANGUAGES", "en,de,fr"))


@IN_EACH_LANGUAGE
@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_emails_of_every_kind(
    browser: Browser, replies: Settings, alice: User, bob: User, language: str, kind: str
) -> None:
    speak(language, alice)
    table = table_of(alice, bob) if kind == "atlantis" else escape_table(alice, bob)
    game = play_turns(table, 6)
    wanted = tuple(chosen("GALLERY_KINDS", ""))
    for name, mail in emails(game, alice):
        if name.startswith(wanted):
            take(browser, f"{kind}-{name}-{language}", mail)
    if kind == "atlantis" and "over".startswith(wanted):
        over = written(row_for(play_to_the_end(game), Kind.OVER, alice))
        take(browser, f"{kind}-over-finished-{language}", over)


@IN_EACH_LANGUAGE
@pytest.mark.parametrize("seats", [1, 2])
def test_questions_after_an_attack(
    browser: Browser,
    monkeypatch: pytest.MonkeyPatch,
    replies: Settings,
    alice: User,
    bob: User,
    carol: User,
    language: str,
    seats: int,
) -> None:
    """One player is asked, or two; the email, its reminder, and one that has it among others."""
    people = (alice, bob, carol)
    speak(language, *people)
    game = game_with(monkeypatch, people, attacked(seats=seats))
    user = people[game.to_act[0]]
    wanted = tuple(chosen("GALLERY_KINDS", ""))
    for name, row in every_row(game, user):
        row.created_at = timezone.now()
        kind = f"attack-{name}"
        if row.kind in (Kind.TURN, Kind.REMINDER, Kind.GATHERED) and kind.startswith(wanted):
            take(browser, f"escape-{kind}-{seats}-{language}", read(bytes_of(row, game)))
