"""Before, around and after a game: create, join, invite, start, resign, rematch; and the page of a
table that waits for players, or was closed before its game began."""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from games import selectors, services
from games.log import event_store
from games.log.loader import read_table
from games.mail.kinds.answer import opening_of
from games.models import (
    Action,
    BotLevel,
    Circle,
    Decision,
    Game,
    Invitation,
    User,
    database_clock,
    name_at,
)
from games.rules import GAMES
from games.rules.bots import Level
from games.rules.contract import AnyGame
from games.translate import join_names, say

from . import presenters, talk
from .decorators import (
    SignedInRequest,
    discard_saved_form,
    form_page,
    game_action,
    login_required_keep_form,
    number_of,
    post_action,
    save_form,
    saved_form,
    saved_value,
)
from .forms import FOR_CIRCLE, InviteForm, NewGameForm, engine_or_first, error_text
from .joining import already_seated, take_name
from .players import player_key, player_of
from .presets import TablePreset, presets_for


@login_required_keep_form
@form_page
def new_game(request: SignedInRequest) -> HttpResponse:
    """The form for a new game; submitting it leads to the game.

    A click on a game or on a preset submits it, too, so that what was typed stays.
    """
    user = request.user
    if "choose" in request.POST:
        save_form(request, reverse("new_game"))
        return redirect(_chosen_url(request))
    engine = engine_or_first(request.GET.get("game"))
    presets = presets_for(engine)
    wanted, circle_id = request.GET.get("preset", ""), request.GET.get("circle", "")
    circles = selectors.circles_of(user, is_open=True)
    circle = circles.filter(public_id=circle_id).first() if circle_id else None
    preset = next((preset for preset in presets if preset.key == wanted), None)
    initial: dict[str, Any] = {"name": _default_name(user)}
    if circle is not None:
        initial["seat_count"] = _seats(circle, engine)
    initial |= preset.initial() if preset else {}
    if circle_id:
        initial["is_open"] = f"{FOR_CIRCLE}{circle_id}" if circle is not None else "link"
    form = NewGameForm(
        request.POST if request.method == "POST" else _saved_new_game(request, preset),
        engine=engine,
        circles=circles,
        initial=initial,
    )
    form.keep(saved_form(request) or QueryDict())
    if request.method == "POST" and form.is_valid():
        try:
            take_name(request, user)
            game = services.game_create(host=user, kind=engine.key, **form.cleaned_data)
        except services.ServiceError as error:
            form.add_error(None, error.text)
        else:
            discard_saved_form(request)
            return redirect("game", game.public_id)
    context = {
        "form": form,
        "kind": engine.key,
        "games": [(key, say(other.title)) for key, other in GAMES.items()],
        "presets": presets,
        "preset": preset,
        "for_circle": circle is not None,
        "circle_is_gone": bool(circle_id) and circle is None,
        "typed_name": form.data.get("display_name") or saved_value(request, "display_name"),
    }
    return render(request, "games/new_game.html", context)


def _seats(circle: Circle, engine: AnyGame) -> int:
    """The number of seats that has room for most members of a circle, and no more."""
    count = max(selectors.members(circle).count(), min(engine.seats))
    return max(seats for seats in engine.seats if seats <= count)


def _chosen_url(request: HttpRequest) -> str:
    """The address of the form for the game and the preset that were chosen last."""
    chosen = {
        name: request.GET[name] for name in ("game", "preset", "circle") if name in request.GET
    }
    name, _, value = request.POST["choose"].partition("=")
    return f"{reverse('new_game')}?{urlencode(chosen | {name: value})}"


@post_action
def practice(request: SignedInRequest, kind: str) -> HttpResponse:
    """Create a table against a bot with one click."""
    try:
        take_name(request, request.user)
        game = services.practice_create(host=request.user, kind=kind)
    except services.ServiceError as error:
        messages.error(request, error.text)
        if "name" in request.POST:  # the button stands beside the form for a new table
            save_form(request, reverse("new_game"))
        return redirect(f"{reverse('new_game')}?game={kind}")
    discard_saved_form(request)
    return redirect("game", game.public_id)


