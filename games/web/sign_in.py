"""Signing in: codes that emails bring, the page that asks for the code of a sign-in, the log of
sign-ins and proofs, sessions, and browsers that have signed in before.

Sessions end some time after the sign-in, and earlier when they are not used. Each proof of identity
changes the key, so that an older key never gains rights. Django changes it when somebody signs in;
allauth reports every other step, such as the code of a second factor.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, ClassVar, Self

from allauth.account import app_settings
from allauth.account.adapter import get_adapter
from allauth.account.forms import ConfirmEmailVerificationCodeForm, ConfirmLoginCodeForm
from allauth.account.internal.flows.code_verification import AbstractCodeVerificationProcess
from allauth.account.views import ConfirmLoginCodeView
from allauth.core import context
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import AnonymousUser
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from games.models import User, keyed_digest
from games.services import QuotaExceeded, device_forget, quotas

MAX_AGE = 600  # seconds in which a code works
DAY = 24 * 3600  # seconds
IDLE_DAYS = 45  # between two requests
VISITOR_SECONDS = 3600  # after the last change; a sign-in that has begun takes ten minutes
PUSH_DEVICE = "push_device"  # the digest of this browser's endpoint, in the session
BEGAN, SEEN = "signed_in_at", "seen_at"  # seconds since 1970, in the session
BROWSER_COOKIE = settings.SESSION_COOKIE_NAME.replace("sessionid", "known")
BROWSER_SALT = "games.web.known_browsers"
BROWSER_MAX_AGE = 365 * 24 * 3600  # seconds since the last sign-in
MOST_ADDRESSES = 6  # a browser that a family shares

Page = Callable[[HttpRequest], HttpResponse]

logger = logging.getLogger(__name__)


class CountedTries:
    """Counts each try of a code before it is compared: counters in the session miss tries at one
    moment."""

    def clean_code(self) -> str:
        """The code, if it is right and was not tried too often."""
        form: Any = self
        browser = context.request.session.session_key
        try:
            quotas.spend(quotas.GUESSES, code=f"{browser} {form.expected_code}")
        except QuotaExceeded:
            raise get_adapter().validation_error("too_many_login_attempts") from None
        return str(super().clean_code())  # type: ignore[misc]  # of allauth's form


class CodeForm(CountedTries, ConfirmLoginCodeForm):  # type: ignore[misc]  # allauth is untyped
    """Takes the code of a sign-in, a proof or a restoration."""


class AddressCodeForm(CountedTries, ConfirmEmailVerificationCodeForm):  # type: ignore[misc]  # untyped
    """Takes the code that verifies an address."""


class CodeByEmail(AbstractCodeVerificationProcess):  # type: ignore[misc]  # allauth is untyped
    """A pending code and its tries, kept in the session. template: of the email."""

    session_key: ClassVar[str]
    template: ClassVar[str]

    def __init__(
        self, request: HttpRequest, state: dict[str, Any], user: User | AnonymousUser
    ) -> None:
        self.request = request
        super().__init__(
            state=state,
            timeout=MAX_AGE,
            max_attempts=app_settings.LOGIN_BY_CODE_MAX_ATTEMPTS,
            user=user,
        )

    @classmethod
    def begin(cls, request: HttpRequest, user: User, address: str) -> None:
        """Send a new code to this address; an earlier one no longer works. QuotaExceeded where
        there were too many."""
        process = cls(request, cls.initial_state(user=user, email=address), user)
        process.send()
        process.persist()

    @classmethod
    def pending(
        cls, request: HttpRequest, user: User | AnonymousUser, **wanted: Any
    ) -> Self | None:
        """The pending code of this browser, if its state has these values."""
        state = request.session.get(cls.session_key)
        if not state or any(state[name] != value for name, value in wanted.items()):
            return None
        process = cls(request, state, user).abort_if_invalid()
        assert process is None or isinstance(process, cls)
        return process

    def send(self) -> None:
        """Queue the email with a new code."""
        self.state["code"] = get_adapter().generate_login_code()
        content = {"request": self.request, "code": self.state["code"]}
        get_adapter(self.request).send_mail(self.template, self.state["email"], content)

    def persist(self) -> None:
        self.request.session[self.session_key] = self.state

    def abort(self) -> None:
        self.request.session.pop(self.session_key, None)


class ConfirmCodeView(ConfirmLoginCodeView):  # type: ignore[misc]  # allauth is untyped
    """allauth's, except that it explains the end of an attempt and keeps the page that asked for
    it."""

    _process = None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().dispatch(request, *args, **kwargs)
        if self._process is not None or request.user.is_authenticated:
            return response
        if request.method == "POST":
            messages.error(request, _("Your code is no longer valid. Ask for a new one."))
        return self._start_again()

    def form_invalid(self, form: Any) -> HttpResponse:
        """The form again; the first page of the sign-in after the last attempt."""
        response: HttpResponse = super().form_invalid(form)
        return self._start_again() if isinstance(response, HttpResponseRedirect) else response

    def _start_again(self) -> HttpResponse:
        return HttpResponseRedirect(self.passthrough_next_url(reverse("account_login")))


confirm = ConfirmCodeView.as_view()


# -- sessions, and the log of sign-ins and proofs -------------------------------------------


def on_sign_in(request: HttpRequest, user: Any, **_details: Any) -> None:
    """Receives Django's `user_logged_in`."""
    request.session[BEGAN] = request.session[SEEN] = int(time.time())
    request.session.set_expiry(None)  # as in the settings; until now it was a visitor's
    logger.info("User %s signed in.", user.pk)


