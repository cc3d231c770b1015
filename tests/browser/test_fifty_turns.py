"""Fifty turns on a telephone: how often somebody has to scroll and to tap."""

import statistics
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from games.models import Game, User
from games.rules.escape.model import CrewStage, SetupStage, TurnStage
from tests.factories import fresh, log_of, play_one, table_of
from tests.support.bots import bot_choice
from tests.support.escape_answers import answers
from tests.support.escape_games import Move, escape_table
from tests.support.game_seeds import set_seed
from tests.support.lengths import by_length

from .expectations import expect
from .people import Enter, table

TELEPHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}
TURNS = by_length(1, 50)
TURNS_OF_ESCAPE = by_length(1, 30)  # they have several steps: 7 s of processor time each
MOST_TAPS, MOST_SCROLLS = 4, 1
SMALLEST = 24  # pixels between what two taps mean, and of a target (WCAG 2.5.8)
# Where to tap for the answer: on the board, else in the form. Of something that lies below another,
# the point with the most room. room: whether all pixels of a circle, or on a whole board that is
# crowded the nearest middle, mean this answer.
PLACE = """([name, value, smallest]) => {
    const last = (link) => String([...new URL(link.href.baseVal, location).searchParams].pop())
    const links = [...document.querySelectorAll("#board a.target:not(.idle)")]
    const same = links.filter((link) => last(link) === String([name, value]))
    const boxOf = (part) => part.getBoundingClientRect()
    const middle = ({ left, top, width, height }) => [left + width / 2, top + height / 2]
    if (!same.length) {
        const label = document.querySelector(`#orders label:has([name="${name}"][value="${value}"])`)
        const [x, y] = middle(boxOf(label))
        return { x, y, room: true, onBoard: false, folded:
            label.closest("fieldset").matches(".settled:not(.unfolded, .focused)"),
            seen: label.contains(document.elementFromPoint(x, y)) }
    }
    const board = boxOf(document.querySelector("#board > svg"))
    const box = boxOf(same[0].querySelector(".halo"))
    const points = [middle(box)]
    for (const dx of [0.5, 0.2, 0.8, 0.35, 0.65])
        for (const dy of [0.5, 0.2, 0.8, 0.35, 0.65])
            points.push([box.left + dx * box.width, box.top + dy * box.height])
    const answered = links.filter((link) => link.matches(".chosen")).map((link) => link.dataset.at)
    const hit = (x, y) => {
        const hits = document.elementsFromPoint(x, y)
            .map((part) => part.closest("#board > svg a")).filter(Boolean)
        return hits.find((link) => !answered.includes(link.dataset.at)) ?? hits[0]
    }
    const crowded = document.querySelector(".crowded #board > svg:not(.zoomed)")
    const others = links.filter((link) => last(link) !== last(same[0]))
        .map((link) => middle(boxOf(link.querySelector(".halo"))))
    const roomAt = ([x, y]) => crowded
        ? others.every((other) => Math.hypot(other[0] - x, other[1] - y) >= smallest)
        : [...Array(12).keys()].every((n) => same.includes(hit(
            x + Math.sin(n) * smallest / 2, y + Math.cos(n) * smallest / 2)))
    const [x, y] = points.find((point) => roomAt(point)) ??
        points.find((point) => same.includes(hit(...point))) ?? points[0]
    return { x, y, room: roomAt([x, y]), onBoard: true, middle: x === points[0][0] && y === points[0][1],
        inside: x > board.left && x < board.right && y > board.top && y < board.bottom,
        seen: Boolean(document.elementFromPoint(x, y)?.closest("#board > svg")) }
}"""
WAITING = "#board a.target:not(.idle, [data-at])"  # until the page can choose without the server
STATE = """[
    location.search,
    document.querySelector("#board > svg").getAttribute("viewBox"),
    document.querySelectorAll("#orders .unfolded").length,
]"""


