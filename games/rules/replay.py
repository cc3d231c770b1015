"""The check of records from the outside: no database, no trust.

First the digests, which cost little and find whatever was changed without recomputing them. Then
every move is decided again and compares: with the chance of the seed where it is revealed, else
with the chance that the events recorded. Nothing that a record says may make the check crash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from . import GAMES, chain, table_events
from .chance import ReplayChance, ReplayError, SeededChance, order_chance, reveals
from .contract import AnyGame, Chance, Event, MoveError, Outcome, State
from .records import FORMAT, OLD_FORMAT, TABLE, Header, Line, digest_of, line_of

SHOWN = 60  # characters of a value that a fault repeats
REVEALED = "table.revealed"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")
_HEAD = re.compile(r"(?:(\d{1,9}):)?([0-9a-f]{10}|[0-9a-f]{64})")
_canonical = msgspec.json.Encoder(order="sorted")

# What rules that were written for events of a game may raise where an event could not come about.
_IMPOSSIBLE = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError),
    *(RuntimeError, StopIteration, TypeError, ValueError),
)


class Checked(msgspec.Struct, frozen=True):
    """What a faultless record holds.

    undone: moves taken back. fair: the seed is revealed, and chance was checked against it.
    finished: the game was played to its end, given up or called off. outcome: None for a game that
    was not played to its end. code: the check code of the last event, "" without a seed.
    """

    game: str
    seats: int
    events: int
    moves: int
    undone: int
    fair: bool
    finished: bool
    outcome: Outcome | None
    code: str


class RecordFault(Exception):
    """The first thing wrong with a record; `line` is counted from 1 over the whole input."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class _Probe(msgspec.Struct):
    record: str | None = None


class _Numbered(msgspec.Struct):
    """A line and where it stands in the input."""

    number: int
    line: Line


class _Group(msgspec.Struct):
    """A setup or a move: the numbers of its first and last event, the state after it.

    orders: the private orders left since, each with the number of the event before it; `state` has
    them, `clean` has not.
    """

    first: int
    last: int
    clean: State
    state: State
    orders: list[tuple[int, Event]]


def check(lines: Iterable[bytes | str], heads: Sequence[str] = ()) -> Iterator[Checked]:
    """Check records one after another; RecordFault at the first fault.

    heads: check codes or digests that every record must have: of its last event, or of the event
    whose number stands before a colon, as in "57:0123456789".
    """
    header: Header | None = None
    at, body = 0, list[_Numbered]()
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            opens = msgspec.json.decode(text, type=_Probe).record is not None
            if opens and header is not None:
                yield _Check(at, header, body).run(heads)
            if opens:
                header, at, body = msgspec.json.decode(text, type=Header), number, []
            elif header is None:
                raise RecordFault(number, "a record begins with its header")
            else:
                body.append(_Numbered(number, msgspec.json.decode(text, type=Line)))
        except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
            raise RecordFault(number, f"this is no line of a record ({error})") from None
    if header is None:
        raise RecordFault(1, "there is no record")
    yield _Check(at, header, body).run(heads)


