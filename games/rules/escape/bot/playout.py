"""Imagined games: a world that agrees with what a seat sees, played on by simple players.

The rules are those of the game, without what hardly matters here: nobody keeps tiles, creatures
swim as the crow flies, and every player takes the single steps that bring most. A turn takes some
ten microseconds. A world never holds a fact from outside the view: what it does not show is dealt
anew.
"""

from collections.abc import Sequence

from games.rules.chance import FastRandom

from ...contract import Chance
from .. import model
from ..hexes import ISLE_AT, LAND, NEAR
from ..model import ABOARD, EACH, LOST, SAVED, SEA, TERRAINS, Back, Ending
from .evaluation import BY_SHIP, BY_SWIMMING, DISTANCE, MEAN, ON_LAND

ROUNDS = 2  # turns of each seat that are imagined; what comes later is estimated
ROUNDS_OF_TWO = 3  # the same with two players
FACES = (0, 0, 1, 1, 2, 2)  # serpent, shark, whale
REACH = (1, 2, 3)


class Deal:
    """Backs of tiles and values of explorers that the viewer does not know, dealt by chance."""

    def __init__(self, view: model.View, chance: Chance) -> None:
        self.backs = _backs(view, chance)
        self.values = _values(view, chance)


def _backs(view: model.View, chance: Chance) -> dict[int, Back]:
    """A back for every tile that lies, such that all shown and kept ones are accounted for."""
    board = view.board
    left = {back: sum(counts) for back, counts in model.TALLY.items()}
    own = () if view.viewer is None else view.kept[view.viewer] or ()
    for back in (*board.spent, *own):
        left[back] -= 1
    lying: dict[int, Back] = {}
    for column in range(len(TERRAINS) - 1, -1, -1):  # what sinks last is known best
        hexes = [hex_ for hex_ in LAND if board.map[hex_] == TERRAINS[column]]
        most = {back: counts[column] for back, counts in model.TALLY.items()}
        whole = len(hexes) == sum(most.values())
        pool = [
            back
            for back, count in left.items()
            for _ in range(most[back] if whole else min(count, most[back]))
        ]
        # Somebody else may keep a red tile; which of those left, chance decides.
        shown = [back for back in pool if back not in model.KEPT]
        red = chance.shuffle([back for back in pool if back in model.KEPT])
        some = chance.shuffle((*shown, *red)[: len(hexes)])
        for hex_, back in zip(hexes, some, strict=False):
            lying[hex_] = back
            left[back] -= 1
    return lying


def _values(view: model.View, chance: Chance) -> list[float]:
    """A value for every explorer; those of one colour add up to those in the box."""
    board = view.board
    if board.options.equal:
        return [1.0] * len(view.values)
    values: list[float] = []
    for first in range(0, len(view.values), EACH):
        colour = view.values[first : first + EACH]
        left = list(model.VALUES)
        for value in colour:
            if value:
                left.remove(value)
        dealt = iter(chance.shuffle(left))
        values += [float(value or next(dealt, MEAN)) for value in colour]
    return values


