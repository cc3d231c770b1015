"""The read-only base class of all model admins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst

from games.models import User

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
else:  # ModelAdmin is generic in the stubs only
    Admin = admin.ModelAdmin


class ReadOnly(Admin):
    """Rows that every staff member may view and nobody may edit. hidden: fields never shown."""

    hidden: tuple[str, ...] = ()

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.admin_site.has_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.admin_site.has_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.admin_site.has_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [field.name for field in self.opts.fields if field.name not in self.hidden]

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return self.hidden

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Title the list with the model's name instead of "Select … to change"."""
        title = {"title": capfirst(self.opts.verbose_name_plural)}
        return super().changelist_view(request, {**title, **(extra_context or {})})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show one row without save buttons."""
        context = {
            "show_save": False,
            "show_save_and_continue": False,
            "show_close": True,
            "title": capfirst(self.opts.verbose_name),
            **(extra_context or {}),
        }
        return super().change_view(request, object_id, form_url, context)


def moderator(request: HttpRequest) -> User:
    """The signed-in staff member."""
    assert isinstance(request.user, User)
    return request.user
