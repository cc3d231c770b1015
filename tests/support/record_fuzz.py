"""Records with one random change, and what the check may make of them.

Also a command that goes on where it was stopped: `make fuzz-records`.
"""

import argparse
import copy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from games.rules import GAMES, records
from games.rules.__main__ import records as played
from games.rules.records import RecordFault
from games.rules.replay import check

from . import resumable
from .record_damage import damaged
from .tampering import rechained

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "var" / "fuzz_records.jsonl"
BLOCK = 100  # records in a line of the results

Line = dict[str, Any]
JUNK: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7,
    53,
    99,
    10**12,
    2.5,
    "",
    "x",
    "flag",
    "shark",
    [],
    {},
    [0],
    [[]],
    {"kind": "moved"},
    "é" * 70,
    "ab" * 32,
)


class Original(msgspec.Struct, frozen=True):
    """A fair record. code: its check code. meaning: see `meaning`."""

    lines: list[bytes]
    code: str
    meaning: list[bytes]


@cache
def originals(key: str) -> tuple[Original, ...]:
    """Some records of this game: by bots and by chance, of two and three."""
    found = []
    for number, seats in enumerate((2, 3)):
        for bots in (True, False):
            lines = list(played(GAMES[key], {}, seats, f"fuzz {number}", 1, bots=bots))
            (checked,) = check(lines)
            found.append(Original(lines, checked.code, meaning(lines)))
    return tuple(found)


def written(lines: list[Line]) -> list[bytes]:
    return [msgspec.json.encode(line) for line in lines]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to everything in a piece of JSON."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield (*path, index)
            yield from places(inner, (*path, index))


def changed(original: list[bytes], random: Random) -> list[Line]:
    """The record with one change somewhere."""
    lines: list[Line] = [msgspec.json.decode(line) for line in original]
    at = random.randrange(len(lines))
    match random.randrange(12):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, copy.deepcopy(lines[random.randrange(len(lines))]))
        case 2:
            other = random.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            del lines[max(1, at) :]
        case 4:
            del lines[max(1, at) : -1]  # cut off, with the seed
            renumber(lines)
        case 5:
            kind = random.choice(("table.rolled_back", "table.revealed", "table.paused", "table.x"))
            event = {"kind": kind, "to_seq": random.randrange(len(lines))}
            place = random.randrange(1, len(lines) + 1)
            lines.insert(place, {"seq": place, "seat": None, "kind": kind, "event": event})
            renumber(lines)
        case 6:
            lines[at][random.choice(("at", "extra", "actor", "order"))] = random.choice(JUNK)
        case _:
            change_field(lines[at], random)
    return lines


def renumber(lines: list[Line]) -> None:
    for seq, line in enumerate(lines[1:], 1):
        line["seq"] = seq


def change_field(line: Line, random: Random) -> None:
    """Another value somewhere in the line: taken away, added, exchanged, or junk."""
    paths = list(places(line))
    path = random.choice(paths)
    holder: Any = line
    for step in path[:-1]:
        holder = holder[step]
    step, old = path[-1], holder[path[-1]]
    match random.randrange(5):
        case 0:
            del holder[step]
        case 1 if isinstance(holder, dict):
            holder[random.choice(("lost", "overboard", "kept", "back", "auto", "new"))] = (
                random.choice(JUNK)
            )
        case 1:
            holder.insert(step, random.choice(JUNK))
        case 2 if isinstance(holder, list):
            random.shuffle(holder)
        case 3 if isinstance(old, int):
            holder[step] = old + random.choice((-1, 1))
        case _:
            holder[step] = random.choice(JUNK)


def verdict(key: str, number: int) -> str:
    """Return the verdict on changed record `number`: "refused", or the fault of the check.

    It is checked with its digests left, recomputed, and recomputed with a check code to compare;
    and once more with the original damaged.
    """
    random = Random(f"{key} {number}")
    original = random.choice(originals(key))
    raw = written(changed(original.lines, random))
    chained = rechained(raw)
    for name, lines, heads in (
        ("left", raw, ()),
        ("recomputed", chained, None),
        ("compared", chained, (original.code,)),
        ("damaged", damaged(original.lines, random), ()),
    ):
        try:
            list(check(lines, heads or ()))
        except RecordFault:
            continue
        except Exception as error:  # noqa: BLE001 (whatever comes is a fault of the check)
            return f"crash: {type(error).__name__}: {error}"
        if name == "damaged" or (heads is not None and meaning(lines) != original.meaning):
            return f"accepted although changed, digests {name}"
    return "refused"


def meaning(lines: list[bytes]) -> list[bytes]:
    """The lines with defaults left out and fields in order, where they are lines of a record."""
    found = []
    for number, line in enumerate(lines):
        try:
            read = msgspec.json.decode(line, type=records.Line if number else records.Header)
        except ValueError:
            found.append(line)
        else:
            if isinstance(read, records.Header) and read.game in GAMES:
                defaults = {option.name: option.default for option in GAMES[read.game].options}
                read = msgspec.structs.replace(read, options={**defaults, **read.options})
            found.append(msgspec.json.encode(read, order="sorted"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=20_000, help="changed records per game")
    wanted = parser.parse_args().records
    code = resumable.fingerprint(ROOT, ["games/rules"])
    rows = (one for one in resumable.read_rows(RESULTS) if one["code"] == code)
    done = {(one["game"], one["first"]) for one in rows if not one["faults"]}
    faults = 0
    for key in sorted(GAMES):
        for first in range(0, wanted, BLOCK):
            if (key, first) in done:
                continue
            results = {n: verdict(key, n) for n in range(first, first + BLOCK)}
            bad = {n: v for n, v in results.items() if v != "refused"}
            for number, what in bad.items():
                print(f"{key} {number}: {what}")
            faults += len(bad)
            row = {"code": code, "game": key, "first": first, "faults": bad}
            resumable.add_row(RESULTS, row)
        print(f"{key}: {wanted} changed records checked")
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
