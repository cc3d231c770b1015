"""Whether a session has proved the second factor of its user."""

import time

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from django.http import HttpRequest

MAX_AGE = 12 * 3600  # seconds; a working day of moderation, then the app is asked again

# Recovery codes belong to another factor and are none of their own.
FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def is_enrolled(request: HttpRequest) -> bool:
    """Whether the signed-in user has a second factor."""
    return any(kind in FACTORS for kind in _own(request).values())


def was_used(request: HttpRequest, max_age: int = MAX_AGE) -> bool:
    """Whether this session entered a code of a second factor that the user still has, or one of
    its recovery codes, in the last `max_age` seconds."""
    if not is_enrolled(request):
        return False
    own, earliest = _own(request), time.time() - max_age
    return any(
        record["method"] == "mfa" and record.get("id") in own and record["at"] > earliest
        for record in get_authentication_records(request, request.user)
    )


def _own(request: HttpRequest) -> dict[int, str]:
    """The user's authenticators, key → type; one query per request."""
    known: tuple[int, dict[int, str]] | None = getattr(request, "second_factors", None)
    if known is None or known[0] != request.user.pk:
        mine = Authenticator.objects.filter(user_id=request.user.pk)
        known = (request.user.pk or 0, dict(mine.values_list("pk", "type")))
        request.second_factors = known  # type: ignore[attr-defined]  # cached on the request
    return known[1]
