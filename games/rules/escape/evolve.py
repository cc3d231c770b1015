"""Folding events into a state: facts only, no rules and no chance, and never a refusal.

The commonest events come first in the `match`, as a whole game is folded at every move.
"""

from collections.abc import Iterable
from typing import assert_never

from msgspec.structs import replace

from ..contract import Outcome
from ..tuples import add, having, lacking, moved, put
from . import model
from .hexes import HEXES, LAND, LAND_INDEX, SERPENT_LAIRS

Kept = tuple[tuple[model.Back, ...], ...]  # face-down tiles per seat


def evolve(state: model.State, event: model.Event) -> model.State:
    """The state after one more fact."""
    board = state.board
    match event:
        case model.Stepped(step=step, start=start):
            board = stepped(board, step, start)
        case model.Turned():
            return state
        case model.Sank():
            return _sunk(state, event)
        case model.Began():
            board = _begun(board, event)
            if state.answers:
                return replace(state, board=board, answers=())
        case model.Rolled(seat=seat, creature=creature):
            board = replace(board, stage=model.CreatureStage(seat, creature))
        case model.Steered(creature=creature, start=start, way=way):
            if start is not None:
                board = _swum(board, creature, start, way[-1])
        case model.Placed():
            return _placed(state, event)
        case model.Harmed():
            board = harmed(board, event)
        case model.Appeared():
            board = _appeared(board, event)
        case model.Whirled():
            board = _whirled(board, event)
        case model.Launched():
            return _launched(state, event)
        case model.Played():
            return _played(state, event)
        case model.Alerted(creature=creature, hex=hex_, seats=seats):
            mover = _active(board)
            board = replace(board, stage=model.DefenceStage(mover, creature, hex_, seats))
        case model.Answered():
            return _answered(state, event)
        case model.Defended():
            return _defended(state, event)
        case model.Boarded():
            board = _boarded(board, event)
        case model.Erupted(lost=gone) | model.Drowned(lost=gone):
            board = replace(board, where=moved(board.where, gone, model.LOST))
        case model.Planned():
            return _planned(state, event)
        case model.Ordered():
            return _ordered(state, event)
        case model.Ended():
            board = _ended(board, event)
        case model.Prepared():
            return _prepared(event)
        case _:
            assert_never(event)
    return replace(state, board=board)


def fold(state: model.State, events: Iterable[model.Event]) -> model.State:
    """The state after these facts."""
    for event in events:
        state = evolve(state, event)
    return state


def stepped(board: model.Board, step: model.Step, start: int) -> model.Board:
    """The board after a step, before any harm that comes of it."""
    verb, who, to = step.verb, step.who, step.to
    where, ships, swam = board.where, board.ships, board.swam
    if verb is model.Verb.WALK:
        where = put(where, who, to)
    elif verb is model.Verb.SAIL:
        where, ships = _sailed(board, start, to)
    elif verb is model.Verb.SWIM:
        where = put(where, who, to)
        swam |= 1 << who
    elif verb is model.Verb.BOARD:
        if where[who] < model.ABOARD and board.map[start] == model.SEA:
            swam |= 1 << who
        where = put(where, who, to + model.ABOARD)
    else:
        where = put(where, who, to + model.SAVED)
    return replace(board, where=where, ships=ships, swam=swam, steps=board.steps + 1, tiled=True)


