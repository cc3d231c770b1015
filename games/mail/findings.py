"""What the checks of the sender find, for the operator, in plain English."""

from enum import StrEnum
from functools import partial
from typing import NamedTuple

LONGEST_STRING = 255  # bytes of one string of a TXT record


class Severity(StrEnum):
    """FAIL: fix this before you invite people."""

    OK = "ok"
    NOTE = "note"
    FAIL = "FAIL"


class Record(NamedTuple):
    """A DNS record to add. As text it is a line of a zone file."""

    name: str
    kind: str
    value: str

    def __str__(self) -> str:
        value = _quoted(self.value) if self.kind == "TXT" else self.value
        return f"{self.name}. IN {self.kind} {value}"


class Finding(NamedTuple):
    """The result of one check; `text` says what was found and how to fix it.

    record: the DNS record that fixes it.
    """

    severity: Severity
    text: str
    record: Record | None = None


ok = partial(Finding, Severity.OK)
note = partial(Finding, Severity.NOTE)
fail = partial(Finding, Severity.FAIL)


def _quoted(text: str) -> str:
    """A text as the strings of a TXT record, in parentheses if there are several."""
    cut = [text[at : at + LONGEST_STRING] for at in range(0, len(text), LONGEST_STRING)]
    strings = " ".join(f'"{part}"' for part in cut)
    return f"( {strings} )" if len(cut) > 1 else strings
