"""Addresses to which some mails, or all, must not go; and what mail providers report of mails.

An address itself is not kept here, only its HMAC: enough to know it again when a mail is about to
be sent to it. A report keeps the address for the moments until it is worked off.
"""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy


def address_digest(address: str) -> str:
    """The HMAC by which an address is known again, however it is spelt; 64 characters."""
    word = address.strip().lower()
    return salted_hmac("games.address", word, algorithm="sha256").hexdigest()


class Stopped(models.TextChoices):
    """Why no mail goes to an address."""

    NO = "", gettext_lazy("emails delivered")
    BOUNCE = "bounce", gettext_lazy("emails bounce")
    COMPLAINT = "complaint", gettext_lazy("marked as spam")


class MailAddress(models.Model):
    """What is known of one address. refused_at: no invitations ever again. stopped: no mail but
    codes to sign in with, since `stopped_at`. soft_bounces: how often a mail was delayed."""

    digest = models.CharField(max_length=64, primary_key=True)
    refused_at = models.DateTimeField(null=True)
    stopped = models.CharField(max_length=9, choices=Stopped.choices, blank=True, default="")
    stopped_at = models.DateTimeField(null=True)
    soft_bounces = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=models.Q(stopped="", stopped_at__isnull=True)
                | models.Q(stopped__in=["bounce", "complaint"], stopped_at__isnull=False),
                name="games_mailaddress_stopped_since",
            ),
        )

    def __str__(self) -> str:
        return self.digest[:12]


class MailReport(models.Model):
    """One event that a mail provider told of. key: what tells two of them apart; address: "" once
    the report is worked off."""

    class Meaning(models.TextChoices):
        BOUNCE = "bounce", gettext_lazy("bounce")
        COMPLAINT = "complaint", gettext_lazy("spam complaint")
        SOFT = "soft", gettext_lazy("temporary failure")

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
            models.Index(
                fields=["id"], condition=models.Q(worked_at__isnull=True), name="games_report_new"
            ),
        )

    def __str__(self) -> str:
        return f"{self.provider}: {self.meaning}"
