"""Votes on the page of a table: ask for one, answer it. Turn links do not reach them."""

from datetime import date

from django.utils.translation import gettext as _

from games import services
from games.log import table_events
from games.models import Game

from .decorators import SignedInRequest
from .lobby import game_action, number_of


def _proposal(word: str) -> table_events.Proposal:
    match word:
        case "pause" | "resume" | "cancel" | "bot" | "take_back":
            return word
    raise services.ServiceError(_("There is no such vote."))


@game_action
def vote_ask(request: SignedInRequest, game: Game) -> str:
    """Ask the others at the table; with nobody else to ask, it is done at once."""
    about, until, late = _proposal(request.POST.get("about", "")), None, None
    if about == "pause":
        try:
            until = date.fromisoformat(request.POST.get("until", ""))
        except ValueError:
            raise services.ServiceError(_("Choose the day on which the game goes on.")) from None
    if about == "bot":
        late = number_of(request, "late")
    user = request.user
    if services.vote_open(game_id=game.pk, user=user, about=about, until=until, late=late):
        return _("Done: everyone who votes has agreed.")
    return _("The others are asked now. Each of them gets an email.")


@game_action
def vote_answer(request: SignedInRequest, game: Game) -> str:
    """Agree to the open vote, or say no."""
    agrees = request.POST.get("answer") == "yes"
    vote = number_of(request, "vote")
    services.vote_answer(game_id=game.pk, user=request.user, vote=vote, agrees=agrees)
    return _("You’ve agreed.") if agrees else _("You’ve said no.")
