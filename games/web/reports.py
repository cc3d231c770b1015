"""The forms that report a message, a player or a name to the moderators."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from games import selectors, services
from games.models import MAX_TALK, Message, Report

from .decorators import (
    SignedInRequest,
    discard_saved_form,
    form_page,
    login_required_keep_form,
    saved_value,
)
from .players import player_of, player_url


@login_required_keep_form
@form_page
def of_message(request: SignedInRequest, table: str, message: int) -> HttpResponse:
    """Report a message or a note that the reader may read."""
    game = selectors.game_for(request.user, table)
    readable = selectors.readable(game, request.user).select_related("author")
    found = readable.filter(pk=message, state=Message.State.SHOWN).first()
    if found is None or found.author == request.user:
        raise Http404
    about = Report(about=Report.About.MESSAGE, person=found.author, game=game, quoted=found.text)
    return _page(
        request,
        about,
        lambda text: services.message_report(game=game, user=request.user, key=message, text=text),
        reverse("game", args=[table]),
    )


@login_required_keep_form
@form_page
def of_player(request: SignedInRequest, table: str, seat: int) -> HttpResponse:
    """Report the conduct of somebody at a table of the reader."""
    game = selectors.game_for(request.user, table)
    person = next((row.user for row in game.seat_list if row.number == seat), None)
    if person in (None, request.user) or not selectors.has_played(game, request.user):
        raise Http404
    assert person is not None
    return _page(
        request,
        Report(about=Report.About.CONDUCT, person=person, game=game),
        lambda text: services.conduct_report(
            game=game, user=request.user, person=person, text=text
        ),
        reverse("game", args=[table]),
    )


@login_required_keep_form
@form_page
def of_name(request: SignedInRequest, key: str) -> HttpResponse:
    """Report the name of a player."""
    person = player_of(key)
    if person in (None, request.user):
        raise Http404
    assert person is not None
    return _page(
        request,
        Report(about=Report.About.NAME, person=person),
        lambda text: services.name_report(user=request.user, person=person, text=text),
        player_url(person),
    )


def _page(
    request: SignedInRequest,
    about: Report,
    report: Callable[[str], Report],
    back: str,
) -> HttpResponse:
    """The form. about: what is reported, not saved. report: the service, which takes the text."""
    text, problem = saved_value(request, "text"), ""
    if request.method == "POST":
        text = request.POST.get("text", "")
        try:
            report(text)
        except services.ServiceError as error:
            problem = error.text
        else:
            discard_saved_form(request)
            messages.success(
                request,
                _("Your report has reached the moderators. You get an email when it is closed."),
            )
            return redirect(back)
    context = {
        "about": about,
        "text": text,
        "problem": problem,
        "back": back,
        "most": MAX_TALK,
    }
    return render(request, "games/report.html", context)
