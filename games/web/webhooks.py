"""The webhooks of email providers: incoming email and delivery reports, through anymail's views.

They exist only if INBOUND_SECRET is set. games.inbound stores what they receive.

anymail checks who sent a request, and reads the reports. It does not read emails: it would parse
each of them, or build it from JSON, with all its headers and parts, in a worker of the web server,
and anybody may send one to the address of a provider. We take the raw email out of the request;
providers that do not hand it over have no webhook for email.
"""

import json
import logging
from base64 import b64decode
from collections.abc import Callable, Iterable
from email.errors import MessageError
from email.utils import unquote
from functools import wraps
from typing import Any
from urllib.parse import quote, unquote_to_bytes

import requests
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

from games.inbound import intake, webhook_receiver

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

FETCH_SECONDS = 10  # for each answer of a provider that has to be asked for the email

logger = logging.getLogger(__name__)

Raw = tuple[str | bytes, object, object]  # an email, its envelope's sender and recipient, or None


def _of_amazon_ses(view: Any, event: Any, _sns: object) -> Raw:
    action, mail = event["receipt"]["action"], event["mail"]
    if action["type"] == "S3":
        raw = _beginning(view.fetch_s3_chunks(action["bucketName"], action["objectKey"]))
    elif action.get("encoding") == "BASE64":
        raw = b64decode(event["content"])
    else:
        raw = event["content"]
    return raw, mail.get("source"), event["receipt"]["recipients"][0]


def _of_mailersend(_view: Any, event: Any) -> Raw:
    data = event["data"]
    return data["raw"], data["sender"]["email"], data["recipients"]["rcptTo"][0]["email"]


def _of_mailgun(_view: Any, request: HttpRequest) -> Raw:
    form = request.POST
    return form["body-mime"], form.get("sender"), form.get("recipient")


def _of_mailtrap(view: Any, event: Any) -> Raw | None:
    if event.get("inbox_id") in (None, 1):  # its example, by which one tries the URL
        return None
    found = view.fetch_inbound_message(event["inbox_id"], event["message_id"])
    return _beginning(view.fetch_raw_message_chunks(found["raw_message_url"])), None, None


def _of_mandrill(_view: Any, event: Any) -> Raw:
    return event["msg"]["raw_msg"], None, event["msg"].get("email")


def _of_postal(_view: Any, event: Any) -> Raw:
    raw = event["message"]
    return b64decode(raw) if event.get("base64") else raw, event["mail_from"], event["rcpt_to"]


def _of_postmark(_view: Any, event: Any) -> Raw:
    if event.get("RecordType", "Inbound") != "Inbound":
        raise AnymailConfigurationError("This is the URL for email, not for reports.")
    # Postmark adds the sender of the envelope to the headers of the email.
    first = next(iter(event.get("Headers") or ()), {"Name": ""})
    sender = unquote(first["Value"]) if first["Name"].lower() == "return-path" else None
    return event["RawEmail"], sender, event.get("OriginalRecipient")


def _of_resend(view: Any, event: Any, _request: HttpRequest) -> Raw:
    email = f"{view.api_url}emails/receiving/{quote(event['data']['email_id'], safe='')}"
    head = {"Authorization": f"Bearer {view.api_key}"}
    found = requests.get(email, headers=head, timeout=FETCH_SECONDS)
    found.raise_for_status()
    url = found.json()["raw"]["download_url"]
    with requests.get(url, stream=True, timeout=FETCH_SECONDS) as answer:
        answer.raise_for_status()
        return _beginning(answer.iter_content(view.chunk_size)), None, None


def _of_sendgrid(_view: Any, request: HttpRequest) -> Raw:
    envelope = json.loads(request.POST["envelope"])
    return request.POST["email"], envelope["from"], envelope["to"][0]


def _of_sparkpost(_view: Any, _kind: str, event: Any, _raw_event: object) -> Raw:
    raw = event["content"]["email_rfc822"]
    if event["content"]["email_rfc822_is_base64"]:
        raw = b64decode(raw)
    return raw, event.get("msg_from"), event.get("rcpt_to")


RAW: dict[str, Callable[..., Raw | None]] = {  # by the beginning of the name of anymail's URL
    "amazon_ses": _of_amazon_ses,
    "mailersend": _of_mailersend,
    "mailgun": _of_mailgun,
    "mailtrap": _of_mailtrap,
    "mandrill": _of_mandrill,
    "postal": _of_postal,
    "postmark": _of_postmark,
    "resend": _of_resend,
    "sendgrid": _of_sendgrid,
    "sparkpost": _of_sparkpost,
}


