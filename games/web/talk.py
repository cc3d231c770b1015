"""The messages on the page of a table, and their forms."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from games import selectors, services
from games.models import MAX_TALK, Game

from .decorators import SignedInRequest, saved_value
from .lobby import game_action, number_of


def of_page(request: HttpRequest, game: Game) -> dict[str, Any]:
    """The messages for the reader of this page, who has seen them with it, and what the reader
    typed, for the template."""
    whole = request.GET.get("talk") == "all"
    talk = selectors.talk_of(game, request.user, whole=whole)
    number = selectors.seat_of(game, request.user)
    purposes = {request.headers.get("Purpose"), request.headers.get("Sec-Purpose")}
    if talk is not None and number is not None and "prefetch" not in purposes:
        services.talk_seen(seat=game.seat_list[number], newest=talk.newest)
    return {
        "talk": talk,
        "talk_whole": whole,
        "talk_length": MAX_TALK,
        "typed_message": saved_value(request, "message"),
    }


@game_action
def write(request: SignedInRequest, game: Game) -> HttpResponse:
    """Write a message. An error keeps its text."""
    text = request.POST.get("message", "")
    services.message_write(game_id=game.pk, user=request.user, text=text)
    return _back(game)


@game_action
def delete(request: SignedInRequest, game: Game) -> HttpResponse:
    """Delete a message of one's own."""
    services.message_delete(game_id=game.pk, user=request.user, key=number_of(request, "key"))
    return _back(game)


@game_action
def mute(request: SignedInRequest, game: Game) -> HttpResponse:
    """Mute or unmute somebody at the table."""
    number = number_of(request, "seat")
    person = next((s.user_id for s in game.seat_list if s.number == number), None)
    if person is None:
        raise services.ServiceError(_("This person has left the table."))
    services.person_mute(
        user=request.user, person=person, is_muted=request.POST.get("mute") == "yes"
    )
    return _back(game)


@game_action
def switch(request: SignedInRequest, game: Game) -> HttpResponse:
    """Close or open the talk of a table."""
    services.talk_switch(game=game, user=request.user, is_open=request.POST.get("open") == "yes")
    return _back(game)


def _back(game: Game) -> HttpResponse:
    return redirect(reverse("game", args=[game.public_id]) + "#talk")
