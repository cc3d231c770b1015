"""`manage.py make_admin`, and the one-time link with which an administrator connects an app."""

import re
from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from django.core.management import CommandError
from django.test import Client
from django.utils import timezone

from games.models import OutboxMail, User
from tests.support.accounts import CODE_PAGE, FACTOR, app_code, recovery_codes_on, sent_code
from tests.support.moderators import enrolment_link, give_factor, make_admin
from tests.support.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

ADDRESS = "root@example.org"


def begin(client: Client, link: str) -> tuple[str, str]:
    """(the secret for the app, as the page signed it) after pressing the button."""
    page = text(client.post(link))
    secret = re.search(r'id="authenticator_secret" value="(\w+)"', page)
    signed = re.search(r'name="secret" value="([^"]+)"', page)
    assert secret and signed, page
    return secret[1], signed[1]


def enrol(link: str) -> str:
    """Connect an app by the link; the app's secret."""
    client = Client()
    secret, signed = begin(client, link)
    answer = client.post(link, {"secret": signed, "code": app_code(secret)})
    assert "The app is connected" in text(answer)
    return secret


def test_a_mistyped_address_with_a_lost_second_factor_makes_nobody_an_administrator() -> None:
    with pytest.raises(CommandError, match=r"No account has the address rot@example\.org"):
        make_admin("rot@example.org", "--lost-second-factor")
    assert not User.objects.filter(email="rot@example.org").exists()


def test_the_first_administrator_comes_from_the_command_line_into_the_admin() -> None:
    secret = enrol(enrolment_link(make_admin(ADDRESS)))
    client = Client()
    client.post("/accounts/login/?next=/admin/", {"login": ADDRESS, "next": "/admin/"})
    client.post(CODE_PAGE, {"code": sent_code(ADDRESS)})
    client.post(f"{FACTOR}authenticate/", {"code": app_code(secret)})
    assert client.get("/admin/games/user/").status_code == 200


def test_the_link_signs_nobody_in_and_does_nothing_before_the_button() -> None:
    link, client = enrolment_link(make_admin(ADDRESS)), Client()
    page = client.get(link)
    assert "authenticator_secret" not in text(page)
    assert page["Cache-Control"] == "no-store"
    assert page["Referrer-Policy"] == "strict-origin"
    secret, signed = begin(client, link)
    assert not Authenticator.objects.exists()
    client.post(link, {"secret": signed, "code": app_code(secret)})
    for path in ("/settings/", "/admin/", "/accounts/email/", FACTOR):
        assert client.get(path).status_code == 302, path
    assert "_auth_user_id" not in client.session


def test_the_recovery_codes_are_shown_once_and_work() -> None:
    link, client = enrolment_link(make_admin(ADDRESS)), Client()
    secret, signed = begin(client, link)
    page = text(client.post(link, {"secret": signed, "code": app_code(secret)}))
    codes = recovery_codes_on(page)
    assert len(codes) == 10
    assert recovery_codes_on(text(client.get(link))) == []
    for expected in (200, 302):
        browser = Client()
        browser.post("/accounts/login/", {"login": ADDRESS})
        browser.post(CODE_PAGE, {"code": sent_code(ADDRESS)})
        browser.post(f"{FACTOR}authenticate/", {"code": codes[0]})
        assert browser.get("/settings/").status_code == expected


def test_the_link_works_once() -> None:
    link = enrolment_link(make_admin(ADDRESS))
    enrol(link)
    for answer in (Client().get(link), Client().post(link)):
        assert answer.status_code == 410
    Authenticator.objects.all().delete()
    assert Client().get(link).status_code == 410, "not even when the app is gone again"


def test_the_link_works_for_a_day() -> None:
    link = enrolment_link(make_admin(ADDRESS))
    with time_machine.travel(timezone.now() + timedelta(hours=23), tick=False):
        assert Client().get(link).status_code == 200
    with time_machine.travel(timezone.now() + timedelta(hours=25), tick=False):
        assert Client().get(link).status_code == 410


def test_a_new_link_replaces_the_old_one() -> None:
    old, new = enrolment_link(make_admin(ADDRESS)), enrolment_link(make_admin(ADDRESS))
    assert Client().get(old).status_code == 410
    assert Client().get(new).status_code == 200


def test_a_link_for_somebody_else_and_a_forged_one_open_nothing(mona: User) -> None:
    link = enrolment_link(make_admin(ADDRESS))
    token = link.strip("/").rpartition("/")[2]
    root = User.objects.get(email=ADDRESS)
    for forged in (
        token.replace(f"{root.pk}:", f"{mona.pk}:", 1),
        token[:-1] + ("A" if token[-1] != "A" else "B"),
        "x",
        "9" * 30 + ":x:y",
        f"{root.pk}",
    ):
        assert Client().get(f"/enrol/{forged}/").status_code == 410
        assert Client().post(f"/enrol/{forged}/").status_code == 410


def test_a_wrong_code_connects_nothing_and_the_same_picture_is_shown_again() -> None:
    link, client = enrolment_link(make_admin(ADDRESS)), Client()
    secret, signed = begin(client, link)
    wrong = "000000" if app_code(secret) != "000000" else "111111"
    page = client.post(link, {"secret": signed, "code": wrong})
    assert page.status_code == 422
    assert "That code is wrong." in text(page)
    assert secret in text(page)
    assert not Authenticator.objects.exists()


def test_a_secret_that_the_page_did_not_make_is_not_taken() -> None:
    link, client = enrolment_link(make_admin(ADDRESS)), Client()
    secret, _signed = begin(client, link)
    client.post(link, {"secret": secret, "code": app_code(secret)})
    assert not Authenticator.objects.exists()


def test_somebody_with_an_account_keeps_it_and_is_signed_out_everywhere(alice: User) -> None:
    client = signed_in(alice)
    enrol(enrolment_link(make_admin("Alice@Example.org")))
    alice.refresh_from_db()
    assert alice.is_superuser and alice.is_staff
    assert User.objects.count() == 1
    assert client.get("/settings/").status_code == 302


def test_somebody_with_a_second_factor_gets_no_link_unless_it_is_lost(mona: User) -> None:
    give_factor(mona)
    assert "/enrol/" not in make_admin(mona.email)
    assert Authenticator.objects.filter(user=mona).exists()
    enrol(enrolment_link(make_admin(mona.email, "--lost-second-factor")))
    assert Authenticator.objects.filter(user=mona, type="totp").count() == 1


def test_the_link_ends_with_the_rights() -> None:
    link = enrolment_link(make_admin(ADDRESS))
    User.objects.update(is_staff=False)
    assert Client().get(link).status_code == 410


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(CommandError, match="Enter a valid email address"):
        make_admin("root")
    assert not User.objects.exists()
    assert not OutboxMail.objects.exists()