def _beginning(chunks: Iterable[bytes]) -> bytes:
    """Return as much of a download as is stored, and a little more."""
    raw = bytearray()
    for chunk in chunks:
        raw += chunk
        if len(raw) > intake.KEPT_BYTES:
            break
    return bytes(raw)


class StoresEmails:
    """Comes before a view of anymail for incoming email, and stores the emails of a request, also
    what cannot be read.

    The provider would send it again for as long as we refuse it, and then nobody would know of it.
    raw_of: takes what anymail passes to `esp_to_anymail_event`, after the view.
    """

    raw_of: Callable[..., Raw | None]

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
        """The reports of the request, which Mandrill sends to the same URL; stores its emails."""
        try:
            events = self.events_of(request)
        except UNREADABLE as error:
            self._store(request, error)
            return []
        return [event for event in events if event is not None]

    def events_of(self, request: HttpRequest) -> list[Any]:
        """The events that anymail finds in the request; None for each email."""
        found: list[Any] = super().parse_events(request)  # type: ignore[misc]  # of anymail's view
        return found

    def esp_to_anymail_event(self, *event: Any) -> Any:
        """Store one email of a request; one that cannot be read keeps no other from being read."""
        provider = str(getattr(self, "esp_name", ""))
        try:
            if found := self.raw_of(self, *event):
                raw, sender, recipient = found
                webhook_receiver.receive_email(provider, raw, sender=sender, recipient=recipient)
        except UNREADABLE as error:
            self._store(event[-1], error)

    def esp_to_anymail_events(self, event: Any, sns: object) -> list[Any]:
        """The same for Amazon SES."""
        self.esp_to_anymail_event(event, sns)
        return []

    def _store(self, content: Any, error: Exception) -> None:
        """Store a request, or one email of it as JSON. Raises the error again if it is about
        something else than an email."""
        if not _is_about_content(error) or getattr(self, "signal", None) is tracking:
            raise error
        provider = str(getattr(self, "esp_name", ""))
        for row in intake.store_unreadable(
            _bytes_of(content), f"{provider}: {type(error).__name__}"
        ):
            logger.warning("Incoming email %s of %s cannot be read.", row.pk, provider)


class StoresMandrillEmails(StoresEmails):
    """Mandrill sends its reports to the same URL."""

    def esp_to_anymail_event(self, *event: Any) -> Any:
        if event[0].get("event") == "inbound":
            return super().esp_to_anymail_event(*event)
        return super(StoresEmails, self).esp_to_anymail_event(*event)  # type: ignore[misc]  # of anymail's view


class StoresPostalEmails(StoresEmails):
    """Adds the method for one email that anymail's view for Postal lacks."""

    def events_of(self, request: HttpRequest) -> list[Any]:
        return [self.esp_to_anymail_event(json.loads(request.body))]


STORES = {"mandrill": StoresMandrillEmails, "postal": StoresPostalEmails}


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
    """Respond with 404 unless a secret is set, which anymail checks, and the provider is
    configured; incoming email needs a domain too.

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


def _storing(provider: str, view: Any) -> View:
    """Return anymail's view for incoming email, changed to store the emails instead of reading
    them."""
    bases = (STORES.get(provider, StoresEmails), view.view_class)
    made: Any = type(view.view_class.__name__, bases, {"raw_of": staticmethod(RAW[provider])})
    storing: View = made.as_view(**view.view_initkwargs)
    return storing


def _webhooks() -> list[URLPattern]:
    """Return anymail's URLs, behind our condition."""
    found = []
    for pattern in anymail_urls.urlpatterns:
        name, route = pattern.name or "", str(pattern.pattern)
        if name.startswith("sendinblue") or not name.endswith("_webhook"):
            continue
        incoming = name.endswith("_inbound_webhook")
        provider = name.removesuffix("_webhook").removesuffix("_inbound")
        view = pattern.callback
        if incoming and provider not in RAW:
            continue
        if incoming or name == "mandrill_webhook":
            view = _storing(provider, view)
        view = _with_secret(view, incoming=incoming)
        if route.startswith("^"):
            found.append(re_path(f"^anymail/{route.removeprefix('^')}", view, name=name))
        else:
            found.append(path(f"anymail/{route}", view, name=name))
    return found


urlpatterns = _webhooks()


class NoFiles(FileUploadHandler):
    """Skips the files of a form: no page takes any, and of an email we want the raw text."""

    def new_file(self, *args: Any, **options: Any) -> None:
        raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Django asks for this method."""

    def file_complete(self, file_size: int) -> None:
        """Django asks for this method."""
