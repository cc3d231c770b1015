"""`python -m tests.chaos [--minutes 30] [--games 100] [--fault "kill worker"] …`: prints a table.

Exit status 1 if a move or an email was lost or still waits, a move was made twice, or a page was
answered with status 500. An email may arrive twice, with the same Message-ID, where its sender or
the mail server broke off before it was recorded. The run goes on for up to five minutes more while
a reply waits to be read or an email to be sent; what waits even then is counted as waiting, not as
lost.
"""

import argparse
import sys
import time

from tests.bench.report import progress

from .faults import FAULTS, NotPossible, cause
from .service import Service, service

WARM_UP = 10.0  # seconds of play before the first fault
RECOVERY = 1.5  # the longest recovery, in times of the fault itself; what is later counts as a wait
LAST_SECONDS, LAST_SHARE = 150.0, 0.25  # of the run, for what still waits at its end


def main() -> int:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="of faults and play")
    parser.add_argument("--games", type=int, default=100, help="played at the same time")
    parser.add_argument("--rate", type=float, default=2.0, help="moves a second, of all together")
    parser.add_argument("--fault", action="append", choices=FAULTS, help="only these; repeatable")
    options = parser.parse_args()
    names = options.fault or list(FAULTS)
    begin = time.monotonic()
    with service() as running:
        progress("the service has started")
        import django

        django.setup()
        return run(running, names, options.games, options.rate, begin + options.minutes * 60)


def run(running: Service, names: list[str], games: int, rate: float, end: float) -> int:
    """Cause the faults until this moment of time.monotonic; the exit status."""
    # These need Django.
    from . import tally
    from .players import Players

    players = Players(running, games, rate)
    players.start()
    last = min(LAST_SECONDS, (end - time.monotonic()) * LAST_SHARE)
    ends_at = end - last
    each = max(5.0, (ends_at - time.monotonic() - WARM_UP) / len(names) / (1 + RECOVERY))
    windows: list[tally.Window] = []
    try:
        running.hold(WARM_UP)
        for name in names:
            window = tally.Window(name, time.time())
            windows.append(window)
            if time.monotonic() + each > ends_at:
                window.why_not = "no time was left"
                progress(f"{name}: NOT RUN, no time was left")
                continue
            progress(f"{name}, for {each:.0f} seconds")
            try:
                with cause(name, running) as tick:
                    running.hold(each, tick)
            except (NotPossible, OSError) as error:
                window.why_not = str(error)
                progress(f"{name}: NOT RUN, {error}")
            left = max(0.0, min(each * RECOVERY, ends_at - time.monotonic()))
            recover(running, left)
            window.end = time.time()
    finally:
        players.stop()
    progress("waiting for the last email")
    tally.wait_until_settled(running.hold)
    if windows:
        windows[-1].end = windows[-1].end or time.time()
    table, total, troubles = tally.report(windows, players.done, running.arrivals)
    print(table, flush=True)
    errors = running.server_errors()
    for words in [*players.done.errors[:10], *errors[:10], *troubles[:20]]:
        print(f"- {words}", flush=True)
    return 1 if total.has_failed or errors else 0


def recover(running: Service, seconds: float) -> None:
    """Let the service recover until an email that is queued now has arrived, at most this long."""
    from .tally import caught_up

    end = time.monotonic() + seconds
    running.hold(min(5.0, seconds))
    while time.monotonic() < end and not caught_up():
        running.hold(1.0)


if __name__ == "__main__":
    sys.exit(main())
