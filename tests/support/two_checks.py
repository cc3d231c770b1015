"""Records for both checks, ours and the second one, and what they say."""

import json
from functools import cache
from itertools import product
from random import Random
from typing import Any

from games.rules import GAMES, replay
from games.rules.__main__ import records as played
from games.rules.records import RecordFault
from tests.second_checker import record as second
from tests.second_checker.record import Refused

from .record_damage import damaged, timed, without_digests
from .record_fuzz import changed, originals, written
from .tampering import rechained

FINISHED, OPEN, CUT_OFF = 0, 3, 4
VARIANTS: dict[str, list[dict[str, str]]] = {
    "atlantis": [{}, {"order": "seated"}],
    "escape": [
        {},
        {"ending": "last", "overpopulated": "yes"},
        {"ending": "submerged", "memory": "strict", "equal": "yes"},
    ],
}


def new_game(key: str, number: int) -> list[bytes]:
    """The record of a self-played game: in turn by bots and by chance, of each number of seats,
    with each set of options."""
    kinds = list(product(VARIANTS[key], (2, 3, 4), (False, True)))
    options, seats, bots = kinds[number % len(kinds)]
    return list(played(GAMES[key], options, seats, f"second {number}", 1, bots=bots))


@cache
def table_record() -> list[bytes]:
    """A record with every event of a table, an answer left in advance and a move taken back."""
    header, *lines = map(json.loads, new_game("escape", 0))
    assert header["seats"] == 2
    prepared, *placed = (line["event"] for line in lines[:7])
    made = {name: header[name] for name in ("commitment", "game", "options")}
    order = {"kind": "ordered", "seat": 1}
    order["standing"] = {"type": "standing", "creature": "shark", "at_least": 2}

    def table(kind: str, **fields: Any) -> dict[str, Any]:
        return {"kind": f"table.{kind}", **fields}

    def settled(about: str, outcome: str) -> list[dict[str, Any]]:
        return [table("vote_settled", about=about, outcome=outcome)]

    events = [
        table(
            "created", **made, seat_count=2, pace_days=3, bank_days=2, weekends_off=True, circle="b"
        ),
        table("joined", seat=0),
        table("joined", seat=1, bot=True, level="easy"),
        table("left", seat=0),
        table("joined", seat=0),
        table("started", seats=2),
        prepared,
        placed[0],
        placed[1],
        order,
        table("timed_out", seat=0),
        table("covered", seat=0),
        placed[2],
        table("rolled_back", to_seq=9, seat=0),
        table("excused", seat=0, missed=10),
        placed[2],
        table("paused"),
        table("resumed"),
        table("vote_pause", seat=0, until="2027-02-03T00:00:00+01:00"),
        table("vote_answered", seat=1, agrees=True),
        *settled("pause", "passed"),
        table("paused", until="2027-02-03T00:00:00+01:00"),
        table("paused"),
        table("vote_resume", seat=1),
        *settled("resume", "passed"),
        table("resumed"),
        table("vote_bot", seat=1, late=0),
        *settled("bot", "overtaken"),
        table("vote_take_back", seat=1, to_seq=9),
        table("vote_moved", seconds=3600),
        *settled("take_back", "expired"),
        table("vote_cancel", seat=0),
        table("vote_answered", seat=1, agrees=False),
        *settled("cancel", "refused"),
        table("deadline_moved", seat=0, code="pause", seconds=7),
        placed[3],
        table("extended", seat=None, until="2027-02-03T00:00:00+00:00"),
        table("bank_changed", seat=0, seconds=-5),
        table("bot_played", seat=0),
        placed[4],
        table("seat_handed", seat=0, to="bot", lost=True),
        table("taken_over", seat=0),
        table("taken_back", seat=0),
        table("resigned", seat=0, to="bot"),
        table("replaced", seat=0),
        table("seat_handed", seat=1, to="player"),
        table("seated", seat=1),
        table("player_moderates", seat=1),
        table("rolled_back", to_seq=9),
        table("vote_cancel", seat=0),
        *settled("cancel", "passed"),
        table("aborted", code="vote"),
    ]
    body: list[dict[str, Any]] = []
    seq = 0
    for event in events:
        seq += event is not order
        line = {"seq": seq, "kind": event["kind"], "seat": event.get("seat"), "event": event}
        body.append(line | ({"order": 1} if event is order else {}))
    return timed([json.dumps(line).encode() for line in (header, *body)], {})


def verdict(lines: list[bytes]) -> int | None:
    """The exit status that the second check gives, None where it refuses."""
    try:
        (status,) = second.check(lines)
    except Refused:
        return None
    return status


def our_verdict(lines: list[bytes]) -> int | None:
    try:
        (checked,) = replay.check(lines)
    except RecordFault:
        return None
    if not checked.finished:
        return CUT_OFF if checked.fair else OPEN
    return FINISHED if checked.proves else OPEN


def changed_record(key: str, number: int, records: list[list[bytes]] | None = None) -> list[bytes]:
    """One of these records with one random change. Most have their digests recomputed; some are
    damaged, or have no digests."""
    random = Random(f"second {key} {number}")
    if records is None:
        records = [original.lines for original in originals(key)]
        records += [table_record()] if key == "escape" else []
    original = random.choice(records)
    if random.random() < 0.3:
        return damaged(original, random)
    lines = written(changed(original, random))
    if random.random() < 0.1:
        return without_digests(lines)
    return rechained(lines) if random.random() < 0.8 else lines
