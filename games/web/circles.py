"""The circles of a person: the list, the page of one, and the page of an invitation to one."""

from collections.abc import Callable, Mapping
from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from games import selectors, services
from games.mail.kinds.invitation import plain_name
from games.models import MOST_MEMBERS, Circle, Invitation, User

from .decorators import (
    SignedInRequest,
    discard_saved_form,
    form_page,
    login_required_keep_form,
    save_form,
    saved_value,
    secret_url,
    sign_in_url,
)
from .forms import InviteForm
from .joining import join_as, joined_circle, take_name
from .lobby import invite_all
from .pages import cards
from .players import player_key, player_of

COUNTABLE = 50  # of the finished games, the newest, that the founder can declare as not counted


@login_required_keep_form
@form_page
def circles(request: SignedInRequest) -> HttpResponse:
    """The reader's circles, and the form to found one."""
    user = request.user
    if request.method == "POST":
        try:
            take_name(request, user)
            made = services.circle_create(founder=user, name=request.POST.get("name", ""))
        except services.ServiceError as error:
            messages.error(request, error.text)
            save_form(request, request.path)
            return redirect("circles")
        discard_saved_form(request)
        return redirect("circle", made.public_id)
    context = {
        "circles": selectors.circles_of(user),
        "invitations": selectors.circle_invitations_to(user),
        "name": saved_value(request, "name"),
        "typed_name": saved_value(request, "display_name"),
    }
    return render(request, "games/circles.html", context)


@login_required_keep_form
@form_page
def circle(request: SignedInRequest, circle_id: str) -> HttpResponse:
    """The page of a circle, for its members. A POST does what its button is named after."""
    try:
        found = selectors.circle_for(request.user, circle_id)
    except selectors.NotFound:
        if "leave" in request.POST:  # a second click
            return redirect("circles")
        raise
    return _act(request, found) if request.method == "POST" else _page(request, found)


def _page(request: SignedInRequest, found: Circle) -> HttpResponse:
    """The page of a circle, with what was typed where a channel was refused: its address is a
    secret, which nothing keeps."""
    members = list(selectors.members(found).order_by("joined_at", "pk"))
    is_founder = found.founder_id == request.user.pk
    link = reverse("circle_invitation", args=[found.join_token])
    context = {
        "circle": found,
        "members": [(member.user, player_key(member.user)) for member in members],
        "most": MOST_MEMBERS,
        "standings": selectors.standings_text(found),
        "tables": cards(selectors.circle_games(found, request.user)),
        "uncounted": selectors.uncounted_games(found),
        "countable": selectors.counted_games(found)[:COUNTABLE] if is_founder else (),
        "is_founder": is_founder,
        "unposted_at": selectors.unposted_at(found) if is_founder else None,
        "channel_typed": request.POST.get("channel_address", ""),
        "turns": "turns" in request.POST if request.method == "POST" else found.channel_turns,
        "after_leaving": selectors.after_leaving(found, request.user),
        "invite_url": request.build_absolute_uri(link) if is_founder else "",
        "invitations": found.invitations.filter(invited_by=request.user).order_by("created_at")
        if is_founder
        else (),
        "invite_form": InviteForm(
            initial={
                "address": saved_value(request, "address"),
                "message": saved_value(request, "message"),
                "language": saved_value(request, "language") or get_language(),
            }
        ),
    }
    return render(request, "games/circle.html", context)


def _act(request: SignedInRequest, circle: Circle) -> HttpResponse:
    act = next((act for name, act in ACTS.items() if name in request.POST), None)
    if act is None:
        raise Http404
    try:
        done = act(request, circle)
    except services.ServiceError as error:
        messages.error(request, error.text)
        if "channel_address" in request.POST:
            return _page(request, circle)
        save_form(request, request.path)
    else:
        discard_saved_form(request)
        if done:
            messages.success(request, done)
    is_member = selectors.circles_of(request.user).filter(pk=circle.pk).exists()
    return redirect(request.path if is_member else reverse("circles"))


def _invite(request: SignedInRequest, circle: Circle) -> str:
    again = _("Already invited: %(addresses)s. You can send the invitation link yourself.")
    service = partial(services.circle_invite, circle_id=circle.pk)
    invite_all(request, circle, service, again)
    return ""


def _replace_link(request: SignedInRequest, circle: Circle) -> str:
    services.circle_replace_link(circle_id=circle.pk, by=request.user)
    return _("The invitation link has been replaced. The old link no longer works.")


def _member(request: SignedInRequest) -> User:
    person = player_of(request.POST.get("member", ""))
    if person is None:
        raise services.ServiceError(_("This person has left the circle."))
    return person


