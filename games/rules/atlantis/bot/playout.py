"""Imagined games: a world that agrees with what a seat sees, played on by simple players.

The rules are those of the game, but nobody buys cards, and a way over occupied spaces goes on with
the commonest cards. A turn takes some twenty microseconds.
"""

from collections.abc import Sequence
from typing import NamedTuple

from games.rules.chance import FastRandom

from ..box import INDEX, ITEMS
from ..model import FIGURES, MAINLAND, Move
from . import result_estimate
from .dealing import Deal, KnownTable, drawn

TURNS = 8  # that are imagined; what comes later is estimated
SPACES_PER_TURN = 7.0
DRAWN_LAST = 4  # cards for the third arrival
START = 1  # the bit of Atlantis, where no tile lies


class Tastes(NamedTuple):
    """The values that an imagined player gives to things, in points.

    Tuned in games of such players with each other.
    """

    way: float = 6.0  # the whole way of a figure from Atlantis to the mainland
    card: float = 0.6  # a card beyond its point
    arrived: float = 0.7  # a figure on the mainland, for each turn still to come (it draws)
    price: float = 0.1  # a point paid now instead of later
    gaps: float = (
        1.1  # a point that a taken tile adds to the own debts, or takes from those of rivals
    )
    bridge: float = 4.0  # points for which the bridge is built
    rivals: float = 1.1  # a point of debt of the others, on average
    win: float = 30.0  # ending the game as the winner


TASTES = Tastes()