def _saved_new_game(request: HttpRequest, preset: TablePreset | None) -> QueryDict | None:
    """The form saved for a new game, unless another preset was chosen since."""
    saved = saved_form(request)
    if saved is None or "choose" in saved:
        return None
    return saved if saved.get("preset", "") == (preset.key if preset else "") else None


def _default_name(user: User) -> str:
    """Propose a name that no other game of this host has."""
    name = {"name": user.shown_name}
    base = _("%(name)s’s table") % name if user.shown_name else _("New table")
    taken = set(user.hosted.filter(name__startswith=base).values_list("name", flat=True))
    numbered = (f"{base} {number}" for number in itertools.count(2))
    return next(name for name in itertools.chain((base,), numbered) if name not in taken)


def waiting_page(request: HttpRequest, game: Game) -> HttpResponse:
    """The page of this table, which has not started, to the reader."""
    user, seats = request.user, game.seat_list
    rows = presenters.seat_rows(game, seats, user, {})
    by_place = {seat.place: row for seat, row in zip(seats, rows, strict=True)}
    is_host = isinstance(user, User) and game.host_id == user.pk
    engine = GAMES[game.kind]
    sits = any(row.is_me for row in rows) and not game.is_over
    awaited = iter(selectors.awaited(user, game) if isinstance(user, User) and sits else ())
    context = {
        "game": game,
        "stamp": selectors.table_stamp(game, request.user),
        "game_title": say(engine.title),
        "places": [
            (place, by_place.get(place), None if place in by_place else next(awaited, ""))
            for place in range(game.seat_count)
        ],
        "rows": rows,
        "row_me": next((row for row in rows if row.is_me), None),
        "is_host": is_host,
        "circle": game.circle,
        "in_circle": isinstance(user, User) and selectors.in_circle_of(game, user),
        "host_name": presenters.host_name(game),
        "newcomers": selectors.newcomers(seats, database_clock.now()),
        "bot_levels": BotLevel.choices,
        "free_seats": game.seat_count - len(rows),
        "can_start": len(rows) >= min(engine.seats),
        "least": min(engine.seats),
        "options": presenters.option_labels(game),
        "time_control": selectors.time_control_lines(game),
        "invite_url": request.build_absolute_uri(reverse("invitation", args=[game.invite_token])),
        "typed_name": saved_value(request, "display_name"),
        "removed": game.is_open and selectors.was_removed(user, game),
        "ending": _ending(game) if game.is_over else "",
        **talk.of_page(request, game),
        "invite_form": InviteForm(
            initial={
                "address": saved_value(request, "address"),
                "message": saved_value(request, "message"),
                "language": saved_value(request, "language") or get_language(),
            }
        ),
        **(_invitations(user, game) if isinstance(user, User) and is_host else {}),
    }
    return render(request, "games/gathering.html", context)


def _ending(game: Game) -> str:
    """The reason why the table was closed before the game began."""
    log = event_store.load(game)
    return selectors.ending_sentence(log, selectors.SeatNames(log, game.seat_list))


def _invitations(user: User, game: Game) -> dict[str, Any]:
    """The invitations that this host sent, and the number of those by others: the role of the host
    passes on, but the addresses that somebody typed do not."""
    own = selectors.invitations_by(user, game)
    again = selectors.may_come_again(user, game)
    return {
        "invitations": own,
        "invited_by_others": game.invitations.count() - len(own),
        "invite_again": [(player.name, player_key(player)) for player in again],
    }


@game_action
def join(request: SignedInRequest, game: Game) -> str:
    """Take a free seat."""
    if selectors.seat_of(game, request.user) is not None:
        return already_seated()
    take_name(request, request.user)
    services.game_join(game_id=game.pk, user=request.user)
    return _("You have joined the table.")


@game_action
def add_bot(request: SignedInRequest, game: Game) -> str | None:
    """Put a bot on a free seat."""
    place = number_of(request, "place") if "place" in request.POST else None
    level = request.POST.get("level", Level.NORMAL)
    if level not in BotLevel.values:
        raise services.ServiceError(_("Choose how well the bot plays."))
    seat = services.game_add_bot(game_id=game.pk, by=request.user, place=place, level=Level(level))
    if seat.game.status != Game.Status.GATHERING:
        return _("All seats are taken: the game has started.")
    return None


