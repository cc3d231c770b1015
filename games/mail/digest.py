"""One mail instead of ten: rows of one person that want to go together, and the mail they become.

A carrier is a row of its own, made in the transaction that claims it; the rows it carries share
its end. Which rows want this is the person's choice (models.wishes), never decided here.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from games.models import Game, OutboxMail, Seat, User, Way
from games.rules.contract import Event, View

from . import content, relevance, reply_addresses

if TYPE_CHECKING:
    from .compose import Desk

Kind = OutboxMail.Kind
State = OutboxMail.State

CARRIERS = relevance.CARRIERS
MOST = 24  # games in one mail; the rest is a number and a link
PICTURES = 12  # of them with a board
LINES = 4  # of what happened in each
BOARD_WIDTH = 260  # CSS pixels

# Which of several rows about one game says most of what is to be done.
_FIRST = (Kind.TURN, Kind.REMINDER, Kind.OVER, Kind.DEADLINE, Kind.STARTED)
_NEVER = datetime.max.replace(tzinfo=UTC)


# -- rows ----------------------------------------------------------------------------------


def gather(rows: Iterable[OutboxMail], now: datetime) -> list[OutboxMail]:
    """These due rows, locked by the caller, with each set that goes together replaced by its
    carrier. Rows that are not due yet but may go along do; what is no longer true stays alone, and
    so does what could not wait for the digest."""
    kept: list[OutboxMail] = []
    taken: set[int] = set()
    for row in rows:
        if row.pk in taken:
            continue
        way = row.user.way(row.kind) if row.user is not None else Way.ONCE
        alone = way not in (Way.GATHER, Way.DIGEST) or (
            way == Way.DIGEST and relevance.in_no_digest(row)
        )
        company = [] if alone else _company(row, str(way))
        if row not in company or (way == Way.GATHER and len(company) < 2):
            kept.append(row)
            continue
        assert row.user is not None
        kept.append(_carrier(row.user, Kind.DIGEST if way == Way.DIGEST else Kind.GATHERED, now))
        ids = {part.pk for part in company}
        OutboxMail.objects.filter(pk__in=ids).update(state=State.CARRIED, carrier=kept[-1])
        taken |= ids
    return [row for row in kept if row.pk not in taken]


def _company(row: OutboxMail, way: str) -> list[OutboxMail]:
    """All rows of this reader that come this way and could be sent now."""
    assert row.user is not None
    queued = OutboxMail.objects.select_for_update(skip_locked=True, of=("self",)).filter(
        user=row.user, state=State.QUEUED, kind__in=row.user.kinds(way)
    )
    found = queued.select_related("game", "user").order_by("created_at", "pk")
    return [part for part in found if relevance.ask(part) == relevance.SEND]


def _carrier(user: User, kind: OutboxMail.Kind, now: datetime) -> OutboxMail:
    word = uuid.uuid4().hex
    return OutboxMail.objects.create(
        kind=kind,
        user=user,
        to_address=user.email,
        dedupe_key=f"{kind.value}:{word}",
        message_id=f"<{word}@{settings.SITE_HOST}>",
        created_at=now,
        next_try_at=now,
    )


def share_the_end(carrier: OutboxMail, changes: dict[str, Any]) -> None:
    """What became of the carrier becomes of its rows; nothing yet while it is to be tried again."""
    state = changes["state"]
    if state in (State.SENT, State.DROPPED, State.DEAD):
        ends = {name: changes[name] for name in ("state", "sent_at", "error") if name in changes}
        carrier.carries.filter(state__in=(State.CARRIED, State.DEAD)).update(**ends)


# -- words ---------------------------------------------------------------------------------


class Part:
    """One game in the mail: the row that matters most, its letter, and what else is to be said."""

    def __init__(self, rows: Sequence[OutboxMail], desk: Desk) -> None:
        row = min(rows, key=lambda r: _FIRST.index(r.kind) if r.kind in _FIRST else len(_FIRST))
        assert row.game is not None
        sheet = desk.sheet(row.game)
        self.game: Game = row.game
        self.letter = letter = content.write(row, sheet)
        self.view: View | None = letter.view
        self.recent: tuple[Event, ...] = letter.recent
        seat = sheet.seats[row.seat] if row.seat is not None else None
        asked = row.kind in relevance.TURN_KINDS
        self.due_at = seat.due_at if seat is not None and asked else None
        said = [_lead(part, content.write(part, sheet).context) for part in rows if part != row]
        recap = letter.context.get("recap")
        reply_to = None
        if asked and seat is not None:
            seq = letter.seq if letter.seq is not None else sheet.log.moved_at
            reply_to = reply_addresses.reply_address(row.game.public_id, seat.number, seq)
        self.words = {
            "game": row.game,
            "title": letter.context["title"],
            "lead": _lead(row, letter.context),
            "also": [words for words in said if words],
            "asked": asked,
            "question": letter.context.get("question", "") if asked else "",
            "lapses": letter.context.get("lapses", False),
            "due": letter.context.get("due", "") if asked else "",
            "lines": recap.lines[-LINES:] if recap is not None else (),
            "hand": letter.context.get("hand", ()) if asked else (),
            "board_text": letter.context.get("board_text", "") if asked else "",
            "players": letter.context["players"],
            "url": letter.context.get("button_url") or letter.context["game_url"],
            "reply_to": reply_to,
            "board": None,
        }


def _lead(row: OutboxMail, known: dict[str, Any]) -> str:
    """What this row says, as one sentence."""
    match row.kind, row.context.get("which"):
        case Kind.TURN, _which:
            return _("It is your turn.")
        case Kind.REMINDER, "half":
            return _("It is still your turn, and half of your time is gone.")
        case Kind.REMINDER, _which:
            return _("It is still your turn, and you have one day left.")
        case Kind.DEADLINE, _which if known["mine"]:
            return _("Your time is up. You can still make your move.")
        case Kind.DEADLINE, _which:
            return _("%(name)s missed the deadline.") % {"name": known["late"]}
        case Kind.STARTED, _which:
            return _("The game has started.")
        case Kind.OVER, _which if known["aborted"]:
            return _("The game was cancelled.")
        case Kind.OVER, _which:
            return " ".join([_("The game is over."), *_winners(known)])
        case Kind.INVITATION, _which:
            return _("A seat is reserved for you.")
    return str(known.get("said", ""))


def _winners(known: dict[str, Any]) -> list[str]:
    names = known["winners"]
    return [_("Won by %(names)s.") % {"names": ", ".join(names)}] if names else []


def write(row: OutboxMail, desk: Desk) -> tuple[content.Letter, list[Part]]:
    """The letter of a carrier and the games in it, those with the least time left first."""
    assert row.user is not None
    rows = [
        part
        for part in row.carries.select_related("game", "user").order_by("created_at", "pk")
        if relevance.holds(part) == relevance.SEND
    ]
    if row.kind == Kind.DIGEST:
        rows += _others_that_wait(row.user, rows)
    return letter_of(row.kind, row.user, rows, desk)


def letter_of(
    kind: str, user: User, rows: Sequence[OutboxMail], desk: Desk
) -> tuple[content.Letter, list[Part]]:
    """A gathered mail or digest that says all these rows."""
    by_game: dict[int, list[OutboxMail]] = {}
    for part in rows:
        if part.game_id is not None:
            by_game.setdefault(part.game_id, []).append(part)
    parts = [Part(some, desk) for some in by_game.values()]
    parts.sort(key=lambda part: (not part.words["asked"], part.due_at or _NEVER, part.game.pk))
    waiting = sum(bool(part.words["asked"]) for part in parts)
    context = {
        "me": user.name,
        "parts": [part.words for part in parts[:MOST]],
        "more": max(0, len(parts) - MOST),
        "count": len(parts),
        "waiting": waiting,
        "digest": kind == Kind.DIGEST,
        "button_url": settings.SITE_URL + reverse("home"),
    }
    return content.Letter("gathered", context, subject="gathered"), parts[:MOST]


def write_waiting(row: OutboxMail, desk: Desk) -> tuple[content.Letter, list[Part]]:
    """The answer to a reply to a mail about several games: what waits, mails of it off or not."""
    assert row.user is not None
    seats = Seat.objects.filter(
        user=row.user, asked_seq__isnull=False, game__status=Game.Status.RUNNING
    )
    rows = [
        turn_of(seat, row.user) for seat in seats.select_related("game").order_by("due_at", "pk")
    ]
    letter, parts = letter_of(row.kind, row.user, rows, desk)
    return content.Letter("reply_games", letter.context, subject="gathered"), parts


def _others_that_wait(user: User, rows: Sequence[OutboxMail]) -> list[OutboxMail]:
    """What also waits for the reader, though it was told before: a digest is the whole list, for
    all but those who want to hear of no turn at all."""
    if user.way(Kind.TURN) == Way.NONE:
        return []
    told = {row.game_id for row in rows if row.kind in relevance.TURN_KINDS}
    seats = Seat.objects.filter(
        user=user, asked_seq__isnull=False, mails_off=False, game__status=Game.Status.RUNNING
    )
    return [
        turn_of(seat, user)
        for seat in seats.exclude(game__in=told).select_related("game").order_by("due_at", "pk")
    ]


def turn_of(seat: Seat, user: User) -> OutboxMail:
    """A turn mail that is not in the outbox: for a digest, and to look at."""
    seq = seat.asked_seq if seat.asked_seq is not None else seat.game.version
    return OutboxMail(kind=Kind.TURN, game=seat.game, seat=seat.number, user=user, seq=seq)
