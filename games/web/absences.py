"""The page where people enter when they are away."""

from collections.abc import Sequence
from datetime import date

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _

from games import selectors, services
from games.clock.calendar import MOST_DAYS
from games.models import database_clock

from .decorators import (
    SignedInRequest,
    discard_saved_form,
    form_page,
    login_required_keep_form,
    saved_form,
)

MOST_SHOWN = 20  # deadlines


class AbsenceForm(forms.Form):
    """First and last day."""

    first = forms.DateField(
        label=_("First day"), widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
    )
    last = forms.DateField(
        label=_("Last day"), widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
    )


class EndForm(forms.Form):
    """The first day of the absence to end."""

    end = forms.DateField(widget=forms.HiddenInput)


@login_required_keep_form
@form_page
def absences(request: SignedInRequest) -> HttpResponse:
    """The reader's absences. A POST enters one, or ends the one that `end` names."""
    now = database_clock.now()
    today = now.astimezone(request.user.zone).date()
    posted = request.POST if request.method == "POST" else None
    data = saved_form(request) if posted is None else posted
    form = AbsenceForm(None if data is None or "end" in data else data, initial={"first": today})
    problem = ""
    try:
        if posted is not None and "end" in posted:
            ending = EndForm(posted)
            first = ending.cleaned_data["end"] if ending.is_valid() else date.min
            effects = services.absence_end(user=request.user, first=first, now=now)
            messages.success(request, _("Your absence has ended."))
            return _done(request, effects)
        if posted is not None and form.is_valid():
            effects = services.absence_enter(user=request.user, now=now, **form.cleaned_data)
            messages.success(request, _("Your absence has been entered."))
            return _done(request, effects)
    except services.ServiceError as error:
        problem = error.text
    context = {
        "form": form,
        "problem": problem,
        "open": selectors.open_absences(request.user, now),
        "today": today,
        "most": MOST_DAYS,
    }
    return render(request, "games/absences.html", context)


def _done(request: SignedInRequest, effects: Sequence[services.MovedDeadline]) -> HttpResponse:
    discard_saved_form(request)
    for line in selectors.effect_lines(effects)[:MOST_SHOWN]:
        messages.info(request, line)
    return redirect("absences")
