"""Middleware: request numbers, compression, pages about limits, and settings of the reader."""

import re
import secrets
from collections.abc import Callable

import brotli
from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers

from games import log_context, services
from games.services import QuotaExceeded

from . import second_factor

Page = Callable[[HttpRequest], HttpResponse]

REQUEST_ID_HEADER = "Request-Id"

QUALITY = 8  # a higher one takes ten times as long
LEAST = 200  # bytes that are worth it
MOST_PADDING = 100  # bytes
_TAKES_BROTLI = re.compile(r"\bbr\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))")


def reader(get_response: Page) -> Page:
    """Activate the user's language and time zone, and forbid caches to keep the response.

    A board must not come out of a cache after a move, and nobody else's browser history shows a
    hand. Responses with a Cache-Control header of their own keep it.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        user = request.user
        if not user.is_authenticated:
            return get_response(request)
        log_context.add(user=str(user.pk))
        services.person_seen(user=user)
        user.has_proved_factor = user.is_staff and second_factor.was_used(request)
        if user.language in dict(settings.LANGUAGES):
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language()
        with timezone.override(user.zone):
            response = get_response(request)
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = "no-store"
        return response

    return middleware


def request_ids(get_response: Page) -> Page:
    """Give each request a random number, in its lines of the log and in a header.

    A number that a client or a proxy sends is not used: it could pose as another request.
    Outermost, so that the lines of all other middleware have the number, too. The signal
    `request_finished` ends it: Django logs refusals after the last middleware.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        number = secrets.token_hex(6)
        log_context.begin(request=number)
        response = get_response(request)
        response[REQUEST_ID_HEADER] = number
        return response

    return middleware


def compressed(get_response: Page) -> Page:
    """Compress whole answers with Brotli for browsers that take it; GZipMiddleware serves others.

    A table page has a sixth fewer bytes than with gzip. As there, random bytes that decoders skip
    hide how well an answer was compressed, against BREACH. Streams are left alone.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.streaming or len(response.content) < LEAST:
            return response
        if response.has_header("Content-Encoding"):
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        if not _TAKES_BROTLI.search(request.headers.get("Accept-Encoding", "")):
            return response
        content = padded(response.content)
        if len(content) >= len(response.content):
            return response
        response.content = content
        response.headers["Content-Length"] = str(len(content))
        response.headers["Content-Encoding"] = "br"
        etag = response.headers.get("ETag", "")
        if etag.startswith('"'):  # it named the bytes of the answer as it was
            response.headers["ETag"] = f"W/{etag}"
        return response

    return middleware


def padded(content: bytes) -> bytes:
    """The Brotli stream of this content, with a block of random bytes that decoders skip."""
    stream = brotli.Compressor(quality=QUALITY)
    data = stream.process(content) + stream.flush()  # ends at a byte
    size = secrets.randbelow(MOST_PADDING) + 1
    # RFC 7932, 9.2: not the last block, no data, one byte of length, the length less one.
    head = 0b11 << 1 | 1 << 4 | size - 1 << 6
    skipped = head.to_bytes(2, "little") + secrets.token_bytes(size)
    return bytes(data + skipped + stream.finish())


def client_address(request: HttpRequest) -> str:
    """The client's IP address; "" if it is not known. Headers count from trusted proxies only."""
    try:
        return str(get_adapter(request).get_client_ip(request))
    except PermissionDenied:  # a server on a UNIX socket without a proxy's header
        return ""


class LimitMiddleware:
    """Shows the page about an exceeded limit where a view does not say it in its own form."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page with the reason, and the time in Retry-After as well; None for every other
        exception."""
        if not isinstance(exception, QuotaExceeded):
            return None
        response = render(request, "429.html", {"reason": exception.text}, status=429)
        response["Retry-After"] = str(exception.retry_after)
        return response
