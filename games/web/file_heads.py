"""Fewer headers for static files: a page loads fifteen of them."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# Style sheets, scripts, fonts and pictures have no use for these.
OF_DOCUMENTS = ("Cross-Origin-Opener-Policy", "Referrer-Policy")

Page = Callable[[HttpRequest], HttpResponse]


def file_heads(get_response: Page) -> Page:
    """Remove the headers from static files that only documents need.

    This middleware stands outside SecurityMiddleware, which sets them on every response.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if "immutable" in response.headers.get("Cache-Control", ""):
            for name in OF_DOCUMENTS:
                response.headers.pop(name, None)
        return response

    return middleware
