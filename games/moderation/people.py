"""People at the desk, for those with the right to see them; second factors, for superusers."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.db.models import Field
from django.forms import CheckboxSelectMultiple, ModelMultipleChoiceField
from django.forms import Field as FormField
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy

from games.models import User
from games.moderation.base import Admin, ReadOnly, person
from games.web.forms import SettingsForm

# Groups nobody needs; a session's key or an app's secret is as good as the person it is of.
for model in (Group, UserSession, Authenticator):
    admin.site.unregister(model)


# The rights there are besides moderating, which whoever is staff does.
RIGHTS = {
    "view_user": gettext_lazy("see people"),
    "change_user": gettext_lazy("change people"),
    "delete_user": gettext_lazy("delete people"),
}


if TYPE_CHECKING:
    Several = ModelMultipleChoiceField[Permission]
else:  # generic for the type checker only
    Several = ModelMultipleChoiceField


class RightsField(Several):
    """Those rights, to be ticked."""

    widget = CheckboxSelectMultiple

    def label_from_instance(self, obj: Any) -> str:
        """What the right is called here."""
        return str(RIGHTS[obj.codename])


@admin.register(User)
class UserAdmin(Admin):
    """People. An account can be closed (not active) and made staff; names can be mended."""

    list_display = ("email", "display_name", "language", "arrives", "is_staff", "is_active")
    list_filter = ("is_staff", "is_active", "language")
    search_fields = ("email", "display_name")
    ordering = ("-date_joined",)
    fields = (
        *("email", "display_name", "language", "time_zone", "is_active"),
        *("is_staff", "is_superuser", "user_permissions", "date_joined", "last_login"),
    )
    readonly_fields = ("date_joined", "last_login")

    @admin.display(description=gettext_lazy("mails arrive"), boolean=True)
    def arrives(self, user: User) -> bool:
        return not user.mail_stopped

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Only a superuser may hand out rights."""
        if person(request).is_superuser:
            return self.readonly_fields
        return (*self.readonly_fields, "email", "is_staff", "is_superuser", "user_permissions")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # people come by signing in

    def formfield_for_manytomany(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> RightsField:
        """A few boxes to tick in place of the rights of every table of the database."""
        rights = Permission.objects.filter(
            content_type__app_label="games", codename__in=RIGHTS
        ).order_by("pk")
        return RightsField(rights, required=False, label=capfirst(db_field.verbose_name))

    def formfield_for_dbfield(
        self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> FormField | None:
        """Languages and zones are chosen among those there are, as people do it themselves."""
        if db_field.name in ("language", "time_zone"):
            own = deepcopy(SettingsForm.base_fields[db_field.name])
            own.label, own.help_text = capfirst(db_field.verbose_name), ""
            return own
        return super().formfield_for_dbfield(db_field, request, **kwargs)


@admin.register(Authenticator)
class SecondFactorAdmin(ReadOnly):
    """Who has a second factor; a superuser takes it away from somebody who has lost theirs."""

    list_display = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    list_select_related = ("user",)
    search_fields = ("user__email", "user__display_name")
    hidden = ("data",)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and person(request).is_superuser)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)
