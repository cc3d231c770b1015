"""What all lists of the desk share: rows that are looked at, in the words of the desk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst

from games.models import User

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
else:  # generic for the type checker only
    Admin = admin.ModelAdmin


class ReadOnly(Admin):
    """Rows that are looked at, never typed into. Whoever is staff moderates: no rights besides."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_moderator(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_moderator(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_moderator(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [field.name for field in self.model._meta.fields if field.name not in self.hidden]

    hidden: tuple[str, ...] = ()

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return self.hidden

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list under its own name: there is nothing to "select to change"."""
        title = {"title": capfirst(self.opts.verbose_name_plural)}
        return super().changelist_view(request, {**title, **(extra_context or {})})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """One row, without buttons to save what cannot be changed."""
        buttons = dict.fromkeys(("show_save", "show_save_and_continue"), False)
        title = capfirst(self.opts.verbose_name)
        context = {**buttons, "show_close": True, "title": title, **(extra_context or {})}
        return super().change_view(request, object_id, form_url, context)


def is_moderator(request: HttpRequest) -> bool:
    """Whether whoever asks may be at the desk at all."""
    return request.user.is_active and request.user.is_staff


def person(request: HttpRequest) -> User:
    """Who asks."""
    assert isinstance(request.user, User)
    return request.user
