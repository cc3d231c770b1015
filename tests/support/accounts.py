"""Sign-in, authenticator apps and recovery codes, as a test client goes through them."""

import re
from typing import Any
from urllib.parse import urlsplit

from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.test import Client

from games.models import CredentialChange, OutboxMail
from tests.support.pages import text

LOGIN = "/accounts/login/"
CODE_PAGE = f"{LOGIN}code/confirm/"
FACTOR = "/accounts/2fa/"


def sent_code(address: str) -> str:
    """The code in the email that was queued last for this address."""
    mail = OutboxMail.objects.filter(to_address=address, kind="account").latest("pk")
    return str(mail.context["code"])


def app_code(secret: str, later: int = 0) -> str:
    """Return the code of an app with this secret, now or `later` steps of 30 seconds from now.

    A code ends with its step: tests that enter one stop the clock (`still_clock`).
    """
    (counter,) = yield_hotp_counters_from_time()
    return str(format_hotp_value(hotp_value(secret, counter + later)))


def recovery_codes_on(page: str) -> list[str]:
    """The recovery codes that a page shows."""
    return re.findall(r'<li class="code">(\d+)</li>', page)


def connect_app(client: Client) -> tuple[str, list[str]]:
    """Connect an app as its page says; the app's secret and the recovery codes."""
    page = text(client.get(f"{FACTOR}totp/activate/"))
    secret = re.search(r'id="authenticator_secret" value="(\w+)"', page)
    assert secret
    shown = text(client.post(f"{FACTOR}totp/activate/", {"code": app_code(secret[1])}))
    codes = recovery_codes_on(shown)
    assert len(codes) == 10, shown
    return secret[1], codes


def connected_app(client: Client) -> str:
    """The secret of an app that is connected to this account."""
    secret, _codes = connect_app(client)
    return secret


def request_code(client: Client, address: str) -> Any:
    """Ask for a sign-in code; the response."""
    return client.post(LOGIN, {"login": address})


def sign_in(client: Client, address: str) -> None:
    """Sign in with the code from the email."""
    request_code(client, address)
    client.post(CODE_PAGE, {"code": sent_code(address)})


def session_key_of(client: Client) -> str | None:
    return client.session.session_key


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def sign_in_at(client: Client, url: str, address: str) -> str:
    """Sign in at the URL of a redirect with the code from the email; the URL where that leads."""
    client.post(url, {"login": address})
    way_on = urlsplit(url).query
    page = client.post(f"{CODE_PAGE}?{way_on}", {"code": sent_code(address)})
    assert page.status_code == 302
    return str(page["Location"])


def reported_changes() -> dict[str, set[str]]:
    """The addresses to which each kind of change was reported."""
    found: dict[str, set[str]] = {}
    for row in OutboxMail.objects.filter(kind="security"):
        change = CredentialChange.objects.get(pk=row.context["change"])
        found.setdefault(change.kind, set()).add(row.to_address)
    return found
