"""The read-only base classes of all model admins.

Their lists leave out the replies at running games in which the moderator plays. Replies are
private: nobody else at the table knows that an opponent wrote an illegal move, or asked whether to
resign. An administrator who has announced to moderate their own game sees it all.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.template.defaultfilters import linebreaksbr
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import services
from games.mail.kinds.moderation import REPORT, judged
from games.models import (
    Action,
    Decision,
    Game,
    InboundMail,
    Message,
    OutboxMail,
    QuotaUse,
    Report,
    Seat,
    User,
    database_clock,
)
from games.services.moderators import has_right
from games.services.quota_subjects import Scope
from games.services.quotas import REGISTRY
from games.templatetags.when import zoned

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
else:  # ModelAdmin is generic in the stubs only
    Admin = admin.ModelAdmin


class TitledList(Admin):
    """A list that has the model's name as title and is filtered by its own filters only."""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Title the list with the model's name instead of "Select … to change"."""
        title = {"title": capfirst(self.opts.verbose_name_plural)}
        return super().changelist_view(request, {**title, **(extra_context or {})})

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Title the page of a row likewise: Django's "View …" does not fit each noun."""
        title = {"title": capfirst(self.opts.verbose_name)}
        context = {**title, **(extra_context or {})}
        return super().changeform_view(request, object_id, form_url, context)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Allow only what the filters beside and above the list ask for. Django allows every field
        of the model; the number of rows would then give away what the list hides, letter by
        letter."""
        parts = ("year", "month", "day", "gte", "lt")  # the last two: without the filters beside
        dates = (f"{self.date_hierarchy}__{part}" for part in parts)
        named = map(_parameter, self.list_filter)
        return lookup in dates or lookup.partition(LOOKUP_SEP)[0] in named

    def get_search_fields(self, request: HttpRequest) -> list[str]:
        """Leave out addresses for those who may not see people."""
        fields = list(super().get_search_fields(request))
        if has_right(moderator(request), "view_user"):
            return fields
        return [name for name in fields if not name.endswith(("address", "email"))]

    def page(
        self, request: HttpRequest, template: str, title: str, **context: Any
    ) -> TemplateResponse:
        """Return a page of our own among those of this model. template: its path, or its name in
        the folder of the model."""
        own = {"opts": self.opts, "title": title, **context}
        context = self.admin_site.each_context(request) | own
        path = template if "/" in template else f"admin/games/{self.opts.model_name}/{template}"
        return TemplateResponse(request, path, context)

    def get_action_choices(self, request: HttpRequest, default_choices: Any = ()) -> Any:
        """Leave out the empty choice: each list has one action."""
        return super().get_action_choices(request, [])

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the decisions about this row: Django's own history is not kept, because it can be
        deleted."""
        name = str(self.opts.model_name)
        known = {"game": object_id, "user": object_id}
        key = {"game": "table", "user": "person"}.get(name, "about")
        query = urlencode({key: known.get(name, f"{name} {object_id}")})
        return redirect(f"{reverse('admin:games_decision_changelist')}?{query}")

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Log nothing: services write decisions."""

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Log nothing: services write decisions."""


def _parameter(offered: Any) -> str:
    """The name in the URL, without lookup, of an entry of `list_filter`."""
    field = offered[0] if isinstance(offered, tuple) else offered
    return field if isinstance(field, str) else str(field.parameter_name)


