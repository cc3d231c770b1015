"""Records: whole games as lines of JSON, and the check of one from the outside.

    {"record":"atlantis-by-mail","format":1,"game":"atlantis","options":{…},"seats":3,
     "schema":1,"commitment":"<SHA-256 of the seed>"}
    {"seq":1,"seat":null,"kind":"prepared","event":{"kind":"prepared",…}}
    …
    {"seq":143,"seat":null,"kind":"table.revealed","event":{"kind":"table.revealed","seed":"…"}}

One header, then every event in order (each line is one line). Events of the table (kinds that
begin with "table.": people coming and going, pauses) may stand between moves. Of these only
two matter here: "table.rolled_back", after which the game goes on from event `to_seq`, and
"table.revealed", the seed. A further header begins the next record.

The check decides every move again and compares: with the chance of the seed where it is revealed,
else with the chance that the events recorded. It needs no database and no trust.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from . import GAMES
from .chance import ReplayChance, ReplayError, SeededChance, commitment, reveals
from .contract import AnyGame, Chance, Event, MoveError, Outcome, State

T = TypeVar("T")

FORMAT = 1
SHOWN = 60  # characters of a value that a fault repeats
TABLE = "table."  # how the kinds of table events begin
ROLLED_BACK = "table.rolled_back"
REVEALED = "table.revealed"
CREATED = "table.created"


class Header(msgspec.Struct, frozen=True):
    """The first line. schema: of the engine's events, where a line does not say its own."""

    game: str
    options: dict[str, str]
    seats: int
    schema: int
    commitment: str
    record: str = "atlantis-by-mail"
    format: int = FORMAT


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One event. at: when, ISO 8601, optional."""

    seq: int
    seat: int | None
    kind: str
    event: msgspec.Raw
    schema: int | None = None
    at: str | None = None


class Checked(msgspec.Struct, frozen=True):
    """What a faultless record holds. undone: moves taken back. fair: chance was checked
    against a revealed seed. outcome: None for a game that was not played to its end."""

    game: str
    seats: int
    events: int
    moves: int
    undone: int
    fair: bool
    outcome: Outcome | None


class RecordFault(Exception):
    """The first thing wrong with a record; `line` is counted from 1 over the whole input."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


# -- writing ---------------------------------------------------------------------------

_encoder = msgspec.json.Encoder()


def write(header: Header, lines: Iterable[Line]) -> Iterator[bytes]:
    """The lines of a record, each with its newline."""
    yield _encoder.encode(header) + b"\n"
    for line in lines:
        yield _encoder.encode(line) + b"\n"


def line_of(engine: AnyGame, seq: int, event: Event) -> Line:
    """The line of an engine's event."""
    payload = engine.codec.encode(event)
    kind: str = msgspec.json.decode(payload, type=_Kind).kind
    return Line(seq, getattr(event, "seat", None), kind, msgspec.Raw(payload))


def record_of(
    engine: AnyGame, options: Mapping[str, str], seats: int, seed: bytes, events: Sequence[Event]
) -> Iterator[bytes]:
    """The record of a finished game that was played with this seed and nothing but moves."""
    header = Header(engine.key, dict(options), seats, engine.codec.schema, commitment(seed))
    lines = [line_of(engine, seq, event) for seq, event in enumerate(events, 1)]
    reveal = _encoder.encode({"kind": REVEALED, "seed": seed.hex()})
    lines.append(Line(len(events) + 1, None, REVEALED, msgspec.Raw(reveal)))
    return write(header, lines)


# -- checking --------------------------------------------------------------------------


class _Kind(msgspec.Struct):
    kind: str


class _Probe(msgspec.Struct):
    record: str | None = None


class _Numbered(msgspec.Struct):
    """A line and where it stands in the input."""

    number: int
    line: Line


class _Group(msgspec.Struct):
    """A setup or a move: the numbers of its first and last event, the state after it."""

    first: int
    last: int
    state: State


