"""A hint for newcomers about the question that they are asked at a table."""

from collections.abc import Mapping
from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from games import selectors, services
from games.models import User
from games.rules.contract import View
from games.rules.move_form import MoveForm
from games.translate import say

from .decorators import SignedInRequest, post_action

NEWCOMER = timedelta(days=30)  # for so long after signing up there are hints


def is_newcomer(user: User) -> bool:
    """Return whether there are hints for this person, unless they want none."""
    return timezone.now() - user.date_joined <= NEWCOMER


def hints_for(request: HttpRequest, page: selectors.TablePage) -> dict[str, str]:
    """The hints of a game by the name of their question, for a newcomer whose turn it is."""
    user = request.user
    if not page.my_turn or not isinstance(user, User) or not user.wants_hints:
        return {}
    if not is_newcomer(user):
        return {}
    return {name: say(text) for name, text in page.engine.presentation.hints().items()}


def hint_of(form: MoveForm[View] | None, hints: Mapping[str, str]) -> str:
    """The hint about the last question that has one; questions may be numbered."""
    names = [field.name.rstrip("0123456789") for field in form.fields] if form is not None else []
    return next((hints[name] for name in reversed(names) if name in hints), "")


@post_action
def dismiss(request: SignedInRequest, public_id: str) -> HttpResponse:
    """Show no more hints to this person."""
    services.person_hints_switch(user=request.user, wanted=False)
    query = request.META.get("QUERY_STRING", "")
    return redirect(reverse("game", args=[public_id]) + (f"?{query}" if query else "") + "#orders")
