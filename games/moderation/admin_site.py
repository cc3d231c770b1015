"""The admin site: only for staff with a second factor, and without Django's password pages.

It is a site of its own, not Django's default one, so that it shows only the models that are
registered here. The search of its first page finds a table, a person or an email, each by an index:
addresses only for those who may see people, and emails as their lists show them to a
moderator who plays.
"""

import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

from allauth.account.utils import get_next_redirect_url
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.db.models.functions import Collate, Lower
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.models import Game, InboundMail, OutboxMail, Seat, User, database_clock
from games.moderation import attention, base
from games.moderation.base import moderator
from games.operations import report
from games.services import has_right
from games.services.account_moderation import SUSPEND
from games.web import second_factor
from games.web.decorators import save_form

MOST = 20  # of each kind that the search finds
MOST_GAMES = 200  # of people whose names begin so
LINK = re.compile(r"/g/([a-z2-7]{12})\b")

_View = TypeVar("_View", bound=Callable[..., HttpResponseBase])

# The page with the form of this URL, where it is not that for changes of the object.
FORM_PAGES = {"games_user_act": "games_user_conduct"}


class ModerationSite(admin.AdminSite):
    """The admin, for staff who have used a second factor lately."""

    site_header = gettext_lazy("Atlantis by Mail moderation")
    site_title = gettext_lazy("Moderation")
    index_title = gettext_lazy("Games, users and emails")
    enable_nav_sidebar = False  # The index page lists the models; tables need the width.

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and second_factor.was_used(request)

    def get_urls(self) -> list[Any]:
        """Leave out the pages about passwords: nobody has one."""
        urls: list[URLPattern | URLResolver] = super().get_urls()
        own = path("search/", self.admin_view(require_safe(self.search)), name="search")
        return [own, *(url for url in urls if not _is_about_passwords(url))]

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Add what `manage.py check_site` finds without a look from outside, what needs attention,
        and a search.

        A moderator who plays does not see whether emails of opponents come in.
        """
        by, now = moderator(request), database_clock.now()
        found = report.look_inside(now, replies=not attention.plays(by))
        more = {
            "failures": report.failures(found),
            "findings": found,
            "attention": attention.open_now(by, now),
            "search": SearchForm(label_suffix=""),
        }
        return super().index(request, {**more, **(extra_context or {})})

    def search(self, request: HttpRequest) -> HttpResponse:
        """Show search results; redirect to a single one."""
        form = SearchForm(request.GET, label_suffix="")
        term = form.cleaned_data["q"] if form.is_valid() else ""
        hits = search_hits(moderator(request), term) if term else []
        if len(hits) == 1:
            return redirect(hits[0].url)
        context = {**self.each_context(request), "title": _("Search"), "search": form, "hits": hits}
        return TemplateResponse(request, "admin/search.html", context)

    @method_decorator(never_cache)
    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect to the missing sign-in step: sign-in, second factor, or its code."""
        url = get_next_redirect_url(request) or reverse("admin:index")
        if not request.user.is_authenticated:
            return redirect_to_login(url)
        if not (request.user.is_staff and request.user.is_active):
            raise PermissionDenied
        if not second_factor.is_enrolled(request):
            messages.warning(
                request,
                _(
                    "Moderators need a second factor. Connect an authenticator app here, then "
                    "open Moderation again."
                ),
            )
            return redirect("mfa_activate_totp")
        if not second_factor.was_used(request):
            return redirect_to_login(url, reverse("mfa_reauthenticate"))
        return HttpResponseRedirect(url)

    def admin_view(self, view: _View, cacheable: bool = False) -> _View:
        """Save a form that was submitted after the session expired."""
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def saving(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method == "POST" and not self.has_permission(request):
                _save(request)
            return inner(request, *args, **kwargs)

        return cast("_View", saving)


def _save(request: HttpRequest) -> None:
    """Save the form of an action for after a sign-in, when the page of its object shows it "
    "again."""
    match = request.resolver_match
    if match is None or match.url_name is None:
        return
    model, _underscore, what = match.url_name.rpartition("_")
    if what in ("act", "reveal"):
        page = FORM_PAGES.get(match.url_name, f"{model}_change")
        save_form(request, reverse(f"admin:{page}", args=[match.kwargs["pk"]]))


def _is_about_passwords(url: URLPattern | URLResolver) -> bool:
    return isinstance(url, URLPattern) and str(url.name).startswith("password_")


class SearchForm(forms.Form):
    """A form with a single box."""

    q = forms.CharField(
        label=gettext_lazy("Search"),
        max_length=320,
        help_text=gettext_lazy(
            "A table by its id, its link or the beginning of its name; a player by the beginning "
            "of the name or, for administrators, of the address; an email by its Message-ID."
        ),
        widget=forms.TextInput({"type": "search"}),
    )


class Hit(NamedTuple):
    """One thing that was found. kind: a table, a person or an email, in words."""

    kind: str
    name: str
    more: str
    url: str


def search_hits(by: User, term: str) -> list[Hit]:
    """Return what matches the words and this member of staff may see, at most MOST of each kind."""
    return [*_tables(by, term), *_people(by, term), *_emails(by, term)]


def tables_found(term: str) -> QuerySet[Game]:
    """Return the table with this id or link; else those whose names begin with the term, by
    name."""
    link = LINK.search(term)
    games = Game.objects.defer("seed")
    exact = games.filter(public_id=link[1] if link else term.lower())
    if link or (len(term) == 12 and exact.exists()):
        return exact
    return _beginning(games, "name", term)


def games_found(by: User, term: str) -> list[int]:
    """The tables (pk) that the list of games shows for these words: also those of people, to those
    who may see people."""
    found = list(tables_found(term).values_list("pk", flat=True)[:MOST_GAMES])
    for field in _person_fields(by):
        keys = list(_beginning(User.objects.all(), field, term).values_list("pk", flat=True)[:MOST])
        seats = Seat.objects.filter(user__in=keys).order_by("-game")
        found += seats.values_list("game", flat=True)[:MOST_GAMES]
    return found


def _person_fields(by: User) -> list[str]:
    """Return the fields in which this moderator searches for people: names, and addresses if they
    may see them."""
    allowed = {"display_name": SUSPEND, "email": "view_user"}
    return [field for field, right in allowed.items() if has_right(by, right)]


def _beginning(rows: QuerySet[Any], field: str, term: str) -> QuerySet[Any]:
    """Return the rows whose field begins like this, in any case. The order is that of the field's
    index, so PostgreSQL reads no more rows than asked for."""
    key = Collate(Lower(field), "C")
    found: QuerySet[Any] = rows.alias(key=key).filter(key__startswith=term.lower())
    return found.order_by("key")


def _tables(by: User, term: str) -> Iterator[Hit]:
    if has_right(by, "view_game"):
        for game in tables_found(term)[:MOST]:
            url = reverse("admin:games_game_change", args=[game.pk])
            yield Hit(_("table"), game.name, game.get_status_display(), url)


def _people(by: User, term: str) -> Iterator[Hit]:
    found = {
        user.pk: user
        for field in _person_fields(by)
        for user in _beginning(User.objects.all(), field, term)[:MOST]
    }
    sees_addresses = has_right(by, "view_user")
    for pk, user in list(found.items())[:MOST]:
        url = reverse("admin:games_user_conduct", args=[pk])
        yield Hit(_("player"), user.name, user.email if sees_addresses else "", url)


def _emails(by: User, term: str) -> Iterator[Hit]:
    if "@" not in term:
        return
    word = f"<{term.strip('<>')}>"
    if has_right(by, "view_outboxmail"):
        for sent in base.emails_for(by, OutboxMail.objects.filter(message_id=word)):
            url = reverse("admin:games_outboxmail_change", args=[sent.pk])
            yield Hit(_("outgoing email"), str(sent), sent.get_state_display(), url)
    if has_right(by, "view_inboundmail"):
        found = InboundMail.objects.filter(message_id=word, message_id__gt="")
        for came in base.replies_for(by, found)[:MOST]:
            url = reverse("admin:games_inboundmail_change", args=[came.pk])
            yield Hit(_("incoming email"), str(came), came.get_state_display(), url)


moderation_site = ModerationSite(name="admin")
