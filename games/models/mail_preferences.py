"""Which mails a person wants and when: fields of the person and the hours that follow from them.

Knows clocks and choices, never games: which mail is of which kind is the outbox's to know.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.db import models
from django.utils.translation import gettext_lazy

HERE = timedelta(minutes=5)  # so long after the last page somebody counts as on the site …
HERE_AT_MOST = timedelta(minutes=30)  # … and so long at most it holds back a mail
GATHER_MINUTES = (0, 15, 60)


class Way(models.TextChoices):
    """How mails of one kind come."""

    ONCE = "once", gettext_lazy("immediately")
    GATHER = "gather", gettext_lazy("grouped with others")
    DIGEST = "digest", gettext_lazy("in the daily digest")
    NONE = "none", gettext_lazy("never")


class MailWishes(models.Model):
    """What a person has chosen; as it is for somebody who has chosen nothing, all comes at once.

    mail_ways: kind → Way, where it is not ONCE. mail_ways_before: what one click has turned off
    and can turn on again. quiet_from, quiet_until: full hours of the person's own zone, both or
    neither. mail_waits: not while I am on the site; seen_at is kept for those only.
    """

    mail_ways = models.JSONField(default=dict, blank=True)
    mail_ways_before = models.JSONField(default=dict, blank=True)
    gather_minutes = models.PositiveSmallIntegerField(default=15)
    digest_hour = models.PositiveSmallIntegerField(default=8)
    quiet_from = models.PositiveSmallIntegerField(null=True, blank=True)
    quiet_until = models.PositiveSmallIntegerField(null=True, blank=True)
    mail_waits = models.BooleanField(default=False)
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def zone(self) -> ZoneInfo:
        """The person's own time zone."""
        raise NotImplementedError

    def way(self, kind: str) -> str:
        """How mails of this kind come; those that nobody can choose come at once."""
        return str(self.mail_ways.get(kind, Way.ONCE))

    def kinds(self, way: str) -> list[str]:
        """The kinds that come this way."""
        return [kind for kind in self.mail_ways if self.mail_ways[kind] == way]

    def mail_from(self, kind: str, now: datetime, of_use_until: datetime | None = None) -> datetime:
        """The moment for a mail of this kind that is written now. of_use_until: what would come
        after that comes at once, at whatever hour."""
        match self.way(kind):
            case Way.DIGEST:
                wanted = self.next_hour(self.digest_hour, now)
            case Way.GATHER:
                wanted = self.after_quiet(now + timedelta(minutes=self.gather_minutes))
            case _:
                wanted = self.after_quiet(now)
        return now if of_use_until is not None and wanted > of_use_until else wanted

    def rest_until(self, written_at: datetime, now: datetime, *, digest: bool) -> datetime | None:
        """Until when a mail that is due has to wait, None where it may go: quiet hours, and being
        on the site, which delays but cannot keep a mail back for good. digest: its hour was
        chosen, quiet or not."""
        until = now
        if self.mail_waits and self.seen_at is not None:
            until = max(now, min(self.seen_at + HERE, written_at + HERE_AT_MOST))
        if not digest:
            until = self.after_quiet(until)
        return until if until > now else None

    def after_quiet(self, at: datetime) -> datetime:
        """This moment, or the end of the quiet hours that it falls into."""
        if self.quiet_from is None or self.quiet_until is None:
            return at
        hour = at.astimezone(self.zone).hour
        if self.quiet_from < self.quiet_until:
            quiet = self.quiet_from <= hour < self.quiet_until
        else:
            quiet = hour >= self.quiet_from or hour < self.quiet_until
        return self.next_hour(self.quiet_until, at) if quiet else at

    def next_hour(self, hour: int, at: datetime) -> datetime:
        """When the clocks where the person lives next show this full hour, after `at`."""
        day = at.astimezone(self.zone).date()
        for later in range(3):
            found = datetime.combine(day + timedelta(days=later), time(hour), self.zone)
            if found.astimezone(at.tzinfo) > at:
                return found.astimezone(at.tzinfo)
        raise AssertionError("there is such an hour on every day")
