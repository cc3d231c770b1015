"""Email preferences, previews of each kind of email, and email that does not arrive."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from games import services
from games.mail import kinds, preview
from games.models import GATHER_MINUTES, DeliveryMode, User

from . import dev_mailbox
from .decorators import SignedInRequest, form_page


def _hours() -> list[tuple[str, str]]:
    return [(str(hour), f"{hour:02}:00") for hour in range(24)]


def _minutes() -> list[tuple[str, Any]]:
    words = {
        0: _("no delay"),
        60: _("1 hour"),
    }
    by_minutes = ngettext_lazy("%(n)d minute", "%(n)d minutes", "n")
    return [(str(n), words.get(n) or by_minutes % {"n": n}) for n in GATHER_MINUTES]


class PreferencesForm(forms.Form):
    """The delivery mode of each kind, and times; fields are named as the service's arguments."""

    gather_minutes = forms.TypedChoiceField(
        label=_("Wait to group emails for"),
        coerce=int,
        choices=_minutes,
        help_text=_("If several games are waiting by then, you get one email about all of them."),
    )
    digest_hour = forms.TypedChoiceField(
        label=_("Send the daily digest at"),
        coerce=int,
        choices=_hours,
        help_text=_("In your time zone. Sent only when there is something new."),
    )
    quiet = forms.BooleanField(label=_("No emails during quiet hours"), required=False)
    quiet_from = forms.TypedChoiceField(label=_("Quiet hours start"), coerce=int, choices=_hours)
    quiet_until = forms.TypedChoiceField(label=_("Quiet hours end"), coerce=int, choices=_hours)
    hold_while_online = forms.BooleanField(
        label=_("Hold emails while I am using the site"),
        required=False,
        help_text=_("Emails are sent a few minutes after you leave. None are lost."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        modes = {
            f"mode_{name}": forms.ChoiceField(
                label=str(kinds.get(name).category), choices=DeliveryMode.choices
            )
            for name in kinds.selectable()
        }
        self.fields = {**modes, **self.fields}

    def clean(self) -> dict[str, Any]:
        """Quiet hours must start and end at different times."""
        data = super().clean() or {}
        if data.get("quiet") and data.get("quiet_from") == data.get("quiet_until"):
            self.add_error("quiet_until", _("Quiet hours must start and end at different times."))
        return data

    @property
    def mode_fields(self) -> list[forms.BoundField]:
        """The delivery modes of the kinds."""
        return [field for field in self if field.name.startswith("mode_")]

    @property
    def time_fields(self) -> list[forms.BoundField]:
        """All other fields."""
        return [field for field in self if not field.name.startswith("mode_")]


@login_required
@form_page
def mail_preferences(request: SignedInRequest) -> HttpResponse:
    """The preferences, with links to previews."""
    user = request.user
    posted = request.POST if request.method == "POST" else None
    form = PreferencesForm(posted, initial=_current(user))
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        services.mail_preferences_set(
            user=user,
            modes={name: data[f"mode_{name}"] for name in kinds.selectable()},
            gather_minutes=data["gather_minutes"],
            digest_hour=data["digest_hour"],
            quiet_from=data["quiet_from"] if data["quiet"] else None,
            quiet_until=data["quiet_until"] if data["quiet"] else None,
            hold_while_online=data["hold_while_online"],
        )
        messages.success(request, _("Email preferences saved."))
        return redirect("mail_preferences")
    shown = [(name, kinds.label(name)) for name in preview.previewable()]
    return render(request, "games/mail_preferences.html", {"form": form, "previews": shown})


def _current(user: User) -> dict[str, Any]:
    quiet = user.quiet_from is not None
    return {
        **{f"mode_{name}": user.delivery_mode(name) for name in kinds.selectable()},
        "gather_minutes": user.gather_minutes,
        "digest_hour": user.digest_hour,
        "quiet": quiet,
        "quiet_from": user.quiet_from if quiet else 22,
        "quiet_until": user.quiet_until if quiet else 7,
        "hold_while_online": user.hold_while_online,
    }


@login_required
@form_page
def mail_stopped(request: SignedInRequest) -> HttpResponse:
    """Why email to the reader does not arrive. A POST resumes sending."""
    if request.method == "POST":
        try:
            services.address_mend(user=request.user)
        except services.ServiceError as error:
            messages.info(request, error.text)
        else:
            messages.success(request, _("You will receive emails again."))
        return redirect("mail_preferences")
    return render(request, "games/mail_stopped.html", {"why": request.user.mail_stopped})


def _preview(user: User, kind: str) -> dev_mailbox.SentEmail | None:
    if kind not in preview.previewable():
        raise Http404
    raw = preview.mail_of(user, kind)
    return dev_mailbox.parse_email(raw) if raw is not None else None


@login_required
@never_cache
@require_safe
def mail_preview(request: SignedInRequest, kind: str) -> HttpResponse:
    """An email of this kind about the reader's own games, as it would look now."""
    email = _preview(request.user, kind)
    context = {"email": email, "kind": kind, "label": kinds.label(kind)}
    return render(request, "games/mail_preview.html", context)


@login_required
@never_cache
@require_safe
@xframe_options_sameorigin
def mail_preview_html(request: SignedInRequest, kind: str) -> HttpResponse:
    """Its HTML, for the frame."""
    return dev_mailbox.html_response(_preview(request.user, kind))
