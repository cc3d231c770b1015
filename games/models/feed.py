"""Keys of calendar and news feeds, which programs read without signing in."""

from django.conf import settings
from django.db import models
from django.db.models import UniqueConstraint
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class FeedKey(models.Model):
    """The key in the URL of a feed of one user; at most one of each kind.

    digest: an HMAC of the key, which is shown only once. See games.services.feeds.
    """

    class Kind(models.TextChoices):
        CALENDAR = "calendar", _("Calendar with your deadlines")
        NEWS = "news", _("News feed (Atom) of your turns")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="feed_keys"
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (UniqueConstraint(fields=["user", "kind"], name="games_feedkey_once"),)

    def __str__(self) -> str:
        return f"{self.kind} of {self.user_id}"
