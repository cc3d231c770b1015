"""Circles, which moderators rename and close. Who is in one is not shown."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import services
from games.models import Circle, User
from games.moderation.actions import ActedOn, ModeratorAction, Subject
from games.moderation.admin_site import moderation_site
from games.moderation.base import ReadOnly, moderator
from games.services.clean_text import MAX_TITLE
from games.templatetags.when import zoned

RENAME = "rename"


def _name_field(circle: Circle) -> forms.Field:
    return forms.CharField(label=_("Name"), max_length=MAX_TITLE, initial=circle.name)


class CircleSubject(Subject):
    """A circle as moderators act on it. row: a Circle."""

    actions: Mapping[str, ModeratorAction] = {
        RENAME: ModeratorAction(
            gettext_lazy("Rename the circle"),
            gettext_lazy("The founder is told the reason by email."),
            services.moderate_circle_rename,
            "change_circle",
            fields={"title": _name_field},
            notes=lambda circle, values: [
                _("“%(old)s” is called “%(new)s” from now on.")
                % {"old": circle.name, "new": values["title"]}
            ],
        ),
        "close": ModeratorAction(
            gettext_lazy("Close the circle"),
            gettext_lazy(
                "Nobody can join it or make tables for it any more. Its members can read it."
            ),
            services.moderate_circle_close,
            "change_circle",
            on=lambda circle: not circle.is_closed,
        ),
    }
    argument = "circle_id"
    row: Circle

    @property
    def key(self) -> int:
        return self.pk

    @property
    def person(self) -> User | None:
        return self.row.founder

    @property
    def facts(self) -> list[tuple[str, str]]:
        """The name, the founder and the age of the circle."""
        founder = self.row.founder
        return [
            (_("Name"), self.row.name),
            (_("Founder"), founder.name if founder is not None else "–"),
            (_("Time"), zoned(self.row.created_at)),
        ]


@admin.register(Circle, site=moderation_site)
class CircleAdmin(ActedOn, ReadOnly):
    """The circles, each with the number of its members."""

    list_display = ("name", "founder", "size", "created_at", "closed_at")
    search_fields = ("name",)
    list_select_related = ("founder",)
    ordering = ("-created_at",)
    hidden = ("join_token", "channel", "channel_turns")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Circle]:
        present = Count("memberships", filter=Q(memberships__left_at=None))
        circles: QuerySet[Circle] = super().get_queryset(request).annotate(size=present)
        return circles

    @admin.display(description=gettext_lazy("members"), ordering="size")
    def size(self, circle: Any) -> int:
        return int(circle.size)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The page with the forms."""
        if (circle := self.get_object(request, unquote(object_id))) is None:
            raise Http404
        return redirect(self.home(circle.pk))

    def home(self, pk: int) -> str:
        return reverse("admin:games_circle_act", args=[pk, RENAME])

    after = home

    def subject_of(self, request: HttpRequest, pk: int) -> CircleSubject:
        if not self.has_view_permission(request):
            raise PermissionDenied
        circle = get_object_or_404(Circle.objects.select_related("founder"), pk=pk)
        return CircleSubject(moderator(request), circle)
