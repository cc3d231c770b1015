"""What a check found, and the DNS record that repairs it."""

import shutil
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import NamedTuple

LONGEST_STRING = 255  # bytes of one string of a TXT record


class Severity(StrEnum):
    """FAIL: there is something to do."""

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

    record: the DNS record that fixes it. part: the line of /readyz that it is, if it is one.
    """

    severity: Severity
    text: str
    record: Record | None = None
    part: str = ""


ok = partial(Finding, Severity.OK)
note = partial(Finding, Severity.NOTE)
fail = partial(Finding, Severity.FAIL)


def lines(
    findings: Iterable[Finding], *, only_failures: bool = False
) -> Iterator[tuple[str, bool]]:
    """Yield each finding as a command prints it, as soon as it is known, and whether it failed."""
    for found in findings:
        has_failed = found.severity is Severity.FAIL
        if has_failed or not only_failures:
            record = f"\n     {found.record}" if found.record is not None else ""
            yield f"{found.severity:<4} {found.text}{record}", has_failed


def disk_of(folder: str | Path) -> tuple[Path, int, int]:
    """(a folder that exists, free bytes, all bytes) of the disk for a folder, which need not exist
    yet."""
    there = next(path for path in (Path(folder), *Path(folder).parents) if path.exists())
    usage = shutil.disk_usage(there)
    return there, usage.free, usage.total


def _quoted(text: str) -> str:
    """A text as the strings of a TXT record, in parentheses if there are several."""
    cut = [text[at : at + LONGEST_STRING] for at in range(0, len(text), LONGEST_STRING)]
    strings = " ".join(f'"{part}"' for part in cut)
    return f"( {strings} )" if len(cut) > 1 else strings