class World:
    """A board that is played on; changed in place."""

    __slots__ = (
        "active",
        "backs",
        "herds",
        "late",
        "luck",
        "map",
        "order",
        "over",
        "people",
        "seat_of",
        "seats",
        "ships",
        "supply",
        "tiles",
        "turn",
        "values",
        "volcano",
        "wet",
        "where",
    )

    def __init__(self, board: model.Board, deal: Deal, seed: int) -> None:
        self.luck = FastRandom(seed)
        self.where = list(board.where)
        self.map = list(board.map)
        self.ships = set(board.ships)
        self.herds = (list(board.serpents), list(board.sharks), list(board.whales))
        self.supply = list(board.supply)
        self.backs, self.values = deal.backs, deal.values
        self.seats, self.order = board.seats, board.order
        self.seat_of = [who // EACH % board.seats for who in range(len(board.where))]
        self.people = [
            [w for w, s in enumerate(self.seat_of) if s == seat and 0 <= board.where[w] < SAVED]
            for seat in range(board.seats)
        ]
        self.tiles = [[hex_ for hex_ in LAND if board.map[hex_] == one] for one in TERRAINS]
        self.active = board.active if board.active is not None else board.order[0]
        self.turn = board.turn
        self.volcano = board.options.ending is Ending.VOLCANO
        self.late = board.options.ending is Ending.SUBMERGED
        self.wet = {who for who in range(len(board.where)) if board.swam >> who & 1}
        self.over = False

    # -- a whole game -------------------------------------------------------------------

    def play(self) -> None:
        """Go on with the seat after the active one, for some turns or until the game is over."""
        place = self.order.index(self.active)
        rounds = ROUNDS_OF_TWO if self.seats == 2 else ROUNDS
        for _ in range(rounds * self.seats):
            if self.over or not any(self.people):
                return
            place = (place + 1) % self.seats
            self.active = self.order[place]
            self.turn += 1
            self.wet.clear()
            self.steps(model.STEPS)
            self.sink(None)
            if not self.over:
                self.creature()

    def scores(self) -> list[float]:
        """Return per seat the points ashore and the hopes of those still out."""
        scores = [0.0] * self.seats
        for who, place in enumerate(self.where):
            if place >= SAVED:
                scores[self.seat_of[who]] += self.values[who]
            elif place >= 0 and not self.over:
                scores[self.seat_of[who]] += self.values[who] * self.hope(place)
        return scores

    def hope(self, place: int) -> float:
        """Return the share of an explorer's value that it has at this place, 0 … 1."""
        if place >= ABOARD:
            return BY_SHIP[place - ABOARD]
        return (BY_SWIMMING if self.map[place] == SEA else ON_LAND)[place]

    # -- a turn -------------------------------------------------------------------------

    def steps(self, count: int) -> None:
        """The best single step, `count` times, or as long as one brings anything."""
        where, map_ = self.where, self.map
        people = self.people[self.active]
        for _ in range(count):
            if not people:
                return
            crews = self.crews()
            best, done = 0.0, (-1, -1)
            for who in people:
                gain, to = self.best_step(who, crews)
                if gain > best:
                    best, done = gain, (who, to)
            for ship, aboard in crews.items():
                gain, to = self.best_sail(ship, aboard, crews)
                if gain > best:
                    best, done = gain, (-2 - ship, to)
            who, to = done
            if best <= 0:
                return
            if who < -1:
                ship = -2 - who
                self.ships.discard(ship)
                self.ships.add(to)
                for sailor in crews[ship]:
                    where[sailor] = to + ABOARD
                continue
            place = where[who]
            where[who] = to
            if to >= SAVED:
                people.remove(who)
            elif (to < ABOARD and map_[to] == SEA) or (place < ABOARD and map_[place] == SEA):
                self.wet.add(who)

    def crews(self) -> dict[int, list[int]]:
        """The passengers of each ship."""
        crews: dict[int, list[int]] = {ship: [] for ship in self.ships}
        for people in self.people:
            for who in people:
                place = self.where[who]
                if place >= ABOARD:
                    crews[place - ABOARD].append(who)
        return crews

    def best_step(self, who: int, crews: dict[int, list[int]]) -> tuple[float, int]:
        """(gain, place) of the best step of an explorer."""
        place, value = self.where[who], self.values[who]
        serpents, sharks, whales = self.herds
        if place >= ABOARD:
            here = place - ABOARD
            return (value * 0.25, ISLE_AT[here] + SAVED) if here in ISLE_AT else (0.0, 0)
        if self.map[place] == SEA:
            if who in self.wet:
                return 0.0, 0
            if place in ISLE_AT:
                return value * 0.4, ISLE_AT[place] + SAVED
            now, best, to = BY_SWIMMING[place], 0.0, 0
            if place in crews and len(crews[place]) < model.ROOM:
                best, to = BY_SHIP[place] - now, place + ABOARD
            for near in NEAR[place]:
                gain = BY_SWIMMING[near] - now
                if gain > best and near not in sharks and near not in serpents:
                    best, to = (gain, near) if self.map[near] == SEA else (best, to)
            return value * best, to
        now, best, to = ON_LAND[place], 0.0, 0
        for near in NEAR[place]:
            if self.map[near] != SEA:
                gain, there = ON_LAND[near] - now, near
            elif near in serpents:
                continue
            elif near in crews and len(crews[near]) < model.ROOM and near not in whales:
                gain, there = BY_SHIP[near] - now, near + ABOARD
            elif near not in sharks:
                gain, there = BY_SWIMMING[near] - now, near
            else:
                continue
            if gain > best:
                best, to = gain, there
        return value * best, to

    def best_sail(
        self, ship: int, aboard: list[int], crews: dict[int, list[int]]
    ) -> tuple[float, int]:
        """(gain, hex) of the best step of a ship."""
        worth, mine, counts = 0.0, 0, [0] * self.seats
        for who in aboard:
            seat = self.seat_of[who]
            counts[seat] += 1
            if seat == self.active:
                mine += 1
                worth += self.values[who]
            else:
                worth -= self.values[who] / (self.seats - 1)
        if not mine or mine < max(counts) or worth <= 0:
            return 0.0, 0
        best, to = 0.0, 0
        serpents, _sharks, whales = self.herds
        for near in NEAR[ship]:
            gain = BY_SHIP[near] - BY_SHIP[ship]
            if gain > best and self.map[near] == SEA and near not in (*crews, *serpents, *whales):
                best, to = gain, near
        return worth * best, to

    # -- sinking ------------------------------------------------------------------------

    def sink(self, hex_: int | None) -> None:
        """Sink this tile, or (None) the one that hurts the others most."""
        tiles = next((tiles for tiles in self.tiles if tiles), None)
        if tiles is None:
            return
        if hex_ is None:
            hex_ = self.best_sinking(tiles)
        tiles.remove(hex_)
        self.map[hex_] = SEA
        back = self.backs.get(hex_)
        if back is Back.VOLCANO and self.volcano:
            self.over = True
        elif back is Back.WHIRLPOOL or back is Back.VOLCANO:
            gone = {hex_, *(near for near in NEAR[hex_] if self.map[near] == SEA)}
            self.lose(
                [w for people in self.people for w in people if self.where[w] % ABOARD in gone]
            )
            self.ships -= gone
            for herd in self.herds:
                herd[:] = [place for place in herd if place not in gone]
        elif back is Back.SHARK and self.supply[1]:
            self.supply[1] -= 1
            self.herds[1].append(hex_)
            self.lose([w for people in self.people for w in people if self.where[w] == hex_])
        elif back is Back.WHALE and self.supply[2]:
            self.supply[2] -= 1
            self.herds[2].append(hex_)
        elif back is Back.SHIP and self.supply[0]:
            self.supply[0] -= 1
            self.ships.add(hex_)
            crowd = [w for people in self.people for w in people if self.where[w] == hex_]
            crowd.sort(key=lambda who: self.seat_of[who] != self.active)
            for who in crowd[: model.ROOM]:
                self.where[who] = hex_ + ABOARD
        if self.late and not any(self.tiles):
            self.over = True

    def best_sinking(self, tiles: Sequence[int]) -> int:
        """A tile of the kind that sinks now."""
        map_ = self.map
        shore = [hex_ for hex_ in tiles if any(map_[near] == SEA for near in NEAR[hex_])] or tiles
        hurt = dict.fromkeys(shore, 0.0)
        for seat, people in enumerate(self.people):
            for who in people:
                place = self.where[who]
                if place in hurt:
                    hurt[place] += -self.values[who] if seat == self.active else self.values[who]
        most = max(hurt.values())
        best = [hex_ for hex_ in shore if hurt[hex_] == most]
        return best[self.luck.below(len(best))]

    def lose(self, lost: Sequence[int]) -> None:
        """Take these explorers out of the game."""
        for who in lost:
            self.where[who] = LOST
            self.people[self.seat_of[who]].remove(who)

    # -- creatures ----------------------------------------------------------------------

    def creature(self) -> None:
        """Roll the die and let a creature do what hurts the others most."""
        kind = FACES[self.luck.below(6)]
        herd = self.herds[kind]
        if not herd:
            return
        prey: dict[int, float] = {}
        for seat, people in enumerate(self.people):
            for who in people:
                place = self.where[who]
                if place >= ABOARD:
                    if kind == 1:
                        continue
                    worth = self.values[who] * (0.4 if kind == 2 else 0.75)
                elif kind == 2 or self.map[place] != SEA:
                    continue
                else:
                    worth = self.values[who] * 0.6
                place %= ABOARD
                prey[place] = prey.get(place, 0.0) + (-worth if seat == self.active else worth)
        best, start, to = 0.0, -1, -1
        for place, worth in prey.items():
            if worth > best:
                away = DISTANCE[place]
                for hex_ in herd:
                    if 0 < away[hex_] <= REACH[kind]:
                        best, start, to = worth, hex_, place
                        break
        if to >= 0:
            self.steer(kind, start, to)

    def steer(self, kind: int, start: int, to: int) -> None:
        """Move a creature; it harms whom it meets."""
        herd = self.herds[kind]
        herd.remove(start)
        herd.append(to)
        swimming, aboard = [], []
        for people in self.people:
            for who in people:
                if self.where[who] == to:
                    swimming.append(who)
                elif self.where[who] == to + ABOARD:
                    aboard.append(who)
        if kind != 2 and self.map[to] == SEA:
            self.lose(swimming)
        if kind != 1 and aboard:
            self.ships.discard(to)
            if kind == 0 or to in self.herds[0] or to in self.herds[1]:
                self.lose(aboard)
            else:
                for who in aboard:
                    self.where[who] = to
