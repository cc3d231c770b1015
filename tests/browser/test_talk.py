"""The messages on the page of a table: in each language, on a telephone, without JavaScript."""

import re
from datetime import timedelta

import pytest
from django.db.models import F

from games import services
from games.models import Game, Message, User
from tests.factories import play_one, table_of
from tests.support.emails import Kind, prefer, row_for, written
from tests.support.lengths import by_length

from .audits import check, look
from .expectations import expect
from .people import Enter, table


def talk_at(game: Game, alice: User, bob: User) -> None:
    for user, words in (
        (alice, "Nice move, Bob!\nSee https://example.org/" + "x" * 90),
        (bob, "gg"),
    ):
        services.message_write(game_id=game.pk, user=user, text=words)


@pytest.mark.long
@pytest.mark.parametrize("language", by_length(["de"], ["en", "de", "fr"]))
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
    waiting = table_of(alice, bob, seats=3)
    talk_at(waiting, alice, bob)
    look(page, table(waiting), dark=True)


@pytest.mark.long
@pytest.mark.parametrize("language", by_length(["de"], ["en", "de", "fr"]))
def test_emails_with_messages_and_votes_fit_and_axe_finds_nothing(
    enter: Enter, alice: User, bob: User, language: str
) -> None:
    bob.language = language
    bob.save()
    game = table_of(alice, bob)
    play_one(game)
    prefer(bob, modes={"talk": "gather"})
    services.vote_open(game_id=game.pk, user=alice, about="take_back")
    talk_at(game, alice, bob)
    Message.objects.update(at=F("at") - timedelta(minutes=3))
    page = enter(bob)
    for kind, words in ((Kind.TALK, "Nice move, Bob!"), (Kind.VOTE, "Alice")):
        mail = written(row_for(game, kind, bob))
        page.goto("about:blank")
        # A landmark, which a mail program has around the email.
        page.set_content(
            re.sub(
                "(<body[^>]*>)(.*)</body>", r"\1<main>\2</main></body>", mail.html, flags=re.DOTALL
            )
        )
        expect(page.locator("body")).to_contain_text(words)
        check(page, dark=True)


@pytest.mark.parametrize("width", [360, 1920])
def test_a_message_counts_until_it_was_in_the_window(
    enter: Enter, alice: User, bob: User, width: int
) -> None:
    game = table_of(alice, bob)
    for number in range(9):
        services.message_write(game_id=game.pk, user=alice, text=f"Line {number}\n" * 9)
    page = enter(bob, viewport={"width": width, "height": 740})
    page.goto(table(game))
    count = page.locator(".counts a")
    expect(count).to_have_text("9 new messages")
    expect(count).to_be_in_viewport()
    expect(page).to_have_title(re.compile(r"^\(9\) "))
    count.click()
    expect(page.locator("#unread")).to_be_in_viewport()
    expect(count).to_be_visible()
    last = page.locator("#talk .line").last
    key = (last.get_attribute("id") or "")[1:]
    with page.expect_response(lambda answer: key in (answer.request.post_data or "")):
        last.scroll_into_view_if_needed()
    expect(count).to_have_count(0)
    expect(page).not_to_have_title(re.compile("[(]"))
    page.reload()
    expect(page.locator("#unread")).to_have_count(0)


def test_messages_are_marked_as_read_without_javascript(
    enter: Enter, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    services.message_write(game_id=game.pk, user=alice, text="Hello Bob")
    page = enter(bob, java_script_enabled=False)
    page.goto(table(game))
    page.get_by_role("button", name="Mark as read").click()
    expect(page.locator("#talk .line")).to_contain_text("Hello Bob")
    expect(page.locator("#unread, .counts")).to_have_count(0)


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
