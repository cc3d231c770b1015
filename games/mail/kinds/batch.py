"""Emails about several games, the daily digest and one for all that came within some minutes: an
item for each game, those with the least time left first."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.mail import reply_addresses
from games.mail.turn_text import more_on_page
from games.models import DeliveryMode, Game, OutboxMail, Seat, User
from games.pictures import compositor
from games.translate import with_colon

from .base import SEND, BoardPicture, MailContent, MailKind, SendDecision, Snapshots, get, register
from .turn import TURN

MAX_GAMES = 20  # in one email; the others are a number and a link
MAX_BOARDS = 12  # games with a drawing
BOARD_WIDTH = 260  # CSS pixels
# Of its picture: ten games stay below 300 kB. A process draws sprites and scenery for each size.
BOARD_PIXELS = (130_000, 88_000, 66_000)
ALL_PIXELS = 800_000  # of all pictures in an email; MAX_BOARDS fit

_NEVER = datetime.max.replace(tzinfo=UTC)


class DigestItem:
    """One game in the email: what its most important row says, and what the others add."""

    def __init__(self, rows: Sequence[OutboxMail], snapshots: Snapshots) -> None:
        lead = min(rows, key=lambda row: get(row.kind).digest_rank)
        kind, content = get(lead.kind), get(lead.kind).content(lead, snapshots)
        known = content.context
        said = kind.digest_line(known)
        others = [_line(row, snapshots) for row in rows if row is not lead]
        self.asks, self.board = bool(known.get("asked")), next(iter(content.boards), None)
        self.sort_key = (not self.asks, known.get("due_at") or _NEVER, known["game"].pk)
        self.context: dict[str, Any] = {
            "game": known["game"],
            "title": known["title"],
            "lead": said,
            "also": [
                # Of a plain turn, the task says more.
                *([said] if self.asks and not (kind.asks and not known.get("which")) else ()),
                *(line for line in dict.fromkeys(others) if line not in ("", said)),
            ],
            "talk": known.get("talk", ()),
            "asked": self.asks,
            "lines": known.get("news", ()),
            "more_news": more_on_page(left_out) if (left_out := known.get("left_out", 0)) else "",
            "lapses": known.get("lapses", False),
            "check_code": known.get("check_code", ""),
            "players": known["players"],
            "seat": known["seat"],
            "url": known.get("button_url") or known["game_url"],
            "reply_to": content.reply_to if self.asks else None,
            "board": None,
        }
        if self.asks:
            turn = ("question", "task", "examples", "hand", "holds", "mine", "board_text")
            time = ("due", "after_due", "why_then")
            self.context |= {name: known.get(name, "") for name in (*turn, *time)}


def _line(row: OutboxMail, snapshots: Snapshots) -> str:
    kind = get(row.kind)
    return kind.digest_line(kind.content(row, snapshots).context)


def batch_content(
    user: User, rows: Sequence[OutboxMail], snapshots: Snapshots, template: str = "", **more: Any
) -> MailContent:
    """One email that says all that these rows say."""
    by_game: dict[int, list[OutboxMail]] = {}
    for row in rows:
        if row.game_id is not None:
            by_game.setdefault(row.game_id, []).append(row)
    items = sorted(
        (DigestItem(some, snapshots) for some in by_game.values()), key=lambda item: item.sort_key
    )
    boards: list[BoardPicture] = []
    shown = [item for item in items[:MAX_BOARDS] if item.board is not None]
    pixels = board_pixels(len(shown))
    room = ALL_PIXELS - pixels * len(shown)
    for number, item in enumerate(shown, start=1):
        assert item.board is not None
        details = {}
        for part_number, part in enumerate(item.board.details.values(), start=1):
            if (room := room - compositor.detail_pixels(part)) >= 0:
                details[f"detail-{number}-{part_number}@{settings.SITE_HOST}"] = part
        name = f"board-{number}@{settings.SITE_HOST}"
        board = replace(item.board, name=name, pixels=pixels, details=details)
        item.context["board"] = board
        boards.append(board)
    context = {
        "me": user.shown_name,
        "parts": [item.context for item in items[:MAX_GAMES]],
        "more": max(0, len(items) - MAX_GAMES),
        "count": len(items),
        "waiting": sum(item.asks for item in items),
        "button_url": settings.SITE_URL + reverse("home"),
        "board_width": BOARD_WIDTH,
        **more,
    }
    # The text names an address for each game; a reply to the email itself goes to another one.
    reply_to = reply_addresses.person_address(user.pk)
    return MailContent(context, template, tuple(boards), reply_to)


def board_pixels(shown: int) -> int:
    """The size of each of `shown` boards: the largest size at which all of them fit."""
    return next(size for size in BOARD_PIXELS if size * shown <= ALL_PIXELS)


def batch_subject(context: dict[str, Any]) -> str:
    """The number of games that wait for the reader."""
    n = context["waiting"]
    if not n:
        return _("Updates on your games")
    return ngettext("%(n)s game is waiting for you", "%(n)s games are waiting for you", n) % {
        "n": n
    }


def batch_preheader(context: dict[str, Any]) -> str:
    """The part of each game."""
    return " ".join(
        f"{with_colon(part['game'].name)} {part.get('task') or part['lead']}"
        for part in context["parts"]
    )


class BatchMailKind(MailKind):
    """An email that replaces several others. Its row is created when those are claimed."""

    sample_statuses = (Game.Status.RUNNING, Game.Status.PAUSED)

    def check(self, row: OutboxMail) -> SendDecision:
        if any(not get(part.kind).check(part).drop for part in row.merged.all()):
            return SEND
        return SendDecision("nothing that was gathered is true any more")

    def deadline(self, row: OutboxMail) -> datetime | None:
        moments = [get(part.kind).deadline(part) for part in row.merged.all()]
        return min((moment for moment in moments if moment is not None), default=None)

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        rows = row.merged.select_related("game", "user").order_by("created_at", "pk")
        # What would wait alone comes along: its row shares the result of this one.
        still = [part for part in rows if not get(part.kind).check(part).drop]
        shown = self.rows_for(reader_of(row), still)
        for part in shown:
            part.created_at = row.created_at  # the time that is left is counted from the Date
        return self.content_of(reader_of(row), shown, snapshots)

    def rows_for(self, user: User, rows: list[OutboxMail]) -> list[OutboxMail]:
        """The rows to show, given those that were merged and still matter."""
        return rows

    def content_of(
        self, user: User, rows: Sequence[OutboxMail], snapshots: Snapshots
    ) -> MailContent:
        """The email that says what these rows say."""
        is_digest = self.batches == DeliveryMode.DIGEST
        return batch_content(user, rows, snapshots, "gathered", digest=is_digest)

    def subject(self, context: dict[str, Any]) -> str:
        return batch_subject(context)

    def preheader(self, context: dict[str, Any]) -> str:
        return batch_preheader(context)


def reader_of(row: OutboxMail) -> User:
    """The user to whom the row is addressed. ValueError if there is none."""
    if row.user is None:
        raise ValueError(f"a {row.kind} email needs a user")
    return row.user


def turn_row(seat: Seat, user: User) -> OutboxMail:
    """A turn email that is not in the outbox: for digests, answers and previews."""
    seq = seat.asked_seq if seat.asked_seq is not None else seat.game.version
    return OutboxMail(kind="turn", game=seat.game, seat=seat.number, user=user, seq=seq)


def waiting_turns(user: User, **which: Any) -> list[OutboxMail]:
    """A turn email for each running game that waits for this user, the most urgent first. which:
    further conditions on the seats."""
    seats = Seat.objects.filter(
        user=user, asked_seq__isnull=False, game__status=Game.Status.RUNNING, **which
    )
    return [turn_row(seat, user) for seat in seats.select_related("game").order_by("due_at", "pk")]


class _Digest(BatchMailKind):
    name = "digest"
    label = gettext_lazy("daily digest")
    position = 9
    batches = DeliveryMode.DIGEST

    def rows_for(self, user: User, rows: list[OutboxMail]) -> list[OutboxMail]:
        """Add games that were announced before, unless the user wants no turn emails at all."""
        if user.delivery_mode(TURN.name) == DeliveryMode.OFF:
            return rows
        asked = {row.game_id for row in rows if get(row.kind).asks}
        waiting = waiting_turns(user, mails_off=False)
        return rows + [row for row in waiting if row.game_id not in asked]


DIGEST = register(_Digest())


class _Gathered(BatchMailKind):
    name = "gathered"
    label = gettext_lazy("several games in one email")
    position = 8
    batches = DeliveryMode.BATCHED


GATHERED = register(_Gathered())
