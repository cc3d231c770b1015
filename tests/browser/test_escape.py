"""Escape from Atlantis in a real browser: a whole game of two with a defence in it, and its
pages."""

import math

import pytest
from playwright.sync_api import Page

from games.models import Game, User
from games.rules import GAMES
from games.rules.escape.model import EACH, IN_HAND, CreatureStage, State, TurnStage
from tests.browser.audits import check, look
from tests.factories import fresh, log_of
from tests.support.escape_answers import answers, line_of
from tests.support.escape_games import (
    Move,
    attacked,
    escape_table,
    foreseen,
    game_with,
    play_line,
    play_moves,
    table_with_luck,
)
from tests.support.lengths import LONG, by_length

from .expectations import expect
from .people import Enter, instant, table

ESCAPE = GAMES["escape"]


def give(page: Page, game: Game, move: Move, *, scripted: bool) -> None:
    """Make the move with the form of the page, from the first question to the button."""
    page.goto(table(game, "?do=plan" if move.before.board.is_setup else ""))
    for name, value in answers(move):
        field = page.locator(f'#orders input[name="{name}"][value="{value}"]')
        expect(field).to_have_count(1)
        if not field.is_checked():
            field.focus()
            field.check()
            if not scripted:
                page.locator("#go-on").click()
            expect(page.locator(".busy")).to_have_count(0)
        expect(field).to_be_checked()
    expect(page.get_by_role("heading", name="Preview")).to_be_visible()
    page.locator("#confirm").click()
    expect(page.locator(".message.success")).to_be_visible()


DEFENDED = 9  # with this luck somebody is attacked and plays a tile, after 30 of 60 moves


@pytest.mark.long
@pytest.mark.parametrize("scripted", by_length([(True, True)], [(True, True), (False, False)]))
def test_alice_and_bob_play_a_whole_game_with_a_defence(
    enter: Enter,
    monkeypatch: pytest.MonkeyPatch,
    alice: User,
    bob: User,
    scripted: tuple[bool, bool],
) -> None:
    """With JavaScript and without. By hand: the plans, the first turns, the defence and the last
    move; the rest by services. After a turn, the page says what was rolled, and asks what follows.
    In the short form, with JavaScript, the defence alone is by hand.
    """
    moves, people = list(foreseen(DEFENDED, 2)), (alice, bob)
    game = table_with_luck(monkeypatch, people, DEFENDED)
    defence = next(n for n, move in enumerate(moves) if line_of(move) == "defend")
    pages = {
        seat: enter(people[seat], java_script_enabled=scripted[seat])
        for seat in by_length((moves[defence].seat,), (0, 1))
    }
    rolled = (
        next(
            n for n, move in enumerate(moves) if isinstance(move.before.board.stage, CreatureStage)
        )
        - 1
    )
    by_hand = by_length({defence}, {*range(7), defence, len(moves) - 1})
    played = 0
    for n in sorted(by_hand):
        play_moves(game, moves[played:n])
        move, played = moves[n], n + 1
        page = pages[move.seat]
        give(page, game, move, scripted=scripted[move.seat])
        if n == defence:
            expect(page.locator("#log")).to_contain_text("nobody was hurt")
        elif n == rolled:
            expect(page.locator(".message.info")).to_contain_text("The die showed ")
            expect(page.locator("#orders")).to_contain_text("You rolled ")
    play_moves(game, moves[played:])
    now = fresh(game)
    assert now.status == Game.Status.FINISHED and now.scores is not None
    for page in pages.values():
        page.goto(table(game))
        expect(page.get_by_role("heading", name="Final score")).to_be_visible()
        expect(page.locator("#settlement .score")).to_have_text(
            [str(score) for score in sorted(now.scores, reverse=True)]
        )


