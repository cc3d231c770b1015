"""The link of a turn email, and a browser in which it was used."""

import re
from typing import Any

from django.test import Client

from games.mail import signed_links
from games.models import Game, Seat, User
from tests.support.emails import Kind, row_for, written
from tests.support.pages import text, url


def turn_link(game: Game, user: User) -> str:
    """The path of the link in the last turn email to this person."""
    found = re.search(
        r"http://127.0.0.1:8000(/t/\S+)", written(row_for(game, Kind.TURN, user)).text
    )
    assert found is not None
    return found[1]


def turn_link_browser(game: Game, user: User, **options: Any) -> Client:
    """A browser in which somebody pressed the button behind the link of this turn."""
    client = Client(**options)
    seat = Seat.objects.get(game=game, user=user)
    assert seat.asked_seq is not None
    link = signed_links.turn_path(game.public_id, seat.number, seat.asked_seq, user)
    answer = client.post(link)
    assert answer.headers["Location"] == url(game, "#orders")
    return client


def only_watches(client: Client, game: Game) -> bool:
    """Return whether the page shows neither a form nor the player's own hand."""
    page = text(client.get(url(game)))
    return not re.search(r'id="orders"|class="my-hand"|Playing as', page)
