"""Positions as short text boards, moves as lines, dice that show what a test wants.

    scene = Scene("E5 forest U1 | D5 ship | B5 whale")
    scene.play("U1 ship D5, sail D5 C5")
    assert scene.at("C5") == "ship U1"

Seat 1 leads blue (U), seat 2 vermilion (V) and so on. What is not drawn is open sea; see
tests.rules.escape.position_lines.
"""

from collections.abc import Sequence
from typing import TypeVar

from games.rules.errors import MoveError
from games.rules.escape import ESCAPE
from games.rules.escape.hexes import BY_NAME, ISLES, NAMES
from games.rules.escape.model import FACES, Creature, Event, State, View
from games.rules.escape.names import explorer_name
from games.rules.escape.notation import parse
from games.rules.escape.position_text import hex_line
from tests.rules.escape.position_lines import parse_position

T = TypeVar("T")

# Far from everything that happens in a scene: land that keeps the game going, two tiles so that
# neither has to sink by itself, and somebody for each seat who keeps it from being over.
SHORE = "J5 beach U10 | J7 beach V10"


class Dice:
    """Chance whose die shows these creatures, one after another, then always the last."""

    def __init__(self, *creatures: str) -> None:
        self.creatures = list(creatures) or ["serpent"]

    def shuffle(self, items: Sequence[T], /) -> tuple[T, ...]:
        return tuple(items)

    def roll(self, faces: int, /) -> int:
        shown = self.creatures[0]
        if len(self.creatures) > 1:
            self.creatures.pop(0)
        return FACES.index(Creature(shown))


class Scene:
    """A position, changed by what is played. events: everything that happened since."""

    def __init__(self, text: str, *, dice: str = "serpent", shore: bool = True) -> None:
        self.state: State = parse_position(f"{SHORE}|{text}" if shore else text)
        self.dice = Dice(*dice.split())
        self.events: list[Event] = []

    def play(self, line: str, seat: int | None = None) -> "Scene":
        """The seat that is asked (or this one, counted from 1) plays a line of notation."""
        number = self.asked[0] - 1 if seat is None else seat - 1
        command = parse(line, ESCAPE.rules.view(self.state, number))
        news = ESCAPE.rules.decide(self.state, number, command, self.dice)
        self.state = ESCAPE.fold(news, self.state)
        self.events.extend(news)
        return self

    def refusal(self, line: str, seat: int | None = None) -> str:
        """The sentence with which a line is refused; the position stays as it is."""
        before = self.state
        try:
            self.play(line, seat)
        except MoveError as error:
            assert self.state is before, "a refused move changes nothing"
            return str(error)
        raise AssertionError(f"“{line}” was not refused")

    # looking

    def at(self, hex_: str) -> str:
        """Return the content of a hex as it is drawn; "" is open sea."""
        return hex_line(self.state.board, BY_NAME[hex_])[len(hex_) :].strip()

    def isle(self, name: str) -> str:
        """The explorers who are safe on this isle."""
        return " ".join(
            explorer_name(who)
            for who, place in enumerate(self.state.board.where)
            if place == 512 + ISLES.index(name)
        )

    def is_lost(self, explorer: str) -> bool:
        names = [explorer_name(who) for who in range(len(self.state.board.where))]
        return self.state.board.where[names.index(explorer)] == -1

    def view(self, seat: int | None) -> View:
        """Return the view of a seat (from 1) or of a spectator."""
        view: View = ESCAPE.rules.view(self.state, None if seat is None else seat - 1)
        return view

    @property
    def asked(self) -> list[int]:
        """The seats that are asked, counted from 1."""
        return [seat + 1 for seat in ESCAPE.rules.to_act(self.state)]

    @property
    def stage(self) -> str:
        return type(self.state.board.stage).__name__.removesuffix("Stage").lower()

    @property
    def kinds(self) -> list[str]:
        """The kinds of all events since the scene began."""
        return [type(event).__name__ for event in self.events]

    def choices(self, seat: int | None = None) -> set[str]:
        """Every legal command in notation."""
        number = self.asked[0] - 1 if seat is None else seat - 1
        view = ESCAPE.rules.view(self.state, number)
        return {
            ESCAPE.notation.describe(command, view)
            for command in ESCAPE.rules.legal_commands(self.state, number)
        }


def hexes(*names: str) -> set[int]:
    return {BY_NAME[name] for name in names}


def names(hexes_: Sequence[int]) -> set[str]:
    return {NAMES[hex_] for hex_ in hexes_}


WATER = "A3 shark | A4 V1 V2"  # seat 1 has rolled a shark; seat 2 swims beside it


def attack(text: str, dice: str = "shark", line: str = "shark A3 A4", **more: bool) -> Scene:
    """Seat 1 has sunk a tile, rolled and moved the creature."""
    return Scene(text, dice=dice, **more).play("sink J7").play(line)
