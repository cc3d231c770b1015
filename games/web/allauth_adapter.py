"""Mails about signing in go the way of all mails: into the outbox, then through the worker.

allauth decides when one is due and what its code is; here it becomes a row.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib.sites.shortcuts import get_current_site
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from games.mail import queue
from games.models import User

# Template prefixes of allauth → setting that says for how many seconds the code is good.
CODES = {
    "account/email/login_code": "ACCOUNT_LOGIN_BY_CODE_TIMEOUT",
    "account/email/email_confirmation": "ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT",
    "account/email/email_confirmation_signup": "ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT",
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """allauth's own behaviour but for the sending."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Queue the mail: a code, or the words of templates/account/email."""
        user = User.objects.filter(email__iexact=email, is_active=True).first()
        words: dict[str, Any] = {"language": get_language()}
        if template_prefix in CODES and "code" in context:
            seconds = getattr(settings, CODES[template_prefix])
            until = timezone.now() + timedelta(seconds=seconds)
            words |= {
                "code": context["code"],
                "minutes": seconds // 60,
                "good_until": until.isoformat(),
            }
        else:
            about = {
                "email": email,
                "current_site": get_current_site(self.request),
                "door": settings.SITE_URL + reverse("account_login"),
            }
            rendered = self.render_mail(template_prefix, email, {**about, **context})
            words |= {"subject": rendered.subject, "body": str(rendered.body)}
        queue.account(email, dedupe=secrets.token_hex(8), context=words, user=user)