@game_action
def remove_bot(request: SignedInRequest, game: Game) -> None:
    """Remove a bot."""
    services.game_remove_bot(game_id=game.pk, by=request.user, seat=number_of(request, "seat"))


@game_action
def remove_player(request: SignedInRequest, game: Game) -> str:
    """Remove another player."""
    player = player_of(request.POST.get("player", ""))
    if player is None:
        raise services.ServiceError(_("This person has left the table."))
    name = name_at(game.seat_list, player) or player.name
    services.game_remove_player(game_id=game.pk, by=request.user, player=player)
    return _("%(name)s has been removed from the table and gets an email about it.") % {
        "name": name
    }


@game_action
def replace_link(request: SignedInRequest, game: Game) -> str:
    """Replace the invitation link of a table."""
    services.game_replace_link(game_id=game.pk, by=request.user)
    return _("The invitation link has been replaced. The old link no longer works.")


@game_action
def start(request: SignedInRequest, game: Game) -> None:
    """Start with the players who have joined."""
    services.game_start(game_id=game.pk, by=request.user)


@game_action
def invite(request: SignedInRequest, game: Game) -> None:
    """Invite a player by name, or email addresses, to a table."""
    if (player := player_of(request.POST.get("player", ""))) is not None:
        services.game_invite_again(game_id=game.pk, by=request.user, player=player)
        _say_invited(request, [player.name], [], "")
        return
    again = _(
        "Already invited: %(addresses)s. We invite an address to a table once, and once more "
        "after it has declined; you can send the invitation link yourself."
    )
    invite_all(request, game, partial(services.game_invite, game_id=game.pk), again)


def invite_all(
    request: SignedInRequest, to: Game | Circle, service: Callable[..., Invitation], repeated: str
) -> None:
    """Invite the email addresses of the form, each in a transaction of its own. repeated: says that
    some of them had been invited."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        raise services.ServiceError(error_text(form))
    earlier = set(to.invitations.values_list("pk", flat=True))
    sent, again = list[str](), list[str]()
    try:
        for address in form.cleaned_data["address"]:
            found = service(
                by=request.user,
                address=address,
                message=form.cleaned_data["message"],
                language=form.cleaned_data["language"],
            )
            (again if found.pk in earlier else sent).append(address)
    except services.QuotaExceeded as error:
        if error.quota.scope != "address":
            raise
        hint = _("You can send the invitation link yourself.")
        raise services.ServiceError(f"{error.text} {hint}") from error
    finally:
        _say_invited(request, sent, again, repeated)


def _say_invited(request: HttpRequest, sent: list[str], again: list[str], repeated: str) -> None:
    if sent:
        text = ngettext(
            "An invitation is on its way to %(addresses)s.",
            "Invitations are on their way to %(addresses)s.",
            len(sent),
        )
        messages.success(request, text % {"addresses": join_names(sent)})
    if again:
        messages.info(request, repeated % {"addresses": join_names(again)})


@game_action
def leave(request: SignedInRequest, game: Game) -> HttpResponse:
    """Leave a game before its start. Leads home: the game may not be visible any more."""
    if selectors.seat_of(game, request.user) is None:
        messages.info(request, _("You have no seat at “%(table)s”.") % {"table": game.name})
        return redirect("home")
    services.game_leave(game_id=game.pk, user=request.user)
    messages.success(request, _("You have left “%(table)s”.") % {"table": game.name})
    return redirect("home")


@game_action
def resign(request: SignedInRequest, game: Game) -> str:
    """Resign from a running game; a tick confirms it."""
    if not request.POST.get("sure"):
        raise services.ServiceError(_("Tick the box to confirm."))
    services.game_resign(game_id=game.pk, user=request.user)
    return _("You’ve resigned.")


@game_action
def game_email(request: SignedInRequest, game: Game) -> str:
    """Turn email about this game off, or on again."""
    off = request.POST.get("off") == "1"
    services.game_mail_switch(game_id=game.pk, user=request.user, off=off)
    return _("Emails for this game are now off.") if off else _("Emails for this game are now on.")


@game_action
def rematch(request: SignedInRequest, game: Game) -> Game:
    """Create the next game with the same players."""
    return services.game_rematch(game_id=game.pk, by=request.user)


@game_action
def take_back(request: SignedInRequest, game: Game) -> str:
    """Take back a seat that a bot took after missed deadlines."""
    services.seat_take_back(game_id=game.pk, user=request.user)
    return _("You have your seat back.")


@game_action
def seat_open(request: SignedInRequest, game: Game) -> str:
    """Let a friend take over the seat of a player who has left."""
    services.seat_open(game_id=game.pk, by=request.user, seat=number_of(request, "seat"))
    return _("The seat is free. Send the invitation link to a friend.")


@game_action
def take_over(request: SignedInRequest, game: Game) -> str:
    """Take a seat that is open."""
    if selectors.seat_of(game, request.user) is not None:
        return already_seated()
    seat = number_of(request, "seat")
    take_name(request, request.user)
    services.seat_take_over(game_id=game.pk, user=request.user, seat=seat)
    return _("You have taken over the seat.")


@game_action
def host_call(request: SignedInRequest, game: Game) -> str:
    """Ask the host to step in for a player who is late."""
    services.host_call(game_id=game.pk, by=request.user)
    return _("We have sent the host an email.")


@game_action
def day_give(request: SignedInRequest, game: Game) -> str:
    """Give a player who is late a day more."""
    services.day_give(game_id=game.pk, by=request.user, late=number_of(request, "late"))
    return opening_of("day_given")


@game_action
def nudge(request: SignedInRequest, game: Game) -> str:
    """Remind a player who is late, in the reader's name."""
    services.player_nudge(game_id=game.pk, by=request.user, late=number_of(request, "late"))
    return opening_of("nudged")