def _remove(request: SignedInRequest, circle: Circle) -> str:
    _require_sure(request)
    person = _member(request)
    services.circle_remove(circle_id=circle.pk, by=request.user, member=person)
    return _("%(name)s is not a member any more.") % {"name": person.name}


def _hand_over(request: SignedInRequest, circle: Circle) -> str:
    _require_sure(request)
    person = _member(request)
    services.circle_hand_over(circle_id=circle.pk, by=request.user, to=person)
    return _("%(name)s runs the circle from now on.") % {"name": person.name}


def _require_sure(request: SignedInRequest) -> None:
    if not request.POST.get("sure"):
        raise services.ServiceError(_("Tick the box to confirm."))


def _leave(request: SignedInRequest, circle: Circle) -> str:
    _require_sure(request)
    services.circle_leave(circle_id=circle.pk, user=request.user)
    return _("You have left “%(circle)s”.") % {"circle": circle.name}


def _close(request: SignedInRequest, circle: Circle) -> str:
    _require_sure(request)
    services.circle_close(circle_id=circle.pk, by=request.user)
    return _("The circle is closed.")


def _uncount(request: SignedInRequest, circle: Circle) -> str:
    game, reason = request.POST.get("game", ""), request.POST.get("reason", "")
    services.circle_game_uncount(circle_id=circle.pk, by=request.user, game=game, reason=reason)
    return _("The game does not count any more.")


def _count(request: SignedInRequest, circle: Circle) -> str:
    game = request.POST.get("count", "")
    services.circle_game_count(circle_id=circle.pk, by=request.user, game=game)
    return _("The game counts again.")


def _channel(request: SignedInRequest, circle: Circle) -> str:
    address, turns = request.POST.get("channel_address", "").strip(), "turns" in request.POST
    services.circle_channel(circle_id=circle.pk, by=request.user, address=address, turns=turns)
    return _("Saved.")


def _channel_test(request: SignedInRequest, circle: Circle) -> str:
    if request.POST.get("channel_address"):
        messages.success(request, _channel(request, circle))
    if services.circle_channel_test(circle_id=circle.pk, by=request.user):
        return _("The test has arrived.")
    text = _("The test did not arrive. Check whether the channel still has this address.")
    messages.error(request, text)
    return ""


def _channel_remove(request: SignedInRequest, circle: Circle) -> str:
    services.circle_channel_remove(circle_id=circle.pk, by=request.user)
    return _("The circle has no channel any more.")


# By the name of the button.
ACTS: Mapping[str, Callable[[SignedInRequest, Circle], str]] = {
    "invite": _invite,
    "replace_link": _replace_link,
    "remove": _remove,
    "hand_over": _hand_over,
    "uncount": _uncount,
    "count": _count,
    "channel": _channel,
    "channel_test": _channel_test,
    "channel_remove": _channel_remove,
    "leave": _leave,
    "close": _close,
}


@secret_url
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """An invitation to a circle, by email or by its link: who sees what, and the button that joins.
    Joining needs a sign-in, declining does not."""
    try:
        found, personal = selectors.circle_invitation_for(token)
    except selectors.NotFound:
        return render(request, "games/circle_invitation.html", {"unknown": True}, status=404)
    user = request.user
    if isinstance(user, User) and selectors.circles_of(user).filter(pk=found.pk).exists():
        return redirect("circle", found.public_id)
    if request.method == "POST" and "decline" in request.POST:
        if personal is not None and selectors.is_invited(user, personal):
            services.invitation_decline(token=token)
        return redirect(request.path)
    if request.method == "POST":
        save_form(request, request.path)  # for after the sign-in, or an error
        if not isinstance(user, User):
            return redirect(sign_in_url(request.path))
        try:
            join_as(user, token, request.POST.get("display_name", ""))
        except services.ServiceError as error:
            messages.error(request, error.text)
            return redirect(request.path)
        discard_saved_form(request)
        messages.success(request, joined_circle(found))
        return redirect("circle", found.public_id)
    used = personal is not None and personal.answer == Invitation.Answer.ACCEPTED
    context = {
        "circle": found,
        "closed": found.is_closed,
        "used": used,
        "inviter": plain_name(_name(personal.invited_by if personal else found.founder)),
        "message": personal.message if personal is not None else "",
        "declined": personal is not None and personal.answer == Invitation.Answer.DECLINED,
        "for_other": personal is not None and not selectors.is_invited(user, personal),
        "typed_name": saved_value(request, "display_name"),
    }
    context["can_decline"] = (
        personal is not None and not context["declined"] and not context["for_other"]
    )
    return render(request, "games/circle_invitation.html", context)


def _name(user: User | None) -> str:
    return user.shown_name if user is not None else ""
