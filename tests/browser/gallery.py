"""Take screenshots of the pages, to be looked at: `.venv/bin/python -m pytest
tests/browser/gallery.py`.

The pictures go to var/gallery/<page>-<width>-<scheme>-<language>.png. GALLERY_SIZES,
GALLERY_SCHEMES and GALLERY_LANGUAGES (comma-separated) narrow the run, `-k` picks pages.
GALLERY_SAMPLE=1 takes each page once in each size, with the schemes and languages in turn.
GALLERY_DOCS=1 takes those of docs/pages.md anew, and no others. It runs on the servers of the
tests, so no data is touched; `make test` does not collect it.
"""

import os
from collections.abc import Callable, Iterator
from itertools import count, product
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils.translation import gettext, override
from PIL import Image
from pytest_django import Settings

from games import services
from games.mail import outbox, signed_links
from games.models import Game, User
from games.rules.chance import SEED_BYTES
from games.rules.escape.model import CreatureStage, TurnStage
from games.web.dev_mailbox import sent_emails
from tests.factories import (
    fresh,
    log_of,
    miss_deadline,
    play_one,
    play_to_the_end,
    play_turns,
    table_of,
)
from tests.support.escape_games import escape_table

from .people import Enter, instant, table

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "var" / "gallery"
SIZES = {"360": 740, "768": 1024, "1366": 768, "1920": 1080}
REASONS = ("There are too many requests for %(what)s at the moment.", "Try again after %(when)s.")
SAMPLE = os.environ.get("GALLERY_SAMPLE") == "1"
DOCS = os.environ.get("GALLERY_DOCS") == "1"
PICTURES = {  # of docs/pages.md, by the name in the gallery
    "atlantis-figure-1366-dark-en": "atlantis-figure-dark",
    "atlantis-landing-1366-light-en": "atlantis-preview",
    "escape-turn-1366-light-en": "escape-turn",
    "escape-step-1366-dark-en": "escape-step-dark",
    "atlantis-figure-360-light-en": "phone-figure",
    "atlantis-landing-360-dark-en": "phone-preview-dark",
    "escape-piece-360-light-en": "phone-escape",
    "escape-creature-768-light-fr": "escape-creature-french",
    "atlantis-keys-1366-light-en": "keys",
    "atlantis-past-1366-light-en": "history",
    "over-whole-1366-light-en": "end-of-a-game",
    "home-768-light-de": "home-german",
}
MOST_HEIGHT = 1330  # of a picture in the documentation
turns = count()


def chosen(name: str, usual: str) -> list[str]:
    return os.environ.get(name, usual).split(",")


def forms() -> Iterator[tuple[str, str, str]]:
    """(width, scheme, language) of each picture of a page."""
    sizes = chosen("GALLERY_SIZES", ",".join(SIZES))
    schemes = chosen("GALLERY_SCHEMES", "light,dark")
    languages = chosen("GALLERY_LANGUAGES", "en,de,fr")
    if not SAMPLE:
        yield from product(sizes, schemes, languages)
        return
    turn = next(turns)
    for number, size in enumerate(sizes, start=turn):
        yield size, schemes[number % len(schemes)], languages[number % len(languages)]


@pytest.fixture(autouse=True)
def _same_luck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "games.services.new_tables.secrets.token_bytes", lambda _size: bytes(SEED_BYTES)
    )


def until_asked(game: Game, seat: int, moves: int) -> Game:
    """Play this many moves, then on until the seat is asked."""
    for _number in range(moves):
        play_one(game)
    while fresh(game).to_act != [seat]:
        play_one(game)
    return fresh(game)


