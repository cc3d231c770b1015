"""Escape from Atlantis!: the rules, the notation, the pictures and the bot."""

from ..contract import Codec, Game
from ..text import _
from . import bot, notation, options, presentation, rules
from .model import Command, Event, State, View

ESCAPE: Game[State, Command, Event, View] = Game(
    key="escape",
    title=_("Escape from Atlantis!"),
    summary=_(
        "The island sinks tile by tile: get your explorers to safe land, past sea serpents, sharks "
        "and whales."
    ),
    seats=range(2, 5),
    turns=12,
    codec=Codec(Event),
    rules=rules,
    notation=notation,
    presentation=presentation,
    bot=bot,
    playouts=5000,
    options=options.SPECS,
)
