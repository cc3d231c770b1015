"""Games at home are rows: what waits for the reader is on the first screen."""

from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import ViewportSize

from games.models import Game, Seat, User, database_clock
from tests.factories import play_one, table_of

from .audits import check
from .expectations import expect
from .people import Enter

NARROW: ViewportSize = {"width": 360, "height": 740}
MIDDLE: ViewportSize = {"width": 768, "height": 1024}
WIDE: ViewportSize = {"width": 1366, "height": 768}
# Of a picture, from 0 to 255.
BRIGHTNESS = """async (picture) => {
    await picture.decode()
    const canvas = Object.assign(document.createElement("canvas"), { width: 90, height: 90 })
    const context = canvas.getContext("2d")
    context.drawImage(picture, 0, 0, 90, 90)
    const { data } = context.getImageData(0, 0, 90, 90)
    return data.filter((_, at) => at % 4 < 3).reduce((sum, part) => sum + part) * 4 / 3 / data.length
}"""
LONG_NAME = "Sunday evening with everybody from the second floor, again"
BOXES = """rows => rows.map(row => {
    const { top, bottom, height } = row.getBoundingClientRect()
    return { top, bottom, height }
})"""


def waiting_game(user: User, *others: User, **fields: Any) -> Game:
    """A game with some moves in which it is this person's turn."""
    game = table_of(user, *others, **fields)
    for _move in range(3):
        play_one(game)
    while Seat.objects.get(game=game, user=user).asked_seq is None:
        play_one(game)
    return game


@pytest.mark.parametrize("size", [NARROW, MIDDLE, WIDE], ids=lambda size: str(size["width"]))
def test_the_row_of_one_game_is_as_wide_as_its_column(
    enter: Enter, alice: User, bob: User, size: ViewportSize
) -> None:
    waiting_game(alice, bob)
    page = enter(alice, viewport=size)
    page.goto("/")
    row, column = (
        page.locator(path).first.bounding_box() for path in (".rows > li", "main section")
    )
    assert row and column
    assert row["width"] == column["width"]


def test_eight_waiting_games_are_on_the_first_screen(
    enter: Enter, alice: User, bob: User, carol: User
) -> None:
    games = [waiting_game(alice, bob, carol, name=f"{n} {LONG_NAME}") for n in range(8)]
    for hours, game in zip((1100, 200, 71, 30, 23, 7, 1, -5), games, strict=True):
        due = database_clock.now() + timedelta(hours=hours, minutes=5)
        Seat.objects.filter(game=game, user=alice).update(due_at=due, overdue=hours < 0)
    page = enter(alice, viewport=WIDE)
    page.goto("/")
    rows = page.locator("section[aria-labelledby=waiting-title] li.game-row")
    assert [name[0] for name in rows.locator("h3 a").all_inner_texts()] == list("76543210")
    boxes = rows.evaluate_all(BOXES)
    assert len(boxes) == 8
    assert boxes[-1]["bottom"] <= 768
    page.set_viewport_size(NARROW)
    boxes = rows.evaluate_all(BOXES)
    assert max(box["height"] for box in boxes) <= 110
    assert boxes[-1]["bottom"] < 1100
    check(page, dark=True)


def test_the_whole_row_is_the_link(enter: Enter, alice: User, bob: User) -> None:
    game = waiting_game(alice, bob)
    page = enter(alice, viewport=WIDE)
    page.goto("/")
    box = page.locator("li.game-row time").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 5, box["y"] + 5)
    expect(page.locator("#orders")).to_be_visible()
    assert game.public_id in page.url


def test_one_click_joins_an_open_table(enter: Enter, alice: User, bob: User) -> None:
    game = table_of(alice, seats=3, name="Looking for people")
    page = enter(bob, viewport=NARROW)
    page.goto("/")
    page.get_by_role("button", name="Join (Looking for people)").click()
    expect(page.get_by_text("You have joined the table.")).to_be_visible()
    assert game.seats.filter(user=bob).exists()


def test_a_filter_of_the_tables_applies_when_it_is_chosen(
    enter: Enter, alice: User, bob: User, carol: User
) -> None:
    table_of(alice, bob, name="Running")
    table_of(alice, bob, carol, name="Three")
    page = enter(None)
    page.goto("/tables/")
    page.evaluate("window.same = true")
    expect(page.get_by_role("button", name="Show")).to_be_hidden()
    rows = page.locator("li.game-row h3 a")
    page.get_by_label("List").select_option("running")
    expect(rows).to_have_count(2)
    players = page.get_by_role("combobox", name="Players", exact=True)
    players.select_option("3")
    expect(rows).to_have_count(1)
    expect(rows).to_have_text("Three")
    assert page.evaluate("window.same"), "the page was not loaded again"
    page.reload()
    expect(rows).to_have_count(1)
    expect(players).to_have_value("3")
    check(page, dark=True)


def test_without_a_script_a_button_applies_the_filter(enter: Enter, alice: User, bob: User) -> None:
    table_of(alice, bob, name="Running")
    page = enter(None, java_script_enabled=False)
    page.goto("/tables/")
    page.get_by_label("List").select_option("running")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("li.game-row h3 a")).to_have_text(["Running"])


def test_the_miniature_of_a_board_is_dark_on_a_dark_page(
    enter: Enter, alice: User, bob: User
) -> None:
    waiting_game(alice, bob)
    brightness = []
    for scheme in ("light", "dark"):
        page = enter(alice, viewport=WIDE, color_scheme=scheme)
        page.goto("/")
        picture = page.locator("img.crop").first
        expect(picture).to_be_visible()
        brightness.append(picture.evaluate(BRIGHTNESS))
    assert brightness[1] < 0.8 * brightness[0]
