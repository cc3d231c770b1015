"""The emails that users want, and when; addresses that must not get some or all email.

The preferences are fields of the user, and times computed from them. They know clocks, never games;
games.mail.kinds has the kinds of email.

An address is stored as its HMAC only, which is enough to recognise it before sending. A delivery
report of an email provider holds the address until it is processed.
"""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Index, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from games import clock

ONLINE = timedelta(minutes=5)  # after the last page a user counts as on the site for this long …
MAX_HOLD = timedelta(minutes=30)  # … and an email is held back for that at most this long
GATHER_MINUTES = (0, 15, 60)


class DeliveryMode(models.TextChoices):
    """A user's choice of delivery for one kind of email."""

    IMMEDIATE = "once", _("immediately")
    BATCHED = "gather", _("grouped with others")
    DIGEST = "digest", _("in the daily digest")
    OFF = "none", _("never")


def hours() -> list[tuple[int, str]]:
    """Choices of a full hour."""
    return [(hour, f"{hour:02}:00") for hour in range(24)]


def gather_delays() -> list[tuple[int, Any]]:
    """Choices of GATHER_MINUTES."""
    labels = {0: _("no delay"), 60: _("1 hour")}
    minutes = ngettext_lazy("%(n)d minute", "%(n)d minutes", "n")
    return [(n, labels.get(n) or minutes % {"n": n}) for n in GATHER_MINUTES]


class NotificationPreferences(models.Model):
    """The choices of a user; the defaults send everything at once.

    The page of preferences and its service are made from the editable fields (PREFERENCES).

    delivery_modes: kind → DeliveryMode, where it is not IMMEDIATE. saved_modes: kind → the modes
    that an unsubscribe link switched off and can restore. quiet_from, quiet_until: full hours in
    the user's time zone, both or neither. last_seen_at is kept only with hold_while_online.
    """

    delivery_modes = models.JSONField(default=dict, blank=True, editable=False)
    saved_modes = models.JSONField(default=dict, blank=True, editable=False)
    gather_minutes = models.PositiveSmallIntegerField(
        _("Wait to group emails for"),
        choices=gather_delays,
        default=15,
        help_text=_("If several games are waiting by then, you get one email about all of them."),
    )
    digest_hour = models.PositiveSmallIntegerField(
        _("Send the daily digest at"),
        choices=hours,
        default=8,
        help_text=_("In your time zone. Sent only when there is something new."),
    )
    quiet_from = models.PositiveSmallIntegerField(
        _("Quiet hours start"), choices=hours, null=True, blank=True
    )
    quiet_until = models.PositiveSmallIntegerField(
        _("Quiet hours end"), choices=hours, null=True, blank=True
    )
    hold_while_online = models.BooleanField(
        _("Hold emails while I am using the site"),
        default=False,
        help_text=_("Emails are sent a few minutes after you leave. None are lost."),
    )
    hold_at_table = models.BooleanField(
        _("No turn emails while I am at that table"),
        default=True,
        db_default=True,
        help_text=_(
            "While you have the page of a game in front of you, the email about your turn waits. It is "
            "sent two minutes after you leave without moving, and after half an hour in any case."
        ),
    )
    remind_half = models.BooleanField(
        _("Remind me when half of the time for a turn is over"), default=True, db_default=True
    )
    remind_day = models.BooleanField(
        _("Remind me a day before a deadline"), default=True, db_default=True
    )
    remind_last = models.BooleanField(
        _("Remind me when the last tenth of a turn of three days or more begins"),
        default=False,
        db_default=False,
        help_text=_("Reminders come outside your quiet hours, unless that would be too late."),
    )
    last_seen_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True

    @property
    def zone(self) -> ZoneInfo:
        """The user's time zone."""
        raise NotImplementedError

    @property
    def reminders(self) -> tuple[str, ...]:
        """The reminders of a turn that the user wants, as games.clock names them."""
        wanted = {"half": self.remind_half, "day": self.remind_day, "last": self.remind_last}
        return tuple(which for which, is_wanted in wanted.items() if is_wanted)

    @property
    def quiet_hours(self) -> clock.QuietHours | None:
        """The quiet hours, if the user has any."""
        if self.quiet_from is None or self.quiet_until is None:
            return None
        return clock.QuietHours(self.quiet_from, self.quiet_until)

    def delivery_mode(self, kind: str) -> str:
        """Return the delivery mode of this kind; kinds without a setting are sent immediately."""
        return str(self.delivery_modes.get(kind, DeliveryMode.IMMEDIATE))

    def kinds_with_mode(self, mode: str) -> list[str]:
        """The kinds that are sent in this mode."""
        return [kind for kind, chosen in self.delivery_modes.items() if chosen == mode]

    def send_at(self, kind: str, now: datetime, until: datetime | None = None) -> datetime:
        """Return when to send an email of this kind that is queued now. One that would come after
        `until` is sent at once, even in quiet hours."""
        match self.delivery_mode(kind):
            case DeliveryMode.DIGEST:
                at = self.next_hour(self.digest_hour, now)
            case DeliveryMode.BATCHED:
                at = self.after_quiet(now + timedelta(minutes=self.gather_minutes))
            case _:
                at = self.after_quiet(now)
        return now if until is not None and at > until else at

    def hold_until(self, queued_at: datetime, now: datetime, *, digest: bool) -> datetime | None:
        """Return until when a due email must wait for quiet hours or for the user to leave the
        site; None if it may go. digest: its hour was chosen, so quiet hours do not matter."""
        until = now
        if self.hold_while_online and self.last_seen_at is not None:
            until = max(now, min(self.last_seen_at + ONLINE, queued_at + MAX_HOLD))
        if not digest:
            until = self.after_quiet(until)
        return until if until > now else None

    def after_quiet(self, at: datetime) -> datetime:
        """`at`, or the end of the quiet hours that it falls into."""
        return clock.after_quiet(at, self.quiet_hours, self.zone)

    def next_hour(self, hour: int, at: datetime) -> datetime:
        """Return when the user's clocks next show this full hour, after `at`."""
        return clock.next_hour(hour, at, self.zone)


PREFERENCES = tuple(field.name for field in NotificationPreferences._meta.fields if field.editable)


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
