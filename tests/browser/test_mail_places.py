"""What an email that asks for a move shows on the first screens of a telephone."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import F
from playwright.sync_api import Browser, Page, ViewportSize

from games import services
from games.models import Game, Message, User
from tests.factories import fresh, play_one, play_turns, table_of
from tests.support.emails import Kind, Read, row_for, written
from tests.support.escape_games import escape_table, play_line

from .mail_gallery import shown

pytestmark = pytest.mark.django_db(transaction=True)

PHONE: ViewportSize = {"width": 360, "height": 740}
LANGUAGES = ("en", "de", "fr")
# CSS pixels from the top of the email: the lowest place at which each part may begin.
LOWEST = {"news": 350, "button": 600, "hand": 740, "board": 1000}
LINES_ABOVE_BOARD = 34  # of the text part
LARGE_PHONE: ViewportSize = {"width": 390, "height": 740}
LOWEST_MESSAGE = 500


def turn_against_two_bots(kind: str, alice: User) -> Game:
    """Alice is asked again, some turns into a game with two bots."""
    game = table_of(alice, bots=2) if kind == "atlantis" else escape_table(alice, bots=2)
    if kind == "escape":
        play_line(game, alice, "plan spread")
    for _turn in range(4):
        play_one(until_asked(game))
    return until_asked(game)


def until_asked(game: Game) -> Game:
    """The bots have played until the person is asked."""
    for _bot in range(60):
        if 0 in fresh(game).to_act:
            return fresh(game)
        services.game_play_bots(game_id=game.pk)
    raise AssertionError("the bots do not come to an end")


def places(page: Page) -> dict[str, float]:
    """Where each part begins."""
    first = {
        "news": page.locator("td[valign=top] + td.ink").first,
        "button": page.locator(".press a").first,
        "hand": page.locator(".hand").first,
        "board": page.locator("img[src*=png][width='400']").first,
    }
    found = {}
    for name, locator in first.items():
        box = locator.bounding_box()
        assert box is not None, f"no {name}"
        found[name] = box["y"]
    return found


def board_line(mail: Read, heading: str) -> int:
    return mail.text.splitlines().index(heading) + 1


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_news_button_hand_and_board_are_on_the_first_screens(
    browser: Browser, alice: User, kind: str
) -> None:
    row = row_for(turn_against_two_bots(kind, alice), Kind.TURN, alice)
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    for language, heading in zip(
        LANGUAGES, ("The board", "Der Spielplan", "Le plateau"), strict=True
    ):
        User.objects.filter(pk=alice.pk).update(language=language)
        mail = written(row)
        page.set_content(shown(mail))
        found = places(page)
        too_low = {name: y for name, y in found.items() if y > LOWEST[name]}
        assert not too_low, (language, found)
        assert list(found.values()) == sorted(found.values())
        assert board_line(mail, heading) <= LINES_ABOVE_BOARD, mail.text
    context.close()


def round_with_a_message(game: Game, alice: User, author: User) -> Game:
    """Alice is to move again; all others have moved, and one of them has written."""
    while 0 in fresh(game).to_act:
        play_one(game)
    services.message_write(game_id=game.pk, user=author, text="Nice one! A rematch next week?")
    Message.objects.update(at=F("at") - timedelta(minutes=3))  # it can no longer be taken back
    while 0 not in fresh(game).to_act:
        play_one(game)
    return fresh(game)


@pytest.mark.parametrize(("make", "turns"), [(table_of, 9), (escape_table, 40)])
def test_messages_stand_below_the_news_on_the_first_screen_of_a_phone(
    browser: Browser,
    alice: User,
    bob: User,
    carol: User,
    make: Callable[..., Game],
    turns: int,
) -> None:
    game = round_with_a_message(play_turns(make(alice, bob, carol), turns), alice, bob)
    row = row_for(game, Kind.TURN, alice)
    context = browser.new_context(viewport=LARGE_PHONE)
    page = context.new_page()
    for language in LANGUAGES:
        User.objects.filter(pk=alice.pk).update(language=language)
        page.set_content(shown(written(row)))
        message = page.locator(".ink.rule").first.bounding_box()
        news = page.locator("td[valign=top] + td.ink:not(.rule)").first.bounding_box()
        button = page.locator(".press a").first.bounding_box()
        assert message is not None
        assert news is not None
        assert button is not None
        assert news["y"] < message["y"] < button["y"]
        assert message["y"] <= LOWEST_MESSAGE, language
    context.close()
