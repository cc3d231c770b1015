"""Three friends who have never heard of the service: from the front page to the rematch.

Clicks are counted as people make them, those in a chat and in an email included.
"""

import re
from urllib.parse import urlsplit

import pytest

from games import services
from games.mail.compose import MailComposer
from games.models import Game, OutboxMail
from tests.factories import fresh, log_of, play_one
from tests.support.emails import Kind, read, row_for, written

from .expectations import expect
from .people import Enter, Friend, instant, table

NAMELESS = ("Unnamed player", "Jemand ohne Namen", "Joueur sans nom")


def friend(enter: Enter, name: str, locale: str) -> Friend:
    return Friend(enter(None, locale=locale), name)


@pytest.mark.long
def test_three_friends_from_the_front_page_to_the_rematch(enter: Enter) -> None:
    anna, ben, cleo = (
        friend(enter, name, locale)
        for name, locale in (("Anna", "en-GB"), ("Ben", "de-DE"), ("Cleo", "fr-FR"))
    )
    # Anna creates a table.
    anna.page.goto("/")
    anna.click(anna.page.get_by_role("link", name="Sign in or sign up"))
    anna.sign_in()
    before = anna.clicks
    anna.click(anna.page.get_by_role("link", name="New table").first)
    anna.click(anna.page.get_by_role("button", name=re.compile("^With friends")))
    anna.fill("display_name", anna.name)
    anna.click(anna.page.get_by_role("button", name="Create table"))
    expect(anna.page.get_by_role("heading", name="1 of 3 seats taken")).to_be_visible()
    assert anna.clicks - before == 3
    assert (anna.clicks, anna.fields, anna.emails()) == (6, 3, 1)
    expect(anna.page.get_by_role("button", name="Copy")).to_be_visible()
    link = urlsplit(anna.page.get_by_label("Invitation link").input_value()).path
    # She invites Ben by email, in German, and Cleo in a chat.
    anna.fill("address", ben.address)
    anna.page.locator("[name=language]").select_option("de")
    anna.click(anna.page.get_by_role("button", name="Send invitation"))
    expect(anna.page.get_by_text("An invitation is on its way")).to_be_visible()
    game = Game.objects.get()

    invitation = written(row_for(game, Kind.INVITATION))
    assert "Anna lädt dich" in invitation["Subject"]
    (path,) = set(re.findall(r"https?://[^/]+(/i/\w+/)", invitation.text))
    ben.follow(path)
    ben.join()
    expect(ben.page).to_have_url(re.compile(re.escape(table(game)) + "$"))
    assert (ben.clicks, ben.fields, ben.emails()) == (4, 3, 2)

    cleo.follow(link)
    cleo.join()
    expect(cleo.page).to_have_url(re.compile(re.escape(table(game)) + "$"))
    assert (cleo.clicks, cleo.fields, cleo.emails()) == (4, 3, 1 + 1)  # the code, and the start
    assert fresh(game).status == Game.Status.RUNNING

    # Ben's page shows the game by itself; he moves when it is his turn.
    number = game.seats.get(user=ben.user).number
    while number not in fresh(game).to_act:
        play_one(game)
    ben.page.reload()
    instant(ben.page)
    ben.click("#board a[id^=space-], #board a#mainland")
    ben.click("#confirm")
    expect(ben.page.locator(".messages")).to_be_visible()
    assert log_of(game).last_move(number, ben.user.pk) is not None
    assert ben.clicks <= 6

    # They end the game together, and play again.
    for one in (ben, cleo, anna):
        services.game_resign(game_id=game.pk, user=one.user)
    for one in (anna, ben, cleo):
        one.clicks = 0
    anna.page.goto(table(game))
    anna.click(anna.page.get_by_role("button", name="Play again with the same players"))
    expect(anna.page.get_by_role("heading", name="1 of 3 seats taken")).to_be_visible()
    again = game.rematches.get()
    ben.page.goto("/")
    ben.click(f"form[action^='/i/{again.invitations.get(invitee=ben.user).token}'] [name=accept]")
    expect(ben.page.locator(".seat-list")).to_be_visible()
    cleo.page.goto(table(game))
    cleo.click(f"form[action='{table(game, 'rematch')}'] button")
    expect(cleo.page.locator("#board")).to_be_visible()
    assert [anna.clicks, ben.clicks, cleo.clicks] == [1, 1, 1]
    assert fresh(again).status == Game.Status.RUNNING
    assert {seat.user for seat in again.seats.all()} == {anna.user, ben.user, cleo.user}

    everything_is_for_somebody_with_a_name()


def everything_is_for_somebody_with_a_name() -> None:
    composer = MailComposer()
    for row in OutboxMail.objects.select_related("game", "user"):
        mail = read(bytes(composer.compose(row).message().as_bytes(linesep="\r\n")))
        for words in (mail["Subject"], mail.text, mail.html):
            assert not any(nameless in words for nameless in NAMELESS), f"{row}\n{words}"
