"""Games, invitations and messages at tables."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.db.models import Exists, OuterRef, Prefetch, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import services
from games.models import Game, Invitation, Message, Seat, User, database_clock, seat_names
from games.moderation import consequences, game_page
from games.moderation.admin_site import games_found, moderation_site
from games.moderation.base import (
    DeletedForAReason,
    ListWithoutOwnGames,
    ReadOnly,
    RevealForm,
    messages_for,
    moderator,
)
from games.moderation.table import ModeratedTable
from games.rules import GAMES
from games.services.account_moderation import SUSPEND
from games.templatetags.when import relative, zoned
from games.translate import say
from games.web.decorators import carry_out, discard_saved_form, save_form, saved_form


class DeadlineFilter(admin.SimpleListFilter):
    """Games with a deadline that has passed, or passes within a day."""

    title = gettext_lazy("deadline")
    parameter_name = "late"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("overdue")), ("day", _("within a day"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        now = timezone.now()
        match self.value():
            case "yes":
                return queryset.filter(Exists(_seats(due_at__lt=now)))
            case "day":
                soon = (now, now + timedelta(days=1))
                return queryset.filter(Exists(_seats(due_at__range=soon)))
        return queryset


def _seats(**lookups: Any) -> QuerySet[Seat]:
    """The matching seats of the outer query's game, as a subquery."""
    return Seat.objects.filter(game=OuterRef("pk"), **lookups)


class GameKindFilter(admin.SimpleListFilter):
    """Games of one kind, listed by title."""

    title = gettext_lazy("game type")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(key, say(engine.title)) for key, engine in GAMES.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(kind=self.value()) if self.value() else queryset


