"""Every page in the reader's own language and time zone, and private pages kept private.

Never decides who may see a page; that is asked in selectors, per object.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.cache import patch_cache_control

from games import services

Page = Callable[[HttpRequest], HttpResponse]


def reader(get_response: Page) -> Page:
    """A signed-in reader's language and zone for the length of the request.

    What a signed-in reader gets is for this browser alone (`private`) and asked for anew each time
    (`no-cache`): a board that has moved on must not come out of a cache. Pages that have said
    more (`no-store`) keep it. An address with a secret in it is told to nobody by SECURE_REFERRER_POLICY
    and, on the pages of such addresses, by their own `no-referrer`.
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
