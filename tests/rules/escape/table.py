"""A fresh table whose tiles lie as they come out of the box, in the order as seated.

The box begins with the beaches, so row D and E are beach and the south is mountain.
"""

from games.rules.errors import MoveError
from games.rules.escape import ESCAPE
from games.rules.escape.hexes import NAMES
from games.rules.escape.model import Event, State, View
from games.rules.escape.names import explorer_name

from .scenes import Dice


class Table:
    """A game from its very beginning, played by lines."""

    def __init__(self, seats: int = 2, **options: str) -> None:
        self.dice = Dice()
        chosen = ESCAPE.check_options({"order": "seated", **options}, seats)
        self.events: list[Event] = list(ESCAPE.setup(chosen, seats, self.dice))
        self.state: State = ESCAPE.fold(self.events)

    def play(self, *lines: str, seat: int | None = None) -> "Table":
        """Lines one after another, each by the seat that is asked, or by this one (from 1)."""
        for line in lines:
            number = ESCAPE.rules.to_act(self.state)[0] if seat is None else seat - 1
            command = ESCAPE.notation.parse(line, ESCAPE.rules.view(self.state, number))
            news = ESCAPE.rules.decide(self.state, number, command, self.dice)
            self.state = ESCAPE.fold(news, self.state)
            self.events.extend(news)
        return self

    def refusal(self, line: str, seat: int | None = None) -> str:
        before = self.state
        try:
            self.play(line, seat=seat)
        except MoveError as error:
            assert self.state is before, "a refused move changes nothing"
            return str(error)
        raise AssertionError(f"“{line}” was not refused")

    def settle(self) -> "Table":
        """Everybody places anything anywhere, until the first turn."""
        while self.state.board.is_setup:
            self.play(min(self.choices()))
        return self

    def place_all(self) -> "Table":
        """The same until all explorers stand."""
        while any(choice.startswith("place") for choice in self.choices()):
            self.play(min(self.choices()))
        return self

    @property
    def asked(self) -> list[int]:
        return [seat + 1 for seat in ESCAPE.rules.to_act(self.state)]

    def choices(self) -> set[str]:
        """Every legal command of the first seat that is asked, in notation."""
        seat = ESCAPE.rules.to_act(self.state)[0]
        view = ESCAPE.rules.view(self.state, seat)
        return {
            ESCAPE.notation.describe(command, view)
            for command in ESCAPE.rules.legal_commands(self.state, seat)
        }

    def view(self, seat: int | None) -> View:
        view: View = ESCAPE.rules.view(self.state, None if seat is None else seat - 1)
        return view

    def standing(self) -> dict[str, str]:
        """The hex of everybody who stands on the island."""
        return {
            explorer_name(who): NAMES[place]
            for who, place in enumerate(self.state.board.where)
            if 0 <= place < 133
        }
