"""A transaction's locks delay only transactions that change the same row."""

import threading

import pytest
from django.db import connection, connections, transaction

from games import services
from games.models import Game, OutboxMail, Seat, User
from games.services.locked_game import LockedGame
from tests.factories import table_of

pytestmark = pytest.mark.django_db(transaction=True)


def unsubscribe(game: Game, user: User) -> list[Exception]:
    """Follow the link that ends the emails of a game, on another connection; what went wrong."""
    errors: list[Exception] = []

    def follow() -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '3s'")
            services.game_mail_switch(game_id=game.pk, user=user, off=True, by_link=True)
        except Exception as error:  # noqa: BLE001 (the test reads it)
            errors.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=follow)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    return errors


def test_an_email_about_a_table_is_queued_while_a_move_is_made_there(
    alice: User, bob: User
) -> None:
    """Its row refers to the game, and the move changes no key of it. Otherwise each could wait for
    the other: the move for Bob's seat, the email for the game."""
    game = table_of(alice, bob)
    with transaction.atomic():
        LockedGame(game.pk)
        assert unsubscribe(game, bob) == []
    assert Seat.objects.get(game=game, user=bob).mails_off
    assert OutboxMail.objects.filter(game=game, user=bob, kind="unsubscribed").exists()


def test_an_email_to_a_user_is_queued_while_their_settings_are_saved(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    with transaction.atomic():
        services.all_mail_switch(user=bob, off=True)
        assert unsubscribe(game, bob) == []
