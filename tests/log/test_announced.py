"""The announced deadlines of random logs: moves, turns by bots, rollbacks, more time, pauses and
other players. No deadline falls into a night, which lasts nearly a whole day."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from games.clock import Code
from games.log import event_store, table_events
from games.log.announced import announced, broken_promises
from games.log.game_log import Log
from games.rules.chance import SeededChance
from games.rules.contract import Event
from games.rules.escape import ESCAPE

MONDAY = datetime(2027, 1, 4, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ALICE, BOB, CAROL = 11, 12, 13

AnyEvent = Event | table_events.Event
actions = st.lists(
    st.tuples(
        st.sampled_from(
            ["move", "move", "move", "plan", "bot", "roll back", "more time", "pause", "hand"]
        ),
        st.integers(0, 1000),
    ),
    max_size=25,
)


class Table:
    """A log that grows; keeps: as a service that keeps announced deadlines."""

    def __init__(self, *, keeps: bool) -> None:
        self.keeps, self.hours = keeps, count()
        self.log = Log(ESCAPE, (), b"")
        created = table_events.Created("", "escape", {}, 2, 3)
        self._write([created])
        for seat, user in enumerate((ALICE, BOB)):
            self._write([table_events.Joined(seat)], user)
        setup = ESCAPE.setup({"order": "seated"}, 2, SeededChance(bytes(32), 1))
        self._write([table_events.Started(2), *setup])

    def _write(self, events: Sequence[AnyEvent], by: int | None = None, seated: int = 0) -> None:
        at = MONDAY + next(self.hours) * HOUR
        self.log = self.log.extended(
            event_store.entries_for(self.log, events, by, at, seated=seated or None)
        )
        for seat in self.log.projection.to_act if self.keeps else ():
            *before, now = (one for one in announced(self.log) if one.seat == seat)
            if now.start == at and not now.steps:
                morning = now.due + (MONDAY - now.due) % DAY
                known = max((one.due for one in before if one.is_for(now)), default=morning)
                self._move(seat, "quiet", morning - now.due)
                self._move(seat, "announced", known - morning)

    def _move(self, seat: int, code: Code, time: timedelta) -> None:
        if time > timedelta():
            step = table_events.DeadlineMoved(seat, code, time // timedelta(seconds=1))
            at = self.log.entries[-1].at
            self.log = self.log.extended(event_store.entries_for(self.log, [step], None, at))

    def act(self, what: str, number: int) -> None:
        """Do this; nothing where it cannot be done."""
        log, seats = self.log, self.log.projection.to_act
        paused = log.table.status == "paused"
        match what:
            case "move" if seats and not paused:
                legal = list(ESCAPE.rules.legal_commands(log.state, seats[0]))
                command = legal[number % len(legal)]
                chance = SeededChance(bytes(32), log.version + 1)
                user = log.seating.now[seats[0]].user
                self._write(ESCAPE.rules.decide(log.state, seats[0], command, chance), user)
            case "bot" if seats and not paused:
                events: list[AnyEvent] = [table_events.BotPlayed(seats[0])]
                state = log.state
                while seats[0] in ESCAPE.rules.to_act(state) and len(events) < 50:
                    command = next(iter(ESCAPE.rules.legal_commands(state, seats[0])))
                    chance = SeededChance(bytes(32), log.version + len(events) + 1)
                    played = ESCAPE.rules.decide(state, seats[0], command, chance)
                    events, state = [*events, *played], ESCAPE.fold(played, state)
                self._write(events)
            case "plan" if seats and not paused and log.state.board.is_setup:
                for seat in (1 - seats[0], seats[0]):
                    view = ESCAPE.rules.view(self.log.state, seat)
                    command = ESCAPE.notation.parse("plan coast", view)
                    chance = SeededChance(bytes(32), self.log.version + 1)
                    self._write(ESCAPE.rules.decide(self.log.state, seat, command, chance))
            case "roll back" if len(log.moves) > 1:
                to_seq = log.moves[number % (len(log.moves) - 1)][-1].seq
                self._write([table_events.RolledBack(to_seq)])
            case "more time" if seats and not paused:
                self._write([table_events.DeadlineMoved(seats[0], "moderator", number * 3600 + 1)])
            case "pause":
                self._write([table_events.Resumed() if paused else table_events.Paused()])
            case "hand":
                seat, others = number % 2, {ALICE, BOB, CAROL} - {h.user for h in log.seating.now}
                handed = table_events.SeatHanded(seat, "player")
                self._write([handed, table_events.Seated(seat)], seated=min(others))


def played(todo: Sequence[tuple[str, int]], *, keeps: bool = True) -> Log:
    table = Table(keeps=keeps)
    for what, number in todo:
        table.act(what, number)
    return table.log


@given(actions)
def test_no_log_of_a_service_that_keeps_them_breaks_a_promise(todo: list[tuple[str, int]]) -> None:
    assert not list(broken_promises(played(todo)))


@given(actions)
def test_a_seat_that_is_asked_has_an_open_deadline(todo: list[tuple[str, int]]) -> None:
    log = played(todo, keeps=False)
    found = announced(log)
    for seat in log.projection.to_act:
        last = [one for one in found if one.seat == seat][-1]
        assert last.user == log.seating.now[seat].user
        assert last.due >= last.start + 3 * DAY


@given(actions)
def test_a_log_that_grows_begins_no_earlier_clock_anew(todo: list[tuple[str, int]]) -> None:
    log = played(todo, keeps=False)
    clocks = [(one.seat, one.user, one.ended, one.start) for one in announced(log)]
    for seq in range(1, log.version):
        then = [(one.seat, one.user, one.ended, one.start) for one in announced(log.until(seq))]
        if not isinstance(log.entries[seq].event, table_events.Seated):
            assert clocks[: len(then)] == then or log.entries[seq].at == log.entries[seq - 1].at


@given(actions, st.integers(0, 1000))
def test_after_a_rollback_each_seat_is_asked_what_it_was_asked_then(
    todo: list[tuple[str, int]], number: int
) -> None:
    table = Table(keeps=True)
    for what, choice in todo:
        table.act(what, choice)
    if len(table.log.moves) < 2:
        return
    to_seq = table.log.moves[number % (len(table.log.moves) - 1)][-1].seq
    table.act("roll back", number)
    then, now = announced(table.log.until(to_seq)), announced(table.log)
    for seat in table.log.projection.to_act:
        before, after = ([one for one in found if one.seat == seat][-1] for found in (then, now))
        assert before.ended == after.ended
        if before.user == after.user:
            assert before.due <= after.due
