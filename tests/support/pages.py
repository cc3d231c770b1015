"""Pages of the site as a test client gets them, and what is on them."""

import re
from html import unescape
from typing import Any

from django.test import Client

from games.models import Game, User


def text(response: object) -> str:
    """The HTML of a page, or the text of whatever else it is."""
    return response.content.decode(errors="replace")  # type: ignore[attr-defined, no-any-return]


def signed_in(user: User) -> Client:
    """A browser in which this user is signed in."""
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def new_table(client: Client, **more: object) -> Game:
    """The table that the form for new tables creates with these answers."""
    data = {
        "name": "Sunday evening",
        "seat_count": 3,
        "bots": 0,
        "pace_days": 5,
        "is_open": "link",
        "resign_policy": "end",
        "timeout_policy": "seat1",
        "option_order": "seated",
        **more,
    }
    answer = client.post("/new/?game=atlantis", data)
    assert answer.status_code == 302, text(answer)
    return Game.objects.get(public_id=answer["Location"].split("/")[2])


def url(game: Game, rest: str = "") -> str:
    """The path of a table, or of something below it."""
    return f"/g/{game.public_id}/{rest}"


def page_of(game: Game, user: User, rest: str = "") -> str:
    """The page of a table as this user sees it."""
    return text(signed_in(user).get(url(game, rest)))


def board_links(page: str, pattern: str) -> list[str]:
    """The addresses of the board elements whose id begins like this."""
    return [unescape(href) for href in re.findall(rf'<a id="{pattern}[^>]*href="([^"]*)"', page)]


def hidden_field(page: str, name: str) -> str:
    """The value of a hidden field of the page."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, f"no field {name}"
    return unescape(found[1])


def complete_move(game: Game, user: User) -> tuple[str, dict[str, str]]:
    """(page, form) of a complete move, found by following the board's own links."""
    client = signed_in(user)
    page = text(client.get(url(game)))
    for pattern in ("figure-", "(?:space|mainland)"):
        if 'id="preview"' in page:
            break
        page = text(client.get(board_links(page, pattern)[0]))
    return page, {"line": hidden_field(page, "line"), "version": hidden_field(page, "version")}


def repeatable(response: Any) -> str:
    """The page without what differs from one request to the next."""
    return re.sub(r'csrfmiddlewaretoken" value="\w+"|seconds": [\d.]+', "", text(response))