@pytest.mark.long
def test_the_pages_of_escape(
    enter: Enter, monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    gathering = escape_table(alice, bob)
    page = enter(bob)
    look(page, table(gathering, "?do=plan"), audit=LONG)
    if LONG:
        for path in ("/rules/escape/", "/new/?game=escape", table(gathering)):
            look(page, path)
    for user in (bob, alice):
        play_line(gathering, user, "plan coast")
    page = enter(alice)
    look(page, table(gathering, "?do=standing&creature=shark"), audit=LONG)
    if LONG:
        for query in ("", "?value=6"):
            look(page, table(gathering, query))
    game = game_with(monkeypatch, (alice, bob), attacked())
    asked = (alice, bob)[game.to_act[0]]
    page = enter(asked)
    page.goto(table(game))
    expect(page.get_by_role("heading", name="Your response")).to_be_visible()
    expect(page.locator(".asked")).to_contain_text("in danger")
    check(page, dark=True)


TELEPHONE = {"width": 360, "height": 740}


def test_on_a_telephone_a_turn_is_made_by_the_list_without_javascript(
    enter: Enter, monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    """With it, fewer taps do: see test_fifty_turns."""
    game = game_with(monkeypatch, (alice, bob), lambda state: state.board.turn == 1)
    user = (alice, bob)[game.to_act[0]]
    page = enter(user, java_script_enabled=False, viewport=TELEPHONE, has_touch=True)
    page.goto(table(game))

    def choose(name: str) -> str:
        """Tap the last answer to this question, and continue."""
        pick = page.locator(f'#orders label:has(input[name="{name}"])').last
        value = pick.locator("input").get_attribute("value") or ""
        pick.tap()
        page.locator("#go-on").tap()
        expect(page.locator(f'#orders input[name="{name}"]:checked')).to_have_value(value)
        return value

    who = page.locator('#orders input[name="who1"]').first.get_attribute("value")
    page.locator('#orders label:has(input[name="who1"])').first.tap()
    page.locator("#go-on").tap()
    expect(page.locator("#board a.chosen")).to_have_attribute("id", f"explorer-{who}")
    choose("step1")
    choose("who2")
    expect(page.get_by_role("heading", name="Preview")).to_be_visible()
    page.locator("#confirm").tap()
    expect(page.locator(".message.success")).to_be_visible()


def test_a_tap_enlarges_the_board_only_where_it_is_small(
    enter: Enter, monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), lambda state: state.board.turn == 1)
    page = enter((alice, bob)[game.to_act[0]])
    page.goto(table(game))
    instant(page)
    zoomed = page.locator("#board > svg.zoomed")
    for width, height, closer in (360, 740, 1), (740, 360, 1), (768, 1024, 0), (1280, 900, 0):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#board > svg").click(position={"x": 8, "y": 8})  # open sea
        expect(zoomed).to_have_count(closer)
        if closer:
            page.locator("#zoom-whole").click()


SMALLEST = 24  # pixels of a target (WCAG 2.5.8)
# What taps on a grid of points mean: [x, y, what it chooses] where they choose something.
MEANT = """step => {
    const { left, top, right, bottom } = document.querySelector("#board > svg").getBoundingClientRect()
    const found = []
    let chosen = null
    const note = (event) => {
        const link = event.type === "click" ? event.target.closest("#board a.target[data-at]") : null
        if (event.type === "click" && !link) return
        chosen = link && `${link.dataset.at} ${link.dataset.pick}`
        event.stopImmediatePropagation()
        event.preventDefault()
    }
    for (const kind of ["click", "window"]) addEventListener(kind, note, true)
    for (let y = top + 1; y < bottom; y += step)
        for (let x = left + 1; x < right; x += step) {
            chosen = null
            const tap = { bubbles: true, cancelable: true, detail: 1, clientX: x, clientY: y }
            document.elementFromPoint(x, y)?.dispatchEvent(new MouseEvent("click", tap))
            if (chosen) found.push([x, y, chosen])
        }
    for (const kind of ["click", "window"]) removeEventListener(kind, note, true)
    return found
}"""
# What can be chosen on the visible part of the board: [x and y of its middle, width, height, what].
PLACES = """() => {
    const board = document.querySelector("#board > svg").getBoundingClientRect()
    return [...document.querySelectorAll("#board a.target[data-at]")].map((link) => {
        const { left, top, width, height } = link.querySelector(".halo").getBoundingClientRect()
        const { at, pick } = link.dataset
        return [left + width / 2, top + height / 2, width, height, `${at} ${pick}`]
    }).filter(([x, y]) => x > board.left && x < board.right && y > board.top && y < board.bottom)
}"""
Place = tuple[float, float, float, float, str]


def crowded(places: list[Place]) -> list[tuple[Place, Place]]:
    """Pairs of a target that is too small and another one within its circle of 24 pixels, or
    whose own circle intersects it."""
    radius = SMALLEST / 2
    found = []
    for one in places:
        x, y, width, height, what = one
        if min(width, height) >= SMALLEST:
            continue
        for other in places:
            a, b, wide, tall, meaning = other
            away = max(abs(a - x) - wide / 2, 0), max(abs(b - y) - tall / 2, 0)
            small = min(wide, tall) < SMALLEST
            near = small and math.dist((x, y), (a, b)) < SMALLEST
            if meaning != what and (near or math.hypot(*away) < radius):
                found.append((one, other))
    return found


@pytest.mark.parametrize("turn", by_length((5,), (1, 5, 9)))
def test_each_target_is_large_enough_for_a_finger_or_far_enough_from_others(
    enter: Enter, monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, turn: int
) -> None:
    """A tap on the whole board chooses what is far enough from everything else; elsewhere it
    enlarges the board."""
    game = game_with(
        monkeypatch,
        (alice, bob),
        lambda state: state.board.turn >= turn and isinstance(state.board.stage, TurnStage),
    )
    user = (alice, bob)[game.to_act[0]]
    page = enter(user, viewport=TELEPHONE, has_touch=True, is_mobile=True)
    page.goto(table(game))
    instant(page)
    expect(page.locator("#board a.target:not(.idle, [data-at])")).to_have_count(0)
    places: list[Place] = page.evaluate(PLACES)
    taps = page.evaluate(MEANT, 7)
    direct = {what for _x, _y, what in taps}
    assert direct
    for place in places:
        near = {what for x, y, what in taps if math.dist((x, y), place[:2]) <= SMALLEST / 2}
        assert near <= {place[4]}, f"{place} is too near to {near}"
    for x, y, _width, _height, what in (place for place in places if place[4] not in direct):
        page.touchscreen.tap(x, y)
        assert page.locator("#board > svg.zoomed").count(), what
        seen = page.evaluate(PLACES)
        assert what in {place[4] for place in seen}
        assert crowded(seen) == [], f"after a tap on {what}"
        page.locator("#zoom-whole").tap()
    for who in page.locator("#board a.explorer[data-at]").evaluate_all(
        "all => all.map((a) => a.id)"
    ):
        page.locator(f"#{who}").dispatch_event("click")
        expect(page.locator(f"#{who}.chosen")).to_have_count(1)
        if page.locator("#board > svg.zoomed").count():
            assert crowded(page.evaluate(PLACES)) == [], f"after choosing {who}"


def test_a_wrong_combination_of_options_is_refused_and_everything_typed_is_kept(
    enter: Enter, alice: User
) -> None:
    page = enter(alice)
    page.goto("/new/?game=escape")
    page.get_by_label("Table name").fill("The four of us")
    page.get_by_text("Choose everything yourself").click()
    page.get_by_label("3 players").check()
    page.get_by_label("Two each (two players only)").check()
    page.get_by_role("button", name="Create table").click()
    expect(page.get_by_text("only for two players")).to_be_visible()
    expect(page.get_by_label("Table name")).to_have_value("The four of us")
    expect(page.get_by_label("Two each (two players only)")).to_be_checked()
    page.get_by_label("2 players").check()
    page.get_by_role("button", name="Create table").click()
    expect(page.get_by_role("heading", name="The four of us")).to_be_visible()
    assert Game.objects.get().options["colours"] == "two"


def open_questions(page: Page) -> int:
    """How many questions without an answer are visible."""
    return page.locator("#orders fieldset.open:visible").count()


def choose_on_board(page: Page, what: str) -> None:
    """Click the first of these that may be chosen and is not."""
    link = page.locator(f"#board a.{what}.target:not(.idle):not(.chosen)").first
    link.locator(".halo").dispatch_event("click")


def test_one_question_is_asked_at_a_time_with_the_number_of_the_step(
    enter: Enter, monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), lambda state: state.board.turn == 1)
    page = enter((alice, bob)[game.to_act[0]])
    page.goto(table(game))
    instant(page)
    for number in (1, 2, 3):
        question = page.locator("#orders fieldset.open legend")
        expect(question).to_contain_text(f"Step {number} of 3")
        assert open_questions(page) == 1
        choose_on_board(page, "explorer")
        expect(page.locator(f"#orders input[name=step{number}]").first).to_be_attached()
        assert open_questions(page) == 1
        choose_on_board(page, "hex")
        expect(page.locator(f"#orders input[name=step{number}]:checked")).to_have_count(1)
    expect(page.locator("#orders fieldset.open legend")).to_contain_text("tile do you want to sink")
    assert open_questions(page) == 1
    choose_on_board(page, "hex")
    expect(page.locator("#confirm")).to_be_visible()
    assert open_questions(page) == 0
    check(page)


