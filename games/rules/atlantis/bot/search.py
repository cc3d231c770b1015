"""The search of the bot: a position before or after its own move, its moves, its value.

Moves are simplified: enough to compare them, cards and coins as numbers. Rivals stand still;
unknown cards and tiles count as averages.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from games.rules.chance import seeds

from ...bots import Budget, best_of
from ...contract import Chance
from ..box import ITEMS
from ..coins import Counts, Purse, cards_of, counts_of, hand_over
from ..model import FIGURES, MAINLAND, Cards, Move, View
from ..path import stack_behind
from .dealing import Deal, KnownTable
from .path_model import PathModel
from .playout import World

SPACES_PER_TURN = 7.0  # what a turn moves on average, in whole games of the bot with itself
LONG = 10.0  # turns to come that make a game long


ORDER = tuple(range(len(ITEMS)))
Ranks = tuple[tuple[int, ...], ...]  # per item, of its cards

MOST = 30.0  # points of a lead that count
WEIGHT = 30  # how many imagined games the normal bot's opinion of a move is worth


class Weights(NamedTuple):
    """The values of things, in points."""

    card: float = 0.7  # a card beyond its point, while the hand is small
    small: int = 4  # … up to this many cards
    variety: float = 0.3  # each different item left in hand
    debt: float = 1.0  # a point still to be paid on the way to the mainland
    arrived: float = 0.7  # a figure on the mainland, for each turn still to come (it draws)
    rear: float = 4.2  # a figure's way from Atlantis to the mainland, the first steps most
    bridge: float = 3.0  # the bridge unbuilt, while the game is long
    rivals: float = 1.1  # what the best of the others has
    win: float = 30.0  # ending the game as the winner
    again: float = 0.6  # what the move after this one would reach


WEIGHTS = Weights()


class Rival(NamedTuple):
    """Another player: only what everybody sees. points: tiles and cards."""

    figures: tuple[int, ...]
    points: int
    cards: int
    bridge: bool


class Plan(NamedTuple):
    """A move, its value, and the position after it."""

    worth: float
    move: Move
    after: "SearchNode"


class SearchNode:
    """A position from the bot's side.

    hand: the known cards, by item; unseen: cards drawn since, good for paying only. purse: the
    tiles to pay with; later positions know only their sum (tiles). order: of the items, where
    nothing else decides which card to play. ranks: of the cards of each item, drawn by chance;
    those with the lowest pay, so that a payment says nothing about the rest of the hand.
    """

    def __init__(
        self,
        weights: Weights,
        path: PathModel,
        rivals: tuple[Rival, ...],
        figures: tuple[int, ...],
        occupied: frozenset[int],
        hand: Counts,
        unseen: int,
        tiles: int,
        bridge: bool,
        purse: Purse | None = None,
        order: tuple[int, ...] = ORDER,
        ranks: Ranks = (),
    ) -> None:
        self.weights = weights
        self.path = path
        self.rivals = rivals
        self.figures = figures
        self.occupied = occupied
        self.hand = hand
        self.unseen = unseen
        self.tiles = tiles
        self.bridge = bridge
        self.purse = purse
        self.order = order
        self.ranks = ranks
        self.cards = sum(hand) + unseen
        self.over = figures.count(MAINLAND) == len(FIGURES)
        self.turns = min(_turns(figures), *(_turns(rival.figures) for rival in rivals))

    @classmethod
    def seen(cls, view: View, weights: Weights, chance: Chance) -> "SearchNode":
        """The position that the viewer sees. Chance decides between equals: a fixed order would
        show which cards are not in the hand."""
        assert view.viewer is not None, "the bot plays a seat"
        me = view.players[view.viewer]
        assert me.hand is not None, "a seat sees its own hand"
        purse = Purse(tile.value for tile in me.tiles)
        everyone = (place for player in view.players for place in player.figures)
        rivals = tuple(
            Rival(
                player.figures,
                sum(tile.value for tile in player.tiles) + player.cards,
                player.cards,
                player.bridge,
            )
            for player in view.players
            if player.seat != me.seat
        )
        return cls(
            weights,
            PathModel.seen(view),
            rivals,
            me.figures,
            frozenset(place for place in everyone if 0 < place < MAINLAND),
            counts_of(me.hand),
            0,
            purse.worth,
            me.bridge,
            purse,
            chance.shuffle(ORDER),
            _ranks(counts_of(me.hand), chance),
        )

    # -- what can be done --------------------------------------------------------------

    def plans(self) -> Iterator[Plan]:
        """Yield each sensible move: one per figure, landing and use of the bridge."""
        for figure, start in enumerate(self.figures):
            if start == MAINLAND:
                continue
            for lands, played in self.landings(start).items():
                price = self.path.debt(start) - self.path.debt(lands)
                yield from self._plan(figure, lands, played, price, None)
                if self.bridge and price:
                    gap = self.path.dearest(start, lands)
                    yield from self._plan(figure, lands, played, price - gap.price, gap.first)

    def landings(self, start: int) -> dict[int, tuple[int, ...]]:
        """Spaces in reach and the cards to play: the fewest, keeping the most variety.

        An occupied space is gone on from with the fewest cards that lead there only, so a
        landing that needs more is overlooked now and then.
        """
        found: dict[int, tuple[int, ...]] = {}
        reached: dict[tuple[int, Counts], tuple[int, ...]] = {(start, self.hand): ()}
        passed: set[int] = set()
        while reached:
            deeper: dict[tuple[int, Counts], tuple[int, ...]] = {}
            passed.update(place for place, _hand in reached)
            for (place, hand), played in reached.items():
                for item in self.order:
                    held = hand[item]
                    if not held:
                        continue
                    space = self.path.follow(place, item)
                    cards = (*played, item)
                    if space in self.occupied:
                        if space not in passed:
                            left = (*hand[:item], held - 1, *hand[item + 1 :])
                            deeper.setdefault((space, left), cards)
                    elif space not in found or self._spares(cards, found[space]):
                        found[space] = cards
            reached = deeper
        return found

    def _spares(self, cards: tuple[int, ...], other: tuple[int, ...]) -> bool:
        """Return whether playing `cards` leaves the better hand than playing `other`."""
        if len(cards) != len(other):
            return len(cards) < len(other)
        return _variety(self._without(cards)) > _variety(self._without(other))

    def _without(self, cards: Iterable[int]) -> Counts:
        left = list(self.hand)
        for item in cards:
            left[item] -= 1
        return tuple(left)

    def _plan(
        self, figure: int, lands: int, played: tuple[int, ...], price: int, before: int | None
    ) -> Iterator[Plan]:
        """The move, if it can be paid for."""
        hand = self._without(played)
        payment = self._payment(price, sum(hand) + self.unseen)
        if payment is None:
            return
        values, count = payment
        known = max(0, count - self.unseen)
        given: Cards = ()
        if known:
            given = self._given(known, played, hand)
            hand = tuple(n - m for n, m in zip(hand, counts_of(given), strict=True))
        unseen = self.unseen - (count - known)
        after = self._moved(figure, lands, hand, unseen, sum(values), before)
        gain, site = after.to_bridge()
        worth = after.worth() + gain
        if site is not None:
            after.build(site)
        cards = tuple([ITEMS[item] for item in played])
        yield Plan(worth, Move(figure, cards, values, given, before, site), after)

    def _given(self, count: int, played: tuple[int, ...], hand: Counts) -> Cards:
        """`count` cards of the hand that is left after playing."""
        if not self.ranks:
            return hand_over(count, hand, self.order)
        left = sorted(
            (rank, item)
            for item, ranks in enumerate(self.ranks)
            for rank in ranks[played.count(item) :]
        )
        paid = [item for _rank, item in left[:count]]
        return cards_of(paid.count(item) for item in range(len(hand)))

    def _payment(self, price: int, cards: int) -> tuple[tuple[int, ...], int] | None:
        """(tile values, number of cards); in the future, somehow without paying too much."""
        if not price:
            return (), 0
        if self.purse is not None:
            return self.purse.cheapest(price, cards)
        tiles = min(self.tiles, price)
        return ((tiles,), price - tiles) if price - tiles <= cards else None

    def _moved(
        self, figure: int, lands: int, hand: Counts, unseen: int, paid: int, before: int | None
    ) -> "SearchNode":
        """The table after a move, as far as it can be predicted."""
        figures = (*self.figures[:figure], lands, *self.figures[figure + 1 :])
        occupied = self.occupied - {self.figures[figure]}
        space = stack_behind(self.path.tops, occupied, lands)
        tile = None if space is None else self.path.tops[space]
        arrived = figures.count(MAINLAND)
        return SearchNode(
            self.weights,
            self.path.after(space, before),
            self.rivals,
            figures,
            occupied if lands == MAINLAND else occupied | {lands},
            hand,
            unseen + (4 if arrived == len(FIGURES) else 1 + arrived),
            self.tiles - paid + (tile.value if tile else 0),
            self.bridge and before is None,
        )

    # -- what it is worth --------------------------------------------------------------

    def worth(self) -> float:
        """The value of this position for the bot, in points; see `Weights`."""
        weights = self.weights
        points = self.tiles + self.cards
        if self.over:
            lead = points - max(
                rival.points - sum(map(self.path.debt, rival.figures)) for rival in self.rivals
            )
            return lead + (weights.win if lead >= 0 else -weights.win)
        mine = self._standing(Rival(self.figures, points, self.cards, self.bridge))
        return (
            mine
            + weights.variety * _variety(self.hand)
            - weights.rivals * max(map(self._standing, self.rivals))
        )

    def stuck(self) -> float:
        """The worth of passing: two cards."""
        return self.worth() + 2

    def _standing(self, player: Rival) -> float:
        """Return the value of a player's tiles, cards and figures."""
        weights = self.weights
        worth = player.points + weights.card * min(player.cards, weights.small)
        for place in player.figures:
            worth += weights.rear * _progress(place)
            if place == MAINLAND:
                worth += weights.arrived * self.turns
            else:
                worth -= weights.debt * self.path.debt(place)
        return worth + self._kept() if player.bridge else worth

    def _kept(self) -> float:
        """The value of an unbuilt bridge."""
        return self.weights.bridge * min(self.turns, LONG) / LONG

    def to_bridge(self) -> tuple[float, int | None]:
        """(how much it beats keeping the bridge, first space) of the best gap to build it now."""
        if not self.bridge or self.over:
            return 0.0, None
        weights = self.weights
        most, site = self._kept(), None
        for gap in self.path.gaps:
            mine = sum(place < gap.first for place in self.figures)
            theirs = max(sum(place < gap.first for place in rival.figures) for rival in self.rivals)
            saves = weights.debt * gap.price * (mine - weights.rivals * theirs)
            if saves > most:
                most, site = saves, gap.first
        return most - self._kept(), site

    def build(self, site: int) -> None:
        """Build the bridge over the gap that begins there."""
        self.bridge = False
        self.path = self.path.after(None, site)


