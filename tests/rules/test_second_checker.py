"""The second check of records, which was written from the specification alone: it agrees with
ours."""

import ast
import gzip
import json
import sys
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

from games.rules import atlantis, escape, table_events
from tests.second_checker.record import GAMES as CHECKED
from tests.support import record_damage
from tests.support.lengths import LONG, by_length
from tests.support.record_fuzz import written
from tests.support.tampering import rechained
from tests.support.two_checks import (
    CUT_OFF,
    FINISHED,
    OPEN,
    changed_record,
    new_game,
    our_verdict,
    table_record,
    verdict,
)

TESTS = Path(__file__).parents[1]
GOLDEN = TESTS / "golden"


@cache
def golden() -> dict[str, list[bytes]]:
    """The lines of each golden record, by name."""
    found = {path.name: path.read_bytes().splitlines() for path in GOLDEN.glob("*/*.jsonl")}
    for path in GOLDEN.glob("*/*.jsonl.gz"):
        number = 0
        for line in gzip.decompress(path.read_bytes()).splitlines():
            number += line.startswith(b'{"game"')
            found.setdefault(f"{path.name}, {number}", []).append(line)
    return found


@pytest.mark.long
def test_it_accepts_the_golden_records() -> None:
    names = sorted(golden())
    assert len(names) > 70
    for name in names[:: by_length(len(names) // 3, 1)]:
        assert verdict(golden()[name]) == FINISHED, name


@pytest.mark.long
@pytest.mark.parametrize("key", sorted(CHECKED))
def test_it_accepts_self_played_games(key: str) -> None:
    for number in range(by_length(1, 500)):
        assert verdict(new_game(key, number)) == FINISHED, number


@pytest.mark.long
@pytest.mark.parametrize("key", sorted(CHECKED))
def test_both_checks_say_the_same_of_changed_records(key: str) -> None:
    records = None
    if not LONG:
        records = [min((one for one in golden().values() if key.encode() in one[0]), key=len)]
    for number in range(by_length(10, 200)):
        lines = changed_record(key, number, records)
        assert verdict(lines) == our_verdict(lines), number


def a_game() -> list[dict[str, Any]]:
    return [json.loads(line) for line in golden()["2-bot-33.jsonl"]]


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("moved", "price", 1),
        ("moved", "taken_from", 7),
        ("drew", "cards", ["crown"]),
        ("ended", "winners", [0]),
        ("table.revealed", "seed", "00" * 32),
    ],
)
def test_it_refuses_a_changed_event(kind: str, field: str, value: object) -> None:
    lines = a_game()
    next(line for line in lines if line.get("kind") == kind)["event"][field] = value
    assert verdict(rechained(written(lines))) is None


def test_it_refuses_a_record_whose_digests_were_not_recomputed() -> None:
    lines = [json.loads(line) for line in new_game("atlantis", 0)]
    lines[1]["at"] = "2027-01-02T03:04:05.000006Z"
    assert verdict(written(lines)) is None
    assert verdict(rechained(written(lines))) == FINISHED


@pytest.mark.parametrize("figure", [True, 1.0, "1", None, [1]])
def test_both_refuse_what_is_no_whole_number(figure: object) -> None:
    lines = a_game()
    move = next(
        line for line in lines[1:] if line["kind"] == "moved" and line["event"]["figure"] == 1
    )
    assert verdict(written(lines)) == our_verdict(written(lines)) == FINISHED
    move["event"]["figure"] = figure
    changed = rechained(written(lines))
    assert verdict(changed) is our_verdict(changed) is None


def test_it_says_that_a_game_was_cut_off() -> None:
    lines = a_game()
    assert verdict(rechained(written(lines[:5]))) == OPEN
    assert verdict(rechained(written([*lines[:5], lines[-1] | {"seq": 5}]))) == CUT_OFF


def test_it_knows_tables_and_private_orders() -> None:
    record = table_record()
    assert verdict(record) == our_verdict(record) == FINISHED
    lines = [json.loads(line) for line in record]
    for number in range(1, len(lines)):
        fewer = [line.copy() for line in lines[:number] + lines[number + 1 :]]
        for seq, line in enumerate((line for line in fewer[1:] if "order" not in line), 1):
            line["seq"] = seq
        changed = rechained(written(fewer))
        assert verdict(changed) == our_verdict(changed), lines[number]["kind"]


@pytest.mark.parametrize("damage", record_damage.DAMAGES)
def test_both_refuse_a_record_that_is_damaged(damage: record_damage.Damage) -> None:
    for record in (table_record(), new_game("atlantis", 0)):
        for number in range(by_length(5, 40)):
            lines = damage(record, Random(number))
            assert verdict(lines) is our_verdict(lines) is None, number


