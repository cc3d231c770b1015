"""The features of a game. Together, the golden games must show all of them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.model import (
    MAINLAND,
    Bought,
    Drew,
    Ended,
    Event,
    Gap,
    Moved,
    Passed,
    Reshuffled,
    Settled,
    State,
)

WANTED = frozenset(
    {
        "a tile is sold",
        "a pass",
        "a pass with a figure on the mainland",
        "a reshuffle",
        "a reshuffle in the middle of a draw",
        "a bridge before the move",
        "a bridge after the move",
        "a bridge over the gap just made",
        "a bridged gap grows",
        "a bridged gap merges with an unbridged one",
        "two bridged gaps merge",
        "a bridge vanishes at Atlantis",
        "a bridge vanishes at the mainland",
        "two unbridged gaps merge",
        "a bridge is crossed by another seat",
        "tiles and cards pay together",
        "a payment with change lost",
        "a chain of four cards",
        "a chain to the mainland",
        "nothing is taken",
        "the space just left is taken",
        "the last figure comes from Atlantis",
        "a debt is paid exactly",
        "a debt is paid with change lost",
        "a debt is left",
        "everybody else has arrived or owes nothing",
        "the score of a seat is negative",
        "a shared win",
        "who ends the game does not win",
        "a long game",
        "a short game",
    }
)


def seen(events: Sequence[Event]) -> set[str]:
    """Which of WANTED this game shows."""
    return set(_all(events))


def _all(events: Sequence[Event]) -> Iterator[str]:
    state = ATLANTIS.rules.initial()
    builders: dict[int, int] = {}  # space of a bridge: the seat that built it
    for event, following in pairwise([*events, None]):
        assert event is not None
        after = ATLANTIS.rules.evolve(state, event)
        match event:
            case Bought():
                yield "a tile is sold"
            case Passed(seat):
                yield "a pass"
                if MAINLAND in state.figures[seat]:
                    yield "a pass with a figure on the mainland"
            case Drew(ends_turn=False) if isinstance(following, Reshuffled):
                yield "a reshuffle in the middle of a draw"
            case Reshuffled():
                yield "a reshuffle"
            case Moved():
                yield from _move(state, event, after, builders)
            case Settled():
                yield from _settlement(event)
            case Ended():
                yield from _ending(events, event, after)
            case _:
                pass
        state = after


def _move(state: State, event: Moved, after: State, builders: dict[int, int]) -> Iterator[str]:
    if event.bridge_before is not None:
        yield "a bridge before the move"
        builders[event.bridge_before] = event.seat
    old, new = _gaps(state, event.bridge_before), _gaps(after)
    for gap in old:
        if event.start < gap.first and gap.last < event.via[-1] and gap.bridged:
            owners = {seat for at, seat in builders.items() if gap.first <= at <= gap.last}
            if owners and event.seat not in owners:
                yield "a bridge is crossed by another seat"
    if event.bridge_after is not None:
        yield "a bridge after the move"
        builders[event.bridge_after] = event.seat
        if not any(gap.first <= event.bridge_after <= gap.last for gap in old):
            yield "a bridge over the gap just made"

    for gap in new:
        parts = [part for part in old if gap.first <= part.first <= gap.last]
        bridged = [part.bridged for part in parts]
        if len(parts) == 2:
            yield {
                0: "two unbridged gaps merge",
                1: "a bridged gap merges with an unbridged one",
                2: "two bridged gaps merge",
            }[sum(bridged)]
        elif bridged == [True] and (gap.first, gap.last) != (parts[0].first, parts[0].last):
            yield "a bridged gap grows"
    for gap in old:
        if gap.bridged and not any(part.first <= gap.first <= part.last for part in new):
            stacks = [space for space, stack in enumerate(after.path, 1) if stack]
            yield (
                "a bridge vanishes at Atlantis"
                if not stacks or gap.first < stacks[0]
                else "a bridge vanishes at the mainland"
            )

    paid = sum(tile.value for tile in event.paid_tiles) + len(event.paid_cards)
    if event.paid_tiles and event.paid_cards:
        yield "tiles and cards pay together"
    if paid > event.price:
        yield "a payment with change lost"
    if len(event.cards) >= 4:
        yield "a chain of four cards"
    if len(event.cards) > 1 and event.via[-1] == MAINLAND:
        yield "a chain to the mainland"
    if event.taken is None:
        yield "nothing is taken"
    elif event.taken_from == event.start:
        yield "the space just left is taken"
    if event.start == 0 and after.figures[event.seat] == (MAINLAND,) * 3:
        yield "the last figure comes from Atlantis"


def _gaps(state: State, bridge: int | None = None) -> tuple[Gap, ...]:
    """The gaps, with a bridge more where one is built before the move."""
    gaps = ATLANTIS.rules.view(state, None).gaps
    return tuple(
        Gap(gap.first, gap.last, 0, bridged=True)
        if bridge is not None and gap.first <= bridge <= gap.last
        else gap
        for gap in gaps
    )


def _settlement(event: Settled) -> Iterator[str]:
    paid = sum(tile.value for tile in event.paid_tiles) + len(event.paid_cards)
    if event.short:
        yield "a debt is left"
    elif paid > event.owed:
        yield "a debt is paid with change lost"
    elif event.owed:
        yield "a debt is paid exactly"


def _ending(events: Sequence[Event], event: Ended, after: State) -> Iterator[str]:
    if min(event.scores) < 0:
        yield "the score of a seat is negative"
    if len(event.winners) > 1:
        yield "a shared win"
    if not any(part.owed for part in after.settled):
        yield "everybody else has arrived or owes nothing"
    ender = next(part.seat for part in reversed(events) if isinstance(part, Moved))
    if ender not in event.winners:
        yield "who ends the game does not win"
    if after.turn >= 75:
        yield "a long game"
    if after.turn <= 25:
        yield "a short game"
