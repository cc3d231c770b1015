"""Tables at the desk: the list of them, the page of each, chairs offered, words left with moves."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Prefetch, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import services
from games.models import Game, Invitation, Seat, TableNote
from games.moderation import game_page
from games.moderation.base import ReadOnly, is_moderator, person
from games.rules import ENGINES
from games.translate import say


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
                return queryset.filter(Exists(_clocks(due_at__lt=now)))
            case "day":
                soon = (now, now + timedelta(days=1))
                return queryset.filter(Exists(_clocks(due_at__range=soon)))
        return queryset


def _clocks(**when: Any) -> QuerySet[Seat]:
    """The seats of a table whose clocks are like that, for a subquery."""
    return Seat.objects.filter(game=OuterRef("pk"), **when)


class Kind(admin.SimpleListFilter):
    """Tables of one game, under the name that people know."""

    title = gettext_lazy("game")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(key, say(engine.title)) for key, engine in ENGINES.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(kind=self.value()) if self.value() else queryset


@admin.register(Game)
class GameAdmin(ReadOnly):
    """Tables at a glance; a table's own page is its desk (templates/admin/games/game/desk.html)."""

    list_display = ("name", "title", "state", "whose_turn", "since", "deadline", "last_event")
    list_filter = ("status", Kind, Late, "pace_days")
    search_fields = ("name", "public_id", "seats__user__display_name", "seats__user__email")
    ordering = ("-last_event_at",)
    list_per_page = 50
    hidden = ("seed", "invite_token")

    def get_queryset(self, request: HttpRequest) -> Any:  # with first_due and asked_since
        seats = Prefetch("seats", Seat.objects.select_related("user").order_by("number"))
        # Asked for the rows of one page only, unless the list is sorted by them.
        due = _clocks(due_at__isnull=False).order_by("due_at").values("due_at")[:1]
        asked = _clocks(asked_at__isnull=False).order_by("asked_at").values("asked_at")[:1]
        games = super().get_queryset(request).defer("seed")
        return games.annotate(
            first_due=Subquery(due), asked_since=Subquery(asked)
        ).prefetch_related(seats)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Also by the address of a table as it stands in the browser."""
        address = re.search(r"/g/([a-z2-7]{12})\b", search_term)
        return super().get_search_results(request, queryset, address[1] if address else search_term)

    @admin.display(description=gettext_lazy("game"), ordering="kind")
    def title(self, game: Game) -> str:
        return say(ENGINES[game.kind].title)

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
        return _("event %(number)s, %(ago)s ago") % {
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
        self,
        request: HttpRequest,
        game: Game,
        form: game_page.ActionForm | None = None,
        **more: Any,
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            **game_page.page(game, reveal=more.pop("reveal", False)),
            "opts": self.model._meta,
            "title": game.name,
            "forms": game_page.forms_for(game, bound=form),
            "can_act": self.has_change_permission(request, game),
            "media": self.media,
            **more,
        }
        return TemplateResponse(request, "admin/games/game/desk.html", context)

    def act(self, request: HttpRequest, pk: int, action: str) -> HttpResponse:
        """POST: one action of a moderator, through its service."""
        game = self._game(request, pk, change=True)
        here = reverse("admin:games_game_change", args=[pk])
        if request.method != "POST" or action not in game_page.ACTIONS:
            return redirect(here)
        form = game_page.ActionForm(action, game, request.POST)
        if form.is_valid():
            try:
                game_page.act(action, game, by=person(request), **form.cleaned_data)
            except services.ServiceError as refusal:
                form.add_error(None, refusal.text)
            else:
                said = f"{game_page.ACTIONS[action].label}: {form.cleaned_data['reason']}"
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


def _write_down(request: HttpRequest, game: Game, message: str) -> None:
    LogEntry.objects.create(
        user_id=person(request).pk,
        content_type=ContentType.objects.get_for_model(game),
        object_id=str(game.pk),
        object_repr=str(game)[:200],
        action_flag=CHANGE,
        change_message=message,
    )


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
        return is_moderator(request)
