"""The one access check of a game, whether a person may act, and people by their addresses or by the
key of a feed. `view` and `visible` decide what a user sees of a game."""

from datetime import timedelta

from allauth.account.models import EmailAddress
from django.contrib.auth.models import AnonymousUser
from django.db.models import Max, Q, QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from games.log import event_store, table_events
from games.log.game_log import Log
from games.log.loader import read_game, read_games, read_place
from games.models import (
    AddressRecord,
    FeedKey,
    Game,
    Invitation,
    Seat,
    User,
    active,
    keyed_digest,
)

Reader = User | AnonymousUser
NOBODY = AnonymousUser()  # sees what every spectator sees


class NotFound(Http404):
    """There is no such thing, or it is not this person's to see: the answer is the same."""


def with_seats(games: QuerySet[Game]) -> list[Game]:
    """The games with seats and people; the seed stays in the database."""
    return read_games(list(games.values_list("pk", flat=True)))


def game_for(user: Reader, public_id: str) -> Game:
    """The game with its seats, if this user may see it; NotFound otherwise.

    Open games are visible to everybody, other games to their players, former players, the host,
    the members of their circle and staff with a second factor. Former players see what spectators
    see.
    """
    game = read_game(public_id, user.pk)
    if game is None or not may_see(user, game):
        raise NotFound(_("This table does not exist."))
    return game


def moderates(user: Reader) -> bool:
    """Return whether this is a member of staff who has proved the second factor in this session."""
    return user.is_authenticated and user.is_staff and user.has_proved_factor


def may_see(user: Reader, game: Game) -> bool:
    """Return whether this user may see the game at all."""
    if game.is_open or moderates(user):
        return True
    if not user.is_authenticated:
        return False
    if game.host_id == user.pk or seat_of(game, user) is not None or in_circle_of(game, user):
        return True
    if game.started_at is None or not event_store.has_event_by(game, user.pk):
        return False  # nobody holds a seat without an event: most readers need no log
    return user.pk in event_store.load(game).seating.players


def in_circle_of(game: Game, user: User) -> bool:
    """Return whether the table was made for a circle of this user."""
    if game.circle_id is None:
        return False
    return user.memberships.filter(circle=game.circle_id, left_at=None).exists()


class NotSeated(Exception):
    """This user has no seat in the game."""


def place_of(user: User, public_id: str) -> tuple[int, int]:
    """(pk of the game, seat number) of one of its players; NotSeated otherwise."""
    place = read_place(public_id, user.pk)
    if place is None:
        raise NotSeated
    return place


def seat_of(game: Game, user: Reader) -> int | None:
    """The seat number of this user, None for a spectator."""
    if not user.is_authenticated:
        return None
    return next((seat.number for seat in game.seat_list if seat.user_id == user.pk), None)


def invitation_for(token: str) -> tuple[Game, Invitation | None]:
    """The game of a link, by its own token or by a personal invitation; NotFound."""
    games = with_seats(Game.objects.filter(invite_token=token)) if token else []
    if games:
        return games[0], None
    to_tables = Invitation.objects.filter(game__isnull=False)
    invitation = to_tables.filter(token=token).first() if token else None
    if invitation is None or invitation.game_id is None:
        raise NotFound(_("This invitation is not valid."))
    (game,) = read_games([invitation.game_id])
    return game, invitation


def is_invited(user: Reader, invitation: Invitation) -> bool:
    """Return whether an invitation may have been sent to this reader: to one of their verified
    addresses, or to them as a player. Of a visitor nothing is known but that they have the link."""
    if not user.is_authenticated or invitation.invitee_id == user.pk:
        return True
    if invitation.address == user.email.lower():
        return True
    own = EmailAddress.objects.filter(user=user, email=invitation.address, verified=True)
    return bool(own.exists())


