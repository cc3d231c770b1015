"""`python -m tests.load [--players 20000 --minutes 2]`: how many people this machine carries.

Starts the processes of `make play` with data in a temporary folder and ports of their own, fills
it, and plays the busiest hour. Without --players it raises their number until pages or emails are
late, and ends after ten minutes at the latest.

With --faults (or --fault for some of them) a few thousand people move more often, half of them by
reply, while one fault after the other happens to the processes of docker-compose.yml. With
--machines they play on two machines, while each part of either leaves and returns.

Exit status 1 if a move or an email was lost or came twice, or a page had status 500. While there
are faults, an email may come twice, with the same Message-ID, where its sender or the mail server
broke off before it was recorded; what still waits five minutes after the end is wrong, too.
"""

import argparse
import itertools
import math
import os
import signal
import sys
import time
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

from tests.bench import record
from tests.bench.report import Table, progress

from . import faults, machines
from .schedule import USUAL, Pace
from .service import Service, service

if TYPE_CHECKING:
    from .step import Player, Step

LIMIT = 550  # seconds until it stops; then what waits is sent, checked and cleaned up
NICE = 10
FIRST, MORE = 50_000, 1.5  # people of the first step, and times in each further one
CLOSE = 1.15  # the largest number that held and the smallest that did not, when it is known enough
SPARE = 20.0  # seconds besides the play of a step, for settling
# While there are faults; two moves a second, half of them by reply.
PEOPLE, FAULT_PACE, FAULT_MINUTES = 5_500, Pace(2.0, 0.5), 30.0
BRISK = Pace(3.0, 0.5, 2.0)
LAST_SECONDS, LAST_SHARE = 150.0, 0.25  # of the run, for what still waits at its end
PATIENCE = 300.0  # seconds for what waits after faults; the longest pauses before a retry are over


class TimeIsOver(KeyboardInterrupt):
    """Raised by the alarm."""


def main() -> int:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--players", type=int, help="only this number, and no more")
    parser.add_argument("--minutes", type=float, help="of play, in each step")
    parser.add_argument("--seed", type=int, default=1, help="of what people do")
    parser.add_argument("--faults", action="store_true", help="all faults, one after the other")
    parser.add_argument("--fault", action="append", choices=faults.FAULTS, help="only these")
    parser.add_argument("--machines", action="store_true", help="two machines")
    parser.add_argument("--brisk", action="store_true", help="few games, to see that all works")
    options = parser.parse_args()
    if options.faults and not options.fault:
        options.fault = list(faults.FAULTS)
    begin = time.monotonic()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    facts = record.facts()
    progress("the service, its first start")
    with machines.machines() if options.machines else service(options.fault) as running:
        import django

        django.setup()
        from .fill import Club, make_models
        from .step import Player

        player = Player(running, Club(make_models(few=options.brisk)))
        os.nice(NICE)
        if options.machines or options.fault:
            steps = [_with_faults(player, running, options, begin)]
        else:
            signal.signal(signal.SIGALRM, _over)
            signal.alarm(max(1, LIMIT - int(time.monotonic() - begin)))
            steps = list(raised(player, options, begin + LIMIT))
            signal.alarm(0)
        wrong = [*player.wrong(), *running.server_errors()]
    if options.machines:
        wrong += [
            f"{n} times, a {what} was asked for in vain" for what, n in steps[0].refused.items()
        ]
    if not steps:
        sys.exit("The time was over before the first figures; try fewer players.")
    print("\n\n".join([facts, *map(str, result(steps))]), flush=True)
    for words in wrong[:20]:
        print(f"- {words}", flush=True)
    print(f"{len(wrong)} moves or emails were lost or doubled.", flush=True)
    return 1 if wrong else 0


def _with_faults(
    player: "Player", running: Service, options: argparse.Namespace, begin: float
) -> "Step":
    """One step with all these faults in it. The minutes count from the start of the service."""
    causes = running.faults or {name: faults.FAULTS[name] for name in options.fault}
    people = options.players or PEOPLE
    player.club.grow(people)
    player.has_faults, player.once, player.patience = True, options.machines, PATIENCE
    end = begin + 60 * (options.minutes or FAULT_MINUTES)
    left, needed = (
        end - time.monotonic(),
        20 + len(causes) * faults.SHORTEST * (1 + faults.RECOVERY),
    )
    length = max(needed, left * (1 - LAST_SHARE), left - LAST_SECONDS)
    return player.play(people, length, options.seed, causes, FAULT_PACE)


def raised(player: "Player", options: argparse.Namespace, end: float) -> Iterator["Step"]:
    """The steps: one with the number of people that was asked for, or several until it is known
    how many are too many. None begins that would not end in time."""
    people, most, least = options.players or FIRST, 0, math.inf
    pace = BRISK if options.brisk else USUAL
    length, each = (options.minutes or 1.0) * 60, 0.0  # seconds to add a person
    try:
        for seed in itertools.count(options.seed):
            begin, added = time.monotonic(), people - player.club.people
            if begin + max(0, added) * each + pace.thinking + length + SPARE > end and most + least:
                return
            player.club.grow(people)
            if added > 0:
                each = (time.monotonic() - begin) / added
            step = player.play(people, length, seed, pace=pace)
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
    """The largest step that held, and all of them; or the faults of the only step."""
    from .people import PAGE
    from .step import HANDED_OVER, seconds

    held = [step for step in steps if step.has_held]
    best = max(held or steps, key=lambda step: step.people)
    yield from best.tables()
    if best.windows:
        return
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
