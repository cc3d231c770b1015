"""The form of a turn: a kept tile, steps one after another, the tile that sinks."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ...move_form import Choice, FormBuilder, FormField, UnansweredError
from ...text import Text, _, literal
from .. import model
from ..action_tiles import ends, legal_plays, starts
from ..board import anybody_out, crew, sinkable
from ..hexes import NAMES
from ..names import (
    A_CREATURE,
    BACKS,
    CREATURES,
    TERRAIN_NAMES,
    back_icon,
    creature_id,
    explorer_icon,
    explorer_id,
    explorer_name,
    explorer_names,
    hex_id,
    isle_id,
    isle_name,
    ship_id,
)
from ..notation import describe_step
from ..simulation import simulate, simulated_view
from ..steps import legal_steps
from ..svg.recent import traces

NOBODY = "none"
BACK = "back"
SINK = "sink "


def turn(builder: FormBuilder[model.View], view: model.View) -> model.Turn:
    """The orders of a turn; the view of the builder is redrawn after each part of them."""
    orders = model.Turn()
    if not view.board.tiled:
        play = _tile(builder, view)
        if play is not None:
            orders = model.Turn(play)
            _redraw(builder, view, orders)
    number = view.board.steps
    while True:
        number += 1
        here = builder.view or view
        step = _step(builder, here, number)
        if not isinstance(step, model.Step):
            return replace(orders, sink=step, roll=not sinkable(here.board))
        orders = replace(orders, steps=(*orders.steps, step))
        _redraw(builder, view, orders)


def _redraw(builder: FormBuilder[model.View], view: model.View, orders: model.Turn) -> None:
    """Show the position after these orders, and how the pieces came there."""
    simulation = simulate(view, orders)
    builder.view = simulated_view(view, simulation)
    builder.marks = tuple(traces(simulation.events))


# -- the tile --------------------------------------------------------------------------------


def _tile(builder: FormBuilder[model.View], view: model.View) -> model.Play | None:
    board, seat = view.board, view.seat
    tiles = view.kept[seat] or ()
    usable = sorted(
        {play.tile for play in legal_plays(board, seat, tiles)}, key=list(model.Back).index
    )
    if not usable:
        return None
    chosen = builder.one(
        "tile",
        _("Play a kept tile first?"),
        [
            Choice(NOBODY, _("No, keep them all")),
            *(
                Choice(tile.value, BACKS[tile], _USES[tile], icon=back_icon(tile))
                for tile in usable
            ),
        ],
        default=NOBODY,
    )
    if chosen == NOBODY:
        return None
    tile = model.Back(chosen)
    who = builder.one("tile_who", _whom(tile), list(_moved_by(view, tile)))
    start = next(start for start in starts(board, seat, tile) if _name(tile, start) == who)
    to = builder.one(
        "tile_to",
        _("Where to?"),
        [
            Choice(NAMES[hex_], literal(NAMES[hex_]), element_id=hex_id(hex_))
            for hex_ in sorted(ends(board, tile, start))
        ],
        invalid_message=_("It cannot move there. Choose another hex."),
        redraws=True,
    )
    return model.Play(tile, start, NAMES.index(to))


_USES: dict[model.Back, Text] = {
    model.Back.DOLPHIN: _("carries one of your swimmers up to three hexes"),
    model.Back.WIND: _("moves a ship up to three hexes"),
    model.Back.MOVE_SERPENT: _("to any free sea hex"),
    model.Back.MOVE_SHARK: _("to any free sea hex"),
    model.Back.MOVE_WHALE: _("to any free sea hex"),
}
assert set(_USES) == model.PLAYABLE and not model.PLAYABLE & set(model.DEFENCES.values())


def _whom(tile: model.Back) -> Text:
    if tile is model.Back.DOLPHIN:
        return _("Which swimmer does the dolphin carry?")
    if tile is model.Back.WIND:
        return _("Which ship does the wind move?")
    return _("You can move %(creature)s. Which one?", creature=A_CREATURE[model.MOVES[tile]])


def _name(tile: model.Back, start: int) -> str:
    return explorer_name(start) if tile is model.Back.DOLPHIN else NAMES[start]


def _moved_by(view: model.View, tile: model.Back) -> Iterable[Choice]:
    for start in starts(view.board, view.seat, tile):
        if not ends(view.board, tile, start):
            continue
        if tile is model.Back.DOLPHIN:
            yield explorer_choice(view, start)
        elif tile is model.Back.WIND:
            yield _ship_choice(view, start, NAMES[start])
        else:
            yield creature_choice(model.MOVES[tile], start)


# -- steps -----------------------------------------------------------------------------------


def _step(
    builder: FormBuilder[model.View], here: model.View, number: int
) -> model.Step | int | None:
    """The next step, or the hex to sink; None where nothing sinks and no step follows."""
    board = here.board
    steps = {}
    if number <= model.STEPS:
        steps = {describe_step(step): step for step in legal_steps(board, here.seat)}
    name = f"step{number}"
    given = builder.given(name)
    if given in steps:
        builder.one(
            name,
            _("Step %(number)s", number=number),
            [
                Choice(given, _step_label(board, steps[given])),
                Choice(BACK, _("Undo this step")),
            ],
            default=given,
            redraws=True,
        )
        return steps[given]
    if given is not None and given != BACK:
        builder.refuse(_("“%(step)s” is no longer possible.", step=given[:40]))
    # Numbered like its step, so that the answer of an earlier step does not move a piece again.
    who = _piece_or_tile(builder, here, f"who{number}", list(steps.values()))
    if who is None or who.startswith(SINK):
        return NAMES.index(who.removeprefix(SINK)) if who else None
    # Asked even where there is one way only: the piece alone does not make a step.
    builder.fields.append(
        FormField(
            name,
            "one",
            _("Where to?"),
            tuple(
                Choice(text, _step_label(board, step), element_id=step_id(step))
                for text, step in steps.items()
                if _mover(step) == who
            ),
            redraws=True,
        )
    )
    raise UnansweredError


def _piece_or_tile(
    builder: FormBuilder[model.View], here: model.View, name: str, steps: Sequence[model.Step]
) -> str | None:
    """The piece for the next step or the tile to sink, in one question; None for neither."""
    board = here.board
    tiles = sinkable(board) if anybody_out(board) else ()
    choices = [*_movers(here, steps), *map(_tile_choice, tiles)]
    if not choices:
        return None
    step = {"number": int(name[-1]), "count": model.STEPS}
    if not tiles:
        prompt = _("Step %(number)s of %(count)s: choose a piece.", **step)
        choices.insert(0, Choice(NOBODY, _("No more steps")))
    else:
        terrain = TERRAIN_NAMES[board.map[tiles[0]]]
        prompt = (
            _(
                "Step %(number)s of %(count)s: choose a piece, or a %(terrain)s tile to sink.",
                **step,
                terrain=terrain,
            )
            if steps
            else _("Which %(terrain)s tile do you want to sink?", terrain=terrain)
        )
    chosen = builder.one(
        name,
        prompt,
        choices,
        default=_default(choices, tiles),
        invalid_message=_("This tile cannot sink now. Choose another one.")
        if (builder.given(name) or "").startswith(SINK)
        else None,
    )
    return None if chosen == NOBODY else chosen


def _default(choices: Sequence[Choice], tiles: Sequence[int]) -> str | None:
    """The choice that needs no answer: the only tile that can sink, or no step."""
    return choices[-1].value if len(tiles) == 1 else None if tiles else NOBODY


def _tile_choice(hex_: int) -> Choice:
    name = NAMES[hex_]
    return Choice(f"{SINK}{name}", _("Sink %(hex)s", hex=name), element_id=hex_id(hex_))


def _mover(step: model.Step) -> str:
    return NAMES[step.who] if step.verb is model.Verb.SAIL else explorer_name(step.who)


def _movers(here: model.View, steps: Iterable[model.Step]) -> Iterable[Choice]:
    seen: set[str] = set()
    for step in steps:
        name = _mover(step)
        if name in seen:
            continue
        seen.add(name)
        if step.verb is model.Verb.SAIL:
            yield _ship_choice(here, step.who, name)
        else:
            yield explorer_choice(here, step.who)


def step_id(step: model.Step) -> str:
    """The board element that stands for where a step leads."""
    if step.verb is model.Verb.ASHORE:
        return isle_id(step.to)
    return ship_id(step.to) if step.verb is model.Verb.BOARD else hex_id(step.to)


# -- pieces as choices -----------------------------------------------------------------------


def explorer_choice(view: model.View, explorer: int) -> Choice:
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
        _whereabouts(view, explorer),
        element_id=explorer_id(explorer),
        icon=explorer_icon(explorer),
    )


def _whereabouts(view: model.View, explorer: int) -> Text:
    """ "in the ship on D5"."""
    place = view.board.where[explorer]
    hex_ = NAMES[place % model.ABOARD]
    if place >= model.ABOARD:
        return _("on the ship at %(hex)s", hex=hex_)
    terrain = view.board.map[place]
    if terrain == model.SEA:
        return _("in the water at %(hex)s", hex=hex_)
    return literal("%(terrain)s, %(hex)s", terrain=TERRAIN_NAMES[terrain], hex=hex_)


def _ship_choice(view: model.View, hex_: int, value: str) -> Choice:
    """A ship: "ship on D5", "with U1, V3"."""
    aboard = crew(view.board, hex_)
    return Choice(
        value,
        _("ship at %(hex)s", hex=NAMES[hex_]),
        _("carrying %(explorers)s", explorers=explorer_names(aboard)) if aboard else _("empty"),
        element_id=ship_id(hex_),
        icon="ship",
    )


def creature_choice(creature: model.Creature, hex_: int) -> Choice:
    return Choice(
        NAMES[hex_],
        _("%(creature)s at %(hex)s", creature=CREATURES[creature], hex=NAMES[hex_]),
        element_id=creature_id(creature, hex_),
        icon=creature.value,
    )


def _step_label(board: model.Board, step: model.Step) -> Text:
    """Describe a step in a few words."""
    who = "" if step.verb is model.Verb.SAIL else explorer_name(step.who)
    match step.verb:
        case model.Verb.WALK:
            terrain = TERRAIN_NAMES[board.map[step.to]]
            return _(
                "%(explorer)s moves to %(hex)s (%(terrain)s)",
                explorer=who,
                hex=NAMES[step.to],
                terrain=terrain,
            )
        case model.Verb.BOARD:
            return _("%(explorer)s boards the ship at %(hex)s", explorer=who, hex=NAMES[step.to])
        case model.Verb.SWIM:
            return _("%(explorer)s enters the water at %(hex)s", explorer=who, hex=NAMES[step.to])
        case model.Verb.ASHORE:
            return _(
                "%(explorer)s lands on the isle %(isle)s", explorer=who, isle=isle_name(step.to)
            )
        case model.Verb.SAIL:
            return _(
                "the ship at %(start)s sails to %(hex)s", start=NAMES[step.who], hex=NAMES[step.to]
            )
