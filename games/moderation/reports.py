"""Reports by players. Those about one person are one row, counted once for each reporter, and are
closed together."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import services
from games.models import Message, Report
from games.moderation.admin_site import moderation_site
from games.moderation.base import ListWithoutOwnGames, moderator
from games.web.decorators import carry_out, discard_saved_form, saved_form


class StateFilter(admin.SimpleListFilter):
    """Open reports, unless closed ones are asked for; of each group, the newest."""

    title, parameter_name = gettext_lazy("state"), "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("closed", gettext_lazy("closed"))]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Without one, open reports are listed."""
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


class CloseForm(forms.Form):
    """Which reports to close, and how."""

    keys = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Reports"), widget=forms.CheckboxSelectMultiple, coerce=int
    )
    outcome = forms.ChoiceField(
        label=gettext_lazy("Sentence to the reporters"),
        choices=[("", "–"), *Report.Outcome.choices[1:]],
        help_text=gettext_lazy("They get it in their language, and nothing else."),
    )
    note = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("Other moderators can read it; the reporters cannot."),
        max_length=300,
    )

    def __init__(self, reports: QuerySet[Report], data: Any = None) -> None:
        super().__init__(data, label_suffix="")
        keys = [str(report.pk) for report in reports]
        field = self.fields["keys"]
        assert isinstance(field, forms.TypedMultipleChoiceField)
        field.choices = [(key, key) for key in keys]
        field.initial = keys


@admin.register(Report, site=moderation_site)
class ReportAdmin(ListWithoutOwnGames):
    """Reports. Nobody sees one that they made or that is about them."""

    list_display = ("subject_line", "reporters_count", "at", "text", "outcome")
    list_filter = (StateFilter,)
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

    def get_urls(self) -> list[URLPattern]:
        close = self.admin_site.admin_view(self.close)
        return [path("<int:pk>/close/", close, name="games_report_close"), *super().get_urls()]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The page of the group, with the form that closes it."""
        report = self.get_object(request, unquote(object_id))
        if report is None:
            raise Http404
        form = CloseForm(self._group(request, report), saved_form(request))
        return self._page(request, report, form)

    def close(self, request: HttpRequest, pk: int) -> HttpResponse:
        """POST: close the reports of the group that are ticked."""
        report = get_object_or_404(self.get_queryset(request), pk=pk)
        if request.method != "POST":
            return redirect("admin:games_report_change", pk)
        form = CloseForm(self._group(request, report), request.POST)
        if carry_out(form, services.reports_close, by=moderator(request)):
            discard_saved_form(request)
            messages.success(request, _("Closed. The people who reported it get an email."))
            return redirect("admin:games_report_changelist")
        return self._page(request, report, form)

    def _group(self, request: HttpRequest, report: Report) -> QuerySet[Report]:
        """The reports about the same person that are open, or were closed together with it."""
        seen = services.reports_for(moderator(request)).select_related("game", "person", "reporter")
        together = {"closed_at": report.closed_at} if report.closed_at else {"outcome": ""}
        return seen.filter(person=report.person, **together)

    def _page(self, request: HttpRequest, report: Report, form: CloseForm) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        by, reports = moderator(request), list(self._group(request, report))
        keys = [row.message for row in reports if row.message is not None]
        shown = Message.objects.filter(pk__in=keys, state=Message.State.SHOWN)
        reporters = {row.reporter_id for row in reports}
        theirs = services.reports_for(by).filter(person__in=reporters, outcome="")
        context = {
            "report": report,
            "reports": reports,
            "removable": set(shown.values_list("pk", flat=True)),
            "also_reported": set(theirs.values_list("person", flat=True)),
            "form": form,
            "answer_fields": [form["outcome"], form["note"]],
            "ticked": set(form["keys"].value() or ()),
            "sees_users": services.has_right(by, "view_user"),
            "may_suspend": services.has_right(by, "suspend_user"),
            "may_remove": services.has_right(by, "delete_message"),
            "may_close": self.has_act_permission(request) and not report.outcome,
        }
        title = _("Reports about %(name)s") % {"name": report.person.name}
        return self.page(request, "group.html", title, **context)
