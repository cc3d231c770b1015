"""People by their addresses or by the key of a feed, and the turns that feeds show."""

from dataclasses import dataclass
from datetime import datetime

from allauth.account.models import EmailAddress
from django.db.models import F

from games.models import FeedKey, Game, Seat, User, keyed_digest, not_suspended


def person_by_address(address: str) -> User | None:
    """The user who signs in with this address: one who verified it, else one who entered it.

    Two queries, whether or not there is somebody: the time must not reveal it.
    """
    address = address.strip().lower()
    verified = EmailAddress.objects.filter(email=address, verified=True)  # kept in lower case
    owner = User.objects.filter(pk__in=verified.values("user")).first()
    named = User.objects.with_address(address).first()
    return owner or named


@dataclass(frozen=True)
class WaitingTurn:
    """A turn of the user. seq: the event that began it. due_at: None where no deadline runs."""

    public_id: str
    name: str
    seq: int
    asked_at: datetime
    due_at: datetime | None


def feed_digest(key: str) -> str:
    """The digest of the key of a feed, as it is stored."""
    return keyed_digest("games.feed", key).hex()


def feed_key(key: str, kind: str) -> FeedKey | None:
    """The stored key with its user; None for a wrong or revoked one, or a frozen account."""
    keys = FeedKey.objects.select_related("user").filter(
        not_suspended("user__"), user__frozen_at__isnull=True
    )
    return keys.filter(digest=feed_digest(key), kind=kind).first()


def waiting_turns(user: User) -> list[WaitingTurn]:
    """The turns that wait for this user, those with the least time left first."""
    seats = Seat.objects.filter(
        user=user, asked_seq__isnull=False, game__status=Game.Status.RUNNING
    ).order_by(F("due_at").asc(nulls_last=True), "pk")
    return [
        WaitingTurn(seat.game.public_id, seat.game.name, seat.asked_seq, seat.asked_at, seat.due_at)
        for seat in seats.select_related("game")
        if seat.asked_seq is not None and seat.asked_at is not None
    ]