def test_an_explorer_is_placed_with_two_clicks(enter: Enter, alice: User, bob: User) -> None:
    """The highest value comes first; another can be chosen."""
    game = escape_table(alice, bob)
    page = enter(alice)
    page.goto(table(game))
    instant(page)
    assert open_questions(page) == 1
    choose_on_board(page, "hex")
    page.locator("#confirm").click()
    expect(page.locator(".message.success")).to_be_visible()
    placed = ESCAPE.notation.describe(log_of(game).moves[-1][0].event, None)
    assert placed.startswith("place 6 ")


@pytest.mark.parametrize("scripted", [True, False])
def test_a_plan_on_the_own_turn_places_this_explorer_and_the_later_ones(
    enter: Enter, alice: User, bob: User, scripted: bool
) -> None:
    game = escape_table(alice, bob)
    page = enter(alice, java_script_enabled=scripted)
    page.goto(table(game))
    page.get_by_role("link", name="Plan my setup").click()
    page.locator("#orders label:has(input[name=preset][value=coast])").click()
    if not scripted:
        page.locator("#go-on").click()
    page.locator("#confirm").click()
    expect(page.locator(".message").first).to_be_visible()
    state = log_of(game).state
    assert fresh(game).to_act == [1], "the explorer of this turn is placed"
    before = explorers_of(state, 0)
    play_line(game, bob, "plan spread")
    state = log_of(game).state
    assert before == 1 and explorers_of(state, 0) == 10
    assert not state.board.is_setup, "nobody was asked again"


def explorers_of(state: State, seat: int) -> int:
    """How many explorers of this seat stand on the board."""
    mine = state.board.where[seat * EACH : seat * EACH + EACH]
    return sum(place != IN_HAND for place in mine)
