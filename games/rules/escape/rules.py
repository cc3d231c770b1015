"""The rules: what a command leads to, and whether it may be given.

`decide` checks a command and returns the events up to the next question that a player must answer:
forced moves, planned placements and standing answers are carried out on the way.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import assert_never

from ..contract import Chance, Outcome
from . import defence, model, placing
from .action_tiles import legal_plays
from .board import acting, sinkable, swimmers
from .creatures import check_steer, harm_on, legal_steers, on_the_die
from .defence import question as question
from .event_builder import EventBuilder, end_if_nobody_is_left, next_turn, scores
from .evolve import evolve as evolve
from .evolve import fold as fold
from .options import check_options as check_options
from .options import read_options
from .simulation import simulate
from .sinking import sink
from .steps import legal_steps
from .validation import check_command
from .view import view as view
from .view import visible as visible


def setup(options: Mapping[str, str], seats: int, chance: Chance) -> tuple[model.Event, ...]:
    """The first event of a game; `options` have passed check_options."""
    order = tuple(range(seats))
    if options["order"] == "random":
        order = chance.shuffle(order)
    return (model.Prepared(order, chance.shuffle(model.BOX), read_options(options)),)


def recorded_chance(events: Iterable[model.Event]) -> tuple[tuple[object, ...] | int, ...]:
    """Return the results of chance in the events of a setup or a move, in the order drawn."""
    given: list[tuple[object, ...] | int] = []
    for event in events:
        match event:
            case model.Prepared(order=order, tiles=tiles, options=options):
                given.extend((tiles,) if options.seated else (order, tiles))
            case model.Planned(values=values) if values:
                given.append(values)
            case model.Rolled(creature=creature):
                given.append(model.FACES.index(creature))
            case _:
                pass
    return tuple(given)


def is_reversible(events: Iterable[model.Event]) -> bool:
    """Return whether these events are a placement by hand, or steps that met nothing."""
    for event in events:
        match event:
            case model.Placed(auto=False) | model.Launched(auto=False):
                continue
            case model.Turned() | model.Stepped() | model.Began():
                continue
            case _:
                return False
    return True


def initial() -> model.State:
    """The empty board."""
    return model.State()


def to_act(state: model.State) -> tuple[int, ...]:
    """The seats that are asked now."""
    return acting(state.board)


def turn_number(state: model.State) -> int:
    """Return the number of turns begun; orders, a crew and a creature are parts of a turn."""
    return state.board.turn


def outcome(state: model.State) -> Outcome | None:
    """The scores and winners once the game is over."""
    return state.board.outcome


def points(state: model.State) -> tuple[int, ...]:
    """Return per seat what the explorers that it has saved so far are worth."""
    return scores(state)


def decide(
    state: model.State, seat: int, command: model.Command, chance: Chance
) -> tuple[model.Event, ...]:
    """The events of this command of this seat; IllegalMove says why it may not be given."""
    seen = view(state, seat)
    check_command(seen, command)
    builder = EventBuilder(state, chance)
    match command:
        case model.Plan():
            placing.plan(builder, seat, command)
        case model.Standing():
            defence.leave_standing(builder, seat, command)
        case model.Place():
            placing.place(builder, seat, command)
        case model.Launch():
            placing.launch(builder, seat, command)
        case model.Turn():
            _turn(builder, seen, seat, command)
        case model.Crew(explorers=explorers):
            builder.add(model.Boarded(seat, tuple(sorted(explorers))))
            _roll(builder, seat)
        case model.Steer():
            _steer(builder, seat, command)
        case model.Defend(defend=defend):
            builder.add(model.Answered(seat, defend))
        case _:
            assert_never(command)
    _go_on(builder)
    return tuple(builder.events)


def _turn(builder: EventBuilder, seen: model.View, seat: int, orders: model.Turn) -> None:
    builder.add(model.Turned(seat, orders))
    for event in simulate(seen, orders).events:
        builder.add(event)
    if end_if_nobody_is_left(builder):
        return
    if orders.sink is not None:
        _sink(builder, seat, orders.sink)
    elif orders.roll:
        _roll(builder, seat)


def _sink(builder: EventBuilder, seat: int, hex_: int) -> None:
    sink(builder, seat, hex_)
    if not builder.over and not isinstance(builder.board.stage, model.CrewStage):
        _roll(builder, seat)


def _roll(builder: EventBuilder, seat: int) -> None:
    builder.add(model.Rolled(seat, model.FACES[builder.chance.roll(len(model.FACES))]))


def _steer(builder: EventBuilder, seat: int, command: model.Steer) -> None:
    creature = on_the_die(builder.board)
    if command.start is None and command.to is None:
        builder.add(model.Steered(seat, creature))
        next_turn(builder)
        return
    way = check_steer(builder.board, command)
    harm = harm_on(builder.board, creature, way[-1])
    builder.add(model.Steered(seat, creature, command.start, way))
    if harm is not None:
        if defence.alert(builder, seat, creature, way[-1]):
            return
        builder.add(harm)
    next_turn(builder)


def _go_on(builder: EventBuilder) -> None:
    """Carry out everything without a choice, until a player is asked or the game is over."""
    while True:
        board = builder.board
        match board.stage:
            case model.SetupStage():
                if not placing.proceed(builder):
                    if acting(board):
                        return
                    next_turn(builder)
            case model.TurnStage(seat):
                if has_choice(board, seat):
                    return
                tiles = sinkable(board)
                if tiles:
                    _sink(builder, seat, tiles[0])
                else:
                    _roll(builder, seat)
            case model.CreatureStage():
                if next(legal_steers(board), None) is not None:
                    return
                next_turn(builder)
            case model.DefenceStage() as attack:
                if not defence.settle(builder, attack):
                    return
                next_turn(builder)
            case model.CrewStage() | model.OverStage():
                return


def has_choice(board: model.Board, seat: int) -> bool:
    """Return whether the seat has anything to decide before a tile sinks.

    A seat with kept tiles is asked for the tile step even where none of them can be played, so
    that the question reveals nothing.
    """
    if board.held[seat] and not board.tiled:
        return True
    if next(legal_steps(board, seat), None) is not None:
        return True
    return len(sinkable(board)) > 1


# -- what is legal, from what the seat may know ------------------------------------------------


def legal_commands(state: model.State, seat: int) -> Iterator[model.Command]:
    """Every command the seat may give now, one thing at a time: orders of a turn as single tiles,
    steps and sinkings. Plans and standing answers, which change nothing on the board, are not
    listed.
    """
    seen = view(state, seat)
    board = seen.board
    if seat not in seen.to_act:
        return
    match board.stage:
        case model.SetupStage():
            yield from placing.legal_places(board, seen.values)
            yield from placing.legal_launches(board)
        case model.TurnStage():
            yield from _legal_orders(board, seat, seen.kept[seat] or ())
        case model.CrewStage(site=site):
            for explorers in combinations(swimmers(board, site), model.ROOM):
                yield model.Crew(explorers)
        case model.CreatureStage():
            yield model.Steer()
            yield from legal_steers(board)
        case model.DefenceStage(creature=creature):
            yield model.Defend(False)
            if model.DEFENCES[creature] in (seen.kept[seat] or ()):
                yield model.Defend(True)
        case model.OverStage():
            return


def _legal_orders(
    board: model.Board, seat: int, tiles: Sequence[model.Back]
) -> Iterator[model.Turn]:
    """Single orders of a turn; tiles: those that the seat keeps."""
    for play in legal_plays(board, seat, tiles):
        yield model.Turn(play=play)
    for step in legal_steps(board, seat):
        yield model.Turn(steps=(step,))
    to_sink = sinkable(board)
    for hex_ in to_sink:
        yield model.Turn(sink=hex_)
    if not to_sink:
        yield model.Turn(roll=True)


def is_order(command: model.Command) -> bool:
    """Return whether the command is a plan or a standing answer, which its seat alone knows of."""
    return isinstance(command, model.Plan | model.Standing)


def due_command(state: model.State, seat: int) -> model.Defend | None:
    """The answer to an attack that the seat left in advance, if it is asked."""
    attack = state.board.stage
    if not isinstance(attack, model.DefenceStage) or seat not in attack.asked:
        return None
    answer = defence.answer_in_advance(state, attack, seat)
    return None if answer is None else model.Defend(answer)


def standing_orders(
    state: model.State, seat: int
) -> tuple[tuple[model.Command, model.Command], ...]:
    """The plan for the setup and the standing answers of this seat, each with what withdraws it."""
    found: list[tuple[model.Command, model.Command]] = [
        (model.Standing(creature, at_least), model.Standing(creature, None))
        for creature, at_least in zip(
            (model.Creature.SHARK, model.Creature.WHALE), state.standing[seat], strict=True
        )
        if at_least is not None
    ]
    plan = state.plans[seat] if state.board.is_setup else None
    return (*found, *([(plan, model.Plan())] if plan is not None else []))


def command_of(event: model.Event) -> tuple[int, model.Command] | None:
    """(seat, command) for the first event of a move, None for consequences and setup."""
    match event:
        case model.Placed(seat=seat, hex=hex_, value=value, auto=False) if value is not None:
            return seat, model.Place(value, hex_)
        case model.Launched(seat=seat, hex=hex_, auto=False):
            return seat, model.Launch(hex_)
        case model.Planned(seat=seat, plan=plan) if plan is not None:
            return seat, plan
        case model.Ordered(seat=seat, standing=standing) if standing is not None:
            return seat, standing
        case model.Turned(seat=seat, orders=orders):
            return seat, orders
        case model.Boarded(seat=seat, explorers=explorers):
            return seat, model.Crew(explorers)
        case model.Steered(seat=seat, start=start, way=way):
            return seat, model.Steer(start, way[-1] if way else None)
        case model.Answered(seat=seat, defend=defend, auto=False) if defend is not None:
            return seat, model.Defend(defend)
        case _:
            return None
