"""The age and keys of sessions.

Sessions end some time after the sign-in, and earlier when they are not used. Each proof of identity
changes the key, so that an older key never gains rights. Django changes it when somebody signs in;
allauth reports every other step, such as the code of a second factor.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse

DAY = 24 * 3600  # seconds
IDLE_DAYS = 45  # between two requests
VISITOR_SECONDS = 3600  # after the last change; a sign-in that has begun takes ten minutes
BEGAN, SEEN = "signed_in_at", "seen_at"  # seconds since 1970, in the session

Page = Callable[[HttpRequest], HttpResponse]

logger = logging.getLogger(__name__)


def on_sign_in(request: HttpRequest, user: Any, **_details: Any) -> None:
    """Receives Django's `user_logged_in`."""
    request.session[BEGAN] = request.session[SEEN] = int(time.time())
    request.session.set_expiry(None)  # as in the settings; until now it was a visitor's
    logger.info("User %s signed in.", user.pk)


def session_age(get_response: Page) -> Page:
    """End sessions that are too old or were not used for too long. Those of visitors, which anybody
    can make, end soon.

    Stores the time of use once a day. A session from before this rule begins with its next request.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            now = int(time.time())
            began, seen = (request.session.get(key, now) for key in (BEGAN, SEEN))
            if now - began > settings.SESSION_COOKIE_AGE or now - seen > IDLE_DAYS * DAY:
                logout(request)
            elif BEGAN not in request.session or now - seen > DAY:
                request.session[BEGAN], request.session[SEEN] = began, now
        response = get_response(request)
        session = request.session
        if session.modified and session.keys() and not request.user.is_authenticated:
            session.set_expiry(VISITOR_SECONDS)
        return response

    return middleware


def on_proof(request: HttpRequest, **_details: Any) -> None:
    """Receives allauth's `authentication_step_completed`."""
    rotate(request)


def rotate(request: HttpRequest) -> None:
    """Change the session key of somebody who is signed in; the list of devices follows."""
    user = getattr(request, "user", None)
    before = request.session.session_key
    if user is None or not user.is_authenticated or before is None:
        return
    request.session.cycle_key()
    UserSession.objects.filter(session_key=before).update(session_key=request.session.session_key)
