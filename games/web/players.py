"""The page of a player, with name, games, and how reliably they move in time; and blocks: the list
in the settings, and the buttons on the pages of players and tables.

The address of a player is signed, so that nobody can go through all numbers.
"""

import base64
import binascii
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from django.contrib import messages
from django.core.signing import BadSignature, Signer
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from games import selectors, services
from games.models import Game, User, database_clock, seat_names
from games.rules import GAMES
from games.translate import say

from .decorators import (
    SignedInRequest,
    form_page,
    game_action,
    login_required_keep_form,
    number_of,
)

MOST = 50  # lines of a list

_SALT = "games.web.players"


@require_http_methods(["GET", "HEAD", "POST"])
def player(request: HttpRequest, key: str) -> HttpResponse:
    """The page; a POST of the player shows the figures to everybody, or no longer."""
    user = player_of(key)
    if user is None or user.is_suspended:
        raise Http404
    if request.method == "POST":
        if request.user != user:
            raise Http404
        public = request.POST.get("public") == "1"
        services.person_figures_switch(user=user, public=public)
        messages.success(request, _("Settings saved."))
        return redirect(player_url(user))
    now = database_clock.now()
    found = selectors.reliability(user, now)
    shown = selectors.may_see_figures(request.user, user)

    @cache  # many lines name the same game, and the answer may need its log
    def visible(game: Game) -> bool:
        return selectors.may_see(request.user, game)

    def misses(listed: list[tuple[Game, selectors.Miss]]) -> list[dict[str, object]]:
        return [
            {"game": game if visible(game) else None, "at": miss.at, "seq": miss.seq}
            for game, miss in listed[:MOST]
        ]

    turns: list[dict[str, Any]] = [
        {"game": one.game if visible(one.game) else None, "turn": turn}
        for one in found.games
        for turn in one.conduct.turns
    ]
    turns.sort(key=lambda row: row["turn"].at, reverse=True)
    games = [one.game for one in found.games if visible(one.game)][:MOST]
    resigned = selectors.resigned(games)
    context = {
        "player": user,
        "is_me": request.user == user,
        "key": key,
        "is_blocked": request.user.is_authenticated and user.pk in request.user.blocked,
        "games": [_played(game, user, resigned.get(game.pk, {})) for game in games],
        "found": found if shown else None,
        "typical": found.typical and timesince(now - found.typical, now),
        "turns": turns[:MOST] if shown else [],
        "misses": misses(found.recent_misses) if shown else [],
        "excused": misses(found.excused) if shown else [],
    }
    return render(request, "games/player.html", context)


def _played(game: Game, user: User, resigned: Mapping[int, str]) -> dict[str, Any]:
    """Return the line about a game on the page of its player: the score if they kept their seat."""
    own = selectors.seat_of(game, user)
    names = [
        f"{name} ({_('%(name)s resigned') % {'name': resigned[seat]}})"
        if seat in resigned
        else name
        for seat, name in enumerate(seat_names(game.seat_list))
    ]
    return {
        "game": game,
        "title": say(GAMES[game.kind].title),
        "others": [name for seat, name in enumerate(names) if seat != own],
        "score": game.scores[own] if game.scores and own is not None else None,
        "won": own is not None and own in (game.winners or ()),
        "at": game.ended_at or game.last_event_at,
    }


def player_url(user: User) -> str:
    """The address of the page of this player."""
    return _url(user.pk)


def player_key(user: User) -> str:
    """The last part of the address of this player's page."""
    key = base64.urlsafe_b64encode(Signer(salt=_SALT).sign(str(user.pk)).encode())
    return key.decode().rstrip("=")


@lru_cache(maxsize=4096)  # a page may link to hundreds of players, and most of them again
def _url(pk: int) -> str:
    return reverse("player", args=[player_key(User(pk=pk))])


def player_of(key: str) -> User | None:
    """The player with this address; None for a forged one, and where the account is gone."""
    try:
        signed = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4)).decode()
        pk = int(Signer(salt=_SALT).unsign(signed))
    except (BadSignature, ValueError, binascii.Error):
        return None
    return User.objects.filter(pk=pk).first()


@login_required_keep_form
@form_page
def blocked(request: SignedInRequest) -> HttpResponse:
    """The people whom the reader has blocked. A POST blocks or unblocks one."""
    if request.method == "POST":
        person = player_of(request.POST.get("player", ""))
        if person is None:
            raise Http404
        try:
            return _block(request, person, is_blocked=request.POST.get("block") == "yes")
        except services.ServiceError as error:
            messages.error(request, error.text)
            return redirect("blocked")
    people = User.objects.filter(pk__in=request.user.blocked)
    rows = [(person, player_key(person)) for person in people.order_by("display_name", "pk")]
    return render(request, "games/blocked.html", {"rows": rows})


@game_action
def block_at_table(request: SignedInRequest, game: Game) -> HttpResponse:
    """Block somebody at the table."""
    person = selectors.player_on(game, number_of(request, "seat"))
    if person is None:
        raise services.ServiceError(_("This person has left the table."))
    return _block(request, person, is_blocked=True)


def _block(request: SignedInRequest, person: User, *, is_blocked: bool) -> HttpResponse:
    services.person_block(user=request.user, person=person, is_blocked=is_blocked)
    done = _("You have blocked %(name)s.") if is_blocked else _("You have unblocked %(name)s.")
    messages.success(request, done % {"name": person.name})
    return redirect("blocked")