def know_each_other(user: User, address: str) -> bool:
    """Return whether somebody with this address and this user have seats in a game that has
    started, or the address has accepted an invitation of the user."""
    accepted = Invitation.objects.filter(
        invited_by=user, address=address, answer=Invitation.Answer.ACCEPTED
    )
    own = Seat.objects.filter(user=user, game__started_at__isnull=False)
    owners = User.objects.with_address(address)
    played = Seat.objects.filter(game__in=own.values("game"), user__in=owners)
    return bool(accepted.exists() or played.exclude(user=user).exists())


def played_with(user: User) -> QuerySet[User]:
    """The people who have seats in games that have started, beside this user; the last ones first.
    Nobody whom the user has blocked, and nobody without a name."""
    own = Seat.objects.filter(user=user, game__started_at__isnull=False)
    return (
        User.objects.active()
        .filter(seats__game__in=own.values("game"))
        .exclude(pk__in=[user.pk, *user.blocked])
        .exclude(display_name="")
        .annotate(last=Max("seats__game__last_event_at"))
        .order_by("-last", "pk")
    )


def was_removed(user: Reader, game: Game) -> bool:
    """Return whether the host has removed this person from a table that waits for players."""
    if not user.is_authenticated or not event_store.has_event_by(game, user.pk):
        return False
    return user.pk in event_store.load(game).seating.removed


def can_take_back(user: Reader, game: Game) -> bool:
    """Return whether this user lost a seat of this game by missing deadlines, and it still runs."""
    if not user.is_authenticated or game.status not in (Game.Status.RUNNING, Game.Status.PAUSED):
        return False
    return event_store.load(game).seat_to_take_back(user.pk) is not None


def has_played(game: Game, user: User) -> bool:
    """Return whether this person has a seat in a game that came from `game_for`, or had one."""
    if seat_of(game, user) is not None:
        return True
    return user.pk in event_store.load(game).seating.players


def player_on(game: Game, number: int) -> User | None:
    """The person on this seat of a game, or who held it last, if a bot has it now."""
    seat = next((seat for seat in game.seat_list if seat.number == number), None)
    if seat is None or seat.user is not None or game.started_at is None:
        return seat.user if seat is not None else None
    former = event_store.load(game).seating.last_player(number)
    return User.objects.filter(pk=former).first() if former is not None else None


def open_seats(game: Game) -> list[Seat]:
    """The seats of a game in progress that others may take over."""
    if game.status not in (Game.Status.RUNNING, Game.Status.PAUSED):
        return []
    return [seat for seat in game.seat_list if seat.open_since is not None]


def seats_to_offer(game: Game) -> list[Seat]:
    """The seats of a game in progress on which bots play for people who have left, and which nobody
    may take over yet."""
    if game.status not in (Game.Status.RUNNING, Game.Status.PAUSED):
        return []
    bots = [seat for seat in game.seat_list if seat.is_bot and seat.open_since is None]
    if not bots:
        return []
    last_player = event_store.load(game).seating.last_player
    return [seat for seat in bots if last_player(seat.number) is not None]


def may_take_over(user: Reader, game: Game) -> bool:
    """Return whether this person may take an open seat: somebody who has played at the table may
    not."""
    if not user.is_authenticated:
        return True  # they sign in first
    return user.pk not in event_store.load(game).seating.players


def rematch_for(user: Reader, game: Game) -> tuple[Game | None, bool]:
    """The rematch of a game, None unless this person may see it; and whether somebody who played
    the game can join it, or create it."""
    rematch = game.rematches.exclude(status=Game.Status.ABORTED).first()
    if rematch is None:
        return None, True
    if may_see(user, rematch):
        return rematch, False
    if rematch.status != Game.Status.GATHERING:
        return None, False
    return None, not was_removed(user, rematch)


# -- who may act ------------------------------------------------------------------------------

DISPUTE = timedelta(days=7)  # how long "This was not me" works, and how old an address must be


