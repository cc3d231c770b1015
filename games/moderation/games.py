"""Games, invitations and messages at tables."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Prefetch, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import services
from games.models import Game, Invitation, Message, Seat, User, seat_names
from games.moderation import game_page
from games.moderation.actions import DELETE, ActedOn, ActionForm, ModeratorAction, Subject
from games.moderation.admin_site import games_found, moderation_site
from games.moderation.base import (
    ListWithoutOwnGames,
    ReadOnly,
    RevealForm,
    TableFilter,
    messages_for,
    moderator,
    ruled,
)
from games.moderation.game_page import TableSubject
from games.moderation.table import ModeratedTable
from games.rules import GAMES
from games.services.account_moderation import SUSPEND
from games.templatetags.when import relative, zoned
from games.translate import say
from games.web.decorators import carry_out, discard_saved_form, saved_form


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
class GameAdmin(ActedOn, ReadOnly):
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
        """Search like the first page, and find the tables of people whose names begin with the
        words."""
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
        reveal = self.admin_site.admin_view(self.reveal)
        own = path("<int:pk>/reveal/", reveal, name="games_game_reveal")
        return [own, *super().get_urls()]

    def home(self, pk: int) -> str:
        return reverse("admin:games_game_change", args=[pk])

    after = home

    def subject_of(self, request: HttpRequest, pk: int) -> TableSubject:
        game = get_object_or_404(Game, pk=pk)
        return TableSubject(moderator(request), ModeratedTable.of(game))

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
        return self.forms_page(request, self.subject_of(request, game.pk))

    def reveal(self, request: HttpRequest, pk: int) -> HttpResponse:
        """POST: the page with all secrets; records who looked and why."""
        game = get_object_or_404(Game, pk=pk)
        if request.method != "POST":
            return redirect("admin:games_game_change", pk)
        form, by = RevealForm(request.POST), moderator(request)
        is_revealed = carry_out(form, ruled(services.moderate_reveal, by), game_id=pk)
        if is_revealed:
            discard_saved_form(request)
        subject = TableSubject(by, ModeratedTable.of(game, reveal=is_revealed))
        return self.forms_page(request, subject, reveal_form=None if is_revealed else form)

    def forms_page(
        self,
        request: HttpRequest,
        subject: Subject,
        bound: ActionForm | None = None,
        *,
        reveal_form: RevealForm | None = None,
    ) -> HttpResponse:
        assert isinstance(subject, TableSubject)
        by = subject.by
        context = {
            **game_page.page_context(subject.row, by),
            **self.offered_forms(request, subject, bound),
            "involvement": subject.involvement,
            "sees_users": by.has_perm("games.view_user"),
            "judges_people": services.has_right(by, SUSPEND),
            "reveal_form": reveal_form or RevealForm(saved=saved_form(request)),
            "media": self.media,
        }
        return self.page(request, "moderation.html", subject.name, **context)


@admin.register(Invitation, site=moderation_site)
class InvitationAdmin(ReadOnly):
    """Invitations to tables by email; who is in a circle, or invited as a member, is not shown."""

    list_display = ("masked_address", "game", "invited_by", "created_at", "answer", "answered_at")
    list_filter = ("answer",)
    search_fields = ("address", "game__name")
    list_select_related = ("game", "invited_by")
    readonly_fields = ("masked_address",)
    hidden = ("address", "token")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Invitation]:
        found: QuerySet[Invitation] = super().get_queryset(request)
        return found.filter(game__circle=None, circle=None)

    @admin.display(description=gettext_lazy("address"))
    def masked_address(self, invitation: Invitation) -> str:
        return invitation.masked_address


class MessageSubject(Subject):
    """A message or a note that a moderator may remove. row: a Message."""

    actions: Mapping[str, ModeratorAction] = {
        DELETE: ModeratorAction(
            gettext_lazy("Remove a message"),
            gettext_lazy("Only moderators can still read it. Its author gets an email."),
            services.message_remove,
            "delete_message",
            lambda message: message.state == Message.State.SHOWN,
            notes=lambda message, _values: [
                _("“%(text)s” is removed.") % {"text": message.text},
                _("Only moderators can still read it."),
            ],
        ),
    }
    argument = "message_id"
    row: Message

    @property
    def key(self) -> int:
        return self.pk

    @property
    def person(self) -> User:
        return self.row.author

    @property
    def facts(self) -> list[tuple[str, str]]:
        """The words, who wrote them, when and where."""
        return [
            (_("Message"), self.row.text),
            (_("Author"), self.row.author.name),
            (_("Time"), zoned(self.row.at)),
            (_("Table"), self.row.game.name),
        ]


@admin.register(Message, site=moderation_site)
class MessageAdmin(ActedOn, ListWithoutOwnGames):
    """Messages between players. One that is deleted here stays readable here."""

    list_display = ("text", "game", "author", "seat", "at", "state")
    list_filter = (TableFilter,)
    search_fields = ("text", "game__name")
    list_select_related = ("game", "author")
    hidden = ("readers", "unsent", "author")
    readonly_fields = ("author_actions",)
    actions = None

    @admin.display(description=gettext_lazy("author"))
    def author_actions(self, message: Message) -> str:
        """The name of the author, which leads to the page about them."""
        url = reverse("admin:games_user_conduct", args=[message.author_id])
        return format_html('<a href="{}">{}</a>', url, message.author.name)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse at the moderator's own tables."""
        by = moderator(request)
        if obj is not None and obj.game.seats.filter(user=by).exists():
            return False
        return services.has_right(by, "delete_message")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        return messages_for(moderator(request), super().get_queryset(request))

    def subject_of(self, request: HttpRequest, pk: int) -> MessageSubject:
        message = get_object_or_404(
            self.get_queryset(request).select_related("author", "game"), pk=pk
        )
        if not self.has_delete_permission(request, message):
            raise PermissionDenied
        return MessageSubject(moderator(request), message)
