"""Each link in the admin leads on, for each role that sees it, and no page shows an address."""

import re
from collections.abc import Iterator
from functools import cache
from html import unescape

import pytest
from django.urls import reverse
from pytest_django.plugin import DjangoDbBlocker

from games.models import User
from tests.support.pages import text
from tests.support.roles import Site
from tests.support.shared_rows import shared_rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("replies"),
    pytest.mark.filterwarnings("ignore::anymail.exceptions.AnymailNotSupportedWarning"),
]

MOST = 300  # pages
LED_TO = re.compile(r"/admin/[^?]*(\?table=\d+)?$")
LISTS = ("message", "report")


@pytest.fixture(scope="module")
def site(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    with shared_rows(django_db_blocker, Site) as made:
        yield made


@cache
def pages(site: Site, role: str) -> dict[str, tuple[int, str]]:
    """The pages of the admin to which links lead from its first one and from the page of a table,
    and that one: path → (status, words)."""
    client, found = site.clients[role], dict[str, tuple[int, str]]()
    waiting = ["/admin/", reverse("game", args=[site.samples["public_id"]])]
    while waiting and len(found) < MOST:
        path = waiting.pop(0)
        if path in found:
            continue
        answer = client.get(path, follow=True)
        html = text(answer)
        found[path] = (answer.status_code, html)
        links = (unescape(link) for link in re.findall(r'href="([^"#]+)"', html))
        waiting += (link for link in links if LED_TO.match(link))
    return found


@pytest.mark.parametrize("role", ["moderator", "playing moderator", "administrator"])
def test_every_link_leads_to_a_page_that_the_role_may_see(site: Site, role: str) -> None:
    seen = pages(site, role)
    assert len(seen) > 30
    assert {path: status for path, (status, _html) in seen.items() if status != 200} == {}


@pytest.mark.parametrize("role", ["moderator", "playing moderator", "administrator"])
def test_both_pages_of_a_table_lead_to_its_messages_and_its_reports(site: Site, role: str) -> None:
    key, client = site.rows["game"], site.clients[role]
    lists = [f"{reverse(f'admin:games_{kind}_changelist')}?table={key}" for kind in LISTS]
    admin = reverse("admin:games_game_change", args=[key])
    assert all(path in text(client.get(admin)) for path in lists)
    public = text(client.get(reverse("game", args=[site.samples["public_id"]])))
    assert all(path in public for path in [admin, *lists])


@pytest.mark.parametrize("role", ["player", "host", "visitor"])
def test_the_page_of_a_table_leads_only_moderators_to_the_admin(site: Site, role: str) -> None:
    public = site.clients[role].get(reverse("game", args=[site.samples["public_id"]]))
    assert "/admin/" not in text(public)


@pytest.mark.parametrize("role", ["moderator", "playing moderator"])
def test_no_page_shows_an_address_of_a_player_to_a_moderator(site: Site, role: str) -> None:
    addresses = set(User.objects.values_list("email", flat=True)) | {"zoe@example.org"}
    shown = {
        (path, address)
        for path, (_status, html) in pages(site, role).items()
        for address in addresses
        if address in html
    }
    assert shown == set()
