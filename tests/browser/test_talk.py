"""The messages on the page of a table: in each language, on a telephone, without JavaScript."""

import pytest

from games import services
from games.models import Game, User
from tests.factories import play_one, table_of

from .audits import look
from .expectations import expect
from .people import Enter, table


def talk_at(game: Game, alice: User, bob: User) -> None:
    for user, words in (
        (alice, "Nice move, Bob!\nSee https://example.org/" + "x" * 90),
        (bob, "gg"),
    ):
        services.message_write(game_id=game.pk, user=user, text=words)


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_the_block_of_messages_fits_every_window_and_axe_finds_nothing(
    enter: Enter, alice: User, bob: User, language: str
) -> None:
    bob.language = language
    bob.save()
    game = table_of(alice, bob)
    talk_at(game, alice, bob)
    page = enter(bob)
    look(page, table(game), dark=True)
    look(page, "/", dark=True)


def test_messages_are_written_without_javascript(enter: Enter, alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    page = enter(bob, java_script_enabled=False)
    page.goto(table(game))
    page.get_by_label("Message to").fill("Hello Alice")
    page.get_by_role("button", name="Send message").click()
    expect(page.locator("#talk .line")).to_contain_text("Hello Alice")


def test_what_is_being_typed_outlives_a_message_of_somebody_else(
    enter: Enter, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    page = enter(bob)
    page.goto(table(game))
    page.get_by_label("Message to").fill("I wanted to say")
    services.message_write(game_id=game.pk, user=alice, text="Hello Bob")
    page.evaluate("dispatchEvent(new Event('online'))")  # the page asks now
    expect(page.locator("#talk .line")).to_contain_text("Hello Bob")
    expect(page.get_by_label("Message to")).to_have_value("I wanted to say")
    play_one(game)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.get_by_label("Message to")).to_have_value("I wanted to say")
