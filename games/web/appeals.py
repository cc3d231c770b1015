"""The page of a decision, on which its person appeals; the link in the email opens it, also for
people who are suspended."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _

from games import services
from games.mail import signed_links
from games.mail.kinds.moderation import decision_facts
from games.models import MAX_TALK, Appeal

from .decorators import form_page, secret_url


class AppealForm(forms.Form):
    """Asks why the decision is wrong."""

    text = forms.CharField(
        label=_("Why do you think that the decision is wrong?"),
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
        if form.is_valid():
            try:
                services.appeal_make(decision_id=decision.pk, text=form.cleaned_data["text"])
            except services.ServiceError as error:
                form.add_error(None, error.text)
            else:
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