@pytest.mark.parametrize("at", record_damage.NO_TIMES)
def test_both_refuse_a_time_that_is_none(at: str) -> None:
    timed = record_damage.timed(new_game("atlantis", 0), {7: at})
    assert verdict(timed) is our_verdict(timed) is None
    lines = [json.loads(line) for line in table_record()]
    extended = next(line for line in lines if line.get("kind") == "table.extended")
    extended["event"]["until"] = at
    assert verdict(rechained(written(lines))) is our_verdict(rechained(written(lines))) is None


@pytest.mark.parametrize(
    "at", ["2027-02-01T00:00:00Z", "2027-02-01T01:30:00.5+01:30", "2027-01-31T22:01:00.25-01:59"]
)
def test_both_know_the_same_moment_in_other_words(at: str) -> None:
    lines = record_damage.timed(new_game("atlantis", 0), {4: at, 5: at})
    assert verdict(lines) == our_verdict(lines) == FINISHED


def test_both_say_of_a_record_without_digests_that_it_proves_nothing() -> None:
    for record in (table_record(), new_game("atlantis", 0)):
        lines = record_damage.without_digests(record)
        assert verdict(lines) == our_verdict(lines) == OPEN


@pytest.mark.long
def test_both_checks_say_the_same_of_changed_tables() -> None:
    for number in range(by_length(60, 1000)):
        lines = changed_record("table", number, [table_record()])
        assert verdict(lines) == our_verdict(lines), number


@pytest.mark.parametrize(
    "field", ["record", "format", "game", "options", "seats", "schema", "commitment", "id", "head"]
)
def test_both_say_the_same_of_a_header_that_lacks_a_field(field: str) -> None:
    lines = [json.loads(line) for line in new_game("atlantis", 0)]
    del lines[0][field]
    optional = field in ("format", "id")
    expected = FINISHED if optional else None
    assert verdict(written(lines)) == our_verdict(written(lines)) == expected


def test_the_specification_names_every_event() -> None:
    kinds = {event.__struct_config__.tag for event in get_args(table_events.Event)}
    for model in (atlantis.model, escape.model):
        kinds |= {event.__struct_config__.tag for event in get_args(model.Event)}
    folder = TESTS.parent / "docs" / "specifications"
    text = "".join((folder / name).read_text() for name in ("record.md", "events.md"))
    assert {kind for kind in kinds if f"`{kind}`" not in text} == set()


def test_it_shares_no_code_with_the_service() -> None:
    sizes = {}
    for path in (TESTS / "second_checker").glob("*.py"):
        text = path.read_text()
        sizes[path.stem] = sum(bool(line.strip()) for line in text.splitlines())
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                assert {name.name for name in node.names} <= sys.stdlib_module_names
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert str(node.module).partition(".")[0] in sys.stdlib_module_names
    # Both games share `record`, so that half of its lines are counted for each.
    assert sizes["atlantis"] + sizes["record"] / 2 <= 400
    assert sizes["atlantis_plans"] <= 100
    assert sizes["escape"] + sizes["record"] / 2 <= 900


VOTE = {"kind": "table.vote_cancel", "seat": 0}
ANSWER = {"kind": "table.vote_answered", "seat": 0, "agrees": True}
MOVED = {"kind": "table.vote_moved", "seconds": 3600}
SETTLED = {"kind": "table.vote_settled", "about": "cancel", "outcome": "passed"}


@pytest.mark.parametrize(
    "votes",
    [
        [VOTE, VOTE],
        [ANSWER],
        [SETTLED],
        [VOTE, SETTLED, ANSWER],
        [VOTE | {"about": "resume"}, SETTLED],
        [VOTE | {"about": "pause", "until": "tomorrow"}],
        [VOTE | {"about": "bot", "late": 7}],
        [VOTE | {"about": "dance"}],
        [VOTE, ANSWER | {"agrees": 1}],
        [VOTE, SETTLED | {"outcome": "won"}],
        [MOVED],
        [VOTE, MOVED | {"seconds": 0}],
    ],
    ids=str,
)
def test_both_refuse_votes_that_cannot_be(votes: list[dict[str, Any]]) -> None:
    assert our_verdict(_with_events([VOTE, ANSWER, MOVED, SETTLED])) == OPEN
    lines = _with_events(votes)
    assert verdict(lines) is our_verdict(lines) is None


def test_both_refuse_an_event_of_another_schema() -> None:
    lines = _with_events([VOTE], schema=2)
    assert verdict(lines) is our_verdict(lines) is None


def _with_events(events: list[dict[str, Any]], schema: int = 1) -> list[bytes]:
    """The beginning of a record of a table, and then these events."""
    lines = [json.loads(line) for line in table_record()[:9]]
    for event in events:
        line = {"seq": len(lines), "seat": event.get("seat"), "kind": event["kind"]}
        lines.append(line | {"event": event, "schema": schema})
    return rechained(written(lines))
