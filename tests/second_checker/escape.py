"""Escape from Atlantis! by brute force: what each move leads to (the page of the rules, and
events.md)."""

from collections.abc import Callable, Collection, Iterator
from typing import Any

COLUMNS = (
    (2, 8),
    (1, 10),
    (0, 10),
    (1, 10),
    (0, 10),
    (0, 11),
    (0, 10),
    (0, 11),
    (0, 10),
    (1, 10),
    (0, 10),
    (1, 10),
    (2, 8),
)
ISLAND = {3: (4, 7), 4: (3, 7), 5: (2, 9), 6: (2, 8), 7: (2, 9), 8: (3, 7), 9: (4, 7)}
PLACES = [(r, c) for r, (first, last) in enumerate(COLUMNS) for c in range(first, last + 1)]
LAND = [
    hex_
    for hex_, (row, col) in enumerate(PLACES)
    if row in ISLAND and ISLAND[row][0] <= col <= ISLAND[row][1] and (row, col) != (6, 5)
]
LAIRS = [PLACES.index(place) for place in ((1, 1), (2, 10), (6, 5), (10, 0), (11, 10))]
SHORES = [
    [PLACES.index(one), PLACES.index(other)]
    for one, other in (
        ((1, 1), (2, 0)),
        ((1, 10), (2, 10)),
        ((10, 0), (11, 1)),
        ((10, 10), (11, 10)),
    )
]
ISLE_AT = {hex_: isle for isle, shore in enumerate(SHORES) for hex_ in shore}


def point(hex_: int) -> tuple[int, int]:
    row, col = PLACES[hex_]
    return 2 * col + (row % 2 == 0) - 11, row - 6


def distance(one: int, other: int) -> int:
    (x, y), (to_x, to_y) = point(one), point(other)
    across, down = abs(x - to_x), abs(y - to_y)
    return down + max(0, across - down) // 2


NEAR = [[b for b in range(len(PLACES)) if distance(a, b) == 1] for a in range(len(PLACES))]
INLAND = [hex_ for hex_ in LAND if all(near in LAND for near in NEAR[hex_])]
TO_ISLE = [min(distance(hex_, shore) for shore in ISLE_AT) for hex_ in range(len(PLACES))]

VALUES = [6, 5, 4, 3, 3, 2, 2, 1, 1, 1]
BACKS = {
    "whale": (3, 2, 0),
    "shark": (3, 2, 1),
    "ship": (1, 3, 0),
    "whirlpool": (0, 2, 4),
    "volcano": (0, 0, 1),
    "dolphin": (3, 1, 0),
    "wind": (2, 0, 0),
    "move serpent": (1, 1, 0),
    "move shark": (1, 1, 0),
    "move whale": (1, 1, 0),
    "shark defence": (1, 1, 1),
    "whale defence": (0, 2, 1),
}
TILES = [
    [terrain, back]
    for kind, terrain in enumerate("bfm")
    for back, counts in BACKS.items()
    for _tile in range(counts[kind])
]
AT_ONCE = ("whale", "shark", "ship", "whirlpool", "volcano")
FACES = ("serpent", "serpent", "shark", "shark", "whale", "whale")
REACH = {"serpent": 1, "shark": 2, "whale": 3}
ORDERS = ("planned", "ordered")
COMMANDS = ("placed", "launched", "planned", "ordered", "turned", "boarded", "steered", "answered")

# Where an explorer is: ("hand", 0), ("hex", hex), ("ship", hex), ("isle", isle) or ("lost", 0).
Spot = tuple[str, int]
HAND, LOST = ("hand", 0), ("lost", 0)
Event = dict[str, Any]


def event(kind: str, /, *, left_out: Event | None = None, **fields: Any) -> Event:
    """left_out: fields that are not written where they are null, false or empty."""
    full = {name: value for name, value in (left_out or {}).items() if value}
    return {"kind": kind, **fields, **full}


def demand(holds: bool, reason: str) -> None:
    if not holds:
        raise ValueError(reason)


