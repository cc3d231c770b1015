"""Atlantis by brute force: what each move leads to (the page of the rules, and events.md)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from . import atlantis_plans
from .atlantis_plans import demand
from .atlantis_plans import leave_order as leave_order

ITEMS = ("flag", "olive", "helmet", "amphora", "ring", "crown", "statue")
LEFT_OUT = dict(zip(ITEMS, (7, 6, 3, 5, 1, 4, 2), strict=True))
HEIGHTS_A = [2] * 10 + [1] * 10 + [2] * 6
HEIGHTS_B = [2] * 6 + [1] * 10 + [2] * 10
MAINLAND = 54
ORDERS = ("planned",)

Event = dict[str, Any]


class State:
    """hands: lists of cards; tiles in the order collected; path: stacks, bottom first."""

    def __init__(self, order: list[int], path: list[Any], deck: list[str]) -> None:
        seats = len(order)
        self.order, self.path, self.deck = order, path, deck
        self.hands: list[list[str]] = [[] for _seat in range(seats)]
        self.tiles: list[list[Any]] = [[] for _seat in range(seats)]
        self.figures = [[0, 0, 0] for _seat in range(seats)]
        self.unbuilt = [True] * seats
        self.bridges: list[int] = []
        self.discards: list[str] = []
        self.active = order[0]
        self.bought = False
        self.over = False
        self.plans: list[Event | None] = [None] * seats

    def top(self, space: int) -> Any:
        stack = self.path[space - 1] if 0 < space < MAINLAND else []
        return stack[-1] if stack else None

    def gaps(self) -> list[tuple[int, int, int]]:
        """(first space, last space, price) of each gap; the price of a bridged one is 0."""
        stacks = [space for space in range(1, MAINLAND) if self.top(space)]
        found = []
        for left, right in pairwise(stacks):
            if right > left + 1:
                price = min(self.top(left)[1], self.top(right)[1])
                bridged = any(left < bridge < right for bridge in self.bridges)
                found.append((left + 1, right - 1, 0 if bridged else price))
        return found

    def occupied(self) -> set[int]:
        return {at for figures in self.figures for at in figures if 0 < at < MAINLAND}

    def next_space(self, start: int, item: str) -> int:
        for space in range(start + 1, MAINLAND):
            if self.top(space) and self.top(space)[0] == item:
                return space
        return MAINLAND

    def prices(self, start: int, end: int) -> list[int]:
        """Of the gaps on the way that are not bridged."""
        gaps = [gap for gap in self.gaps() if start < gap[0] and gap[1] < end]
        return [price for _first, _last, price in gaps if price]


def setup(options: dict[str, str], seats: int, luck: Any) -> tuple[State, list[Event]]:
    if set(options) - {"order"} or options.get("order", "random") not in ("random", "seated"):
        raise ValueError("unknown options")
    order = luck.shuffle(range(seats))
    if options.get("order") == "seated":
        order = list(range(seats))
    half_a = [[i, v] for i in ITEMS for v in range(1, 8) if v != LEFT_OUT[i]]
    half_b = [[i, v] for i in ITEMS for v in range(1, 8) if v != 8 - LEFT_OUT[i]]
    path: list[Any] = []
    for tiles, heights in ((luck.shuffle(half_a), HEIGHTS_A), (luck.shuffle(half_b), HEIGHTS_B)):
        path += [[]] if path else []
        for height in heights:
            path.append(tiles[:height])
            tiles = tiles[height:]
    deck = luck.shuffle([item for item in ITEMS for _card in range(15)])
    state = State(order, [list(stack) for stack in path], list(deck))
    for seat, count in zip(order, (4, 5, 6, 7), strict=False):
        state.hands[seat] = in_order(state.deck[:count])
        del state.deck[:count]
    hands = [list(hand) for hand in state.hands]
    heights = [len(stack) for stack in path]
    return state, [
        {"kind": "prepared", "order": order, "path": path, "heights": heights, "deck": deck},
        {"kind": "dealt", "hands": hands, "counts": [len(hand) for hand in hands]},
    ]


def in_order(cards: Sequence[str]) -> list[str]:
    return sorted(cards, key=ITEMS.index)


def recorded_luck(events: list[Event]) -> Iterator[Any]:
    for event in events:
        if event["kind"] == "prepared":
            tiles = [tile for stack in event["path"] for tile in stack]
            yield from (event["order"], tiles[:42], tiles[42:], event["deck"])
        elif event["kind"] == "reshuffled":
            yield event["cards"]


def is_command(event: Event) -> bool:
    return event["kind"] in ("bought", "moved", "passed", "planned")


def answers(_state: State, _event: Event) -> bool:
    return False


def play(state: State, first: Event, luck: Any) -> list[Event]:
    """The events of the move that begins with this one; the state goes on with them."""
    seat = first["seat"]
    if first["kind"] == "planned":
        return [atlantis_plans.left(state, seat, first["lines"])]
    demand(not state.over and seat == state.active, "not this seat's turn")
    atlantis_plans.lapse(state, first)
    if first["kind"] == "bought":
        demand(not state.bought, "bought already")
        value = first["tile"][1]
        demand(value >= 2, "a tile of 1 buys nothing")
        tile = take(state.tiles[seat], value)
        state.bought = True
        done = {"kind": "bought", "seat": seat, "tile": tile, "count": value // 2}
        return [done, *draw(state, seat, value // 2, luck, ends_turn=False)]
    if first["kind"] == "passed":
        demand(not can_move(state, seat), "there is a legal move")
        done = {"kind": "passed", "seat": seat, "hand": in_order(state.hands[seat])}
        events = [done, *draw(state, seat, 2, luck, ends_turn=True)]
    else:
        done = move(state, seat, first)
        arrived = state.figures[seat].count(MAINLAND)
        wanted = 4 if arrived == 3 else 1 + arrived
        events = [done, *draw(state, seat, wanted, luck, ends_turn=True)]
        if arrived == 3:
            events += final(state, seat)
    state.bought = False
    state.active = state.order[(state.order.index(seat) + 1) % len(state.order)]
    return events


def take(tiles: list[Any], value: int) -> Any:
    """The tile of this value collected first, taken out of the list."""
    tile = next((tile for tile in tiles if tile[1] == value), None)
    demand(tile is not None, "no such tile")
    tiles.remove(tile)
    return tile


def draw(state: State, seat: int, count: int, luck: Any, *, ends_turn: bool) -> list[Event]:
    events: list[Event] = []

    def drew(cards: list[str], last: bool) -> None:
        state.hands[seat] += cards
        events.append(
            {"kind": "drew", "seat": seat, "count": len(cards), "cards": cards, "ends_turn": last}
        )

    cards, state.deck = state.deck[:count], state.deck[count:]
    if len(cards) < count and state.discards:
        count -= len(cards)
        if cards:
            drew(cards, False)
        deck = luck.shuffle(state.discards)
        events.append({"kind": "reshuffled", "count": len(deck), "cards": list(deck)})
        cards, state.deck, state.discards = deck[:count], deck[count:], []
    if cards or ends_turn:
        drew(cards, ends_turn)
    return events


def move(state: State, seat: int, event: Event) -> Event:
    figure, cards, hand = event["figure"], event["cards"], state.hands[seat]
    demand(figure in (0, 1, 2) and bool(cards), "no figure or no card")
    before, after = event["bridge_before"], event["bridge_after"]
    if before is not None:
        demand(after is None, "two bridges")
        build(state, seat, before)
    for card in (*cards, *event["paid_cards"]):
        hand.remove(card)
    start = at = state.figures[seat][figure]
    demand(start != MAINLAND, "this figure has arrived")
    via: list[int] = []
    for card in cards:
        demand(not via or at in state.occupied(), "a card beyond a free landing")
        at = state.next_space(at, card)
        via.append(at)
    demand(at not in state.occupied(), "stops on an occupied tile")
    price = sum(state.prices(start, at))
    values = sorted((tile[1] for tile in event["paid_tiles"]), reverse=True)
    paid_tiles = [take(state.tiles[seat], value) for value in values]
    paid = sum(values) + len(event["paid_cards"])
    demand(paid >= price and (price > 0 or not paid), "pays too little, or for nothing")
    state.discards += [*cards, *in_order(event["paid_cards"])]
    state.figures[seat][figure] = at
    behind = [s for s in range(1, at) if state.top(s) and s not in state.occupied()]
    taken_from = max(behind, default=None)
    taken = None
    if taken_from is not None:
        taken = state.path[taken_from - 1].pop()
        state.tiles[seat].append(taken)
    if after is not None:
        demand(state.figures[seat].count(MAINLAND) < 3, "a bridge after the end")
        build(state, seat, after)
    done = {"kind": "moved", "seat": seat, "figure": figure, "cards": cards, "start": start}
    done |= {"via": via, "price": price, "taken": taken, "taken_from": taken_from}
    done |= {"paid_tiles": paid_tiles, "paid_cards": in_order(event["paid_cards"])}
    done |= {"planned": True} if event.get("planned") else {}
    return done | {"bridge_before": before, "bridge_after": after}


def build(state: State, seat: int, space: int) -> None:
    gaps = [first for first, _last, price in state.gaps() if price]
    demand(state.unbuilt[seat] and space in gaps, "no bridge here")
    state.unbuilt[seat] = False
    state.bridges.append(space)


def can_move(state: State, seat: int) -> bool:
    """Whether any figure has a move that can be paid, with the bridges as they are."""
    purse = sum(tile[1] for tile in state.tiles[seat])

    def onward(start: int, at: int, left: Counter[str]) -> bool:
        for item in [item for item, count in left.items() if count]:
            there, rest = state.next_space(at, item), left - Counter([item])
            if there in state.occupied():
                if onward(start, there, rest):
                    return True
            elif sum(state.prices(start, there)) <= purse + rest.total():
                return True
        return False

    hand = Counter(state.hands[seat])
    return any(onward(at, at, hand) for at in set(state.figures[seat]) if at != MAINLAND)


def final(state: State, ender: int) -> Iterator[Event]:
    """The final movement of the others, and the scores."""
    debts = [0] * len(state.order)
    place = state.order.index(ender) + 1
    for seat in [*state.order[place:], *state.order[: place - 1]]:
        crossings = [state.prices(at, MAINLAND) for at in state.figures[seat]]
        owed = sum(map(sum, crossings))
        values, count = cheapest(owed, [tile[1] for tile in state.tiles[seat]], state.hands[seat])
        tiles = [take(state.tiles[seat], value) for value in values]
        cards = atlantis_plans.most_held(state.hands[seat], count)
        debts[seat] = max(0, owed - sum(values) - count)
        yield {
            "kind": "settled",
            "seat": seat,
            "crossings": crossings,
            "owed": owed,
            "paid_tiles": tiles,
            "paid_cards": in_order(cards),
            "short": debts[seat],
        }
    worth = [sum(tile[1] for tile in tiles) for tiles in state.tiles]
    scores = [
        value + len(hand) - debt
        for value, hand, debt in zip(worth, state.hands, debts, strict=True)
    ]
    best = [seat for seat, score in enumerate(scores) if score == max(scores)]
    state.over = True
    yield {"kind": "ended", "scores": scores, "winners": best}


def cheapest(owed: int, tiles: list[int], hand: list[str]) -> tuple[list[int], int]:
    """(tile values, cards): overpays least, then fewest cards, fewest tiles, highest tiles."""
    tiles = sorted(tiles, reverse=True)
    if sum(tiles) + len(hand) < owed:
        return tiles, len(hand)
    choices: set[tuple[int, ...]] = {()}
    for value in tiles:
        choices |= {(*chosen, value) for chosen in choices}
    ways = []
    for chosen in choices:
        cards = max(0, owed - sum(chosen))
        if cards <= len(hand):
            over = sum(chosen) + cards - owed
            ways.append((over, cards, len(chosen), [-value for value in chosen], chosen))
    return list(min(ways)[-1]), min(ways)[1]
