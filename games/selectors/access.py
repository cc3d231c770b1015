"""The one access check: who may see a game at all. What of it, is for the engine to say."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import Prefetch, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from games.log import event_store
from games.models import Game, Invitation, Seat, User

Reader = User | AnonymousUser


class NotFound(Http404):
    """There is no such thing, or it is not this person's to see: the answer is the same."""


def with_seats(games: QuerySet[Game]) -> QuerySet[Game]:
    """The games with host, seats and people; the seed stays in the database."""
    seats = Seat.objects.select_related("user").order_by("number")
    people = games.select_related("host").prefetch_related(Prefetch("seats", seats))
    return people.defer("seed")


def game_for(user: Reader, public_id: str) -> Game:
    """The game with its seats, if this person may see it: open tables are everybody's to watch,
    the others for those who sit there, the host and staff, and for those whose seat another has
    now, who go on reading as spectators. NotFound else."""
    game = with_seats(Game.objects.all()).filter(public_id=public_id).first()
    if game is None or not may_see(user, game):
        raise NotFound(_("This table does not exist."))
    return game


def may_see(user: Reader, game: Game) -> bool:
    """Whether this person may look at the game at all (not: at somebody's hand)."""
    if game.is_open or (user.is_authenticated and user.is_staff):
        return True
    if not user.is_authenticated:
        return False
    if game.host_id == user.pk or seat_of(game, user) is not None:
        return True
    return game.started_at is not None and event_store.took_part(game, user.pk)


class NotSeated(Exception):
    """This person has no chair at the table."""


def place_of(user: User, public_id: str) -> tuple[int, int]:
    """(pk of the game, seat) of somebody who plays in it, in one small query; NotSeated else.

    Past the ORM: this is part of every move. The game is found first and then the chair, not all
    games of a person who plays in hundreds.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT game_id, number FROM games_seat WHERE user_id = %s"
            " AND game_id = (SELECT id FROM games_game WHERE public_id = %s)",
            [user.pk, public_id],
        )
        place: tuple[int, int] | None = cursor.fetchone()
    if place is None:
        raise NotSeated
    return place


def seat_of(game: Game, user: Reader) -> int | None:
    """The seat number of this person, None for those who only watch."""
    if not user.is_authenticated:
        return None
    return next((seat.number for seat in game.seats.all() if seat.user_id == user.pk), None)


def invitation_for(token: str) -> tuple[Game, Invitation | None]:
    """The table a link leads to, by the table's own token or a personal invitation; NotFound."""
    games = with_seats(Game.objects.all())
    game = games.filter(invite_token=token).first() if token else None
    if game is not None:
        return game, None
    invitation = Invitation.objects.filter(token=token).first() if token else None
    if invitation is None:
        raise NotFound(_("This invitation is not valid."))
    return games.get(pk=invitation.game_id), invitation
