"""Is it still so? Asked right before a mail leaves, since minutes or days may lie between.

Reads the rows as they are now, never those that were read with the outbox row.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.utils import timezone

from games.log.loader import read_person
from games.models import (
    Game,
    Invitation,
    MailAddress,
    OutboxMail,
    Seat,
    User,
    Way,
    address_digest,
    of_use_until,
)

Kind = OutboxMail.Kind
Status = Game.Status

TURN_KINDS = {Kind.TURN, Kind.REMINDER}
CARRIERS = {Kind.GATHERED, Kind.DIGEST}  # which carry other rows: games.mail.digest


class Verdict(NamedTuple):
    """drop: why the mail must not go at all, "" if it may. wait: it may go, but not yet.

    until: when it may, where that is known.
    """

    drop: str = ""
    wait: bool = False
    until: datetime | None = None


SEND = Verdict()

NOTHING_LEFT = Verdict("nothing that was gathered is true any more")
NO_ARRIVAL = "mails to this address do not arrive"
NEVER_WAIT = {Kind.ACCOUNT, Kind.ANSWER}  # somebody has just asked for these
CHOSEN = set(Kind) - NEVER_WAIT - CARRIERS  # those of which people say when they want them


def ask(row: OutboxMail) -> Verdict:
    """What is to become of the mail of this row, by what the database says this moment."""
    verdict = holds(row)
    if verdict != SEND or row.kind == Kind.ACCOUNT:  # a code is asked for by who waits for it
        return verdict
    reader = read_person(row.user_id) if row.user_id is not None else None
    if reader is None or row.kind == Kind.INVITATION or row.to_address != reader.email:
        verdict = _address(row)
    elif reader.mail_stopped:
        verdict = Verdict(NO_ARRIVAL)
    if verdict != SEND or reader is None or row.kind in NEVER_WAIT:
        return verdict
    way = reader.way(row.kind)
    if way == Way.NONE:
        return Verdict("the reader wants no mails of this kind")
    digest = way == Way.DIGEST or row.kind == Kind.DIGEST
    until = reader.rest_until(row.created_at, timezone.now(), digest=digest)
    if until is None or _too_late(row, until):
        return SEND
    return Verdict(wait=True, until=until)


def holds(row: OutboxMail) -> Verdict:
    """Whether what the mail says is still so, at whatever hour its reader wants to be told."""
    match row.kind:
        case Kind.ACCOUNT:
            return _account(row)
        case Kind.ANSWER:  # who wrote is answered, mails off or not
            return _answer(row)
        case Kind.GATHERED | Kind.DIGEST:
            carried = row.carries.all()
            return SEND if any(holds(part) == SEND for part in carried) else NOTHING_LEFT
        case Kind.INVITATION:
            return _invitation(row)
        case Kind.MODERATED if row.seat is None:  # who lost the seat is told so, once
            return SEND
        case _:
            return _seat(row)


def latest(row: OutboxMail) -> datetime | None:
    """When the mail must have come to be of use, by the clocks as they run now; None for mails that
    do not ask for anything, and while no time runs."""
    if row.kind in CARRIERS:
        moments = [latest(part) for part in row.carries.filter(kind__in=TURN_KINDS)]
        return min((moment for moment in moments if moment is not None), default=None)
    if row.kind not in TURN_KINDS or row.game_id is None or row.user_id is None:
        return None
    seats = Seat.objects.filter(game_id=row.game_id, user_id=row.user_id, asked_seq=row.seq)
    clock = seats.values_list("asked_at", "due_at").first()
    return of_use_until(row.kind, *clock) if clock is not None else None


def wanted_at(row: OutboxMail) -> datetime:
    """The moment for which its reader's wishes have meant the mail: the morning after quiet hours,
    not the night before. The same for every try."""
    if row.user is None or row.kind not in CHOSEN:
        return row.created_at
    wished = row.user.mail_from(row.kind, row.created_at)
    return row.created_at if wished == row.created_at or _too_late(row, wished) else wished


def _too_late(row: OutboxMail, until: datetime) -> bool:
    """Whether the mail would be of no use any more, if it waited until then."""
    moment = latest(row)
    return moment is not None and until > moment


def in_no_digest(row: OutboxMail) -> bool:
    """Whether a mail for the daily digest cannot wait for its hour."""
    assert row.user is not None
    return _too_late(row, row.user.next_hour(row.user.digest_hour, row.created_at))


def _address(row: OutboxMail) -> Verdict:
    """By what is known of an address that may be nobody's we know."""
    known = MailAddress.objects.filter(digest=address_digest(row.to_address)).first()
    if known is not None and known.stopped:
        return Verdict(NO_ARRIVAL)
    if known is not None and known.refused_at is not None and row.kind == Kind.INVITATION:
        return Verdict("this address wants no invitations")
    return SEND


