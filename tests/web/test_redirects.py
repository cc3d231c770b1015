"""After a form, `next` leads to any page of this site, and nowhere else."""

from urllib.parse import urlencode

import pytest
from django.test import Client

from games.models import User
from tests.support.accounts import LOGIN, sign_in_at
from tests.support.moderators import moderating
from tests.support.pages import signed_in

pytestmark = pytest.mark.django_db

OTHER_SITES = [
    "https://evil.example/",
    "http://evil.example/",
    "//evil.example/",
    "///evil.example/",
    "////evil.example",
    "/\\evil.example/",
    "\\\\evil.example/",
    "https:evil.example",
    "https:///evil.example/",
    "http://testserver@evil.example/",
    "http://testserver.evil.example/",
    "http://[::1]x/",
    "http://[",
    "//[evil.example/",
    "javascript:alert(1)",
    "data:text/html,x",
    " //evil.example/",
    "\t//evil.example/",
    "\x08//evil.example/",
    "ftp://testserver/",
]
OWN_PAGES = [
    "/",
    "/settings/",
    "/new/?game=atlantis",
    "/g/abcdefghijkl/?place=3&show=a%2Fb#orders",
    "/i/a-token_of.letters~/",
    "/settings/?back=https://evil.example/",
    "/%2F%2Fevil.example/",
    "http://testserver/settings/",
]


def ends_of_forms(target: str, person: User, moderator: User) -> dict[str, str]:
    """Return the redirect of each form with this `next`."""
    form = {"display_name": "Al", "next": target}
    here = urlencode({"next": target})
    return {
        "name": signed_in(person).post("/settings/name/", form)["Location"],
        "sign-in": sign_in_at(Client(), f"{LOGIN}?{here}", person.email),
        "moderation": moderating(moderator).get(f"/admin/login/?{here}")["Location"],
    }


@pytest.mark.parametrize("target", OTHER_SITES)
def test_a_form_leads_to_no_other_site(target: str, alice: User, mona: User) -> None:
    own = {"name": "/", "sign-in": "/", "moderation": "/admin/"}
    assert ends_of_forms(target, alice, mona) == own


@pytest.mark.parametrize("target", OWN_PAGES)
def test_a_form_leads_to_the_page_that_it_names(target: str, alice: User, mona: User) -> None:
    assert set(ends_of_forms(target, alice, mona).values()) == {target}
