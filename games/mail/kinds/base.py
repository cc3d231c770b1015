"""What a kind of email defines, and the registry of all kinds.

A kind is one module of this package, which passes an instance of its class to `register`, and two
templates, mail/<name>.txt and mail/<name>.html. No other code names it but what queues it.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, ClassVar, NamedTuple, TypeVar

import msgspec
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import pgettext

from games.log.game_log import Log
from games.log.loader import read_seat_status
from games.mail import reply_addresses, signed_links
from games.mail.guidance import deadline_line, guidance, with_zone
from games.mail.snapshot import Snapshots
from games.models import (
    AT_TABLE,
    MAX_WAIT,
    DeliveryMode,
    Game,
    MailAddress,
    OutboxMail,
    Seat,
    address_digest,
    database_clock,
)
from games.pictures import compositor
from games.rules import GAMES, chain
from games.rules.contract import Event, View
from games.rules.drawing import Box
from games.translate import say

NO_ARRIVAL = "emails to this address bounce"


class SendDecision(NamedTuple):
    """Whether to send an email now.

    drop: why it must never be sent, or "". wait: it must wait, until `until` where that is known.
    """

    drop: str = ""
    wait: bool = False
    until: datetime | None = None


SEND = SendDecision()
Text = str | Promise


class BoardPicture(msgspec.Struct, frozen=True):
    """A drawing of a game for the HTML part; `name` is its Content-ID.

    details: further Content-IDs, and the parts of the drawing that they enlarge.
    """

    name: str
    game: Game
    view: View
    recent: tuple[Event, ...] = ()
    pixels: int = compositor.PIXELS
    details: dict[str, Box] = {}


class MailContent(msgspec.Struct, frozen=True):
    """What an email says: the context of its templates, and what the templates cannot hold.

    template: the name under templates/mail, by default that of the kind. reply_to: the address
    for replies, if replies are read.
    """

    context: dict[str, Any]
    template: str = ""
    boards: tuple[BoardPicture, ...] = ()
    reply_to: str | None = None


class MailKind:
    """One kind of email. Stored rows name their kind, so a name never changes.

    label: in unsubscribe links and in the admin. category: how the preferences page asks about this
    kind; None for a kind that users cannot switch. position: the order on that page.
    """

    name: ClassVar[str]
    label: ClassVar[Text]
    category: ClassVar[Text | None] = None
    position: ClassVar[int] = 100
    head_start: ClassVar[timedelta] = timedelta()  # how far it overtakes bulk email in the queue
    asks: ClassVar[bool] = False  # the reader is to act on it
    digest_rank: ClassVar[int] = 9  # the lowest of several emails about a game leads in a digest
    batches: ClassVar[DeliveryMode | None] = None  # merges the emails of this mode into one
    follows_user: ClassVar[bool] = True  # goes to the user's address at the time of sending
    pushes: ClassVar[bool] = False  # a push message replaces it on devices that take them
    ignores_suppression: ClassVar[bool] = False  # also goes to addresses that bounced
    one_time: ClassVar[bool] = False  # its context is a secret: deleted once it is sent
    names_table: ClassVar[bool] = True  # shows the name that the host gave the table
    waits_at_table: ClassVar[bool] = False  # while its reader has the page of the game open
    resent: ClassVar[bool] = False  # queued again when an address that bounced works again
    # Statuses of the games that its preview can be about; no preview without one.
    sample_statuses: ClassVar[Collection[str]] = ()

    def check(self, row: OutboxMail) -> SendDecision:
        """Whether what the email says is still so, however its reader wants to get it."""
        return SEND

    def of_use_until(self, asked_at: datetime | None, due_at: datetime | None) -> datetime | None:
        """Until when this email is of use to a player who was asked at `asked_at` and must move by
        `due_at`; None where that does not end."""
        return None

    def deadline(self, row: OutboxMail) -> datetime | None:
        """Until when the email of this row is of use, by the clocks as they run now."""
        if not self.asks or row.game_id is None or row.user_id is None:
            return None
        seats = Seat.objects.filter(game_id=row.game_id, user_id=row.user_id, asked_seq=row.seq)
        clock = seats.values_list("asked_at", "due_at").first()
        return self.of_use_until(*clock) if clock is not None else None

    @property
    def is_urgent(self) -> bool:
        """Whether somebody waits for it now, so that it does not queue behind other emails."""
        return bool(self.head_start)

    @property
    def is_bulk(self) -> bool:
        """Whether the reader's preferences apply; else somebody waits for it."""
        return self.category is not None or self.batches is not None

    def can_unsubscribe(self, row: OutboxMail) -> bool:
        """Whether the email has a link that switches its kind off."""
        return self.is_bulk

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        """What the email says, in the active language and time zone."""
        raise NotImplementedError

    def subject(self, context: dict[str, Any]) -> str:
        """The subject; the same for all emails about a game, so that they form a thread."""
        return f"{context['title']}: {context['game'].name}"

    def preheader(self, context: dict[str, Any]) -> str:
        """What mailboxes show beside the subject."""
        return self.digest_line(context)

    def digest_line(self, context: dict[str, Any]) -> str:
        """What the email says, as one sentence for an email about several games."""
        return str(context.get("said", ""))

    def sample_context(self, seat: Seat) -> dict[str, Any]:
        """The context of a stored row, for a preview to the player on `seat`."""
        return {}


