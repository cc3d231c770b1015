"""Names of people and tables without a space widen no page beyond its window."""

import pytest

from games import services
from games.models import Game, User
from games.web.players import player_url
from tests.factories import fresh, given_up, play_to_the_end, play_turns, table_of

from .audits import look
from .expectations import expect
from .people import Enter, table

TABLE = "Donaudampfschifffahrtsgesellschaftskapitaensmuetzenabzeichen"
HOST = "W" * 40  # the most that a name can have
LAST = "Rindfleischetikettierungsueberwachungsaufgabenuebertragungsg"


def named(user: User, name: str) -> None:
    user.display_name = name[:40]
    user.save()


@pytest.mark.long
def test_names_of_60_letters_widen_no_page(enter: Enter, alice: User, bob: User) -> None:
    named(alice, HOST)
    named(bob, LAST)
    assert len(TABLE) == len(LAST) == Game._meta.get_field("name").max_length
    waiting = table_of(alice, bob, seats=4, name=TABLE)
    services.game_invite(game_id=waiting.pk, by=alice, address="zoe@example.net")
    invited = table_of(bob, seats=3, name=LAST, is_open=False)
    services.game_invite(game_id=invited.pk, by=bob, address=alice.email)
    running = play_turns(table_of(alice, bob, name=TABLE), 3)
    over = given_up(alice, bob, name=TABLE)
    cancelled = cancelled_table(alice)
    page = enter(alice)
    for path in (
        "/",
        "/tables/",
        "/tables/?show=running",
        "/tables/?show=finished",
        "/new/",
        *(table(game) for game in (waiting, running, over, cancelled)),
        f"/i/{invited.invite_token}/",
        player_url(alice),
        "/settings/",
        "/settings/absences/",
    ):
        look(page, path, audit=False)
    stranger = enter(None)
    for path in ("/", table(waiting), table(running), f"/i/{waiting.invite_token}/"):
        look(stranger, path, audit=False)


def cancelled_table(host: User) -> Game:
    game = table_of(host, seats=3, name=TABLE)
    services.game_leave(game_id=game.pk, user=host)
    return fresh(game)


@pytest.mark.parametrize("language", ["de", "fr"])
def test_a_row_of_a_finished_game_breaks_no_score(
    enter: Enter, alice: User, bob: User, carol: User, dave: User, language: str
) -> None:
    for user, name in ((alice, "Ferdinand"), (bob, "Emmanuelle"), (carol, "Maximilian")):
        named(user, name)
    circle = services.circle_create(founder=alice, name="Sunday table")
    for user in (bob, carol, dave):
        services.circle_join(token=circle.join_token, user=user)
    game = play_to_the_end(table_of(alice, bob, carol, dave, circle_id=circle.pk))
    alice.language = language
    alice.save()
    page = enter(alice, viewport={"width": 360, "height": 740})
    page.goto(f"/circles/{circle.public_id}/")
    for seat, score in enumerate(fresh(game).scores or ()):
        shown = page.locator(f".game-row .seat-{seat} strong")
        expect(shown).to_have_text(str(score))
        assert shown.evaluate("one => one.clientHeight") < 35, "one line"
