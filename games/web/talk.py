"""What the players at a table write to each other and vote on: the messages on its page, and the
forms of messages and votes. Turn links do not reach them."""

from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from games import selectors, services
from games.log import table_events
from games.models import MAX_TALK, Game

from .decorators import SignedInRequest, game_action, number_of, saved_value


def of_page(request: HttpRequest, game: Game) -> dict[str, Any]:
    """The messages for the reader of this page, and what the reader typed, for the template."""
    whole = request.GET.get("talk") == "all"
    return {
        "talk": selectors.talk_of(game, request.user, whole=whole),
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
def seen(request: SignedInRequest, game: Game) -> HttpResponse:
    """Remember the message up to which the reader has had all in the window."""
    number = selectors.seat_of(game, request.user)
    if number is not None:
        services.talk_seen(seat=game.seat_list[number], newest=number_of(request, "newest"))
    return _back(game)


@game_action
def delete(request: SignedInRequest, game: Game) -> HttpResponse:
    """Delete a message of one's own."""
    services.message_delete(game_id=game.pk, user=request.user, key=number_of(request, "key"))
    return _back(game)


@game_action
def mute(request: SignedInRequest, game: Game) -> HttpResponse:
    """Mute or unmute somebody at the table."""
    person = selectors.player_on(game, number_of(request, "seat"))
    if person is None:
        raise services.ServiceError(_("This person has left the table."))
    services.person_mute(
        user=request.user, person=person.pk, is_muted=request.POST.get("mute") == "yes"
    )
    return _back(game)


@game_action
def switch(request: SignedInRequest, game: Game) -> HttpResponse:
    """Close or open the talk of a table."""
    services.talk_switch(game=game, user=request.user, is_open=request.POST.get("open") == "yes")
    return _back(game)


def _back(game: Game) -> HttpResponse:
    return redirect(reverse("game", args=[game.public_id]) + "#talk")


def _proposal(word: str) -> table_events.Proposal:
    match word:
        case "pause" | "resume" | "cancel" | "bot" | "take_back":
            return word
    raise services.ServiceError(_("There is no such vote."))


@game_action
def vote_ask(request: SignedInRequest, game: Game) -> str:
    """Ask the others at the table; with nobody else to ask, it is done at once."""
    about, until, late = _proposal(request.POST.get("about", "")), None, None
    if about == "pause":
        try:
            until = date.fromisoformat(request.POST.get("until", ""))
        except ValueError:
            raise services.ServiceError(_("Choose the day on which the game goes on.")) from None
    if about == "bot":
        late = number_of(request, "late")
    is_sure = bool(request.POST.get("sure"))
    passed = services.vote_open(
        game_id=game.pk, user=request.user, about=about, until=until, late=late, is_sure=is_sure
    )
    if passed:
        return _("Done: everyone with a vote has agreed.")
    return _("The others are asked now. Each of them gets an email.")


@game_action
def vote_answer(request: SignedInRequest, game: Game) -> str:
    """Agree to the open vote, or say no."""
    agrees = request.POST.get("answer") == "yes"
    vote = number_of(request, "vote")
    ended = services.vote_answer(game_id=game.pk, user=request.user, vote=vote, agrees=agrees)
    said = _("You’ve agreed.") if agrees else _("You’ve said no.")
    return f"{said} {ended}".strip()
