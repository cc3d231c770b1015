"""The audit: all decisions of moderators and hosts, what was looked at, and changes of roles."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import services
from games.models import Action, Decision, User
from games.moderation import base
from games.moderation.actions import DELETE, ActedOn, ModeratorAction, Subject
from games.moderation.admin_site import moderation_site
from games.moderation.base import moderator
from games.templatetags.when import zoned


class ActionFilter(admin.SimpleListFilter):
    """Decisions with one action."""

    title, parameter_name = gettext_lazy("action"), "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(Action.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(action=self.value()) if self.value() else queryset


class PersonFilter(base.LinkedFilter):
    """Decisions about one person."""

    title, parameter_name, field = gettext_lazy("user"), "person", "person"

    def named(self, request: HttpRequest, value: str) -> str:
        return base.name_of(User, value)


class TextFilter(base.LinkedFilter):
    """Decisions about one message, note or reply."""

    title, parameter_name, field = gettext_lazy("message"), "about", "message"


class ModeratorFilter(base.LinkedFilter):
    """Decisions of one moderator."""

    title, parameter_name, field = gettext_lazy("moderator or host"), "by", "by"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        staff = User.objects.filter(is_staff=True).order_by("display_name", "pk")
        return [(str(user.pk), user.moderator_name) for user in staff]


class ReasonSubject(Subject):
    """The words of a decision, which a moderator may delete. row: a Decision."""

    actions: Mapping[str, ModeratorAction] = {
        DELETE: ModeratorAction(
            gettext_lazy("Delete the reason for a decision"),
            gettext_lazy("The decision stays. Its reason and the former name are deleted."),
            services.decision_text_remove,
            "delete_decision",
            lambda decision: bool(decision.reason),
            notes=lambda decision, _values: [
                _("The reason “%(text)s” is deleted. The decision stays.")
                % {"text": decision.reason}
            ],
        ),
    }
    argument = "decision_id"
    row: Decision

    @property
    def key(self) -> int:
        return self.pk

    @property
    def person(self) -> User | None:
        return self.row.person

    @property
    def facts(self) -> list[tuple[str, str]]:
        """The decision and its words."""
        return [
            (_("Decision"), self.row.action_label),
            (_("Decided"), f"{zoned(self.row.at)}, {self.row.by_name}"),
            (_("Person"), self.row.person.name if self.row.person is not None else "–"),
            (_("Reason"), self.row.reason),
        ]


@admin.register(Decision, site=moderation_site)
class DecisionAdmin(ActedOn, base.ListWithoutOwnGames):
    """Decisions. Nobody changes them; the words of one can be deleted, by another decision."""

    list_display = ("at", "decided_by", "what", "table", "about", "until", "reason")
    list_display_links = ("at",)
    list_filter = (
        ActionFilter,
        ModeratorFilter,
        PersonFilter,
        base.TableFilter,
        TextFilter,
        "as_host",
        "at",
    )
    list_select_related = ("by", "game", "person", "words")
    search_fields = ("words__text",)
    list_per_page = 50
    actions = None
    fields = readonly_fields = (
        "at",
        "decided_by",
        "as_host",
        "what",
        "table",
        "about",
        "judged_words",
        "rule_of_conduct",
        "reported",
        "until",
        "seq",
        "reason",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Decision]:
        return base.decisions_for(moderator(request), super().get_queryset(request))

    @admin.display(description=gettext_lazy("moderator or host"))
    def decided_by(self, decision: Decision) -> str:
        return decision.by_name

    @admin.display(description=gettext_lazy("action"), ordering="action")
    def what(self, decision: Decision) -> str:
        return decision.action_label

    @admin.display(description=gettext_lazy("table"))
    def table(self, decision: Decision) -> str:
        if decision.game is None:
            return "–"
        url = reverse("admin:games_game_change", args=[decision.game_id])
        return format_html('<a href="{}">{}</a>', url, decision.game.name)

    @admin.display(description=gettext_lazy("user"))
    def about(self, decision: Decision) -> str:
        if decision.person_id is None:
            return "–"
        if decision.person is None:
            return _("deleted user %(id)s") % {"id": decision.person_id}
        url = reverse("admin:games_user_conduct", args=[decision.person_id])
        return format_html('<a href="{}">{}</a>', url, decision.person.name)

    @admin.display(description=gettext_lazy("rule of conduct"))
    def rule_of_conduct(self, decision: Decision) -> str:
        return decision.rule_label or "–"

    @admin.display(description=gettext_lazy("reason"))
    def reason(self, decision: Decision) -> str:
        return decision.reason or "–"

    @admin.display(description=gettext_lazy("judged"))
    def judged_words(self, decision: Decision) -> str:
        """Return the words of the messages, with links to them, or the names."""
        lines = ((line,) for line in base.judged_lines(decision))
        return format_html_join(mark_safe("<br>"), "{}", lines) or decision.message or "–"

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow only the deletion of a reason."""
        if obj is not None and (not obj.reason or obj.action == Action.REMOVE_TEXT):
            return False
        return services.has_right(moderator(request), "delete_decision")

    def subject_of(self, request: HttpRequest, pk: int) -> ReasonSubject:
        decision = get_object_or_404(
            self.get_queryset(request).select_related("person", "words", "game"), pk=pk
        )
        if not self.has_delete_permission(request, decision):
            raise PermissionDenied
        return ReasonSubject(moderator(request), decision)
