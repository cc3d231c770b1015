"""People: the page where moderators act on them, which shows no address, and the one with their
account, for staff with that permission; second factors, for administrators."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import services
from games.models import (
    Decision,
    Game,
    Message,
    SecondFactor,
    StopReason,
    User,
    not_suspended,
)
from games.moderation import base
from games.moderation.actions import (
    DELETE,
    ActedOn,
    ActionForm,
    ModeratorAction,
    Subject,
    until_field,
)
from games.moderation.admin_site import moderation_site
from games.moderation.base import ReadOnly, moderator
from games.moderation.mail import preference_lines
from games.services.account_moderation import EDIT, SUSPEND
from games.services.moderators import Role
from games.templatetags.when import zoned
from games.translate import with_colon
from games.web.forms import SettingsForm

# Permissions that can be granted to a moderator besides those of the role.
PERMISSIONS = {
    "view_user": gettext_lazy("view users"),
    "change_user": gettext_lazy("change users"),
    "delete_user": gettext_lazy("delete users"),
}

MOST_GAMES = 100  # links on the page of a user
ROWS_SHOWN = 30  # the newest decisions, reports and messages


if TYPE_CHECKING:
    PermissionChoiceField = forms.ModelMultipleChoiceField[Permission]
else:  # generic in the stubs only
    PermissionChoiceField = forms.ModelMultipleChoiceField


# -- actions ---------------------------------------------------------------------------------


class PermissionsField(PermissionChoiceField):
    """Check boxes for these permissions."""

    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, obj: Any) -> str:
        return str(PERMISSIONS[obj.codename])


def _name(person: User) -> forms.Field:
    initial = person.display_name
    return forms.CharField(label=_("Display name"), max_length=40, initial=initial, required=False)


def _language(person: User) -> forms.Field:
    choices = SettingsForm.base_fields["language"].choices  # type: ignore[attr-defined]  # of it
    return forms.ChoiceField(label=_("Language"), choices=choices, initial=person.language)


def _zone(person: User) -> forms.Field:
    return type(SettingsForm.base_fields["time_zone"])(
        label=_("Time zone"), initial=person.time_zone
    )


def _role(person: User) -> forms.Field:
    return forms.ChoiceField(
        label=_("Role"), choices=Role.choices, initial=services.role_of(person), required=False
    )


def _permissions(person: User) -> forms.Field:
    offered = Permission.objects.filter(
        content_type__app_label="games", codename__in=PERMISSIONS
    ).order_by("pk")
    return PermissionsField(
        offered,
        required=False,
        label=_("Extra permissions"),
        initial=person.user_permissions.all(),
    )


def _bounces(person: User) -> bool:
    return person.mail_stopped == StopReason.BOUNCE


def _changes(person: User, values: Mapping[str, Any]) -> list[str]:
    before = {name: getattr(person, name) for name in ("display_name", "language", "time_zone")}
    return [
        _("“%(old)s” becomes “%(new)s”.") % {"old": old or "–", "new": values[name] or "–"}
        for name, old in before.items()
        if values[name] != old
    ]


def _domain(person: User) -> str:
    return person.email.rpartition("@")[2]


def _resume_domain(*, user: User, ruling: services.Ruling) -> int:
    return services.domain_unblock(domain=_domain(user), by=ruling.by, reason=ruling.reason)


ACTIONS: dict[str, ModeratorAction] = {
    "warn": ModeratorAction(
        gettext_lazy("Warn"),
        gettext_lazy("The person gets an email with your reason."),
        services.moderate_warn,
        SUSPEND,
    ),
    "suspend": ModeratorAction(
        gettext_lazy("Suspend"),
        gettext_lazy(
            "They cannot sign in, join or move, and get only emails about decisions. At tables "
            "that wait for late players, a bot takes their seat; elsewhere the rule of the table "
            "for missed deadlines applies."
        ),
        services.moderate_suspend,
        SUSPEND,
        fields={"until": lambda _person: until_field()},
    ),
    "close_talk": ModeratorAction(
        gettext_lazy("Stop someone from writing messages"),
        gettext_lazy("For a number of days, on pages and by email. They play and vote as before."),
        services.moderate_close_talk,
        SUSPEND,
        fields={"until": lambda _person: until_field(is_required=True)},
    ),
    "open_talk": ModeratorAction(
        gettext_lazy("Let someone write messages again"),
        gettext_lazy("At once, at all tables."),
        services.moderate_open_talk,
        SUSPEND,
        on=lambda person: not person.may_talk,
    ),
    "lift": ModeratorAction(
        gettext_lazy("Lift the suspension"),
        gettext_lazy("They can sign in again at once. Bots keep the seats that they took."),
        services.moderate_lift,
        SUSPEND,
        on=lambda person: person.is_suspended,
    ),
    "edit": ModeratorAction(
        gettext_lazy("Change a name, language or time zone"),
        gettext_lazy("The person gets an email with your reason."),
        services.moderate_person,
        EDIT,
        fields={"display_name": _name, "language": _language, "time_zone": _zone},
        notes=_changes,
    ),
    "sign_out": ModeratorAction(
        gettext_lazy("Sign out of all devices"),
        gettext_lazy("The user gets an email about it."),
        services.moderate_sessions,
        EDIT,
        notes=lambda person, _values: [
            _("%(name)s is signed out of all devices.") % {"name": person.name}
        ],
    ),
    "emails": ModeratorAction(
        gettext_lazy("Send emails to this address again"),
        gettext_lazy("If it bounces again, emails stop again."),
        services.moderate_emails,
        EDIT,
        _bounces,
        notes=lambda person, _values: [_("%(name)s gets emails again.") % {"name": person.name}],
    ),
    "domain": ModeratorAction(
        gettext_lazy("Send emails again to all users of the same domain"),
        gettext_lazy(
            "Everyone whose emails bounce, for example after the mail server of a provider "
            "refused us."
        ),
        _resume_domain,
        EDIT,
        _bounces,
        notes=lambda person, _values: [
            _("All users at %(domain)s get emails again.") % {"domain": _domain(person)}
        ],
    ),
    "role": ModeratorAction(
        gettext_lazy("Change a role"),
        gettext_lazy("The person has to sign in again."),
        services.moderate_role,
        services.CHANGE_ROLES,
        fields={"role": _role},
        notes=lambda person, values: [f"{with_colon(person.name)} {Role(values['role']).label}"],
    ),
    "permissions": ModeratorAction(
        gettext_lazy("Change the extra permissions"),
        gettext_lazy("The person has to sign in again."),
        services.moderate_permissions,
        services.CHANGE_ROLES,
        fields={"permissions": _permissions},
        notes=lambda person, values: [
            f"{with_colon(person.name)} "
            + (", ".join(str(PERMISSIONS[p.codename]) for p in values["permissions"]) or "–")
        ],
    ),
    DELETE: ModeratorAction(
        gettext_lazy("Delete an account"),
        gettext_lazy("In a week, unless they cancel it. A bot takes over their seats."),
        services.moderate_close,
        "delete_user",
        lambda person: person.closes_at is None,
        notes=lambda person, _values: [
            _("%(name)s’s account will be deleted in a week.") % {"name": person.name}
        ],
    ),
}


class PersonSubject(Subject):
    """A person as a moderator acts on them. row: a User."""

    actions = ACTIONS
    argument = "user"
    row: User

    @property
    def person(self) -> User:
        return self.row

    @property
    def name(self) -> str:
        return self.row.name


def end_of(person: User) -> str:
    """Return when the suspension of this person ends; "" for somebody who is not suspended."""
    if not person.is_suspended or person.suspended_until is None:
        return ""
    return _("never") if person.is_suspended_for_good else zoned(person.suspended_until)


# -- pages -----------------------------------------------------------------------------------


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


class BounceFilter(admin.SimpleListFilter):
    """People whose address bounces."""

    title, parameter_name = gettext_lazy("emails"), "emails"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("bounce", _("emails bounce"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        bounces = {"mail_trouble__gt": "", "mail_trouble__startswith": f"{StopReason.BOUNCE}:"}
        return queryset.filter(**bounces) if self.value() else queryset


@admin.register(User, site=moderation_site)
class UserAdmin(ActedOn, ReadOnly):
    """People. Nobody changes an address here: it is the key to an account, and its owner is
    asked."""

    list_display = ("email", "display_name", "language", "arrives", "role", "suspension")
    list_filter = ("is_staff", SuspendedFilter, "language", BounceFilter)
    search_fields = ("email", "display_name")
    ordering = ("-date_joined",)
    actions = None
    readonly_fields = (
        "email",
        "delivery",
        "preferences",
        "seats_held",
        "suspension",
        "display_name",
        "language",
        "time_zone",
        "role",
        "date_joined",
        "last_login",
    )
    fieldsets = (
        (
            None,
            {
                "fields": readonly_fields,
                "description": gettext_lazy(
                    "Nobody can change an address here. If its owner cannot read its email any "
                    "more, ask them to sign in with another address, and reassign their seats to "
                    "it on the pages of their games."
                ),
            },
        ),
    )

    def get_urls(self) -> list[URLPattern]:
        conduct = self.admin_site.admin_view(self.conduct)
        return [
            path("<int:pk>/conduct/", conduct, name="games_user_conduct"),
            *super().get_urls(),
        ]

    def home(self, pk: int) -> str:
        return reverse("admin:games_user_conduct", args=[pk])

    after = home

    def subject_of(self, request: HttpRequest, pk: int) -> PersonSubject:
        by = moderator(request)
        if not (services.has_right(by, SUSPEND) or services.has_right(by, EDIT)):
            raise PermissionDenied
        return PersonSubject(by, get_object_or_404(User, pk=pk))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Redirect those who may not see the account to the page about the person, because rows
        that name somebody link to it."""
        if object_id.isdecimal() and not self.has_view_permission(request):
            return redirect("admin:games_user_conduct", object_id)
        return super().change_view(request, object_id, form_url, extra_context)

    def conduct(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return the page about a person."""
        return self.forms_page(request, self.subject_of(request, pk))

    def forms_page(
        self, request: HttpRequest, subject: Subject, bound: ActionForm | None = None
    ) -> HttpResponse:
        """Return the person's state, the forms, and what is known about their conduct."""
        by, person = subject.by, subject.row
        decided = base.decisions_for(by, Decision.objects.filter(person=person))
        reports = services.reports_for(by).filter(person=person).select_related("game", "person")
        written = base.messages_for(by, Message.objects.filter(author=person))
        context = {
            **self.offered_forms(request, subject, bound),
            "person": person,
            "language": _(dict(settings.LANGUAGES).get(person.language, person.language)),
            "role": services.role_of(person).label,
            "suspended": end_of(person),
            "sees_users": services.has_right(by, "view_user"),
            "tables": _tables(person),
            "reports": reports.order_by("-pk")[:ROWS_SHOWN],
            "written": written.select_related("game").order_by("-pk")[:ROWS_SHOWN],
            "history": decided.select_related("by", "words", "appeal__answer")[:ROWS_SHOWN],
        }
        return self.page(request, "conduct.html", subject.name, **context)

    @admin.display(description=gettext_lazy("end of the suspension"))
    def suspension(self, user: User) -> str:
        """The end, and where to change it."""
        url = reverse("admin:games_user_conduct", args=[user.pk])
        words = end_of(user) or "–"
        return format_html('{} · <a href="{}">{}</a>', words, url, _("Actions"))

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
                    "Stopped: the user marked an email as spam. Only sign-in codes are sent, until "
                    "the user resumes emails in the settings."
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
        rows = (
            (reverse("admin:games_game_change", args=[game.pk]), game.name)
            for game in _tables(user)
        )
        return format_html_join(", ", '<a href="{}">{}</a>', rows) or "–"

    @admin.display(description=gettext_lazy("emails delivered"), boolean=True)
    def arrives(self, user: User) -> bool:
        return not user.mail_stopped

    @admin.display(description=gettext_lazy("role"))
    def role(self, user: User) -> str:
        return str(services.role_of(user).label)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return services.has_right(moderator(request), "delete_user")


def _tables(user: User) -> QuerySet[Game]:
    """The games that are not over in which this user has a seat."""
    games = Game.objects.exclude(status__in=(Game.Status.FINISHED, Game.Status.ABORTED))
    return games.filter(seats__user=user).defer("seed").order_by("-last_event_at")[:MOST_GAMES]


class KindFilter(admin.ChoicesFieldListFilter):
    """A filter with a translated title."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = gettext_lazy("kind")


class FactorSubject(Subject):
    """A second factor that its user may have lost. row: a SecondFactor."""

    actions: Mapping[str, ModeratorAction] = {
        DELETE: ModeratorAction(
            gettext_lazy("Remove a second factor"),
            gettext_lazy("For someone who has lost theirs. They get an email about it."),
            services.moderate_factor,
            "delete_secondfactor",
            notes=lambda factor, _values: [
                _("%(name)s can sign in without this second factor: %(factor)s.")
                % {"name": factor.user.name, "factor": factor.get_type_display()}
            ],
        ),
    }
    argument = "factor"
    row: SecondFactor

    @property
    def person(self) -> User:
        assert isinstance(self.row.user, User)
        return self.row.user

    @property
    def facts(self) -> list[tuple[str, str]]:
        """The person whose factor it is."""
        return [(_("Person"), self.person.name), (_("Kind"), str(self.row.get_type_display()))]


@admin.register(SecondFactor, site=moderation_site)
class SecondFactorAdmin(ActedOn, ReadOnly):
    """Second factors. An administrator removes the one of somebody who has lost theirs."""

    list_display = ("user_name", "kind", "connected", "last_used")
    list_select_related = ("user",)
    list_filter = (("type", KindFilter),)
    search_fields = ("user__email", "user__display_name")
    actions = None
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

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return services.has_right(moderator(request), "delete_secondfactor")

    def subject_of(self, request: HttpRequest, pk: int) -> FactorSubject:
        if not self.has_delete_permission(request):
            raise PermissionDenied
        factor = get_object_or_404(SecondFactor.objects.select_related("user"), pk=pk)
        return FactorSubject(moderator(request), factor)
