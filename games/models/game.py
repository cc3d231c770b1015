"""Games and their seats: projections of the log for lists, locks and deadlines.

The log is the game. `status`, `version`, `to_act`, `scores`, `winners` and the clocks of the seats
are written in the same transaction as the events; `manage.py verify` compares them with the log.
"""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import CheckConstraint, Index, Q, UniqueConstraint
from django.db.models.functions import Collate, Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.rules.bots import Level

from .names import bot_name, former_player, names_at_table

if TYPE_CHECKING:
    from .people import User

PACES = (0, 1, 2, 3, 5, 7, 14)  # days per move that a host can choose; 0: half a day
HALF_DAY = 12  # hours per move where there are no days
SHARES = (0, 50, 80, 90, 95)  # percent of turns in time that a host can ask for
BANKS = (0, 1, 2, 3, 5, 7, 14)  # days in the time bank of each seat that a host can choose
MAX_PACE = 60
WAITS_FOR = timedelta(days=3)  # after that without news, the host of a waiting table gets an email
CLOSES_AFTER = timedelta(days=30)  # then the table is closed

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"  # base32: no 0 and o, no 1 and l


def _random_word(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _place in range(length))


def new_public_id() -> str:
    """The name of a game in URLs: 12 characters, 60 bits; cannot be guessed."""
    return _random_word(12)


def new_token() -> str:
    """The secret of a link: 26 characters, 130 bits."""
    return _random_word(26)


class BotLevel(models.TextChoices):
    """The level of a bot, as a host chooses it."""

    EASY = Level.EASY.value, _("easy")
    NORMAL = Level.NORMAL.value, _("normal")
    STRONG = Level.STRONG.value, _("strong")


