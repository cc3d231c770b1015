"""Addresses that must not get some or all email, and delivery reports of email providers.

An address is stored as its HMAC only, which is enough to recognise it before sending. A report
holds the address until it is processed.
"""

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Index, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _


def keyed_digest(purpose: str, value: str) -> bytes:
    """The HMAC-SHA256 of a value under DATA_KEY. purpose: makes the digests of different uses
    differ."""
    return salted_hmac(purpose, value, secret=settings.DATA_KEY, algorithm="sha256").digest()


def address_digest(address: str) -> str:
    """The HMAC of an address, the same for upper and lower case; 64 characters."""
    normal = address.strip().lower()
    return keyed_digest("games.address", normal).hex()


def address_mask(address: str) -> str:
    """An address that its owner recognises and nobody else learns: "a…@example.org"."""
    local, _at, domain = address.rpartition("@")
    return f"{local[:1]}…@{domain}" if domain and local else ""


class StopReason(models.TextChoices):
    """The reason why an address gets no email."""

    NO = "", _("emails delivered")
    BOUNCE = "bounce", _("emails bounce")
    COMPLAINT = "complaint", _("marked as spam")


class MailAddress(models.Model):
    """One address. refused_at: it gets no invitations. stopped: it gets sign-in codes only, since
    `stopped_at`. soft_bounces: the number of temporary failures. suspended_until: the end of the
    suspension of an account that was deleted, and of the next one with the address."""

    digest = models.CharField(max_length=64, primary_key=True)
    refused_at = models.DateTimeField(null=True)
    stopped = models.CharField(max_length=9, choices=StopReason.choices, blank=True, default="")
    stopped_at = models.DateTimeField(null=True)
    soft_bounces = models.PositiveIntegerField(default=0)
    suspended_until = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            CheckConstraint(
                condition=Q(stopped="", stopped_at__isnull=True)
                | Q(stopped__in=["bounce", "complaint"], stopped_at__isnull=False),
                name="games_mailaddress_stopped_since",
            ),
        )

    def __str__(self) -> str:
        return self.digest[:12]


class MailReport(models.Model):
    """A delivery report. key: identifies it at the provider; address: "" once it is processed."""

    class Meaning(models.TextChoices):
        BOUNCE = "bounce", _("bounce")
        COMPLAINT = "complaint", _("spam complaint")
        SOFT = "soft", _("temporary failure")

    key = models.CharField(max_length=64, unique=True)
    provider = models.CharField(max_length=40)
    meaning = models.CharField(max_length=9, choices=Meaning.choices)
    address = models.CharField(max_length=320, blank=True)
    message_id = models.CharField(max_length=255, blank=True, default="")
    words = models.CharField(max_length=300, blank=True, default="")
    received_at = models.DateTimeField(default=timezone.now)
    worked_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (
            Index(fields=["id"], condition=Q(worked_at__isnull=True), name="games_report_new"),
        )

    def __str__(self) -> str:
        return f"{self.provider}: {self.meaning}"
