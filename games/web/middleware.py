"""Language, time zone and cache headers of signed-in users."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from games import log_context, services

Page = Callable[[HttpRequest], HttpResponse]


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
        if user.language in dict(settings.LANGUAGES):
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language()
        with timezone.override(user.zone):
            response = get_response(request)
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = "no-store"
        return response

    return middleware
