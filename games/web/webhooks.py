"""The addresses at which mail providers hand over what came in and tell what became of what went
out, through anymail's own views.

They exist only where a secret is set; games.inbound.webhook_receiver and games.inbound.delivery_reports keep it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from anymail import urls as anymail_urls
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, re_path

logger = logging.getLogger(__name__)

View = Callable[..., HttpResponse]


def _with_secret(view: View, *, mails: bool) -> View:
    """Not found unless a secret is set (and, for mails, replies are read at all); anymail then
    asks for it.

    What is larger than Django takes into memory, ten times what we read of a mail, is left alone
    and said to be received: to be brought again and again would help nobody.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.INBOUND_SECRET or (mails and not settings.MAIL_REPLY_DOMAIN):
            raise Http404
        try:
            return view(request, *args, **kwargs)
        except RequestDataTooBig:
            logger.warning("What came by %s was too large and left alone.", request.path)
            return HttpResponse(status=200)

    return wrapped


def _webhooks() -> list[URLPattern]:
    """anymail's own addresses of its views, behind our condition."""
    found = []
    for pattern in anymail_urls.urlpatterns:
        name, route = pattern.name or "", str(pattern.pattern)
        if name.startswith("sendinblue") or not name.endswith("_webhook"):
            continue
        view = _with_secret(pattern.callback, mails=name.endswith("_inbound_webhook"))
        if route.startswith("^"):
            found.append(re_path(f"^anymail/{route.removeprefix('^')}", view, name=name))
        else:
            found.append(path(f"anymail/{route}", view, name=name))
    return found


urlpatterns = _webhooks()
