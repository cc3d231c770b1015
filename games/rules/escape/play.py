"""The rules: what a command leads to, and whether it may be given.

`decide` checks a command and tells the story that follows from it, up to the next question that
somebody must answer: forced moves, planned placements and standing answers are carried out on the
way. IllegalMove says why not, and nothing has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import assert_never

from ..engine import Chance
from . import defence, placing
from .board import acting, sinkable, swimmers, to_launch
from .creatures import check_steer, harm_on, legal_steers
from .endings import end_if_nobody_is_left, next_turn
from .kept import legal_plays
from .model import (
    BOX,
    DEFENCES,
    FACES,
    ROOM,
    STEPS,
    Answered,
    Board,
    Boarded,
    Command,
    Crew,
    Defend,
    Event,
    Launch,
    Launched,
    Ordered,
    Place,
    Placed,
    Plan,
    Planned,
    Prepared,
    Rolled,
    Stage,
    Standing,
    State,
    Steer,
    Steered,
    Turn,
    Turned,
    View,
)
from .options import read_options
from .rehearsal import rehearse
from .sinking import sink
from .steps import legal_steps
from .story import Story
from .trial import check_command
from .view import view


def setup(options: Mapping[str, str], seats: int, chance: Chance) -> tuple[Event, ...]:
    """The first event of a game; `options` have passed check_options."""
    order = tuple(range(seats))
    if options["order"] == "random":
        order = chance.shuffle(order)
    return (Prepared(order, chance.shuffle(BOX), read_options(options)),)


def luck(events: Iterable[Event]) -> tuple[tuple[object, ...] | int, ...]:
    """What chance gave in a setup or a move, in the order asked, read off its events."""
    given: list[tuple[object, ...] | int] = []
    for event in events:
        match event:
            case Prepared(order=order, tiles=tiles, options=options):
                given.extend((tiles,) if options.seated else (order, tiles))
            case Planned(values=values) if values:
                given.append(values)
            case Rolled(creature=creature):
                given.append(FACES.index(creature))
            case _:
                pass
    return tuple(given)


def decide(state: State, seat: int, command: Command, chance: Chance) -> tuple[Event, ...]:
    """What this command of this seat leads to; IllegalMove says why it may not be given."""
    seen = view(state, seat)
    check_command(seen, command)
    story = Story(state, chance)
    match command:
        case Plan():
            placing.plan(story, seat, command)
        case Standing():
            defence.leave_standing(story, seat, command)
        case Place():
            placing.place(story, seat, command)
        case Launch():
            placing.launch(story, seat, command)
        case Turn():
            _turn(story, seen, seat, command)
        case Crew(explorers=explorers):
            story.add(Boarded(seat, tuple(sorted(explorers))))
        case Steer():
            _steer(story, seat, command)
        case Defend(defend=defend):
            story.add(Answered(seat, defend))
        case _:
            assert_never(command)
    _go_on(story)
    return tuple(story.events)


def _turn(story: Story, seen: View, seat: int, orders: Turn) -> None:
    story.add(Turned(seat, orders))
    for event in rehearse(seen, orders).events:
        story.add(event)
    if end_if_nobody_is_left(story):
        return
    if orders.sink is not None:
        _sink(story, seat, orders.sink)
    elif orders.roll:
        _roll(story, seat)


def _sink(story: Story, seat: int, hex_: int) -> None:
    sink(story, seat, hex_)
    if not story.over:
        _roll(story, seat)


def _roll(story: Story, seat: int) -> None:
    story.add(Rolled(seat, FACES[story.chance.roll(len(FACES))]))


def _steer(story: Story, seat: int, command: Steer) -> None:
    creature = story.board.rolled
    assert creature is not None, "the die was rolled"
    if command.start is None and command.to is None:
        story.add(Steered(seat, creature))
        next_turn(story)
        return
    way = check_steer(story.board, command)
    harm = harm_on(story.board, creature, way[-1])
    story.add(Steered(seat, creature, command.start, way))
    if harm is not None:
        if defence.alert(story, creature, way[-1]):
            return
        story.add(harm)
    next_turn(story)


def _go_on(story: Story) -> None:
    """Carry out whatever nobody has a choice in, until somebody is asked or the game is over."""
    while True:
        board = story.board
        match board.stage:
            case Stage.SETUP:
                if not placing.proceed(story):
                    if acting(board):
                        return
                    next_turn(story)
            case Stage.TURN:
                seat = board.active
                assert seat is not None, "a turn belongs to a seat"
                if has_choice(board, seat):
                    return
                tiles = sinkable(board)
                if tiles:
                    _sink(story, seat, tiles[0])
                else:
                    _roll(story, seat)
            case Stage.CREATURE:
                if next(legal_steers(board), None) is not None:
                    return
                next_turn(story)
            case Stage.DEFENCE:
                if not defence.settle(story):
                    return
                next_turn(story)
            case Stage.CREW | Stage.OVER:
                return


def has_choice(board: Board, seat: int) -> bool:
    """Whether the seat has anything to decide before a tile sinks.

    Who holds kept tiles is asked for the tile step even where none of them can be played, so that
    being asked tells nothing.
    """
    if board.held[seat] and not board.tiled:
        return True
    if board.steps < STEPS and next(legal_steps(board, seat), None) is not None:
        return True
    return len(sinkable(board)) > 1


# -- what is legal, from what the seat may know ------------------------------------------------


def legal_commands(seen: View) -> Iterator[Command]:
    """Every command the viewer may give now, one thing at a time: orders of a turn as single
    tiles, steps and sinkings (`results` lists whole turns). Plans and standing answers, which
    change nothing on the board, are not listed.
    """
    board, seat = seen.board, seen.viewer
    if seat is None or seat not in seen.to_act:
        return
    match board.stage:
        case Stage.SETUP:
            yield from placing.legal_places(board, seen.values)
            if to_launch(board) is not None:
                for hex_ in placing.harbours(board):
                    yield Launch(hex_)
        case Stage.TURN:
            for play in legal_plays(board, seat, seen.kept[seat] or ()):
                yield Turn(play=play)
            for step in legal_steps(board, seat):
                yield Turn(steps=(step,))
            tiles = sinkable(board)
            for hex_ in tiles:
                yield Turn(sink=hex_)
            if not tiles:
                yield Turn(roll=True)
        case Stage.CREW:
            assert board.site is not None, "a ship came up among a crowd"
            for explorers in combinations(swimmers(board, board.site), ROOM):
                yield Crew(explorers)
        case Stage.CREATURE:
            yield Steer()
            yield from legal_steers(board)
        case Stage.DEFENCE:
            assert board.rolled is not None, "a creature has moved"
            yield Defend(False)
            if DEFENCES[board.rolled] in (seen.kept[seat] or ()):
                yield Defend(True)
        case Stage.OVER:
            return


def command_of(event: Event) -> tuple[int, Command] | None:
    """(seat, command) for the first event of a move, None for consequences and setup."""
    match event:
        case Placed(seat=seat, hex=hex_, value=value, auto=False) if value is not None:
            return seat, Place(value, hex_)
        case Launched(seat=seat, hex=hex_, auto=False):
            return seat, Launch(hex_)
        case Planned(seat=seat, plan=plan) if plan is not None:
            return seat, plan
        case Ordered(seat=seat, standing=standing) if standing is not None:
            return seat, standing
        case Turned(seat=seat, orders=orders):
            return seat, orders
        case Boarded(seat=seat, explorers=explorers):
            return seat, Crew(explorers)
        case Steered(seat=seat, start=start, way=way):
            return seat, Steer(start, way[-1] if way else None)
        case Answered(seat=seat, defend=defend, auto=False) if defend is not None:
            return seat, Defend(defend)
        case _:
            return None
