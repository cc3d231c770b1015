"""Errors of all games: the reasons why a move was not made."""

from .text import Text


class MoveError(Exception):
    """A move that was not made. Nothing changed; `text` says what the player can do."""

    def __init__(self, text: Text) -> None:
        super().__init__(str(text))
        self.text = text


class MalformedMove(MoveError):
    """The line could not be read; the text quotes it and says how it is written."""


class IllegalMove(MoveError):
    """The line was read, but the rules forbid the move; the text gives the reason."""


class AmbiguousMove(MoveError):
    """The line fits several moves; the text names them."""
