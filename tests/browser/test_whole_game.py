"""A whole game of two people in a real browser, with JavaScript and without."""

import re

import pytest
from playwright.sync_api import Page

from games.log.game_log import Log
from games.models import Game, User
from tests.factories import fresh, log_of, play_turns, table_of
from tests.support.escape_games import play_line
from tests.support.game_seeds import set_seed
from tests.support.lengths import LONG, by_length

from .expectations import expect
from .people import Enter, answer, table

MOST_TURNS = 150
LUCK = 71  # with the moves that these tests make, a game of 11 turns
QUESTIONS = ("do", "figure", "landing")


def choose(page: Page, question: str) -> bool:
    """Answer an open question with its last option, the one that leads furthest; whether it was
    open."""
    picks = page.locator(f"#orders input[name={question}]")
    if not picks.count() or page.locator(f"#orders input[name={question}]:checked").count():
        return False
    picks.last.focus()
    picks.last.check()
    return True


def make_a_move(page: Page, *, scripted: bool) -> None:
    """From the open form to the confirmed move, as far as the questions go."""
    for question in QUESTIONS:
        if page.locator("#confirm").count():
            break
        if choose(page, question):
            if not scripted:
                page.locator("#go-on").click()
            answered = page.locator(f"#orders input[name={question}]:checked")
            expect(answered).to_have_count(1)
            expect(page.locator("#orders input[name=landing], #confirm").first).to_be_visible()
    expect(page.get_by_role("heading", name="Preview")).to_be_visible()
    page.get_by_role("button", name="Confirm move").click()
    expect(page.get_by_text("Your move has been made.")).to_be_visible()


def same_move(log: Log, seat: int) -> str:
    """Return the move that `make_a_move` would make, in notation."""
    ask = log.engine.presentation.forms(log.engine.rules.view(log.state, seat))
    answers: dict[str, list[str]] = {}
    while (form := ask(answers)).line is None:
        open_fields = [
            field
            for field in form.fields
            if field.name in QUESTIONS and not any(choice.selected for choice in field.choices)
        ]
        answers[open_fields[0].name] = [open_fields[0].choices[-1].value]
    return form.line


@pytest.mark.long
@pytest.mark.parametrize("scripted", by_length([(True, False)], [(True, True), (False, False)]))
def test_alice_and_bob_play_a_whole_game(
    enter: Enter,
    monkeypatch: pytest.MonkeyPatch,
    alice: User,
    bob: User,
    scripted: tuple[bool, bool],
) -> None:
    """With JavaScript and without. In the short form, Alice has it and Bob has not, and some turns
    of the same game are made in the browser: the first two and the last.
    """
    set_seed(monkeypatch, LUCK)
    people = (alice, bob)
    game = table_of(*people)
    by_hand = by_length((0, 1, 10), range(MOST_TURNS))
    sizes = {True: {"width": 1280, "height": 900}, False: {"width": 800, "height": 600}}
    pages = [
        enter(user, java_script_enabled=has, viewport=sizes[has], service_workers="allow")
        for user, has in zip(people, scripted, strict=True)
    ]
    for turn in range(MOST_TURNS):
        now = fresh(game)
        if now.status != Game.Status.RUNNING:
            break
        seat = now.to_act[0]
        if turn not in by_hand:
            play_line(game, people[seat], same_move(log_of(game), seat))
            continue
        page = pages[seat]
        page.goto(table(game))
        expect(page.locator(".turn")).to_contain_text("It’s your turn.")
        make_a_move(page, scripted=scripted[seat])
    assert turn > by_hand[-1] or LONG
    now = fresh(game)
    assert now.status == Game.Status.FINISHED
    assert now.scores is not None
    for page in pages:
        page.goto(table(game))
        expect(page.get_by_role("heading", name="Final score")).to_be_visible()
        for score in now.scores:
            expect(page.locator(".score", has_text=re.compile(rf"^{score}$")).first).to_be_visible()


def test_a_move_by_clicks_on_the_board_alone(enter: Enter, alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    page = enter(alice, reduced_motion="no-preference")
    page.goto(table(game))
    page.locator("#board a[id^=figure-0-]").first.click()
    expect(page.locator("#board a.chosen[id^=figure-0-]")).to_have_count(1)
    page.locator("#board a[id^=space-], #board a#mainland").first.click()
    expect(page.locator("#board a.chosen[id^=space-], #board a#mainland.chosen")).to_have_count(1)
    expect(page).to_have_url(re.compile("landing="))
    page.get_by_role("button", name="Confirm move").click()
    expect(page.get_by_text("Your move has been made.")).to_be_visible()
    assert len(log_of(game).moves) == 2


def test_a_move_with_the_keyboard_alone(enter: Enter, alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    page = enter(alice)
    page.goto(table(game))

    def tab_to(selector: str, most: int = 120) -> None:
        for _press in range(most):
            if page.evaluate("(s) => document.activeElement.matches(s)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not come to {selector}")

    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to main content")).to_be_focused()
    page.keyboard.press("Enter")
    tab_to("#board a[id^=figure-0-]")
    page.keyboard.press("Enter")
    expect(page.locator("#orders input[name=figure]:checked")).to_have_count(1)
    tab_to("#orders input[name=landing]")
    page.keyboard.press("Space")
    expect(page.locator("#confirm")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#orders input[name=landing]").nth(1)).to_be_checked()
    expect(page.locator("#orders input[name=landing]").nth(1)).to_be_focused()
    tab_to("#confirm")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your move has been made.")).to_be_visible()


def test_arrow_keys_step_through_the_game(enter: Enter, alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 3)
    seq = log_of(game).moves[2][-1].seq  # after the setup
    page = enter(bob)
    page.goto(table(game, f"at/{seq}/"))
    for key, number in (("ArrowLeft", 1), ("ArrowRight", 2)):
        expect(page.locator("html.js")).to_be_attached()  # the scripts run
        page.keyboard.press(key)
        expect(page.locator(".turn")).to_contain_text(f"Position after move {number} of 3")


def test_two_tabs_one_move(enter: Enter, alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    first = enter(alice)
    first.goto(table(game))
    for question in ("figure", "landing"):
        answer(first, question)
    expect(first.locator("#confirm")).to_be_visible()
    second = first.context.new_page()
    for what in ("**/version", "**/events/**"):  # it would follow the first
        second.route(what, lambda route: route.abort())
    second.goto(first.url)
    for tab in (first, second):
        tab.get_by_role("button", name="Confirm move").click()
    expect(first.get_by_text("Your move has been made.")).to_be_visible()
    expect(second.get_by_text("This move had already been made.")).to_be_visible()
    assert len(log_of(game).moves) == 2
