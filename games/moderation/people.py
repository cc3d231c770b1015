"""People, for staff with that permission; second factors, for administrators."""

from collections.abc import Iterable
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin, messages
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.db.models import Field, QuerySet
from django.forms import (
    BooleanField,
    CharField,
    CheckboxSelectMultiple,
    ChoiceField,
    ModelForm,
    ModelMultipleChoiceField,
)
from django.forms import Field as FormField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games import services
from games.models import Game, SecondFactor, StopReason, User, not_suspended
from games.moderation import person_actions
from games.moderation.admin_site import moderation_site
from games.moderation.base import DeletedForAReason, ReadOnly, moderator
from games.moderation.mail import preference_lines
from games.services.clean_text import MAX_REASON, clean_line
from games.services.moderators import Role
from games.web.forms import SettingsForm

# Permissions that can be granted to a moderator besides those of the role.
PERMISSIONS = {
    "view_user": gettext_lazy("view users"),
    "change_user": gettext_lazy("change users"),
    "delete_user": gettext_lazy("delete users"),
}

MOST_GAMES = 100  # links on the page of a user


if TYPE_CHECKING:
    PermissionChoiceField = ModelMultipleChoiceField[Permission]
else:  # generic in the stubs only
    PermissionChoiceField = ModelMultipleChoiceField


class PermissionsField(PermissionChoiceField):
    """Check boxes for these permissions."""

    widget = CheckboxSelectMultiple

    def label_from_instance(self, obj: Any) -> str:
        return str(PERMISSIONS[obj.codename])


