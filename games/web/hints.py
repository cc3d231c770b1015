"""Hints beside the board of a first game. What somebody has dismissed is kept with the session."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from games import selectors
from games.models import User
from games.translate import say

from .decorators import SignedInRequest, post_action

KEY = "dismissed_hints"  # in the session: "<game>-<number>"
NEWCOMER = timedelta(days=30)  # for so long after signing up there are hints


def hints_for(request: HttpRequest, page: selectors.TablePage) -> list[tuple[int, str]]:
    """(number, text) of the hints that this player of a running game still gets."""
    user = request.user
    if page.viewer is None or page.game.is_over or not isinstance(user, User):
        return []
    if timezone.now() - user.date_joined > NEWCOMER:
        return []
    dismissed = request.session.get(KEY, [])
    return [
        (number, say(text))
        for number, text in enumerate(page.engine.presentation.hints())
        if f"{page.game.kind}-{number}" not in dismissed
    ]


@post_action
def dismiss(request: SignedInRequest, public_id: str) -> HttpResponse:
    """Show this hint no more."""
    game = selectors.game_for(request.user, public_id)
    number = request.POST.get("hint", "")
    if number.isascii() and number.isdecimal() and len(number) == 1:
        name = f"{game.kind}-{number}"
        request.session[KEY] = sorted({*request.session.get(KEY, []), name})
    query = request.META.get("QUERY_STRING", "")
    return redirect(reverse("game", args=[public_id]) + (f"?{query}" if query else ""))
