"""Incoming emails, stored whole before they are processed, and what became of each.

An email is a row first, so that no crash loses it, and is processed later, exactly once. Only
games.inbound writes these rows. Moderators see the line that was read and the answer, not the email.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy

from .game import Game
from .outbox import OutboxMail


class InboundMail(models.Model):
    """An email to one of our reply addresses.

    raw: the email as it came, truncated if it was too large (`cut`), and emptied after some days.
    sender, recipient: of the envelope; "" is the null sender. key: identifies the email; one that
    comes twice is one row with `copies` 2. door: the channel by which it came, which decides whose
    statements about its sender count. line: the one line that was read as a command or a move.
    """

    class Channel(models.TextChoices):
        OPEN = "open", gettext_lazy("SMTP, any sender")
        RELAY = "relay", gettext_lazy("SMTP, trusted mail server")
        WEBHOOK = "webhook", gettext_lazy("email provider webhook")
        PIPE = "pipe", gettext_lazy("pipe")
        LOCAL = "local", gettext_lazy("this server")

    class State(models.TextChoices):
        NEW = "new", gettext_lazy("waiting")
        DONE = "done", gettext_lazy("processed")
        FAILED = "failed", gettext_lazy("failed")

    class SenderCheck(models.TextChoices):
        """Whether the email is known to come from the user's own address."""

        PASS = "pass", gettext_lazy("authenticated")
        FAIL = "fail", gettext_lazy("authentication failed")
        UNKNOWN = "unknown", gettext_lazy("not authenticated")
        STRANGER = "stranger", gettext_lazy("not an address of this player")

    class Outcome(models.TextChoices):
        NONE = "", gettext_lazy("not processed yet")
        # answered
        PLAYED = "played", gettext_lazy("move made")
        REPEATED = "repeated", gettext_lazy("move already made")
        ORDERED = "ordered", gettext_lazy("command carried out")
        SHOWN = "shown", gettext_lazy("information sent")
        ASKED = "asked", gettext_lazy("asked to confirm resignation")
        CONFIRM = "confirm", gettext_lazy("asked to confirm by link")
        UNCLEAR = "unclear", gettext_lazy("not understood")
        REFUSED = "refused", gettext_lazy("illegal move, or not possible now")
        STALE = "stale", gettext_lazy("outdated turn")
        LARGE = "large", gettext_lazy("too large")
        LIMIT = "limit", gettext_lazy("too many emails")
        # silence
        NOT_OURS = "not_ours", gettext_lazy("not one of our addresses")
        GONE = "gone", gettext_lazy("seat has no player")
        AUTO = "auto", gettext_lazy("automatic reply")
        BOUNCE = "bounce", gettext_lazy("bounce or no sender")
        OWN = "own", gettext_lazy("our own email")
        FROM = "from", gettext_lazy("more than one sender")
        STRANGER = "stranger", gettext_lazy("sent by someone else")
        QUIET = "quiet", gettext_lazy("over the limit, dropped silently")
        BROKEN = "broken", gettext_lazy("malformed message")

    door = models.CharField(gettext_lazy("channel"), max_length=7, choices=Channel.choices)
    sender = models.CharField(max_length=320, null=True)  # None: unknown
    recipient = models.CharField(max_length=320)
    key = models.CharField(max_length=64, unique=True)
    copies = models.PositiveIntegerField(gettext_lazy("duplicates"), default=1)
    raw = models.BinaryField()
    cut = models.BooleanField(gettext_lazy("truncated"), default=False)
    received_at = models.DateTimeField(gettext_lazy("received"), default=timezone.now)

    state = models.CharField(
        gettext_lazy("state"), max_length=6, choices=State.choices, default=State.NEW
    )
    attempts = models.PositiveSmallIntegerField(gettext_lazy("attempts"), default=0)
    next_try_at = models.DateTimeField(gettext_lazy("next attempt"), default=timezone.now)
    error = models.TextField(gettext_lazy("error"), blank=True, default="")

    game = models.ForeignKey(
        Game,
        models.CASCADE,
        null=True,
        related_name="letters_in",
        verbose_name=gettext_lazy("game"),
    )
    seat = models.PositiveSmallIntegerField(gettext_lazy("seat (from 0)"), null=True)
    seq = models.PositiveIntegerField(
        gettext_lazy("event"), default=0
    )  # the position that the reply answers
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="letters_in",
        verbose_name=gettext_lazy("user"),
    )
    authentic = models.CharField(
        gettext_lazy("sender check"),
        max_length=8,
        choices=SenderCheck.choices,
        blank=True,
        default="",
    )
    line = models.CharField(gettext_lazy("line read"), max_length=1000, blank=True, default="")
    note = models.CharField(gettext_lazy("note"), max_length=500, blank=True, default="")
    message_id = models.CharField(
        gettext_lazy("Message-ID"), max_length=255, blank=True, default=""
    )
    verdict = models.CharField(
        gettext_lazy("outcome"),
        max_length=8,
        choices=Outcome.choices,
        blank=True,
        default="",
    )
    answer = models.ForeignKey(
        OutboxMail,
        models.SET_NULL,
        null=True,
        related_name="answers_to",
        verbose_name=gettext_lazy("reply"),
    )
    read_at = models.DateTimeField(gettext_lazy("processed"), null=True)
    confirmed_at = models.DateTimeField(gettext_lazy("confirmed"), null=True)

    class Meta:
        verbose_name = gettext_lazy("incoming email")
        verbose_name_plural = gettext_lazy("incoming emails")
        indexes = (
            models.Index(
                fields=["next_try_at", "id"],
                condition=models.Q(state="new"),
                name="games_inbound_due",
            ),
            models.Index(fields=["game", "seat", "-received_at"], name="games_inbound_by_seat"),
            models.Index(fields=["user", "-received_at"], name="games_inbound_by_person"),
            models.Index(fields=["-received_at"], name="games_inbound_newest"),
        )
        constraints = (
            models.CheckConstraint(
                condition=models.Q(state__in=["new", "done", "failed"]), name="games_inbound_state"
            ),
            models.CheckConstraint(
                condition=models.Q(state="done", read_at__isnull=False) | ~models.Q(state="done"),
                name="games_inbound_read_when",
            ),
        )

    def __str__(self) -> str:
        # Never the recipient, which is a key to the seat.
        return f"{self.received_at:%Y-%m-%d %H:%M} {self.get_verdict_display()}"
