"""Pages besides the games: home, rules, settings, about, and the CSRF failure page."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import select_template
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import activate
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games import selectors, services
from games.mail import push
from games.models import RESTRICTING, Action, Rule, User, name_at
from games.rules import GAMES
from games.translate import join_names, say

from . import boards, sign_in
from .boards import example_board
from .decorators import (
    SignedInRequest,
    discard_saved_form,
    form_page,
    login_required_keep_form,
    post_action,
    saved_form,
)
from .forms import NameForm, SettingsForm, TableFilterForm, error_text
from .players import player_url
from .presenters import is_newcomer, seat_rows


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The reader's games, those that wait for them first; for visitors the welcome page."""
    user = request.user
    if not isinstance(user, User):
        context: dict[str, Any] = {
            "stamp": selectors.stamp_of(selectors.home_topics(user)),
            "open_tables": cards(selectors.open_tables(user)),
            "games": _games(),
        }
        return render(request, "games/welcome.html", context)
    stamp = selectors.stamp_of(selectors.home_topics(user))  # before what it sums up is read
    lists = selectors.home(user, everything="all" in request.GET)
    invited = [row for _invitation, row in lists.invitations]
    context = {
        "stamp": stamp,
        "invitations": [
            {
                **card,
                "invitation": invitation,
                "inviter": name_at(row.game.seat_list, invitation.invited_by),
            }
            for card, (invitation, row) in zip(cards(invited), lists.invitations, strict=True)
        ],
        "waiting_games": cards(lists.waiting, mine=True),
        "more_waiting": lists.more_waiting,
        "others": cards((*lists.others, *lists.gathering)),
        "more_others": lists.more_others,
        "running": any(row.turn for row in lists.others),
        "finished": cards(lists.finished),
        "open_tables": cards(lists.open_tables),
        "games": [(key, say(engine.title)) for key, engine in GAMES.items()],
    }
    context["takes_part"] = any(context[name] for name in ("waiting_games", "others", "finished"))
    return render(request, "games/home.html", context)


def cards(rows: Iterable[selectors.GameRow], *, mine: bool = False) -> list[dict[str, object]]:
    """The rows of a list as its template takes them."""
    return [
        {
            "game": row.game,
            "title": row.title,
            "rows": seat_rows(row.game, row.game.seat_list, None, row.resigned),
            "mine": mine,
            "seat": row.seat,
            "due_at": row.due_at,
            "overdue": row.overdue,
            "last": row.last,
            "unread": row.unread,
            "winners": row.winners,
            "winner_names": join_names(row.winners),
            "miniature": boards.miniature_url(row.game) if row.game.started_at else None,
        }
        for row in rows
    ]


@require_safe
def tables(request: HttpRequest) -> HttpResponse:
    """Show tables that look for players, and public games to watch, with filters."""
    form = TableFilterForm(request.GET)
    wanted = form.wanted()
    rows, before = selectors.tables(request.user, wanted)
    query = request.GET.copy()
    if before is not None:
        query["before"] = before.isoformat()
    context = {
        "form": form,
        "wanted": wanted,
        "stamp": selectors.stamp_of(selectors.tables_topics(rows)),
        "query": request.GET.urlencode(),
        "cards": cards(rows),
        "later": f"?{query.urlencode()}" if before is not None else None,
        "is_first": wanted.before is None,
    }
    return render(request, "games/tables.html", context)


def _games() -> list[dict[str, object]]:
    """The games for people who do not know them."""
    return [
        {
            "kind": key,
            "title": say(engine.title),
            "summary": say(engine.summary),
            "least": min(engine.seats),
            "most": max(engine.seats),
            "turns": engine.turns,
            "board": example_board(key, prefix=f"{key}-"),
        }
        for key, engine in GAMES.items()
    ]


@require_safe
def rules_index(request: HttpRequest) -> HttpResponse:
    """The list of games with rules; redirects where there is only one."""
    if len(GAMES) == 1:
        return redirect("rules", next(iter(GAMES)))
    return render(request, "games/rules_index.html", {"games": _games()})