class ReadOnly(TitledList):
    """Rows that staff with the permission may view and nobody may edit. hidden: fields never
    shown."""

    hidden: tuple[str, ...] = ()

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Return whether this member of staff may use the actions on these rows."""
        return has_right(moderator(request), f"change_{self.opts.model_name}")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return self.hidden


class LinkedFilter(admin.SimpleListFilter):
    """Rows about one thing, to which a link leads; shown only where it is used."""

    field: str

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        value = self.value()
        return [(value, self.named(request, value))] if value else []

    def named(self, request: HttpRequest, value: str) -> str:
        """The thing, as the list names it."""
        return value

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        if not value:
            return queryset
        if self.field != "message" and not (value.isascii() and value.isdecimal()):
            return queryset.none()
        return queryset.filter(**{self.field: value[:40]})


class TableFilter(LinkedFilter):
    """Rows about one table."""

    title, parameter_name, field = gettext_lazy("table"), "table", "game"

    def named(self, request: HttpRequest, value: str) -> str:
        return name_of(Game, value)


def name_of(model: type[Game] | type[User], value: str) -> str:
    """Return the name of a row with this key, as an address has it; the key without such a row."""
    found = model._default_manager.filter(pk=value).first() if value.isdecimal() else None
    return str(found or value)


class RevealForm(forms.Form):
    """Asks why somebody must see what is hidden."""

    prefix = "reveal"
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("Your reason is recorded with your name."),
        max_length=300,
    )

    def __init__(self, data: Any = None, *, saved: QueryDict | None = None) -> None:
        """saved: a form that was submitted after the session had expired."""
        typed = saved.get("reveal-reason", "") if saved is not None else ""
        super().__init__(data, initial={"reason": typed}, label_suffix="")


def ruled(service: Callable[..., object], by: User) -> Callable[..., object]:
    """Return the service as forms call it, whose reason is a value of its own."""

    def call(*, reason: str, **known: object) -> object:
        return service(ruling=services.Ruling(by, reason), **known)

    return call


def moderator(request: HttpRequest) -> User:
    """The signed-in staff member."""
    assert isinstance(request.user, User)
    return request.user


class ListWithoutOwnGames(ReadOnly):
    """A list that leaves out rows about games in which the reader plays, and says so, whether or
    not there are such rows."""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if request.method == "GET" and _kept_from(moderator(request)):
            messages.info(
                request,
                _(
                    "You play in running games. What concerns the other players of these games is not "
                    "listed until the game is over."
                ),
            )
        return super().changelist_view(request, extra_context)


def judged_lines(decision: Decision) -> list[str]:
    """Return what the decision judges, each message with a link to it."""
    found: list[str] = []
    for sentence, key in judged(decision, zoned):
        words = linebreaksbr(sentence)
        if key is not None:
            url = reverse("admin:games_message_change", args=[key])
            words = format_html('<a href="{}">{}</a>', url, words)
        found.append(words)
    return found


def is_kept_from(by: User, game: Game) -> bool:
    """Return whether rows about this game are left out."""
    return game.pk in _kept_from(by)


def _kept_from(by: User) -> set[int]:
    return services.games_kept_from(by, database_clock.now())


def decisions_for(by: User, decisions: QuerySet[Decision]) -> QuerySet[Decision]:
    """Leave out reveals of these games, and what was done with opponents' replies."""
    if not (games := _kept_from(by)):
        return decisions
    looks = Q(action__in=(Action.REVEAL, Action.READ_REPLY, Action.RETRY_REPLY))
    opponents = Seat.objects.filter(game__in=games, user__isnull=False).exclude(user=by)
    theirs = Q(game__in=games) | Q(person__in=opponents.values("user"))
    return decisions.exclude(looks & theirs & ~Q(by=by))


def replies_for(by: User, mails: QuerySet[InboundMail]) -> QuerySet[InboundMail]:
    """Leave out replies of others about these games."""
    return mails.filter(~Q(game__in=_kept_from(by)) | Q(user=by))


def emails_for(by: User, mails: QuerySet[OutboxMail]) -> QuerySet[OutboxMail]:
    """Leave out emails to others about these games, because an answer may take the place of any of
    them, and news of reports that this moderator may not see."""
    seen = services.reports_for(by).values_list("pk", flat=True)
    unseen = Report.objects.exclude(pk__in=seen).exclude(reporter=by)
    hidden = Q(kind=REPORT.name, context__report__in=list(unseen.values_list("pk", flat=True)))
    return mails.filter(~Q(game__in=_kept_from(by)) | Q(user=by)).exclude(hidden)


def messages_for(by: User, messages: QuerySet[Message]) -> QuerySet[Message]:
    """Leave out messages at tables where this moderator plays, or that are kept from them."""
    return messages.exclude(game__seats__user=by).exclude(game__in=_kept_from(by))


def limits_for(by: User, uses: QuerySet[QuotaUse]) -> QuerySet[QuotaUse]:
    """Leave out limits that others exceeded in these games, by replies or plans."""
    if not (games := _kept_from(by)):
        return uses
    of_seats = [name for name, quota in REGISTRY.items() if quota.scope == Scope.SEAT]
    theirs = Q(quota__in=of_seats, subject__regex=f"^({'|'.join(map(str, games))}):")
    return uses.filter(~theirs | Q(subject__endswith=f":{by.pk}"))
