"""The emails that a user wants, and when: fields of the user, and times computed from them.

Knows clocks and preferences, never games; games.mail.kinds has the kinds of email.
"""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import models
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
        """Until when a due email must wait for quiet hours or for the user to leave the site; None
        if it may go. digest: its hour was chosen, so quiet hours do not matter."""
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
