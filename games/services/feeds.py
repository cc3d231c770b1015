"""Keys of feeds: created, replaced and revoked by their user; every fetch is counted.

A key shows the names and deadlines of somebody's games, so changes are reported like those of
credentials.
"""

import secrets

from django.utils import timezone

from games.models import CredentialChange, FeedKey, User
from games.selectors import feed_digest

from . import quotas
from .credentials import change_report
from .quotas import atomic

KEY_BYTES = 32


def feed_key_create(*, user: User, kind: str) -> str:
    """Create the key of this kind of feed and return it; an earlier one no longer works."""
    key = secrets.token_urlsafe(KEY_BYTES)
    with atomic():
        quotas.spend(quotas.FEED_KEYS, person=user)
        FeedKey.objects.update_or_create(
            user=user,
            kind=FeedKey.Kind(kind),
            defaults={"digest": feed_digest(key), "created_at": timezone.now()},
        )
        change_report(user=user, kind=CredentialChange.Kind.FEED_CREATED)
    return key


def feed_key_revoke(*, user: User, kind: str) -> None:
    """Delete the key of this kind of feed."""
    with atomic():
        if FeedKey.objects.filter(user=user, kind=kind).delete()[0]:
            change_report(user=user, kind=CredentialChange.Kind.FEED_REVOKED)


def feed_count(*, user: User) -> None:
    """Count that somebody fetched a feed of this user."""
    with atomic():
        quotas.spend(quotas.FEEDS, person=user)
