"""Incoming emails, stored whole before they are processed, and what became of each.

An email is a row first, so that no crash loses it, and is processed later, exactly once. Only
games.inbound writes these rows. Moderators see the line that was read and the answer, not the
email.
"""

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Index, Q
from django.utils import timezone
from django.utils.formats import localize
from django.utils.translation import gettext_lazy as _

from .game import Game
from .outbox import OutboxMail


class InboundMail(models.Model):
    """An email to one of our reply addresses.

    raw: the email as it came, its beginning if it was larger than is stored (`is_truncated`), and
    emptied after some days. sender, recipient: of the envelope; "" is the null sender. key:
    identifies the email; one that comes twice is one row with `copies` 2. channel: how it came,
    which decides whose statements about its sender count. line: the first line of its writer.
    letter: all that was read, see games.inbound.letter.
    """

    class Channel(models.TextChoices):
        OPEN = "open", _("SMTP, any sender")
        RELAY = "relay", _("SMTP, trusted mail server")
        WEBHOOK = "webhook", _("email provider webhook")
        PIPE = "pipe", _("pipe")
        LOCAL = "local", _("this server")

    class State(models.TextChoices):
        NEW = "new", _("waiting")
        DONE = "done", _("processed")
        FAILED = "failed", _("failed")

    class SenderCheck(models.TextChoices):
        """Whether the email is known to come from the user's own address."""

        PASS = "pass", _("authenticated")
        FAIL = "fail", _("authentication failed")
        UNKNOWN = "unknown", _("not authenticated")
        STRANGER = "stranger", _("not an address of this player")

    class Outcome(models.TextChoices):
        NONE = "", _("not processed yet")
        # answered
        PLAYED = "played", _("move made")
        REPEATED = "repeated", _("move already made")
        ORDERED = "ordered", _("command carried out")
        SHOWN = "shown", _("information sent")
        ASKED = "asked", _("asked to confirm resignation")
        CONFIRM = "confirm", _("asked to confirm by link")
        UNCLEAR = "unclear", _("not understood")
        REFUSED = "refused", _("illegal move, or not possible now")
        STALE = "stale", _("outdated turn")
        LARGE = "large", _("too large")
        LIMIT = "limit", _("too many emails")
        # silence
        NOT_OURS = "not_ours", _("not one of our addresses")
        GONE = "gone", _("seat has no player")
        AUTO = "auto", _("automatic reply")
        BOUNCE = "bounce", _("bounce or no sender")
        OWN = "own", _("our own email")
        FROM = "from", _("more than one sender")
        STRANGER = "stranger", _("sent by someone else")
        QUIET = "quiet", _("over the limit, dropped silently")
        REACTION = "reaction", _("reaction, not answered")
        BROKEN = "broken", _("malformed message")

    channel = models.CharField(_("channel"), max_length=7, choices=Channel.choices)
    sender = models.CharField(max_length=320, null=True)  # None: unknown
    recipient = models.CharField(max_length=320)
    key = models.CharField(max_length=64, unique=True)
    copies = models.PositiveIntegerField(_("duplicates"), default=1)
    raw = models.BinaryField()
    is_truncated = models.BooleanField(_("truncated"), default=False)
    received_at = models.DateTimeField(_("received"), default=timezone.now)

    state = models.CharField(_("state"), max_length=6, choices=State.choices, default=State.NEW)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    next_try_at = models.DateTimeField(_("next attempt"), default=timezone.now)
    error = models.TextField(_("error"), blank=True, default="")

    game = models.ForeignKey(
        Game, models.CASCADE, null=True, related_name="inbound_mails", verbose_name=_("game")
    )
    seat = models.PositiveSmallIntegerField(_("seat (from 0)"), null=True)
    seq = models.PositiveIntegerField(_("event"), default=0)  # the position that the reply answers
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="inbound_mails",
        verbose_name=_("user"),
    )
    sender_check = models.CharField(
        _("sender check"),
        max_length=8,
        choices=SenderCheck.choices,
        blank=True,
        default="",
    )
    line = models.CharField(_("line read"), max_length=1000, blank=True, default="")
    letter = models.JSONField(_("text read"), null=True, blank=True, default=None)
    # What a reply of "yes" to the answer does: a move in notation, or to write to the table.
    offer = models.CharField(
        _("line offered"), max_length=1000, blank=True, default="", db_default=""
    )
    message_id = models.CharField(_("Message-ID"), max_length=255, blank=True, default="")
    outcome = models.CharField(
        _("outcome"),
        max_length=8,
        choices=Outcome.choices,
        blank=True,
        default="",
    )
    answer = models.ForeignKey(
        OutboxMail, models.SET_NULL, null=True, related_name="answers_to", verbose_name=_("reply")
    )
    read_at = models.DateTimeField(_("processed"), null=True)
    confirmed_at = models.DateTimeField(_("confirmed"), null=True)

    class Meta:
        verbose_name = _("incoming email")
        verbose_name_plural = _("incoming emails")
        indexes = (
            Index(fields=["next_try_at", "id"], condition=Q(state="new"), name="games_inbound_due"),
            Index(fields=["game", "seat", "-received_at"], name="games_inbound_by_seat"),
            Index(fields=["user", "-received_at"], name="games_inbound_by_person"),
            Index(fields=["-received_at"], name="games_inbound_newest"),
            Index(
                fields=["-received_at"], condition=Q(state="failed"), name="games_inbound_failed"
            ),
            Index(
                fields=["message_id"],
                condition=Q(message_id__gt=""),
                name="games_inbound_message_id",
            ),
        )
        constraints = (
            CheckConstraint(
                condition=Q(state__in=["new", "done", "failed"]), name="games_inbound_state"
            ),
            CheckConstraint(
                condition=Q(state="done", read_at__isnull=False) | ~Q(state="done"),
                name="games_inbound_read_when",
            ),
        )

    def __str__(self) -> str:
        # Never the recipient, which is a key to the seat.
        failed = self.state == self.State.FAILED
        became = self.get_state_display() if failed else self.get_outcome_display()
        return f"{localize(timezone.localtime(self.received_at))} {became}"

    @property
    def failure(self) -> str:
        """The name of the error because of which nothing was done, "" for none. The error itself
        may quote the text of the reply."""
        return self.error.partition("(")[0] if self.state == self.State.FAILED else ""
