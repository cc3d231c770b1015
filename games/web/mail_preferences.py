"""Email preferences, previews of each kind of email, and email that does not arrive."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from games import services
from games.mail import compose, kinds
from games.models import PREFERENCES, User

from . import dev_mailbox
from .decorators import (
    SignedInRequest,
    discard_saved_form,
    form_page,
    login_required_keep_form,
    saved_form,
)

DEFAULT_QUIET_HOURS = {"quiet_from": 22, "quiet_until": 7}  # offered, but off by default


class PreferencesForm(forms.Form):
    """The delivery mode of each kind, then PREFERENCES. Quiet hours have a check box of their own.

    cleaned_data: arguments of mail_preferences_set.
    """

    def __init__(self, user: User, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self._kinds = kinds.selectable_by(user)
        for name in self._kinds:
            self.fields[f"mode_{name}"] = forms.ChoiceField(
                label=str(kinds.get(name).category),
                choices=[
                    (mode.value, kinds.get(name).mode_label(mode)) for mode in kinds.get(name).modes
                ],
                initial=user.delivery_mode(name),
            )
        for name in PREFERENCES:
            if name == "quiet_from":
                self.fields["quiet"] = forms.BooleanField(
                    label=_("No emails during quiet hours"),
                    required=False,
                    initial=user.quiet_from is not None,
                )
            self.fields[name] = _field(name)
            value = getattr(user, name)
            self.fields[name].initial = DEFAULT_QUIET_HOURS.get(name) if value is None else value

    def clean(self) -> dict[str, Any]:
        """Require that quiet hours start and end at different times."""
        data = super().clean() or {}
        if not data.pop("quiet", False):
            data["quiet_from"] = data["quiet_until"] = None
        elif data.get("quiet_from") == data.get("quiet_until"):
            self.add_error("quiet_until", _("Quiet hours must start and end at different times."))
        modes = {name: data.pop(f"mode_{name}", "") for name in self._kinds}
        return {"modes": modes, **data}

    @property
    def mode_fields(self) -> list[forms.BoundField]:
        """The delivery modes of the kinds."""
        return [field for field in self if field.name.startswith("mode_")]

    @property
    def other_fields(self) -> list[forms.BoundField]:
        """All other fields."""
        return [field for field in self if not field.name.startswith("mode_")]


def _field(name: str) -> Any:
    """The form field of a preference, without an empty choice."""
    field: Any = forms.fields_for_model(User, [name])[name]
    if hasattr(field, "choices"):
        field.choices = [choice for choice in field.choices if choice[0] != ""]
    return field


@login_required_keep_form
@form_page
def mail_preferences(request: SignedInRequest) -> HttpResponse:
    """The preferences, with links to previews."""
    data = request.POST if request.method == "POST" else saved_form(request)
    form = PreferencesForm(request.user, data)
    if request.method == "GET" and data is not None:
        messages.info(request, _("Your changes are not saved yet: check them, and save."))
    if request.method == "POST" and form.is_valid():
        services.mail_preferences_set(user=request.user, **form.cleaned_data)
        discard_saved_form(request)
        messages.success(request, _("Email preferences saved."))
        return redirect("mail_preferences")
    shown = [(name, kinds.label(name)) for name in compose.previewable()]
    return render(request, "games/mail_preferences.html", {"form": form, "previews": shown})


@login_required
@form_page
def mail_stopped(request: SignedInRequest) -> HttpResponse:
    """The page that says why email to the reader does not arrive. A POST resumes sending."""
    if request.method == "POST":
        try:
            services.address_unblock(user=request.user)
        except services.ServiceError as error:
            messages.info(request, error.text)
        else:
            messages.success(request, _("You will receive emails again."))
        return redirect("mail_preferences")
    return render(request, "games/mail_stopped.html", {"why": request.user.mail_stopped})


def _preview(user: User, kind: str) -> dev_mailbox.SentEmail | None:
    if kind not in compose.previewable():
        raise Http404
    raw = compose.preview_of(user, kind)
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
    """Serve the HTML of the preview, for the frame."""
    return dev_mailbox.html_response(_preview(request.user, kind))
