"""Taking a seat by a form that also asks people without a name for one.

Visitors submit the form, too: it is saved, and the sign-in, which is a POST itself, takes the seat.
"""

from django.contrib import messages
from django.http import HttpRequest
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _

from games import selectors, services
from games.models import Game, User

from .decorators import discard_saved_form, saved_at_sign_in


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


def join_after_sign_in(request: HttpRequest, user: User) -> str | None:
    """Take the seat for which the reader signed in; where to go then, None for nowhere else.

    If that fails, its page says why, with the form filled in.
    """
    page, form = saved_at_sign_in(request)
    try:
        match = resolve(page)
    except Resolver404:
        return None
    name = form.get("display_name", "")
    try:
        if match.url_name == "invitation" and "accept" in form:
            game = accept_invitation(user, match.kwargs["token"], name)
        elif match.url_name == "game" and "join" in form:
            game = join_table(user, match.kwargs["public_id"], name)
        else:
            return None
    except selectors.NotFound:
        return None
    except services.ServiceError as error:
        messages.error(request, error.text)
        return page
    discard_saved_form(request)
    messages.success(request, _("You have joined the table."))
    return reverse("game", args=[game.public_id])
