"""A few turns against a bot for somebody without an account.

The position follows from a seed that is no secret and from the lines that the visitor has played,
so nothing is stored. The game begins after its setup, which bots have made for both.
"""

from functools import lru_cache

import msgspec

from .bots import Level
from .chance import SEED_BYTES, SeededChance
from .contract import AnyGame, Command, Event, State, View
from .registry import GAMES
from .selfplay import by_bot

SEED = bytes(SEED_BYTES)
SEATS = 2
VISITOR = 0
TURNS = 3  # of the visitor


class Trial(msgspec.Struct, frozen=True):
    """A position of the trial. It has what a page shows of a table.

    version: the number of events before it. moves: the events of each move since the beginning.
    recent: the visible ones since the visitor's last move. turns: the numbers of the visitor's.
    """

    engine: AnyGame
    state: State
    version: int
    moves: tuple[tuple[Event, ...], ...] = ()
    recent: tuple[Event, ...] = ()
    turns: frozenset[int] = frozenset()

    @property
    def view(self) -> View:
        """The position as the visitor sees it."""
        return self.engine.rules.view(self.state, VISITOR)

    @property
    def is_over(self) -> bool:
        """Return whether the visitor has had all turns of the trial, or the game is over."""
        if VISITOR not in self.engine.rules.to_act(self.state):
            return True
        return len(self.turns) >= TURNS and self._turn not in self.turns

    @property
    def _turn(self) -> int:
        number = self.engine.rules.turn_number(self.state)
        return number if number is not None else len(self.moves)

    def play(self, line: str) -> "Trial":
        """The position after this line of the visitor and the moves of the bot. Raises
        MoveError."""
        command = self.engine.notation.parse(line, self.view)
        # A question in the turn of the bot is no turn of the visitor.
        asked = self.engine.rules.question(self.view) is not None
        turns = self.turns if asked else self.turns | {self._turn}
        played = self.decided(VISITOR, command)
        return _played_by_bots(msgspec.structs.replace(played, recent=(), turns=turns))

    def decided(self, seat: int, command: Command) -> "Trial":
        """The position after this command. IllegalMove if the rules forbid it."""
        chance = SeededChance(SEED, self.version + 1)
        events = self.engine.rules.decide(self.state, seat, command, chance)
        visible = tuple(self.engine.rules.visible(event, VISITOR) for event in events)
        return msgspec.structs.replace(
            self,
            state=self.engine.fold(events, self.state),
            version=self.version + len(events),
            moves=(*self.moves, visible),
            recent=(*self.recent, *visible),
        )


def _by_bot(trial: Trial, seat: int) -> Trial:
    choose = by_bot(trial.engine, SEED, Level.EASY)
    return trial.decided(seat, choose(trial.state, seat, trial.version + 1))


def _played_by_bots(trial: Trial) -> Trial:
    """The position in which the visitor is asked, or nobody."""
    while others := [s for s in trial.engine.rules.to_act(trial.state) if s != VISITOR]:
        trial = _by_bot(trial, others[0])
    return trial


def _begun(engine: AnyGame) -> Trial:
    rules = engine.rules
    events = engine.setup({}, SEATS, SeededChance(SEED, 1))
    trial = Trial(engine, engine.fold(events), len(events))
    while rules.turn_number(trial.state) == 0:  # the setup
        trial = _by_bot(trial, rules.to_act(trial.state)[0])
    return msgspec.structs.replace(_played_by_bots(trial), moves=(), recent=())


@lru_cache(maxsize=128)  # each answer of a turn asks for the same position
def after(kind: str, lines: tuple[str, ...]) -> Trial:
    """The position after these lines of the visitor. MoveError if one of them is no legal move."""
    if not lines:
        return _begun(GAMES[kind])
    return after(kind, lines[:-1]).play(lines[-1])