@admin.register(Game, site=moderation_site)
class GameAdmin(ReadOnly):
    """The list of games; the page of each one is built in game_page."""

    list_display = ("name", "title", "state", "whose_turn", "since", "deadline", "last_event")
    list_filter = ("status", GameKindFilter, DeadlineFilter, "pace_days")
    search_fields = ("name",)  # see get_search_results
    ordering = ("-last_event_at",)
    list_per_page = 50
    hidden = ("seed", "invite_token")

    def get_queryset(self, request: HttpRequest) -> Any:  # annotated with first_due and asked_since
        seats = Prefetch("seats", Seat.objects.select_related("user").order_by("number"))
        # PostgreSQL evaluates these for the rows of one page only, unless the list is sorted by
        # them.
        due = _seats(due_at__isnull=False).order_by("due_at").values("due_at")[:1]
        asked = _seats(asked_at__isnull=False).order_by("asked_at").values("asked_at")[:1]
        games = super().get_queryset(request).defer("seed")
        return games.annotate(
            first_due=Subquery(due), asked_since=Subquery(asked)
        ).prefetch_related(seats)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """As the search of the first page, and the tables of people whose names begin so."""
        if not search_term:
            return queryset, False
        return queryset.filter(pk__in=games_found(moderator(request), search_term)), False

    @admin.display(description=gettext_lazy("game type"), ordering="kind")
    def title(self, game: Game) -> str:
        return say(GAMES[game.kind].title)

    @admin.display(description=gettext_lazy("status"), ordering="status")
    def state(self, game: Game) -> str:
        return game.get_status_display()

    @admin.display(description=gettext_lazy("to move"))
    def whose_turn(self, game: Game) -> str:
        seats = list(game.seats.all())  # prefetched
        names = seat_names(seats)
        return ", ".join(names[seat.number] for seat in seats if seat.asked_seq is not None)

    @admin.display(description=gettext_lazy("turn started"), ordering="asked_since")
    def since(self, game: Any) -> str:
        return relative(game.asked_since) if game.asked_since else ""

    @admin.display(description=gettext_lazy("deadline"), ordering="first_due")
    def deadline(self, game: Any) -> str:
        if not game.first_due:
            return ""
        if game.first_due < timezone.now():
            return format_html("<strong>{}</strong>", _("overdue"))
        return zoned(game.first_due)

    @admin.display(description=gettext_lazy("last event"), ordering="last_event_at")
    def last_event(self, game: Game) -> str:
        return relative(game.last_event_at)

    # -- the page of one game ----------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<int:pk>/act/<slug:name>/", wrap(self.act), name="games_game_act"),
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
        game = self.get_object(request, unquote(object_id))
        if game is None:  # there is none with this number, or it is no number
            raise Http404
        return self._page(request, game)

    def act(self, request: HttpRequest, pk: int, name: str) -> HttpResponse:
        """POST: carry out one action through its service, after showing what it will do."""
        game = get_object_or_404(Game, pk=pk)
        if request.method != "POST" or name not in game_page.ACTIONS:
            return redirect("admin:games_game_change", pk)
        table = ModeratedTable.of(game)
        form = game_page.ActionForm(name, table, request.POST)
        if not form.is_valid():
            return self._page(request, game, form)
        act = partial(form.action.service, game_id=pk, by=moderator(request), **form.cleaned_data)
        try:
            if request.POST.get("confirmed") != str(table.log.version):
                return self._ask(request, table, form, act)
            act(version=table.log.version)
        except services.GameMoved:
            return self._ask(request, ModeratedTable.of(game), form, act)
        except services.ServiceError as error:
            form.add_error(None, error.text)
            return self._page(request, game, form)
        done = f"{form.action.label}: {form.cleaned_data['reason']}"
        discard_saved_form(request)
        messages.success(request, _("Done: %(what)s") % {"what": done})
        return redirect("admin:games_game_change", pk)

    def _ask(
        self,
        request: HttpRequest,
        table: ModeratedTable,
        form: game_page.ActionForm,
        act: Callable[[], object],
    ) -> HttpResponse:
        """The effects of the action, with a button that confirms it. ServiceError if it is
        refused."""
        then = services.dry_run(table.game.pk, act)
        page = reverse("admin:games_game_change", args=[table.game.pk])
        save_form(request, page)  # so that nothing is lost on the way back
        notes = form.action.notes(table, form.cleaned_data)
        context = {
            "game": table.game,
            "game_page": page,
            "form": form,
            "version": table.log.version,
            "moved": "confirmed" in request.POST,  # since it was shown before
            "will": consequences.of(table, then, notes),
        }
        return self.page(request, "confirm.html", str(form.action.label), **context)

    def reveal(self, request: HttpRequest, pk: int) -> HttpResponse:
        """POST: the page with all secrets; records who looked and why."""
        game = get_object_or_404(Game, pk=pk)
        if request.method != "POST":
            return redirect("admin:games_game_change", pk)
        form = RevealForm(request.POST)
        if carry_out(form, services.moderate_reveal, game_id=pk, by=moderator(request)):
            discard_saved_form(request)
            return self._page(request, game, reveal=True)
        return self._page(request, game, reveal_form=form)

    def _page(
        self,
        request: HttpRequest,
        game: Game,
        form: game_page.ActionForm | None = None,
        *,
        reveal: bool = False,
        reveal_form: RevealForm | None = None,
    ) -> HttpResponse:
        table, saved = ModeratedTable.of(game, reveal=reveal), saved_form(request)
        by = moderator(request)
        involvement = services.involvement(table.log, table.seats, by, database_clock.now())
        offered = game_page.action_forms(
            table, involvement, alone=services.is_alone(game, by), bound=form, saved=saved
        )
        shown = [form, *offered] if form is not None else offered
        context = {
            **game_page.page_context(table, by),
            "involvement": involvement,
            "sees_users": by.has_perm("games.view_user"),
            "judges_people": services.has_right(by, SUSPEND),
            "reveal_form": reveal_form or RevealForm(saved=saved),
            "forms": offered,
            "shared_fields": shown[0].shared_fields if shown else (),
            "media": self.media,
            "opened": request.GET.get("act"),
        }
        return self.page(request, "moderation.html", game.name, **context)


@admin.register(Invitation, site=moderation_site)
class InvitationAdmin(ReadOnly):
    """Invitations by email."""

    list_display = ("address", "game", "invited_by", "created_at", "answer", "answered_at")
    list_filter = ("answer",)
    search_fields = ("address", "game__name")
    list_select_related = ("game", "invited_by")
    hidden = ("token",)


@admin.register(Message, site=moderation_site)
class MessageAdmin(DeletedForAReason, ListWithoutOwnGames):
    """What players wrote to each other. One that is deleted here stays readable here."""

    list_display = ("text", "game", "author", "seat", "at", "state")
    search_fields = ("text", "game__name")
    list_select_related = ("game", "author")
    hidden = ("readers", "unsent")
    readonly_fields = ("author_actions",)

    @admin.display(description=gettext_lazy("author"))
    def author_actions(self, message: Message) -> str:
        """The page about its author."""
        url = reverse("admin:games_user_conduct", args=[message.author_id])
        return format_html('<a href="{}">{}</a>', url, _("Warn or suspend"))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Not where they play themselves."""
        if obj is not None and obj.game.seats.filter(user=moderator(request)).exists():
            return False
        return super().has_delete_permission(request, obj)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        return messages_for(moderator(request), super().get_queryset(request))

    def remove(self, by: User, obj: Message, *, reason: str, rule: str) -> None:
        services.message_remove(message_id=obj.pk, by=by, reason=reason, rule=rule)
