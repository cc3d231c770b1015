"""The scope that the link of a turn email opens: one seat, at one table, until its turn ends.

The scope is a signed cookie for the pages of that table. It is not a login: `request.user` stays
anonymous, so that nothing but the views that call `player` can take it for one. Those are the page
of the table, its positions, and the URL that moves are posted to. Every request checks in the
database that the seat and its turn are still those that the link is about.

The scope can read what the seat may read, and it can move, answer and plan for the seat. It cannot
write notes, resign, or change which emails the player gets: these need a sign-in.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_POST

from games import selectors
from games.log import event_store
from games.log.game_log import Log
from games.mail import signed_links
from games.models import Game, User

from .decorators import sign_in_url

# __Secure-, not __Host-: the cookie goes to the pages of one table only.
COOKIE = settings.SESSION_COOKIE_NAME.replace("sessionid", "turn").replace("__Host-", "__Secure-")

View = Callable[..., HttpResponse]


class TurnScope(msgspec.Struct, frozen=True):
    """The seat of `user`, who need not be the person at the browser. is_open: the seat is asked in
    the turn of the link."""

    user: User
    game: Game
    seat: int
    is_open: bool


def grant(response: HttpResponse, turn: signed_links.TurnTokenData) -> None:
    """Let the browser that gets this response act on the turn."""
    response.set_cookie(
        COOKIE,
        signed_links.turn_scope_value(turn),
        max_age=signed_links.TURN_SCOPE_SECONDS,
        path=_path(turn.public_id),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def revoke(response: HttpResponse, public_id: str) -> None:
    """Take the scope at this table back from the browser that gets this response."""
    response.delete_cookie(COOKIE, path=_path(public_id), samesite="Lax")


def of(request: HttpRequest) -> TurnScope | None:
    """The scope of this request at the table that it is about; None for everybody else.

    Somebody who is signed in acts under their own name only, with their own rights.
    """
    scope: TurnScope | None = getattr(request, "turn_scope", None)
    return scope


def player(request: HttpRequest) -> selectors.Reader:
    """The reader of a page of this table: the signed-in user, the player of an open scope, or an
    anonymous visitor."""
    scope = of(request)
    return scope.user if scope is not None and scope.is_open else request.user


def with_turn_scope(view: View) -> View:
    """A page of a table that a scope opens, in the language and time zone of its player."""

    @wraps(view)
    def wrapped(request: HttpRequest, public_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        if COOKIE not in request.COOKIES:
            return view(request, public_id, *args, **kwargs)
        scope = None if request.user.is_authenticated else _read(request, public_id)
        if scope is None:
            response = view(request, public_id, *args, **kwargs)
            revoke(response, public_id)
        else:
            request.turn_scope = scope  # type: ignore[attr-defined]  # for `of`
            with translation.override(scope.user.language), timezone.override(scope.user.zone):
                response = view(request, public_id, *args, **kwargs)
            response["Content-Language"] = scope.user.language
        response["Cache-Control"] = "no-store"
        patch_vary_headers(response, ("Cookie",))
        return response

    return wrapped


def over_page(request: HttpRequest, scope: TurnScope) -> HttpResponse:
    """The board of a private table as spectators see it, where the seat is not asked any more."""
    log = event_store.load(scope.game)
    context = {
        "over": True,
        "game": scope.game,
        "board": public_board(log),
        "sign_in": sign_in_url(_path(scope.game.public_id)),
    }
    return render(request, "games/turn_link.html", context)


def public_board(log: Log) -> SafeString:
    """The board as spectators see it."""
    board = log.engine.board_svg(log.engine.rules.view(log.state, None))
    return mark_safe(board)  # noqa: S308  # our own drawing, without any user's text


@require_POST
def close(request: HttpRequest, public_id: str) -> HttpResponse:
    """Give up the scope on this device."""
    response = redirect("game", public_id)
    revoke(response, public_id)
    return response


def _read(request: HttpRequest, public_id: str) -> TurnScope | None:
    turn = signed_links.read_turn_scope(request.COOKIES[COOKIE])
    if turn is None or turn.public_id != public_id or not selectors.may_act(turn.user):
        return None
    game = selectors.linked_game(public_id)
    if game is None:
        return None
    is_open = selectors.turn_is_open(game, seat=turn.seat, user=turn.user, seq=turn.seq)
    if not is_open and selectors.linked_seat(public_id, turn.user) is None:
        return None
    return TurnScope(turn.user, game, turn.seat, is_open)


def _path(public_id: str) -> str:
    return reverse("game", args=[public_id])