class Game(models.Model):
    """A game from its lobby to its result.

    options: str → str, as the rules completed them. seed, commitment: see games.rules.chance; the
    seed is secret until it is in the log. host: may start the game and step in for late players.
    practice: one person against bots, without deadlines. circle: for which it was made; its members
    may watch and join.
    """

    class Status(models.TextChoices):
        GATHERING = "gathering", _("waiting for players")
        RUNNING = "running", _("in progress")
        PAUSED = "paused", _("paused")
        FINISHED = "finished", _("finished")
        ABORTED = "aborted", _("cancelled")

    class ResignPolicy(models.TextChoices):
        BOT = "bot", _("a bot takes the seat")
        END = "end", _("the game ends")

    class TimeoutPolicy(models.TextChoices):
        WAIT = "wait", _("the game waits, and the host can step in")
        MOVE = "move", _("a bot plays this turn")
        SEAT1 = "seat1", _("a bot takes the seat")
        SEAT2 = "seat2", _("a bot plays this turn; after two misses in a row it takes the seat")
        SEAT3 = "seat3", _("a bot plays this turn; after three misses in a row it takes the seat")
        OPEN = (
            "open",
            _(
                "a bot plays this turn; after two misses in a row others can take over the seat, "
                "and the bot plays until someone does"
            ),
        )

    public_id = models.CharField(max_length=12, unique=True, default=new_public_id, editable=False)
    kind = models.CharField(max_length=20)  # a key of games.rules.GAMES
    name = models.CharField(_("name"), max_length=60)
    options = models.JSONField(default=dict)
    seat_count = models.PositiveSmallIntegerField()
    pace_days = models.PositiveSmallIntegerField(_("days per move"), default=3)
    pace_hours = models.PositiveSmallIntegerField(default=0, db_default=0)  # besides the days
    bank_days = models.PositiveSmallIntegerField(default=0, db_default=0)
    bank_returns = models.BooleanField(default=False, db_default=False)
    weekends_off = models.BooleanField(default=False, db_default=False)
    min_in_time = models.PositiveSmallIntegerField(default=0, db_default=0)  # percent, to join
    newcomers = models.BooleanField(default=True, db_default=True)  # also join without figures
    is_open = models.BooleanField(default=True)  # listed, and everybody may watch
    practice = models.BooleanField(default=False, db_default=False)
    talk_open = models.BooleanField(default=True, db_default=True)  # players may write messages
    invite_token = models.CharField(max_length=26, unique=True, default=new_token, editable=False)
    resign_policy = models.CharField(
        max_length=3, choices=ResignPolicy.choices, default=ResignPolicy.BOT
    )
    timeout_policy = models.CharField(
        max_length=5,
        choices=TimeoutPolicy.choices,
        default=TimeoutPolicy.SEAT2,
        db_default=TimeoutPolicy.WAIT,  # for tables from before there was a choice
    )
    host = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="hosted"
    )
    status = models.CharField(
        _("status"), max_length=9, choices=Status.choices, default=Status.GATHERING
    )
    version = models.PositiveIntegerField(default=0)  # seq of the last event
    seed = models.BinaryField(max_length=32, editable=False)
    commitment = models.CharField(max_length=64, editable=False)
    outage_id = models.PositiveIntegerField(default=0, db_default=0)  # the last one in the log
    # When the open vote closes, or the pause ends that was voted.
    vote_due_at = models.DateTimeField(null=True)
    to_act = ArrayField(models.PositiveSmallIntegerField(), default=list)
    scores = ArrayField(models.IntegerField(), null=True)
    winners = ArrayField(models.PositiveSmallIntegerField(), null=True)
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    paused_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    last_event_at = models.DateTimeField(default=timezone.now)
    circle = models.ForeignKey("games.Circle", models.SET_NULL, null=True, related_name="games")
    rematch_of = models.ForeignKey("self", models.SET_NULL, null=True, related_name="rematches")

    class Meta:
        verbose_name = _("game")
        verbose_name_plural = _("games")
        indexes = (
            Index(
                fields=["-created_at"],
                condition=Q(status="gathering", is_open=True),
                name="games_game_lobby",
            ),
            Index(
                fields=["created_at"], condition=Q(status="gathering"), name="games_game_waiting"
            ),
            # Not by `last_event_at`: each move changes it, and would then write all indexes of the
            # row.
            Index(
                fields=["-started_at"],
                condition=Q(status="running", is_open=True),
                name="games_game_running",
            ),
            Index(
                fields=["vote_due_at"],
                condition=Q(vote_due_at__isnull=False),
                name="games_game_vote_due",
            ),
            Index(fields=["outage_id"], condition=Q(status="running"), name="games_game_outages"),
            Index(
                fields=["ended_at", "id"],
                condition=Q(ended_at__isnull=False),
                name="games_game_ended",
            ),
            # For the beginning of a name, in any case: PostgreSQL compares patterns by this order.
            Index(Collate(Lower("name"), "C"), name="games_game_name_begins"),
        )
        constraints = (
            CheckConstraint(condition=Q(seat_count__range=(1, 8)), name="games_game_seats"),
            CheckConstraint(
                condition=Q(pace_days__range=(1, MAX_PACE), pace_hours=0)
                | Q(pace_days=0, pace_hours__range=(1, 23)),
                name="games_game_pace",
            ),
            CheckConstraint(condition=Q(bank_days__lte=max(BANKS)), name="games_game_bank"),
            CheckConstraint(
                condition=Q(status__in=["gathering", "running", "paused", "finished", "aborted"]),
                name="games_game_status",
            ),
            CheckConstraint(
                condition=Q(resign_policy__in=["bot", "end"]), name="games_game_policy"
            ),
            CheckConstraint(
                condition=Q(timeout_policy__in=["wait", "move", "seat1", "seat2", "seat3", "open"]),
                name="games_game_timeout_policy",
            ),
            CheckConstraint(
                condition=Q(status="paused", paused_at__isnull=False)
                | (~Q(status="paused") & Q(paused_at__isnull=True)),
                name="games_game_paused_since",
            ),
            CheckConstraint(
                condition=Q(status__in=["finished", "aborted"], ended_at__isnull=False)
                | (~Q(status__in=["finished", "aborted"]) & Q(ended_at__isnull=True)),
                name="games_game_ended_at",
            ),
            UniqueConstraint(
                fields=["rematch_of"], condition=~Q(status="aborted"), name="games_game_one_rematch"
            ),
        )

    # Outages that the log does not know yet: (key, start, end). Set where the game is locked.
    new_outages: Sequence[tuple[int, datetime, datetime]] = ()
    # When the last note was written, the state of the talk, and when this reader last visited the
    # page. Set where the game is read for a page.
    noted_at: datetime | None = None
    talk_state: str = ""
    seen_at: datetime | None = None

    def __str__(self) -> str:
        return self.name

    @cached_property
    def seat_list(self) -> "list[Seat]":
        """The seats in order with their players, read once."""
        return list(self.seats.select_related("user").order_by("number"))

    @property
    def table_settings(self) -> "TableSettings":
        """What the host has chosen."""
        return TableSettings(
            **{name: getattr(self, name) for name in TableSettings.__struct_fields__}
        )

    @property
    def pace(self) -> timedelta:
        """The time per move."""
        return timedelta(days=self.pace_days, hours=self.pace_hours)

    @property
    def bank(self) -> timedelta:
        """The time bank that each seat begins with."""
        return timedelta(days=self.bank_days)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended; then nothing about it is secret."""
        return self.status in (self.Status.FINISHED, self.Status.ABORTED)


class TableSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a host chooses for a table, besides its name and its bots; a rematch has the same.

    pace_days: days per move, 0 for half a day. bank_days, bank_returns, weekends_off: see
    table_events.Created. min_in_time: the percentage of turns in time that players need in order to
    join; newcomers: whether people without such figures may join, too. is_open: the table is
    listed, and everybody may watch. practice: against bots, without deadlines and without emails.
    talk_open: whether players may write messages. circle_id: of the host, for which it is made.
    """

    seat_count: int
    options: Mapping[str, str] = {}
    pace_days: int = 3
    bank_days: int = 0
    bank_returns: bool = False
    weekends_off: bool = False
    min_in_time: int = 0
    newcomers: bool = True
    is_open: bool = True
    resign_policy: str = Game.ResignPolicy.BOT
    timeout_policy: str = Game.TimeoutPolicy.SEAT2
    practice: bool = False
    talk_open: bool = True
    circle_id: int | None = None


