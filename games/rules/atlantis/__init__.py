"""Atlantis by Leo Colovini: the rules, the notation, the pictures and the bot."""

from ..contract import Codec, Game, OptionSpec
from ..text import _
from . import bot, notation, presentation, rules
from .model import Command, Event, State, View

ATLANTIS: Game[State, Command, Event, View] = Game(
    key="atlantis",
    title=_("Atlantis"),
    summary=_(
        "Lead your three figures from sinking Atlantis to the mainland and collect the tiles of "
        "the path, which crumbles behind you."
    ),
    seats=range(2, 5),
    turns=11,
    codec=Codec(Event),
    rules=rules,
    notation=notation,
    presentation=presentation,
    bot=bot,
    playouts=6000,
    plans_turns=True,
    options=(
        OptionSpec(
            "order",
            _("Order of play"),
            _("Who plays first and in which order. The first player starts with the fewest cards."),
            (("random", _("Random")), ("seated", _("As seated"))),
            "random",
        ),
    ),
)