def _sailed(board: model.Board, start: int, to: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(where everybody is, the ships) after a ship has gone from one hex to another with all
    aboard."""
    where, aboard = board.where, start + model.ABOARD
    if aboard in where:
        where = tuple([to + model.ABOARD if place == aboard else place for place in where])
    return where, having(lacking(board.ships, start), to)


def harmed(board: model.Board, event: model.Harmed) -> model.Board:
    """The board after a creature has done harm."""
    where, ships, gone = board.where, board.ships, board.gone
    if event.ship:
        ships = lacking(ships, event.hex)
        gone = (gone[0] + 1, *gone[1:])
    where = moved(moved(where, event.lost, model.LOST), event.overboard, event.hex)
    swam = board.swam
    for explorer in event.overboard:
        swam |= 1 << explorer
    return replace(board, where=where, ships=ships, gone=gone, swam=swam)


def _begun(board: model.Board, event: model.Began) -> model.Board:
    return replace(
        board,
        stage=model.TurnStage(event.seat),
        turn=event.turn,
        steps=0,
        swam=0,
        tiled=False,
    )


def _active(board: model.Board) -> int:
    """The seat whose turn it is; ValueError where nobody has a turn."""
    if board.active is None:
        raise ValueError("nobody has a turn")
    return board.active


# -- the setup -----------------------------------------------------------------------------


def _prepared(event: model.Prepared) -> model.State:
    seats = len(event.order)
    colours = 2 * seats if event.options.two_colours else seats
    letters = [model.SEA] * len(HEXES)
    for hex_, tile in zip(LAND, event.tiles, strict=True):
        letters[hex_] = tile.terrain
    board = model.Board(
        seats=seats,
        colours=colours,
        options=event.options,
        order=event.order,
        map="".join(letters),
        where=(model.IN_HAND,) * (colours * model.EACH),
        serpents=SERPENT_LAIRS,
        supply=(model.SHIPS - 2 * colours, model.SHARKS, model.WHALES),
        held=(0,) * seats,
    )
    return model.State(
        board=board,
        values=(0,) * (colours * model.EACH),
        backs=tuple(tile.back for tile in event.tiles),
        kept=((),) * seats,
        standing=((None, None),) * seats,
        plans=(None,) * seats,
        shuffled=((),) * seats,
    )


def _placed(state: model.State, event: model.Placed) -> model.State:
    board = replace(state.board, where=put(state.board.where, event.explorer, event.hex))
    value = event.value or 0
    values = put(state.values, event.explorer, value)
    plan = state.plans[event.seat]
    if plan is None or not event.auto:
        return replace(state, board=board, values=values)
    wishes = list(plan.wishes)
    for wish in wishes:
        if (wish.value, wish.hex) == (value, event.hex):
            wishes.remove(wish)
            break
    plan = _or_none(replace(plan, wishes=tuple(wishes)))
    return replace(state, board=board, values=values, plans=put(state.plans, event.seat, plan))


def _launched(state: model.State, event: model.Launched) -> model.State:
    board = replace(state.board, ships=having(state.board.ships, event.hex))
    plan = state.plans[event.seat]
    if plan is None or not event.auto:
        return replace(state, board=board)
    ships = tuple(ship for ship in plan.ships if ship != event.hex)
    plan = _or_none(replace(plan, ships=ships))
    return replace(state, board=board, plans=put(state.plans, event.seat, plan))


def _planned(state: model.State, event: model.Planned) -> model.State:
    plan = None if event.plan is None else _or_none(event.plan)
    return replace(
        state,
        plans=put(state.plans, event.seat, plan),
        shuffled=put(state.shuffled, event.seat, event.values),
    )


def _or_none(plan: model.Plan) -> model.Plan | None:
    """The plan; None for one that is used up or empty."""
    return plan if plan.wishes or plan.ships or plan.preset else None


# -- kept tiles ----------------------------------------------------------------------------


def _played(state: model.State, event: model.Played) -> model.State:
    board = played(state.board, event)
    return replace(state, board=board, kept=_spent(state.kept, event.seat, event.tile))


def _spent(kept: Kept, seat: int, tile: model.Back) -> Kept:
    return put(kept, seat, lacking(kept[seat], tile))


def played(board: model.Board, event: model.Played | model.Harmed) -> model.Board:
    """The board after a kept tile, or after the harm that came of it."""
    if isinstance(event, model.Harmed):
        return harmed(board, event)
    to = event.way[-1]
    where, ships = board.where, board.ships
    if event.tile is model.Back.DOLPHIN:
        where = put(where, event.start, to)
    elif event.tile is model.Back.WIND:
        where, ships = _sailed(board, event.start, to)
    else:
        board = _swum(board, model.MOVES[event.tile], event.start, to)
    return replace(
        board,
        where=where,
        ships=ships,
        tiled=True,
        spent=(*board.spent, event.tile),
        held=add(board.held, event.seat, -1),
    )


# -- tiles that sink -----------------------------------------------------------------------


def _sunk(state: model.State, event: model.Sank) -> model.State:
    board = state.board
    map_ = board.map[: event.hex] + model.SEA + board.map[event.hex + 1 :]
    dry = None if map_.strip(model.SEA) else board.turn
    spent, held, kept = board.spent, board.held, state.kept
    if event.kept:
        held = add(held, event.seat, 1)
        if event.back is not None:
            kept = put(kept, event.seat, (*kept[event.seat], event.back))
    elif event.back is not None:
        spent = (*spent, event.back)
    board = replace(board, map=map_, dry=dry, spent=spent, held=held)
    backs = put(state.backs, LAND_INDEX[event.hex], None)
    return replace(state, board=board, backs=backs, kept=kept)


def _appeared(board: model.Board, event: model.Appeared) -> model.Board:
    ships, sharks, whales = board.supply
    if event.piece is model.Back.SHARK:
        return replace(
            board, sharks=having(board.sharks, event.hex), supply=(ships, sharks - 1, whales)
        )
    if event.piece is model.Back.WHALE:
        return replace(
            board, whales=having(board.whales, event.hex), supply=(ships, sharks, whales - 1)
        )
    return replace(
        board,
        ships=having(board.ships, event.hex),
        supply=(ships - 1, sharks, whales),
        where=moved(board.where, event.aboard, event.hex + model.ABOARD),
        stage=model.CrewStage(_active(board), event.hex) if event.crowd else board.stage,
    )


def _whirled(board: model.Board, event: model.Whirled) -> model.Board:
    ships, serpents, sharks, whales = board.gone
    return replace(
        board,
        where=moved(board.where, event.explorers, model.LOST),
        ships=lacking(board.ships, *event.ships),
        serpents=lacking(board.serpents, *event.serpents),
        sharks=lacking(board.sharks, *event.sharks),
        whales=lacking(board.whales, *event.whales),
        gone=(
            ships + len(event.ships),
            serpents + len(event.serpents),
            sharks + len(event.sharks),
            whales + len(event.whales),
        ),
    )


def _boarded(board: model.Board, event: model.Boarded) -> model.Board:
    stage = board.stage
    if not isinstance(stage, model.CrewStage):
        raise ValueError("no ship waits for its crew")
    return replace(
        board,
        where=moved(board.where, event.explorers, stage.site + model.ABOARD),
        stage=model.TurnStage(event.seat),  # the roll follows
    )


# -- creatures, and the defence against them -----------------------------------------------


def _ordered(state: model.State, event: model.Ordered) -> model.State:
    standing = event.standing
    if standing is None:
        return state
    shark, whale = state.standing[event.seat]
    if standing.creature is model.Creature.WHALE:
        whale = standing.at_least
    else:
        shark = standing.at_least
    return replace(state, standing=put(state.standing, event.seat, (shark, whale)))


def _answered(state: model.State, event: model.Answered) -> model.State:
    attack = state.board.stage
    if not isinstance(attack, model.DefenceStage):
        raise ValueError("nobody is asked to defend")
    asked = tuple(seat for seat in attack.asked if seat != event.seat)
    return replace(
        state,
        board=replace(state.board, stage=replace(attack, asked=asked)),
        answers=(*state.answers, (event.seat, bool(event.defend))),
    )


def _defended(state: model.State, event: model.Defended) -> model.State:
    board, tile = state.board, model.DEFENCES[event.creature]
    ships, serpents, sharks, whales = board.gone
    if event.creature is model.Creature.SHARK:
        board = replace(board, sharks=lacking(board.sharks, event.hex))
        sharks += 1
    else:
        board = replace(board, whales=lacking(board.whales, event.hex))
        whales += 1
    board = replace(
        board,
        gone=(ships, serpents, sharks, whales),
        spent=(*board.spent, tile),
        held=add(board.held, event.seat, -1),
    )
    return replace(state, board=board, kept=_spent(state.kept, event.seat, tile), answers=())


def _swum(board: model.Board, creature: model.Creature, start: int, to: int) -> model.Board:
    field = {"serpent": "serpents", "shark": "sharks", "whale": "whales"}[creature]
    return replace(board, **{field: having(lacking(getattr(board, field), start), to)})


# -- the end -------------------------------------------------------------------------------


def _ended(board: model.Board, event: model.Ended) -> model.Board:
    return replace(
        board,
        stage=model.OverStage(),
        cause=event.cause,
        outcome=Outcome(event.scores, event.winners),
    )
