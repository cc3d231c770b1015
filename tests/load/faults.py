"""The faults, one function each: what happens to the service for a while."""

import math
import os
import shutil
import signal
import smtplib
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from tests.bench.report import progress
from tests.support import debian_programs
from tests.support.poisonous_emails import POISONOUS
from tests.support.slow_clients import slow_clients

from .service import Fault, Service, Tick

KILL_SECONDS = 10.0  # between two kills
SHORTEST = 5.0  # seconds of a fault
RECOVERY = 1.5  # the longest recovery, in times of the fault itself; what is later counts as a wait
# The render worker starts with the next board, but not while a worker whose boards failed, as they
# do when it was stopped itself, leaves them out (games.pictures.render_worker.PAUSE, 30 seconds).
APPEAR_SECONDS = 75.0
SLOW_CLIENTS = 200


class NotPossible(Exception):
    """This machine does not let us cause the fault."""


def _nothing() -> None:
    pass


def calm(service: Service) -> Iterator[Tick]:
    """Nothing happens, for comparison."""
    yield _nothing


def kills(*names: str) -> Fault:
    """kill -9 of these parts in turn, every ten seconds."""

    def fault(service: Service) -> Iterator[Tick]:
        last = [0.0]
        turn = list(names)

        def tick() -> None:
            if time.monotonic() - last[0] >= KILL_SECONDS:
                last[0] = time.monotonic()
                service.kill(turn[0])
                turn.append(turn.pop(0))

        yield tick

    return fault


def stops(*names: str, program: str = "") -> Fault:
    """SIGSTOP of these parts and of all that they started, or only of programs named like this."""

    def fault(service: Service) -> Iterator[Tick]:
        end = time.monotonic() + APPEAR_SECONDS
        while not (pids := _running(service, names, program)):
            if time.monotonic() > end:
                raise NotPossible(f"{program or ' and '.join(names)} does not run")
            service.hold(0.5)
        try:
            for pid in pids:
                with suppress(ProcessLookupError):  # PostgreSQL's processes come and go
                    os.kill(pid, signal.SIGSTOP)
            yield _nothing
        finally:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    return fault


def _running(service: Service, names: Sequence[str], program: str) -> list[int]:
    found = [pid for name in names for pid in service.pids(name)]
    return [pid for pid in found if program in _command(pid)]


def _command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def slow(service: Service) -> Iterator[Tick]:
    """Half-sent requests to the site, and idle connections to the listener."""
    with ExitStack() as after:
        after.enter_context(slow_clients(service.web_port, SLOW_CLIENTS))
        for _number in range(40):
            idle = socket.create_connection(("127.0.0.1", service.mail_port), timeout=10)
            after.callback(idle.close)
        yield _nothing


def full_disk(service: Service) -> Iterator[Tick]:
    """Not a byte is free where PostgreSQL, logs and emails are."""
    if not service.small_disk:
        raise NotPossible("a small disk (tmpfs) cannot be mounted here")
    filler = service.folder / "filler"

    def fill() -> None:
        with suppress(OSError), filler.open("ab", buffering=0) as file:
            while True:
                file.write(b"\0" * 65_536)

    try:
        fill()
        yield fill
    finally:
        filler.unlink(missing_ok=True)


def mail_server(mood: Callable[[int], str] | str, *, sender: str = "250 go on") -> Fault:
    """The mail server answers every message, or each with a number, like this."""

    def fault(service: Service) -> Iterator[Tick]:
        arrivals = service.arrivals
        before = arrivals.mood
        arrivals.mood = mood if callable(mood) else (lambda _number: str(mood))
        arrivals.sink.sender = sender
        try:
            yield _nothing
        finally:
            arrivals.mood, arrivals.sink.sender = before, "250 go on"

    return fault


def poisonous(service: Service) -> Iterator[Tick]:
    """A stranger sends an email a second that is made to cost its reader much."""
    from games.log import event_store
    from games.mail.reply_addresses import reply_address
    from games.models import Game

    last, raws = [0.0], cycle(POISONOUS.values())
    listener = "127.0.0.1", service.mail_port

    def tick() -> None:
        if time.monotonic() - last[0] < 1.0:
            return
        last[0] = time.monotonic()
        game = Game.objects.order_by("?")[0]
        address = reply_address(game.public_id, 0, event_store.load(game).moved_at)
        with suppress(OSError, smtplib.SMTPException), smtplib.SMTP(*listener) as server:
            server.sendmail("x@nowhere.example.org", [str(address)], next(raws))

    yield tick


