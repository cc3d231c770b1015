"""The pages behind the links in emails: a turn, unsubscribing, an invitation, a confirmation.

Scanners open every link, so a GET never acts: it shows a button. The token of a link grants one
action and nothing beyond it.
"""

from allauth.account.utils import perform_login
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone, translation
from django.utils.http import urlencode
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from games import selectors, services
from games.inbound import confirmation
from games.log import event_store
from games.mail import kinds, signed_links
from games.models import Game, Invitation, User
from games.rules import GAMES
from games.translate import say

from .decorators import secret_url

# Emails are forwarded more easily than codes, which expire.
LINK_SESSION_SECONDS = 24 * 3600


# -- a turn --------------------------------------------------------------------------------


@secret_url
def turn_link(request: HttpRequest, token: str) -> HttpResponse:
    """The link of an email about a turn: the board as a spectator sees it, and a sign-in button.

    The button signs in for a day, as long as the turn is open; a second factor is still asked for.
    """
    turn = signed_links.read_turn_token(token)
    game = selectors.linked_game(turn.public_id) if turn is not None else None
    if turn is None or game is None:
        return render(request, "games/turn_link.html", {"over": True}, status=404)
    page = reverse("game", args=[game.public_id])
    if request.user == turn.user:
        return redirect(f"{page}#orders")
    if not selectors.turn_is_open(game, seat=turn.seat, user=turn.user, seq=turn.seq):
        context = {"over": True, "game": game, "sign_in": _sign_in_url(page)}
        return render(request, "games/turn_link.html", context, status=410)
    if request.method == "POST":
        response: HttpResponse = perform_login(
            request, turn.user, email_verification="none", redirect_url=f"{page}#orders"
        )
        if request.user.is_authenticated:
            request.session.set_expiry(LINK_SESSION_SECONDS)
        return response
    log = event_store.load(game)
    board = log.engine.board_svg(log.engine.rules.view(log.state, None))
    context = {
        "game": game,
        "title": say(GAMES[game.kind].title),
        "reader": turn.user,
        "board": mark_safe(board),  # noqa: S308  # our own drawing, without any user's text
        "sign_in": _sign_in_url(page),
    }
    return render(request, "games/turn_link.html", context)


def _sign_in_url(page: str) -> str:
    return f"{reverse('account_login')}?{urlencode({'next': page})}"


# -- unsubscribing -------------------------------------------------------------------------
# A GET shows a button, a POST unsubscribes, a POST with on=1 undoes it. Mail programs post without
# a CSRF token (RFC 8058); the token in the URL is the permission.


@csrf_exempt
@secret_url
def unsubscribe_game(request: HttpRequest, token: str) -> HttpResponse:
    """Email about one game to one player."""
    link = signed_links.read_unsubscribe_token("off", token)
    seat = selectors.linked_seat(link.subject, link.user) if link is not None else None
    if link is None or seat is None:
        return render(request, "games/unsubscribe_game.html", {"unknown": True}, status=404)
    off = seat.mails_off
    if request.method == "POST":
        off = "on" not in request.POST
        services.game_mail_switch(game_id=seat.game_id, user=link.user, off=off)
    context = {"game": seat.game, "off": off, "done": request.method == "POST"}
    return render(request, "games/unsubscribe_game.html", context)


@csrf_exempt
@secret_url
def unsubscribe_kind(request: HttpRequest, token: str) -> HttpResponse:
    """Email of one kind about all games; on=1 restores the previous delivery mode."""
    link = signed_links.read_unsubscribe_token("kind", token)
    if link is None:
        return render(request, "games/unsubscribe_kind.html", {"unknown": True}, status=404)
    kind, user = link
    if request.method == "POST":
        off = services.mail_kind_switch(kind=kind, user=user, off="on" not in request.POST)
    else:
        off = services.mail_kind_is_off(user, kind)
    label = kinds.label(kind)
    context = {"label": label, "off": off, "done": request.method == "POST"}
    return render(request, "games/unsubscribe_kind.html", context)


@csrf_exempt
@secret_url
def unsubscribe_invitations(request: HttpRequest, token: str) -> HttpResponse:
    """Invitations to an address, which need not belong to an account."""
    digest = signed_links.read_never_token(token)
    if digest is None:
        return render(request, "games/unsubscribe_invitations.html", {"unknown": True}, status=404)
    if request.method == "POST":
        services.address_refuse(digest=digest, refused="on" not in request.POST)
    off = services.address_has_refused(digest)
    context = {"off": off, "done": request.method == "POST"}
    return render(request, "games/unsubscribe_invitations.html", context)


# -- an invitation -------------------------------------------------------------------------


@secret_url
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """An invitation by email or by the game's own link. Joining needs a sign-in, declining does
    not."""
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
            return redirect(_sign_in_url(request.path))
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
        "sign_in": _sign_in_url(request.path),
        "may_see": selectors.may_see(user, game),
    }
    return render(request, "games/invitation.html", context)


# -- a reply to confirm --------------------------------------------------------------------


@secret_url
def reply_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """What a reply asked for, and a button that does it. No sign-in: the link went to the player's
    own address."""
    key = signed_links.read_reply_token(token)
    found = confirmation.find(key) if key is not None else None
    if found is None or key is None:
        return render(request, "games/reply_confirm.html", {"unknown": True}, status=404)
    user, game, row = found.context.user, found.context.game, found.context.row
    with translation.override(user.language), timezone.override(user.zone):
        if request.method == "POST":
            found = confirmation.confirm(key) or found
        context = {
            "game": game,
            "title": say(GAMES[game.kind].title),
            "reader": user,
            "line": row.line,
            "note": row.note,
            "sentences": found.sentences,
            "problem": found.problem,
            "done": found.done,
            "acted": request.method == "POST",
        }
        status = 409 if found.problem else 200
        return render(request, "games/reply_confirm.html", context, status=status)


urlpatterns = [
    path("t/<token>/", turn_link, name="turn_link"),
    path("mail/off/<token>/", unsubscribe_game, name="unsubscribe_game"),
    path("mail/off/kind/<token>/", unsubscribe_kind, name="unsubscribe_kind"),
    path("mail/never/<token>/", unsubscribe_invitations, name="unsubscribe_invitations"),
    path("i/<slug:token>/", invitation, name="invitation"),
    path("reply/<token>/", reply_confirm, name="reply_confirm"),
]