def on_sign_out(request: HttpRequest, user: Any, **_details: Any) -> None:
    """Receives Django's `user_logged_out`."""
    if user is not None and (digest := request.session.get(PUSH_DEVICE)):
        device_forget(user=user, digest=digest)


def on_proof(request: HttpRequest, user: User, method: str, **_details: Any) -> None:
    """Receives allauth's `authentication_step_completed`. method: "code" or "mfa"."""
    _renew_key(request)
    logger.info("User %s proved their identity (%s).", user.pk, method)


def on_wrong_code(user: User | None = None, **_details: Any) -> None:
    """Receives allauth's `login_code_rejected`, and stands for other codes by email."""
    logger.warning("A wrong code by email for user %s.", user.pk if user is not None else "-")


def on_wrong_factor(user: User, **_details: Any) -> None:
    """Receives allauth's `authentication_failed` of a second factor."""
    logger.warning("A wrong code of a second factor for user %s.", user.pk)


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


def _renew_key(request: HttpRequest) -> None:
    """Change the session key of somebody who is signed in; the list of devices follows."""
    user = getattr(request, "user", None)
    before = request.session.session_key
    if user is None or not user.is_authenticated or before is None:
        return
    request.session.cycle_key()
    UserSession.objects.filter(session_key=before).update(session_key=request.session.session_key)


# -- known browsers ------------------------------------------------------------------------


def remember_browser(request: HttpRequest, response: HttpResponse, address: str) -> None:
    """Let the browser that gets this response be known for this address.

    A known browser gets the sign-in codes of the address from a share of its own, which strangers
    cannot use up. Its signed cookie, which outlives the sign-out, holds keyed digests of the
    addresses that signed in last. It is not a login.
    """
    digest = _digest(address)
    others = [known for known in _known_digests(request) if known != digest]
    response.set_cookie(
        BROWSER_COOKIE,
        signing.dumps([digest, *others][:MOST_ADDRESSES], salt=BROWSER_SALT),
        max_age=BROWSER_MAX_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def is_known_browser(request: HttpRequest, address: str) -> bool:
    """Return whether somebody has signed in with this address in this browser."""
    return _digest(address) in _known_digests(request)


def _known_digests(request: HttpRequest) -> list[str]:
    try:
        found: list[str] = signing.loads(
            request.COOKIES.get(BROWSER_COOKIE, ""), salt=BROWSER_SALT, max_age=BROWSER_MAX_AGE
        )
    except signing.BadSignature:
        return []
    return found


def _digest(address: str) -> str:
    return keyed_digest("games.known_browser", address.strip().lower()).hex()[:32]
