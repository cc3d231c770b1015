"""Limits as pages: the network of a request, and the page that says when it works again."""

from collections.abc import Callable

from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from games.services import QuotaExceeded


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