class State:
    """The whole game. where and values: per explorer; kept, plans, shuffled, standing: per seat."""

    def __init__(self, order: list[int], tiles: list[list[str]], options: Event) -> None:
        seats = len(order)
        self.order, self.options, self.seats = order, options, seats
        self.colours = seats * (2 if options.get("two_colours") else 1)
        self.terrain = {hex_: tile[0] for hex_, tile in zip(LAND, tiles, strict=True)}
        self.backs = {hex_: tile[1] for hex_, tile in zip(LAND, tiles, strict=True)}
        self.where: list[Spot] = [HAND] * (10 * self.colours)
        self.values = [0] * (10 * self.colours)
        self.ships: set[int] = set()
        self.herds: dict[str, list[int]] = {"serpent": list(LAIRS), "shark": [], "whale": []}
        self.supply = {"ship": 12 - 2 * self.colours, "shark": 6, "whale": 5}
        self.launched = 0
        self.kept: list[list[str]] = [[] for _seat in order]
        self.plans: list[Event] = [{} for _seat in order]
        self.shuffled: list[list[int]] = [[] for _seat in order]
        self.standing: list[dict[str, int | None]] = [{} for _seat in order]
        self.stage, self.over = "setup", False
        self.turn, self.active = 0, -1
        self.steps, self.tiled = 0, False
        self.wet: set[int] = set()  # who may not take to the water again in this turn
        self.rolled, self.site = "", -1
        self.asked: list[int] = []
        self.answers: dict[int, bool] = {}
        self.dry: int | None = None  # the turn in which the last tile sank
        self.events: list[Event] = []  # of the move that is made
        self.luck: Any = None

    # -- questions

    def owner(self, who: int) -> int:
        return who // 10 % self.seats

    def own(self, seat: int) -> list[int]:
        return [who for who in range(len(self.where)) if self.owner(who) == seat]

    def at(self, kind: str, place: int) -> list[int]:
        return [who for who, spot in enumerate(self.where) if spot == (kind, place)]

    def sea(self, hex_: int) -> bool:
        return 0 <= hex_ < len(PLACES) and hex_ not in self.terrain

    def swimmers(self, hex_: int) -> list[int]:
        return self.at("hex", hex_) if self.sea(hex_) else []

    def is_out(self, who: int) -> bool:
        return self.where[who][0] in ("hex", "ship")

    def anybody_out(self) -> bool:
        return any(self.is_out(who) for who in range(len(self.where)))

    def controllers(self, ship: int) -> list[int]:
        aboard = [self.owner(who) for who in self.at("ship", ship)]
        return [
            seat
            for seat in range(self.seats)
            if aboard and aboard.count(seat) == max(map(aboard.count, aboard))
        ]

    def may_sail(self, seat: int, ship: int) -> bool:
        return ship in self.ships and (not self.at("ship", ship) or seat in self.controllers(ship))

    def eater(self, hex_: int) -> str | None:
        return next((kind for kind in ("shark", "serpent") if hex_ in self.herds[kind]), None)

    def wrecker(self, hex_: int) -> str | None:
        return next((kind for kind in ("serpent", "whale") if hex_ in self.herds[kind]), None)

    def sinkable(self) -> list[int]:
        for kind in "bfm":
            tiles = [hex_ for hex_ in LAND if self.terrain.get(hex_) == kind]
            coast = [hex_ for hex_ in tiles if any(map(self.sea, NEAR[hex_]))]
            if tiles:
                return coast or tiles
        return []

    def clockwise(self) -> list[int]:
        """The other seats, from the active player on."""
        place = self.order.index(self.active)
        return [*self.order[place + 1 :], *self.order[:place]]

    # -- setup

    def colour_to_place(self) -> int | None:
        placed = sum(spot != HAND for spot in self.where)
        return None if placed == len(self.where) else self.colour_order()[placed % self.colours]

    def colour_to_launch(self) -> int | None:
        if self.colour_to_place() is not None or self.launched == 2 * self.colours:
            return None
        return self.colour_order()[self.launched % self.colours]

    def colour_order(self) -> list[int]:
        second = [seat + self.seats for seat in self.order] if self.colours > self.seats else []
        return [*self.order, *second]

    def values_left(self, colour: int) -> list[int]:
        left = list(VALUES)
        for value in self.values[10 * colour : 10 * colour + 10]:
            if value:
                left.remove(value)
        return left

    def is_free(self, hex_: int) -> bool:
        room = 2 if self.options.get("overpopulated") and hex_ in INLAND else 1
        return hex_ in self.terrain and len(self.at("hex", hex_)) < room

    def harbours(self) -> list[int]:
        return [
            hex_
            for hex_ in range(len(PLACES))
            if self.sea(hex_)
            and hex_ not in self.ships
            and hex_ not in self.herds["serpent"]
            and any(near in self.terrain for near in NEAR[hex_])
        ]

    # -- steps

    def step_allowed(self, seat: int, step: list[Any]) -> bool:
        """Whether the rules of step 2 allow this single step now."""
        verb, who, to = step
        if self.steps >= 3 or not any(self.is_out(mine) for mine in self.own(seat)):
            return False
        if verb == "sail":
            return (
                self.may_sail(seat, who)
                and to in NEAR[who]
                and self.sea(to)
                and to not in self.ships
            )
        if who not in self.own(seat) or not self.is_out(who):
            return False
        kind, here = self.where[who]
        swims = kind == "hex" and self.sea(here)
        if swims and who in self.wet:
            return False
        on_land = kind == "hex" and not swims
        if verb == "walk":
            return on_land and to in NEAR[here] and to in self.terrain
        if verb == "swim":
            if kind == "ship":
                return to == here and who not in self.wet
            return to in NEAR[here] and self.sea(to)
        if verb == "board":
            near = to == here if swims else to in NEAR[here]
            return near and to in self.ships and len(self.at("ship", to)) < 3
        return verb == "ashore" and not on_land and ISLE_AT.get(here) == to

    def any_step(self, seat: int) -> bool:
        hexes = range(len(PLACES))
        by_foot = (
            [verb, who, to]
            for who in self.own(seat)
            if self.is_out(who)
            for verb in ("walk", "swim", "board", "ashore")
            for to in {*range(4), self.where[who][1], *NEAR[self.where[who][1]]}
        )
        sails = (["sail", ship, to] for ship in self.ships for to in hexes)
        return any(self.step_allowed(seat, step) for moves in (by_foot, sails) for step in moves)

    def ways(
        self, start: int, most: int, enter: Callable[[int], bool], stops: Collection[int]
    ) -> dict[int, list[int]]:
        """Every end of a walk, with its shortest way; of several the one with the lower hexes."""
        walks: list[list[int]] = [[]]
        best: dict[int, list[int]] = {}
        for _hex in range(most):
            walks = [
                [*walk, to]
                for walk in walks
                if not walk or walk[-1] not in stops
                for to in NEAR[walk[-1] if walk else start]
                if enter(to)
            ]
            for walk in sorted(walks):
                if walk[-1] != start:
                    best.setdefault(walk[-1], walk)
        return best

    def creature_ways(self, kind: str, start: int) -> dict[int, list[int]]:
        prey = {"serpent": "", "shark": "hex", "whale": "ship"}[kind]
        stops = {spot[1] for spot in self.where if spot[0] == prey}
        return self.ways(start, REACH[kind], self.sea, stops)

    # -- what happens

    def add(self, kind: str, /, *, left_out: Event | None = None, **fields: Any) -> None:
        self.events.append(event(kind, left_out=left_out, **fields))

    def put(self, explorers: Collection[int], spot: Spot) -> None:
        for who in explorers:
            self.where[who] = spot

    def harm(
        self, creature: str, hex_: int, ship: bool = False, overboard: Any = (), lost: Any = ()
    ) -> None:
        fields = {"ship": ship, "overboard": sorted(overboard), "lost": sorted(lost)}
        self.add("harmed", creature=creature, hex=hex_, left_out=fields)
        if ship:
            self.ships.remove(hex_)
        self.put(overboard, ("hex", hex_))
        self.wet |= set(overboard)
        self.put(lost, LOST)

    def meet_eater(self, who: int, hex_: int) -> None:
        eater = self.eater(hex_)
        if eater:
            self.harm(eater, hex_, lost=[who])

    def meet_wrecker(self, hex_: int) -> None:
        """An occupied ship came to this hex, or somebody boarded an empty one there."""
        wrecker, aboard = self.wrecker(hex_), self.at("ship", hex_)
        if wrecker and aboard:
            doomed = "lost" if self.eater(hex_) else "overboard"
            self.harm(wrecker, hex_, True, **{doomed: aboard})

    def move_ship(self, start: int, to: int) -> None:
        self.put(self.at("ship", start), ("ship", to))
        self.ships.remove(start)
        self.ships.add(to)

    def move_creature(self, kind: str, start: int, to: int) -> None:
        self.herds[kind].remove(start)
        self.herds[kind].append(to)

    def take_step(self, seat: int, step: list[Any]) -> None:
        verb, who, to = step
        demand(self.step_allowed(seat, step), "an illegal step")
        kind, start = ("ship", who) if verb == "sail" else self.where[who]
        self.add("stepped", seat=seat, step=step, start=start)
        self.steps, self.tiled = self.steps + 1, True
        if verb == "sail":
            self.move_ship(who, to)
            self.meet_wrecker(to)
        elif verb == "swim":
            self.where[who] = ("hex", to)
            self.wet.add(who)
            self.meet_eater(who, to)
        elif verb == "board":
            if kind == "hex" and self.sea(start):
                self.wet.add(who)
            self.where[who] = ("ship", to)
            self.meet_wrecker(to)
        else:
            self.where[who] = ("isle" if verb == "ashore" else "hex", to)

    def play_tile(self, seat: int, play: list[Any]) -> None:
        tile, start, to = play
        demand(tile in self.kept[seat] and not self.tiled, "no such tile, or too late")
        demand(not tile.endswith("defence"), "a defence is no tile for an own turn")
        if tile == "dolphin":
            demand(start in self.own(seat), "not an own explorer")
            demand(start in self.swimmers(self.where[start][1]), "does not swim")
            danger = {*self.herds["shark"], *self.herds["serpent"]}
            ways = self.ways(self.where[start][1], 3, self.sea, danger)
        elif tile == "wind":
            demand(self.may_sail(seat, start), "not under control")
            danger = {*self.herds["serpent"], *self.herds["whale"]}
            stops = danger if self.at("ship", start) else set()
            ways = self.ways(
                start, 3, lambda hex_: self.sea(hex_) and hex_ not in self.ships, stops
            )
        else:
            demand(start in self.herds[tile.removeprefix("move ")], "no such creature")
            taken = {*self.ships, *(hex_ for herd in self.herds.values() for hex_ in herd)}
            free = self.sea(to) and to not in taken and not self.swimmers(to)
            ways = {to: [to]} if free else {}
        self.add("played", seat=seat, tile=tile, start=start, way=ways[to])
        self.tiled = True
        self.kept[seat].remove(tile)
        if tile == "dolphin":
            self.where[start] = ("hex", to)
            self.meet_eater(start, to)
        elif tile == "wind":
            self.move_ship(start, to)
            self.meet_wrecker(to)
        else:
            self.move_creature(tile.removeprefix("move "), start, to)

    def sink(self, seat: int, hex_: int) -> None:
        demand(hex_ in self.sinkable(), "this tile may not sink")
        terrain, back = self.terrain.pop(hex_), self.backs.pop(hex_)
        if not self.terrain:
            self.dry = self.turn
        kept = back not in AT_ONCE
        sunk = {"hex": hex_, "terrain": terrain, "back": back}
        self.add("sank", seat=seat, **sunk, left_out={"kept": kept})
        volcano_ends = self.options.get("ending", "volcano") == "volcano"
        if kept:
            self.kept[seat].append(back)
        elif back == "volcano" and volcano_ends:
            lost = [who for who in range(len(self.where)) if self.is_out(who)]
            self.add("erupted", hex=hex_, left_out={"lost": lost})
            self.put(lost, LOST)
            self.end("volcano")
            return
        elif back in ("whirlpool", "volcano"):
            self.whirl(hex_)
        elif self.supply[back]:
            self.supply[back] -= 1
            self.surface(back, hex_)
        if not self.anybody_out():
            self.end("nobody")
        elif self.options.get("ending") == "submerged" and not self.terrain:
            self.end("submerged")
        elif self.stage != "crew":
            self.roll(seat)

    def whirl(self, hex_: int) -> None:
        pool = [one for one in (hex_, *NEAR[hex_]) if self.sea(one)]
        lost = [w for w in range(len(self.where)) if self.is_out(w) and self.where[w][1] in pool]
        gone: Event = {"explorers": lost, "ships": sorted(self.ships & set(pool))}
        self.put(lost, LOST)
        self.ships -= set(pool)
        for kind, herd in self.herds.items():
            gone[f"{kind}s"] = sorted(one for one in herd if one in pool)
            self.herds[kind] = [one for one in herd if one not in pool]
        self.add("whirled", hex=hex_, left_out=gone)

    def surface(self, piece: str, hex_: int) -> None:
        swimming = self.swimmers(hex_)
        if piece != "ship":
            self.herds[piece].append(hex_)
            self.add("appeared", piece=piece, hex=hex_)
            if piece == "shark" and swimming:
                self.harm("shark", hex_, lost=swimming)
            return
        self.ships.add(hex_)
        if len(swimming) <= 3:
            self.add("appeared", piece=piece, hex=hex_, left_out={"aboard": swimming})
            self.put(swimming, ("ship", hex_))
            return
        self.add("appeared", piece=piece, hex=hex_, crowd=True)
        self.site, self.stage = hex_, "crew"

    def roll(self, seat: int) -> None:
        self.rolled = FACES[self.luck.roll(6)]
        self.add("rolled", seat=seat, creature=self.rolled)
        self.stage = "creature"

    def steer(self, seat: int, event: Event) -> None:
        kind, start, way = self.rolled, event.get("start"), event.get("way") or []
        if start is None:
            self.add("steered", seat=seat, creature=kind)
            self.next_turn()
            return
        demand(start in self.herds[kind], "no such creature")
        to = way[-1]
        way = self.creature_ways(kind, start)[to]
        self.move_creature(kind, start, to)
        self.add("steered", seat=seat, creature=kind, start=start, way=way)
        asked = [other for other in self.affected(to) if self.kept[other]]
        if not asked:
            self.bite(to)
            self.next_turn()
            return
        self.add("alerted", creature=kind, hex=to, seats=asked)
        self.stage, self.site, self.asked = "defence", to, asked
        for other in list(asked):
            self.answer_by_standing(other)

    def affected(self, hex_: int) -> list[int]:
        """Return the seats that may defend against the creature on this hex, clockwise."""
        hurt: set[int] = set()
        if self.rolled == "shark":
            hurt = {self.owner(who) for who in self.swimmers(hex_)}
        elif self.rolled == "whale":
            hurt = set(self.controllers(hex_))
        return [seat for seat in self.clockwise() if seat in hurt]

    def bite(self, hex_: int) -> None:
        """The harm that the creature does which was moved to this hex."""
        aboard, swimming = self.at("ship", hex_), self.swimmers(hex_)
        if self.rolled == "serpent" and aboard + swimming:
            self.harm("serpent", hex_, bool(aboard), lost=aboard + swimming)
        elif self.rolled == "shark" and swimming:
            self.harm("shark", hex_, lost=swimming)
        elif self.rolled == "whale" and aboard:
            self.harm("whale", hex_, True, **{"lost" if self.eater(hex_) else "overboard": aboard})

    def standing_answer(self, seat: int) -> bool | None:
        least = self.standing[seat].get(self.rolled)
        if least is None:
            return None
        kind = "hex" if self.rolled == "shark" else "ship"
        stake = sum(self.owner(who) == seat for who in self.at(kind, self.site))
        return 0 < least <= stake and f"{self.rolled} defence" in self.kept[seat]

    def answer_by_standing(self, seat: int) -> None:
        answer = self.standing_answer(seat)
        if answer is not None:
            self.answer(seat, answer, auto=True)

    def answer(self, seat: int, defend: bool, *, auto: bool) -> None:
        self.add("answered", seat=seat, defend=defend, left_out={"auto": auto})
        self.asked = [other for other in self.asked if other != seat]
        self.answers[seat] = defend

    def settle(self) -> bool:
        """Whether enough have answered; then the creature is driven off or does its harm."""
        for seat in self.affected(self.site):
            if seat in self.asked:
                return False
            if self.answers.get(seat):
                self.add("defended", seat=seat, creature=self.rolled, hex=self.site)
                self.herds[self.rolled].remove(self.site)
                self.kept[seat].remove(f"{self.rolled} defence")
                return True
        self.bite(self.site)
        return True

    def end(self, cause: str) -> None:
        scores = []
        for seat in range(self.seats):
            saved = [who for who in self.own(seat) if self.where[who][0] == "isle"]
            worth = sum(self.values[who] for who in saved)
            scores.append(len(saved) if self.options.get("equal") else worth)
        winners = [seat for seat, score in enumerate(scores) if score == max(scores)]
        self.add("ended", cause=cause, scores=scores, winners=winners)
        self.over, self.stage = True, "over"

    def next_turn(self) -> None:
        if not self.anybody_out():
            self.end("nobody")
            return
        last = self.options.get("ending") == "last" and self.dry is not None
        if last and self.turn >= (self.dry or 0) + 12 * self.seats:
            lost = [who for who in range(len(self.where)) if self.is_out(who)]
            self.add("drowned", lost=lost)
            self.put(lost, LOST)
            self.end("calm")
            return
        self.active = self.order[0] if self.active < 0 else (*self.clockwise(), self.active)[0]
        self.turn, self.stage, self.steps, self.tiled = self.turn + 1, "turn", 0, False
        self.wet, self.rolled, self.site, self.asked, self.answers = set(), "", -1, [], {}
        self.add("began", seat=self.active, turn=self.turn)

    # -- the setup goes on

    def place(self, seat: int, colour: int, value: int, hex_: int, *, auto: bool) -> None:
        demand(value in self.values_left(colour) and self.is_free(hex_), "cannot be placed")
        who = next(who for who in range(10 * colour, 10 * colour + 10) if self.where[who] == HAND)
        self.where[who], self.values[who] = ("hex", hex_), value
        flags = {"auto": auto, "strict": self.options.get("strict", False)}
        self.add("placed", seat=seat, explorer=who, hex=hex_, value=value, left_out=flags)
        wishes = self.plans[seat].get("wishes", [])
        if auto and [value, hex_] in wishes:
            wishes.remove([value, hex_])

    def launch(self, seat: int, colour: int, hex_: int, *, auto: bool) -> None:
        demand(hex_ in self.harbours(), "no harbour")
        self.ships.add(hex_)
        self.launched += 1
        self.add("launched", seat=seat, colour=colour, hex=hex_, left_out={"auto": auto})
        if auto and self.plans[seat].get("ships"):
            left = [ship for ship in self.plans[seat]["ships"] if ship != hex_]
            self.plans[seat]["ships"] = left

    def by_plan(self, seat: int, colour: int) -> tuple[int, int] | None:
        """(value, hex) of the explorer that the seat's plan places next."""
        plan, left = self.plans[seat], self.values_left(colour)
        for value, hex_ in plan.get("wishes", []):
            if value in left and self.is_free(hex_):
                return value, hex_
        preset = plan.get("preset")
        if not preset:
            return None
        value = next(value for value in self.shuffled[seat] if value in left)
        mine = [self.where[who][1] for who in self.own(seat) if self.where[who] != HAND]

        def rank(hex_: int) -> tuple[int, ...]:
            alone = -min((distance(hex_, other) for other in mine), default=0)
            if preset == "spread":
                return alone, TO_ISLE[hex_], hex_
            if (preset == "coast") == (value >= 3):
                return hex_ in INLAND, TO_ISLE[hex_], alone, hex_
            return hex_ not in INLAND, -TO_ISLE[hex_], alone, hex_

        return value, min((hex_ for hex_ in LAND if self.is_free(hex_)), key=rank)

    def harbour_by_plan(self, seat: int) -> int | None:
        plan, harbours = self.plans[seat], self.harbours()
        for hex_ in plan.get("ships", []):
            if hex_ in harbours:
                return int(hex_)
        if not plan.get("preset"):
            return None

        def rank(hex_: int) -> tuple[int, ...]:
            tiles = [("hex", near) for near in NEAR[hex_] if near in self.terrain]
            beside = sum(self.where[who] in tiles for who in self.own(seat))
            return -beside, TO_ISLE[hex_], hex_

        return min(harbours, key=rank)

    def go_on(self) -> None:
        """Everything without a choice, until somebody is asked."""
        while not self.over:
            if self.stage == "setup":
                if not self.set_up():
                    return
            elif self.stage == "turn":
                seat, tiles = self.active, self.sinkable()
                if (self.kept[seat] and not self.tiled) or len(tiles) > 1 or self.any_step(seat):
                    return
                if tiles:
                    self.sink(seat, tiles[0])
                else:
                    self.roll(seat)
            elif self.stage == "creature":
                if any(self.creature_ways(self.rolled, one) for one in self.herds[self.rolled]):
                    return
                self.next_turn()
            elif self.stage == "defence" and self.settle():
                self.next_turn()
            else:
                return

    def set_up(self) -> bool:
        """Place what a plan or the rules leave no choice about; False where somebody is asked."""
        colour = self.colour_to_place()
        if colour is not None:
            seat = colour % self.seats
            chosen = self.by_plan(seat, colour)
            if chosen is None:
                values = set(self.values_left(colour))
                options = [(v, hex_) for v in values for hex_ in LAND if self.is_free(hex_)]
                chosen = options[0] if len(options) == 1 else None
            if chosen:
                self.place(seat, colour, *chosen, auto=True)
            return chosen is not None
        colour = self.colour_to_launch()
        if colour is None:
            self.next_turn()
            return True
        hex_ = self.harbour_by_plan(colour % self.seats)
        if hex_ is not None:
            self.launch(colour % self.seats, colour, hex_, auto=True)
        return hex_ is not None


