"""The site as an app on a device: its manifest, its service worker, and the pages it may keep.

The service worker (static/games/service-worker.js) keeps the last pages of one reader for times
without a network. The header Atlantis-Reader says whose page a response is. Only tables and the
first page of somebody who is signed in have it; the pages of a turn link never do. "nobody" makes
it forget. The pages say `no-store`, which is for the caches of browsers, not for the worker.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

SCRIPT = Path(__file__).resolve().parent.parent / "static" / "games" / "service-worker.js"
HEADER = "Atlantis-Reader"
KEPT = ("game", "home")  # names of URLs
NOBODY = "nobody"

Page = Callable[[HttpRequest], HttpResponse]


@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    """The web app manifest: name, colours and icons of the installed site."""
    response = JsonResponse(
        {
            "name": settings.SITE_NAME,
            "short_name": "Atlantis",
            "description": _("Board games by email, at your own pace."),
            "start_url": reverse("home"),
            "scope": "/",
            "display": "standalone",
            "background_color": "#f5efe2",
            "theme_color": "#0d4a55",
            "icons": [
                {
                    "src": static(f"games/icon-{size}.png"),
                    "sizes": f"{size}x{size}",
                    "type": "image/png",
                    "purpose": purpose,
                }
                for size in (192, 512)
                for purpose in ("any", "maskable")
            ],
        },
        content_type="application/manifest+json",
    )
    response["Cache-Control"] = "max-age=3600"
    return response


@cache
def _script() -> bytes:
    return SCRIPT.read_bytes()


@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    """The script of the service worker. At the root, because it serves the pages below its path."""
    response = HttpResponse(_script(), content_type="text/javascript; charset=utf-8")
    response["Cache-Control"] = "no-cache"
    return response


def kept_pages(get_response: Page) -> Page:
    """Say whose page a response is, and clear the device after a sign-out."""

    def middleware(request: HttpRequest) -> HttpResponse:
        was_signed_in = request.user.is_authenticated
        response = get_response(request)
        user = request.user
        if was_signed_in and not user.is_authenticated:
            response["Clear-Site-Data"] = '"cache", "storage"'
        if response.get("Content-Type", "").startswith("text/html"):
            if not user.is_authenticated:
                response[HEADER] = NOBODY
            elif _is_kept(request, response):
                digest = salted_hmac("games.web.service_worker", str(user.pk), algorithm="sha256")
                response[HEADER] = digest.hexdigest()[:16]
        return response

    return middleware


def _is_kept(request: HttpRequest, response: HttpResponse) -> bool:
    match = request.resolver_match
    return match is not None and match.url_name in KEPT and response.status_code == 200