class World:
    """A table that is played on; changed in place.

    hands: cards by item; cards: how many. purses: the values of the tiles; points: their sums.
    gaps: (first space, price) of those without a bridge. owed: by space, what a figure there owes
    on its way to the mainland. Otherwise as in `KnownTable`.
    """

    __slots__ = (
        "below",
        "bridges",
        "cards",
        "deck",
        "discards",
        "figures",
        "gaps",
        "hands",
        "items",
        "luck",
        "occupied",
        "order",
        "over",
        "owed",
        "points",
        "purses",
        "stacks",
        "tastes",
        "unbuilt",
        "values",
    )

    def __init__(self, known: KnownTable, deal: Deal, tastes: Sequence[Tastes] = ()) -> None:
        self.luck = FastRandom(deal.seed)
        self.order = known.order
        self.hands = [hand.copy() for hand in deal.hands]
        self.cards = known.cards.copy()
        self.deck = deal.deck.copy()
        self.discards = known.discards.copy()
        self.figures = [figures.copy() for figures in known.figures]
        self.purses = [purse.copy() for purse in known.purses]
        self.points = [sum(purse) for purse in known.purses]
        self.unbuilt = known.unbuilt.copy()
        self.bridges = known.bridges
        self.occupied = known.occupied
        self.values = known.values.copy()
        self.items = known.items.copy()
        self.stacks = known.stacks
        self.below = deal.below.copy()
        self.tastes = tastes or (TASTES,) * len(self.hands)
        self.over = False
        self.survey()

    # -- the path -----------------------------------------------------------------------

    def follow(self, start: int, item: int) -> int:
        """Return the space to which a card of this item leads."""
        ahead = self.items[item] >> start + 1
        return start + (ahead & -ahead).bit_length() if ahead else MAINLAND

    def take(self, place: int) -> int:
        """Remove the top tile of this stack; its value."""
        bit, values, items = 1 << place, self.values, self.items
        value = values[place]
        item = next(item for item, shown in enumerate(items) if shown & bit)
        items[item] &= ~bit
        if place in self.below:
            item, values[place] = self.below.pop(place)
            items[item] |= bit
            beside = 5 << place - 1
            if self.stacks & beside == beside:
                return value
        else:
            values[place] = 0
            self.stacks &= ~bit
        self.survey()
        return value

    def survey(self) -> None:
        """Find the gaps and what is owed for them."""
        stacks, values = self.stacks, self.values
        gaps: list[tuple[int, int]] = []
        water = (1 << stacks.bit_length()) - 1 & ~stacks & -(stacks & -stacks)
        while water:
            first = (water & -water).bit_length() - 1
            ahead = stacks >> first
            after = first + (ahead & -ahead).bit_length() - 1
            gap = (1 << after) - (1 << first)
            water &= ~gap
            if not self.bridges & gap:
                low, high = values[first - 1], values[after]
                gaps.append((first, min(high, low)))
        owed: list[int] = []
        rest, begin = sum(price for _first, price in gaps), 0
        for first, price in gaps:
            owed += [rest] * (first - begin)
            rest -= price
            begin = first
        owed += [0] * (MAINLAND + 1 - begin)
        self.gaps, self.owed = gaps, owed

    # -- turns --------------------------------------------------------------------------

    def begin(self, seat: int, move: Move) -> None:
        """Make a whole move, as it was planned from the view."""
        if move.bridge_before is not None:
            self.build(seat, move.bridge_before)
        start = lands = self.figures[seat][move.figure]
        for card in move.cards:
            lands = self.follow(lands, INDEX[card])
        for card in (*move.cards, *move.pay_cards):
            self.discard(seat, INDEX[card])
        for value in move.pay_tiles:
            self.purses[seat].remove(value)
            self.points[seat] -= value
        self.land(seat, move.figure, start, lands)
        if move.bridge_after is not None:
            self.build(seat, move.bridge_after)
        self.finish(seat)

    def play(self, after: int, turns: int = TURNS) -> None:
        """Go on with the seat after this one, for some turns or until the game is over."""
        place = self.order.index(after)
        for _ in range(turns):
            if self.over:
                return
            place = (place + 1) % len(self.order)
            self.turn(self.order[place])

    def turn(self, seat: int) -> None:
        """The move that brings most at once, or a pass."""
        tastes = self.tastes[seat]
        if self.unbuilt[seat]:
            self.consider_bridge(seat, tastes)
        hand, figures = self.hands[seat], self.figures[seat]
        values, owed, occupied, below = self.values, self.owed, self.occupied, self.below
        free = self.stacks & ~occupied
        items = [(item, spaces) for item, spaces in enumerate(self.items) if hand[item]]
        funds = self.points[seat] + self.cards[seat]
        card, space, paid = 1 + tastes.card, tastes.way / MAINLAND, tastes.price
        opened: dict[int, tuple[int, float]] = {}
        arrival, last = None, False
        best, chosen = float("-inf"), (-1, 0, 0)
        cards: tuple[int, ...] = ()
        for figure, start in enumerate(figures):
            if start == MAINLAND:
                continue
            leaves = free | 1 << start & ~START
            due = owed[start]
            for item, spaces in items:
                ahead = spaces >> start + 1
                lands = start + (ahead & -ahead).bit_length() if ahead else MAINLAND
                played: tuple[int, ...] = (item,)
                cost = 1
                if occupied >> lands & 1:
                    played, lands = self.chain(lands, item, hand)
                    cost = len(played)
                price = due - owed[lands]
                if not cost or funds - cost < price:
                    continue
                gain = space * (lands - start) - card * cost - paid * price
                behind = (leaves & (1 << lands) - 1).bit_length() - 1
                if behind > 0:
                    gain += values[behind]
                    if behind not in below:
                        if behind not in opened:
                            opened[behind] = self.opened(seat, behind)
                        change, debts = opened[behind]
                        gain -= tastes.gaps * (debts - change * (start < behind))
                if lands == MAINLAND:
                    if arrival is None:
                        last = figures.count(MAINLAND) == len(FIGURES) - 1
                        arrival = self.best_rival(seat) if last else self.turns_left()
                    if last:
                        tile = values[behind] if behind > 0 else 0
                        wins = funds - cost - price + tile + DRAWN_LAST >= arrival
                        gain += tastes.win if wins else -tastes.win
                    else:
                        gain += tastes.arrived * arrival
                if gain > best:
                    best, chosen, cards = gain, (figure, lands, price), played
        figure, lands, price = chosen
        if figure < 0:
            self.draw(seat, 2)
            return
        for item in cards:
            self.discard(seat, item)
        if price:
            self.pay(seat, price)
        self.land(seat, figure, figures[figure], lands)
        self.finish(seat)

    def opened(self, seat: int, place: int) -> tuple[int, float]:
        """Return the changes of prices and of debts by taking the last tile of this space.

        Debts: those of the seat's figures, less those of its rivals'.
        """
        stacks, values, bridges = self.stacks, self.values, self.bridges
        before = (stacks & (1 << place) - 1).bit_length() - 1
        ahead = stacks >> place + 1
        after = place + (ahead & -ahead).bit_length() if ahead else 0
        value, near, far = values[place], values[before] if before > 0 else 0, values[after]
        whole = min(near, far)
        change, bridged = whole, False
        if near and before < place - 1:
            if bridges & (1 << place) - (1 << before):
                bridged = True
            else:
                change -= min(near, value)
        if far and after > place + 1:
            if bridges & (1 << after) - (1 << place):
                bridged = True
            else:
                change -= min(far, value)
        if bridged:
            change -= whole
        return change, change * self.advantage(seat, place)

    def advantage(self, seat: int, place: int) -> float:
        """Return the number of the seat's figures behind a space, less that of a rival on
        average."""
        count = 0.0
        for other, (one, two, three) in enumerate(self.figures):
            behind = (one < place) + (two < place) + (three < place)
            if other == seat:
                count += behind
            else:
                count -= self.tastes[seat].rivals * behind / (len(self.figures) - 1)
        return count

    def consider_bridge(self, seat: int, tastes: Tastes) -> None:
        """Build the bridge where it saves enough."""
        most, site = tastes.bridge, 0
        for first, price in self.gaps:
            if len(FIGURES) * price > most:
                saved = price * self.advantage(seat, first)
                if saved > most:
                    most, site = saved, first
        if site:
            self.build(seat, site)

    def build(self, seat: int, site: int) -> None:
        """Build the bridge over the gap at this space."""
        self.unbuilt[seat] = False
        self.bridges |= 1 << site
        self.survey()

    def chain(self, lands: int, item: int, hand: Sequence[int]) -> tuple[tuple[int, ...], int]:
        """(cards, space) of a way that begins with this card, which leads to an occupied space, and
        goes on with the commonest cards; without cards where those do not lead to a free space."""
        left = list(hand)
        left[item] -= 1
        played: tuple[int, ...] = (item,)
        while self.occupied >> lands & 1:
            most = max(left)
            if not most:
                return (), MAINLAND
            item = left.index(most)
            left[item] -= 1
            played = (*played, item)
            lands = self.follow(lands, item)
        return played, lands

    def pay(self, seat: int, price: int) -> None:
        """Pay with the dearest tiles that fit and then with the commonest cards; where those are
        too few, with the cheapest tile left instead of them."""
        kept: list[int] = []
        owed = price
        for value in sorted(self.purses[seat], reverse=True):
            if value <= owed:
                owed -= value
            else:
                kept.append(value)
        if owed > self.cards[seat]:
            kept.pop()
        else:
            hand = self.hands[seat]
            for _ in range(owed):
                self.discard(seat, hand.index(max(hand)))
        self.purses[seat] = kept
        self.points[seat] = sum(kept)

    def discard(self, seat: int, item: int) -> None:
        """Play a card, or pay with it."""
        self.hands[seat][item] -= 1
        self.cards[seat] -= 1
        self.discards.append(item)

    def land(self, seat: int, figure: int, start: int, lands: int) -> None:
        """Put the figure there and take a tile."""
        self.figures[seat][figure] = lands
        self.occupied &= ~(1 << start)
        behind = (self.stacks & ~self.occupied & (1 << lands) - 1).bit_length() - 1
        if lands < MAINLAND:
            self.occupied |= 1 << lands
        if behind > 0:
            value = self.take(behind)
            self.purses[seat].append(value)
            self.points[seat] += value

    def finish(self, seat: int) -> None:
        """Draw cards; the third arrival ends the game."""
        arrived = self.figures[seat].count(MAINLAND)
        self.over = arrived == len(FIGURES)
        self.draw(seat, DRAWN_LAST if self.over else 1 + arrived)

    def draw(self, seat: int, count: int) -> None:
        """Draw cards; the discards become the deck where it runs out."""
        for _ in range(count):
            if not self.deck:
                if not self.discards:
                    return
                self.deck, self.discards = self.discards, []
            self.hands[seat][drawn(self.deck, self.luck)] += 1
            self.cards[seat] += 1

    # -- what it is worth ---------------------------------------------------------------

    def turns_left(self) -> float:
        """Estimate how many turns of each player are left."""
        most = max(map(sum, self.figures))
        return max(1.0, (len(FIGURES) * MAINLAND - most) / SPACES_PER_TURN)

    def score(self, seat: int) -> int:
        """Points of tiles and cards less what the figures would owe."""
        owed = self.owed
        one, two, three = self.figures[seat]
        return self.points[seat] + self.cards[seat] - owed[one] - owed[two] - owed[three]

    def best_rival(self, seat: int) -> int:
        """Return the score of the best other player if the game ended now."""
        return max(self.score(other) for other in self.order if other != seat)

    def lead(self, seat: int) -> float:
        """Return the seat's lead over the best other player at the end, in points; an estimate
        while the game goes on."""
        if self.over:
            return float(self.score(seat) - self.best_rival(seat))
        turns = self.turns_left()
        worths = [
            result_estimate.worth(self.standing(other), turns) for other in range(len(self.hands))
        ]
        mine = worths.pop(seat)
        return mine - max(worths)

    def standing(self, seat: int) -> result_estimate.Standing:
        """The standing of a seat."""
        figures, owed = self.figures[seat], self.owed
        one, two, three = figures
        return result_estimate.Standing(
            self.points[seat] + self.cards[seat],
            owed[one] + owed[two] + owed[three],
            min(self.cards[seat], result_estimate.FEW),
            len(ITEMS) - self.hands[seat].count(0),
            (one * one + two * two + three * three) / MAINLAND**2,
            figures.count(MAINLAND),
            self.unbuilt[seat],
        )