@require_safe
def rules(request: HttpRequest, kind: str) -> HttpResponse:
    """The rules of one game; its notation where nobody has written a page of rules."""
    engine = GAMES.get(kind)
    if engine is None:
        raise Http404
    template = select_template([f"games/rules/{kind}.html", "games/rules/any.html"])
    context = {
        "engine": engine,
        "game_title": say(engine.title),
        "board": partial(example_board, kind),  # called by the templates that show one
    }
    return HttpResponse(template.render(context, request))


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """The page about the service and the data it keeps."""
    return render(request, "games/about.html")


@require_safe
def conduct(request: HttpRequest) -> HttpResponse:
    """The rules of conduct, and what moderators do."""
    actions = [(action.label, action in RESTRICTING) for action in Action]
    return render(request, "games/conduct.html", {"rules": Rule.labels, "actions": actions})


@login_required_keep_form
@form_page
def settings(request: SignedInRequest) -> HttpResponse:
    """Display name, time zone, language and hints, and links to the account's other pages."""
    user = request.user
    data = request.POST if request.method == "POST" else saved_form(request)
    form = SettingsForm(
        data,
        initial={
            "display_name": user.shown_name,
            "time_zone": user.time_zone,
            "language": user.language,
            "wants_hints": user.wants_hints,
        },
    )
    if not is_newcomer(user):
        del form.fields["wants_hints"]
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data.pop("wants_hints", None)
        try:
            services.person_update(user=user, **form.cleaned_data)
            if wanted is not None:
                services.person_hints_switch(user=user, wanted=wanted)
        except services.ServiceError as error:
            form.add_error("display_name", error.text)
        else:
            discard_saved_form(request)
            activate(user.language)
            messages.success(request, _("Settings saved."))
            return redirect("settings")
    context = {
        "form": form,
        "profile_url": player_url(user),
        "push_key": push.public_key(),
        "push_count": user.push_devices.count(),
    }
    return render(request, "games/settings.html", context)


@post_action
def no_more_hints(request: SignedInRequest, public_id: str) -> HttpResponse:
    """Show no more hints to this person, who answers a question at this table."""
    services.person_hints_switch(user=request.user, wanted=False)
    query = request.META.get("QUERY_STRING", "")
    return redirect(reverse("game", args=[public_id]) + (f"?{query}" if query else "") + "#orders")


@form_page
def name(request: HttpRequest) -> HttpResponse:
    """POST: the display name of a new player, and the browser's time zone if it reported one.

    An invalid name is asked for again on a page of its own.
    """
    user = request.user
    if request.method != "POST":
        return redirect("home")
    if not isinstance(user, User):
        return redirect_to_login(reverse("home"))
    form, target = NameForm(request.POST), _safe_target(request, request.POST.get("next", ""))
    if form.is_valid():
        try:
            services.person_update(
                user=user,
                display_name=form.cleaned_data["display_name"],
                time_zone=form.cleaned_data["time_zone"] or user.time_zone,
                language=user.language,
            )
        except services.ServiceError as error:
            form.add_error("display_name", error.text)
        else:
            return redirect(target)
    context = {"name_form": form, "errors": error_text(form), "next": target}
    return render(request, "games/name.html", context, status=422)


def _safe_target(request: HttpRequest, target: str) -> str:
    """The target if it is a page of this site, else home."""
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure())
    return target if safe and target else reverse("home")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose token is too old, or a browser without cookies."""
    return render(request, "403_csrf.html", status=403)


@post_action
def push_devices(request: SignedInRequest) -> HttpResponse:
    """POST from push.js: do=on with the address and keys that the browser got, or do=off."""
    user, sent = request.user, request.POST
    try:
        match sent.get("do"):
            case "on":
                request.session[sign_in.PUSH_DEVICE] = services.device_add(
                    user=user,
                    endpoint=sent.get("endpoint", ""),
                    p256dh=sent.get("p256dh", ""),
                    auth=sent.get("auth", ""),
                )
                messages.success(
                    request, _("This device shows a notification when it is your turn.")
                )
            case "off":
                services.device_remove(user=user, endpoint=sent.get("endpoint", ""))
                messages.success(request, _("This device no longer shows notifications."))
            case "none":
                services.devices_remove(user=user)
                messages.success(request, _("Your devices no longer show notifications."))
    except services.ServiceError as error:
        messages.error(request, error.text)
    return redirect("settings")