# Deadlines missed in a row until a bot takes the seat.
MISSES = {
    Game.TimeoutPolicy.SEAT1: 1,
    Game.TimeoutPolicy.SEAT2: 2,
    Game.TimeoutPolicy.SEAT3: 3,
    Game.TimeoutPolicy.OPEN: 2,
}


class Seat(models.Model):
    """A seat of a game, its player and its clock.

    bot_level: how well its bot plays, normal where a person sits. open_since: since when others may
    take it over, after its player missed deadlines.

    number: as in the log and the rules, without gaps. place: which of the game's `seat_count`
    places it takes, from when somebody sits down; numbers follow places. A seat that is asked to
    act has `asked_seq` (the version at which it was asked, which names the turn), `asked_at` and,
    unless a bot plays it or the game is paused, `due_at`. time_left: until the deadline, while the
    game is paused. clock_seq: the event with which its time began; the log says how
    the deadline moved since. remind_from: when its time would have begun
    if the clock had never stood still. remind_at: when the next reminder is due. bank_left: of the
    time bank, None for all of it; bank_from: from when on this turn uses it. overdue: the log says
    that the deadline has passed. talk_read: the last message (pk) that its player has had in the
    window.
    """

    # The index of games_seat_number_once begins with the game.
    game = models.ForeignKey(Game, models.CASCADE, related_name="seats", db_index=False)
    number = models.PositiveSmallIntegerField()
    place = models.PositiveSmallIntegerField(default=0)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="seats"
    )
    is_bot = models.BooleanField(default=False)
    bot_level = models.CharField(
        max_length=6, choices=BotLevel.choices, default=BotLevel.NORMAL, db_default=BotLevel.NORMAL
    )
    joined_at = models.DateTimeField(default=timezone.now)
    open_since = models.DateTimeField(null=True)
    asked_seq = models.PositiveIntegerField(null=True)
    asked_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    time_left = models.DurationField(null=True)
    clock_seq = models.PositiveIntegerField(null=True)
    bank_left = models.DurationField(null=True)
    bank_from = models.DateTimeField(null=True)
    remind_from = models.DateTimeField(null=True)
    remind_at = models.DateTimeField(null=True)
    overdue = models.BooleanField(default=False)
    mails_off = models.BooleanField(default=False)
    talk_read = models.PositiveBigIntegerField(default=0, db_default=0)

    class Meta:
        ordering = ("game", "number")
        indexes = (
            Index(
                fields=["due_at"],
                condition=Q(due_at__isnull=False, overdue=False),
                name="games_seat_due",
            ),
            Index(fields=["due_at"], condition=Q(overdue=True), name="games_seat_overdue"),
            Index(
                fields=["remind_at"], condition=Q(remind_at__isnull=False), name="games_seat_remind"
            ),
            Index(
                fields=["user", "due_at"],
                condition=Q(asked_seq__isnull=False),
                name="games_seat_waits",
            ),
            Index(
                fields=["game"],
                condition=Q(open_since__isnull=False),
                name="games_seat_open",
            ),
            Index(
                fields=["game"],
                condition=Q(asked_seq__isnull=False, is_bot=True),
                name="games_seat_bot_waits",
            ),
        )
        constraints = (
            UniqueConstraint(
                fields=["game", "number"],
                name="games_seat_number_once",
                deferrable=models.Deferrable.IMMEDIATE,  # one statement renumbers several seats
            ),
            # Not deferrable: nobody changes places after sitting down.
            UniqueConstraint(fields=["game", "place"], name="games_seat_place_once"),
            UniqueConstraint(fields=["game", "user"], name="games_seat_user_once"),
            CheckConstraint(
                condition=Q(is_bot=False) | Q(user__isnull=True), name="games_seat_bot_or_person"
            ),
            CheckConstraint(
                condition=Q(open_since__isnull=True) | Q(is_bot=True), name="games_seat_open_bot"
            ),
            CheckConstraint(
                condition=Q(bot_level="normal") | Q(is_bot=True, bot_level__in=["easy", "strong"]),
                name="games_seat_bot_level",
            ),
            CheckConstraint(
                condition=Q(asked_seq__isnull=True, asked_at__isnull=True, due_at__isnull=True)
                | Q(asked_seq__isnull=False, asked_at__isnull=False),
                name="games_seat_asked_whole",
            ),
        )

    def __str__(self) -> str:
        return self.own_name or str(self.user)

    @property
    def own_name(self) -> str:
        """The name of its bot or player, "" for one without a name. Others at the table may have
        the same: `seat_names` has what to show."""
        if self.is_bot:
            return bot_name(self.place, self.bot_level)
        return former_player() if self.user is None else self.user.shown_name

    def clear_clock(self) -> None:
        """Forget the deadline, the reminder and what a pause left of the time. Does not save."""
        self.due_at = self.time_left = self.remind_at = self.clock_seq = self.remind_from = None
        self.bank_from = None
        self.overdue = False


def seat_names(seats: Sequence[Seat]) -> tuple[str, ...]:
    """The names of the players of all seats of a game, for everybody."""
    own = [seat.own_name for seat in seats]
    return tuple(names_at_table(own, [seat.number for seat in seats]))


def name_at(seats: Sequence[Seat], user: "User | None") -> str:
    """Return the name of a user at a table with these seats; their own name without a seat, "" if
    they have none."""
    if user is None or not user.shown_name:
        return ""
    names = zip(seats, seat_names(seats), strict=True)
    return next((name for seat, name in names if seat.user_id == user.pk), user.shown_name)