def _account(row: OutboxMail) -> Verdict:
    until = row.context.get("good_until")
    if until is not None and datetime.fromisoformat(until) < timezone.now():
        return Verdict("the code is no longer good")
    return SEND


def _answer(row: OutboxMail) -> Verdict:
    people = User.objects.filter(is_active=True, email=row.to_address)
    if row.user_id is None or not people.filter(pk=row.user_id).exists():
        return Verdict("the reader has left, or has another address")
    return SEND


def _invitation(row: OutboxMail) -> Verdict:
    invitation = Invitation.objects.filter(pk=row.context["invitation"]).select_related("game")
    match invitation.first():
        case None:
            return Verdict("the invitation was taken back")
        case found if found.answer:
            return Verdict("the invitation was answered")
        case found if found.game.status != Status.GATHERING:
            return Verdict("the table is closed")
    return SEND


_SEAT = (
    "SELECT seat.asked_seq, seat.mails_off, game.status FROM games_seat AS seat"
    " JOIN games_game AS game ON game.id = seat.game_id"
    " JOIN games_user AS person ON person.id = seat.user_id"
    " WHERE seat.game_id = %s AND seat.user_id = %s AND person.is_active"
)


def _seat(row: OutboxMail) -> Verdict:
    assert row.game_id is not None and row.user_id is not None
    with connection.cursor() as cursor:  # past the ORM: this is asked twice for every mail
        cursor.execute(_SEAT, [row.game_id, row.user_id])
        found = cursor.fetchone()
    seat: Any = (
        dict(zip(("asked_seq", "mails_off", "status"), found, strict=True)) if found else None
    )
    if seat is None:
        return Verdict("the reader no longer sits at the table")
    if seat["mails_off"]:
        return Verdict("the reader wants no mails of this game")
    match row.kind:
        case Kind.TURN | Kind.REMINDER:
            return _turn(row, seat)
        case Kind.DEADLINE:
            return _deadline(row, seat["status"])
        case Kind.STARTED if seat["status"] not in (Status.RUNNING, Status.PAUSED):
            return Verdict("the game is over")
        case Kind.OVER if seat["status"] not in (Status.FINISHED, Status.ABORTED):
            return Verdict("the game goes on")
    return SEND


def _turn(row: OutboxMail, seat: dict[str, Any]) -> Verdict:
    if seat["asked_seq"] != row.seq:
        return Verdict("the turn is over")
    if seat["status"] == Status.PAUSED:
        # The question stays the same one after the pause, and nobody asks it again.
        return Verdict(wait=True) if row.kind == Kind.TURN else Verdict("the game is paused")
    return SEND


def _deadline(row: OutboxMail, status: str) -> Verdict:
    assert row.game_id is not None
    late = Seat.objects.filter(
        game_id=row.game_id, number=row.context["late"], asked_seq=row.seq, overdue=True
    )
    if status != Status.RUNNING or not late.exists():
        return Verdict("the late player has moved or got more time")
    return SEND
