"""Every route that answers a moderator with a page of its own, in every shape; in the long form
only."""

import re

import pytest

from games import services
from games.models import User
from games.web.players import player_url
from tests.browser.audits import look
from tests.factories import play_turns, table_of
from tests.support.moderators import moderating
from tests.support.url_walk import every_url

from .people import Enter


@pytest.mark.long
def test_whatever_url_is_a_page(enter: Enter, mona: User, alice: User, bob: User) -> None:
    """axe looks at the pages of rows in the admin in test_admin_pages."""
    mona.is_superuser = True
    mona.save()
    game = play_turns(table_of(alice, bob), 3)
    samples = {"public_id": game.public_id, "kind": game.kind, "object_id": str(game.pk)}
    samples |= {"key": player_url(alice).split("/")[2], "seq": str(game.version)}
    circle = services.circle_create(founder=mona, name="Sunday table")
    samples |= {"circle_id": circle.public_id}
    client = moderating(mona)
    answers = ((path, client.get(path)) for path in sorted(set(every_url(samples))))
    pages = [
        path
        for path, found in answers
        if found.status_code == 200 and found.headers["Content-Type"].startswith("text/html")
        if not re.match("/admin/games/.*/(add|change|delete|password)/", path)
        if not path.endswith("/html")
    ]
    assert len(pages) > 30
    page = enter(mona)
    for path in pages:
        look(page, path)
