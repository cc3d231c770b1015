"""The pages behind the links in mails: a turn, mails off, an invitation, a reply to confirm.

Scanners open every link, so a GET never acts: it shows a button. What a link may do is in its
token; who presses the button is let in no further than the token says.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.utils import perform_login
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone, translation
from django.utils.http import urlencode
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from games import mail, selectors, services
from games.inbound import confirmation
from games.inbound.confirmation import Question
from games.log import event_store
from games.mail import TurnPass
from games.models import Game, Invitation, OutboxMail, Seat, User
from games.rules import GAMES
from games.translate import say

LINK_SESSION_SECONDS = 24 * 3600  # a mail is passed on more easily than a code that dies

View = Callable[..., HttpResponse]


def of_a_mail(view: View) -> View:
    """Pages whose address is a secret: kept by no cache, told to no other site."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        response["Referrer-Policy"] = "no-referrer"
        response["X-Robots-Tag"] = "noindex"
        return response

    return wrapped


# -- a turn --------------------------------------------------------------------------------


@of_a_mail
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def turn_link(request: HttpRequest, token: str) -> HttpResponse:
    """The link of a turn mail. Without a session: the table as everybody may see it and a button
    that signs its reader in, for a day, as long as the turn lasts (and past the second factor of
    those who have one)."""
    found = mail.read_turn_token(token)
    game = _game_of(found.public_id) if found is not None else None
    if found is None or game is None:
        return render(request, "games/turn_link.html", {"over": True}, status=404)
    page = reverse("game", args=[game.public_id])
    if request.user == found.user:
        return redirect(f"{page}#orders")
    if not _turn_stands(game, found):
        context = {"over": True, "game": game, "sign_in": _sign_in(page)}
        return render(request, "games/turn_link.html", context, status=410)
    if request.method == "POST":
        answer: HttpResponse = perform_login(
            request, found.user, email_verification="none", redirect_url=f"{page}#orders"
        )
        if request.user.is_authenticated:
            request.session.set_expiry(LINK_SESSION_SECONDS)
        return answer
    context = {
        "game": game,
        "title": say(GAMES[game.kind].title),
        "reader": found.user,
        "board": _public_board(game),
        "sign_in": _sign_in(page),
    }
    return render(request, "games/turn_link.html", context)


def _game_of(public_id: str) -> Game | None:
    return Game.objects.filter(public_id=public_id).first()


def _turn_stands(game: Game, found: TurnPass) -> bool:
    """Whether the seat still waits for the very move that the link is about."""
    alive = game.status in (Game.Status.RUNNING, Game.Status.PAUSED)
    seat = Seat.objects.filter(game=game, number=found.seat, user=found.user)
    return alive and seat.filter(asked_seq=found.seq).exists()


def _public_board(game: Game) -> str:
    """The board as a spectator sees it."""
    log = event_store.load(game)
    # Drawn by the engine from its own shapes: nothing of a person is in it.
    return mark_safe(log.engine.board_svg(log.engine.rules.view(log.state, None)))  # noqa: S308


def _sign_in(page: str) -> str:
    return f"{reverse('account_login')}?{urlencode({'next': page})}"


# -- mails off -----------------------------------------------------------------------------


@csrf_exempt  # mail programs press the button themselves (RFC 8058); the token is the permission
@of_a_mail
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mails_off(request: HttpRequest, token: str) -> HttpResponse:
    """List-Unsubscribe: a GET shows a button, a POST turns the mails of one game off for one
    person, and on again with on=1."""
    found = mail.read_off_token(token)
    game = _game_of(found.public_id) if found is not None else None
    seat = Seat.objects.filter(game=game, user=found.user).first() if found and game else None
    if found is None or game is None or seat is None:
        return render(request, "games/mails_off.html", {"unknown": True}, status=404)
    off = seat.mails_off
    if request.method == "POST":
        off = "on" not in request.POST
        services.mails_switch(game_id=game.pk, user=found.user, off=off)
    context = {"game": game, "off": off, "done": request.method == "POST"}
    return render(request, "games/mails_off.html", context)