def check(lines: Iterable[bytes | str]) -> Iterator[Checked]:
    """Check records one after another; RecordFault at the first fault."""
    header: Header | None = None
    at, body = 0, list[_Numbered]()
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            opens = msgspec.json.decode(text, type=_Probe).record is not None
            if opens and header is not None:
                yield _Check(at, header, body).run()
            if opens:
                header, at, body = msgspec.json.decode(text, type=Header), number, []
            elif header is None:
                raise RecordFault(number, "a record begins with its header")
            else:
                body.append(_Numbered(number, msgspec.json.decode(text, type=Line)))
        except msgspec.DecodeError as error:
            raise RecordFault(number, f"this is no line of a record ({error})") from None
    if header is None:
        raise RecordFault(1, "there is no record")
    yield _Check(at, header, body).run()


class _Check:
    """One record on its way from the first event to the last."""

    def __init__(self, at: int, header: Header, body: list[_Numbered]) -> None:
        self.at = at
        self.header = header
        self.body = body
        if header.record != "atlantis-by-mail" or header.format != FORMAT:
            raise RecordFault(at, f"records of format {header.format} cannot be read here")
        if header.game not in GAMES:
            raise RecordFault(at, f"there is no game “{header.game}” here")
        self.engine = GAMES[header.game]
        try:
            self.options = self.engine.check_options(header.options, header.seats)
        except MoveError as error:
            raise RecordFault(at, str(error)) from None
        self.groups: list[_Group] = []
        self.undone = 0

    def run(self) -> Checked:
        for seq, numbered in enumerate(self.body, 1):
            if numbered.line.seq != seq:
                raise RecordFault(
                    numbered.number, f"event {seq} is missing: here stands {numbered.line.seq}"
                )
            kind = numbered.line.kind
            if kind.startswith(TABLE) and _field(numbered, "kind", str) != kind:
                raise RecordFault(numbered.number, f"event {seq} is said to be {kind}, but is not")
        self.seed = self._revealed()
        at = 0
        while at < len(self.body):
            if self.body[at].line.kind.startswith(TABLE):
                self._table_event(self.body[at])
                at += 1
            else:
                at += self._group(at)
        outcome = self.engine.rules.outcome(self.groups[-1].state) if self.groups else None
        return Checked(
            game=self.header.game,
            seats=self.header.seats,
            events=len(self.body),
            moves=max(0, len(self.groups) - 1),
            undone=self.undone,
            fair=self.seed is not None,
            outcome=outcome,
        )

    # table events

    def _revealed(self) -> bytes | None:
        for numbered in self.body:
            if numbered.line.kind != REVEALED:
                continue
            seed = _field(numbered, "seed", str)
            try:
                raw = bytes.fromhex(seed)
            except ValueError:
                raise RecordFault(numbered.number, "the seed is not hexadecimal") from None
            if not reveals(raw, self.header.commitment):
                raise RecordFault(
                    numbered.number, "the seed is not the one that the header committed to"
                )
            return raw
        return None

    def _table_event(self, numbered: _Numbered) -> None:
        match numbered.line.kind:
            case kind if kind == CREATED:
                if _field(numbered, "commitment", str) != self.header.commitment:
                    raise RecordFault(numbered.number, "the table was made with another commitment")
            case kind if kind == ROLLED_BACK:
                self._roll_back(numbered, _field(numbered, "to_seq", int))
            case _:
                pass

    def _roll_back(self, numbered: _Numbered, to_seq: int) -> None:
        while self.groups and self.groups[-1].first > to_seq:
            self.groups.pop()
            self.undone += 1
        if not self.groups:
            raise RecordFault(numbered.number, "the game is taken back to before its beginning")
        if self.groups[-1].last > to_seq:
            raise RecordFault(
                numbered.number, f"the game is taken back into the middle of a move ({to_seq})"
            )

    # the game

    def _group(self, at: int) -> int:
        """Check the setup or the move that begins at `at`; how many events it has."""
        first = self.body[at]
        events = [self._event(first)]
        for numbered in self.body[at + 1 :]:
            if numbered.line.kind.startswith(TABLE):
                break
            event = self._event(numbered)
            if self.engine.rules.command_of(event) is not None:
                break
            events.append(event)

        command = self.engine.rules.command_of(events[0])
        if (command is None) != (not self.groups):
            reason = "the game begins with a move" if command else "nobody made this happen"
            raise RecordFault(first.number, f"event {first.line.seq}: {reason}")
        told = ReplayChance(self.engine.rules.recorded_chance(events))
        chance = told if self.seed is None else SeededChance(self.seed, first.line.seq)
        expected = self._decided(first, command, chance)
        for index, event in enumerate(events):
            if expected[index : index + 1] == (event,):
                continue
            numbered = self.body[at + index]
            if index >= len(expected):
                raise RecordFault(numbered.number, f"event {numbered.line.seq} cannot follow here")
            if self.seed is not None and self._only_the_luck_differs(events, command):
                raise RecordFault(
                    numbered.number, f"event {numbered.line.seq}: this luck is not the seed's"
                )
            difference = _difference(self.engine, event, expected[index])
            raise RecordFault(numbered.number, f"event {numbered.line.seq}: {difference}")
        if len(events) < len(expected):
            raise RecordFault(
                self.body[at + len(events) - 1].number,
                "the record breaks off in the middle of a move: by the rules "
                f"“{line_of(self.engine, 0, expected[len(events)]).kind}” comes next",
            )
        before = self.groups[-1].state if self.groups else None
        state = self.engine.fold(events, before)
        self.groups.append(_Group(first.line.seq, first.line.seq + len(events) - 1, state))
        return len(events)

    def _event(self, numbered: _Numbered) -> Event:
        line = numbered.line
        try:
            event = self.engine.codec.decode(bytes(line.event), line.schema or self.header.schema)
        except ValueError as error:
            raise RecordFault(
                numbered.number, f"event {line.seq} is no event of this game ({error})"
            ) from None
        known = line_of(self.engine, line.seq, event)
        if (known.kind, known.seat) != (line.kind, line.seat):
            raise RecordFault(
                numbered.number,
                f"event {line.seq} is said to be {line.kind} of seat {line.seat}, "
                f"but is {known.kind} of seat {known.seat}",
            )
        return event

    def _decided(
        self, first: _Numbered, command: tuple[int, Any] | None, chance: Chance
    ) -> tuple[Event, ...]:
        try:
            if command is None:
                return self.engine.setup(self.options, self.header.seats, chance)
            return self.engine.rules.decide(self.groups[-1].state, *command, chance)
        except MoveError as error:
            raise RecordFault(first.number, f"event {first.line.seq}: {error}") from None
        except ReplayError as error:
            raise RecordFault(first.number, f"event {first.line.seq}: {error}") from None

    def _only_the_luck_differs(
        self, events: Sequence[Event], command: tuple[int, Any] | None
    ) -> bool:
        told = ReplayChance(self.engine.rules.recorded_chance(events))
        try:
            return self._decided(self.body[0], command, told) == tuple(events)
        except RecordFault:
            return False


def _field(numbered: _Numbered, name: str, kind: type[T]) -> T:
    fields = msgspec.json.decode(numbered.line.event)
    value = fields.get(name) if isinstance(fields, dict) else None
    if not isinstance(value, kind):
        raise RecordFault(numbered.number, f"{numbered.line.kind} needs “{name}”")
    return value


def _difference(engine: AnyGame, event: Event, expected: Event) -> str:
    """The first thing in which an event is not what the rules make of the move."""
    told: dict[str, Any] = msgspec.json.decode(engine.codec.encode(event))
    right: dict[str, Any] = msgspec.json.decode(engine.codec.encode(expected))
    if told["kind"] != right["kind"]:
        return f"“{told['kind']}” stands where by the rules “{right['kind']}” comes"
    name = next(name for name, value in right.items() if told[name] != value)
    return f"“{name}” is {_short(told[name])}, but by the rules it is {_short(right[name])}"


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
