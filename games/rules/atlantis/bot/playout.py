"""Imagined games: a world that agrees with what a seat sees, played on by simple players.

The rules are those of the game, without what hardly matters here: nobody buys cards, builds a bridge
or gives tiles that are worth more than is owed. A turn takes some twenty microseconds. A world never
holds a fact from outside the view: what it does not show is dealt anew.
"""

from collections import Counter

from ...contract import Chance
from ...luck import Luck
from ..box import CARDS, HALF_A, HALF_B, HEIGHTS_A, INDEX, ITEMS
from ..coins import counts_of
from ..model import FIGURES, MAINLAND, Move, Tile, View
from ..path import tops_of_spaces

TURNS = 8  # that are imagined; what comes later is estimated
REAR, ARRIVED, PER_CARD = 4.2, 0.5, 0.6  # in points, as in `search.Weights`
HELD, SMALL = 0.7, 4  # what a card or an arrived figure is worth beyond its point
SPACES_PER_TURN = 7.0
WIN = 30.0  # points that ending the game as the winner is worth, while playing on
# How far a figure has come, in points, by space.
PROGRESS = tuple(REAR * (at / MAINLAND) * (2 - at / MAINLAND) for at in range(MAINLAND + 1))
Stacks = list[list[tuple[int, int]]]  # (item, value), the bottom first, by space


class Deal:
    """What the viewer does not know, dealt by chance: hands, deck and covered tiles."""

    def __init__(self, view: View, chance: Chance) -> None:
        unseen = Counter(CARDS)
        unseen.subtract(view.discards)
        for player in view.players:
            unseen.subtract(player.hand or ())
        cards = [INDEX[item] for item in chance.shuffle(tuple(unseen.elements()))]
        self.hands: list[list[int]] = []
        for player in view.players:
            if player.hand is not None:
                self.hands.append(list(counts_of(player.hand)))
                continue
            dealt, cards = cards[: player.cards], cards[player.cards :]
            self.hands.append([dealt.count(item) for item in range(len(ITEMS))])
        self.deck = cards
        self.stacks = _stacks(view, chance)


def _stacks(view: View, chance: Chance) -> Stacks:
    """The stacks by space, with a tile below each top one that covers another."""
    border = len(HEIGHTS_A)
    pools = [Counter(HALF_A), Counter(HALF_B)]
    for place, space in enumerate(view.path):
        if space.top is not None:
            pools[place > border][space.top] -= 1
    for player in view.players:
        for tile in player.tiles:  # which half it came from is not known for certain
            pools[0 if pools[0][tile] > 0 else 1][tile] -= 1
    covered = [
        iter(chance.shuffle(tuple((+pool).elements()))) for pool in pools
    ]  # tiles that left the game among them
    stacks: Stacks = [[]]
    for place, space in enumerate(view.path):
        stack: list[tuple[int, int]] = []
        if space.top is not None:
            for _ in range(space.height - 1):
                half = place > border
                tile = next(covered[half], None) or next(covered[not half], Tile(ITEMS[0], 4))
                stack.append((INDEX[tile.item], tile.value))
            stack.append((INDEX[space.top.item], space.top.value))
        stacks.append(stack)
    return [*stacks, []]


