"""Appeals, each for the moderators who may answer it."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.db.models import F, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import services
from games.mail.kinds.moderation import judged_messages, restricted_until
from games.models import Action, Appeal, Decision, User
from games.moderation.admin_site import moderation_site
from games.moderation.base import ReadOnly, judged_lines, moderator, ruled
from games.templatetags.when import zoned
from games.web.decorators import carry_out

ROWS_SHOWN = 30  # reports

# What lifting a decision does by itself.
LIFTING: Mapping[str, Promise] = {
    Action.SUSPEND: gettext_lazy("If you overturn it, the suspension ends at once."),
    Action.CLOSE_TALK: gettext_lazy("If you overturn it, the person can write messages again."),
    Action.CLOSE: gettext_lazy("If you overturn it, the account is not deleted."),
    Action.EDIT_PERSON: gettext_lazy("If you overturn it, the person gets their former name back."),
    Action.RENAME: gettext_lazy("If you overturn it, the table gets its former name back."),
    Action.RENAME_CIRCLE: gettext_lazy("If you overturn it, the circle gets its former name back."),
    Action.CLOSE_CIRCLE: gettext_lazy("If you overturn it, the circle is open again."),
    Action.REMOVE_MESSAGE: gettext_lazy("If you overturn it, the message is shown again."),
}


class AnswerForm(forms.Form):
    """Asks for the decision about an appeal, and for a sentence about it."""

    lifts = forms.TypedChoiceField(
        label=gettext_lazy("Decision"),
        choices=[
            ("", "–"),
            ("no", gettext_lazy("Uphold: the decision stands.")),
            ("yes", gettext_lazy("Overturn the decision.")),
        ],
        coerce=lambda answer: answer == "yes",
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy(
            "The person gets your reason by email. Do not give away anything hidden."
        ),
        max_length=300,
    )


def evidence(by: User, decision: Decision) -> dict[str, Any]:
    """Return what a decision judges, until when it restricts, and the reports about the same thing
    that this moderator may see."""
    reports = services.reports_for(by).filter(person=decision.person_id)
    if keys := judged_messages(decision):
        reports = reports.filter(message__in=keys)
    elif decision.game_id is not None:
        reports = reports.filter(game=decision.game_id)
    return {
        "judged": judged_lines(decision),
        "until": restricted_until(decision, zoned),
        "reports": reports.select_related("game", "person").order_by("-pk")[:ROWS_SHOWN],
    }


class AnsweredFilter(admin.SimpleListFilter):
    """Appeals with and without an answer."""

    title, parameter_name = gettext_lazy("answered"), "answered"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("no", _("No")), ("yes", _("Yes"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in ("yes", "no"):
            return queryset
        return queryset.filter(answer__isnull=self.value() == "no")


@admin.register(Appeal, site=moderation_site)
class AppealAdmin(ReadOnly):
    """Appeals. The page of one has the form that answers it."""

    list_display = ("at", "what", "person", "table", "outcome")
    list_filter = (AnsweredFilter,)
    list_select_related = ("decision__person", "decision__game", "answer")
    list_per_page = 50
    ordering = (F("answer").asc(nulls_first=True), "at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Appeal]:
        return services.appeals_for(moderator(request))

    @admin.display(description=gettext_lazy("decision"))
    def what(self, appeal: Appeal) -> str:
        return appeal.decision.action_label

    @admin.display(description=gettext_lazy("user"))
    def person(self, appeal: Appeal) -> str:
        return str(appeal.decision.person or "–")

    @admin.display(description=gettext_lazy("table"))
    def table(self, appeal: Appeal) -> str:
        return appeal.decision.game.name if appeal.decision.game is not None else "–"

    @admin.display(description=gettext_lazy("answer"))
    def outcome(self, appeal: Appeal) -> str:
        return appeal.answer.action_label if appeal.answer is not None else _("open")

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the decision, the appeal, and the form or the answer. POST: answer."""
        appeal = self.get_object(request, unquote(object_id))
        if appeal is None:
            raise Http404
        form = AnswerForm(request.POST if request.method == "POST" else None, label_suffix="")
        if carry_out(form, ruled(services.appeal_answer, moderator(request)), appeal_id=appeal.pk):
            messages.success(request, _("The appeal is answered."))
            return redirect("admin:games_appeal_changelist")
        context = {
            "appeal": appeal,
            "decision": appeal.decision,
            **evidence(moderator(request), appeal.decision),
            "form": form,
            "lifting": LIFTING.get(appeal.decision.action, ""),
        }
        return self.page(request, "change.html", str(appeal), **context)
