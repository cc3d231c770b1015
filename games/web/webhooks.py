"""The webhooks of email providers: incoming email and delivery reports, through anymail's views.

They exist only if INBOUND_SECRET is set. games.inbound stores what they receive.
"""

import json
import logging
from email.errors import MessageError
from functools import wraps
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

from anymail import urls as anymail_urls
from anymail.exceptions import (
    AnymailAPIError,
    AnymailConfigurationError,
    AnymailError,
    AnymailImproperlyInstalled,
    AnymailWebhookValidationFailure,
)
from anymail.signals import tracking
from anymail.webhooks.base import AnymailBasicAuthMixin
from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.core.files.uploadedfile import InMemoryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.db import DataError
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseForbidden,
)
from django.http.multipartparser import MultiPartParserError
from django.urls import URLPattern, path, re_path

from games.inbound import intake, mime, webhook_receiver

from .decorators import View

# The errors of anymail and of our own for content that breaks the provider's format. Deeply nested
# JSON is a RecursionError, text that PostgreSQL cannot store a DataError, and a text that is no
# text a NameError in the standard library.
UNREADABLE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    NameError,
    AssertionError,
    ArithmeticError,
    RecursionError,
    DataError,
    MessageError,
    AnymailError,
    TooManyFieldsSent,
    MultiPartParserError,
)

logger = logging.getLogger(__name__)


class StoresUnreadable:
    """Comes before a view of anymail for incoming email, and stores what anymail cannot read.

    The provider would send it again for as long as we refuse it, and then nobody would know of it.
    """

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Store a form that Django cannot read, as well; a signature in it is not checked."""
        _whole = request.body  # or Django would have read a form when it finds that it cannot
        try:
            response: HttpResponse = super().post(request, *args, **kwargs)  # type: ignore[misc]  # of anymail's view
        except (TooManyFieldsSent, MultiPartParserError) as error:
            self._store(request, error)
            return HttpResponse()
        return response

    def validate_request(self, request: HttpRequest) -> None:
        """Check the secret before anymail reads the form, to check its signature."""
        AnymailBasicAuthMixin.validate_request(self, request)

    def parse_events(self, request: HttpRequest) -> list[Any]:
        """The emails of the request that anymail can read."""
        try:
            events = super().parse_events(request)  # type: ignore[misc]  # of anymail's view
        except UNREADABLE as error:
            self._store(request, error)
            return []
        return [event for event in events if event is not None]

    def esp_to_anymail_event(self, *event: Any) -> Any:
        """One email of a request; None if anymail cannot read it, so that the others are read."""
        try:
            found = super().esp_to_anymail_event(*event)  # type: ignore[misc]  # of anymail's view
            if (message := getattr(found, "message", None)) is not None:  # not a report
                message.raw = webhook_receiver.raw_of(message)
            return found
        except UNREADABLE as error:
            self._store(event[-1], error)
            return None

    def _store(self, content: Any, error: Exception) -> None:
        """Store a request, or one email of it as JSON. Raises the error again if it is about
        something else than an email."""
        if not _is_about_content(error) or getattr(self, "signal", None) is tracking:
            raise error
        # The raw email of SparkPost and Postal may be in any charset.
        if isinstance(error, UnicodeDecodeError) and webhook_receiver.receive_bytes(error.object):
            return
        provider = str(getattr(self, "esp_name", ""))
        for row in intake.store_unreadable(
            _bytes_of(content), f"{provider}: {type(error).__name__}"
        ):
            logger.warning("Incoming email %s of %s cannot be read.", row.pk, provider)


def _is_about_content(error: Exception) -> bool:
    """Return whether anymail failed at what the request says, not at our settings or a provider's
    API."""
    if type(error) is AnymailAPIError:  # a subclass of it if an API failed
        return True
    ours = (AnymailConfigurationError, AnymailImproperlyInstalled, AnymailAPIError, OSError)
    return not isinstance(error, ours)


def _bytes_of(content: Any) -> bytes:
    """Return the part that is stored of a request, or of one of the objects in its JSON."""
    if not isinstance(content, HttpRequest):
        return json.dumps(content).encode()
    if content.content_type == "application/x-www-form-urlencoded":
        return unquote_to_bytes(content.body[: intake.KEPT_BYTES])
    return content.body


def _with_secret(view: View, *, incoming: bool) -> View:
    """Not found unless a secret is set, which anymail checks, and the provider is configured;
    incoming email needs a domain too.

    A report that cannot be read, and whatever comes without the secret, is a bad request. If an
    email could not be stored, the error is ours, and the provider tries again.
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
        except (AnymailConfigurationError, AnymailImproperlyInstalled) as error:
            logger.warning("%s: %s", request.path, error)
            raise Http404 from error
        except AnymailWebhookValidationFailure:
            raise  # Django answers by 400
        except UNREADABLE as error:
            if not _is_about_content(error):
                raise  # the provider tries again
            # Not the message, which may quote the request.
            logger.warning("%s got an unreadable request: %s", request.path, type(error).__name__)
            return HttpResponseBadRequest()

    return wrapped


def _storing(view: Any) -> View:
    """anymail's view for incoming email, which also stores emails that anymail cannot read."""
    made: Any = type(view.view_class.__name__, (StoresUnreadable, view.view_class), {})
    storing: View = made.as_view(**view.view_initkwargs)
    return storing


def _webhooks() -> list[URLPattern]:
    """anymail's URLs, behind our condition."""
    found = []
    for pattern in anymail_urls.urlpatterns:
        name, route = pattern.name or "", str(pattern.pattern)
        if name.startswith("sendinblue") or not name.endswith("_webhook"):
            continue
        incoming = name.endswith("_inbound_webhook")
        view = pattern.callback
        if incoming or name == "mandrill_webhook":  # Mandrill reports to the same URL
            view = _storing(view)
        view = _with_secret(view, incoming=incoming)
        if route.startswith("^"):
            found.append(re_path(f"^anymail/{route.removeprefix('^')}", view, name=name))
        else:
            found.append(path(f"anymail/{route}", view, name=name))
    return found


urlpatterns = _webhooks()


class BeginningsOnly(FileUploadHandler):
    """Keeps the beginnings of the first files of a form, in memory, and skips the others."""

    count = 0

    def new_file(self, *args: Any, **options: Any) -> None:
        super().new_file(*args, **options)
        self.count += 1
        if self.count > mime.MOST_PARTS:
            raise SkipFile
        self.beginning = bytearray()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.beginning += raw_data[: webhook_receiver.ATTACHMENT_BYTES - len(self.beginning)]

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        return InMemoryUploadedFile(
            file=BytesIO(self.beginning),
            field_name=self.field_name,
            name=self.file_name,
            content_type=self.content_type,
            size=len(self.beginning),
            charset=self.charset,
            content_type_extra=self.content_type_extra,
        )
