"""Addresses, credential changes, feed keys and push devices of an account."""

from django.conf import settings
from django.db import models
from django.db.models import Index, UniqueConstraint
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class AddressRecord(models.Model):
    """An address that an account has or had, since it was verified.

    Kept after the address was removed, so that its owner hears of changes and can restore the
    account. Deleted with the account.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="address_records"
    )
    address = models.EmailField(max_length=254)
    is_primary = models.BooleanField(db_default=False)
    verified_at = models.DateTimeField(default=timezone.now)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            UniqueConstraint(fields=["user", "address"], name="games_addressrecord_once"),
        )

    def __str__(self) -> str:
        return f"address {self.pk} of {self.user_id}"


class CredentialChange(models.Model):
    """A change that was reported to all addresses of an account.

    address: the one that was changed, "" for other changes. at: when it happened, or when a
    deletion takes effect. disputed_at: when somebody used "This was not me".
    """

    class Kind(models.TextChoices):
        ADDRESS_ADDED = "address_added", _("address added")
        ADDRESS_REMOVED = "address_removed", _("address removed")
        PRIMARY = "primary", _("primary address changed")
        FACTOR_ADDED = "factor_added", _("second factor added")
        FACTOR_REMOVED = "factor_removed", _("second factor removed")
        RECOVERY_CODES = "recovery_codes", _("recovery codes generated")
        FEED_CREATED = "feed_created", _("address of a feed created")
        FEED_REVOKED = "feed_revoked", _("address of a feed deleted")
        SIGNED_OUT = "signed_out", _("devices signed out")
        CLOSING = "closing", _("deletion requested")
        KEPT = "kept", _("deletion cancelled")
        FROZEN = "frozen", _("frozen")
        RESTORED = "restored", _("restored")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="credential_changes"
    )
    kind = models.CharField(max_length=20, choices=Kind.choices)
    address = models.EmailField(max_length=254, blank=True, db_default="")
    at = models.DateTimeField(default=timezone.now)
    disputed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (Index(fields=["user", "-at"], name="games_change_of_user"),)

    def __str__(self) -> str:
        return f"{self.kind} of {self.user_id}"


class FeedKey(models.Model):
    """The key in the URL of a feed of one user; at most one of each kind.

    digest: an HMAC of the key, which is shown only once. See games.services.credentials.
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


class PushDevice(models.Model):
    """A browser that shows push messages to its user (RFC 8030).

    endpoint: the address at the push service of the browser, a secret. digest: its SHA-256, because
    indexes have a limit. p256dh, auth: the keys of the browser (RFC 8291), base64url.
    refused_since: since when the push service has refused our messages to it.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="push_devices",
        verbose_name=_("user"),
    )
    endpoint = models.TextField()
    digest = models.CharField(max_length=64)
    p256dh = models.CharField(max_length=100)
    auth = models.CharField(max_length=40)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    refused_since = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("device for notifications")
        verbose_name_plural = _("devices for notifications")
        constraints = (
            models.UniqueConstraint(fields=["digest"], name="games_pushdevice_digest_once"),
        )

    def __str__(self) -> str:
        return f"{self.pk}"
