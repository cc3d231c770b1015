"""The moderators' desk: tables, their logs and their mails, to be read and helped along.

Nothing is edited here. What a moderator does goes through services, with a reason that everybody
at the table reads, and leaves an event; what a moderator must not see by accident (hands, deck,
seed) is shown by a button only, and the press is written down in the admin's own log.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from allauth.account.decorators import secure_admin_login
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db.models import Min, Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games import services
from games.admin import desk
from games.models import Game, InboundMail, Invitation, OutboxMail, Seat, TableNote, User

admin.site.site_header = gettext_lazy("Atlantis by Mail: the desk")
admin.site.site_title = gettext_lazy("The desk")
admin.site.index_title = gettext_lazy("Tables, people and mails")
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.unregister(Group)


if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
else:  # generic for the type checker only
    Admin = admin.ModelAdmin


class ReadOnly(Admin):
    """Rows that are looked at, never typed into. Whoever is staff moderates: no rights besides."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return _is_moderator(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_moderator(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_moderator(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [field.name for field in self.model._meta.fields if field.name not in self.hidden]

    hidden: tuple[str, ...] = ()

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return self.hidden


class Late(admin.SimpleListFilter):
    """Tables where somebody has let the deadline pass."""

    title = gettext_lazy("deadline")
    parameter_name = "late"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("passed")), ("day", _("within a day"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        now = timezone.now()
        match self.value():
            case "yes":
                return queryset.filter(first_due__lt=now)
            case "day":
                return queryset.filter(first_due__range=(now, now + timedelta(days=1)))
        return queryset


@admin.register(Game)
class GameAdmin(ReadOnly):
    """Tables at a glance; a table's own page is its desk (templates/admin/games/game/desk.html)."""

    list_display = ("name", "kind", "state", "whose_turn", "since", "deadline", "last_event")
    list_filter = ("status", "kind", Late, "pace_days")
    search_fields = ("name", "public_id", "seats__user__display_name", "seats__user__email")
    ordering = ("-last_event_at",)
    list_per_page = 50
    hidden = ("seed", "invite_token")

    def get_queryset(self, request: HttpRequest) -> Any:  # with first_due and asked_since
        seats = Prefetch("seats", Seat.objects.select_related("user").order_by("number"))
        return (
            super()
            .get_queryset(request)
            .annotate(first_due=Min("seats__due_at"), asked_since=Min("seats__asked_at"))
            .prefetch_related(seats)
        )

    @admin.display(description=gettext_lazy("status"), ordering="status")
    def state(self, game: Game) -> str:
        return game.get_status_display()

    @admin.display(description=gettext_lazy("whose turn"))
    def whose_turn(self, game: Game) -> str:
        return ", ".join(seat.name for seat in game.seats.all() if seat.asked_seq is not None)

    @admin.display(description=gettext_lazy("since"), ordering="asked_since")
    def since(self, game: Any) -> str:
        return timesince(game.asked_since) if game.asked_since else ""

    @admin.display(description=gettext_lazy("deadline"), ordering="first_due")
    def deadline(self, game: Any) -> str:
        if not game.first_due:
            return ""
        if game.first_due < timezone.now():
            return format_html("<strong>{}</strong>", _("passed"))
        return timezone.localtime(game.first_due).strftime("%Y-%m-%d %H:%M")

    @admin.display(description=gettext_lazy("last event"), ordering="last_event_at")
    def last_event(self, game: Game) -> str:
        return _("%(number)s, %(ago)s ago") % {
            "number": game.version,
            "ago": timesince(game.last_event_at),
        }

    # -- the desk of one table -------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<int:pk>/act/<slug:action>/", wrap(self.act), name="games_game_act"),
            path("<int:pk>/reveal/", wrap(self.reveal), name="games_game_reveal"),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        game = self._game(request, object_id)
        return self._desk(request, game)

    def _game(self, request: HttpRequest, pk: str | int, *, change: bool = False) -> Game:
        game = get_object_or_404(Game, pk=pk)
        allowed = self.has_change_permission if change else self.has_view_permission
        if not allowed(request, game):
            raise PermissionDenied
        return game

    def _desk(
        self, request: HttpRequest, game: Game, form: desk.ActionForm | None = None, **more: Any
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            **desk.page(game, reveal=more.pop("reveal", False)),
            "opts": self.model._meta,
            "title": game.name,
            "forms": desk.forms_for(game, bound=form),
            "can_act": self.has_change_permission(request, game),
            "media": self.media,
            **more,
        }
        return TemplateResponse(request, "admin/games/game/desk.html", context)

    def act(self, request: HttpRequest, pk: int, action: str) -> HttpResponse:
        """POST: one action of a moderator, through its service."""
        game = self._game(request, pk, change=True)
        here = reverse("admin:games_game_change", args=[pk])
        if request.method != "POST" or action not in desk.ACTIONS:
            return redirect(here)
        form = desk.ActionForm(action, game, request.POST)
        if form.is_valid():
            try:
                desk.act(action, game, by=_person(request), **form.cleaned_data)
            except services.ServiceError as refusal:
                form.add_error(None, refusal.text)
            else:
                said = f"{desk.ACTIONS[action].label}: {form.cleaned_data['reason']}"
                _write_down(request, game, said)
                messages.success(request, _("Done: %(what)s") % {"what": said})
                return redirect(here)
        return self._desk(request, game, form)

    def reveal(self, request: HttpRequest, pk: int) -> HttpResponse:
        """POST: the page with everything secret on it; who pressed the button is written down."""
        game = self._game(request, pk, change=True)
        if request.method != "POST":
            return redirect(reverse("admin:games_game_change", args=[pk]))
        _write_down(request, game, _("Looked at the secrets of the game."))
        return self._desk(request, game, reveal=True)


def _is_moderator(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.is_staff


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


def _write_down(request: HttpRequest, game: Game, message: str) -> None:
    LogEntry.objects.create(
        user_id=_person(request).pk,
        content_type=ContentType.objects.get_for_model(game),
        object_id=str(game.pk),
        object_repr=str(game)[:200],
        action_flag=CHANGE,
        change_message=message,
    )


@admin.register(OutboxMail)
class OutboxMailAdmin(ReadOnly):
    """Mails with their state and what the other server said; dead ones can be tried again."""

    list_display = ("kind", "to_address", "game", "state", "attempts", "short_error", "created_at")
    list_filter = ("state", "kind")
    search_fields = ("to_address", "message_id", "game__name", "game__public_id")
    list_select_related = ("game",)
    ordering = ("-created_at",)
    actions = ("try_again",)
    # The context of a mail may hold a sign-in code or a reason not meant for this page.
    hidden = ("context", "lease_token", "dedupe_key")

    @admin.display(description=gettext_lazy("error"))
    def short_error(self, mail: OutboxMail) -> str:
        return mail.error[:80]

    @admin.action(description=gettext_lazy("Try again now"), permissions=["change"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[OutboxMail]) -> None:
        count = services.mails_retry(
            ids=list(queryset.values_list("pk", flat=True)), by=_person(request)
        )
        messages.info(
            request,
            ngettext(
                "%(count)s mail will be tried again.", "%(count)s mails will be tried again.", count
            )
            % {"count": count},
        )


@admin.register(InboundMail)
class InboundMailAdmin(ReadOnly):
    """Replies: what was read in them, whether their sender was believed, what became of them."""

    list_display = ("received_at", "user", "game", "line", "verdict", "authentic", "door", "state")
    list_filter = ("state", "verdict", "authentic", "door")
    search_fields = ("user__email", "message_id", "game__name", "game__public_id")
    list_select_related = ("game", "user")
    ordering = ("-received_at",)
    # The mail itself is between its writer and the game; its address is a key to the seat.
    hidden = ("raw", "key", "recipient", "sender")


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
    filter_horizontal = ("user_permissions",)

    @admin.display(description=gettext_lazy("mails arrive"), boolean=True)
    def arrives(self, user: User) -> bool:
        return not user.mail_stopped

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Only a superuser may hand out rights."""
        if _person(request).is_superuser:
            return self.readonly_fields
        return (*self.readonly_fields, "email", "is_staff", "is_superuser", "user_permissions")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # people come by signing in


@admin.register(Invitation)
class InvitationAdmin(ReadOnly):
    """Chairs offered by mail."""

    list_display = ("address", "game", "invited_by", "created_at", "answer", "answered_at")
    list_filter = ("answer",)
    search_fields = ("address", "game__name")
    list_select_related = ("game", "invited_by")
    hidden = ("token",)


@admin.register(TableNote)
class TableNoteAdmin(ReadOnly):
    """Words that players left with their moves; an unkind one can be deleted."""

    list_display = ("text", "game", "seat", "at")
    search_fields = ("text", "game__name")
    list_select_related = ("game",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_moderator(request)
