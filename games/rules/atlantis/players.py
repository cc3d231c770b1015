"""Visible facts about each player: for the plain board, for screen readers and for emails."""

from ..presentation import PlayerFacts
from ..text import Text, _, literal, ngettext
from .model import Player, View
from .names import place_name


def players(view: View) -> tuple[PlayerFacts, ...]:
    """In the order of play: tiles and their sum, cards, the bridge."""
    return tuple(
        PlayerFacts(seat, str(seat + 1), _facts(view.players[seat])) for seat in view.order
    )


def _facts(player: Player) -> tuple[Text, ...]:
    values = sorted((tile.value for tile in player.tiles), reverse=True)
    tiles = _("tiles %(values)s (= %(sum)s)", values=" ".join(map(str, values)), sum=sum(values))
    return (
        tiles if values else _("no tiles"),
        ngettext("%(count)s card", "%(count)s cards", player.cards),
        *([_("bridge")] if player.bridge else []),
    )


def figures(player: Player) -> Text:
    """ "A on Atlantis, B on space 12, C on the mainland"."""
    a, b, c = map(place_name, player.figures)
    return literal("A %(a)s, B %(b)s, C %(c)s", a=a, b=b, c=c)
