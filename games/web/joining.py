"""The page of an invitation, by email or by the link of a table, and the forms that take a seat or
join a circle.

Programs that show a preview of the link open the page, too, without a session: it is open to all
who have the link, and a GET changes nothing. The forms also ask people without a name for one.
Visitors submit them, too: the form is saved, and the sign-in, which is a POST itself, takes the
seat.
"""

from enum import StrEnum
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils import translation
from django.utils.translation import gettext as _

from games import selectors, services
from games.log import event_store
from games.mail.kinds.invitation import plain_name
from games.models import Circle, Game, Invitation, User, name_at
from games.rules import GAMES
from games.translate import say

from . import boards, presenters, turn_scope
from .decorators import (
    discard_saved_form,
    save_form,
    saved_at_sign_in,
    saved_value,
    secret_url,
    sign_in_url,
)


class State(StrEnum):
    """What the page says."""

    JOIN = "join"
    TAKE_OVER = "take_over"  # a seat of a game in progress
    USED = "used"
    PLAYED = "played"  # the reader has played at the table and takes over no seat
    REMOVED = "removed"  # by the host, and the link lets nobody return
    STARTED = "started"
    OVER = "over"
    CANCELLED = "cancelled"


def _state(user: selectors.Reader, game: Game, personal: Invitation | None) -> State:
    if game.status == Game.Status.ABORTED:
        return State.CANCELLED
    if game.status == Game.Status.FINISHED:
        return State.OVER
    free = selectors.open_seats(game)
    closed = not free and game.status != Game.Status.GATHERING
    accepted = personal is not None and personal.answer == Invitation.Answer.ACCEPTED
    if accepted and (closed or not game.is_open):
        return State.USED
    if closed:
        return State.STARTED
    if free:
        return State.TAKE_OVER if selectors.may_take_over(user, game) else State.PLAYED
    if personal is None and selectors.was_removed(user, game):
        return State.REMOVED
    return State.JOIN


@secret_url
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """An invitation by email or by the game's own link. Joining needs a sign-in, declining does
    not."""
    try:
        game, personal = selectors.invitation_for(token)
    except selectors.NotFound:
        return render(request, "games/invitation.html", {"unknown": True}, status=404)
    page, user = reverse("game", args=[game.public_id]), request.user
    if isinstance(user, User) and selectors.seat_of(game, user) is not None:
        return redirect(page)
    if request.method == "POST":
        return _answer(request, token, page, personal)
    if "Accept-Language" in request.headers or isinstance(user, User):
        return _render(request, game, personal)
    with translation.override(_language(game, personal)):  # for a program that shows previews
        return _render(request, game, personal)


def _language(game: Game, personal: Invitation | None) -> str:
    """The language of a reader who asks for none."""
    host = game.host.language if game.host is not None else ""
    language = (personal.language if personal is not None else "") or host
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def _answer(
    request: HttpRequest, token: str, page: str, personal: Invitation | None
) -> HttpResponse:
    user = request.user
    if "decline" in request.POST and personal is not None:
        if selectors.is_invited(user, personal):
            services.invitation_decline(token=token)
        return redirect(request.path)
    save_form(request, request.path)  # for after the sign-in, or an error
    if not isinstance(user, User):
        return redirect(sign_in_url(request.path))
    is_seated = selectors.seat_of(selectors.invitation_for(token)[0], user) is not None
    try:
        accept_invitation(user, token, request.POST.get("display_name", ""))
    except services.ServiceError as error:
        messages.error(request, error.text)
        return redirect(request.path)
    discard_saved_form(request)
    messages.success(request, already_seated() if is_seated else _("You have joined the table."))
    return redirect(page)


