"""Emails to send, and when regular tasks last ran.

An email is first a row, written in the transaction that is its reason; games.mail sends it later.
"""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import CheckConstraint, Index, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from .game import Game
from .mail_preferences import address_mask


class OutboxMail(models.Model):
    """One email to one address. `dedupe_key` says what it is about, so that it is queued once.

    kind: the name of one of games.mail.kinds. seat, seq: the seat it is for and the version of the
    game it is about. context: what the game itself does not say; "message_id" names the message
    that it answers. messages: those of players (pk) that it quotes. A row is claimed by setting
    `lease_until` and `lease_token`; after that it may be claimed anew, with the same `message_id`.
    batched_into: the email of which this row became a part, and whose result it shares. A parked
    row was refused again and again for no fault of its address; those that a turn waits for are
    tried again from time to time.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("queued")
        SENDING = "sending", _("sending")
        MERGED = "carried", _("sent with another email")
        SENT = "sent", _("sent")
        DROPPED = "dropped", _("dropped: no longer relevant")
        PARKED = "parked", _("refused, waiting for a moderator")
        DEAD = "dead", _("failed")

    kind = models.CharField(_("kind"), max_length=20)
    game = models.ForeignKey(
        Game, models.CASCADE, null=True, related_name="mails", verbose_name=_("game")
    )
    seat = models.PositiveSmallIntegerField(_("seat (from 0)"), null=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        related_name="mails",
        verbose_name=_("user"),
    )
    to_address = models.EmailField(_("to"))
    seq = models.PositiveIntegerField(_("event"), default=0)
    urgent = models.BooleanField(_("urgent"), default=False, db_default=False)
    dedupe_key = models.CharField(max_length=200, unique=True)
    message_id = models.CharField(_("Message-ID"), max_length=255, unique=True)
    context = models.JSONField(default=dict)
    messages = ArrayField(models.BigIntegerField(), default=list, db_default=[])
    state = models.CharField(_("state"), max_length=7, choices=State.choices, default=State.QUEUED)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    next_try_at = models.DateTimeField(_("next attempt"), default=timezone.now)
    lease_until = models.DateTimeField(_("lease ends"), null=True)
    lease_token = models.UUIDField(null=True)
    error = models.TextField(_("error"), blank=True, default="")
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    sent_at = models.DateTimeField(_("sent"), null=True)
    batched_into = models.ForeignKey(
        "self",
        models.CASCADE,
        null=True,
        related_name="merged",
        verbose_name=_("sent with"),
    )

    class Meta:
        verbose_name = _("outgoing email")
        verbose_name_plural = _("outgoing emails")
        indexes = (
            Index(
                fields=["next_try_at", "id"], condition=Q(state="queued"), name="games_outbox_due"
            ),
            Index(fields=["lease_until"], condition=Q(state="sending"), name="games_outbox_leased"),
            Index(fields=["-created_at"], condition=Q(state="dead"), name="games_outbox_dead"),
            Index(
                fields=["next_try_at", "id"],
                condition=Q(state="queued", urgent=True),
                name="games_outbox_urgent",
            ),
            Index(fields=["next_try_at"], condition=Q(state="parked"), name="games_outbox_parked"),
            Index(fields=["-created_at"], name="games_outbox_newest"),
            Index(fields=["user"], condition=Q(state="queued"), name="games_outbox_of_person"),
        )
        constraints = (
            CheckConstraint(
                condition=Q(
                    state__in=["queued", "sending", "carried", "sent", "dropped", "parked", "dead"]
                ),
                name="games_outbox_state",
            ),
            CheckConstraint(
                condition=Q(state="sending", lease_until__isnull=False)
                | (~Q(state="sending") & Q(lease_until__isnull=True)),
                name="games_outbox_leased_while_sending",
            ),
            CheckConstraint(
                condition=Q(state="sent", sent_at__isnull=False) | ~Q(state="sent"),
                name="games_outbox_sent_when",
            ),
            CheckConstraint(
                condition=~Q(state="carried") | Q(batched_into__isnull=False),
                name="games_outbox_carried_by_one",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} → {self.masked_address}"

    @property
    def masked_address(self) -> str:
        """The address as moderators see it."""
        return address_mask(self.to_address)


class MailTransport(models.Model):
    """Whether email can be sent: for all emails (`ALL`) or for one lane, "urgent" or "bulk".

    closed_at: None while it is open. retry_at: when one email is tried. pauses: how many such tries
    failed. words: the refusal. refusals: those of single emails in the last hour, by their
    fingerprint, with digests of the domains and the keys of the emails.
    """

    ALL = "all"

    name = models.CharField(_("emails"), max_length=10, primary_key=True)
    closed_at = models.DateTimeField(_("stopped"), null=True)
    retry_at = models.DateTimeField(_("next attempt"), null=True)
    pauses = models.PositiveSmallIntegerField(_("failed attempts"), default=0)
    words = models.TextField(_("reason"), blank=True, default="")
    refusals = models.JSONField(default=dict)

    class Meta:
        verbose_name = _("mail server")
        verbose_name_plural = _("mail server")
        constraints = (
            CheckConstraint(
                condition=Q(closed_at__isnull=True, retry_at__isnull=True)
                | Q(closed_at__isnull=False, retry_at__isnull=False),
                name="games_mailtransport_closed",
            ),
        )

    def __str__(self) -> str:
        return self.name


class Outage(models.Model):
    """A time in which the service did not work. Deadlines stood still; each game says so in its log
    when it is next written."""

    starts = models.DateTimeField()
    ends = models.DateTimeField()

    class Meta:
        constraints = (
            CheckConstraint(condition=Q(ends__gt=models.F("starts")), name="games_outage_order"),
        )

    def __str__(self) -> str:
        return f"{self.starts:%Y-%m-%d %H:%M} – {self.ends:%Y-%m-%d %H:%M}"


class Heartbeat(models.Model):
    """A recurring task, or a process of a host ("worker@host").

    at: when the task last ended, or when the process was last heard. started_at: when the task last
    began, or when the process was first heard; None if the process ended in order. refused: the
    recipients that a listener has refused since it started.

    SERVICE is no task: until `at`, which never goes back, the service worked or its outages are
    recorded. BACKUP is the last dump of the database that was checked. VERIFY is the last check of
    the logs that found all in order; started_at: when a later one found a fault; faults: the number
    of the first faulty event by public id of the table, 0 where the rows of the table differ.
    """

    BEAT = "beat"
    WORKER = "worker"
    BOTS = "bots"
    LISTENER = "listener"

    SERVICE = "service"
    BACKUP = "backup"
    VERIFY = "verify"

    name = models.CharField(max_length=100, primary_key=True)
    at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    refused = models.PositiveBigIntegerField(default=0, db_default=0)
    faults = models.JSONField(default=dict, db_default={})

    def __str__(self) -> str:
        return self.name