def take(
    enter: Enter,
    name: str,
    user: User | None,
    path: str,
    *steps: Callable[[Any], object],
    whole: bool = True,
) -> None:
    """The page in each form; without `whole`, what the window shows of it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for width, scheme, language in forms():
        target = FOLDER / f"{name}-{width}-{scheme}-{language}.png"
        if DOCS and target.stem not in PICTURES:
            continue
        if user is not None:
            User.objects.filter(pk=user.pk).update(language=language)
        touch = width == "360"
        page = enter(
            user,
            viewport={"width": int(width), "height": SIZES[width]},
            color_scheme=scheme,
            locale=language,
            has_touch=touch,
            is_mobile=touch,
        )
        page.goto(path)
        for step in steps:
            step(page)
        page.wait_for_timeout(150)
        page.screenshot(path=target, animations="disabled", full_page=whole)
        page.context.close()
        if DOCS:
            picture = Image.open(target)
            kept = picture.crop((0, 0, picture.width, min(picture.height, MOST_HEIGHT)))
            kept.save(ROOT / "docs" / "pictures" / f"{PICTURES[target.stem]}.webp", quality=82)


def atlantis(alice: User, bob: User, carol: User) -> Game:
    return until_asked(table_of(alice, bob, carol, name="Sunday evening"), 0, 25)


def answer(question: str, nth: int = -1) -> Callable[[Any], None]:
    def step(page: Any) -> None:
        instant(page)
        page.locator(f"#orders input[name={question}]").nth(nth).dispatch_event("click")
        page.wait_for_timeout(500)

    return step


def click(selector: str) -> Callable[[Any], None]:
    return lambda page: page.locator(selector).first.click()


def press(key: str) -> Callable[[Any], None]:
    return lambda page: page.keyboard.press(key)


def test_atlantis_table(enter: Enter, alice: User, bob: User, carol: User) -> None:
    game = atlantis(alice, bob, carol)
    figure, landing = answer("figure"), answer("landing")
    for name, steps in (
        ("atlantis", ()),
        ("atlantis-figure", (figure,)),
        ("atlantis-landing", (figure, landing)),
        ("atlantis-list", (click("#orders .open .unfold"),)),
    ):
        take(enter, name, alice, table(game), *steps, whole=False)
    take(enter, "atlantis-whole", alice, table(game))
    take(enter, "atlantis-waiting", bob, table(game))
    take(enter, "atlantis-keys", alice, table(game), press("?"), whole=False)
    past = table(game, f"at/{log_of(game).moves[8][-1].seq}/")
    take(enter, "atlantis-past", alice, past, whole=False)


def test_escape_table(enter: Enter, alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    take(enter, "escape-setup", alice, table(game), whole=False)
    take(enter, "escape-plan", alice, table(game, "?do=plan"))
    game = until_asked(game, 0, 60)
    while not isinstance(log_of(game).state.board.stage, CreatureStage) or fresh(game).to_act != [
        0
    ]:
        play_one(game)
    take(enter, "escape-creature", alice, table(game), whole=False)
    while not isinstance(log_of(game).state.board.stage, TurnStage) or fresh(game).to_act != [0]:
        play_one(game)
    take(enter, "escape-turn", alice, table(game), whole=False)
    piece, step = answer("who1", 0), answer("step1", 0)
    take(enter, "escape-piece", alice, table(game), piece, whole=False)
    take(enter, "escape-step", alice, table(game), piece, step, whole=False)
    take(enter, "escape-sink", alice, table(game), answer("who1", -1), whole=False)
    take(enter, "escape-whole", alice, table(game))


def test_votes(enter: Enter, alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    play_one(game)
    take(enter, "votes", alice, f"{table(game)}?details=all")
    services.vote_open(game_id=game.pk, user=alice, about="take_back")
    take(enter, "vote-open", bob, table(game), whole=False)
    waits = table_of(alice, bob, pace_days=1)
    miss_deadline(waits)
    take(enter, "vote-late-host", bob, table(waits))


def test_gathering_and_missed_tables(
    enter: Enter, alice: User, bob: User, carol: User, dave: User
) -> None:
    gathering = table_of(alice, bob, seats=4, name="Four of us")
    services.message_write(game_id=gathering.pk, user=bob, text="Shall we wait for Carol?")
    take(enter, "gathering-host", alice, table(gathering))
    take(enter, "gathering-stranger", dave, table(gathering))
    take(enter, "invitation", None, f"/i/{gathering.invite_token}/")
    game = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.OPEN)
    miss_deadline(game)
    play_one(game)
    miss_deadline(game)
    take(enter, "open-seat-lost", alice, table(game))
    take(enter, "open-seat-free", dave, table(game))
    take(enter, "tables", dave, "/tables/")
    take(enter, "home-newcomer", dave, "/")
    Game.objects.all().update(is_open=True)
    take(enter, "watching", carol, table(game), whole=False)
    take(enter, "tables-watch", carol, "/tables/?show=running")
    take(enter, "tables-none", carol, "/tables/?kind=escape&seats=4")


def test_refusals(enter: Enter, alice: User, bob: User) -> None:
    take(enter, "forbidden", alice, "/admin/")
    hidden = table_of(alice, bob, is_open=False)
    take(enter, "forbidden-table", None, table(hidden))

    def show(status: int) -> Callable[[Any], None]:
        def step(page: Any) -> None:
            template = {503: "503.html", 429: "429.html", 403: "403_csrf.html"}[status]
            with override(page.evaluate("navigator.language")):
                words = {"what": gettext("new tables"), "when": "12:00"}
                context = {
                    "reason": " ".join(map(gettext, REASONS)) % words,
                    "path": "/",
                    "fields": [],
                }
                text = str(render_to_string(template, context))
            for link in page.locator("link[rel=stylesheet]").all():  # as the site calls them
                style = f'<link rel="stylesheet" href="{link.get_attribute("href")}">'
                text = text.replace("</head>", f"{style}</head>")
            page.route(
                "**/shown/", lambda route: route.fulfill(body=text, content_type="text/html")
            )
            page.goto("/shown/")

        return step

    for status in (503, 429, 403):
        take(enter, f"error-{status}", None, "/", show(status))


def test_a_game_that_is_over(enter: Enter, alice: User, bob: User, carol: User) -> None:
    game = play_to_the_end(table_of(alice, bob, name="A short one"))
    play_turns(table_of(alice, bob, carol), 9)
    take(enter, "over", alice, table(game), whole=False)
    take(enter, "over-whole", alice, table(game))
    take(enter, "home", alice, "/")


def test_pages_of_an_account(enter: Enter, alice: User, bob: User) -> None:
    game = play_to_the_end(table_of(alice, bob, name="A short one"))
    page = enter(alice)
    page.goto(table(game, "?details=all"))
    profile = page.locator("a[href*='/players/']").first.get_attribute("href")
    assert profile is not None
    for name, path in (
        ("player", profile),
        ("new", "/new/"),
        ("new-preset", "/new/?game=escape&preset=family"),
        ("settings", "/settings/"),
        ("email-settings", "/settings/mails/"),
        ("email-example", "/settings/mails/digest/"),
        ("absences", "/settings/absences/"),
        ("feeds", "/settings/feeds/"),
        ("sign-out", "/accounts/logout/"),
        ("addresses", "/accounts/email/"),
        ("sessions", "/accounts/sessions/"),
        ("factor", "/accounts/2fa/"),
        ("proof", "/settings/data/"),
        ("delete", "/settings/delete/"),
    ):
        take(enter, name, alice, path)


def test_circles(enter: Enter, alice: User, bob: User, carol: User) -> None:
    circle = services.circle_create(founder=alice, name="Sunday table")
    for friend in (bob, carol):
        services.circle_join(token=circle.join_token, user=friend)
    for number in range(6):
        host, guest = (alice, bob) if number % 2 else (bob, alice)
        play_to_the_end(table_of(host, guest, circle=circle))
    play_to_the_end(table_of(alice, bob, carol, circle=circle))
    waiting = table_of(alice, seats=3, circle=circle)
    for name, path in (
        ("circles", "/circles/"),
        ("circle", f"/circles/{circle.public_id}/"),
        ("circle-table", table(waiting)),
        ("circle-new", f"/new/?circle={circle.public_id}"),
    ):
        take(enter, name, alice, path)
    take(enter, "circle-join", None, f"/circles/join/{circle.join_token}/")


def test_pages_for_everybody(enter: Enter, alice: User, db: None) -> None:
    table_of(alice, seats=3)
    for name, path in (
        ("welcome", "/"),
        ("about", "/about/"),
        ("rules", "/rules/"),
        ("rules-atlantis", "/rules/atlantis/"),
        ("rules-escape", "/rules/escape/"),
        ("sign-in", "/accounts/login/"),
        ("not-found", "/nowhere/"),
    ):
        take(enter, name, None, path)
    nora = User.objects.create_user("nora@example.org")
    take(enter, "name", nora, "/")


def test_pages_behind_the_links_of_emails(
    enter: Enter, alice: User, bob: User, settings: Settings
) -> None:
    game = table_of(alice, bob)
    settings.EMAIL_BACKEND = "games.mail.backends.FolderBackend"
    outbox.drain()
    for name, path in (
        ("link-turn", signed_links.turn_path(game.public_id, 0, game.version, alice)),
        ("link-off", signed_links.off_path(game.public_id, alice)),
        ("link-kind-off", signed_links.kind_off_path("turn", alice)),
        ("link-never", signed_links.never_path("zoe@example.net")),
        ("mailbox", "/mailbox/"),
        ("mailbox-message", f"/mailbox/{sent_emails(alice.email)[0].name}/"),
    ):
        take(enter, name, None, path)


def test_pages_of_a_moderator(enter: Enter, mona: User, alice: User, bob: User) -> None:
    mona.is_superuser = True
    mona.save()
    game = play_turns(table_of(alice, bob), 6)
    for name, path in (
        ("admin", "/admin/"),
        ("admin-games", "/admin/games/game/"),
        ("admin-game", f"/admin/games/game/{game.pk}/change/"),
        ("admin-outbox", "/admin/games/outboxmail/"),
        ("admin-users", "/admin/games/user/"),
        ("admin-user", f"/admin/games/user/{alice.pk}/change/"),
    ):
        take(enter, name, mona, path)
