"""Lines, digests, luck and the table of a record (docs/specifications/record.md and log.md)."""

import copy
import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from types import ModuleType
from typing import Any

from . import atlantis, escape

GAMES: dict[str, ModuleType] = {"atlantis": atlantis, "escape": escape}
HEADER = {"record", "format", "game", "options", "seats", "schema", "commitment", "id", "head"}
LINE = {"seq", "order", "seat", "kind", "event", "schema", "at", "actor", "digest"}
# The fields of each event of the table: # a number, + one above 0, ~ a number or null, $ a text,
# ! true or false, % options, else one of these words; ? for what may be left out.
TABLE_FIELDS = {
    "created": "commitment:$ game:$ options:% seat_count:# pace_days:# pace_hours:#? bank_days:#?"
    " bank_returns:!? weekends_off:!? circle:$?",
    "joined": "seat:# bot:!? level:easy|normal|strong?",
    "started": "seats:#",
    "paused": "until:$?",
    "resumed": "",
    "left timed_out covered taken_over taken_back replaced seated bot_played player_moderates "
    "vote_resume vote_cancel": "seat:#",
    "extended": "seat:~ until:$ giver:~?",
    "deadline_moved": "seat:# code:weekend|absence|bank|quiet|pause|outage|moderator|given|announced seconds:+",
    "bank_changed": "seat:# seconds:#",
    "excused": "seat:# missed:+",
    "seat_handed": "seat:# to:bot|player lost:!?",
    "resigned": "seat:# to:bot|end",
    "rolled_back": "to_seq:# seat:~?",
    "aborted": "code:moderator|empty|waited|vote",
    "vote_pause": "seat:# until:$",
    "vote_bot": "seat:# late:#",
    "vote_take_back": "seat:# to_seq:#",
    "vote_answered": "seat:# agrees:!",
    "vote_settled": "about:pause|resume|cancel|bot|take_back outcome:passed|refused|expired|overtaken",
    "vote_moved": "seconds:+",
    "revealed": "seed:$ orders:$?",
}
TABLE = {kind: fields for kinds, fields in TABLE_FIELDS.items() for kind in kinds.split()}
SORTS = {"#": (int,), "+": (int,), "~": (int, type(None)), "$": (str,), "!": (bool,), "%": (dict,)}
TRUTHS = (
    "auto strict roll defend kept crowd ship ends_turn bot seated two_colours overpopulated equal "
    "weekends_off bank_returns agrees lost planned ends even_so"
)
TIME = re.compile(r"\d{4}(-\d\d){2}T\d\d(:\d\d){2}(\.\d{1,6})?(Z|[+-]\d\d:[0-5]\d)", re.ASCII)
IMPOSSIBLE = (AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Refused(Exception):
    """The record is not consistent; the line is counted from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")


class Seeded:
    """The luck of a stream (log.md, Randomness)."""

    def __init__(self, seed: bytes, name: str) -> None:
        self.numbers = self._numbers(seed, name)

    def _numbers(self, seed: bytes, name: str) -> Iterator[int]:
        for block in range(1 << 30):
            message = f"atlantis-by-mail:{name}:{block}".encode()
            digest = hmac.new(seed, message, hashlib.sha256).digest()
            for at in range(0, 32, 4):
                yield int.from_bytes(digest[at : at + 4], "big")

    def roll(self, faces: int) -> int:
        limit = 2**32 // faces * faces
        return next(number for number in self.numbers if number < limit) % faces

    def shuffle(self, items: Sequence[Any]) -> list[Any]:
        mixed = list(items)
        for i in range(len(mixed) - 1, 0, -1):
            j = self.roll(i + 1)
            mixed[i], mixed[j] = mixed[j], mixed[i]
        return mixed


class Recorded:
    """The luck that the events of a group name, where the seed is unknown."""

    def __init__(self, given: Iterable[Any]) -> None:
        self.given = list(given)

    def roll(self, faces: int) -> int:
        return range(faces).index(self.given.pop(0))

    def shuffle(self, items: Sequence[Any]) -> list[Any]:
        mixed = self.given.pop(0)
        if not isinstance(mixed, list) or sorted(map(repr, mixed)) != sorted(map(repr, items)):
            raise ValueError("a shuffle of other things")
        return list(mixed)


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def plain(value: Any, name: str = "") -> bool:
    """Whether true and false stand only where they belong, and no number is a long one."""
    if isinstance(value, dict):
        return all(plain(inner, key) for key, inner in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    if isinstance(value, bool):
        return name in TRUTHS.split()
    return not isinstance(value, int) or abs(value) < 10**15


def fits(kind: str, event: dict[str, Any]) -> bool:
    """Whether an event of the table has its fields, and no others."""
    wanted = dict(field.split(":") for field in TABLE[kind].split())
    for name, sort in wanted.items():
        one_of, value = sort.strip("?"), event.get(name)
        good = type(value) in SORTS[one_of] if one_of in SORTS else value in one_of.split("|")
        if not (good if name in event else "?" in sort) or (one_of == "+" and event[name] < 1):
            return False
    return not set(event) - set(wanted) - {"kind"}


def moment(text: str) -> datetime:
    if not TIME.fullmatch(text):
        raise ValueError("no time")
    return datetime.strptime(text, f"%Y-%m-%dT%H:%M:%S{'.%f' if '.' in text else ''}%z")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _value in pairs}) < len(pairs):
        raise ValueError("a doubled key")
    return dict(pairs)


def check(lines: Iterable[bytes]) -> list[int]:
    """The exit status of each record (0, 3 or 4); Refused at the first fault."""
    records: list[list[tuple[int, dict[str, Any]]]] = []
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            # int refuses what has a point and what is no number; encoding, half a pair.
            hooks: Any = {"object_pairs_hook": once, "parse_float": int, "parse_constant": int}
            canonical(parsed := json.loads(text.decode("utf-8"), **hooks))
        except IMPOSSIBLE as error:
            raise Refused(number, "no JSON") from error
        if not isinstance(parsed, dict) or not (records or "record" in parsed):
            raise Refused(number, "no object, or no header")
        if "record" in parsed:
            records.append([])
        records[-1].append((number, parsed))
    if not records:
        raise Refused(1, "no record")
    return [Check(record).run() for record in records]


class Check:
    """One record."""

    def __init__(self, lines: list[tuple[int, dict[str, Any]]]) -> None:
        (self.number, found), *self.lines = lines
        header = self.header = dict[str, Any](format=1, id="", head="") | found
        self.must(set(header) == HEADER, "missing or unknown field in the header")
        self.must(plain(header), "true or false in the header")
        known = [header["record"], header["format"]] == ["atlantis-by-mail", 1] and self.lines
        self.must(bool(known), "unknown format, or no event")
        self.proves = bool(header["head"] or any(line.get("digest") for _n, line in self.lines))
        self.seed: bytes | None = None
        # Per group: (its last number, the state after it, the orders since as (number, event)).
        self.groups: list[tuple[int, Any, list[tuple[int, Any]]]] = []
        self.status: str | None = None  # of the table, where there is one
        self.sitting = 0
        self.vote: str | None = None  # what the open one is about

    def must(self, holds: bool, reason: str) -> None:
        if not holds:
            raise Refused(self.number, reason)

    def run(self) -> int:
        try:
            self.game = GAMES[self.header["game"]]
            self.lines_and_digests()
            at = 0
            while at < len(self.lines):
                self.number, line = self.lines[at]
                if line["kind"].startswith("table."):
                    self.table_event(at, line)
                elif line.get("order"):
                    self.order(line)
                else:
                    at += self.group(at) - 1
                at += 1
        except IMPOSSIBLE as error:
            raise Refused(self.number, f"impossible: {error!r}") from error
        if self.over():
            return 0 if self.proves else 3
        return 3 if self.seed is None else 4

    def over(self) -> bool:
        return self.status == "over" or bool(self.groups and self.groups[-1][1].over)

    def lines_and_digests(self) -> None:
        header, seq, orders = self.header, 0, 0
        head = hashlib.sha256(header["id"].encode()).digest()
        chain = hashlib.sha256(f"{header.get('id', '')}:orders".encode()).digest()
        # Of the last event, and of the last order.
        times = [moment("0001-01-01T00:00:00+23:59")] * 2
        for number, line in self.lines:
            self.number = number
            event, order = line["event"], line.get("order", 0)
            self.must(not set(line) - LINE, "unknown field")
            self.must(event["kind"] == line["kind"], "another kind in the event")
            self.must(event.get("seat") == line["seat"], "another seat in the event")
            self.must(type(order) is int and type(line.get("actor", "")) is str, "no text")
            self.must(plain(line), "true or false for something else")
            if "at" in line:
                at = moment(line["at"])
                self.must(at >= (max(times) if order else times[0]), "earlier")
                times[bool(order)] = at
            seq, orders = (seq, orders + 1) if order else (seq + 1, orders)
            self.must((line["seq"], order) == (seq, order and orders), "a gap in the numbers")
            own = 1 if line["kind"].startswith("table.") else header["schema"]
            self.must(line.get("schema", own) == 1, "unknown schema")
            words = [line["kind"], line["seat"], 1, event]
            words += [line.get("at", ""), line.get("actor", "")]
            if order:
                found = chain = hashlib.sha256(chain + canonical([order, seq, *words])).digest()
            else:
                found = head = hashlib.sha256(head + canonical([seq, *words])).digest()
            self.must(line.get("digest", "") == found.hex() * self.proves, "another digest")
            if line["kind"] == "table.revealed":
                self.reveal(event, chain.hex() if orders else "", number == self.lines[-1][0])
        self.must(header["head"] == head.hex() * self.proves, "another head")

    def reveal(self, event: dict[str, Any], orders: str, last: bool) -> None:
        self.must(last, "the seed is revealed by the last line")
        self.must(re.fullmatch("[0-9a-f]{64}", event["seed"]) is not None, "no seed")
        self.must(event.get("orders", "") == orders or not self.proves, "other orders")
        self.seed = bytes.fromhex(event["seed"])
        found = hashlib.sha256(self.seed).hexdigest()
        self.must(self.header["commitment"] == found, "another seed")

    # -- the table

    def table_event(self, at: int, line: dict[str, Any]) -> None:
        event, kind, header = line["event"], line["kind"], self.header
        self.must(fits(kind.removeprefix("table."), event), "no event of the table")
        has_table = self.lines[0][1]["kind"].startswith("table.")
        self.must((kind == "table.created") == (has_table and at == 0), "event 1 makes the table")
        if kind == "table.revealed":
            return
        if kind == "table.extended" or event.get("until"):
            moment(event["until"])
        self.must(not self.over(), "the game is over")
        seat, gathering = event.get("seat"), self.status == "gathering"
        if kind == "table.created":
            same = (event[name] == header[name] for name in ("commitment", "game", "options"))
            self.must(all(same), "another table")
            self.status = "gathering"
        elif kind == "table.rolled_back":
            self.must(not has_table or self.status != "gathering", "not started")
            self.roll_back(event["to_seq"])
        elif kind == "table.aborted":
            self.status = "over"
        elif kind in ("table.joined", "table.left", "table.started") and has_table:
            self.must(gathering, "started already")
            room = self.sitting + (kind == "table.joined")
            self.must(seat is None or 0 <= seat < room, "no such seat")
            if kind == "table.started":
                self.must(event["seats"] == header["seats"] == self.sitting, "other seats")
                self.status = "running"
            else:
                self.sitting += 1 if kind == "table.joined" else -1
        elif has_table:
            self.must(not gathering, "not started")
            places = [place for place in (seat, event.get("late")) if place is not None]
            self.must(all(0 <= place < self.sitting for place in places), "no such seat")
            if kind.startswith("table.vote_"):
                opens = kind[11:] not in ("answered", "moved", "settled")
                fits_in = self.vote is None if opens else event.get("about", self.vote) == self.vote
                self.must(fits_in and (opens or self.vote is not None), "another vote, or none")
                self.vote = None if kind == "table.vote_settled" else self.vote or kind[11:]
            self.must(kind != "table.resumed" or self.status == "paused", "not paused")
            ends = kind == "table.resigned" and event["to"] == "end"
            now = {"table.paused": "paused", "table.resumed": "running"}.get(kind, self.status)
            self.status = "over" if ends else now

    def roll_back(self, to_seq: int) -> None:
        ends = [last for last, _state, _orders in self.groups[:-1]]
        self.must(to_seq in ends, "taken back to no end of a move")
        del self.groups[ends.index(to_seq) + 1 :]
        last, state, orders = self.groups[-1]
        orders = [one for one in orders if one[0] <= to_seq]
        self.groups[-1] = (last, state, orders)

    # -- the game

    def state(self) -> Any:
        """A copy of the state after the last group and the orders since."""
        _last, state, orders = self.groups[-1]
        state = copy.deepcopy(state)
        for _seq, event in orders:
            self.game.leave_order(state, event)
        return state

    def luck(self, name: str, events: list[Any]) -> Seeded | Recorded:
        if self.seed is not None:
            return Seeded(self.seed, name)
        return Recorded(self.game.recorded_luck(events))

    def running(self) -> None:
        self.must(self.status in (None, "running") and not self.over(), "the game does not run")

    def order(self, line: dict[str, Any]) -> None:
        self.running()
        event, before = line["event"], self.state()
        self.must(line["kind"] in self.game.ORDERS, "no order")
        luck = self.luck(f"order:{line['order']}", [event])
        events = self.game.play(copy.deepcopy(before), event, luck)
        self.must(canonical(events[0]) == canonical(event), "another order by the rules")
        self.must(len(events) == 1 or self.game.answers(before, event), "it has consequences")
        self.groups[-1][2].append((line["seq"], event))

    def group(self, at: int) -> int:
        """Check the setup or the move that begins at this line; how many events it has."""
        self.running()
        first = self.lines[at][1]
        events = [first["event"]]
        for _number, line in self.lines[at + 1 :]:
            if line["kind"].startswith("table.") or line.get("order"):
                break
            if self.game.is_command(line["event"]):
                break
            events.append(line["event"])
        luck = self.luck(str(first["seq"]), events)
        if self.groups:
            self.must(self.game.is_command(events[0]), "nobody made this happen")
            state = self.state()
            expected = self.game.play(state, events[0], luck)
        else:
            options, seats = self.header["options"], self.header["seats"]
            self.must(seats in (2, 3, 4), "another number of players")
            state, expected = self.game.setup(options, seats, luck)
        for index, event in enumerate(events):
            self.number = self.lines[at + index][0]
            right = expected[index] if index < len(expected) else None
            self.must(canonical(event) == canonical(right), f"by the rules: {right}")
        self.must(len(events) == len(expected), "the move breaks off")
        self.groups.append((first["seq"] + len(events) - 1, state, []))
        return len(events)
