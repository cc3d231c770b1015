"""Browsers of staff who have proved their second factor, as the admin requires."""

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.http import HttpRequest
from django.test import Client

from games.models import User

SECRET = "JBSWY3DPEHPK3PXP"


def give_factor(user: User) -> Authenticator:
    """The user's authenticator app; a new one where there is none."""
    factor, _made = Authenticator.objects.get_or_create(
        user=user, type=Authenticator.Type.TOTP, defaults={"data": {"secret": SECRET}}
    )
    return factor


def prove_factor(client: Client, user: User) -> None:
    """The session of this signed-in browser has just entered the code of the user's app."""
    factor = give_factor(user)
    request = HttpRequest()
    request.session = client.session
    record_authentication(
        request, user, "mfa", id=factor.pk, type=factor.type, reauthenticated=True
    )
    request.session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = str(request.session.session_key)


def prove_code(client: Client, user: User) -> None:
    """The session of this signed-in browser has just entered a code that came by email."""
    request = HttpRequest()
    request.session = client.session
    record_authentication(request, user, "code", email=user.email)
    request.session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = str(request.session.session_key)


def moderating(user: User, client: Client | None = None) -> Client:
    """A browser in which this member of staff can use the admin."""
    client = client or Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    prove_factor(client, user)
    return client
