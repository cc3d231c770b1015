"""Pieces as choices of a question: what they are, where they are, what they are worth to me."""

from ...move_form import Choice
from ...text import Text, _, literal
from ..board import crew
from ..hexes import NAMES
from ..model import ABOARD, SEA, Board, Step, Verb, View
from ..names import (
    TERRAIN_NAMES,
    explorer_icon,
    explorer_id,
    explorer_name,
    explorer_names,
    isle_name,
    ship_id,
)


def explorer_choice(view: View, explorer: int) -> Choice:
    """An explorer: "U3 (5)", "forest, E5"."""
    name, value = explorer_name(explorer), view.values[explorer]
    label = (
        literal(name)
        if value is None
        else _("%(explorer)s, worth %(value)s", explorer=name, value=value)
    )
    return Choice(
        name,
        label,
        whereabouts(view, explorer),
        element_id=explorer_id(explorer),
        icon=explorer_icon(explorer),
    )


def whereabouts(view: View, explorer: int) -> Text:
    """ "in the ship on D5"."""
    place = view.board.where[explorer]
    hex_ = NAMES[place % ABOARD]
    if place >= ABOARD:
        return _("on the ship at %(hex)s", hex=hex_)
    terrain = view.board.map[place]
    if terrain == SEA:
        return _("in the water at %(hex)s", hex=hex_)
    return literal("%(terrain)s, %(hex)s", terrain=TERRAIN_NAMES[terrain], hex=hex_)


def ship_choice(view: View, hex_: int, value: str) -> Choice:
    """A ship: "ship on D5", "with U1, V3"."""
    aboard = crew(view.board, hex_)
    return Choice(
        value,
        _("ship at %(hex)s", hex=NAMES[hex_]),
        _("carrying %(explorers)s", explorers=explorer_names(aboard)) if aboard else _("empty"),
        element_id=ship_id(hex_),
        icon="ship",
    )


def step_label(board: Board, step: Step) -> Text:
    """Describe a step in a few words."""
    who = "" if step.verb is Verb.SAIL else explorer_name(step.who)
    match step.verb:
        case Verb.WALK:
            terrain = TERRAIN_NAMES[board.map[step.to]]
            return _(
                "%(explorer)s moves to %(hex)s (%(terrain)s)",
                explorer=who,
                hex=NAMES[step.to],
                terrain=terrain,
            )
        case Verb.BOARD:
            return _("%(explorer)s boards the ship at %(hex)s", explorer=who, hex=NAMES[step.to])
        case Verb.SWIM:
            return _("%(explorer)s enters the water at %(hex)s", explorer=who, hex=NAMES[step.to])
        case Verb.ASHORE:
            return _(
                "%(explorer)s lands on the isle %(isle)s", explorer=who, isle=isle_name(step.to)
            )
        case Verb.SAIL:
            return _(
                "the ship at %(start)s sails to %(hex)s", start=NAMES[step.who], hex=NAMES[step.to]
            )