# -- the registry --------------------------------------------------------------------------

_KINDS: dict[str, MailKind] = {}
_Kind = TypeVar("_Kind", bound=MailKind)


def register(kind: _Kind) -> _Kind:
    """Add a kind and return it."""
    _KINDS[kind.name] = kind
    return kind


def get(name: str) -> MailKind:
    """The kind of this name. KeyError if there is none."""
    return _KINDS[name]


def names() -> list[str]:
    """The names of all kinds, in the order of the preferences page."""
    return sorted(_KINDS, key=lambda name: _KINDS[name].position)


def selectable() -> list[str]:
    """The kinds about which users say how they want them."""
    return [name for name in names() if _KINDS[name].category is not None]


def label(name: str) -> Text:
    """What to call a kind; its name if it is no longer known."""
    return _KINDS[name].label if name in _KINDS else name


# -- emails about a game -------------------------------------------------------------------


class GameMail:
    """An email about a game, loaded for composing."""

    def __init__(self, row: OutboxMail, snapshots: Snapshots) -> None:
        if row.game is None:
            raise ValueError(f"a {row.kind} email needs a game")
        snapshot = snapshots.of(row.game)
        self.row, self.game, self.log = row, snapshot.game, snapshot.log
        self.seats, self.names = snapshot.seats, snapshot.names
        self.seat_names = snapshot.seat_names  # for what happened: who held the seats then
        self.game_url = settings.SITE_URL + reverse("game", args=[self.game.public_id])

    def context(self, **more: Any) -> dict[str, Any]:
        """What the templates of all emails about a game need, and `more`."""
        return {
            "game": self.game,
            "title": say(GAMES[self.game.kind].title),
            "me": self.row.user.name if self.row.user else "",
            "players": [
                {"seat": seat.number, "number": seat.number + 1, "name": seat.name}
                for seat in self.seats
            ],
            "seat": self.row.seat,
            "game_url": self.game_url,
            **more,
        }


