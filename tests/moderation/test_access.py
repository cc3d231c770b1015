"""Who gets which answer at each address: a table with a line for every route and method.

The routes come from the URL configuration, so a new one without a line fails. `access.txt` beside
this file is the table. Run this file with ACCESS_TABLE=write to write it anew, and read the
difference: each changed cell is a change of somebody's rights.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django.plugin import DjangoDbBlocker

from tests.support.roles import Site
from tests.support.shared_rows import shared_rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("replies"),
    pytest.mark.filterwarnings("ignore::anymail.exceptions.AnymailNotSupportedWarning"),
]

TABLE = Path(__file__).with_name("access.txt")
ROLES = (
    "visitor",
    "signed in",
    "player",
    "host",
    "moderator",
    "playing moderator",
    "administrator",
    "suspended",
)
HEAD = f"# {', '.join(ROLES)}\n"
# Their answers are about signatures and bodies, not about people.
NOT_ABOUT_PEOPLE = ("anymail/", "hooks/")


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[str]:
    """Every route of the site, as Django writes it."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from routes(pattern, route)


@pytest.fixture(scope="module")
def site(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    with shared_rows(django_db_blocker, Site) as made:
        yield made


def lines(site: Site) -> list[str]:
    """The lines of the table as the site answers now."""
    found = []
    for route in dict.fromkeys(routes()):
        if route.startswith(NOT_ABOUT_PEOPLE):
            continue
        for method in ("get", "post"):
            path = site.path(route)
            answers = [site.answer(ROLES[0], method, path)]
            if answers == ["405"]:  # for nobody
                continue
            answers += [site.answer(role, method, path) for role in ROLES[1:]]
            found.append(f"{method:<5}{route or '(home)'}  {' '.join(answers)}")
    return found


def test_each_role_gets_the_answer_of_the_table_at_each_address(site: Site) -> None:
    found = lines(site)
    if os.environ.get("ACCESS_TABLE") == "write":
        TABLE.write_text(HEAD + "\n".join(found) + "\n")
    known = TABLE.read_text().splitlines()[1:]
    new = sorted(set(found) - set(known))
    gone = sorted(set(known) - set(found))
    assert (new, gone) == ([], []), "not as in access.txt"


def test_somebody_who_is_suspended_gets_the_answers_of_a_visitor() -> None:
    for line in TABLE.read_text().splitlines()[1:]:
        answers = line[5:].partition("  ")[2].split()
        assert answers[ROLES.index("suspended")] == answers[ROLES.index("visitor")], line


def test_no_page_of_the_admin_opens_for_players() -> None:
    for line in TABLE.read_text().splitlines()[1:]:
        route, _space, answers = line[5:].partition("  ")
        if route.startswith("admin/"):
            assert set(answers.split()[:4]) <= {"sign-in", "403", "404", "302"}, line
            assert answers.split()[1] == answers.split()[2] == answers.split()[3], line


def test_no_request_of_the_table_fails() -> None:
    lines = TABLE.read_text().splitlines()
    assert [x for x in lines if re.search(r" 5\d\d\b", x) and " readyz " not in x] == []
