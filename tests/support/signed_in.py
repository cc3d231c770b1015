"""Sessions of users, as cookies."""

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.middleware.csrf import _get_new_csrf_string
from django.utils import timezone
from django.utils.crypto import get_random_string

from games.models import User

CSRF = _get_new_csrf_string()  # of forms that these users post


def cookies_of(users: Iterable[User]) -> dict[int, str]:
    """A new session for each of these users: the value of the header, by pk."""
    store = SessionStore()
    sessions = {
        user.pk: Session(
            session_key=get_random_string(32, "abcdefghijklmnopqrstuvwxyz0123456789"),
            session_data=store.encode(
                {
                    SESSION_KEY: str(user.pk),
                    BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[0],
                    HASH_SESSION_KEY: user.get_session_auth_hash(),
                }
            ),
            expire_date=timezone.now() + timedelta(seconds=settings.SESSION_COOKIE_AGE),
        )
        for user in users
    }
    Session.objects.bulk_create(sessions.values())
    name, csrf = settings.SESSION_COOKIE_NAME, f"{settings.CSRF_COOKIE_NAME}={CSRF}"
    return {pk: f"{name}={session.session_key}; {csrf}" for pk, session in sessions.items()}