# -- what record.py asks for -------------------------------------------------------------------


CHOICES = {
    "order": ("random", "seated"),
    "memory": ("shown", "strict"),
    "colours": ("one", "two"),
    "ending": ("volcano", "last", "submerged"),
    "answer": ("24", "6", "12", "48"),
    "overpopulated": ("no", "yes"),
    "equal": ("no", "yes"),
}


def setup(options: dict[str, str], seats: int, luck: Any) -> tuple[State, list[Event]]:
    demand(set(options) <= set(CHOICES), "an unknown option")
    full = {name: options.get(name, values[0]) for name, values in CHOICES.items()}
    demand(all(full[name] in CHOICES[name] for name in full), "an unknown choice")
    demand(full["colours"] == "one" or seats == 2, "two colours are for two")
    order = luck.shuffle(range(seats)) if full["order"] == "random" else list(range(seats))
    tiles = luck.shuffle(TILES)
    rules: Event = {
        "seated": full["order"] == "seated",
        "strict": full["memory"] == "strict",
        "two_colours": full["colours"] == "two",
        "overpopulated": full["overpopulated"] == "yes",
        "equal": full["equal"] == "yes",
    }
    rules = {name: True for name, holds in rules.items() if holds}
    if full["ending"] != "volcano":
        rules["ending"] = full["ending"]
    if full["answer"] != "24":
        rules["hours"] = int(full["answer"])
    state = State(order, tiles, rules)
    return state, [{"kind": "prepared", "order": order, "tiles": tiles, "options": rules}]


