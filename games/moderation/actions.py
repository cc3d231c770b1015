"""What moderators do to tables, people, messages, reasons and second factors.

There is one form for each action, one page that shows its effects and asks, and one way to carry it
out. The page with the forms of a row is its own, or a plain one with a single form.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import services
from games.models import Decision, Rule, User
from games.moderation import consequences
from games.moderation.base import TitledList
from games.services import DryRun, Ruling, has_right
from games.translate import with_colon
from games.web.decorators import discard_saved_form, save_form, saved_form

SHARED = ("reason", "rule")  # fields
USUAL_DAYS = 7  # of a restriction
DELETE = "delete"  # the action that takes the place of Django's deletion


@dataclass(frozen=True)
class ModeratorAction:
    """Something that a moderator can do to a row.

    service: takes the row, a ruling and one argument per field. right: to be offered the action,
    "" for all who see the page. on: whether it is for this row now. fields: the service's argument
    → form field for a row. notes: what the page that asks says besides the dry run, by the row and
    the values of the form. obstacle: why the row does not allow it now, or "".
    """

    label: str | Promise
    help: str | Promise
    service: Callable[..., object]
    right: str = ""
    on: Callable[[Any], bool] = lambda _row: True
    fields: Mapping[str, Callable[[Any], forms.Field]] = field(default_factory=dict)
    notes: Callable[[Any, Mapping[str, Any]], list[str]] = lambda _row, _values: []
    obstacle: Callable[[Any], str] = lambda _row: ""


class Subject:
    """What an action is about, as one moderator sees it. row: what fields and notes read.

    actions: what can be done to it. argument: the name of the row among the arguments of the
    services.
    """

    actions: Mapping[str, ModeratorAction]
    argument: str

    def __init__(self, by: User, row: Any) -> None:
        self.by, self.row = by, row

    @property
    def pk(self) -> int:
        """The row's key in the addresses of its pages."""
        return int(self.row.pk)

    @property
    def key(self) -> Any:
        """The row as the services take it."""
        return self.row

    @property
    def person(self) -> User | None:
        """The person whose decisions the version counts."""
        return None

    @property
    def name(self) -> str:
        """The row in words."""
        return str(self.row)

    @property
    def version(self) -> int:
        """What the moderator has seen, as the services compare it."""
        return services.latest_decision(self.person) if self.person is not None else 0

    def offered(self) -> list[str]:
        """The actions that this moderator may use now."""
        return [
            name
            for name, action in self.actions.items()
            if (not action.right or has_right(self.by, action.right)) and action.on(self.row)
        ]

    def fields(self, name: str) -> dict[str, forms.Field]:
        """Return the fields of an action's form, besides the reason and its rule."""
        return {field: make(self.row) for field, make in self.actions[name].fields.items()}

    def dry_run(self, act: Callable[[], object]) -> DryRun:
        """Return what the action would do."""
        return services.dry_run(act, person=self.person)

    def effects(self, then: DryRun, notes: Sequence[str]) -> consequences.Consequences:
        """Return what the page that asks says."""
        return consequences.about_person(then, notes)

    @property
    def moved(self) -> str:
        """Return what has happened since the moderator looked."""
        return _(
            "Someone else decided about this person in the meantime. Your decision has not been carried out."
        )

    @property
    def newest(self) -> Decision | None:
        """The decision that was made in the meantime."""
        found = Decision.objects.filter(person=self.person).select_related("by", "words")
        return found.first() if self.person is not None else None

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What is judged, on the page with a single form: (label, words)."""
        return []


def rule_field() -> forms.ChoiceField:
    """Return a field that asks which rule of conduct a decision rests on, if any."""
    return forms.ChoiceField(
        label=gettext_lazy("Rule of conduct"),
        choices=[("", gettext_lazy("none")), *Rule.choices],
        required=False,
    )


class EndField(forms.DateField):
    """The first day after a restriction, as the moment when it begins; None for no day."""

    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def clean(self, value: Any) -> datetime | None:
        day = super().clean(value)
        return None if day is None else timezone.make_aware(datetime.combine(day, time.min))


def until_field(*, is_required: bool = False) -> EndField:
    """Return a field that asks for the end of a restriction, by default in a week. is_required: the
    restriction must have an end."""
    helps = [_("Only administrators can choose more than 30 days.")]
    if not is_required:
        helps.insert(0, _("If you leave the day empty, a suspension has no end."))
    return EndField(
        label=_("First day without the restriction"),
        initial=lambda: timezone.localdate() + timedelta(days=USUAL_DAYS),
        required=is_required,
        help_text=" ".join(helps),
    )


class ActionForm(forms.Form):
    """The form of one action; cleaned_data holds the arguments of its service. All actions of a
    page share the fields for the reason and its rule."""

    use_required_attribute = False  # or the browser would ask for the fields of other actions

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy(
            "The next page shows who will read this. Do not give away anything hidden."
        ),
        max_length=300,
    )
    rule = rule_field()

    def __init__(
        self, name: str, subject: Subject, data: Any = None, *, saved: QueryDict | None = None
    ) -> None:
        """saved: a form that was submitted before and came back."""
        super().__init__(data, prefix=name, label_suffix="", initial=_typed(name, saved))
        self.name, self.subject, self.action = name, subject, subject.actions[name]
        self.obstacle = self.action.obstacle(subject.row)
        self.fields = {**subject.fields(name), **self.fields}

    def add_prefix(self, field_name: str) -> str:
        return field_name if field_name in SHARED else super().add_prefix(field_name)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        """The fields of this action alone."""
        return [field for field in self if field.name not in SHARED]

    @property
    def shared_fields(self) -> list[forms.BoundField]:
        """The fields of all actions."""
        return [self[name] for name in SHARED]

    def service(self, version: int | None) -> Callable[[], object]:
        """Return the call of the service for what the moderator saw."""
        values = dict(self.cleaned_data)
        reason, rule = (values.pop(name) for name in SHARED)
        ruling = Ruling(self.subject.by, reason, rule, version)
        known = {self.subject.argument: self.subject.key, "ruling": ruling}
        return partial(self.action.service, **known, **values)


def _typed(name: str, saved: QueryDict | None) -> dict[str, Any]:
    """Return the values of a saved form for the fields of this action."""
    before = f"{name}-"
    return {
        key.removeprefix(before): value
        for key, value in (saved or {}).items()
        if value and (key in SHARED or key.startswith(before))
    }


class ActedOn(TitledList):
    """Rows that moderators act on by the forms of `subject_of`."""

    def subject_of(self, request: HttpRequest, pk: int) -> Subject:
        """Return the row as this moderator sees it; Http404 for none, PermissionDenied."""
        raise NotImplementedError

    def home(self, pk: int) -> str:
        """Return the path of the page that has the forms."""
        return reverse(f"admin:games_{self.opts.model_name}_act", args=[pk, DELETE])

    def after(self, pk: int) -> str:
        """Return the path of the page after an action, for those who came from nowhere."""
        return reverse(f"admin:games_{self.opts.model_name}_changelist")

    def get_urls(self) -> list[URLPattern]:
        act, name = self.admin_site.admin_view(self.act), f"games_{self.opts.model_name}_act"
        return [path("<int:pk>/act/<slug:name>/", act, name=name), *super().get_urls()]

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect to the form of the deletion, if there is one."""
        row = self.get_object(request, object_id)
        if not self.has_delete_permission(request, row):
            raise PermissionDenied
        if row is None:
            raise Http404
        return redirect(f"admin:games_{self.opts.model_name}_act", row.pk, DELETE)

    def act(self, request: HttpRequest, pk: int, name: str) -> HttpResponse:
        """GET: the form. POST: carry out the action, after showing what it will do."""
        subject, home = self.subject_of(request, pk), self.home(pk)
        action = subject.actions.get(name)
        is_ours = action is not None and action.on(subject.row)
        if not is_ours or (request.method != "POST" and home != request.path):
            return redirect(home if home != request.path else self.after(pk))
        if request.method != "POST":
            return self.forms_page(request, subject)
        form = ActionForm(name, subject, request.POST)
        if not form.is_valid():
            return self.forms_page(request, subject, form)
        version = subject.version
        try:
            if request.POST.get("confirmed") != str(version):
                return self._ask(request, form, home)
            form.service(version)()
        except services.GameMoved:  # since the version was read
            form.subject = self.subject_of(request, pk)
            return self._ask(request, form, home)
        except services.ServiceError as error:
            form.add_error(None, error.text)
            return self.forms_page(request, subject, form)
        discard_saved_form(request)
        what = f"{with_colon(str(form.action.label))} {form.cleaned_data['reason']}"
        messages.success(request, _("Done: %(what)s") % {"what": what})
        return redirect(_back(request) or self.after(pk))

    def _ask(self, request: HttpRequest, form: ActionForm, home: str) -> HttpResponse:
        """Return the page with the effects of the action and a button that confirms it.
        ServiceError if it is refused."""
        subject = form.subject
        then = subject.dry_run(form.service(None))
        save_form(request, home)  # so that nothing is lost on the way back
        moved = "confirmed" in request.POST  # since it was shown before
        context = {
            "subject": subject,
            "home": home,
            "form": form,
            "version": subject.version,
            "moved": subject.moved if moved else "",
            "newest": subject.newest if moved else None,
            "back": _back(request),
            "will": subject.effects(then, form.action.notes(subject.row, form.cleaned_data)),
        }
        return self.page(request, "admin/games/confirm.html", str(form.action.label), **context)

    def offered_forms(
        self, request: HttpRequest, subject: Subject, bound: ActionForm | None = None
    ) -> dict[str, Any]:
        """Return the context of admin/games/acts.html: a form for each action; `bound` replaces
        its own."""
        saved = saved_form(request) if bound is None else None
        offered = [
            bound
            if bound is not None and bound.name == name
            else ActionForm(name, subject, saved=saved)
            for name in subject.offered()
        ]
        shown = [bound, *offered] if bound is not None else offered
        return {
            "forms": offered,
            "act_url": f"admin:games_{self.opts.model_name}_act",
            "pk": subject.pk,
            "shared_fields": shown[0].shared_fields if shown else (),
            "opened": request.GET.get("act"),
            "back": _back(request),
        }

    def forms_page(
        self, request: HttpRequest, subject: Subject, bound: ActionForm | None = None
    ) -> HttpResponse:
        """Return the page with the forms: here, a single one below what is judged."""
        context = {
            "subject": subject,
            "media": self.media,
            **self.offered_forms(request, subject, bound),
        }
        if not context["forms"]:
            raise PermissionDenied
        return self.page(request, "admin/games/act.html", subject.name, **context)


def _back(request: HttpRequest) -> str:
    """Return the path of the page that led here, "" for none."""
    back = request.POST.get("next") or request.GET.get("next") or ""
    is_safe = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    return back if is_safe else ""
