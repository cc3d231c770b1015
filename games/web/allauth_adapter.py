"""Sends allauth's email through the outbox."""

import secrets
from datetime import timedelta
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib.sites.shortcuts import get_current_site
from django.core.validators import MaxLengthValidator
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from games import services
from games.mail import queue
from games.models import User

from .limits import client_address

# allauth's template prefix → the setting with the lifetime of the code, in seconds.
CODES = {
    "account/email/login_code": "ACCOUNT_LOGIN_BY_CODE_TIMEOUT",
    "account/email/email_confirmation": "ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT",
    "account/email/email_confirmation_signup": "ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT",
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """allauth's default adapter, except that it queues email."""

    def clean_email(self, email: str) -> str:
        """Refuse an address that is longer than its column; allauth's form lets it through."""
        MaxLengthValidator(services.MAX_ADDRESS)(email)
        return str(super().clean_email(email))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Queue a code, or the text of a template in templates/account/email.

        QuotaExceeded where too many codes were sent.
        """
        user = User.objects.filter(email__iexact=email, is_active=True).first()
        content: dict[str, Any] = {"language": get_language()}
        if template_prefix in CODES and "code" in context:
            seconds = getattr(settings, CODES[template_prefix])
            until = timezone.now() + timedelta(seconds=seconds)
            content |= {
                "code": context["code"],
                "minutes": seconds // 60,
                "good_until": until.isoformat(),
                "withheld": not services.code_count(
                    address=email, network=client_address(self.request)
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