def recorded_luck(events: list[Event]) -> Iterator[Any]:
    for event in events:
        if event["kind"] == "prepared":
            if not event["options"].get("seated"):
                yield event["order"]
            yield event["tiles"]
        elif event["kind"] == "planned" and event.get("values"):
            yield event["values"]
        elif event["kind"] == "rolled":
            yield FACES.index(event["creature"])


def is_command(event: Event) -> bool:
    return event["kind"] in COMMANDS and not event.get("auto")


def answers(state: State, event: Event) -> bool:
    """Whether this order answers an open question at once."""
    return event["kind"] == "ordered" and event["seat"] in state.asked


def leave_order(state: State, event: Event) -> None:
    seat = event["seat"]
    demand(seat in range(state.seats) and not state.over, "no such seat")
    if event["kind"] == "planned":
        plan = event["plan"]
        demand(state.stage == "setup" and plan["type"] == "plan", "the setup is over")
        demand(set(plan) <= {"type", "wishes", "ships", "preset"}, "an unknown field")
        demand(all(plan.values()), "an empty field")
        demand(plan.get("preset") in (None, "coast", "inland", "spread"), "no such preset")
        wishes, ships = plan.get("wishes", []), plan.get("ships", [])
        demand(len(wishes) <= 80 and len(ships) <= 80, "too many wishes")
        demand(all(value in VALUES and hex_ in LAND for value, hex_ in wishes), "a vain wish")
        demand(all(h in range(len(PLACES)) and h not in LAND for h in ships), "a ship on land")
        state.plans[seat] = {**plan, "wishes": list(wishes), "ships": list(ships)}
        state.shuffled[seat] = event.get("values", [])
        return
    standing = event["standing"]
    demand(set(standing) == {"type", "creature", "at_least"}, "an unknown field")
    creature, least = standing["creature"], standing["at_least"]
    demand(standing["type"] == "standing" and creature in ("shark", "whale"), "no such defence")
    demand(least is None or least in range(21), "no such number")
    state.standing[seat][creature] = least


