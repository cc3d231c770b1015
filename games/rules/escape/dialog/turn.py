"""The form of a turn: a kept tile, steps one after another, the tile that sinks."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from ...asking import Asker, UnansweredError
from ...engine import Field, Option, Text, _
from ..board import anybody_out, sinkable
from ..hand import icon_of
from ..hexes import NAMES
from ..kept import ends, legal_plays, starts
from ..marks import creature_mark, hex_mark, isle_mark, ship_mark
from ..model import (
    DEFENCES,
    MOVES,
    PLAYABLE,
    STEPS,
    Back,
    Creature,
    Play,
    Step,
    Turn,
    Verb,
    View,
)
from ..notation import describe_step
from ..rehearsal import rehearse, rehearsed_view
from ..steps import legal_steps
from ..words import BACKS, CREATURES, TERRAIN_NAMES, explorer_name
from .pieces import explorer_option, ship_option, step_label

NOBODY = "none"
BACK = "back"


def turn(asker: Asker, view: View, redrawn: list[View]) -> Turn:
    """The orders of a turn; `redrawn` gets the position after each part of them."""
    orders = Turn()
    if not view.board.tiled:
        play = _tile(asker, view)
        if play is not None:
            orders = Turn(play)
            redrawn.append(_after(view, orders))
    first = view.board.steps + 1
    while True:
        here = redrawn[-1] if redrawn else view
        number = first + len(orders.steps)
        if number > STEPS:
            break
        step = _step(asker, here, f"step{number}")
        if step is None:
            break
        orders = replace(orders, steps=(*orders.steps, step))
        redrawn.append(_after(view, orders))
    here = redrawn[-1] if redrawn else view
    return _end(asker, here, orders)


def _after(view: View, orders: Turn) -> View:
    return rehearsed_view(view, rehearse(view, orders))


# -- the tile --------------------------------------------------------------------------------


def _tile(asker: Asker, view: View) -> Play | None:
    board, seat = view.board, view.viewer
    assert seat is not None, "somebody is asked"
    tiles = view.kept[seat] or ()
    usable = sorted({play.tile for play in legal_plays(board, seat, tiles)}, key=list(Back).index)
    if not usable:
        return None
    chosen = asker.one(
        "tile",
        _("Play a kept tile first?"),
        [
            Option(NOBODY, _("No, keep them")),
            *(Option(tile.value, BACKS[tile], _USES[tile], icon=icon_of(tile)) for tile in usable),
        ],
        default=NOBODY,
    )
    if chosen == NOBODY:
        return None
    tile = Back(chosen)
    who = asker.one("tile_who", _whom(tile), list(_moved_by(view, tile)))
    start = next(start for start in starts(board, seat, tile) if _name(tile, start) == who)
    to = asker.one(
        "tile_to",
        _("Where to?"),
        [
            Option(NAMES[hex_], _("%(hex)s", hex=NAMES[hex_]), mark=hex_mark(hex_))
            for hex_ in sorted(ends(board, tile, start))
        ],
        misfit=_("It cannot get there. Choose another hex."),
    )
    return Play(tile, start, NAMES.index(to))


_USES: dict[Back, Text] = {
    Back.DOLPHIN: _("carries an own swimmer up to three hexes"),
    Back.WIND: _("moves a ship up to three hexes"),
    Back.MOVE_SERPENT: _("to any free sea hex"),
    Back.MOVE_SHARK: _("to any free sea hex"),
    Back.MOVE_WHALE: _("to any free sea hex"),
}
assert set(_USES) == PLAYABLE and not PLAYABLE & set(DEFENCES.values())


def _whom(tile: Back) -> Text:
    if tile is Back.DOLPHIN:
        return _("Whom does the dolphin carry?")
    if tile is Back.WIND:
        return _("Which ship does the wind move?")
    return _("Which %(creature)s?", creature=CREATURES[MOVES[tile]])


def _name(tile: Back, start: int) -> str:
    return explorer_name(start) if tile is Back.DOLPHIN else NAMES[start]


def _moved_by(view: View, tile: Back) -> Iterable[Option]:
    assert view.viewer is not None, "somebody is asked"
    for start in starts(view.board, view.viewer, tile):
        if not ends(view.board, tile, start):
            continue
        if tile is Back.DOLPHIN:
            yield explorer_option(view, start)
        elif tile is Back.WIND:
            yield ship_option(view, start, NAMES[start])
        else:
            yield creature_option(MOVES[tile], start)


def creature_option(creature: Creature, hex_: int) -> Option:
    return Option(
        NAMES[hex_],
        _("%(creature)s on %(hex)s", creature=CREATURES[creature], hex=NAMES[hex_]),
        mark=creature_mark(creature, hex_),
        icon=creature.value,
    )


# -- steps -----------------------------------------------------------------------------------


def _step(asker: Asker, here: View, name: str) -> Step | None:
    """The next step; None where nobody else moves."""
    assert here.viewer is not None, "somebody is asked"
    steps = {describe_step(step): step for step in legal_steps(here.board, here.viewer)}
    if not steps:
        return None
    given = asker.given(name)
    if given in steps:
        asker.one(
            name,
            _("Step %(number)s", number=int(name[-1])),
            [
                Option(given, step_label(here.board, steps[given])),
                Option(BACK, _("Take this step back")),
            ],
            default=given,
        )
        return steps[given]
    if given is not None and given != BACK:
        asker.refuse(_("“%(step)s” is not possible any more.", step=given[:40]))
    # Numbered like its step, so that the answer of an earlier step does not move a piece again.
    who = asker.one(
        f"who{name[-1]}", _("Who moves?"), list(_movers(here, steps.values())), default=NOBODY
    )
    if who == NOBODY:
        return None
    # Asked even where there is one way only: the piece alone does not make a step.
    asker.fields.append(
        Field(
            name,
            "one",
            _("Where to?"),
            tuple(
                Option(text, step_label(here.board, step), mark=step_mark(step))
                for text, step in steps.items()
                if _mover(step) == who
            ),
        )
    )
    raise UnansweredError


def _mover(step: Step) -> str:
    return NAMES[step.who] if step.verb is Verb.SAIL else explorer_name(step.who)


def _movers(here: View, steps: Iterable[Step]) -> Iterable[Option]:
    yield Option(NOBODY, _("Nobody else"))
    seen: set[str] = set()
    for step in steps:
        name = _mover(step)
        if name in seen:
            continue
        seen.add(name)
        if step.verb is Verb.SAIL:
            yield ship_option(here, step.who, name)
        else:
            yield explorer_option(here, step.who)


def step_mark(step: Step) -> str:
    """The board element that stands for where a step leads."""
    if step.verb is Verb.ASHORE:
        return isle_mark(step.to)
    return ship_mark(step.to) if step.verb is Verb.BOARD else hex_mark(step.to)


# -- the end of the turn ------------------------------------------------------------------------


def _end(asker: Asker, here: View, orders: Turn) -> Turn:
    board = here.board
    tiles = sinkable(board)
    if not tiles or not anybody_out(board):
        return replace(orders, roll=not tiles)
    name = TERRAIN_NAMES[board.map[tiles[0]]]
    chosen = asker.one(
        "sink",
        _("Which tile sinks? (%(terrain)s)", terrain=name),
        [Option(NAMES[hex_], _("%(hex)s", hex=NAMES[hex_]), mark=hex_mark(hex_)) for hex_ in tiles],
        misfit=_("This tile cannot sink now. Choose another."),
    )
    return replace(orders, sink=NAMES.index(chosen))
