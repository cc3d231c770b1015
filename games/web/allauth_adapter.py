"""Sends allauth's email through the outbox."""

import secrets
from datetime import timedelta
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from django.conf import settings
from django.contrib.sites.shortcuts import get_current_site
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from games import services
from games.mail import queue
from games.models import CredentialChange, User

from . import account_safety, sign_in
from .joining import join_after_sign_in
from .middleware import client_address

# allauth's template prefix → the setting with the lifetime of the code, in seconds.
CODES = {
    "account/email/login_code": "ACCOUNT_LOGIN_BY_CODE_TIMEOUT",
    "account/email/proof": "ACCOUNT_LOGIN_BY_CODE_TIMEOUT",
    "account/email/restore": "ACCOUNT_LOGIN_BY_CODE_TIMEOUT",
    "account/email/email_confirmation": "ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT",
    "account/email/email_confirmation_signup": "ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT",
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """allauth's default adapter, except that it queues email and that accounts without a password
    prove themselves by a code."""

    _greets = True  # after this sign-in
    error_messages = DefaultAccountAdapter.error_messages | {
        "too_many_login_attempts": gettext_lazy(
            "You have entered three wrong codes, so the code is no longer valid. Ask for a new one."
        )
    }

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Return False: `games.web.proof` asks before the view runs, and more strictly."""
        return False

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """The second factor; a code by email for those who have none."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if methods or not user.is_authenticated:
            return methods
        url = reverse("account_reauthenticate")
        return [{"id": "reauthenticate", "description": _("Use a code by email"), "url": url}]

    def is_safe_url(self, url: str) -> bool:
        """Refuse a text for which allauth raises ValueError because it is no URL, such as
        "http://["."""
        try:
            return bool(super().is_safe_url(url))
        except ValueError:
            return False

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Say to the person who has just proved an address of the account why nobody can sign in,
        and what they can do."""
        return account_safety.inactive_page(request, user)

    def post_login(
        self, request: HttpRequest, user: User, *, redirect_url: str | None, **kwargs: Any
    ) -> HttpResponse:
        """Take the seat for which the reader signed in, then redirect as allauth does.

        Greet only those who were here before, and who are told nothing else.
        """
        target = join_after_sign_in(request, user)
        self._greets = target is None and not kwargs["signup"]
        target = target or redirect_url
        response: HttpResponse = super().post_login(request, user, redirect_url=target, **kwargs)
        for record in get_authentication_records(request, user):
            if record["method"] == "code" and record.get("email"):
                sign_in.remember_browser(request, response, record["email"])
        return response

    def add_message(self, request: HttpRequest, level: int, *args: Any, **kwargs: Any) -> None:
        """Leave out news about the address: a sign-in shows one message at most."""
        template = args[0] if args else kwargs.get("message_template")
        if template == "account/messages/logged_in.txt" and not self._greets:
            return
        if template == "account/messages/email_confirmed.txt" and request.user.is_anonymous:
            return
        super().add_message(request, level, *args, **kwargs)

    def clean_email(self, email: str) -> str:
        """Refuse an address that is longer than its column; allauth's form lets it through."""
        MaxLengthValidator(services.MAX_ADDRESS)(email)
        return str(super().clean_email(email))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Queue a code, or the text of a template in templates/account/email.

        QuotaExceeded where too many codes were sent.
        """
        user = User.objects.with_address(email).first()
        content: dict[str, Any] = {"language": get_language()}
        if template_prefix in CODES and "code" in context:
            purpose = template_prefix.rpartition("/")[2]
            seconds = getattr(settings, CODES[template_prefix])
            until = timezone.now() + timedelta(seconds=seconds)
            content |= {
                "code": context["code"],
                "purpose": purpose,
                "minutes": seconds // 60,
                "good_until": until.isoformat(),
                "withheld": not services.code_count(
                    address=email,
                    network=client_address(self.request),
                    own=purpose in ("proof", "restore")
                    or sign_in.is_known_browser(self.request, email),
                ),
            }
        else:
            defaults = {
                "email": email,
                "current_site": get_current_site(self.request),
                "door": settings.SITE_URL + reverse("account_login"),
            }
            rendered = self.render_mail(template_prefix, email, {**defaults, **context})
            content |= {"subject": rendered.subject, "body": str(rendered.body)}
        queue.account(email, dedupe=secrets.token_hex(8), context=content, user=user)


class SessionsAdapter(DefaultUserSessionsAdapter):  # type: ignore[misc]  # allauth is untyped
    """allauth's, except that it reports the sign-out of other devices."""

    def end_sessions(self, sessions: Any) -> None:
        """End the sessions, all of one user, and all push messages."""
        sessions = list(sessions)
        super().end_sessions(sessions)
        if sessions:
            services.devices_remove(user=sessions[0].user)  # nobody knows whose they are
            services.change_report(user=sessions[0].user, kind=CredentialChange.Kind.SIGNED_OUT)
