"""The page of a table that waits for players, or was closed before its game began."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language

from games import selectors
from games.log import event_store
from games.models import BotLevel, Game, User, database_clock
from games.rules import GAMES
from games.translate import say

from . import presenters, talk
from .decorators import saved_value
from .forms import InviteForm


def show(request: HttpRequest, game: Game) -> HttpResponse:
    """The page of this table, which has not started, to the reader."""
    user, seats = request.user, game.seat_list
    rows = presenters.seat_rows(game, seats, user)
    by_place = {seat.place: row for seat, row in zip(seats, rows, strict=True)}
    is_host = isinstance(user, User) and game.host_id == user.pk
    engine = GAMES[game.kind]
    context = {
        "game": game,
        "stamp": selectors.table_stamp(game, request.user),
        "game_title": say(engine.title),
        "places": [(place, by_place.get(place)) for place in range(game.seat_count)],
        "rows": rows,
        "row_me": next((row for row in rows if row.is_me), None),
        "is_host": is_host,
        "host_name": presenters.host_name(game),
        "newcomers": selectors.newcomers(seats, database_clock.now()),
        "bot_levels": BotLevel.choices,
        "free_seats": game.seat_count - len(rows),
        "can_start": len(rows) >= min(engine.seats),
        "least": min(engine.seats),
        "options": presenters.option_labels(game),
        "time_control": selectors.time_control_lines(game),
        "invite_url": request.build_absolute_uri(reverse("invitation", args=[game.invite_token])),
        "typed_name": saved_value(request, "display_name"),
        "removed": game.is_open and selectors.was_removed(user, game),
        "ending": _ending(game) if game.is_over else "",
        **talk.of_page(request, game),
        "invite_form": InviteForm(
            initial={
                "address": saved_value(request, "address"),
                "message": saved_value(request, "message"),
                "language": saved_value(request, "language") or get_language(),
            }
        ),
        **(_invitations(user, game) if isinstance(user, User) and is_host else {}),
    }
    return render(request, "games/gathering.html", context)


def _ending(game: Game) -> str:
    """The reason why the table was closed before the game began."""
    log = event_store.load(game)
    return selectors.ending_sentence(log, selectors.SeatNames(log, game.seat_list))


def _invitations(user: User, game: Game) -> dict[str, Any]:
    """The invitations that this host sent, and the number of those by others: the role of the host
    passes on, but the addresses that somebody typed do not."""
    own = selectors.invitations_by(user, game)
    return {"invitations": own, "invited_by_others": game.invitations.count() - len(own)}