class World:
    """A table that is played on; changed in place."""

    __slots__ = (
        *("bridges", "deck", "discards", "figures", "gaps", "hands", "luck", "masks"),
        *("occupied", "order", "over", "stacks", "tiles"),
    )

    def __init__(self, view: View, deal: Deal, seed: int) -> None:
        self.luck = Luck(seed)
        self.order = view.order
        self.hands = [hand.copy() for hand in deal.hands]
        self.deck = deal.deck.copy()
        self.discards = [INDEX[item] for item in view.discards]
        self.stacks = [stack.copy() for stack in deal.stacks]
        self.figures = [list(player.figures) for player in view.players]
        self.tiles = [sum(tile.value for tile in player.tiles) for player in view.players]
        self.occupied = {
            place for figures in self.figures for place in figures if 0 < place < MAINLAND
        }
        self.bridges = [gap.first for gap in view.gaps if gap.bridged]
        self.gaps = [(gap.first, gap.price) for gap in view.gaps]
        self.masks = [0] * len(ITEMS)
        for place, tile in enumerate(tops_of_spaces(view.path)):
            if tile is not None:
                self.masks[INDEX[tile.item]] |= 1 << place
        self.over = False

    # -- the path -----------------------------------------------------------------------

    def follow(self, start: int, item: int) -> int:
        """Where a card of this item leads."""
        ahead = self.masks[item] >> (start + 1)
        return start + (ahead & -ahead).bit_length() if ahead else MAINLAND

    def debt(self, place: int) -> int:
        """What a figure on this space would owe on its way to the mainland."""
        total = 0
        for first, price in self.gaps:
            if first > place:
                total += price
        return total

    def behind(self, lands: int, start: int) -> int:
        """The nearest free stack behind a space, 0 for none; a figure has just left `start`."""
        stacks, occupied = self.stacks, self.occupied
        for place in range(lands - 1, 0, -1):
            if stacks[place] and (place not in occupied or place == start):
                return place
        return 0

    def take(self, place: int) -> int:
        """Remove the top tile of this stack; its value."""
        stack = self.stacks[place]
        item, value = stack.pop()
        self.masks[item] &= ~(1 << place)
        if stack:
            self.masks[stack[-1][0]] |= 1 << place
        if not stack or not self.stacks[place - 1] or not self.stacks[place + 1]:
            self.survey()
        return value

    def survey(self) -> None:
        """Find the gaps and their prices."""
        stacks = self.stacks
        gaps, last, before = [], 0, 0
        for place in range(1, MAINLAND):
            if not stacks[place]:
                continue
            value = stacks[place][-1][1]
            if before and place > last + 1:
                free = any(last < bridge < place for bridge in self.bridges)
                gaps.append((last + 1, 0 if free else min(before, value)))
            before, last = value, place
        self.gaps = gaps

    # -- turns --------------------------------------------------------------------------

    def begin(self, seat: int, move: Move) -> None:
        """Make a whole move, as it was planned from the view."""
        if move.bridge_before is not None:
            self.bridges.append(move.bridge_before)
            self.survey()
        start = at = self.figures[seat][move.figure]
        hand = self.hands[seat]
        for card in move.cards:
            at = self.follow(at, INDEX[card])
        for card in (*move.cards, *move.pay_cards):
            hand[INDEX[card]] -= 1
            self.discards.append(INDEX[card])
        self.tiles[seat] -= sum(move.pay_tiles)
        self.land(seat, move.figure, start, at)
        if move.bridge_after is not None:
            self.bridges.append(move.bridge_after)
            self.survey()

    def land(self, seat: int, figure: int, start: int, lands: int) -> None:
        """Put the figure there, take a tile, draw cards; the third arrival ends the game."""
        self.figures[seat][figure] = lands
        self.occupied.discard(start)
        place = self.behind(lands, start)
        if lands < MAINLAND:
            self.occupied.add(lands)
        if place:
            self.tiles[seat] += self.take(place)
        arrived = self.figures[seat].count(MAINLAND)
        self.over = arrived == len(FIGURES)
        self.draw(seat, 4 if self.over else 1 + arrived)

    def draw(self, seat: int, count: int) -> None:
        """Draw cards; the discards become the deck where it runs out."""
        hand = self.hands[seat]
        for _ in range(count):
            if not self.deck:
                if not self.discards:
                    return
                self.deck, self.discards = self.discards, []
                for last in range(len(self.deck) - 1, 0, -1):
                    other = self.luck.below(last + 1)
                    self.deck[last], self.deck[other] = self.deck[other], self.deck[last]
            hand[self.deck.pop()] += 1

    def play(self, after: int) -> None:
        """Go on with the seat after this one, for some turns or until the game is over."""
        place = self.order.index(after)
        for _ in range(TURNS):
            if self.over:
                return
            place = (place + 1) % len(self.order)
            self.turn(self.order[place])

    def turn(self, seat: int) -> None:
        """The move that brings most at once, or a pass."""
        hand, figures = self.hands[seat], self.figures[seat]
        held = sum(hand)
        funds = self.tiles[seat] + held
        arrived = figures.count(MAINLAND)
        turns = self.turns_left()
        best, chosen = -1e9, (-1, 0, 0, 0)
        cards: tuple[int, ...] = ()
        for figure, start in enumerate(figures):
            if start == MAINLAND:
                continue
            owed = self.debt(start)
            for item in range(len(hand)):
                if not hand[item]:
                    continue
                played, lands = self.chain(start, item, hand)
                if not played:
                    continue
                price = owed - self.debt(lands)
                if funds - len(played) < price:
                    continue
                gain = PROGRESS[lands] - PROGRESS[start] - (1 + PER_CARD) * len(played)
                behind = self.behind(lands, start)
                if behind:
                    gain += self.stacks[behind][-1][1]
                if lands == MAINLAND:
                    if arrived == len(FIGURES) - 1:
                        lead = funds + gain - price - self.best_rival(seat)
                        gain += WIN if lead >= 0 else -WIN
                    else:
                        gain += ARRIVED * turns
                if gain > best:
                    best, chosen, cards = gain, (figure, start, lands, price), played
        figure, start, lands, price = chosen
        if figure < 0:
            self.draw(seat, 2)
            return
        for item in cards:
            hand[item] -= 1
            self.discards.append(item)
        tiles = min(price, self.tiles[seat])
        self.tiles[seat] -= tiles
        for _ in range(price - tiles):
            item = max(range(len(hand)), key=hand.__getitem__)
            hand[item] -= 1
            self.discards.append(item)
        self.land(seat, figure, start, lands)

    def chain(self, start: int, item: int, hand: list[int]) -> tuple[tuple[int, ...], int]:
        """(cards, space) of a way that begins with this card and goes on with the commonest ones;
        without cards where it ends on an occupied space."""
        lands = self.follow(start, item)
        if lands not in self.occupied:
            return (item,), lands
        left = hand.copy()
        left[item] -= 1
        played: tuple[int, ...] = (item,)
        while lands in self.occupied:
            item = max(range(len(left)), key=left.__getitem__)
            if not left[item]:
                return (), 0
            left[item] -= 1
            played = (*played, item)
            lands = self.follow(lands, item)
        return played, lands

    def turns_left(self) -> float:
        """About how many turns of each player are left."""
        least = min(sum(figures) for figures in [self.ways(seat) for seat in self.order])
        return max(1.0, least / SPACES_PER_TURN)

    def ways(self, seat: int) -> list[int]:
        """How far the figures of a seat still have to go."""
        return [MAINLAND - place for place in self.figures[seat]]

    def best_rival(self, seat: int) -> int:
        """What the best of the others would score if the game ended now."""
        return max(self.score(other) for other in self.order if other != seat)

    def score(self, seat: int) -> int:
        """Points of tiles and cards less what the figures would owe."""
        owed = sum(self.debt(place) for place in self.figures[seat] if place < MAINLAND)
        return self.tiles[seat] + sum(self.hands[seat]) - owed

    def lead(self, seat: int) -> float:
        """How far the seat is ahead of the best of the others, in points."""
        return self.worth(seat) - max(self.worth(other) for other in self.order if other != seat)

    def worth(self, seat: int) -> float:
        """The score, and what the seat may still hope for."""
        worth = float(self.score(seat))
        if self.over:
            return worth
        worth += HELD * min(sum(self.hands[seat]), SMALL)
        turns = self.turns_left()
        for place in self.figures[seat]:
            worth += PROGRESS[place]
            if place == MAINLAND:
                worth += HELD * turns
        return worth