def play(state: State, event: Event, luck: Any) -> list[Event]:
    """The events of the move that begins with this one; the state goes on with them."""
    kind, seat = event["kind"], event["seat"]
    state.events, state.luck = [], luck
    demand(not state.over, "the game is over")
    if kind in ORDERS:
        order(state, event)
    elif kind == "answered":
        demand(state.stage == "defence" and seat in state.asked, "nobody asked")
        tile = f"{state.rolled} defence"
        demand(type(event["defend"]) is bool, "neither yes nor no")
        demand(not event["defend"] or tile in state.kept[seat], "no such defence")
        state.answer(seat, event["defend"], auto=False)
    elif kind in ("placed", "launched"):
        colour = state.colour_to_place() if kind == "placed" else state.colour_to_launch()
        demand(state.stage == "setup" and colour is not None, "the setup is over")
        demand(colour is not None and colour % state.seats == seat, "not this seat's turn")
        if kind == "placed":
            state.place(seat, colour or 0, event["value"], event["hex"], auto=False)
        else:
            state.launch(seat, colour or 0, event["hex"], auto=False)
    else:
        demand(seat == state.active, "not this seat's turn")
        stage = {"turned": "turn", "boarded": "crew", "steered": "creature"}[kind]
        demand(state.stage == stage, "not what the game waits for")
        if kind == "turned":
            take_turn(state, seat, event["orders"])
        elif kind == "steered":
            state.steer(seat, event)
        else:
            board(state, seat, event["explorers"])
    state.go_on()
    events, state.events, state.luck = state.events, [], None
    return events


