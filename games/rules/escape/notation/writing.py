"""Moves written down in the notation, and how it is explained."""

from ...guidance import in_words_of
from ...text import Text, Translate, _
from .. import model
from ..board import sinkable, to_place
from ..names import explorer_name, place_name
from ..rules import command_of


def describe(move: model.Command | model.Event, view: model.View) -> str:
    """The move in notation; "" for an event that is only the consequence of one."""
    match move:
        case model.Turn():
            return ", ".join(_orders(move))
        case model.Place(value=value, hex=hex_):
            return f"place {value} {place_name(hex_)}"
        case model.Launch(hex=hex_):
            return f"ship {place_name(hex_)}"
        case model.Crew(explorers=explorers):
            return " ".join(["crew", *map(explorer_name, explorers)])
        case model.Steer():
            return _steer(move, view.board.rolled)
        case model.Steered(creature=creature):
            found = command_of(move)
            return _steer(found[1], creature) if found and isinstance(found[1], model.Steer) else ""
        case model.Defend(defend=defend):
            return "defend" if defend else "allow"
        case model.Plan():
            return _plan(move)
        case model.Standing(creature=creature, at_least=at_least):
            return f"standing {creature} {_threshold(at_least)}"
        case _:
            found = command_of(move)
            return describe(found[1], view) if found else ""


def describe_step(step: model.Step) -> str:
    """ "V3 ship D6"."""
    who, to = (
        explorer_name(step.who) if step.verb is not model.Verb.SAIL else "",
        place_name(step.to),
    )
    match step.verb:
        case model.Verb.WALK:
            return f"{who} {to}"
        case model.Verb.BOARD:
            return f"{who} ship {to}"
        case model.Verb.SWIM:
            return f"{who} swim {to}"
        case model.Verb.ASHORE:
            return f"{who} isle"
        case model.Verb.SAIL:
            return f"sail {place_name(step.who)} {to}"


def _orders(turn: model.Turn) -> list[str]:
    words: list[str] = []
    if turn.play is not None:
        tile, start, to = turn.play.tile, turn.play.start, place_name(turn.play.to)
        if tile is model.Back.DOLPHIN:
            words.append(f"dolphin {explorer_name(start)} {to}")
        else:
            words.append(f"{tile} {place_name(start)} {to}")
    words.extend(describe_step(step) for step in turn.steps)
    if turn.sink is not None:
        words.append(f"sink {place_name(turn.sink)}")
    if turn.roll:
        words.append("roll")
    return words


def _steer(steer: model.Steer, creature: model.Creature | None) -> str:
    if steer.start is None or steer.to is None:
        return "stay"
    return f"{creature or 'creature'} {place_name(steer.start)} {place_name(steer.to)}"


def _plan(plan: model.Plan) -> str:
    words = [f"{wish.value} {place_name(wish.hex)}" for wish in plan.wishes]
    words.extend(f"ship {place_name(hex_)}" for hex_ in plan.ships)
    if plan.preset is not None:
        words.append(plan.preset.value)
    return "plan " + (", ".join(words) or "none")


def _threshold(at_least: int | None) -> str:
    if at_least is None:
        return "ask"
    return {0: "never", 1: "always"}.get(at_least, f"from {at_least}")


# Translators: the words of moves, as players type them; keep their order, one word for each.
WORDS = _(
    "place ship plan coast inland spread sink roll sail swim isle dolphin wind move serpent shark "
    "whale crew stay defend allow standing always never ask"
)


def localised(line: str, translate: Translate) -> str:
    """A line of `describe` with the words of the reader's language."""
    return in_words_of(line, WORDS, translate)


def example(view: model.View) -> Text:
    """Return an example of an answer to the viewer's question, or of an order in advance."""
    board, seat = view.board, view.viewer
    asked = seat is not None and seat in view.to_act
    match board.stage:
        case model.SetupStage() if not asked:
            return _("plan coast")
        case model.SetupStage():
            return _("place 5 E5") if to_place(board) is not None else _("ship D4")
        case _ if not asked:
            return _("standing shark always")
        case model.CrewStage():
            return _("crew V1 V2 V4")
        case model.CreatureStage():
            return _("stay")
        case model.DefenceStage(creature=creature) if seat is not None:
            holds = model.DEFENCES[creature] in (view.kept[seat] or ())
            return _("defend") if holds else _("allow")
        case _:
            return _("V3 E6, sink F4") if sinkable(board) else _("V3 E6, roll")


def help_lines() -> tuple[Text, ...]:
    """Return lines that explain how to write a move."""
    return (
        _(
            "A turn is a list of steps and the tile to sink, separated by commas: V3 E6, V3 ship "
            "D6, sink F4"
        ),
        _(
            "Move an explorer to a tile: V3 E6 – onto a ship: V3 ship D6 – into the water: V3 swim "
            "D6"
        ),
        _("Land on an isle from a hex next to it: V3 isle – move a ship: sail D6 C5"),
        _("Play a kept tile first: dolphin V3 D5 – wind D4 B5 – move shark D4 B6"),
        _("When there are no tiles left to sink, end with: roll"),
        _("After the roll, move a creature: whale D4 D6 – or leave it: stay"),
        _("When you are attacked: defend – or: allow"),
        _("When a ship appears among more than three swimmers: crew V1 V2 V4"),
        _("During setup: place 5 E5 – later: ship D4"),
        _(
            "Plan your setup in advance: plan 6 E5, 5 D5, ship D4, coast. End with coast, inland "
            "or spread to have the rest placed for you: high values on the coast, high values "
            "inland, or spread out."
        ),
        _("Standing orders for attacks: standing shark always – never – from 2 – ask"),
        _("Capitals do not matter, and you can leave out the commas."),
    )
