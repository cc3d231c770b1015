"""Reports by players. Those about one person are one row, counted once for each reporter, and are
closed together."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import Promise, cached_property
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import services
from games.models import Decision, Message, Report, User
from games.moderation.actions import (
    ActedOn,
    ActionForm,
    ModeratorAction,
    Subject,
    until_field,
)
from games.moderation.admin_site import moderation_site
from games.moderation.base import ListWithoutOwnGames, TableFilter, decisions_for, moderator
from games.moderation.people import ROWS_SHOWN, end_of
from games.services.account_moderation import SUSPEND

ANSWER, REMOVE = "answer_", "remove_"  # names of fields, before the key of their row


class StateFilter(admin.SimpleListFilter):
    """Open reports, unless closed ones are asked for; of each group, the newest."""

    title, parameter_name = gettext_lazy("state"), "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("closed", gettext_lazy("closed"))]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """List open reports unless another state is chosen."""
        first, *others = super().choices(changelist)
        yield from ({**first, "display": _("open")}, *others)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        is_closed = self.value() == "closed"
        rows = queryset.exclude(outcome="") if is_closed else queryset.filter(outcome="")
        group = rows.order_by().filter(person=OuterRef("person"))
        if is_closed:
            group = group.filter(closed_at=OuterRef("closed_at"))
        counted = group.values("person").annotate(number=Count("reporter", distinct=True))
        newest = rows.exclude(Exists(group.filter(pk__gt=OuterRef("pk"))))
        found: QuerySet[Any] = newest.annotate(reporters=Subquery(counted.values("number")))
        return found


MEASURES: Mapping[str, Promise] = {
    "": gettext_lazy("Nothing"),
    "warn": gettext_lazy("Warn"),
    "close_talk": gettext_lazy("Stop someone from writing messages"),
    "suspend": gettext_lazy("Suspend"),
}


def _judge(*, person: User, ruling: services.Ruling, measure: str = "", **chosen: Any) -> None:
    """Call the service with the fields of the form: one for each report and message."""
    services.reports_judge(
        person=person,
        ruling=ruling,
        measure=measure,
        until=chosen.pop("until", None),
        removed=[_key(name) for name, is_on in chosen.items() if is_on and name.startswith(REMOVE)],
        outcomes={
            _key(name): value for name, value in chosen.items() if value and name.startswith(ANSWER)
        },
    )


def _effects(_report: Report, values: Mapping[str, Any]) -> list[str]:
    """Return which messages are removed, and what each reporter reads."""
    removed = [_key(name) for name, is_on in values.items() if is_on and name.startswith(REMOVE)]
    answers = {_key(name): value for name, value in values.items() if name.startswith(ANSWER)}
    texts = Message.objects.filter(pk__in=removed).order_by("pk").values_list("text", flat=True)
    closed = Report.objects.filter(pk__in=[key for key, value in answers.items() if value])
    return [
        *(_("“%(text)s” is removed.") % {"text": text} for text in texts),
        *(
            _("%(name)s, who wrote “%(words)s”, will read: “%(sentence)s”")
            % {
                "name": report.reporter.name,
                "words": Truncator(report.text).chars(60),
                "sentence": Report.Outcome(answers[report.pk]).label,
            }
            for report in closed.select_related("reporter").order_by("pk")
        ),
    ]


def _key(name: str) -> int:
    return int(name.rpartition("_")[2])


class GroupSubject(Subject):
    """The open reports about one person. row: the one whose page it is."""

    actions: Mapping[str, ModeratorAction] = {
        "judge": ModeratorAction(
            gettext_lazy("Decide about these reports"),
            gettext_lazy("One reason for all of it. What you leave open stays in the list."),
            _judge,
            "change_report",
            on=lambda report: not report.outcome,
            notes=_effects,
        ),
    }
    argument = "person"
    row: Report

    @cached_property
    def reports(self) -> list[Report]:
        """The reports about the same person that are open, or were closed together with it."""
        seen = services.reports_for(self.by).select_related("game", "person", "reporter")
        report = self.row
        together = {"closed_at": report.closed_at} if report.closed_at else {"outcome": ""}
        return list(seen.filter(person=report.person, **together))

    @property
    def key(self) -> User:
        return self.row.person

    @property
    def person(self) -> User:
        return self.row.person

    @property
    def name(self) -> str:
        return _("Reports about %(name)s") % {"name": self.person.name}

    def fields(self, name: str) -> dict[str, forms.Field]:
        """Ask for the answer to each report, whether to remove each message that is shown, and for
        a measure against the person; each for those who may."""
        found: dict[str, forms.Field] = {}
        for report in self.reports:
            found[f"{ANSWER}{report.pk}"] = forms.ChoiceField(
                label=_("Answer to %(name)s") % {"name": report.reporter.name},
                choices=[("", _("none: the report stays open")), *Report.Outcome.choices[1:]],
                initial=Report.Outcome.ACTED,
                required=False,
            )
        if services.has_right(self.by, "delete_message"):
            keys = {report.message for report in self.reports if report.message is not None}
            shown = Message.objects.filter(pk__in=keys, state=Message.State.SHOWN)
            for key in shown.order_by("pk").values_list("pk", flat=True):
                found[f"{REMOVE}{key}"] = forms.BooleanField(
                    label=_("Remove this message"), required=False
                )
        if services.has_right(self.by, SUSPEND):
            found["measure"] = forms.ChoiceField(
                label=self.person.name,
                choices=list(MEASURES.items()),
                widget=forms.RadioSelect,
                required=False,
            )
            found["until"] = until_field()
        return found


@admin.register(Report, site=moderation_site)
class ReportAdmin(ActedOn, ListWithoutOwnGames):
    """Reports. Nobody sees one that they made or that is about them."""

    list_display = ("subject_line", "reporters_count", "at", "text", "outcome")
    list_filter = (TableFilter, StateFilter)  # the newest of each group, at that table
    list_select_related = ("person", "game", "reporter")
    search_fields = ("person__display_name", "text", "quoted")
    list_per_page = 50
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        return services.reports_for(moderator(request)).order_by("-pk")

    @admin.display(description=gettext_lazy("reported"))
    def subject_line(self, report: Report) -> str:
        return report.subject

    @admin.display(description=gettext_lazy("people who reported"))
    def reporters_count(self, report: Report) -> int:
        return int(getattr(report, "reporters", 1))  # counted by the filter

    def home(self, pk: int) -> str:
        return reverse("admin:games_report_change", args=[pk])

    def subject_of(self, request: HttpRequest, pk: int) -> GroupSubject:
        return GroupSubject(
            moderator(request), get_object_or_404(self.get_queryset(request), pk=pk)
        )

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the page of the group, with the form that decides about it."""
        report = self.get_object(request, unquote(object_id))
        if report is None:
            raise Http404
        return self.forms_page(request, self.subject_of(request, report.pk))

    def forms_page(
        self, request: HttpRequest, subject: Subject, bound: ActionForm | None = None
    ) -> HttpResponse:
        """Return the reports with what may be decided about each; of closed ones, how they were."""
        assert isinstance(subject, GroupSubject)
        if not self.has_view_permission(request):
            raise PermissionDenied
        by, reports = subject.by, subject.reports
        context = self.offered_forms(request, subject, bound)
        form = bound or next(iter(context["forms"]), None)
        fields = {field.name: field for field in form or ()}
        theirs = services.reports_for(by).filter(
            person__in={row.reporter_id for row in reports}, outcome=""
        )
        written = Message.objects.in_bulk({row.message for row in reports if row.message})
        decided = decisions_for(by, Decision.objects.filter(person=subject.person))
        context |= {
            "report": subject.row,
            "rows": [
                (
                    row,
                    written.get(row.message),
                    fields.get(f"{ANSWER}{row.pk}"),
                    fields.get(f"{REMOVE}{row.message}"),
                )
                for row in reports
            ],
            "suspended": end_of(subject.person),
            "history": decided.select_related("by", "words", "appeal__answer")[:ROWS_SHOWN],
            "also_reported": set(theirs.values_list("person", flat=True)),
            "form": form,
            "about_person": [fields[name] for name in ("measure", "until") if name in fields],
            "sees_users": services.has_right(by, "view_user"),
            "judges_people": services.has_right(by, SUSPEND),
        }
        return self.page(request, "group.html", subject.name, **context)
