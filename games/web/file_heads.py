"""Short heads for files that browsers keep: they matter where a page loads fifteen of them."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# Of documents only; style sheets, scripts, fonts and pictures have no use for them.
OF_DOCUMENTS = ("Cross-Origin-Opener-Policy", "Referrer-Policy")

Page = Callable[[HttpRequest], HttpResponse]


def file_heads(get_response: Page) -> Page:
    """Outside SecurityMiddleware, which sets these headers on every answer."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if "immutable" in response.headers.get("Cache-Control", ""):
            for name in OF_DOCUMENTS:
                response.headers.pop(name, None)
        return response

    return middleware
