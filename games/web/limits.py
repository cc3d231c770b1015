"""Limits as pages: the network of a request, and the page that says when it works again."""

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


def too_many_requests(request: HttpRequest, exceeded: QuotaExceeded) -> HttpResponse:
    """The page about an exceeded limit, with the time in Retry-After as well."""
    response = render(request, "429.html", {"reason": exceeded.text}, status=429)
    response["Retry-After"] = str(exceeded.retry_after)
    return response
