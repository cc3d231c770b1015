"""Emails to send, and when regular tasks last ran.

An email is first a row, written in the transaction that is its reason; games.mail sends it later.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy

from .game import Game


class OutboxMail(models.Model):
    """One email to one address. `dedupe_key` says what it is about, so that it is queued once.

    kind: the name of one of games.mail.kinds. seat, seq: the seat it is for and the version of the
    game it is about. context: what the game itself does not say; "message_id" names the message
    that it answers. A row is claimed by setting `lease_until` and `lease_token`; after that it may
    be claimed anew, with the same `message_id`. batched_into: the email of which this row became a
    part, and whose result it shares.
    """

    class State(models.TextChoices):
        QUEUED = "queued", gettext_lazy("queued")
        SENDING = "sending", gettext_lazy("sending")
        MERGED = "carried", gettext_lazy("sent with another email")
        SENT = "sent", gettext_lazy("sent")
        DROPPED = "dropped", gettext_lazy("dropped: no longer relevant")
        DEAD = "dead", gettext_lazy("failed")

    kind = models.CharField(gettext_lazy("kind"), max_length=20)
    game = models.ForeignKey(
        Game, models.CASCADE, null=True, related_name="mails", verbose_name=gettext_lazy("game")
    )
    seat = models.PositiveSmallIntegerField(gettext_lazy("seat (from 0)"), null=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        related_name="mails",
        verbose_name=gettext_lazy("user"),
    )
    to_address = models.EmailField(
        gettext_lazy("to"),
    )
    seq = models.PositiveIntegerField(gettext_lazy("event"), default=0)
    dedupe_key = models.CharField(max_length=200, unique=True)
    message_id = models.CharField(gettext_lazy("Message-ID"), max_length=255, unique=True)
    context = models.JSONField(default=dict)
    state = models.CharField(
        gettext_lazy("state"), max_length=7, choices=State.choices, default=State.QUEUED
    )
    attempts = models.PositiveSmallIntegerField(gettext_lazy("attempts"), default=0)
    next_try_at = models.DateTimeField(gettext_lazy("next attempt"), default=timezone.now)
    lease_until = models.DateTimeField(gettext_lazy("lease ends"), null=True)
    lease_token = models.UUIDField(null=True)
    error = models.TextField(gettext_lazy("error"), blank=True, default="")
    created_at = models.DateTimeField(gettext_lazy("created"), default=timezone.now)
    sent_at = models.DateTimeField(gettext_lazy("sent"), null=True)
    batched_into = models.ForeignKey(
        "self",
        models.CASCADE,
        null=True,
        related_name="merged",
        db_column="carrier_id",
        verbose_name=gettext_lazy("sent with"),
    )

    class Meta:
        verbose_name = gettext_lazy("outgoing email")
        verbose_name_plural = gettext_lazy("outgoing emails")
        indexes = (
            models.Index(
                fields=["next_try_at", "id"],
                condition=models.Q(state="queued"),
                name="games_outbox_due",
            ),
            models.Index(
                fields=["lease_until"],
                condition=models.Q(state="sending"),
                name="games_outbox_leased",
            ),
            models.Index(
                fields=["-created_at"], condition=models.Q(state="dead"), name="games_outbox_dead"
            ),
            models.Index(fields=["-created_at"], name="games_outbox_newest"),
            models.Index(
                fields=["user"],
                condition=models.Q(state="queued"),
                name="games_outbox_of_person",
            ),
        )
        constraints = (
            models.CheckConstraint(
                condition=models.Q(
                    state__in=["queued", "sending", "carried", "sent", "dropped", "dead"]
                ),
                name="games_outbox_state",
            ),
            models.CheckConstraint(
                condition=models.Q(state="sending", lease_until__isnull=False)
                | (~models.Q(state="sending") & models.Q(lease_until__isnull=True)),
                name="games_outbox_leased_while_sending",
            ),
            models.CheckConstraint(
                condition=models.Q(state="sent", sent_at__isnull=False) | ~models.Q(state="sent"),
                name="games_outbox_sent_when",
            ),
            models.CheckConstraint(
                condition=~models.Q(state="carried") | models.Q(batched_into__isnull=False),
                name="games_outbox_carried_by_one",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} → {self.to_address}"


class Heartbeat(models.Model):
    """When a recurring task last ran."""

    BEAT = "beat"

    name = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
