"""Browsers that have signed in with an address before get its sign-in codes from a share of their
own, which strangers cannot use up.

A signed cookie, which outlives the sign-out, holds keyed digests of the addresses that signed in
last in this browser. It is not a login.
"""

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from games.models import keyed_digest

COOKIE = settings.SESSION_COOKIE_NAME.replace("sessionid", "known")
SALT = "games.web.known_browsers"
MAX_AGE = 365 * 24 * 3600  # seconds since the last sign-in
MOST_ADDRESSES = 6  # a browser that a family shares


def remember(request: HttpRequest, response: HttpResponse, address: str) -> None:
    """Let the browser that gets this response be known for this address."""
    digest = _digest(address)
    others = [known for known in _known(request) if known != digest]
    response.set_cookie(
        COOKIE,
        signing.dumps([digest, *others][:MOST_ADDRESSES], salt=SALT),
        max_age=MAX_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def is_known(request: HttpRequest, address: str) -> bool:
    """Return whether somebody has signed in with this address in this browser."""
    return _digest(address) in _known(request)


def _known(request: HttpRequest) -> list[str]:
    try:
        found: list[str] = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=MAX_AGE
        )
    except signing.BadSignature:
        return []
    return found


def _digest(address: str) -> str:
    return keyed_digest("games.known_browser", address.strip().lower()).hex()[:32]
