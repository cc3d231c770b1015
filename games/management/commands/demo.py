"""Create a user and a game in which it is their turn."""

import json
from typing import Any

from allauth.account.models import EmailAddress
from django.core.management.base import BaseCommand
from django.urls import reverse

from games import services
from games.models import Game, TableSettings, User

ADDRESS = "demo@example.org"
NAME = "A first voyage"
KIND = "atlantis"


class Command(BaseCommand):
    help = "Creates the demo user and a game of Atlantis with two bots; prints both as JSON."

    def handle(self, *args: Any, **options: Any) -> None:
        user = demo_user()
        game = demo_game(user)
        services.game_play_bots(game_id=game.pk)
        game.refresh_from_db()
        seat = game.seats.get(user=user)
        self.stdout.write(
            json.dumps(
                {
                    "path": reverse("game", args=[game.public_id]),
                    "email": user.email,
                    "table": game.name,
                    "your_turn": seat.number in game.to_act,
                }
            )
        )


def demo_user() -> User:
    """Return the demo user, with a verified address, because nobody can read its email."""
    user = User.objects.filter(email__iexact=ADDRESS).first() or User.objects.create_user(
        ADDRESS, display_name="Robin"
    )
    EmailAddress.objects.get_or_create(
        user=user, email=ADDRESS, defaults={"verified": True, "primary": True}
    )
    return user


def demo_game(user: User) -> Game:
    """Return the user's newest running game, or a new one, which starts at once."""
    running = Game.objects.filter(host=user, kind=KIND, status=Game.Status.RUNNING)
    return running.order_by("-pk").first() or services.game_create(
        host=user,
        kind=KIND,
        name=NAME,
        settings=TableSettings(seat_count=3, is_open=False),
        bots=2,
    )
