"""What people write to the moderators: reports of a message, a player or a name, and appeals.

A person appeals on the page of the decision. The link in the email opens it, also for people who
are suspended.
"""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors, services
from games.mail import signed_links
from games.mail.kinds.moderation import decision_facts
from games.models import MAX_TALK, Appeal, Message, Report

from .decorators import (
    SignedInRequest,
    carry_out,
    discard_saved_form,
    form_page,
    login_required_keep_form,
    saved_value,
    secret_url,
)
from .players import player_of, player_url


@login_required_keep_form
@form_page
def message_report(request: SignedInRequest, table: str, message: int) -> HttpResponse:
    """Report a message or a note that the reader may read."""
    game = selectors.game_for(request.user, table)
    readable = selectors.readable(game, request.user).select_related("author")
    found = readable.filter(pk=message, state=Message.State.SHOWN).first()
    if found is None or found.author == request.user:
        raise Http404
    about = Report(about=Report.About.MESSAGE, person=found.author, game=game, quoted=found.text)
    return _report_page(
        request,
        about,
        lambda text: services.message_report(game=game, user=request.user, key=message, text=text),
        reverse("game", args=[table]),
    )


@login_required_keep_form
@form_page
def report_player(request: SignedInRequest, table: str, seat: int) -> HttpResponse:
    """Report the conduct of somebody at a table of the reader."""
    game = selectors.game_for(request.user, table)
    person = selectors.player_on(game, seat)
    if person in (None, request.user) or not selectors.has_played(game, request.user):
        raise Http404
    assert person is not None
    return _report_page(
        request,
        Report(about=Report.About.CONDUCT, person=person, game=game),
        lambda text: services.conduct_report(
            game=game, user=request.user, person=person, text=text
        ),
        reverse("game", args=[table]),
    )


@login_required_keep_form
@form_page
def name_report(request: SignedInRequest, key: str) -> HttpResponse:
    """Report the name of a player."""
    person = player_of(key)
    if person in (None, request.user):
        raise Http404
    assert person is not None
    return _report_page(
        request,
        Report(about=Report.About.NAME, person=person),
        lambda text: services.name_report(user=request.user, person=person, text=text),
        player_url(person),
    )


def _report_page(
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
                _(
                    "Your report has reached the moderators. You’ll get an email when they have "
                    "closed it."
                ),
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


class AppealForm(forms.Form):
    """Asks why the decision is wrong."""

    text = forms.CharField(
        label=gettext_lazy("Why do you think that the decision is wrong?"),
        max_length=MAX_TALK,
        widget=forms.Textarea(attrs={"rows": 6}),
    )


@secret_url
@form_page
def appeal(request: HttpRequest, token: str) -> HttpResponse:
    """GET: the decision, a form while there can be an appeal, and the answer. POST: appeal."""
    found = signed_links.read_appeal_token(token)
    if found is None:
        return render(request, "games/appeal.html", {"unknown": True}, status=404)
    decision, person = found
    with translation.override(person.language), timezone.override(person.zone):
        form = AppealForm(request.POST if request.method == "POST" else None)
        if carry_out(form, services.appeal_make, decision_id=decision.pk):
            return redirect(request.path)
        made = (
            Appeal.objects.select_related("answer__words", "answer__person", "answer__game")
            .filter(decision=decision)
            .first()
        )
        answer = made.answer if made is not None else None
        context = {
            **decision_facts(decision),
            "form": form,
            "made": made,
            "answered": decision_facts(answer)["said"] if answer is not None else "",
            "closed": services.appeal_obstacle(decision) if made is None else "",
        }
        return render(request, "games/appeal.html", context)


urlpatterns = [path("appeal/<token>/", appeal, name="appeal")]