def may_act(user: User, address: str = "") -> bool:
    """Return whether this person may act now. Sessions and rights ask `User.is_active`, which is
    the same without an address.

    address: from which the act came, or to which the link was sent that asks for it. While an
    account is frozen, only an address that can restore it acts.
    """
    if user.is_active:
        return True
    return user.is_frozen and not user.is_suspended and can_restore(user, address)


def can_restore(user: User, address: str) -> bool:
    """Return whether somebody who reads this address can restore the account, which is frozen."""
    return address.lower() in {record.address.lower() for record in trusted_addresses(user)}


def why_not_active(user: User) -> str:
    """Return why this person may not act, and what they can do."""
    if user.is_suspended:
        return _("This account is suspended. Try to sign in to read why, and how to appeal.")
    if user.is_frozen:
        return _("This account is frozen. Go to the sign-in page to restore it.")
    return _("This account is being deleted.")


def trusted_addresses(user: User) -> list[AddressRecord]:
    """The addresses that can restore a frozen account, the oldest first.

    They were verified a week before it was frozen, and removed, if at all, in that week. An account
    that is younger has its first address, once that was verified a week ago.
    """
    if user.frozen_at is None:
        return []
    before = user.frozen_at - DISPUTE
    records = list(
        user.address_records.filter(
            Q(removed_at__isnull=True) | Q(removed_at__gte=before)
        ).order_by("verified_at", "pk")
    )
    old = [record for record in records if record.verified_at <= before]
    if old:
        return old
    return [record for record in records[:1] if record.verified_at <= timezone.now() - DISPUTE]


# -- people ---------------------------------------------------------------------------


def person_by_address(address: str) -> User | None:
    """The user who signs in with this address: one who verified it, else one who entered it.

    Two queries, whether or not there is somebody: the time must not reveal it.
    """
    address = address.strip().lower()
    verified = EmailAddress.objects.filter(email=address, verified=True)  # kept in lower case
    owner = User.objects.filter(pk__in=verified.values("user")).first()
    named = User.objects.with_address(address).first()
    return owner or named


def feed_digest(key: str) -> str:
    """The digest of the key of a feed, as it is stored."""
    return keyed_digest("games.feed", key).hex()


def feed_key(key: str, kind: str) -> FeedKey | None:
    """The stored key with its user; None for a wrong or revoked one, and for people who
    may not act."""
    keys = FeedKey.objects.select_related("user").filter(active("user__"))
    return keys.filter(digest=feed_digest(key), kind=kind).first()


# -- for the holder of a signed link: nobody else may be shown these -----------------


def linked_game(public_id: str) -> Game | None:
    """The game of a signed link."""
    return Game.objects.filter(public_id=public_id).first()


def linked_seat(public_id: str, user: User) -> Seat | None:
    """The seat of this person in the game of a signed link."""
    seats = Seat.objects.select_related("game")
    return seats.filter(game__public_id=public_id, user=user).first()


def turn_is_open(game: Game, *, seat: int, user: User, seq: int) -> bool:
    """Return whether this seat is still this person's and is asked in the turn in which it was
    asked at `seq`.

    A turn that others interrupt, by answering an attack, is the same turn afterwards.
    """
    if game.status not in (Game.Status.RUNNING, Game.Status.PAUSED):
        return False
    row = Seat.objects.filter(game=game, number=seat, user=user).first()
    if row is None or row.asked_seq is None:
        return False
    return row.asked_seq == seq or _is_same_turn(event_store.load(game), seat, seq)


def _is_same_turn(log: Log, seat: int, seq: int) -> bool:
    """Return whether this seat was asked at `seq` in the turn that goes on now."""
    if not 1 <= seq <= log.version:
        return False
    entries = (entry for entry in log.entries if entry.seq > seq)
    if any(isinstance(entry.event, table_events.RolledBack) for entry in entries):
        return False
    rules, then = log.engine.rules, log.until(seq)
    if not then.effective or seat not in rules.to_act(then.state):
        return False
    turn = rules.turn_number(log.state)
    return bool(turn) and rules.turn_number(then.state) == turn  # 0 is the setup, which has none
