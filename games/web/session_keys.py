"""A new session key with every proof of identity, so that an older key never gains rights.

Django changes the key when somebody signs in. allauth reports every other step, such as the code of
a second factor in a session that is signed in already.
"""

from typing import Any

from allauth.usersessions.models import UserSession
from django.http import HttpRequest


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