def _as_host(request: SignedInRequest, game: Game) -> dict[str, Any]:
    """Return the host's form about a seat as arguments of a service. It is for the host alone:
    moderators use the admin, which asks for their second factor."""
    if game.host_id != request.user.pk:
        raise services.ServiceError(_("Only the host can do that."))
    return {
        "game_id": game.pk,
        "seat": number_of(request, "seat"),
        "ruling": services.Ruling(request.user, request.POST.get("reason", "")),
    }


@game_action
def excuse(request: SignedInRequest, game: Game) -> str:
    """The host excuses a missed deadline."""
    services.moderate_excuse(**_as_host(request, game))
    return _("The missed deadline is excused.")


@game_action
def step_in(request: SignedInRequest, game: Game) -> str:
    """The host lets a bot play an overdue turn, or hands it the overdue seat."""
    arguments = _as_host(request, game)
    if not any(seat.number == arguments["seat"] and seat.overdue for seat in game.seat_list):
        raise services.ServiceError(_("That player has moved in the meantime."))
    if request.POST.get("do") == "hand":
        services.moderate_hand_seat(**arguments)
        return _("A bot has the seat now. Its player can take it back.")
    services.moderate_play_bot(**arguments)
    return _("A bot has played this turn.")


@login_required_keep_form
@form_page
def seat_offer(request: SignedInRequest, decision: int) -> HttpResponse:
    """GET: the seat that a moderator offers to the reader. POST: take it."""
    offers = Decision.objects.select_related("game", "words")
    offer = offers.filter(pk=decision, person=request.user, action=Action.OFFER_SEAT).first()
    if offer is None or offer.game is None:
        raise selectors.NotFound
    problem = ""
    if request.method == "POST":
        try:
            take_name(request, request.user)
            services.seat_offer_accept(decision_id=offer.pk, user=request.user)
        except services.ServiceError as error:
            problem = error.text
        else:
            messages.success(request, _("You have taken over the seat."))
            return redirect("game", offer.game.public_id)
    _game, log, seats = read_table(offer.game.pk)
    seat = services.offered_seat(offer, log, seats)
    context = {
        "offer": offer,
        "problem": problem,
        "game_title": say(log.engine.title),
        "number": seat.number + 1 if seat is not None else None,
        "until": offer.at + services.SEAT_OFFER_PERIOD,
    }
    return render(request, "games/seat_offer.html", context)
