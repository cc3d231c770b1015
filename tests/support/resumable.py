"""Commands that continue where they were stopped: a line of JSON for each finished part."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def read_rows(file: Path) -> Iterator[Any]:
    """The rows that earlier runs wrote; one that was cut off when a run was stopped is left out."""
    for line in file.read_text().splitlines() if file.exists() else ():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def add_row(file: Path, row: Any) -> None:
    """Write the row of a part that is finished, on a line of its own."""
    file.parent.mkdir(exist_ok=True)
    is_cut_off = file.exists() and not file.read_bytes().endswith(b"\n")
    with file.open("a") as out:
        out.write("\n" * is_cut_off + json.dumps(row) + "\n")


def fingerprint(root: Path, sources: Iterable[str]) -> str:
    """Names the code in these files and folders below `root`: results are those of this code."""
    digest = hashlib.sha256()
    for source in sources:
        path = root / source
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
