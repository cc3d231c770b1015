"""Errors of all games: the reasons why a move was not made."""

from .text import Text


class MoveError(Exception):
    """A move that was not made. Nothing changed; `text` says what the player can do."""

    def __init__(self, text: Text) -> None:
        super().__init__(str(text))
        self.text = text


class MalformedMove(MoveError):
    """The line could not be read; the text quotes it and says how it is written."""


class PartlyRead(MoveError):
    """The line begins with a command that is legal now, and goes on with an answer to a question
    that comes only after it.

    line: what can be done now, as it was written; rest: what was not read.
    """

    def __init__(self, text: Text, line: str, rest: str) -> None:
        super().__init__(text)
        self.line = line
        self.rest = rest


class IllegalMove(MoveError):
    """The line was read, but the rules forbid the move; the text gives the reason."""


class AmbiguousMove(MoveError):
    """The line fits several moves; the text names them."""


class TurnBegun(IllegalMove):
    """An order for a turn that has begun. `Notation.suggest` says which move it would be."""
