"""The webhooks of email providers: incoming email and delivery reports, through anymail's views.

They exist only if INBOUND_SECRET is set. games.inbound stores what they receive.
"""

import logging
from email.errors import MessageError
from functools import wraps
from typing import Any

from anymail import urls as anymail_urls
from anymail.exceptions import (
    AnymailAPIError,
    AnymailConfigurationError,
    AnymailError,
    AnymailImproperlyInstalled,
    AnymailWebhookValidationFailure,
)
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import DataError
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseForbidden,
)
from django.urls import URLPattern, path, re_path

from .decorators import View

# What anymail and we raise for content that is not what the provider promises. Deeply nested JSON
# is a RecursionError, text that PostgreSQL cannot store a DataError.
UNREADABLE = (
    *(ValueError, TypeError, LookupError, AttributeError, AssertionError, ArithmeticError),
    *(RecursionError, DataError, MessageError, AnymailError),
)

logger = logging.getLogger(__name__)


def _with_secret(view: View, *, incoming: bool) -> View:
    """Not found unless a secret is set, which anymail checks, and the provider is configured;
    incoming email needs a domain too.

    A request that is too large for Django is ten times what we read of an email. It is dropped and
    acknowledged, because the provider would only send it again. One that cannot be read is a bad
    request. If its content could not be stored, the error is ours, and the provider tries again.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.INBOUND_SECRET or (incoming and not settings.MAIL_REPLY_DOMAIN):
            raise Http404
        if settings.SECURE_SSL_REDIRECT and not request.is_secure():
            # A redirect would hide that the secret crossed the network openly.
            return HttpResponseForbidden("This webhook needs https.\n", content_type="text/plain")
        try:
            return view(request, *args, **kwargs)
        except RequestDataTooBig:
            logger.warning("Dropped a request to %s that is too large.", request.path)
            return HttpResponse(status=200)
        except (AnymailConfigurationError, AnymailImproperlyInstalled) as error:
            logger.warning("%s: %s", request.path, error)
            raise Http404 from error
        except (AnymailWebhookValidationFailure, AnymailAPIError):
            raise  # Django answers the first by 400; after the second, the provider tries again
        except UNREADABLE as error:
            # Not the message, which may quote the request.
            logger.warning("%s got an unreadable request: %s", request.path, type(error).__name__)
            return HttpResponseBadRequest()

    return wrapped


def _webhooks() -> list[URLPattern]:
    """anymail's URLs, behind our condition."""
    found = []
    for pattern in anymail_urls.urlpatterns:
        name, route = pattern.name or "", str(pattern.pattern)
        if name.startswith("sendinblue") or not name.endswith("_webhook"):
            continue
        view = _with_secret(pattern.callback, incoming=name.endswith("_inbound_webhook"))
        if route.startswith("^"):
            found.append(re_path(f"^anymail/{route.removeprefix('^')}", view, name=name))
        else:
            found.append(path(f"anymail/{route}", view, name=name))
    return found


urlpatterns = _webhooks()
