"""Folding events into the state: facts only, no rules and no chance, and never a refusal."""

from collections.abc import Iterable
from typing import assert_never

from ..contract import Outcome
from . import model
from .box import INDEX

NO_CARDS = (0,) * len(INDEX)
START = (model.ATLANTIS, model.ATLANTIS, model.ATLANTIS)
HOME = (model.MAINLAND, model.MAINLAND, model.MAINLAND)


def evolve(state: model.State, event: model.Event) -> model.State:
    """The state after an event that happened."""
    return fold(state, (event,))


def fold(state: model.State, events: Iterable[model.Event]) -> model.State:
    """The state after these events."""
    table = _Table(state)
    for event in events:
        match event:
            case model.Drew():
                table.draw(event)
            case model.Moved():
                table.move(event)
            case model.Bought(seat, tile):
                table.tiles[seat].remove(tile)
                table.bought = True
                table.plans[seat] = None
            case model.Passed(seat):
                table.plans[seat] = None
            case model.Planned(seat, lines):
                table.plans[seat] = event if lines else None
            case model.Reshuffled(_, cards):
                table.deck, table.drawn = cards or (), 0
                table.discards = []
            case model.Prepared(order, path, _, deck):
                table = _Table(_laid(order, path, deck))
            case model.Dealt():
                table.deal(event)
            case model.Settled():
                table.settle(event)
            case model.Ended(scores, winners):
                table.active, table.outcome = None, Outcome(scores, winners)
            case _:
                assert_never(event)
    return table.state()


def _laid(order: tuple[int, ...], path: tuple[model.Tiles, ...], deck: model.Cards) -> model.State:
    """The table before the deal."""
    seats = len(order)
    return model.State(
        order=order,
        path=path,
        figures=(START,) * seats,
        hands=(NO_CARDS,) * seats,
        tiles=((),) * seats,
        unbuilt=(True,) * seats,
        deck=deck,
    )


class _Table:
    """A state that changes in place: a whole game is folded at every move, and a new state for
    each of its events would take most of that time.

    The fields are those of a State; of the deck, `drawn` cards are gone.
    """

    __slots__ = (
        "active",
        "bought",
        "bridges",
        "deck",
        "discards",
        "drawn",
        "figures",
        "hands",
        "order",
        "outcome",
        "path",
        "plans",
        "settled",
        "tiles",
        "turn",
        "unbuilt",
    )

    def __init__(self, state: model.State) -> None:
        self.order = state.order
        self.path = list(state.path)
        self.figures = list(map(list, state.figures))
        self.hands = list(map(list, state.hands))
        self.tiles = list(map(list, state.tiles))
        self.unbuilt = list(state.unbuilt)
        self.bridges = state.bridges
        self.deck, self.drawn = state.deck, 0
        self.discards = list(state.discards)
        self.turn, self.active, self.bought = state.turn, state.active, state.bought
        self.settled, self.outcome = state.settled, state.outcome
        self.plans = list(state.plans or (None,) * len(state.order))

    def state(self) -> model.State:
        """The state as it is now."""
        return model.State(
            order=self.order,
            path=tuple(self.path),
            figures=tuple([(a, b, c) for a, b, c in self.figures]),
            hands=tuple(map(tuple, self.hands)),
            tiles=tuple(map(tuple, self.tiles)),
            unbuilt=tuple(self.unbuilt),
            bridges=self.bridges,
            deck=self.deck[self.drawn :],
            discards=tuple(self.discards),
            turn=self.turn,
            active=self.active,
            bought=self.bought,
            settled=self.settled,
            outcome=self.outcome,
            plans=tuple(self.plans),
        )

    def deal(self, event: model.Dealt) -> None:
        for seat, hand in enumerate(event.hands):
            self._take(seat, hand or ())
        self.drawn += sum(event.counts)
        self.turn, self.active = 1, self.order[0]

    def move(self, event: model.Moved) -> None:
        seat, tiles = event.seat, self.tiles[event.seat]
        self.plans[seat] = None
        for tile in event.paid_tiles:
            tiles.remove(tile)
        if event.taken is not None and event.taken_from is not None:
            tiles.append(event.taken)
            self.path[event.taken_from - 1] = self.path[event.taken_from - 1][:-1]
        for bridge in (event.bridge_before, event.bridge_after):
            if bridge is not None:
                self.unbuilt[seat] = False
                self.bridges = (*self.bridges, bridge)
        self.figures[seat][event.figure] = event.via[-1]
        self._discard(seat, event.cards)
        self._discard(seat, event.paid_cards)

    def draw(self, event: model.Drew) -> None:
        self._take(event.seat, event.cards or ())
        self.drawn += event.count
        if not event.ends_turn:
            return
        if tuple(self.figures[event.seat]) == HOME:  # the last turn of the game
            self.active = None
            return
        after = self.order.index(event.seat) + 1
        self.active = self.order[after % len(self.order)]
        self.turn += 1
        self.bought = False

    def settle(self, event: model.Settled) -> None:
        """The final movement of a seat."""
        self.figures[event.seat] = list(HOME)
        for tile in event.paid_tiles:
            self.tiles[event.seat].remove(tile)
        self._discard(event.seat, event.paid_cards)
        self.settled = (*self.settled, event)

    def _take(self, seat: int, cards: model.Cards) -> None:
        hand = self.hands[seat]
        for item in cards:
            hand[INDEX[item]] += 1

    def _discard(self, seat: int, cards: model.Cards) -> None:
        hand = self.hands[seat]
        for item in cards:
            hand[INDEX[item]] -= 1
        self.discards += cards
