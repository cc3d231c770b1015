"""A changed record is refused, and the check never crashes."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from games.rules import GAMES
from games.rules.__main__ import main, records
from games.rules.records import RecordFault
from games.rules.replay import check
from tests.support.lengths import by_length
from tests.support.record_fuzz import Line, renumber, verdict, written
from tests.support.tampering import rechained

ESCAPE = GAMES["escape"]


def game() -> list[Line]:
    """A game of bots that has losses, kept tiles, wrecks and an end."""
    return [json.loads(line) for line in played()]


@cache
def played() -> list[bytes]:
    return list(records(ESCAPE, {}, 3, "tampering", 1, bots=True))


def first(lines: list[Line], kind: str, having: str = "") -> Line:
    return next(
        line
        for line in lines
        if line.get("kind") == kind and (not having or having in line["event"])
    )


def in_event(named: str, having: str = "", **fields: Any) -> Callable[[list[Line]], None]:
    """Fields of the first such event set, or taken away where the value is ...."""

    def change(lines: list[Line]) -> None:
        event = first(lines, named, having)["event"]
        for name, value in fields.items():
            if value is ...:
                del event[name]
            else:
                event[name] = value

    return change


def add_kept(lines: list[Line]) -> None:
    """To a tile whose back was carried out at once."""
    sank = next(n for n in lines if n.get("kind") == "sank" and "kept" not in n["event"])
    sank["event"]["kept"] = True


def shorten(name: str) -> Callable[[list[Line]], None]:
    def change(lines: list[Line]) -> None:
        line = next(one for one in lines if one.get("event", {}).get(name))
        line["event"][name].pop()

    return change


def add(*events: dict[str, Any], before_the_seed: bool = False) -> Callable[[list[Line]], None]:
    def change(lines: list[Line]) -> None:
        for event in events:
            line = {"seq": 0, "seat": None, "kind": event["kind"], "event": event}
            lines.insert(len(lines) - before_the_seed, line)
        renumber(lines)

    return change


def reveal_twice(lines: list[Line]) -> None:
    lines.append(dict(lines[-1]))
    renumber(lines)


def null_time(lines: list[Line]) -> None:
    """As good as no time, but not the line that was written."""
    lines[2]["at"] = None


def header_only(lines: list[Line]) -> None:
    del lines[1:]


def forge_the_end(lines: list[Line]) -> None:
    """A second ending after the seed, with another winner."""
    ended = json.loads(json.dumps(first(lines, "ended")))
    ended["event"]["winners"] = [0, 1, 2]
    lines.append(ended)
    renumber(lines)


CHANGES: dict[str, Callable[[list[Line]], None]] = {
    "lost shortened": shorten("lost"),
    "overboard added": in_event("harmed", overboard=[1, 2]),
    "kept added": add_kept,
    "kept removed": in_event("sank", "kept", kept=...),
    "back hidden": in_event("sank", "back", back=...),
    "forged ending after the seed": forge_the_end,
    "rolled back after the end": add(
        {"kind": "table.rolled_back", "to_seq": 60}, before_the_seed=True
    ),
    "rolled back after the seed": add({"kind": "table.rolled_back", "to_seq": 60}),
    "rolled back beyond the end": add(
        {"kind": "table.rolled_back", "to_seq": 10**6}, before_the_seed=True
    ),
    "revealed twice": reveal_twice,
    "seed too short": in_event("table.revealed", seed="ab"),
    "seed in capitals": in_event("table.revealed", seed="AB" * 32),
    "seed of another kind": in_event("table.revealed", seed=["x"]),
    "unknown event of the table": add({"kind": "table.danced"}, before_the_seed=True),
    "unknown field in an event": in_event("turned", note="x"),
    "unknown field in a reveal": in_event("table.revealed", note="x"),
    "a time that is null": null_time,
    "header only": header_only,
    "table event of another kind": in_event("table.revealed", kind="table.paused"),
    "created in the middle": add({"kind": "table.created"}, before_the_seed=True),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("digests", ["left", "recomputed"])
def test_tampering_is_refused(change: Callable[[list[Line]], None], digests: str) -> None:
    lines = game()
    before = written(lines)
    change(lines)
    changed_record = written(lines)
    assert changed_record != before
    with pytest.raises(RecordFault):
        list(check(rechained(changed_record) if digests == "recomputed" else changed_record))


def exchange_values(lines: list[Line]) -> None:
    """Two explorers of one colour change places: the rules and the luck allow that."""
    one, other = (
        next(
            line
            for line in lines
            if line.get("kind") == "placed"
            and line["seat"] == 0
            and line["event"]["value"] == value
        )
        for value in (6, 5)
    )
    one["event"]["value"], other["event"]["value"] = 5, 6


def cut_off(lines: list[Line]) -> None:
    """The last move, with the seed left."""
    number = max(n for n, line in enumerate(lines) if line.get("kind") in ("turned", "steered"))
    del lines[number:-1]
    renumber(lines)


def cut_off_before_the_end(lines: list[Line]) -> None:
    """The last move and the seed."""
    cut_off(lines)
    lines.pop()


def later(lines: list[Line]) -> None:
    lines[5]["at"] = "2027-01-01T00:00:00Z"


@pytest.mark.parametrize("change", [exchange_values, cut_off, later])
def test_what_rules_and_luck_allow_is_refused_by_digests_and_check_codes(
    change: Callable[[list[Line]], None],
) -> None:
    lines = game()
    (fair,) = check(written(lines))
    list(check(written(lines), [fair.code]))
    change(lines)
    with pytest.raises(RecordFault, match="digest"):
        list(check(written(lines)))
    list(check(rechained(written(lines))))  # nobody could notice …
    with pytest.raises(RecordFault, match="another game"):  # … but for a code from an email
        list(check(rechained(written(lines)), [fair.code]))


def test_a_code_of_an_earlier_event_is_compared_with_that_event() -> None:
    lines = written(game())
    (fair,) = check(lines)
    *_before, last = game()
    assert list(check(lines, [f"{last['seq']}:{fair.code}", last["digest"]]))
    for wrong in (f"{last['seq'] - 1}:{fair.code}", f"999999:{fair.code}", "0123456789", "oops"):
        with pytest.raises(RecordFault):
            list(check(lines, [wrong]))


def test_a_code_cannot_be_compared_without_the_seed() -> None:
    (fair,) = check(written(game()))
    with pytest.raises(RecordFault, match="once the seed is revealed"):
        list(check(rechained(written(game()[:-1])), [fair.code]))


@pytest.mark.parametrize(
    ("change", "digests", "status"),
    [
        (len, "left", 0),
        (lambda lines: lines.pop(), "recomputed", 0),  # the end is there, the seed is not
        (cut_off, "recomputed", 4),
        (cut_off_before_the_end, "recomputed", 3),
        (cut_off, "left", 1),
    ],
)
def test_the_exit_status_says_what_a_record_is(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[list[Line]], object],
    digests: str,
    status: int,
) -> None:
    lines = game()
    change(lines)
    changed_record = written(lines)
    changed_record = rechained(changed_record) if digests == "recomputed" else changed_record

    class Input:
        buffer = [line + b"\n" for line in changed_record]

    monkeypatch.setattr("sys.stdin", Input)
    assert main(["replay"]) == status
    said = capsys.readouterr()
    assert bool(said.err) == (status == 1)
    assert said.err.startswith("record 1, line ") == (status == 1)


@pytest.mark.long
@pytest.mark.parametrize("key", sorted(GAMES))
def test_no_random_change_crashes_the_check_or_is_accepted(key: str) -> None:
    """40 of each game, in the long form 500; `make fuzz-records` tries 20,000."""
    results = {number: verdict(key, number) for number in range(by_length(40, 500))}
    bad = {n: what for n, what in results.items() if what != "refused"}
    assert bad == {}