def no_mailbox(service: Service) -> Iterator[Tick]:
    """Some players' mailboxes do not exist any more."""
    sink = service.arrivals.sink
    sink.rcpt_reply = lambda a: "550 5.1.1 no such user" if a.startswith("p1") else "250 OK"
    try:
        yield _nothing
    finally:
        sink.rcpt_reply = "250 OK"


def stepped_clock(service: Service) -> Iterator[Tick]:
    """The clocks of our processes jump an hour ahead and then an hour back; PostgreSQL's does
    not."""
    library = _faketime()
    step = service.folder / "clock"
    step.write_text("+0\n")
    fake = {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(step),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DONT_RESET": "1",
    }
    parts = service.stack.parts.values()
    before = [part.env for part in parts]
    steps = iter(("+3600\n", "-3600\n", "+3600\n", "-3600\n"))
    last = [time.monotonic()]

    def tick() -> None:
        if time.monotonic() - last[0] >= KILL_SECONDS:
            last[0] = time.monotonic()
            fresh = step.with_suffix(".new")  # a process that reads half a line would exit
            fresh.write_text(next(steps, "+0\n"))
            fresh.rename(step)

    try:
        for part in parts:
            part.env = {**(part.env or {}), **fake}
        service.replace_parts()
        yield tick
    finally:
        for part, env in zip(parts, before, strict=True):
            part.env = env
        service.replace_parts()


def _faketime() -> Path:
    program = debian_programs.FAKETIME
    if program.find() is None:
        debian_programs.unpack(program)
    places = [program.folder, Path("/usr/lib"), Path("/lib")]
    for place in places:
        for found in sorted(place.glob("**/faketime/libfaketimeMT.so.1")):
            return found
    raise NotPossible("libfaketime is not there and cannot be unpacked")


FAULTS: dict[str, Fault] = {
    "calm": calm,
    "stop render worker": stops("worker", program="render_worker"),
    "kill worker": kills("worker"),
    "kill web": kills("web"),
    "kill beat, listener": kills("beat", "listener"),
    "kill broker": kills("broker"),
    "kill postgres": kills("postgres"),
    "stop worker": stops("worker"),
    "stop web": stops("web"),
    "stop beat, listener": stops("beat", "listener"),
    "stop events": stops("events"),
    "stop broker": stops("broker"),
    "stop postgres": stops("postgres"),
    "slow clients": slow,
    "full disk": full_disk,
    "a poisonous email": poisonous,
    "mail: 4xx": mail_server("451 4.3.0 try again later"),
    "mail: 5xx about us": mail_server("250 kept", sender="550 5.7.1 account suspended"),
    "mail: 5xx mailbox": no_mailbox,
    "mail: drop before 250": mail_server(lambda number: "250 kept" if number % 3 else "drop"),
    "mail: hang after DATA": mail_server(lambda number: "250 kept" if number % 10 else "hang"),
    "stepped clock": stepped_clock,
}


@dataclass
class Window:
    """A fault, and the moments (time.monotonic) between which it happened and the service
    recovered. why_not: why it could not be caused."""

    name: str
    begin: float
    end: float = math.inf
    why_not: str = ""


def cause(
    service: Service, faults: Mapping[str, Fault], end: float, recovered: Callable[[], bool]
) -> Iterator[Window]:
    """Cause the faults until this moment of time.monotonic, each for the same time, and let the
    service recover after each."""
    each = max(SHORTEST, (end - time.monotonic()) / len(faults) / (1 + RECOVERY))
    for name, fault in faults.items():
        window = Window(name, time.monotonic())
        progress(f"{name}, for {each:.0f} seconds")
        try:
            if shutil.disk_usage(service.folder).free < 1_000_000:
                raise NotPossible("the disk is full before the fault")
            if window.begin + each > end:
                raise NotPossible("no time was left")
            with contextmanager(fault)(service) as tick:
                service.hold(each, tick)
            until = time.monotonic() + each * RECOVERY
            service.hold(SHORTEST)
            while time.monotonic() < min(until, end) and not recovered():
                service.hold(1.0)
        except (NotPossible, OSError) as error:
            window.why_not = str(error)
            progress(f"{name}: NOT RUN, {error}")
        window.end = time.monotonic()
        yield window
