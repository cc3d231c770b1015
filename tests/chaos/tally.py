"""The outcomes of moves and emails, by fault."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db import DatabaseError, InterfaceError, connection

from games.models import GameEvent, InboundMail, OutboxMail, database_clock
from tests.bench.report import Table

from .players import Accepted, Done
from .service import Arrivals

UNDONE = ("queued", "sending", "carried")
PATIENCE = 300.0  # seconds for what waits at the end; the longest pauses before a retry end before


@dataclass
class Window:
    """A fault and the moments between which it happened and the service recovered."""

    name: str
    begin: float
    end: float = 0.0
    why_not: str = ""


@dataclass
class Sums:
    """Of one fault, or of all."""

    moves: int = 0
    emails: int = 0
    lost_moves: int = 0
    lost_emails: int = 0
    waiting: int = 0
    doubled_moves: int = 0
    doubled_emails: int = 0
    given_up: int = 0
    move_wait: float = 0.0
    reply_wait: float = 0.0
    email_wait: float = 0.0
    code_wait: float = 0.0
    no_sweep: float = 0.0

    @property
    def has_failed(self) -> bool:
        """Whether a move or an email is lost or waits, or a move was made twice."""
        return bool(self.lost_moves or self.lost_emails or self.waiting or self.doubled_moves)

    def add(self, other: "Sums") -> None:
        for name, value in vars(other).items():
            mine = getattr(self, name)
            setattr(self, name, max(mine, value) if isinstance(value, float) else mine + value)


def settled() -> bool:
    """Return whether nothing waits to be read or sent."""
    try:
        waiting = OutboxMail.objects.filter(state__in=UNDONE).exists()
        return not waiting and not InboundMail.objects.filter(state="new").exists()
    except (DatabaseError, InterfaceError):
        connection.close()
        return False


def caught_up() -> bool:
    """Return whether no email and no reply has waited for more than three seconds."""
    since = database_clock.now() - timedelta(seconds=3)
    try:
        late = OutboxMail.objects.filter(state__in=UNDONE, created_at__lt=since).exists()
        unread = InboundMail.objects.filter(state="new", received_at__lt=since).exists()
        return not late and not unread
    except (DatabaseError, InterfaceError):
        connection.close()
        return False


def report(windows: list[Window], done: Done, arrivals: Arrivals) -> tuple[Table, Sums, list[str]]:
    """The table, the sums over all faults, and what was lost or doubled."""
    troubles: list[str] = []
    sums = {window.name: Sums() for window in windows}
    at = _finder(windows, sums)
    _count_moves(done, at, troubles)
    _count_emails(arrivals, at, troubles)
    for window in windows:
        moments = [window.begin, *(s for s in done.sweeps if window.begin < s < window.end)]
        gaps = [b - a for a, b in zip(moments, [*moments[1:], window.end], strict=True)]
        sums[window.name].no_sweep = max(gaps, default=0.0)
    table = Table(
        "Faults while games are played by page and reply",
        (
            "fault",
            "moves",
            "emails",
            "lost moves",
            "lost emails",
            "waiting",
            "moves twice",
            "emails twice",
            "given up",
            "worst page (s)",
            "worst reply (s)",
            "worst email (s)",
            "worst code (s)",
            "longest without sweep (s)",
        ),
    )
    total = Sums()
    for window in windows:
        if window.why_not:
            table.add(window.name, f"NOT RUN: {window.why_not}", *[""] * 12)
            continue
        _row(table, window.name, sums[window.name])
        total.add(sums[window.name])
    _row(table, "all", total)
    return table, total, troubles


def _row(table: Table, name: str, sums: Sums) -> None:
    counts = (sums.moves, sums.emails, sums.lost_moves, sums.lost_emails, sums.waiting)
    more = (sums.doubled_moves, sums.doubled_emails, sums.given_up)
    waits = (sums.move_wait, sums.reply_wait, sums.email_wait, sums.code_wait, sums.no_sweep)
    table.add(name, *(f"{n:,}" for n in (*counts, *more)), *(f"{wait:.1f}" for wait in waits))


def _finder(windows: list[Window], sums: dict[str, Sums]) -> Callable[[float], Sums]:
    def find(moment: float) -> Sums:
        for window in reversed(windows):
            if window.begin <= moment and not window.why_not:
                return sums[window.name]
        return Sums()

    return find


def _count_moves(done: Done, at: Callable[[float], Sums], troubles: list[str]) -> None:
    # The replies first: a move whose reply has been read by now is in the log that is read next.
    replies = {
        reply.recipient: reply
        for reply in InboundMail.objects.defer("raw").select_related("answer")
    }
    made = GameEvent.objects.filter(by__isnull=False, kind__in=("moved", "passed", "bought"))
    moments = {
        (game, seq - 1): when.timestamp()
        for game, seq, when in made.values_list("game_id", "seq", "at")
    }
    for (game, version), moment in moments.items():
        at(moment).moves += 1
        if (game, version) not in done.submitted:
            at(moment).doubled_moves += 1
            troubles.append(f"game {game}: nobody sent the move after version {version}")
    for move in done.moves:
        if move.way == "page":
            sums = at(move.at - move.took)
            sums.move_wait = max(sums.move_wait, move.took)
    last = {(move.game, move.version): move for move in done.moves}  # a reply may come again
    for key in last.keys() - moments.keys():
        move = last[key]
        _count_missing(move, replies.get(move.to), at(move.at), troubles)
    for reply in replies.values():
        if reply.read_at is not None:
            sums = at(reply.received_at.timestamp())
            waited = reply.read_at - reply.received_at
            sums.reply_wait = max(sums.reply_wait, waited.total_seconds())


def _count_missing(
    move: Accepted, reply: InboundMail | None, sums: Sums, troubles: list[str]
) -> None:
    """Count a move that was accepted and is not in the log: one that waits to be read, or a lost
    one, which was not stored, or was read and not made."""
    words = f"game {move.game}: the {move.way} after version {move.version}"
    if reply is not None and reply.state == InboundMail.State.NEW:
        sums.waiting += 1
        troubles.append(f"{words} still waits, after {reply.attempts} tries: {reply.error}")
        return
    sums.lost_moves += 1
    became = f"{reply.state} as {reply.outcome!r}: {_reason(reply)}" if reply else "not stored"
    troubles.append(f"{words} was accepted and lost ({became if move.to else 'not in the log'})")


def _reason(reply: InboundMail) -> str:
    """Why a reply was not carried out, as its answer says."""
    said = (reply.answer.context if reply.answer else {}).get("reason", "")
    return f"{reply.line!r} {reply.error or said}"


def _count_emails(arrivals: Arrivals, at: Callable[[float], Sums], troubles: list[str]) -> None:
    fields = ("message_id", "state", "kind", "created_at", "error", "batched_into")
    for message_id, state, kind, created, error, batch in OutboxMail.objects.values_list(*fields):
        begin = created.timestamp()
        sums, times = at(begin), arrivals.times.get(message_id, [])
        sums.emails += bool(times)
        sums.doubled_emails += max(0, len(times) - 1)
        if times:
            wait = times[0] - begin
            if kind in ("account", "answer"):
                sums.code_wait = max(sums.code_wait, wait)
            else:
                sums.email_wait = max(sums.email_wait, wait)
        if state in ("parked", "dead"):
            sums.given_up += 1
        elif state in UNDONE:
            sums.waiting += 1
            troubles.append(f"{kind} {message_id} still waits ({state}): {error}")
        elif state == "sent" and not times and batch is None:
            sums.lost_emails += 1
            troubles.append(f"{kind} {message_id} is sent and did not arrive")


def wait_until_settled(hold: Callable[[float], None], seconds: float = PATIENCE) -> None:
    """Until all is read and sent, or for this many seconds."""
    end = time.monotonic() + seconds
    while not settled() and time.monotonic() < end:
        hold(1.0)
