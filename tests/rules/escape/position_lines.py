"""Positions in the middle of a game as lines of text, for tests and for counting moves.

    E5 beach V1 V2=6          a tile, who stands on it (V2 is worth 6)
    F5 forest=ship            a tile and its back
    D5 Y1 shark               a swimmer and a shark
    C4 ship U1 V3             a ship with two aboard (swimmers stand before "ship")
    isle NW U2 U3             saved
    active 2                  whose turn it is, seats counted from 1
    kept 1 dolphin wind       face-down tiles of a seat

Hexes not named are sea without anything, explorers not named are lost; the serpents are where
lines say, not in their lairs. A value that is not given follows the order of the names (V1 is the
6, V2 the 5 …), a back that is not given is `wind`. Further lines: `seats`, `order`, `turn`,
`steps`, `wet` (explorers), `tiled`, `rolled` (a creature: the die has been cast), `site` (a
hex), `supply` (ships, sharks, whales), `gone` (ships, serpents, sharks, whales), `spent` (backs),
`dry`, `options` (words of Options, ending=last …), `values` (of others), `standing` (seat,
creature, number). Lines end with a line break or "|". Backs of two words take a hyphen.
"""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from games.rules.escape import model
from games.rules.escape.board import at
from games.rules.escape.hexes import BY_NAME, HEXES, ISLES, LAND, LAND_INDEX, NAMES
from games.rules.escape.names import explorer_name
from games.rules.escape.position_text import TERRAIN_WORDS, hex_line

_EXPLORER = re.compile(rf"([{model.COLOUR_LETTERS}])(\d+)(?:=(\d))?")


def parse_position(text: str) -> model.State:
    """The state that the lines describe; ValueError says what cannot be read."""
    reader = _Reader()
    for part in re.split(r"[\n|]", text):
        words = part.split("#")[0].split()
        if words:
            reader.line(words)
    return reader.state()


class _Reader:
    """The lines read so far."""

    def __init__(self) -> None:
        self.facts: dict[str, list[str]] = {}
        self.places: dict[int, int] = {}
        self.values: dict[int, int] = {}
        self.map = [model.SEA] * len(HEXES)
        self.backs: dict[int, model.Back] = {}
        self.ships: list[int] = []
        self.creatures: dict[model.Creature, list[int]] = {
            creature: [] for creature in model.Creature
        }
        self.kept: dict[int, tuple[model.Back, ...]] = {}
        self.standing: dict[tuple[int, bool], int] = {}

    def line(self, words: list[str]) -> None:
        head, rest = words[0], words[1:]
        if head in BY_NAME:
            self.hex(BY_NAME[head], rest)
        elif head == "isle":
            for word in rest[1:]:
                self.places[self.explorer(word)] = model.SAVED + ISLES.index(rest[0])
        elif head == "kept":
            self.kept[int(rest[0]) - 1] = tuple(map(_back, rest[1:]))
        elif head == "standing":
            self.standing[int(rest[0]) - 1, rest[1] == model.Creature.WHALE] = int(rest[2])
        elif head == "values":
            for word in rest:
                self.explorer(word)
        elif head in _FACTS:
            self.facts[head] = rest
        else:
            raise ValueError(f"{head!r} is neither a hex nor a fact")

    def hex(self, hex_: int, words: list[str]) -> None:
        aboard = 0
        for word in words:
            name, _equals, back = word.partition("=")
            if name in TERRAIN_WORDS:
                if hex_ not in LAND_INDEX:
                    raise ValueError(f"{NAMES[hex_]} is always sea")
                self.map[hex_] = TERRAIN_WORDS[name]
                self.backs[hex_] = _back(back) if back else model.Back.WIND
            elif word == "ship":
                self.ships.append(hex_)
                aboard = model.ABOARD
            elif word in tuple(model.Creature):
                self.creatures[model.Creature(word)].append(hex_)
            else:
                self.places[self.explorer(word)] = hex_ + aboard

    def explorer(self, word: str) -> int:
        found = _EXPLORER.fullmatch(word)
        if found is None or not 1 <= int(found[2]) <= model.EACH:
            raise ValueError(f"{word!r} is no explorer")
        explorer = model.COLOUR_LETTERS.index(found[1]) * model.EACH + int(found[2]) - 1
        if found[3]:
            self.values[explorer] = int(found[3])
        return explorer

    def number(self, fact: str, default: int) -> int:
        return int(self.facts[fact][0]) if fact in self.facts else default

    def numbers(self, fact: str, *default: int) -> tuple[int, ...]:
        return tuple(map(int, self.facts[fact])) if fact in self.facts else default

    def stage(self) -> model.Stage:
        seat = self.number("active", 1) - 1
        if "site" in self.facts:
            return model.CrewStage(seat, BY_NAME[self.facts["site"][0]])
        if "rolled" in self.facts:
            return model.CreatureStage(seat, model.Creature(self.facts["rolled"][0]))
        return model.TurnStage(seat)

    def state(self) -> model.State:
        options = _options(self.facts.get("options", []))
        seats = self.number("seats", 2)
        colours = 2 * seats if options.two_colours else seats
        count = colours * model.EACH
        if any(explorer >= count for explorer in self.places):
            raise ValueError(f"there are {colours} colours only")
        serpents, sharks, whales = (sorted(self.creatures[one]) for one in model.Creature)
        ships_left, sharks_left, whales_left = self.numbers(
            "supply",
            model.SHIPS - len(self.ships),
            model.SHARKS - len(sharks),
            model.WHALES - len(whales),
        )
        ships_gone, serpents_gone, sharks_gone, whales_gone = self.numbers(
            "gone", 0, model.SERPENTS - len(serpents), 0, 0
        )
        kept = tuple(self.kept.get(seat, ()) for seat in range(seats))
        board = model.Board(
            seats=seats,
            colours=colours,
            options=options,
            order=tuple(seat - 1 for seat in self.numbers("order", *range(1, seats + 1))),
            map="".join(self.map),
            where=tuple(self.places.get(explorer, model.LOST) for explorer in range(count)),
            ships=tuple(sorted(self.ships)),
            serpents=tuple(serpents),
            sharks=tuple(sharks),
            whales=tuple(whales),
            supply=(ships_left, sharks_left, whales_left),
            gone=(ships_gone, serpents_gone, sharks_gone, whales_gone),
            spent=tuple(map(_back, self.facts.get("spent", []))),
            held=tuple(map(len, kept)),
            stage=self.stage(),
            turn=self.number("turn", 1),
            steps=self.number("steps", 0),
            swam=sum(1 << self.explorer(word) for word in self.facts.get("wet", [])),
            tiled="tiled" in self.facts or "steps" in self.facts,
            dry=self.number("dry", 0) or None,
        )
        return model.State(
            board=board,
            values=tuple(
                self.values.get(who, model.VALUES[who % model.EACH]) for who in range(count)
            ),
            backs=tuple(self.backs.get(hex_) for hex_ in LAND),
            kept=kept,
            standing=tuple(
                (self.standing.get((seat, False)), self.standing.get((seat, True)))
                for seat in range(seats)
            ),
            plans=(None,) * seats,
            shuffled=((),) * seats,
        )


