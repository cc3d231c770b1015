"""Limits that somebody exceeded."""

import re
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from games.models import Game, QuotaUse, User
from games.moderation import base
from games.moderation.admin_site import moderation_site
from games.moderation.base import moderator
from games.services.quota_subjects import Scope
from games.services.quotas import REGISTRY


class QuotaFilter(admin.SimpleListFilter):
    """Refusals by one limit."""

    title = gettext_lazy("limit")
    parameter_name = "limit"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(name, name) for name in REGISTRY]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(quota=self.value()) if self.value() else queryset


@admin.register(QuotaUse, site=moderation_site)
class QuotaUseAdmin(base.ListWithoutOwnGames):
    """Limits that were exceeded within the last month, the newest refusal first."""

    list_display = ("quota", "whose", "limit", "refused", "refused_at", "ends_at")
    list_display_links = None
    list_filter = (QuotaFilter,)
    search_fields = ("quota", "subject")
    ordering = ("-refused_at",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[QuotaUse]:
        rows: QuerySet[QuotaUse] = super().get_queryset(request)
        return base.limits_for(moderator(request), rows.filter(refused_at__isnull=False))

    @admin.display(description=gettext_lazy("who"))
    def whose(self, use: QuotaUse) -> str:
        """The person or table; of an address or network, the beginning of its HMAC."""
        quota = REGISTRY.get(use.quota)
        keys = [int(key) for key in re.findall(r"\d+", use.subject)] if quota else []
        match quota.scope if quota else None:
            case Scope.PERSON:
                return ", ".join(map(str, User.objects.filter(pk__in=keys)))
            case Scope.TABLE:
                return ", ".join(map(str, Game.objects.filter(pk__in=keys)))
            case Scope.SEAT:
                table, person = keys
                found = [Game.objects.filter(pk=table), User.objects.filter(pk=person)]
                return ", ".join(str(row) for rows in found for row in rows)
        return use.subject[:12]
