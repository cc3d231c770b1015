"""What the desk says reads right in French, the language with the most rules of writing."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from django.urls import reverse
from django.utils.text import capfirst
from pytest_django.plugin import DjangoDbBlocker

from games.models import User
from tests.support.languages import readable
from tests.support.pages import text
from tests.support.roles import Site
from tests.support.shared_rows import shared_rows
from tests.support.translation_style import misfits

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("replies"),
    pytest.mark.filterwarnings("ignore::anymail.exceptions.AnymailNotSupportedWarning"),
]


@pytest.fixture(scope="module")
def site(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    def french() -> Site:
        made = Site()
        User.objects.update(language="fr")
        return made

    with shared_rows(django_db_blocker, french) as made:
        yield made


def desk(site: Site, role: str) -> Iterator[tuple[str, str]]:
    """(path, words) of each page of the desk to which links lead from the first one."""
    client, waiting, seen = site.clients[role], ["/admin/"], set[str]()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        html = text(client.get(path, follow=True))
        links = map(unescape, re.findall(r'href="(/admin/[^"#?]*)"', html))
        waiting += [link for link in links if "password" not in link]
        yield path, unescape(readable(re.sub(r"<code>.*?</code>", "", html)))


@pytest.mark.parametrize("role", ["moderator", "administrator"])
def test_each_page_of_the_desk_is_good_french(site: Site, role: str) -> None:
    found = {path: misfits(words, "fr") for path, words in desk(site, role)}
    assert len(found) > 30
    assert {path: said for path, said in found.items() if said} == {}


def test_a_filter_has_its_name_and_no_word_before_it(site: Site) -> None:
    client = site.clients["administrator"]
    for model in ("decision", "appeal", "report", "user", "game", "outboxmail", "inboundmail"):
        listed = text(client.get(reverse(f"admin:games_{model}_changelist")))
        named = re.findall(r'data-filter-title="([^"]*)"[^>]*>\s*<summary>\s*(.*?)\s*<', listed)
        assert named, model
        assert [(title, said) for title, said in named if capfirst(title) != said] == []