class SeatMail(GameMail):
    """An email to a player at the table."""

    def __init__(self, row: OutboxMail, snapshots: Snapshots) -> None:
        super().__init__(row, snapshots)
        if row.user is None or row.seat is None:
            raise ValueError(f"a {row.kind} email needs a user and a seat")
        self.user, self.number = row.user, row.seat

    @property
    def seat(self) -> Seat:
        """The player's seat."""
        return self.seats[self.number]

    def turn_url(self, seq: int) -> str:
        """The link that opens the player's seat for the turn `seq`."""
        path = signed_links.turn_path(self.game.public_id, self.number, seq, self.user)
        return f"{settings.SITE_URL}{path}"

    def due_line(self, due_at: datetime | None) -> str:
        """Until when, and how long that is, for the date of this email; "" without a deadline."""
        created = self.row.created_at
        at = self.user.send_at(self.row.kind, created)  # as the Date of the email
        return deadline_line(due_at, created if due_at is not None and at >= due_at else at)

    def guidance(self, log: Log) -> dict[str, Any]:
        """What the player is asked in this position and how to answer; see `guidance`."""
        return guidance(log, self.number, self.names)

    def introduction(self, view: View) -> dict[str, Any]:
        """The game in short, and where to read all of its rules."""
        return {
            "introduction": [
                say(text, self.names) for text in self.log.engine.presentation.introduction(view)
            ],
            "rules_url": settings.SITE_URL + reverse("rules", args=[self.game.kind]),
        }

    def check_code(self, log: Log) -> str:
        """The number of the last event of this log and its check code, as "57:0123456789": evidence
        for the player, which says nothing before the seed is known (see games.rules.chain)."""
        last = log.entries[-1]
        return f"{last.seq}:{chain.check_code(bytes(self.game.seed), last.digest)}"

    def reply_to(self, seq: int | None = None) -> str | None:
        """The address for replies to the position after event `seq`, by default the present one."""
        seq = self.log.moved_at if seq is None else seq
        return reply_addresses.reply_address(self.game.public_id, self.number, seq)

    def written(
        self,
        context: dict[str, Any],
        *,
        template: str = "",
        log: Log | None = None,
        view: View | None = None,
        recent: tuple[Event, ...] = (),
        hand: bool = True,
        picture: bool = True,
    ) -> MailContent:
        """The content of this email. log: the position that a reply answers, by default the present
        one. view: the board to show, and the hand unless `hand` is false. picture: whether the HTML
        part shows the board."""
        reply_to = self.reply_to(log.moved_at if log is not None else None)
        boards: tuple[BoardPicture, ...] = ()
        if view is not None:
            engine = self.log.engine
            if picture:
                details = {
                    f"detail-{number}@{settings.SITE_HOST}": part
                    for number, part in enumerate(engine.presentation.details(view), start=1)
                }
                name = f"board@{settings.SITE_HOST}"
                boards = (BoardPicture(name, self.game, view, recent, details=details),)
                context |= {"board": name, "details": list(details)}
            context["board_text"] = engine.presentation.board_text(view, translate=say)
            if hand:
                context["hand"] = [
                    {"icon": held.icon, "label": say(held.label), "count": held.count}
                    for held in engine.presentation.hand(view)
                ]
        return MailContent({**context, "reply_to": reply_to}, template, boards, reply_to)


def moment(at: datetime | None) -> str:
    """A moment in the active zone and language: "Saturday, 23 November, 14:05, Berlin time"."""
    if at is None:
        return ""
    here = timezone.localtime(at)
    # Translators: Django's date format for a deadline in a mail: weekday, day, month, time.
    return with_zone(date_format(here, pgettext("date format in mails", "l, j F, H:i")))


class SeatStatus(NamedTuple):
    """The state of a seat and its game, read just before sending."""

    asked_seq: int | None
    mails_off: bool
    status: str
    seen_at: datetime | None


class SeatMailKind(MailKind):
    """A kind of email to the players of a game."""

    sample_statuses: ClassVar[Collection[str]] = (Game.Status.RUNNING, Game.Status.PAUSED)

    def check(self, row: OutboxMail) -> SendDecision:
        found = None
        if row.game_id is not None and row.user_id is not None:
            found = read_seat_status(row.game_id, row.user_id)
        if found is None:
            return SendDecision("the reader no longer sits at the table")
        seat = SeatStatus(*found)
        if seat.mails_off:
            return SendDecision("the recipient turned emails for this game off")
        decision = self.check_seat(row, seat)
        if decision == SEND and self.waits_at_table and seat.seen_at is not None:
            return self._check_presence(row, seat.seen_at)
        return decision

    def _check_presence(self, row: OutboxMail, seen_at: datetime) -> SendDecision:
        """Wait until the reader has left the table, or for MAX_WAIT. A digest has its own hour."""
        if row.user is not None and row.user.delivery_mode(row.kind) == DeliveryMode.DIGEST:
            return SEND
        until = min(seen_at + AT_TABLE, row.created_at + MAX_WAIT)
        deadline = self.deadline(row)
        if until <= database_clock.now() or (deadline is not None and until > deadline):
            return SEND
        return SendDecision(wait=True, until=until)

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        """As `check`, for a player who is still at the table and wants email about it."""
        return SEND

    def can_unsubscribe(self, row: OutboxMail) -> bool:
        # A lost seat is reported once.
        return row.seat is not None and super().can_unsubscribe(row)

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        return self.seat_content(SeatMail(row, snapshots))

    def seat_content(self, mail: SeatMail) -> MailContent:
        """What the email says to the player."""
        raise NotImplementedError


def check_address(address: str, *, invitation: bool = False) -> SendDecision:
    """Whether an email may go to an address, which need not be a user's."""
    known = MailAddress.objects.filter(digest=address_digest(address)).first()
    if known is not None and known.stopped:
        return SendDecision(NO_ARRIVAL)
    if known is not None and known.refused_at is not None and invitation:
        return SendDecision("this address wants no invitations")
    return SEND
