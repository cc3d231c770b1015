"""The submitted form of somebody who is not signed in, in a signed cookie of their own browser.

In a session, it would be a row that anybody can make.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

COOKIE = settings.SESSION_COOKIE_NAME.replace("sessionid", "form")
SALT = "games.web.form_cookie"
MAX_AGE = 3600  # seconds
MAX_LENGTH = 3500  # characters; browsers keep cookies of 4096 bytes, with name and attributes

Page = Callable[[HttpRequest], HttpResponse]


def keep(request: HttpRequest, saved: dict[str, Any]) -> bool:
    """Keep this in the browser, in place of anything earlier. Returns whether it fits."""
    value = signing.dumps(saved, salt=SALT, compress=True)
    if len(value) > MAX_LENGTH:
        return False
    request.COOKIES[COOKIE] = value
    return True


def kept(request: HttpRequest) -> dict[str, Any] | None:
    """Return the form kept in this browser, or None."""
    try:
        found: dict[str, Any] = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=MAX_AGE
        )
    except signing.BadSignature:
        return None
    return found


def forget(request: HttpRequest) -> None:
    """Remove what is kept."""
    request.COOKIES.pop(COOKIE, None)


def form_cookie(get_response: Page) -> Page:
    """Middleware: bring the browser what `keep` and `forget` have changed."""

    def middleware(request: HttpRequest) -> HttpResponse:
        before = request.COOKIES.get(COOKIE)
        response = get_response(request)
        after = request.COOKIES.get(COOKIE)
        if after is None and before is not None:
            response.delete_cookie(COOKIE, samesite="Lax")
        elif after is not None and after != before:
            response.set_cookie(
                COOKIE,
                after,
                max_age=MAX_AGE,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return middleware