@csrf_exempt  # as above
@of_a_mail
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mails_kind_off(request: HttpRequest, token: str) -> HttpResponse:
    """The same for all mails of one kind, whatever the game; on=1 brings them back as they were."""
    found = mail.read_kind_token(token)
    if found is None:
        return render(request, "games/mails_kind_off.html", {"unknown": True}, status=404)
    if request.method == "POST":
        off = services.mail_kind_switch(
            kind=found.kind, user=found.user, off="on" not in request.POST
        )
    else:
        off = services.mail_kind_is_off(found.user, found.kind)
    label = OutboxMail.Kind(found.kind).label if found.kind in OutboxMail.Kind else found.kind
    context = {"label": label, "off": off, "done": request.method == "POST"}
    return render(request, "games/mails_kind_off.html", context)


@csrf_exempt  # as above
@of_a_mail
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mails_never(request: HttpRequest, token: str) -> HttpResponse:
    """No invitations ever again, for an address that need not be anybody's here; on=1 undoes it."""
    digest = mail.read_never_token(token)
    if digest is None:
        return render(request, "games/mails_never.html", {"unknown": True}, status=404)
    if request.method == "POST":
        services.address_refuse(digest=digest, refused="on" not in request.POST)
    off = services.address_has_refused(digest)
    context = {"off": off, "done": request.method == "POST"}
    return render(request, "games/mails_never.html", context)


# -- an invitation -------------------------------------------------------------------------


@of_a_mail
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """A seat that is offered, by mail or by the table's own link. Sitting down is a POST of
    somebody who is signed in; "no, thanks" needs nobody."""
    game, personal = selectors.invitation_for(token)
    page = reverse("game", args=[game.public_id])
    user = request.user
    if isinstance(user, User) and selectors.seat_of(game, user) is not None:
        return redirect(page)
    if request.method == "POST":
        if "decline" in request.POST and personal is not None:
            services.invitation_decline(token=token)
            return redirect(request.path)
        if not isinstance(user, User):
            return redirect(_sign_in(request.path))
        try:
            services.game_join(game_id=game.pk, user=user, token=token)
        except services.ServiceError as error:
            messages.error(request, error.text)
            return redirect(request.path)
        messages.success(request, _("You have joined the table."))
        return redirect(page)
    seats = list(game.seats.all())
    context = {
        "game": game,
        "title": say(GAMES[game.kind].title),
        "kind": game.kind,
        "seats": seats,
        "free": range(max(0, game.seat_count - len(seats))),
        "host": game.host,
        "personal": personal,
        "declined": personal is not None and personal.answer == Invitation.Answer.DECLINED,
        "closed": game.status != Game.Status.GATHERING or len(seats) >= game.seat_count,
        "sign_in": _sign_in(request.path),
        "may_see": selectors.may_see(user, game),
    }
    return render(request, "games/invitation.html", context)


# -- a reply to confirm --------------------------------------------------------------------


@of_a_mail
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reply_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """What a reply asked for, in words, with a button that does it. The link is the permission: it
    went to the player's own address."""
    key = mail.read_reply_token(token)
    found = confirmation.question(key) if key is not None else None
    if found is None or key is None:
        return render(request, "games/reply_confirm.html", {"unknown": True}, status=404)
    user = found.row.user
    assert user is not None
    with translation.override(user.language), timezone.override(user.zone):
        if request.method == "POST":
            found = confirmation.confirm(key) or found
        return _reply_page(request, found, acted=request.method == "POST")


def _reply_page(request: HttpRequest, found: Question, *, acted: bool) -> HttpResponse:
    game = found.row.game
    assert game is not None
    context = {
        "game": game,
        "title": say(GAMES[game.kind].title),
        "reader": found.row.user,
        "line": found.row.line,
        "note": found.row.note,
        "sentences": found.sentences,
        "problem": found.problem,
        "done": found.done,
        "acted": acted,
    }
    return render(
        request, "games/reply_confirm.html", context, status=409 if found.problem else 200
    )


urlpatterns = [
    path("t/<token>/", turn_link, name="turn_link"),
    path("mail/off/<token>/", mails_off, name="mails_off"),
    path("mail/off/kind/<token>/", mails_kind_off, name="mails_kind_off"),
    path("mail/never/<token>/", mails_never, name="mails_never"),
    path("i/<slug:token>/", invitation, name="invitation"),
    path("reply/<token>/", reply_confirm, name="reply_confirm"),
]