def _render(request: HttpRequest, game: Game, personal: Invitation | None) -> HttpResponse:
    user, seats, state = request.user, game.seat_list, _state(request.user, game, personal)
    rows = presenters.seat_rows(game, seats, user, {})
    host = name_at(seats, game.host)
    inviter = name_at(seats, personal.invited_by) if personal is not None else ""
    declined = personal is not None and personal.answer == Invitation.Answer.DECLINED
    context: dict[str, Any] = {
        "state": state.value,
        "game": game,
        "title": say(GAMES[game.kind].title),
        "circle": game.circle,
        "in_circle": isinstance(user, User) and selectors.in_circle_of(game, user),
        "pitch": selectors.pitch(game),
        "rows": rows,
        "away": [row.away for row in rows if row.away],
        "free": range(max(0, game.seat_count - len(seats))),
        "inviter": inviter,
        "host": host,
        "message": personal.message if personal is not None else "",
        "again": personal is not None and game.rematch_of is not None,
        "typed_name": saved_value(request, "display_name"),
        "declined": declined,
        "can_decline": personal is not None
        and not declined
        and selectors.is_invited(user, personal),
        "for_other": personal is not None and not selectors.is_invited(user, personal),
        "sign_in_to_table": sign_in_url(reverse("game", args=[game.public_id])),
        "may_see": selectors.may_see(user, game),
        "picture": boards.example_url(game.kind),
        "preview_name": plain_name(inviter or host),
    }
    if state == State.TAKE_OVER:
        context["board"] = turn_scope.public_board(event_store.load(game))
    return render(request, "games/invitation.html", context)


def already_seated() -> str:
    """The answer to somebody who asks for a seat and has one."""
    return _("You already have a seat at this table.")


def take_name(request: HttpRequest, user: User) -> None:
    """Give the reader the name in the submitted form, unless they have one; ServiceError if it
    cannot be a name."""
    _take_name(user, request.POST.get("display_name", ""))


def _take_name(user: User, name: str) -> None:
    if not user.shown_name:
        services.person_rename(user=user, display_name=name)


def accept_invitation(user: User, token: str, name: str) -> Game:
    """Take a seat by a personal invitation or the table's link; ServiceError, NotFound. name: for a
    user who has none."""
    game, _personal = selectors.invitation_for(token)
    if selectors.seat_of(game, user) is not None:
        return game
    _take_name(user, name)
    if free := selectors.open_seats(game):
        services.seat_take_over(game_id=game.pk, user=user, seat=free[0].number, token=token)
    else:
        services.game_join(game_id=game.pk, user=user, token=token)
    return game


def join_table(user: User, public_id: str, name: str) -> Game:
    """Take a free seat of a table that this user may see; ServiceError, NotFound. name: for a user
    who has none."""
    game = selectors.game_for(user, public_id)
    _take_name(user, name)
    services.game_join(game_id=game.pk, user=user)
    return game


def join_as(user: User, token: str, name: str) -> Circle:
    """Join a circle by a personal invitation or its link; ServiceError, NotFound. name: for a user
    who has none."""
    _take_name(user, name)
    return services.circle_join(token=token, user=user)


def joined_circle(circle: Circle) -> str:
    """The answer to somebody who joined this circle."""
    return _("You are a member of “%(circle)s” now.") % {"circle": circle.name}


def join_after_sign_in(request: HttpRequest, user: User) -> str | None:
    """Take the seat, or join the circle, for which the reader signed in; where to go then, None for
    nowhere else.

    If that fails, its page says why, with the form filled in.
    """
    page, form = saved_at_sign_in(request)
    try:
        match = resolve(page)
    except Resolver404:
        return None
    name, done = form.get("display_name", ""), _("You have joined the table.")
    try:
        if match.url_name == "circle_invitation" and "accept" in form:
            circle = join_as(user, match.kwargs["token"], name)
            done, home = joined_circle(circle), reverse("circle", args=[circle.public_id])
        elif match.url_name == "invitation" and "accept" in form:
            game = accept_invitation(user, match.kwargs["token"], name)
            home = reverse("game", args=[game.public_id])
        elif match.url_name == "game" and "join" in form:
            game = join_table(user, match.kwargs["public_id"], name)
            home = reverse("game", args=[game.public_id])
        else:
            return None
    except selectors.NotFound:
        return None
    except services.ServiceError as error:
        messages.error(request, error.text)
        return page
    discard_saved_form(request)
    messages.success(request, done)
    return home
