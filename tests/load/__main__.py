"""`python -m tests.load [--players 20000 --minutes 2]`: how many people this machine carries.

Starts what `make play` runs, with its data in a temporary folder and ports of its own, fills it,
and plays the busiest hour. Without --players it raises their number until pages or emails are late.
Exit status 1 if a move or an email was lost or came twice. Ends after ten minutes at the latest.
"""

import argparse
import itertools
import math
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from tests.bench import record
from tests.bench.report import Table, progress
from tests.bench.service import playing
from tests.support.smtp_sink import free_port

from .sink import running_sink

if TYPE_CHECKING:
    from .step import Player, Step

LIMIT = 550  # seconds until it stops; then what waits is sent, checked and cleaned up
NICE = 10
FIRST, MORE = 50_000, 1.5  # people of the first step, and times in each further one
CLOSE = 1.15  # the largest number that held and the smallest that did not, when it is known enough
SPARE = 20.0  # seconds besides the play of a step, for settling


class TimeIsOver(KeyboardInterrupt):
    """Raised by the alarm. asyncio passes on no other exception from wherever it arrives."""


def main() -> int:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--players", type=int, help="only this number, and no more")
    parser.add_argument("--minutes", type=float, default=1.0, help="of play, in each step")
    parser.add_argument("--seed", type=int, default=1, help="of what people do")
    options = parser.parse_args()
    begin = time.monotonic()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    signal.signal(signal.SIGALRM, _over)
    signal.alarm(LIMIT)
    facts = record.facts()
    with ExitStack() as after:
        folder = Path(after.enter_context(tempfile.TemporaryDirectory(prefix="atlantis-load-")))
        mail_port = free_port()
        sink = after.enter_context(running_sink(mail_port, NICE))
        progress("make play, its first start")
        variables = {
            "EMAIL_URL": f"smtp://127.0.0.1:{mail_port}",
            "PORT": str(free_port()),
            "TRUST_PROXY": "1",  # all people are on this machine
        }
        pid = after.enter_context(playing(folder, **variables))
        for line in (folder / "var" / "play.env").read_text().split():
            name, _equals, value = line.partition("=")
            os.environ[name] = value
        os.environ["DJANGO_SETTINGS_MODULE"] = "atlantis_site.settings"
        import django

        django.setup()
        from .fill import Club, make_models
        from .step import Player, Service

        listener = int(os.environ["MAIL_LISTEN"].rpartition(":")[2])
        player = Player(Service(pid, listener, sink), Club(make_models()))
        os.nice(NICE)
        steps = list(raised(player, options, begin + LIMIT))
        signal.alarm(0)
        wrong = player.wrong()
    if not steps:
        sys.exit("The time was over before the first figures; try fewer players.")
    print("\n\n".join([facts, *map(str, result(steps))]), flush=True)
    for words in wrong[:20]:
        print(f"- {words}", flush=True)
    print(f"{len(wrong)} moves or emails were lost or doubled.", flush=True)
    return 1 if wrong else 0


def raised(player: "Player", options: argparse.Namespace, end: float) -> Iterator["Step"]:
    """The steps: one with the number of people that was asked for, or several until it is known
    how many are too many. None begins that would not end in time."""
    from .schedule import WARM_UP

    people, most, least = options.players or FIRST, 0, math.inf
    length, each = options.minutes * 60, 0.0  # seconds to add a person
    try:
        for seed in itertools.count(options.seed):
            begin, added = time.monotonic(), people - player.club.people
            if begin + max(0, added) * each + WARM_UP + length + SPARE > end and most + least:
                return
            player.club.grow(people)
            if added > 0:
                each = (time.monotonic() - begin) / added
            step = player.play(people, length, seed)
            progress(summary(step))
            yield step
            if step.has_held:
                most = people
            else:
                least = people
            if options.players or least < most * CLOSE:
                return
            people = int(most * MORE if least == math.inf else (most + least) / 2) // 1000 * 1000
    except TimeIsOver:
        progress("the time is over")


def summary(step: "Step") -> str:
    from .people import PAGE
    from .step import HANDED_OVER, seconds

    words = "held" if step.has_held else "did not hold"
    page, email = seconds(step.at(PAGE)), seconds(step.at(HANDED_OVER))
    return f"{step.people:,} people: page {page}, email {email}; {words}"


def result(steps: list["Step"]) -> Iterator[Table]:
    """The largest step that held, and all of them."""
    from .people import PAGE
    from .step import HANDED_OVER, seconds

    held = [step for step in steps if step.has_held]
    best = max(held or steps, key=lambda step: step.people)
    yield from best.tables()
    head = (
        "people",
        "moves",
        "page, 95th percentile",
        "email, 95th percentile",
        "emails behind",
        "processors",
        "the load itself",
        "requests late, 95th percentile",
        "open pages",
        "held",
    )
    table = Table("How many people this machine carries", head)
    for step in steps:
        table.add(
            f"{step.people:,}",
            f"{step.moves:,}",
            seconds(step.at(PAGE)),
            seconds(step.at(HANDED_OVER)),
            f"{step.waiting:,}, {step.behind:.0f} s",
            f"{step.busy():.0%}",
            f"{step.busy(ours=True):.0%}",
            seconds(step.late),
            f"{step.streams:,}",
            "yes" if step.has_held else "no",
        )
    yield table


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _over(number: int, frame: FrameType | None) -> None:
    raise TimeIsOver


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(1)
