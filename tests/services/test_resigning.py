"""Players who have resigned keep the game among theirs, and hear how it ended."""

import pytest

from games import selectors, services
from games.mail.relevance import check_before_send
from games.models import Game, OutboxMail, User
from games.web.players import player_url
from tests.factories import play_to_the_end, table_of
from tests.support.emails import Kind, both_bodies, row_for, written
from tests.support.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]


@pytest.fixture
def left_by_bob(alice: User, bob: User) -> Game:
    """A game that Alice played to its end, and from which Bob resigned."""
    game = table_of(alice, bob, bots=1, name="Sunday evening")
    services.game_resign(game_id=game.pk, user=bob)
    return play_to_the_end(game)


def test_the_game_is_among_the_finished_ones(left_by_bob: Game, bob: User) -> None:
    assert [row.game for row in selectors.home(bob).finished] == [left_by_bob]
    assert "Sunday evening" in text(signed_in(bob).get("/"))


def test_the_game_is_not_among_the_finished_ones_while_it_lasts(alice: User, bob: User) -> None:
    game = table_of(alice, bob, bots=1)
    services.game_resign(game_id=game.pk, user=bob)
    assert selectors.home(bob).finished == ()


def test_a_game_that_ended_by_resigning_is_there_once(alice: User, bob: User) -> None:
    game = table_of(alice, bob, resign_policy="end")
    services.game_resign(game_id=game.pk, user=bob)
    assert [row.game for row in selectors.home(bob).finished] == [game]


def test_its_end_is_told_to_those_who_resigned(left_by_bob: Game, alice: User, bob: User) -> None:
    row = row_for(left_by_bob, Kind.OVER, bob)
    assert not check_before_send(row).drop
    mail = written(row)
    assert f"{left_by_bob.scores[0] if left_by_bob.scores else ''}" in mail.text
    for words in both_bodies(mail):
        assert "Alice" in words
        assert "play again with the same players" in words or "Play again" in words
    assert "/mail/off/kind/" in mail.text
    assert row_for(left_by_bob, Kind.OVER, alice).seat == 0


def test_nobody_hears_twice_of_the_end(alice: User, bob: User) -> None:
    game = table_of(alice, bob, resign_policy="end")
    services.game_resign(game_id=game.pk, user=bob)
    assert OutboxMail.objects.filter(game=game, kind=Kind.OVER, user=bob).count() == 1


def test_a_player_who_had_turned_the_emails_off_hears_nothing(alice: User, bob: User) -> None:
    game = table_of(alice, bob, bots=1)
    services.game_mail_switch(game_id=game.pk, user=bob, off=True)
    services.game_resign(game_id=game.pk, user=bob)
    play_to_the_end(game)
    assert not OutboxMail.objects.filter(game=game, kind=Kind.OVER, user=bob).exists()


def test_players_profile_and_home_say_who_resigned(
    left_by_bob: Game, alice: User, bob: User
) -> None:
    """Also when the game is over."""
    running = table_of(alice, bob, resign_policy="bot", name="Monday")
    services.game_resign(game_id=running.pk, user=bob)
    browser = signed_in(alice)
    for game in (running, left_by_bob):
        assert text(browser.get(f"/g/{game.public_id}/")).count("<small>Bob resigned</small>") == 1
    assert text(browser.get("/")).count("<small>Bob resigned</small>") == 2
    assert text(browser.get(player_url(alice))).count("(bot) (Bob resigned)") == 2


def test_the_news_of_the_others_say_who_resigned(alice: User, bob: User) -> None:
    game = table_of(bob, alice, resign_policy="bot")
    services.game_resign(game_id=game.pk, user=bob)
    services.game_play_bots(game_id=game.pk)
    mail = written(row_for(game, Kind.TURN, alice))
    for words in both_bodies(mail):
        assert "Bob resigned. A bot takes over." in words