class Thumb:
    """Taps what is in sight, drags pieces, scrolls to what is not, and counts all three."""

    def __init__(self, page: Page) -> None:
        self.page, self.taps, self.drags, self.scrolls = page, 0, 0, 0
        self.devtools = page.context.new_cdp_session(page)

    def tap(self, x: float, y: float) -> None:
        self.taps += 1
        self.page.touchscreen.tap(x, y)

    def press(self, selector: str) -> None:
        """Tap a button, which may have to be scrolled to."""
        part = self.page.locator(selector).first
        before = self.page.evaluate("scrollY")
        part.scroll_into_view_if_needed()
        self.scrolls += self.page.evaluate("scrollY") != before
        box = part.bounding_box()
        assert box is not None
        self.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def answer(self, name: str, value: str) -> None:
        """Choose it, with the taps that the page needs. None of them chooses anything else."""
        field = self.page.locator(f'#orders input[name="{name}"][value="{value}"]')
        expect(field).to_have_count(1)
        place: dict[str, Any] = {}
        for _tap in range(5):
            assert field.count(), f"the tap for {name} {value} chose something else: {place}"
            if field.is_checked():
                return
            expect(self.page.locator(WAITING)).to_have_count(0)
            before = self.page.evaluate(STATE)
            place = self.page.evaluate(PLACE, [name, value, SMALLEST])
            if place.get("folded"):
                self.press(f'#orders label:has([name="{name}"]:checked)')
            elif place["onBoard"] and not place["inside"]:
                self.press("#zoom-whole")
            else:
                if not place["seen"]:
                    self.scrolls += 1
                    if place["onBoard"]:
                        self.page.evaluate("y => scrollBy(0, y - 250)", place["y"])
                    else:
                        field.locator("..").scroll_into_view_if_needed()
                    place = self.page.evaluate(PLACE, [name, value, SMALLEST])
                self.tap(place["x"], place["y"])
            self.wait_for_change(before, f"{name} {value}: {place}")
        assert place["room"], f"{name} {value} is smaller than {SMALLEST} pixels"
        raise AssertionError(f"{name} {value} takes more than five taps")

    def move(self, piece: tuple[str, str], goal: tuple[str, str]) -> None:
        """Drag a piece to where it goes, after a tap where others are too near for a finger."""
        for _look in range(2):
            expect(self.page.locator(WAITING)).to_have_count(0)
            place = self.page.evaluate(PLACE, [*piece, SMALLEST])
            if not (place["onBoard"] and place["inside"] and place["seen"]):
                break
            before = self.page.evaluate(STATE)
            if place["room"] and place["middle"]:
                self.drag(place, piece, goal)
                return
            self.tap(place["x"], place["y"])
            self.wait_for_change(before, f"{piece} is crowded: {place}")
        self.answer(*piece)
        self.answer(*goal)

    def drag(self, place: dict[str, Any], piece: tuple[str, str], goal: tuple[str, str]) -> None:
        field = self.page.locator('#orders input[name="{}"][value="{}"]'.format(*goal))
        before = self.page.evaluate(STATE)
        self.drags += 1
        self.touch("touchStart", place["x"], place["y"])
        self.touch("touchMove", place["x"] + 10, place["y"])
        expect(field).to_have_count(1)
        place = self.page.evaluate(PLACE, [*goal, SMALLEST])
        self.touch("touchMove", place["x"], place["y"])
        self.touch("touchEnd")
        self.wait_for_change(before, f"{piece} to {goal}: {place}")
        expect(field).to_be_checked()

    def touch(self, kind: str, *point: float) -> None:
        points = [dict(zip("xy", point, strict=True))] if point else []
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def wait_for_change(self, before: object, wanted: str) -> None:
        for _round in range(500):
            if self.page.evaluate(STATE) != before:
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"the tap did nothing, {wanted}")


def make_a_turn(page: Page, chosen: Iterable[tuple[str, str]] = ()) -> Thumb:
    """Tap these answers and the button."""
    thumb = Thumb(page)
    expect(page.locator(WAITING)).to_have_count(0)
    waiting = iter(chosen)
    for name, value in waiting:
        if "who" in name and not value.startswith("sink "):  # and where it goes
            thumb.move((name, value), next(waiting))
        else:
            thumb.answer(name, value)
    thumb.press("#confirm")
    expect(page.locator(".message.success")).to_be_visible()
    return thumb


def assert_few(thumbs: list[Thumb]) -> None:
    assert statistics.median(thumb.taps for thumb in thumbs) <= MOST_TAPS
    assert statistics.median(thumb.scrolls for thumb in thumbs) <= MOST_SCROLLS


@pytest.mark.long
def test_a_turn_of_atlantis_takes_at_most_one_scroll_and_four_taps(
    enter: Enter, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = enter(alice, **TELEPHONE)
    set_seed(monkeypatch, 1)
    thumbs: list[Thumb] = []
    game = table_of(alice, bob)
    while len(thumbs) < TURNS:
        now = fresh(game)
        if now.status != Game.Status.RUNNING:
            game = table_of(alice, bob)
        elif now.to_act == [0]:
            page.goto(table(game))
            thumbs.append(make_a_turn(page, landing(page)))
        else:
            play_one(game)
    assert_few(thumbs)


def landing(page: Page) -> Iterator[tuple[str, str]]:
    """The first figure and its first landing, as far as they are asked."""
    for question in ("figure", "landing"):
        if page.locator("#confirm").count():
            return
        yield question, page.locator(f"#orders input[name={question}]").first.input_value()


@pytest.mark.long
def test_a_turn_of_escape_takes_at_most_one_scroll_and_four_taps(
    enter: Enter, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole turns, as a bot would make them: pieces are dragged, and everything else is tapped.

    What is asked after a turn is answered by taps alone. No answer takes more than one tap besides
    its own, to enlarge the board or to unfold a list.
    """
    page = enter(alice, **TELEPHONE)
    set_seed(monkeypatch, by_length(4, 1))  # a single turn shall be a usual one
    turns: list[Thumb] = []
    others: list[Thumb] = []
    game = escape_table(alice, bob)
    while len(turns) < TURNS_OF_ESCAPE:
        now = fresh(game)
        if now.status != Game.Status.RUNNING:
            game = escape_table(alice, bob)
            continue
        log = log_of(now)
        if now.to_act != [0] or isinstance(log.state.board.stage, SetupStage | CrewStage):
            play_one(game)
            continue
        page.goto(table(game))
        chosen = list(answers(Move(log.state, 0, bot_choice(log, 0))))
        thumb = make_a_turn(page, chosen)
        assert thumb.taps + 2 * thumb.drags <= 2 * len(chosen) + 1
        (turns if isinstance(log.state.board.stage, TurnStage) else others).append(thumb)
    assert_few(turns)
    assert_few(others or turns)
