"""Tables and who sits at them: what lists, locks and deadlines need to know of a game.

The game itself is its log. `status`, `version`, `to_act`, `scores`, `winners` and the seats'
questions are copies made in the same transaction as the events; `manage.py verify` compares.
"""

from __future__ import annotations

import secrets

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

PACES = (1, 2, 3, 5, 7, 14)  # days a move may take

# The house bots have the names of sea gods, one for every seat of a table.
BOT_NAMES = ("Triton", "Galatea", "Nereus", "Amphitrite", "Proteus", "Leucothea", "Glaucus", "Ino")

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"  # base32, lower case: safe in URLs and aloud


def _random_word(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _place in range(length))


def new_public_id() -> str:
    """A name for a game in URLs: 12 characters, 60 bits, tells nothing and cannot be guessed."""
    return _random_word(12)


def new_token() -> str:
    """A secret for a link: 24 characters, 120 bits."""
    return _random_word(24)


class Game(models.Model):
    """A table of one game, from the first chair to the last score."""

    class Status(models.TextChoices):
        GATHERING = "gathering", gettext_lazy("waiting for players")
        RUNNING = "running", gettext_lazy("in progress")
        PAUSED = "paused", gettext_lazy("paused")
        FINISHED = "finished", gettext_lazy("finished")
        ABORTED = "aborted", gettext_lazy("cancelled")

    class ResignPolicy(models.TextChoices):
        BOT = "bot", gettext_lazy("a bot takes the seat")
        END = "end", gettext_lazy("the game ends")

    public_id = models.CharField(max_length=12, unique=True, default=new_public_id, editable=False)
    kind = models.CharField(max_length=20)  # a key of games.rules.GAMES
    name = models.CharField(gettext_lazy("name"), max_length=60)
    options = models.JSONField(default=dict)  # str → str, as the engine completed them
    seat_count = models.PositiveSmallIntegerField()
    pace_days = models.PositiveSmallIntegerField(gettext_lazy("days per move"), default=3)
    is_open = models.BooleanField(default=True)  # in the lobby; else by link only
    invite_token = models.CharField(max_length=24, unique=True, default=new_token, editable=False)
    resign_policy = models.CharField(
        max_length=3, choices=ResignPolicy.choices, default=ResignPolicy.BOT
    )
    host = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="hosted"
    )
    status = models.CharField(
        gettext_lazy("status"), max_length=9, choices=Status.choices, default=Status.GATHERING
    )
    version = models.PositiveIntegerField(default=0)  # seq of the last event
    seed = models.BinaryField(max_length=32, editable=False)  # a secret until table.revealed
    commitment = models.CharField(max_length=64, editable=False)
    to_act = ArrayField(models.PositiveSmallIntegerField(), default=list)
    scores = ArrayField(models.IntegerField(), null=True)
    winners = ArrayField(models.PositiveSmallIntegerField(), null=True)
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    paused_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    last_event_at = models.DateTimeField(default=timezone.now)
    rematch_of = models.ForeignKey("self", models.SET_NULL, null=True, related_name="rematches")

    class Meta:
        verbose_name = gettext_lazy("game")
        verbose_name_plural = gettext_lazy("games")
        indexes = (
            models.Index(
                fields=["-created_at"],
                condition=models.Q(status="gathering", is_open=True),
                name="games_game_lobby",
            ),
            models.Index(fields=["status", "-last_event_at"], name="games_game_by_status"),
        )
        constraints = (
            models.CheckConstraint(
                condition=models.Q(seat_count__range=(2, 8)), name="games_game_seats"
            ),
            models.CheckConstraint(condition=models.Q(pace_days__in=PACES), name="games_game_pace"),
            models.CheckConstraint(
                condition=models.Q(
                    status__in=["gathering", "running", "paused", "finished", "aborted"]
                ),
                name="games_game_status",
            ),
            models.CheckConstraint(
                condition=models.Q(resign_policy__in=["bot", "end"]), name="games_game_policy"
            ),
            models.CheckConstraint(
                condition=models.Q(status="paused", paused_at__isnull=False)
                | (~models.Q(status="paused") & models.Q(paused_at__isnull=True)),
                name="games_game_paused_since",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["finished", "aborted"], ended_at__isnull=False)
                | (~models.Q(status__in=["finished", "aborted"]) & models.Q(ended_at__isnull=True)),
                name="games_game_ended_at",
            ),
            models.UniqueConstraint(
                fields=["rematch_of"],
                condition=~models.Q(status="aborted"),
                name="games_game_one_rematch",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def is_over(self) -> bool:
        """Nothing more can happen; nothing is secret any more once the seed is in the log."""
        return self.status in (self.Status.FINISHED, self.Status.ABORTED)


class Seat(models.Model):
    """A chair at a table and the question that waits for whoever sits on it.

    A seat that is asked to act has `asked_seq` (the version at which it was asked: the name of
    the turn), `asked_at` and, unless a bot sits there or the table is paused, `due_at`. While
    the table is paused `time_left` keeps what was left until the deadline.
    """

    game = models.ForeignKey(Game, models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()  # in the log and the rules; no gaps
    # Which of the table's `seat_count` places, while some are still free; the numbers follow them.
    place = models.PositiveSmallIntegerField(default=0)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="seats"
    )
    is_bot = models.BooleanField(default=False)
    joined_at = models.DateTimeField(default=timezone.now)
    asked_seq = models.PositiveIntegerField(null=True)
    asked_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    time_left = models.DurationField(null=True)
    remind_at = models.DateTimeField(null=True)  # when the next reminder is due
    overdue = models.BooleanField(default=False)  # the passed deadline is in the log
    mails_off = models.BooleanField(default=False)

    class Meta:
        ordering = ("game", "number")
        indexes = (
            models.Index(
                fields=["due_at"],
                condition=models.Q(due_at__isnull=False, overdue=False),
                name="games_seat_due",
            ),
            models.Index(
                fields=["remind_at"],
                condition=models.Q(remind_at__isnull=False),
                name="games_seat_remind",
            ),
            models.Index(
                fields=["user", "due_at"],
                condition=models.Q(asked_seq__isnull=False),
                name="games_seat_waits",
            ),
            models.Index(
                fields=["game"],
                condition=models.Q(asked_seq__isnull=False, is_bot=True),
                name="games_seat_bot_waits",
            ),
        )
        constraints = (
            models.UniqueConstraint(
                fields=["game", "number"],
                name="games_seat_number_once",
                deferrable=models.Deferrable.IMMEDIATE,  # seats move down in one statement
            ),
            models.UniqueConstraint(fields=["game", "user"], name="games_seat_user_once"),
            models.CheckConstraint(
                condition=models.Q(is_bot=False) | models.Q(user__isnull=True),
                name="games_seat_bot_or_person",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    asked_seq__isnull=True, asked_at__isnull=True, due_at__isnull=True
                )
                | models.Q(asked_seq__isnull=False, asked_at__isnull=False),
                name="games_seat_asked_whole",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Who sits here, for everybody to read."""
        if self.is_bot:
            return _("%(name)s (bot)") % {"name": BOT_NAMES[self.number % len(BOT_NAMES)]}
        if self.user is None:
            return _("Former player")
        return self.user.name

    def clear_clock(self) -> None:
        """Forget the deadline, the reminder and what a pause left of the time. Does not save."""
        self.due_at = self.time_left = self.remind_at = None
        self.overdue = False


class TableNote(models.Model):
    """A word to the table that came with a move; outside the log, so that it can be deleted."""

    game = models.ForeignKey(
        Game, models.CASCADE, related_name="notes", verbose_name=gettext_lazy("game")
    )
    seq = models.PositiveIntegerField(
        gettext_lazy("event"),
    )  # the first event of the move it came with
    seat = models.PositiveSmallIntegerField(
        gettext_lazy("seat (from 0)"),
    )
    text = models.CharField(gettext_lazy("text"), max_length=500)
    at = models.DateTimeField(gettext_lazy("created"), default=timezone.now)

    class Meta:
        verbose_name = gettext_lazy("note")
        verbose_name_plural = gettext_lazy("notes")
        ordering = ("game", "seq")
        constraints = (
            models.UniqueConstraint(fields=["game", "seq"], name="games_tablenote_once"),
        )

    def __str__(self) -> str:
        return self.text


class Invitation(models.Model):
    """A chair offered to an address by mail; the link is the token."""

    class Answer(models.TextChoices):
        NONE = "", gettext_lazy("no answer yet")
        ACCEPTED = "accepted", gettext_lazy("accepted")
        DECLINED = "declined", gettext_lazy("declined")

    game = models.ForeignKey(
        Game, models.CASCADE, related_name="invitations", verbose_name=gettext_lazy("game")
    )
    address = models.EmailField(
        gettext_lazy("to"),
    )
    token = models.CharField(max_length=24, unique=True, default=new_token, editable=False)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="invitations_sent",
        verbose_name=gettext_lazy("by"),
    )
    created_at = models.DateTimeField(gettext_lazy("created"), default=timezone.now)
    answered_at = models.DateTimeField(gettext_lazy("answered"), null=True)
    answer = models.CharField(
        gettext_lazy("reply"), max_length=8, choices=Answer.choices, blank=True, default=""
    )

    class Meta:
        verbose_name = gettext_lazy("invitation")
        verbose_name_plural = gettext_lazy("invitations")
        indexes = (
            models.Index(fields=["invited_by", "-created_at"], name="games_invitation_rate"),
        )
        constraints = (
            models.UniqueConstraint(fields=["game", "address"], name="games_invitation_once"),
        )

    def __str__(self) -> str:
        return self.address
