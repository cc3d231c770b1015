"""The check of records from the outside: no database, no trust.

First the digests, which cost little and find whatever was changed without recomputing them. Then
every move is decided again and compared: with the chance of the seed where it is revealed, else
with the chance that the events recorded. Nothing that a record says may make the check crash.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from . import GAMES, table_events
from .chance import ReplayChance, ReplayError, SeededChance, order_chance
from .contract import AnyGame, Chance, Command, Event, Outcome, State
from .errors import MoveError
from .record_checks import Digests, check_lines, revealed_seed, table_event, table_problem
from .records import FORMAT, TABLE, Header, Line, Numbered, RecordFault, line_of, parsed, shortened

_canonical = msgspec.json.Encoder(order="sorted")

# Errors that the rules of a game may raise for an event that cannot have come about.
_IMPOSSIBLE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
)


class Checked(msgspec.Struct, frozen=True):
    """The content of a faultless record.

    undone: moves taken back. fair: the seed is revealed, and chance was checked against it.
    finished: the game was played to its end, given up or called off. outcome: None for a game that
    was not played to its end. code: the check code of the last event, "" without a seed.
    proves: whether it has digests; anybody can write a record without.
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
    proves: bool


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
    at, body = 0, list[Numbered]()
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            found = parsed(text)
            kind: type[Header | Line] = Header if "record" in found else Line
            read = msgspec.convert(found, kind)
        except (ValueError, RecursionError) as error:
            raise RecordFault(number, f"this is no line of a record ({error})") from None
        if isinstance(read, Line):
            if header is None:
                raise RecordFault(number, "a record begins with its header")
            body.append(Numbered(number, read))
            continue
        if header is not None:
            yield _Check(at, header, body).run(heads)
        header, at, body = read, number, []
    if header is None:
        raise RecordFault(1, "there is no record")
    yield _Check(at, header, body).run(heads)