def _ranks(hand: Counts, chance: Chance) -> Ranks:
    """Return for each item the ranks of its cards, in an order drawn by chance as well: the first
    are played first."""
    cards = chance.shuffle([item for item, held in enumerate(hand) for _ in range(held)])
    return tuple(
        chance.shuffle([rank for rank, card in enumerate(cards) if card == item])
        for item in range(len(hand))
    )


def _progress(place: int) -> float:
    """Return the progress of a figure, 0 … 1; the first spaces count most, the last hardly."""
    way = place / MAINLAND
    return way * (2 - way)


def _turns(figures: Iterable[int]) -> float:
    """Turns until these figures could all have arrived, at least one."""
    return max(1.0, sum(MAINLAND - place for place in figures) / SPACES_PER_TURN)


def _variety(hand: Counts) -> int:
    """Return the number of different items."""
    return sum(held > 0 for held in hand)


def best(
    view: View, plans: Sequence[Plan], priors: Sequence[float], chance: Chance, budget: Budget
) -> Plan:
    """The plan that ends best in worlds that agree with the view. priors: what the normal bot
    thinks of each, in points."""
    assert view.viewer is not None, "a seat looks"
    seat, known = view.viewer, KnownTable(view)
    deal = cache(lambda _number: Deal(known, *seeds(chance, 1)))

    def result(plan: Plan, number: int) -> float:
        world = World(known, deal(number))
        world.begin(seat, plan.move)
        world.play(seat)
        return max(-MOST, min(MOST, world.lead(seat)))

    return best_of(plans, budget, result, priors=priors, weight=WEIGHT)
