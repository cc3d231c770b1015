"""Sign-in codes, email about addresses, and the second factor of moderators."""

import re

import pytest
from allauth.account.adapter import get_adapter
from allauth.core import context
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.test import Client, RequestFactory
from django.utils import translation

from games.models import OutboxMail, User
from tests.support.accounts import (
    CODE_PAGE,
    FACTOR,
    app_code,
    connect_app,
    connected_app,
    sent_code,
)
from tests.support.emails import written
from tests.support.languages import LANGUAGES, english_in, readable
from tests.support.moderators import prove_code
from tests.support.pages import signed_in, text

pytestmark = pytest.mark.django_db


# -- the sign-in -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["signup/", "login/code/", "password/reset/", "password/change/", "password/set/"]
)
def test_there_is_one_sign_in_page_and_no_password(path: str) -> None:
    answer = Client().get(f"/accounts/{path}?next=/new/")
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/?next=/new/")
    assert Client().post(f"/accounts/{path}", {"email": "x@example.org"}).status_code == 302
    assert not OutboxMail.objects.exists()


def test_a_new_code_replaces_the_old_one() -> None:
    client = Client()
    page = text(client.post("/accounts/login/", {"login": "nora@example.org"}, follow=True))
    assert "Send a new code" in page
    first = sent_code("nora@example.org")
    client.post(CODE_PAGE, {"action": "resend"})
    second = sent_code("nora@example.org")
    assert first != second
    assert "Incorrect code." in text(client.post(CODE_PAGE, {"code": first}))
    assert client.post(CODE_PAGE, {"code": second}).status_code == 302


def test_a_new_account_has_the_time_zone_of_the_browser_and_others_keep_theirs(
    alice: User,
) -> None:
    for address, zone in (
        ("nora@example.org", "America/Halifax"),
        ("otto@example.org", "Mars/Olympus_Mons"),
        (alice.email, "America/Halifax"),
    ):
        Client().post("/accounts/login/", {"login": address, "time_zone": zone})
    zones = dict(User.objects.values_list("email", "time_zone"))
    assert zones["nora@example.org"] == "America/Halifax"
    assert zones["otto@example.org"] == settings.TIME_ZONE
    assert zones[alice.email] == alice.time_zone != "America/Halifax"


# -- emails about it --------------------------------------------------------------------


def account_mail(kind: str, address: str, language: str) -> str:
    """Subject, text and HTML of an email that allauth asks its adapter to send."""
    request = RequestFactory().get("/", HTTP_HOST="127.0.0.1")
    request.user = AnonymousUser()
    with translation.override(language), context.request_context(request):
        get_adapter(request).send_mail(f"account/email/{kind}", address, {})
    mail = written(OutboxMail.objects.get(to_address=address))
    assert mail.text and mail.html
    return f"{mail['Subject']}\n{mail.text}\n{readable(mail.html)}"


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
@pytest.mark.parametrize("kind", ["account_already_exists", "unknown_account"])
def test_an_email_about_an_address_links_to_the_sign_in_page_and_names_no_password(
    kind: str, language: str
) -> None:
    mail = account_mail(kind, "nora@example.org", language)
    assert "nora@example.org" in mail
    assert "/accounts/login/" in mail
    assert not re.search(r"passw|mot de passe|database|Datenbank|example\.com", mail, re.IGNORECASE)
    assert language == "en" or english_in(mail, language) == []


# -- the second factor -----------------------------------------------------------------


def proved(user: User) -> Client:
    """A browser in which this user has just proved their identity by a code."""
    client = signed_in(user)
    prove_code(client, user)
    return client


def test_the_picture_for_the_phone_is_black_on_white_by_night_too(mona: User) -> None:
    page = text(proved(mona).get(f"{FACTOR}totp/activate/"))
    assert re.search(r'<img class="qr" src="data:image/svg\+xml;base64,', page)


def test_a_wrong_code_of_the_app_connects_nothing(mona: User) -> None:
    client = proved(mona)
    client.get(f"{FACTOR}totp/activate/")
    page = text(client.post(f"{FACTOR}totp/activate/", {"code": "000000"}))
    assert "Incorrect code." in page
    assert not Authenticator.objects.exists()


@pytest.mark.usefixtures("still_clock")
@pytest.mark.parametrize(("later", "is_right"), [(-1, False), (0, True), (1, False)])
def test_a_code_of_the_app_works_while_the_app_shows_it(
    mona: User, later: int, is_right: bool
) -> None:
    secret = connected_app(proved(mona))
    client = Client()
    client.post("/accounts/login/", {"login": mona.email})
    client.post(CODE_PAGE, {"code": sent_code(mona.email)})
    client.post(f"{FACTOR}authenticate/", {"code": app_code(secret, later)})
    assert (client.get("/settings/").status_code == 200) is is_right


def test_a_code_of_the_app_works_once(mona: User, still_clock: None) -> None:
    code = app_code(connected_app(proved(mona)))
    found = []
    for client in (Client(), Client()):
        client.post("/accounts/login/", {"login": mona.email})
        client.post(CODE_PAGE, {"code": sent_code(mona.email)})
        client.post(f"{FACTOR}authenticate/", {"code": code})
        found.append(client.get("/settings/").status_code)
    assert found == [200, 302]


def test_with_an_app_the_code_of_the_email_is_not_enough(mona: User) -> None:
    _secret, codes = connect_app(proved(mona))
    client = Client()
    client.post("/accounts/login/", {"login": mona.email})
    page = text(client.post(CODE_PAGE, {"code": sent_code(mona.email)}, follow=True))
    assert "Enter your second code" in page
    assert client.get("/settings/").status_code == 302, "not in yet"
    client.post(f"{FACTOR}authenticate/", {"code": codes[0]})
    assert client.get("/settings/").status_code == 200
    assert "9 of 10 codes left." in text(client.get(FACTOR))


@pytest.mark.usefixtures("still_clock")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_of_the_second_factor_speak_the_readers_language(
    mona: User, language: str
) -> None:
    mona.language = language
    mona.save()
    client = proved(mona)
    pages = [client.get(FACTOR), client.get(f"{FACTOR}totp/activate/")]
    _secret, codes = connect_app(client)
    pages.append(client.get(f"{FACTOR}recovery-codes/generate/", follow=True))
    assert pages[-1].redirect_chain, "a change of credentials asks for a proof by the new factor"
    client.post(f"{FACTOR}reauthenticate/", {"code": codes[0]})
    pages += [
        client.get(f"{FACTOR}{path}")
        for path in ("", "recovery-codes/generate/", "totp/deactivate/")
    ]
    pages.append(client.post(f"{FACTOR}recovery-codes/generate/"))
    for page in pages:
        assert page.status_code == 200
        assert english_in(readable(text(page)), language) == []
        assert not re.search(r"Authenti[cf](?!ator-App)|[Rr]ecovery", readable(text(page)))
