"""A move while it is being decided: the state so far and the events that led there."""

from ..contract import Chance
from .evolve import evolve
from .model import Board, Event, Stage, State


class EventBuilder:
    """Begins with a state, grows by facts. `add` keeps state and events in step."""

    def __init__(self, state: State, chance: Chance) -> None:
        self.state = state
        self.chance = chance
        self.events: list[Event] = []

    @property
    def board(self) -> Board:
        return self.state.board

    @property
    def over(self) -> bool:
        return self.state.board.stage is Stage.OVER

    def add(self, event: Event) -> None:
        self.events.append(event)
        self.state = evolve(self.state, event)