class SuspendedFilter(admin.SimpleListFilter):
    """People who are suspended now."""

    title, parameter_name = gettext_lazy("suspended"), "suspended"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("Yes")), ("no", _("No"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "yes":
                return queryset.exclude(not_suspended())
            case "no":
                return queryset.filter(not_suspended())
        return queryset


class UserForm(ModelForm):  # type: ignore[type-arg]  # generic in the stubs only
    """The fields of a user, and checkboxes for actions that are not fields."""

    class Meta:
        help_texts: ClassVar = {
            "email": gettext_lazy(
                "Nobody can change an address here. If its owner cannot read its email any more, ask "
                "them to sign in with another address, and reassign their seats to it on the pages of "
                "their games."
            ),
        }

    resume_emails = BooleanField(
        required=False,
        label=gettext_lazy("Send emails to this address again"),
        help_text=gettext_lazy("If it bounces again, emails stop again."),
    )

    resume_domain = BooleanField(
        required=False,
        label=gettext_lazy("Send emails again to all users of the same domain"),
        help_text=gettext_lazy(
            "All whose emails bounce, for example after the mail server of a provider refused us."
        ),
    )

    end_sessions = BooleanField(
        required=False,
        label=gettext_lazy("Sign out of all devices"),
        help_text=gettext_lazy("The user gets an email about it."),
    )

    role = ChoiceField(label=gettext_lazy("Role"), choices=Role.choices, required=False)

    reason = CharField(
        required=False,
        max_length=300,
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("It is recorded with your name."),
    )

    def clean(self) -> dict[str, Any]:
        """A reason for each change."""
        values = super().clean() or {}
        if {*self.changed_data} - {"reason"} and not clean_line(
            values.get("reason") or "", MAX_REASON
        ):
            self.add_error("reason", _("Enter a reason."))
        return values

    def clean_display_name(self) -> str:
        """A new name is one that people can choose themselves, or none."""
        name: str = self.cleaned_data["display_name"]
        if not name or "display_name" not in self.changed_data:
            return name
        try:
            return services.clean_name(name)
        except services.ServiceError as error:
            raise ValidationError(error.text) from error


class BounceFilter(admin.SimpleListFilter):
    """People whose address bounces."""

    title, parameter_name = gettext_lazy("emails"), "emails"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("bounce", _("emails bounce"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        bounces = {"mail_trouble__gt": "", "mail_trouble__startswith": f"{StopReason.BOUNCE}:"}
        return queryset.filter(**bounces) if self.value() else queryset


@admin.register(User, site=moderation_site)
class UserAdmin(DeletedForAReason):
    """People. Staff with the permission can correct names and delete accounts, but not of people
    with more rights than their own. Administrators give roles. Nobody changes an address here: it
    is the key to an account, and its owner is asked."""

    list_display = ("email", "display_name", "language", "arrives", "role", "suspension")
    list_filter = ("is_staff", SuspendedFilter, "language", BounceFilter)
    search_fields = ("email", "display_name")
    ordering = ("-date_joined",)
    form = UserForm
    fields = (
        "suspension",
        "display_name",
        "language",
        "time_zone",
        "end_sessions",
        "role",
        "user_permissions",
        "reason",
        "date_joined",
        "last_login",
    )
    readonly_fields = (
        "email",
        "suspension",
        "delivery",
        "preferences",
        "seats_held",
        "date_joined",
        "last_login",
    )

    def get_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[Any, ...]:
        """With boxes that resume emails where they bounce. Complaints are for their author to
        undo."""
        bounces = obj is not None and obj.mail_stopped == StopReason.BOUNCE
        may_resume = bounces and self.has_change_permission(request, obj)
        resume = ("resume_emails", "resume_domain") if may_resume else ()
        return ("email", "delivery", *resume, "preferences", "seats_held", *self.fields)

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        act = wrap(partial(person_actions.page, self.admin_site))
        return [
            path("<int:pk>/conduct/", act, name="games_user_conduct"),
            path("<int:pk>/conduct/<slug:name>/", act, name="games_user_act"),
            *super().get_urls(),
        ]

    @admin.display(description=gettext_lazy("suspended until"))
    def suspension(self, user: User) -> str:
        """The end, and where to change it."""
        url = reverse("admin:games_user_conduct", args=[user.pk])
        words = person_actions.end_of(user) or "–"
        return format_html('{} · <a href="{}">{}</a>', words, url, _("Warn or suspend"))

    @admin.display(description=gettext_lazy("emails"))
    def delivery(self, user: User) -> str:
        match user.mail_stopped:
            case StopReason.BOUNCE:
                return _(
                    "Stopped: the mail server says that the mailbox does not exist or refuses our "
                    "emails. Only sign-in codes are sent."
                )
            case StopReason.COMPLAINT:
                return _(
                    "Stopped: the user marked an email as spam. Only sign-in codes are sent, until the "
                    "user resumes emails in the settings."
                )
        return _("Delivered.")

    @admin.display(description=gettext_lazy("email preferences"))
    def preferences(self, user: User) -> str:
        """How each kind arrives, and a link to the emails to this user."""
        lines = format_html_join("", "<li>{}</li>", ((line,) for line in preference_lines(user)))
        emails = reverse("admin:games_outboxmail_changelist", query={"q": user.email})
        return format_html(
            '<ul>{}</ul><a href="{}">{}</a>', lines, emails, _("Emails to this user")
        )

    @admin.display(description=gettext_lazy("games"))
    def seats_held(self, user: User) -> str:
        """Links to the games in which this user has a seat, but not to those that are over."""
        games = Game.objects.exclude(status__in=(Game.Status.FINISHED, Game.Status.ABORTED))
        found = games.filter(seats__user=user).order_by("-last_event_at")[:MOST_GAMES]
        rows = ((reverse("admin:games_game_change", args=[game.pk]), game.name) for game in found)
        return format_html_join(", ", '<a href="{}">{}</a>', rows) or "–"

    @admin.display(description=gettext_lazy("emails delivered"), boolean=True)
    def arrives(self, user: User) -> bool:
        return not user.mail_stopped

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Only administrators grant permissions."""
        if services.has_right(moderator(request), services.CHANGE_ROLES):
            return self.readonly_fields
        return (*self.readonly_fields, "role", "user_permissions")

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """With the present role."""
        form = super().get_form(request, obj, change, **kwargs)
        if obj is not None and "role" in form.base_fields:
            form.base_fields["role"].initial = services.role_of(obj)
        return form

    @admin.display(description=gettext_lazy("role"))
    def role(self, user: User) -> str:
        return str(services.role_of(user).label)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # accounts are created by signing in

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        allowed = super().has_change_permission(request, obj)
        return allowed and not (
            obj is not None and services.has_more_rights(obj, moderator(request))
        )

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        allowed = super().has_delete_permission(request, obj)
        return allowed and not (
            obj is not None and services.has_more_rights(obj, moderator(request))
        )

    def get_deleted_objects(
        self, objs: Iterable[Any], request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """Return the contents of the page that confirms the deletion. Emails and seats are deleted
        with the account, so they need no permission of their own."""
        users = list(objs)
        refused = not all(self.has_delete_permission(request, user) for user in users)
        sentences = [
            _(
                "%(name)s (%(email)s): in a week, unless they cancel it. A bot takes over their seats."
            )
            % {"name": user.name, "email": user.email}
            for user in users
        ]
        kind = str(self.opts.verbose_name)
        return (
            sentences,
            {str(self.opts.verbose_name_plural): len(users)},
            {kind} if refused else set(),
            [],
        )

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save the fields, resume emails and end all sessions if that was asked for. They also end
        when rights change, not only at their next request. Each of these is a decision of its
        own."""
        decided: dict[str, Any] = {
            "user": obj,
            "by": moderator(request),
            "reason": form.cleaned_data["reason"],
        }
        changed = set(form.changed_data)
        if {"display_name", "language", "time_zone"} & changed:
            services.moderate_person(**decided)
        if "role" in changed:
            services.moderate_role(**decided, role=Role(form.cleaned_data["role"]))
        elif "user_permissions" in changed:
            services.moderate_permissions(**decided)
        bounces = obj.mail_stopped == StopReason.BOUNCE
        if form.cleaned_data.get("resume_emails") and bounces:
            services.moderate_emails(**decided)
        if form.cleaned_data.get("resume_domain") and bounces:
            self._resume_domain(request, obj.email.rpartition("@")[2], decided["reason"])
        if form.cleaned_data.get("end_sessions"):
            services.moderate_sessions(**decided)

    def _resume_domain(self, request: HttpRequest, domain: str, reason: str) -> None:
        """Resume emails to all users there, and say how many there are."""
        try:
            count = services.domain_unblock(domain=domain, by=moderator(request), reason=reason)
        except services.ServiceError as error:
            messages.error(request, error.text)
            return
        sentence = ngettext(
            "Emails to %(count)s user at %(domain)s are sent again.",
            "Emails to %(count)s users at %(domain)s are sent again.",
            count,
        )
        messages.success(request, sentence % {"count": count, "domain": domain})

    def remove(self, by: User, obj: User, *, reason: str, rule: str) -> None:
        """Delete the account like its user would: in a week, with a report to their addresses."""
        services.moderate_close(user=obj, by=by, reason=reason)

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: int) -> HttpResponse:
        user = User.objects.filter(pk=obj_id, closes_at__isnull=False).first()
        if user is not None:
            messages.success(
                request,
                _("%(name)s’s account will be deleted in a week.") % {"name": user.name},
            )
        return redirect("admin:games_user_changelist")

    def formfield_for_manytomany(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> PermissionsField:
        """Offer the permissions in use here instead of those on every model."""
        permissions = Permission.objects.filter(
            content_type__app_label="games", codename__in=PERMISSIONS
        ).order_by("pk")
        return PermissionsField(
            permissions, required=False, label=capfirst(gettext_lazy("extra permissions"))
        )

    def formfield_for_dbfield(
        self, db_field: "Field[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> FormField | None:
        """Offer languages and time zones as the settings page does."""
        if db_field.name in ("language", "time_zone"):
            own = deepcopy(SettingsForm.base_fields[db_field.name])
            own.label, own.help_text = capfirst(db_field.verbose_name), ""
            return own
        return super().formfield_for_dbfield(db_field, request, **kwargs)


class KindFilter(admin.ChoicesFieldListFilter):
    """A filter with a translated title."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = gettext_lazy("kind")


@admin.register(SecondFactor, site=moderation_site)
class SecondFactorAdmin(DeletedForAReason, ReadOnly):
    """Second factors. An administrator removes the one of somebody who has lost theirs."""

    list_display = ("user_name", "kind", "connected", "last_used")
    list_select_related = ("user",)
    list_filter = (("type", KindFilter),)
    search_fields = ("user__email", "user__display_name")
    fields = readonly_fields = list_display

    @admin.display(description=gettext_lazy("user"), ordering="user")
    def user_name(self, factor: SecondFactor) -> str:
        return str(factor.user)

    @admin.display(description=gettext_lazy("kind"), ordering="type")
    def kind(self, factor: SecondFactor) -> str:
        return str(factor.get_type_display())

    @admin.display(description=gettext_lazy("added"), ordering="created_at")
    def connected(self, factor: SecondFactor) -> Any:
        return factor.created_at

    @admin.display(description=gettext_lazy("last used"), ordering="last_used_at")
    def last_used(self, factor: SecondFactor) -> Any:
        return factor.last_used_at

    def remove(self, by: User, obj: SecondFactor, *, reason: str, rule: str) -> None:
        services.moderate_factor(factor=obj, by=by, reason=reason)
