"""The base classes of the kinds of email, the games that they show, and their registry.

A kind is a class in a module of this package, which passes an instance to `register`, and two
templates, mail/<name>.txt and mail/<name>.html. No other code names it but what queues it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeVar

import msgspec
from django.utils.functional import Promise

from games.log.loader import read_table
from games.models import (
    DeliveryMode,
    Game,
    MailAddress,
    OutboxMail,
    Seat,
    User,
    address_digest,
)
from games.pictures import compositor
from games.rules import GAMES
from games.rules.contract import Event, View
from games.rules.drawing import Box, Drawing
from games.selectors import SeatNames
from games.translate import quoted, say, with_colon

NO_ARRIVAL = "emails to this address bounce"
NOT_WANTED = "this address wants no invitations"


class SendDecision(NamedTuple):
    """Whether to send an email now.

    drop: why it must never be sent, or "". wait: it must wait, until `until` where that is known.
    """

    drop: str = ""
    wait: bool = False
    until: datetime | None = None


SEND = SendDecision()
Text = str | Promise


class GameSnapshot:
    """A game as emails show it, with its log and its seats in order, each with its user."""

    def __init__(self, game: Game) -> None:
        self.game, self.log, self.seats = read_table(game.pk)
        self.seat_names = SeatNames(self.log, self.seats)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names in the active language."""
        return self.seat_names.now


class Snapshots:
    """The games of one batch of emails, each read once. A game that has moved on is read again.

    mail: the email that is being composed, which may be about rows of several games.
    """

    def __init__(self) -> None:
        self._by_game: dict[int, GameSnapshot] = {}
        self.mail: OutboxMail | None = None

    def of(self, game: Game) -> GameSnapshot:
        """The snapshot of `game`, at least as new as the given row."""
        found = self._by_game.get(game.pk)
        if found is None or found.log.version < game.version:
            found = self._by_game[game.pk] = GameSnapshot(game)
        return found


@dataclass(frozen=True)
class BoardPicture:
    """A board for the HTML part; `name` is its Content-ID.

    names: of the players. details: further Content-IDs, and the parts of the drawing that they
    enlarge.
    """

    name: str
    game: Game
    names: Sequence[str]
    view: View
    recent: tuple[Event, ...] = ()
    pixels: int = compositor.PIXELS
    details: dict[str, Box] = field(default_factory=dict)

    @cached_property
    def drawing(self) -> Drawing:
        """The board as it is now, its words in the active language."""
        return GAMES[self.game.kind].presentation.draw(
            self.view, recent=self.recent, translate=lambda text: say(text, self.names)
        )


class MailContent(msgspec.Struct, frozen=True):
    """The content of an email: the context of its templates, and what the templates cannot hold.

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
    modes: ClassVar[Collection[DeliveryMode]] = tuple(DeliveryMode)  # that users can choose
    batches: ClassVar[DeliveryMode | None] = None  # merges the emails of this mode into one
    follows_user: ClassVar[bool] = True  # goes to the user's address at the time of sending
    pushes: ClassVar[bool] = False  # a push message replaces it on devices that take them
    ignores_suppression: ClassVar[bool] = False  # also goes to addresses that bounced
    reaches_suspended: ClassVar[bool] = False  # goes to accounts in every state
    one_time: ClassVar[bool] = False  # its context is a secret: deleted once it is sent
    names_table: ClassVar[bool] = True  # shows the name that the host gave the table
    waits_at_table: ClassVar[bool] = False  # while its reader has the game page open
    for_staff: ClassVar[bool] = False  # others are not asked how they want it
    # Statuses of the games that its preview can be about; no preview without one.
    sample_statuses: ClassVar[Collection[str]] = ()

    def check(self, row: OutboxMail) -> SendDecision:
        """Whether what the email says is still so, however its reader wants to get it."""
        return SEND

    def mode_label(self, mode: DeliveryMode) -> Text:
        """The description of this mode for this kind."""
        return mode.label

    def of_use_until(self, asked_at: datetime | None, due_at: datetime | None) -> datetime | None:
        """Return until when this email is of use to a player who was asked at `asked_at` and must
        move by `due_at`; None where that does not end."""
        return None

    def deadline(self, row: OutboxMail) -> datetime | None:
        """Return until when the email of this row is of use, by the clocks as they run now."""
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
        """The content of the email, in the active language and time zone."""
        raise NotImplementedError

    def subject(self, context: dict[str, Any]) -> str:
        """The subject; the same for all emails about a game, so that they form a thread."""
        # Its host has chosen the name of the table: quotation marks say that we do not speak.
        return f"{with_colon(context['title'])} {quoted(context['game'].name)}"

    def preheader(self, context: dict[str, Any]) -> str:
        """The text that mailboxes show beside the subject."""
        return self.digest_line(context)

    def digest_line(self, context: dict[str, Any]) -> str:
        """The email as one sentence, for an email about several games."""
        return str(context.get("said", ""))

    def sample_context(self, seat: Seat) -> dict[str, Any]:
        """The context of a stored row, for a preview to the player on `seat`."""
        return {}


class ShortMailKind(MailKind):
    """A kind of some lines only: hidden text in such a short email is taken for spam."""

    def preheader(self, context: dict[str, Any]) -> str:
        return ""


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


def selectable_by(user: User) -> list[str]:
    """The kinds about which this user can say so."""
    return [name for name in selectable() if user.is_staff or not _KINDS[name].for_staff]


def label(name: str) -> Text:
    """The label of a kind; its name if it is no longer known."""
    return _KINDS[name].label if name in _KINDS else name


def check_address(address: str, *, invitation: bool = False) -> SendDecision:
    """Whether an email may go to an address, which need not be a user's."""
    known = MailAddress.objects.filter(digest=address_digest(address)).first()
    if known is not None and known.stopped:
        return SendDecision(NO_ARRIVAL)
    if known is not None and known.refused_at is not None and invitation:
        return SendDecision(NOT_WANTED)
    return SEND
