"""The pages around the tables: home, rules, settings, about, and what to say when a form is stale."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import select_template
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import activate, get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from games import selectors, services
from games.models import User
from games.rules import GAMES
from games.rules.chance import SeededChance
from games.translate import say
from games.web.forms import NameForm, SettingsForm, faults

from .decorators import forget, signed_in, typed
from .presenters import listed, rows_of


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The games of the reader, those that wait first; for somebody new what this place is."""
    user = request.user
    if not isinstance(user, User):
        tables = _cards(selectors.open_tables(user))
        welcome = {"open_tables": tables, "board": picture()}
        return render(request, "games/welcome.html", welcome)
    lists = selectors.home(user)
    context: dict[str, Any] = {
        "waiting_games": _cards(lists.waiting, mine=True),
        "others": _cards((*lists.others, *lists.gathering)),
        "running": any(row.turn for row in lists.others),
        "finished": _cards(lists.finished),
        "open_tables": _cards(lists.open_tables),
    }
    return render(request, "games/home.html", context)


def _cards(rows: tuple[selectors.GameRow, ...], *, mine: bool = False) -> list[dict[str, object]]:
    return [
        {
            "game": row.game,
            "title": row.title,
            "rows": rows_of(row.game, list(row.game.seats.all()), None),
            "mine": mine,
            "due_at": row.due_at,
            "overdue": row.overdue,
            "winners": row.winners,
            "winner_names": listed(row.winners),
        }
        for row in rows
    ]


def picture() -> SafeString:
    """A board for those who are new, in the reader's language."""
    return _picture(next(iter(GAMES)), get_language() or "")


@lru_cache(maxsize=8)
def _picture(kind: str, language: str) -> SafeString:
    """A board as it lies in the middle of a game between house bots, always the same one."""
    engine = GAMES[kind]
    events = list(engine.setup({}, 3, SeededChance(b"\0" * 32, 1)))
    state = engine.fold(events)
    last: tuple[object, ...] = ()
    for seq in range(2, 24):
        if engine.rules.outcome(state) is not None:
            break
        seat = engine.rules.to_act(state)[0]
        command = engine.bot.choose(engine.rules.view(state, seat))
        last = engine.rules.decide(state, seat, command, SeededChance(b"\0" * 32, seq))
        state = engine.fold(last, state)
    view = engine.rules.view(state, None)
    # Drawn by the engine from its own shapes: nothing of a person is in it.
    return mark_safe(engine.board_svg(view, recent=last, translate=say))  # noqa: S308


@lru_cache(maxsize=8)
def _middle(kind: str, language: str) -> SafeString:
    """The board half-way through a game between two house bots, always the same one."""
    engine = GAMES[kind]
    chance = SeededChance(b"\0" * 32, 1)
    positions = [engine.fold(engine.setup({}, 2, chance))]
    while engine.rules.outcome(positions[-1]) is None:
        state = positions[-1]
        seat = engine.rules.to_act(state)[0]
        chance = SeededChance(b"\0" * 32, len(positions) + 1)
        command = engine.bot.choose(engine.rules.view(state, seat))
        positions.append(engine.fold(engine.rules.decide(state, seat, command, chance), state))
    view = engine.rules.view(positions[len(positions) // 2], None)
    # Drawn by the engine from its own shapes: nothing of a person is in it.
    return mark_safe(engine.board_svg(view, translate=say))  # noqa: S308


@require_safe
def rules_index(request: HttpRequest) -> HttpResponse:
    """The games there are rules for; straight to them where there is but one."""
    if len(GAMES) == 1:
        return redirect("rules", next(iter(GAMES)))
    titles = [(key, say(engine.title)) for key, engine in GAMES.items()]
    return render(request, "games/rules_index.html", {"titles": titles})


@require_safe
def rules(request: HttpRequest, kind: str) -> HttpResponse:
    """The rules of a game in our own words."""
    engine = GAMES.get(kind)
    if engine is None:
        raise Http404
    template = select_template([f"games/rules/{kind}.html"])
    context = {
        "engine": engine,
        "game_title": say(engine.title),
        "board": partial(_middle, kind, get_language() or ""),
    }
    return HttpResponse(template.render(context, request))


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """What this place is, what it keeps and what it does not do."""
    return render(request, "games/about.html")


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest) -> HttpResponse:
    """Name, time zone, language, and the ways to the account's other pages."""
    user = request.user
    assert isinstance(user, User)
    kept = {name: getattr(user, name) for name in SettingsForm.base_fields}
    data = request.POST if request.method == "POST" else typed(request)
    form = SettingsForm(data, initial=kept)
    if request.method == "POST" and form.is_valid():
        try:
            person = services.person_update(user=user, **form.cleaned_data)
        except services.ServiceError as error:
            form.add_error("display_name", error.text)
        else:
            forget(request)
            activate(person.language)
            messages.success(request, _("Settings saved."))
            return redirect("settings")
    return render(request, "games/settings.html", {"form": form})


@require_http_methods(["GET", "HEAD", "POST"])
def name(request: HttpRequest) -> HttpResponse:
    """The name somebody new chooses, and with it the browser's time zone where it told us. A name
    that cannot be is asked for again, on a page of its own."""
    user = request.user
    if request.method != "POST":
        return redirect("home")
    if not isinstance(user, User):
        return redirect_to_login(reverse("home"))
    form, target = NameForm(request.POST), own_page(request, request.POST.get("next", ""))
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
    context = {"name_form": form, "fault": faults(form), "next": target}
    return render(request, "games/name.html", context, status=422)


def own_page(request: HttpRequest, target: str) -> str:
    """The target where it is a page of this site, else home."""
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure())
    return target if safe and target else reverse("home")


def bad_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose protection did not fit: too old, or a browser without cookies."""
    return render(request, "403_csrf.html", status=403)
