"""Warn and suspend people, and lift suspensions: the page with the forms, and the one that
confirms.

Moderators reach it from where they meet a person: a table, a message, a decision. It shows no
address.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import services
from games.models import Decision, User
from games.moderation import base, consequences
from games.services.account_moderation import SUSPEND
from games.templatetags.when import zoned
from games.web.decorators import discard_saved_form, save_form, saved_form

ROWS_SHOWN = 30  # the newest decisions
USUAL_DAYS = 7


class EndField(forms.DateField):
    """The first day after a suspension, as the moment when it begins; None for no day."""

    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def clean(self, value: Any) -> datetime | None:
        day = super().clean(value)
        return None if day is None else timezone.make_aware(datetime.combine(day, time.min))


def _until() -> forms.Field:
    return EndField(
        label=_("Until the beginning of"),
        initial=lambda: timezone.localdate() + timedelta(days=USUAL_DAYS),
        required=False,
        help_text=_(
            "Leave it empty to suspend for good. More than 30 days are for administrators only."
        ),
    )


@dataclass(frozen=True)
class PersonAction:
    """Something a moderator can do about a person.

    service: takes user, by, reason, rule, latest and one argument per field. on: whether it is for
    people who are suspended, or are not; None for all.
    """

    label: Promise
    help: Promise
    service: Callable[..., Decision]
    fields: Mapping[str, Callable[[], forms.Field]] = field(default_factory=dict)
    on: bool | None = None


ACTIONS = {
    "warn": PersonAction(
        gettext_lazy("Warn"),
        gettext_lazy("The person gets an email with your reason."),
        services.moderate_warn,
    ),
    "suspend": PersonAction(
        gettext_lazy("Suspend"),
        gettext_lazy(
            "They cannot sign in, join or move, and get only emails about decisions. At tables that "
            "wait for late players, a bot takes their seat; elsewhere the rule of the table for "
            "missed deadlines applies."
        ),
        services.moderate_suspend,
        {"until": _until},
    ),
    "lift": PersonAction(
        gettext_lazy("Lift the suspension"),
        gettext_lazy("They can sign in again at once. Bots keep the seats that they took."),
        services.moderate_lift,
        on=True,
    ),
}


class PersonForm(forms.Form):
    """The form of one action; cleaned_data holds the arguments of its service."""

    use_required_attribute = False  # the fields for the reason are those of all actions

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("The person can read this; other players cannot."),
        max_length=300,
    )
    rule = base.rule_field()

    def __init__(self, name: str, data: Any = None, *, saved: Any = None) -> None:
        """saved: a form that was submitted before and came back."""
        typed = {key: value for key, value in (saved or {}).items() if value}
        super().__init__(data, label_suffix="", initial=typed)
        self.name, self.action = name, ACTIONS[name]
        self.fields = {
            **{argument: make() for argument, make in self.action.fields.items()},
            **self.fields,
        }

    @property
    def own_fields(self) -> list[forms.BoundField]:
        """The fields of this action alone."""
        return [self[name] for name in self.action.fields]

    @property
    def shared_fields(self) -> list[forms.BoundField]:
        """The fields of all actions."""
        return [self["reason"], self["rule"]]


def page(site: AdminSite, request: HttpRequest, pk: int, name: str = "") -> HttpResponse:
    """GET: the forms. POST: carry out the action `name`, after showing what it will do."""
    by = base.moderator(request)
    if not services.has_right(by, SUSPEND):
        raise PermissionDenied
    view = _Page(site, request, by, get_object_or_404(User, pk=pk))
    if request.method != "POST" or name not in ACTIONS:
        return view.forms()
    form = PersonForm(name, request.POST)
    if not form.is_valid():
        return view.forms(form)
    act = partial(form.action.service, user=view.person, by=by, **form.cleaned_data)
    latest = services.latest_decision(view.person)
    try:
        if request.POST.get("latest") != str(latest):
            return view.ask(form, act, latest)
        act(latest=latest)
    except services.GameMoved:  # since `latest` was read
        return view.ask(form, act, services.latest_decision(view.person))
    except services.ServiceError as error:
        form.add_error(None, error.text)
        return view.forms(form)
    discard_saved_form(request)
    messages.success(
        request,
        _("Done: %(what)s") % {"what": f"{form.action.label}: {form.cleaned_data['reason']}"},
    )
    return redirect(view.path)


class _Page:
    """The pages about one person for one moderator."""

    def __init__(self, site: AdminSite, request: HttpRequest, by: User, person: User) -> None:
        self.request, self.by, self.person = request, by, person
        self.path = reverse("admin:games_user_conduct", args=[person.pk])
        self.context: dict[str, Any] = {
            **site.each_context(request),
            "person": person,
            "page": self.path,
        }

    def forms(self, bound: PersonForm | None = None) -> HttpResponse:
        """The person's state, the decisions about them, and a form for each action."""
        saved = saved_form(self.request) if bound is None else None
        suspended = self.person.is_suspended
        offered = [
            bound if bound is not None and bound.name == name else PersonForm(name, saved=saved)
            for name, action in ACTIONS.items()
            if action.on in (None, suspended)
        ]
        shown = base.decisions_for(self.by, Decision.objects.filter(person=self.person))
        context = {
            **self.context,
            "title": self.person.name,
            "suspended": end_of(self.person),
            "shared_fields": (bound or offered[0]).shared_fields,
            "forms": offered,
            "history": shown.select_related("by", "words")[:ROWS_SHOWN],
        }
        return TemplateResponse(self.request, "admin/games/user/conduct.html", context)

    def ask(self, form: PersonForm, act: Callable[[], Decision], latest: int) -> HttpResponse:
        """The effects of the action, with a button that confirms it. ServiceError if it is
        refused."""
        then = services.person_dry_run(act, self.person)
        save_form(self.request, self.path)  # so that nothing is lost on the way back
        newest = Decision.objects.filter(pk=latest).select_related("by", "words").first()
        context = {
            **self.context,
            "title": form.action.label,
            "form": form,
            "latest": latest,
            "moved": newest if "latest" in self.request.POST else None,  # since it was shown
            "will": consequences.of_person(then),
        }
        return TemplateResponse(self.request, "admin/games/user/confirm.html", context)


def end_of(person: User) -> str:
    """Until when the person is suspended; "" for somebody who is not."""
    until = person.suspended_until
    if until is None or not person.is_suspended:
        return ""
    return _("for good") if person.is_suspended_for_good else zoned(until)
