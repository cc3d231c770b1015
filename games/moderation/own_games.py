"""What the lists of the admin leave out for moderators who play in a running game.

Replies are private: that an opponent wrote an illegal move, or asked whether to resign, is
something that nobody else at the table knows. An administrator who has announced to moderate their
own game sees it all.
"""

from typing import Any

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from games import services
from games.models import Game, InboundMail, OutboxMail, QuotaUse, User, database_clock
from games.moderation.base import ReadOnly, moderator
from games.services.quotas import REGISTRY, Scope


class ListWithoutOwnGames(ReadOnly):
    """A list that leaves out rows about games in which the reader plays, and says so, whether or
    not there are such rows."""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if request.method == "GET" and _kept_from(moderator(request)):
            messages.info(
                request,
                _(
                    "You play in running games. What concerns the other players of these games is not "
                    "listed until the game is over."
                ),
            )
        return super().changelist_view(request, extra_context)


def is_kept_from(by: User, game: Game) -> bool:
    """Whether rows about this game are left out."""
    return game.pk in _kept_from(by)


def _kept_from(by: User) -> set[int]:
    return services.games_kept_from(by, database_clock.now())


def replies_for(by: User, mails: QuerySet[InboundMail]) -> QuerySet[InboundMail]:
    """Without replies of others about these games."""
    return mails.filter(~Q(game__in=_kept_from(by)) | Q(user=by))


def emails_for(by: User, mails: QuerySet[OutboxMail]) -> QuerySet[OutboxMail]:
    """Without emails to others about these games: an answer may take the place of any of them."""
    return mails.filter(~Q(game__in=_kept_from(by)) | Q(user=by))


def limits_for(by: User, uses: QuerySet[QuotaUse]) -> QuerySet[QuotaUse]:
    """Without limits that others exceeded in these games, by replies or plans."""
    if not (games := _kept_from(by)):
        return uses
    of_seats = [name for name, quota in REGISTRY.items() if quota.scope == Scope.SEAT]
    theirs = Q(quota__in=of_seats, subject__regex=f"^({'|'.join(map(str, games))}):")
    return uses.filter(~theirs | Q(subject__endswith=f":{by.pk}"))
