"""The pages behind the links in emails: a turn, unsubscribing, a confirmation.

Scanners open every link, so a GET never acts: it shows a button. The token of a link grants one
action and nothing beyond it, as often as it is posted, and ends with its subject.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone, translation
from django.views.decorators.csrf import csrf_exempt

from games import selectors, services
from games.inbound import confirmation
from games.log import event_store
from games.mail import kinds, signed_links
from games.models import seat_names
from games.rules import GAMES
from games.translate import say

from . import turn_scope
from .decorators import secret_url, sign_in_url

# -- a turn --------------------------------------------------------------------------------


@secret_url
def turn_link(request: HttpRequest, token: str) -> HttpResponse:
    """The link of an email about a turn: the board as a spectator sees it, and a button.

    The button opens the seat at this table until the turn ends; see `turn_scope`. It signs nobody
    in.
    """
    turn = signed_links.read_turn_token(token)
    game = selectors.linked_game(turn.public_id) if turn is not None else None
    if turn is None or game is None:
        return render(request, "games/turn_link.html", {"over": True}, status=404)
    page = reverse("game", args=[game.public_id])
    if request.user == turn.user:
        return redirect(f"{page}#orders")
    if not selectors.turn_is_open(game, seat=turn.seat, user=turn.user, seq=turn.seq):
        context = {"over": True, "game": game, "sign_in": sign_in_url(page)}
        return render(request, "games/turn_link.html", context, status=410)
    other = request.user.is_authenticated
    if request.method == "POST" and not selectors.may_act(turn.user):
        return redirect(sign_in_url(page))
    if request.method == "POST" and not other:
        response = redirect(f"{page}#orders")
        turn_scope.grant(response, turn)
        return response
    context = {
        "game": game,
        "title": say(GAMES[game.kind].title),
        "reader": turn.user,
        "reader_name": seat_names(game.seat_list)[turn.seat],
        "other": request.user if other else None,
        "board": turn_scope.public_board(event_store.load(game)),
        "sign_in": sign_in_url(page),
    }
    status = 409 if request.method == "POST" else 200
    return render(request, "games/turn_link.html", context, status=status)


# -- unsubscribing -------------------------------------------------------------------------
# A GET shows a button, a POST unsubscribes, a POST with on=1 undoes it. Mail programs post without
# a CSRF token (RFC 8058); the token in the URL is the permission. Emails may be forwarded, so their
# reader gets one email about it.


@csrf_exempt
@secret_url
def unsubscribe_game(request: HttpRequest, token: str) -> HttpResponse:
    """Email about one game to one player."""
    link = signed_links.read_unsubscribe_token("off", token)
    seat = selectors.linked_seat(link.subject, link.user) if link is not None else None
    if link is None or seat is None:
        return render(request, "games/unsubscribe_game.html", {"unknown": True}, status=404)
    if seat.game.is_over:
        context = {"game": seat.game, "over": True}
        return render(request, "games/unsubscribe_game.html", context)
    off = seat.mails_off
    if request.method == "POST":
        off = "on" not in request.POST
        services.game_mail_switch(game_id=seat.game_id, user=link.user, off=off, by_link=True)
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
        off = "on" not in request.POST
        services.mail_kind_switch(kind=kind, user=user, off=off, by_link=True)
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


# -- a reply to confirm --------------------------------------------------------------------


@secret_url
def reply_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """The command of a reply, and a button that carries it out. No sign-in: the link went to the
    player's own address."""
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
            "sentences": found.sentences,
            "problem": found.problem,
            "done": found.done,
            "acted": request.method == "POST",
        }
        status = 409 if found.problem else 200
        return render(request, "games/reply_confirm.html", context, status=status)


# -- a message to delete -------------------------------------------------------------------


@secret_url
def message_delete(request: HttpRequest, token: str) -> HttpResponse:
    """A message that was sent by email, and a button that deletes it. No sign-in: the link went to
    its author's own address, and does nothing else."""
    message = signed_links.read_message_token(token)
    if message is None:
        return render(request, "games/message_delete.html", {"gone": True}, status=404)
    author, game, done = message.author, message.game, request.method == "POST"
    if done and not selectors.may_act(author):
        return redirect(sign_in_url(reverse("game", args=[game.public_id])))
    with translation.override(author.language), timezone.override(author.zone):
        if done:
            services.message_delete(game_id=game.pk, user=author, key=message.pk)
        context = {"game": game, "text": message.text, "done": done}
        return render(request, "games/message_delete.html", context)


urlpatterns = [
    path("t/<token>/", turn_link, name="turn_link"),
    path("mail/off/<token>/", unsubscribe_game, name="unsubscribe_game"),
    path("mail/off/kind/<token>/", unsubscribe_kind, name="unsubscribe_kind"),
    path("mail/never/<token>/", unsubscribe_invitations, name="unsubscribe_invitations"),
    path("mail/message/<token>/", message_delete, name="message_delete"),
    path("reply/<token>/", reply_confirm, name="reply_confirm"),
]
