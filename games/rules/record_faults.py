"""Where a record is wrong, and how that is reported."""

import msgspec

from .records import Line

SHOWN = 60  # characters of a value that a fault repeats


class RecordFault(Exception):
    """The first thing wrong with a record; `line` is counted from 1 over the whole input."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class Numbered(msgspec.Struct):
    """A line and where it stands in the input."""

    number: int
    line: Line

    def fault(self, reason: str) -> RecordFault:
        """What is wrong with this line."""
        return RecordFault(self.number, reason)


def shortened(text: str) -> str:
    """A value of the record, as a fault repeats it."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