class _Check:
    """One record on its way from the first event to the last."""

    def __init__(self, at: int, header: Header, body: list[_Numbered]) -> None:
        self.at = at
        self.header = header
        self.body = body
        if header.record != "atlantis-by-mail" or header.format not in (OLD_FORMAT, FORMAT):
            raise RecordFault(at, f"records of format {header.format} cannot be read here")
        if header.game not in GAMES:
            raise RecordFault(at, f"there is no game “{header.game}” here")
        if not body:
            raise RecordFault(at, "there is no event in this record")
        self.engine: AnyGame = GAMES[header.game]
        try:
            self.options = self.engine.check_options(header.options, header.seats)
        except MoveError as error:
            raise RecordFault(at, str(error)) from None
        self.groups: list[_Group] = []
        self.orders_head = b""
        self.digests: dict[int, bytes] = {}
        self.table: table_events.TableState | None = None  # where a record has events of the table
        self.undone = 0

    def run(self, heads: Sequence[str]) -> Checked:
        self._lines()
        if self.header.format == FORMAT:
            self._chain()
        self.seed = self._revealed()
        for head in heads:
            self._head(head)
        at = 0
        while at < len(self.body):
            numbered = self.body[at]
            if numbered.line.kind.startswith(TABLE):
                self._table_event(numbered, is_last=at == len(self.body) - 1)
                at += 1
            elif numbered.line.order:
                self._order(numbered)
                at += 1
            else:
                at += self._group(at)
        outcome = self._outcome()
        ended = self.table is not None and self.table.status in ("finished", "aborted")
        events = sum(not numbered.line.order for numbered in self.body)
        code = ""
        if self.seed is not None and self.digests:
            code = chain.check_code(self.seed, self.digests[max(self.digests)])
        return Checked(
            game=self.header.game,
            seats=self.header.seats,
            events=events,
            moves=max(0, len(self.groups) - 1),
            undone=self.undone,
            fair=self.seed is not None,
            finished=outcome is not None or ended,
            outcome=outcome,
            code=code,
        )

    # lines and digests

    def _lines(self) -> None:
        """Numbers without a gap, and fields that this format has."""
        seq = orders = 0
        old = self.header.format == OLD_FORMAT
        for numbered in self.body:
            line = numbered.line
            if old and (line.order or line.digest or line.actor or line.rule != 1):
                raise RecordFault(numbered.number, "records of format 1 have no digests")
            if line.rule not in (chain.FIRST_RULE, chain.RULE):
                raise RecordFault(numbered.number, f"there is no rule {line.rule} for digests")
            if line.at is not None and not _TIME.fullmatch(line.at):
                raise RecordFault(numbered.number, f"“{_cut(line.at)}” is no time")
            if line.order:
                orders += 1
                if (line.order, line.seq) != (orders, seq):
                    raise RecordFault(
                        numbered.number, f"order {orders} after event {seq} is missing here"
                    )
                continue
            seq += 1
            if line.seq != seq:
                raise RecordFault(
                    numbered.number, f"event {seq} is missing: here stands {line.seq}"
                )

    def _chain(self) -> None:
        """Every digest covers its line and the digest before it; the header has the last one."""
        head = chain.genesis(self.header.id)
        self.orders_head = orders = chain.orders_genesis(self.header.id)
        for numbered in self.body:
            line = numbered.line
            digest = digest_of(self.header, line, orders if line.order else head)
            if digest.hex() != line.digest:
                what = f"order {line.order}" if line.order else f"event {line.seq}"
                raise RecordFault(
                    numbered.number, f"{what} is not what was written: its digest is another"
                )
            if line.order:
                self.orders_head = orders = digest
            else:
                self.digests[line.seq] = head = digest
        if head.hex() != self.header.head:
            raise RecordFault(self.at, "the last digest is not the one that the header gives")

    def _head(self, given: str) -> None:
        """A check code or digest that somebody holds must be that of its event."""
        fits = _HEAD.fullmatch(given.strip().lower())
        if fits is None:
            raise RecordFault(self.at, f"“{_cut(given)}” is no check code")
        if not self.digests:
            raise RecordFault(self.at, "records of format 1 have no digests to compare")
        seq = int(fits[1]) if fits[1] else max(self.digests)
        digest = self.digests.get(seq)
        if digest is None:
            raise RecordFault(self.at, f"there is no event {seq} in this record")
        known = digest.hex()
        if len(fits[2]) == chain.DIGITS:
            if self.seed is None:
                raise RecordFault(self.at, "check codes can be compared once the seed is revealed")
            known = chain.check_code(self.seed, digest)
        if known != fits[2]:
            raise RecordFault(
                self.at, f"up to event {seq} this is another game: the code there is {known}"
            )

    # table events

    def _revealed(self) -> bytes | None:
        """The seed, if the last event reveals it."""
        for numbered in self.body[:-1]:
            if numbered.line.kind == REVEALED:
                raise RecordFault(numbered.number, "the seed is revealed before the last event")
        numbered = self.body[-1]
        if numbered.line.kind != REVEALED:
            return None
        event = self._decoded(numbered)
        assert isinstance(event, table_events.Revealed), "events of this kind are"
        if not re.fullmatch("[0-9a-f]{64}", event.seed):
            raise RecordFault(numbered.number, "the seed is not 32 bytes in hexadecimal")
        seed = bytes.fromhex(event.seed)
        if not reveals(seed, self.header.commitment):
            raise RecordFault(
                numbered.number, "the seed is not the one that the header committed to"
            )
        orders = any(one.line.order for one in self.body)
        if event.orders != (self.orders_head.hex() if orders else ""):
            raise RecordFault(numbered.number, "these are not all private orders of the game")
        return seed

    def _decoded(self, numbered: _Numbered) -> table_events.Event:
        """The event of the table on this line."""
        line = numbered.line
        try:
            event = table_events.decode(bytes(line.event), line.schema or table_events.SCHEMA)
        except (ValueError, RecursionError) as error:
            raise RecordFault(
                numbered.number, f"event {line.seq} is no event of a table ({error})"
            ) from None
        kind = event.__struct_config__.tag
        seat = getattr(event, "seat", None)
        if (kind, seat) != (line.kind, line.seat) or line.order:
            raise RecordFault(
                numbered.number,
                f"event {line.seq} is said to be {line.kind} of seat {line.seat}, "
                f"but is {kind} of seat {seat}",
            )
        return event

    def _table_event(self, numbered: _Numbered, *, is_last: bool) -> None:
        event, line = self._decoded(numbered), numbered.line
        if isinstance(event, table_events.Created) != (line.seq == 1) and self._has_table():
            raise RecordFault(numbered.number, "a table is created by its first event, once")
        if self._outcome() is not None and not isinstance(event, table_events.Revealed):
            raise RecordFault(numbered.number, "the game is over: nothing but the seed follows")
        problem = self._problem(event)
        if problem is not None:
            raise RecordFault(numbered.number, f"event {line.seq}: {problem}")
        if isinstance(event, table_events.RolledBack):
            self._roll_back(numbered, event.to_seq)
        if self.table is not None or isinstance(event, table_events.Created):
            self.table = table_events.evolve(self.table or table_events.TableState(), event)

    def _has_table(self) -> bool:
        return self.body[0].line.kind.startswith(TABLE)

    def _problem(self, event: table_events.Event) -> str | None:
        """Why this event of the table cannot happen now."""
        header, table = self.header, self.table
        if isinstance(event, table_events.Created):
            told = (event.commitment, event.game, event.options)
            if told != (header.commitment, header.game, header.options):
                return "the table was made with another commitment, game or options"
            return None
        if table is None or isinstance(event, table_events.Revealed):
            return None
        if table.status in ("finished", "aborted"):
            return "the game is over"
        sitting, seat = len(table.bots), getattr(event, "seat", None)
        match event:
            case table_events.Aborted():
                return None
            case table_events.Joined() if table.status == "gathering":
                return None if 0 <= event.seat <= sitting else "there is no such seat"
            case table_events.Started() if table.status == "gathering":
                fits = event.seats == header.seats == sitting
                return None if fits else "the game starts with another number of players"
            case table_events.Joined() | table_events.Started():
                return "the game has started already"
            case table_events.Left():
                if table.status != "gathering":
                    return "the game has started already"
            case _ if table.status == "gathering":
                return "the game has not started yet"
            case table_events.Resumed() if table.status != "paused":
                return "the game is not paused"
        return None if seat is None or 0 <= seat < sitting else "there is no such seat"

    def _roll_back(self, numbered: _Numbered, to_seq: int) -> None:
        if not self.groups or to_seq < self.groups[0].last:
            raise RecordFault(numbered.number, "the game is taken back to before its beginning")
        ends = {group.last for group in self.groups[:-1]}
        if to_seq not in ends:
            raise RecordFault(
                numbered.number,
                f"the game is taken back into the middle of a move ({to_seq}), or to no earlier one",
            )
        while self.groups[-1].last > to_seq:
            self.groups.pop()
            self.undone += 1
        group = self.groups[-1]
        group.orders = [(seq, event) for seq, event in group.orders if seq <= to_seq]
        group.state = self.engine.fold([event for _seq, event in group.orders], group.clean)

    # the game

    def _outcome(self) -> Outcome | None:
        return self.engine.rules.outcome(self.groups[-1].state) if self.groups else None

    def _order(self, numbered: _Numbered) -> None:
        """Check a private order: it is one, it was allowed, and nothing followed from it at once."""
        line = numbered.line
        event = self._event(numbered)
        command = self._command_of(numbered, event)
        if command is None or not self.engine.rules.is_order(command[1]) or not self.groups:
            raise RecordFault(numbered.number, f"order {line.order} is no order")
        self._must_run(numbered)
        told = self._told([event], numbered)
        chance = told if self.seed is None else order_chance(self.seed, line.order)
        expected = self._decided(numbered, command, chance)
        if expected[:1] != (event,):
            raise RecordFault(
                numbered.number, f"order {line.order} is not what the rules make of it"
            )
        last = self.groups[-1]
        state = self._folded(numbered, [event], last.state)
        if len(expected) > 1 and self.engine.rules.due_command(state, command[0]) is None:
            raise RecordFault(numbered.number, f"order {line.order} has consequences of its own")
        last.state = state
        last.orders.append((line.seq, event))

    def _must_run(self, numbered: _Numbered) -> None:
        status = self.table.status if self.table is not None else "running"
        if status != "running":
            raise RecordFault(
                numbered.number, f"event {numbered.line.seq}: the game is {status}, not running"
            )

    def _group(self, at: int) -> int:
        """Check the setup or the move that begins at `at`; how many events it has."""
        first = self.body[at]
        self._must_run(first)
        events = [self._event(first)]
        for numbered in self.body[at + 1 :]:
            if numbered.line.kind.startswith(TABLE) or numbered.line.order:
                break
            event = self._event(numbered)
            if self._command_of(numbered, event) is not None:
                break
            events.append(event)

        command = self._command_of(first, events[0])
        if (command is None) != (not self.groups):
            reason = "the game begins with a move" if command else "nobody made this happen"
            raise RecordFault(first.number, f"event {first.line.seq}: {reason}")
        told = self._told(events, first)
        chance = told if self.seed is None else SeededChance(self.seed, first.line.seq)
        expected = self._decided(first, command, chance, events[0])
        for index, event in enumerate(events):
            if expected[index : index + 1] == (event,):
                continue
            numbered = self.body[at + index]
            if index >= len(expected):
                raise RecordFault(numbered.number, f"event {numbered.line.seq} cannot follow here")
            if self.seed is not None and self._only_the_luck_differs(first, events, command):
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
        state = self._folded(first, events, before)
        last = first.line.seq + len(events) - 1
        self.groups.append(_Group(first.line.seq, last, state, state, []))
        return len(events)

    def _event(self, numbered: _Numbered) -> Event:
        line = numbered.line
        schema = self.header.schema if line.schema is None else line.schema
        try:
            event = self.engine.codec.decode(bytes(line.event), schema)
        except (ValueError, RecursionError) as error:
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
        if schema == self.engine.codec.schema and _parsed(known.event) != _parsed(line.event):
            raise RecordFault(
                numbered.number, f"event {line.seq} has fields or values that such events lack"
            )
        return event

    def _command_of(self, numbered: _Numbered, event: Event) -> tuple[int, Any] | None:
        try:
            return self.engine.rules.command_of(event)
        except _IMPOSSIBLE as error:
            raise self._impossible(numbered, error) from None

    def _told(self, events: Sequence[Event], numbered: _Numbered) -> ReplayChance:
        try:
            return ReplayChance(self.engine.rules.recorded_chance(events))
        except _IMPOSSIBLE as error:
            raise self._impossible(numbered, error) from None

    def _decided(
        self,
        first: _Numbered,
        command: tuple[int, Any] | None,
        chance: Chance,
        recorded: Event | None = None,
    ) -> tuple[Event, ...]:
        rules = self.engine.rules
        try:
            if command is None:
                return rules.setup_again(recorded, self.options, self.header.seats, chance)
            return self.engine.rules.decide(self.groups[-1].state, *command, chance)
        except (MoveError, ReplayError) as error:
            raise RecordFault(first.number, f"event {first.line.seq}: {error}") from None
        except _IMPOSSIBLE as error:
            raise self._impossible(first, error) from None

    def _folded(self, numbered: _Numbered, events: Sequence[Event], state: State | None) -> State:
        try:
            return self.engine.fold(events, state)
        except _IMPOSSIBLE as error:
            raise self._impossible(numbered, error) from None

    def _impossible(self, numbered: _Numbered, error: Exception) -> RecordFault:
        return RecordFault(
            numbered.number,
            f"event {numbered.line.seq} cannot happen by the rules ({type(error).__name__})",
        )

    def _only_the_luck_differs(
        self, first: _Numbered, events: Sequence[Event], command: tuple[int, Any] | None
    ) -> bool:
        try:
            told = self._told(events, first)
            return self._decided(first, command, told, events[0]) == tuple(events)
        except RecordFault:
            return False


def _parsed(event: bytes | msgspec.Raw) -> bytes:
    """An event as canonical JSON."""
    return _canonical.encode(msgspec.json.decode(event))


def _difference(engine: AnyGame, event: Event, expected: Event) -> str:
    """The first thing in which an event is not what the rules make of the move."""
    told: dict[str, Any] = msgspec.json.decode(engine.codec.encode(event))
    right: dict[str, Any] = msgspec.json.decode(engine.codec.encode(expected))
    if told["kind"] != right["kind"]:
        return f"“{told['kind']}” stands where by the rules “{right['kind']}” comes"
    for name in {**right, **told}:  # fields with their default values are left out
        if told.get(name) == right.get(name):
            continue
        if name not in right:
            return f"“{name}” is {_short(told[name])}, which by the rules it has not"
        if name not in told:
            return f"“{name}” is missing, but by the rules it is {_short(right[name])}"
        return f"“{name}” is {_short(told[name])}, but by the rules it is {_short(right[name])}"
    return "it is not what the rules make of the move"


def _short(value: Any) -> str:
    return _cut(msgspec.json.encode(value).decode())


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
