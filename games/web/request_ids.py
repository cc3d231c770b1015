"""A random number for each request: in its lines of the log, and in the header Request-Id.

A number that a client or a proxy sends is not used: it could pose as another request.
"""

import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from games import log_context

HEADER = "Request-Id"

Page = Callable[[HttpRequest], HttpResponse]


def request_ids(get_response: Page) -> Page:
    """Outermost, so that the lines of all other middleware have the number, too. The signal
    `request_finished` ends it: Django logs refusals after the last middleware."""

    def middleware(request: HttpRequest) -> HttpResponse:
        number = secrets.token_hex(6)
        log_context.begin(request=number)
        response = get_response(request)
        response[HEADER] = number
        return response

    return middleware
