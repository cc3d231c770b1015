"""What is done around a game: set up a table, come, go, start, invite, give up, play again."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from games import selectors, services
from games.models import Game, Seat, User
from games.rules import GAMES
from games.translate import say
from games.web.forms import InviteForm, TableForm, engine_or_first, faults

from .decorators import deed, forget, keep, signed_in, typed

Deed = Callable[[HttpRequest, User, Game], Game | str | None]


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def table_new(request: HttpRequest) -> HttpResponse:
    """The form for a new table; sent, it leads to the table."""
    user = request.user
    assert isinstance(user, User)
    engine = engine_or_first(request.GET.get("game"))
    form = TableForm(
        request.POST if request.method == "POST" else typed(request),
        engine=engine,
        initial={"name": _table_name(user)},
    )
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            game = services.game_create(
                host=user,
                kind=engine.key,
                **{key: data[key] for key in ("name", "seat_count", "bots", "options")},
                **{key: data[key] for key in ("pace_days", "is_open", "resign_policy")},
            )
        except services.ServiceError as error:
            form.add_error(None, error.text)
        else:
            forget(request)
            return redirect("game", game.public_id)
    context = {
        "form": form,
        "kind": engine.key,
        "games": [(key, say(other.title)) for key, other in GAMES.items()],
    }
    return render(request, "games/table_new.html", context)


def _table_name(user: User) -> str:
    """What a new table is called until its host calls it something else."""
    if not user.display_name:
        return _("New table")
    return _("%(name)s’s table") % {"name": user.name}


def _deed(view: Deed) -> Callable[..., HttpResponse]:
    """A POST at a table: the game is looked up, a refusal is told, then back to the table, where
    what was typed stands in the form again.

    The deed may return another game to go to, or a word to say.
    """

    @deed
    @wraps(view)
    def wrapped(request: HttpRequest, public_id: str, **kwargs: Any) -> HttpResponse:
        user = request.user
        assert isinstance(user, User)
        game = selectors.game_for(user, public_id)
        try:
            said = view(request, user, game, **kwargs)
        except services.ServiceError as error:
            messages.error(request, error.text)
            keep(request, reverse("game", args=[public_id]))
            return redirect("game", public_id)
        forget(request)
        if isinstance(said, str):
            messages.success(request, said)
        return redirect("game", said.public_id if isinstance(said, Game) else public_id)

    return wrapped


def _number(request: HttpRequest, name: str) -> int:
    """A whole number of a form; −1, which no seat has, where it is none."""
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else -1


@_deed
def join(request: HttpRequest, user: User, game: Game) -> str:
    """Sit down on a free seat."""
    services.game_join(game_id=game.pk, user=user)
    return _("You have joined the table.")


@_deed
def add_bot(request: HttpRequest, user: User, game: Game) -> None:
    """A house bot for a free seat."""
    place = _number(request, "place") if "place" in request.POST else None
    services.game_add_bot(game_id=game.pk, by=user, place=place)


@_deed
def remove_bot(request: HttpRequest, user: User, game: Game) -> None:
    """A seat is free again."""
    services.game_remove_bot(game_id=game.pk, by=user, seat=_number(request, "seat"))


@_deed
def start(request: HttpRequest, user: User, game: Game) -> None:
    """Begin with those who are there."""
    services.game_start(game_id=game.pk, by=user)


@_deed
def invite(request: HttpRequest, user: User, game: Game) -> str:
    """An invitation by mail."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        raise services.ServiceError(faults(form))
    address = form.cleaned_data["address"]
    services.game_invite(game_id=game.pk, by=user, address=address)
    return _("An invitation is on its way to %(address)s.") % {"address": address}


@deed
def leave(request: HttpRequest, public_id: str) -> HttpResponse:
    """Give up a seat before the start; then home, since the table may not be ours to see any more."""
    user = request.user
    assert isinstance(user, User)
    game = selectors.game_for(user, public_id)
    try:
        services.game_leave(game_id=game.pk, user=user)
    except services.ServiceError as error:
        messages.error(request, error.text)
        return redirect("game", public_id)
    messages.success(request, _("You have left “%(table)s”.") % {"table": game.name})
    return redirect("home")


@_deed
def resign(request: HttpRequest, user: User, game: Game) -> str:
    """Give up a running game; a tick says that it is meant."""
    if not request.POST.get("sure"):
        raise services.ServiceError(_("Tick the box to confirm."))
    services.game_resign(game_id=game.pk, user=user)
    return _("You have resigned.")


@_deed
def mails(request: HttpRequest, user: User, game: Game) -> str:
    """The mails of this game, off or on again."""
    off = request.POST.get("off") == "1"
    services.mails_switch(game_id=game.pk, user=user, off=off)
    return _("Emails for this game are now off.") if off else _("Emails for this game are now on.")


@_deed
def rematch(request: HttpRequest, user: User, game: Game) -> Game:
    """The same people once more."""
    return services.game_rematch(game_id=game.pk, by=user)


@_deed
def step_in(request: HttpRequest, user: User, game: Game) -> None:
    """The host lets the house bot play a late turn, or gives it the late seat."""
    seat, reason = _number(request, "seat"), request.POST.get("reason", "")
    late = Seat.objects.filter(game=game, number=seat, overdue=True).exists()
    if not late:
        raise services.ServiceError(_("That player has moved in the meantime."))
    if request.POST.get("do") == "hand":
        services.moderate_hand_seat(game_id=game.pk, by=user, reason=reason, seat=seat)
    else:
        services.moderate_play_bot(game_id=game.pk, by=user, reason=reason, seat=seat)