def order(state: State, event: Event) -> None:
    seat = event["seat"]
    if event["kind"] == "planned":
        values = state.luck.shuffle(VALUES) if event["plan"].get("preset") else []
        flags = {"values": values, "strict": state.options.get("strict", False)}
        state.add("planned", seat=seat, plan=event["plan"], left_out=flags)
        leave_order(state, state.events[0])
        return
    state.add("ordered", seat=seat, standing=event["standing"])
    leave_order(state, event)
    if seat in state.asked:
        state.answer_by_standing(seat)


def take_turn(state: State, seat: int, orders: Event) -> None:
    state.add("turned", seat=seat, orders=orders)
    demand(orders["type"] == "turn", "no turn")
    demand(set(orders) <= {"type", "play", "steps", "sink", "roll"}, "an unknown field")
    demand(len(orders) > 1 and all(orders.values()), "no orders, or an empty field")
    demand(orders.get("roll", True) is True, "a roll is true")
    demand(not ("sink" in orders and "roll" in orders), "sinks and rolls")
    if "play" in orders:
        state.play_tile(seat, orders["play"])
    for step in orders.get("steps", []):
        if state.anybody_out():
            state.take_step(seat, step)
    if not state.anybody_out():
        state.end("nobody")
    elif "sink" in orders:
        state.sink(seat, orders["sink"])
    elif "roll" in orders:
        demand(not state.terrain, "a tile must sink")
        state.roll(seat)


def board(state: State, seat: int, explorers: list[int]) -> None:
    swimming = state.swimmers(state.site)
    demand(len(explorers) == 3 == len(set(explorers)), "three explorers board")
    demand(set(explorers) <= set(swimming), "not swimming there")
    state.put(explorers, ("ship", state.site))
    state.add("boarded", seat=seat, explorers=sorted(explorers))
    state.site = -1
    state.roll(seat)
