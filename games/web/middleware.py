"""Language, time zone and cache headers of signed-in users."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.cache import patch_cache_control

from games import services

Page = Callable[[HttpRequest], HttpResponse]


def reader(get_response: Page) -> Page:
    """Activate the user's language and time zone, and forbid caches to reuse the response.

    A board must not come out of a cache after a move. Responses with a Cache-Control header of their
    own (`no-store`) keep it.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        user = request.user
        if not user.is_authenticated:
            return get_response(request)
        services.person_seen(user=user)
        if user.language in dict(settings.LANGUAGES):
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language()
        with timezone.override(user.zone):
            response = get_response(request)
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return response

    return middleware
