"""Blocks: the list in the settings, and the buttons on the pages of players and tables."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from games import services
from games.models import Game, User

from .decorators import SignedInRequest, form_page, login_required_keep_form
from .lobby import game_action, number_of
from .players import player_key, player_of


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
    people = User.objects.active().filter(pk__in=request.user.blocked)
    rows = [(person, player_key(person)) for person in people.order_by("display_name", "pk")]
    return render(request, "games/blocked.html", {"rows": rows})


@game_action
def at_table(request: SignedInRequest, game: Game) -> HttpResponse:
    """Block somebody at the table."""
    number = number_of(request, "seat")
    person = next((seat.user for seat in game.seat_list if seat.number == number), None)
    if person is None:
        raise services.ServiceError(_("This person has left the table."))
    return _block(request, person, is_blocked=True)


def _block(request: SignedInRequest, person: User, *, is_blocked: bool) -> HttpResponse:
    services.person_block(user=request.user, person=person, is_blocked=is_blocked)
    done = _("You have blocked %(name)s.") if is_blocked else _("You have unblocked %(name)s.")
    messages.success(request, done % {"name": person.name})
    return redirect("blocked")