class _Check:
    """One record on its way from the first event to the last."""

    def __init__(self, at: int, header: Header, body: list[Numbered]) -> None:
        self.at = at
        self.header = header
        self.body = body
        if header.record != "atlantis-by-mail" or header.format != FORMAT:
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
        self.table: table_events.TableState | None = None  # where a record has events of the table
        self.undone = 0

    def run(self, heads: Sequence[str]) -> Checked:
        check_lines(self.body)
        digests = Digests(self.at, self.header, self.body)
        self.seed = revealed_seed(self.header, self.body, digests)
        for head in heads:
            digests.compare(head, self.seed)
        at = 0
        while at < len(self.body):
            numbered = self.body[at]
            if numbered.line.kind.startswith(TABLE):
                self._table_event(numbered)
                at += 1
            elif numbered.line.order:
                self._order(numbered)
                at += 1
            else:
                at += self._group(at)
        outcome = self._outcome()
        ended = self.table is not None and self.table.status in ("finished", "aborted")
        events = sum(not numbered.line.order for numbered in self.body)
        return Checked(
            game=self.header.game,
            seats=self.header.seats,
            events=events,
            moves=max(0, len(self.groups) - 1),
            undone=self.undone,
            fair=self.seed is not None,
            finished=outcome is not None or ended,
            outcome=outcome,
            code=digests.code(self.seed),
            proves=digests.given,
        )

    def _table_event(self, numbered: Numbered) -> None:
        """Check an event of the table, and apply it."""
        event, line = table_event(numbered), numbered.line
        if isinstance(event, table_events.Created) != (line.seq == 1):
            raise numbered.fault("a table is created by its first event, once")
        if self._outcome() is not None and not isinstance(event, table_events.Revealed):
            raise numbered.fault("the game is over: nothing but the seed follows")
        problem = table_problem(self.header, self.table, event)
        if problem is not None:
            raise numbered.fault(f"event {line.seq}: {problem}")
        if isinstance(event, table_events.RolledBack):
            self._roll_back(numbered, event.to_seq)
        if self.table is not None or isinstance(event, table_events.Created):
            self.table = table_events.evolve(self.table or table_events.TableState(), event)

    def _roll_back(self, numbered: Numbered, to_seq: int) -> None:
        if not self.groups or to_seq < self.groups[0].last:
            raise numbered.fault("the game is taken back to before its beginning")
        ends = {group.last for group in self.groups[:-1]}
        if to_seq not in ends:
            raise numbered.fault(
                f"the game is taken back into the middle of a move ({to_seq}), or to no earlier one"
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

    def _order(self, numbered: Numbered) -> None:
        """Check a private order: it is one, it was allowed, and nothing followed from it at
        once."""
        line = numbered.line
        event = self._event(numbered)
        command = self._command_of(numbered, event)
        if command is None or not self.engine.rules.is_order(command[1]) or not self.groups:
            raise numbered.fault(f"order {line.order} is no order")
        self._must_run(numbered)
        recorded = self._recorded_chance([event], numbered)
        chance = recorded if self.seed is None else order_chance(self.seed, line.order)
        expected = self._decided(numbered, command, chance)
        if expected[:1] != (event,):
            raise numbered.fault(f"order {line.order} is not what the rules make of it")
        last = self.groups[-1]
        state = self._folded(numbered, [event], last.state)
        if len(expected) > 1 and self.engine.rules.due_command(state, command[0]) is None:
            raise numbered.fault(f"order {line.order} has consequences of its own")
        last.state = state
        last.orders.append((line.seq, event))

    def _must_run(self, numbered: Numbered) -> None:
        status = self.table.status if self.table is not None else "running"
        if status != "running":
            raise numbered.fault(f"event {numbered.line.seq}: the game is {status}, not running")

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
            raise first.fault(f"event {first.line.seq}: {reason}")
        recorded = self._recorded_chance(events, first)
        chance = recorded if self.seed is None else SeededChance(self.seed, first.line.seq)
        expected = self._decided(first, command, chance)
        for index, event in enumerate(events):
            if expected[index : index + 1] == (event,):
                continue
            numbered = self.body[at + index]
            if index >= len(expected):
                raise numbered.fault(f"event {numbered.line.seq} cannot follow here")
            if self.seed is not None and self._only_chance_differs(first, events, command):
                raise numbered.fault(
                    f"event {numbered.line.seq}: these random results do not match the seed"
                )
            difference = _difference(self.engine, event, expected[index])
            raise numbered.fault(f"event {numbered.line.seq}: {difference}")
        if len(events) < len(expected):
            raise self.body[at + len(events) - 1].fault(
                "the record breaks off in the middle of a move: by the rules "
                f"“{line_of(self.engine, 0, expected[len(events)]).kind}” comes next",
            )
        before = self.groups[-1].state if self.groups else None
        state = self._folded(first, events, before)
        last = first.line.seq + len(events) - 1
        self.groups.append(_Group(first.line.seq, last, state, state, []))
        return len(events)

    def _event(self, numbered: Numbered) -> Event:
        line = numbered.line
        schema = self.header.schema if line.schema is msgspec.UNSET else line.schema
        try:
            event = self.engine.codec.decode(_canonical.encode(line.event), schema)
        except (ValueError, RecursionError) as error:
            raise numbered.fault(f"event {line.seq} is no event of this game ({error})") from None
        known = line_of(self.engine, line.seq, event)
        if (known.kind, known.seat) != (line.kind, line.seat):
            raise numbered.fault(
                f"event {line.seq} is said to be {line.kind} of seat {line.seat}, "
                f"but is {known.kind} of seat {known.seat}"
            )
        if _canonical.encode(known.event) != _canonical.encode(line.event):
            raise numbered.fault(f"event {line.seq} has fields or values that such events lack")
        return event

    def _command_of(self, numbered: Numbered, event: Event) -> tuple[int, Command] | None:
        with _possible(numbered):
            return self.engine.rules.command_of(event)

    def _recorded_chance(self, events: Sequence[Event], numbered: Numbered) -> ReplayChance:
        with _possible(numbered):
            return ReplayChance(self.engine.rules.recorded_chance(events))

    def _decided(
        self, first: Numbered, command: tuple[int, Command] | None, chance: Chance
    ) -> tuple[Event, ...]:
        rules = self.engine.rules
        with _possible(first):
            try:
                if command is None:
                    return rules.setup(self.options, self.header.seats, chance)
                return rules.decide(self.groups[-1].state, *command, chance)
            except (MoveError, ReplayError) as error:
                raise first.fault(f"event {first.line.seq}: {error}") from None

    def _folded(self, numbered: Numbered, events: Sequence[Event], state: State | None) -> State:
        with _possible(numbered):
            return self.engine.fold(events, state)

    def _only_chance_differs(
        self, first: Numbered, events: Sequence[Event], command: tuple[int, Command] | None
    ) -> bool:
        try:
            chance = self._recorded_chance(events, first)
            return self._decided(first, command, chance) == tuple(events)
        except RecordFault:
            return False


@contextmanager
def _possible(numbered: Numbered) -> Iterator[None]:
    """RecordFault at this line for what the rules raise on events that could not come about."""
    try:
        yield
    except _IMPOSSIBLE as error:
        raise numbered.fault(
            f"event {numbered.line.seq} cannot happen by the rules ({type(error).__name__})"
        ) from None


def _difference(engine: AnyGame, event: Event, expected: Event) -> str:
    """The first thing in which an event is not what the rules make of the move."""
    found: dict[str, Any] = msgspec.json.decode(engine.codec.encode(event))
    right: dict[str, Any] = msgspec.json.decode(engine.codec.encode(expected))
    if found["kind"] != right["kind"]:
        return f"“{found['kind']}” stands where by the rules “{right['kind']}” comes"
    for name in {**right, **found}:  # fields with their default values are left out
        if found.get(name) == right.get(name):
            continue
        if name not in right:
            return f"“{name}” is {_short(found[name])}, which by the rules it has not"
        if name not in found:
            return f"“{name}” is missing, but by the rules it is {_short(right[name])}"
        return f"“{name}” is {_short(found[name])}, but by the rules it is {_short(right[name])}"
    return "it is not what the rules make of the move"


def _short(value: Any) -> str:
    return shortened(msgspec.json.encode(value).decode())
