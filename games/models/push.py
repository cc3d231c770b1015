"""Devices that receive push messages."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


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
