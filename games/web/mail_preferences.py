"""Which mails a person wants and when, and how they would look: the page and its previews."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods, require_safe

from games import services
from games.mail import preview
from games.mail.queue import CHOSEN
from games.models import GATHER_MINUTES, OutboxMail, User, Way
from games.web import dev_mailbox

Kind = OutboxMail.Kind

LABELS = {
    Kind.TURN: _("It is your turn"),
    Kind.REMINDER: _("Your time is running out"),
    Kind.DEADLINE: _("Someone missed the deadline"),
    Kind.STARTED: _("A game starts"),
    Kind.OVER: _("A game ends"),
    Kind.MODERATED: _("The host or a moderator intervened"),
    Kind.INVITATION: _("Someone invites you to play"),
}


def _hours() -> list[tuple[str, str]]:
    return [(str(hour), f"{hour:02}:00") for hour in range(24)]


def _minutes() -> list[tuple[str, Any]]:
    words = {
        0: _("no delay"),
        60: _("1 hour"),
    }
    by_minutes = ngettext_lazy("%(n)d minute", "%(n)d minutes", "n")
    return [(str(n), words.get(n) or by_minutes % {"n": n}) for n in GATHER_MINUTES]


class WishesForm(forms.Form):
    """When mails of each kind come; the fields are named as the service's arguments."""

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
    mail_waits = forms.BooleanField(
        label=_("Hold emails while I am using the site"),
        required=False,
        help_text=_("Emails are sent a few minutes after you leave. None are lost."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        later = dict(self.fields)
        self.fields.clear()
        for kind in CHOSEN:
            self.fields[f"way_{kind.value}"] = forms.ChoiceField(
                label=LABELS[kind], choices=Way.choices
            )
        self.fields.update(later)

    def clean(self) -> dict[str, Any]:
        """Quiet hours need two different ends, where they are wanted."""
        data = super().clean() or {}
        if data.get("quiet") and data.get("quiet_from") == data.get("quiet_until"):
            self.add_error("quiet_until", _("Quiet hours must start and end at different times."))
        return data

    @property
    def ways(self) -> list[forms.BoundField]:
        """The fields of the kinds."""
        return [field for field in self if field.name.startswith("way_")]

    @property
    def hours(self) -> list[forms.BoundField]:
        """The others."""
        return [field for field in self if not field.name.startswith("way_")]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def mail_wishes(request: HttpRequest) -> HttpResponse:
    """The page of the choices, with links to what the mails look like."""
    user = request.user
    assert isinstance(user, User)
    form = WishesForm(request.POST if request.method == "POST" else None, initial=_kept(user))
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        services.mail_wishes_set(
            user=user,
            ways={kind: data[f"way_{kind.value}"] for kind in CHOSEN},
            gather_minutes=data["gather_minutes"],
            digest_hour=data["digest_hour"],
            quiet_from=data["quiet_from"] if data["quiet"] else None,
            quiet_until=data["quiet_until"] if data["quiet"] else None,
            mail_waits=data["mail_waits"],
        )
        messages.success(request, _("Email preferences saved."))
        return redirect("mail_wishes")
    shown = [(kind, Kind(kind).label) for kind in preview.KINDS]
    return render(request, "games/mail_wishes.html", {"form": form, "previews": shown})


def _kept(user: User) -> dict[str, Any]:
    quiet = user.quiet_from is not None
    return {
        **{f"way_{kind.value}": user.way(kind) for kind in CHOSEN},
        "gather_minutes": user.gather_minutes,
        "digest_hour": user.digest_hour,
        "quiet": quiet,
        "quiet_from": user.quiet_from if quiet else 22,
        "quiet_until": user.quiet_until if quiet else 7,
        "mail_waits": user.mail_waits,
    }


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def mail_mend(request: HttpRequest) -> HttpResponse:
    """Mails do not arrive: why, and what can be done."""
    user = request.user
    assert isinstance(user, User)
    if request.method == "POST":
        try:
            services.address_mend(user=user)
        except services.ServiceError as error:
            messages.info(request, error.text)
        else:
            messages.success(request, _("You will receive emails again."))
        return redirect("mail_wishes")
    return render(request, "games/mail_mend.html", {"why": user.mail_stopped})


def _letter(request: HttpRequest, kind: str) -> dev_mailbox.Letter | None:
    user = request.user
    assert isinstance(user, User)
    if kind not in preview.KINDS:
        raise Http404
    raw = preview.mail_of(user, kind)
    return dev_mailbox.letter_of(raw) if raw is not None else None


@login_required
@never_cache
@require_safe
def mail_preview(request: HttpRequest, kind: str) -> HttpResponse:
    """A mail of this kind about the reader's own games, as it would look now."""
    letter = _letter(request, kind)
    context = {"letter": letter, "kind": kind, "label": Kind(kind).label}
    return render(request, "games/mail_preview.html", context)


@login_required
@never_cache
@require_safe
@xframe_options_sameorigin
def mail_preview_html(request: HttpRequest, kind: str) -> HttpResponse:
    """Its HTML, for the frame; it can run nothing and fetch nothing."""
    letter = _letter(request, kind)
    if letter is None:
        raise Http404
    response = HttpResponse(letter.html)
    response["Content-Security-Policy"] = dev_mailbox.FRAME_POLICY
    return response