_FACTS = frozenset(
    [
        "seats",
        "order",
        "active",
        "turn",
        "steps",
        "wet",
        "tiled",
        "rolled",
        "site",
        "supply",
        "gone",
        "spent",
        "dry",
        "options",
    ]
)


FLAGS = ("seated", "strict", "two_colours", "overpopulated", "equal")


def _options(words: Iterable[str]) -> model.Options:
    options = model.Options()
    for word in words:
        name, _equals, value = word.partition("=")
        if name == "ending":
            options = replace(options, ending=model.Ending(value))
        elif name == "hours":
            options = replace(options, hours=int(value))
        elif name in FLAGS:
            options = replace(options, **{name: True})
        else:
            raise ValueError(f"there is no option {name!r}")
    return options


def _back(word: str) -> model.Back:
    return model.Back(word.replace("-", " "))


def format_position(state: model.State) -> str:
    """The lines that describe a state in a turn, after a roll, or with a crew to pick."""
    board = state.board
    lines = [f"seats {board.seats}", f"order {_joined(seat + 1 for seat in board.order)}"]
    words = _option_words(board.options)
    if words:
        lines.append("options " + " ".join(words))
    found = [hex_line(board, hex_) for hex_ in range(len(HEXES))]
    lines.extend(_with_back(line, state) for line in found if line)
    lines.extend(
        f"isle {ISLES[isle]} {_explorers(at(board, model.SAVED + isle))}"
        for isle in range(len(ISLES))
        if model.SAVED + isle in board.where
    )
    lines.append("values " + _valued(range(len(board.where)), state))
    lines.extend(
        f"kept {seat + 1} " + " ".join(map(_hyphened, tiles))
        for seat, tiles in enumerate(state.kept)
        if tiles
    )
    for seat, answers in enumerate(state.standing):
        lines.extend(
            f"standing {seat + 1} {creature} {answer}"
            for creature, answer in zip(
                (model.Creature.SHARK, model.Creature.WHALE), answers, strict=True
            )
            if answer is not None
        )
    lines.append(f"supply {_joined(board.supply)}")
    lines.append(f"gone {_joined(board.gone)}")
    if board.spent:
        lines.append("spent " + " ".join(map(_hyphened, board.spent)))
    lines.append(f"turn {board.turn}")
    lines.append(f"active {(board.active or 0) + 1}")
    if board.steps:
        lines.append(f"steps {board.steps}")
    if board.swam:
        wet = tuple(who for who in range(len(board.where)) if board.swam >> who & 1)
        lines.append(f"wet {_explorers(wet)}")
    if board.tiled:
        lines.append("tiled")
    if board.rolled is not None:
        lines.append(f"rolled {board.rolled}")
    if board.site is not None:
        lines.append(f"site {NAMES[board.site]}")
    if board.dry is not None:
        lines.append(f"dry {board.dry}")
    return "\n".join(lines)


def _with_back(line: str, state: model.State) -> str:
    """A line of a hex, with the back of its tile."""
    hex_, *words = line.split(" ")
    number = NAMES.index(hex_)
    back = state.backs[LAND_INDEX[number]] if number in LAND_INDEX else None
    if back and state.board.map[number] != model.SEA:
        words[0] += f"={_hyphened(back)}"
    return " ".join([hex_, *words])


def _option_words(options: model.Options) -> list[str]:
    words = [name for name in FLAGS if getattr(options, name)]
    if options.ending is not model.Ending.VOLCANO:
        words.append(f"ending={options.ending}")
    if options.hours != model.Options().hours:
        words.append(f"hours={options.hours}")
    return words


def _hyphened(back: model.Back) -> str:
    return back.replace(" ", "-")


def _explorers(explorers: Iterable[int]) -> str:
    return " ".join(map(explorer_name, explorers))


def _valued(explorers: Iterable[int], state: model.State) -> str:
    return " ".join(f"{explorer_name(who)}={state.values[who]}" for who in explorers)


def _joined(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))
