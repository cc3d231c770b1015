"""How often plans for the next turn fit, and how many days a game of four takes with them: `make
plans`.

Bots play whole games of *Atlantis*. After each of its turns, a seat notes the three moves that its
bot likes best, each exactly as it would be now, and tries them at its next turn. Nothing depends on
that in the game. Then people with the habits of `tests.simulate.people` play the same turns under
deadlines. Everything follows from the numbers of the games.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import islice
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from games import clock
from games.rules import GAMES, selfplay
from games.rules.atlantis import model, plans
from games.rules.atlantis.bot.search import WEIGHTS, SearchNode
from games.rules.chance import bot_chance
from games.rules.errors import IllegalMove
from tests.bench.report import Table, percentile, progress
from tests.simulate.people import BEGIN, DAY, Person, population

ATLANTIS = GAMES["atlantis"]
# One line, three lines; for lines that may be played after others have arrived.
AIMS = {2: (0.65, 0.90), 3: (0.55, 0.85), 4: (0.45, 0.75)}  # one line, three lines
PACES = (DAY, 3 * DAY, 7 * DAY)
TABLES = 10  # of people, who play each game
MOST_MISSES = 3  # in a row, then a bot has the seat
YEARS = 4  # in which games begin; those of people who vanish are among them


class Turn(NamedTuple):
    """A turn of a game. planned: whether its seat would have planned it. fits: the number of the
    first line that fits, from 0; None for none."""

    seat: int
    planned: bool
    fits: int | None


def favourites(view: model.View, seq: int) -> Iterator[model.PlanLine]:
    """The moves that the bot likes best if the viewer's turn began now, best first, as lines of a
    plan."""
    assert view.viewer is not None
    then = plans.next_turn(view)
    node = SearchNode.seen(then, WEIGHTS, bot_chance(bytes(32), view.viewer, seq))
    for found in sorted(node.plans(), key=lambda plan: -plan.worth):
        if found.move.bridge_before is not None or found.move.bridge_after is not None:
            continue
        with suppress(IllegalMove):  # the bot's moves are simplified
            line = plans.exactly(view, found.move)
            yield replace(line, ends=plans.ends_game(then, plans.trial(then, line)[1]))


def turns_of(number: int, seats: int, *, even_so: bool) -> list[Turn]:
    """The turns of the game with this number. even_so: plans may be played after figures of others
    have reached the mainland."""
    secret = number.to_bytes(31, "big") + bytes([seats])
    players = selfplay.by_bot(ATLANTIS, secret)
    left: list[model.Planned | None] = [None] * seats
    turns, seq, active = list[Turn](), 0, None
    for state, events in selfplay.play(ATLANTIS, {}, seats, secret, players):
        seq += len(events)
        if state.active == active:  # it has sold a tile
            continue
        if active is not None:
            view = ATLANTIS.rules.view(state, active)
            best = islice(favourites(view, seq), plans.MOST_LINES)
            lines = tuple(replace(line, even_so=even_so) for line in best)
            left[active] = replace(plans.left(view, model.Plan()), lines=lines)
        active = state.active
        if active is not None:
            turns.append(_turn(ATLANTIS.rules.view(state, active), left[active]))
    return turns


def _turn(view: model.View, plan: model.Planned | None) -> Turn:
    assert view.viewer is not None
    if plan is None:
        return Turn(view.viewer, planned=False, fits=None)
    misfits = [plans.misfit(view, line, plan.arrived) for line in plan.lines or ()]
    fits = misfits.index(None) if None in misfits else None
    return Turn(view.viewer, bool(misfits), fits)


# -- days ----------------------------------------------------------------------------------------


def days(
    turns: Sequence[Turn], people: Sequence[Person], pace: timedelta, begin: datetime, lines: int
) -> float:
    """How many days the game takes. lines: how many everybody plans, 0 for no plans.

    Who moves plans the next turn at once; whose plan has been played, when they next come to the
    table. Who misses a deadline, which a bot then plays, plans nothing; after the third one in a
    row the bot has the seat.
    """
    now, misses = begin, [0] * len(people)
    next_come: list[datetime | None] = [None] * len(people)  # to plan, which they have not yet
    has_plan = [False] * len(people)
    for number, turn in enumerate(turns):
        seat, person = turn.seat, people[turn.seat]
        if misses[seat] == MOST_MISSES:
            continue
        chance = Random(f"{begin}:{number}")  # the same habits with and without plans
        comes = next_come[seat]
        if comes is not None and comes <= now:
            has_plan[seat] = True
        fits = turn.fits is not None and turn.fits < lines
        answer = person.moves_at(now, pace, chance)
        if has_plan[seat] and fits:
            has_plan[seat], next_come[seat] = False, answer
            continue
        if comes is not None and comes > now:
            answer = comes  # they find that it is their turn
        next_come[seat] = None
        due = clock.deadline(now, pace, person.calendar(now)).due
        in_time = answer is not None and answer < due
        has_plan[seat] = in_time and lines > 0 and turn.planned
        misses[seat] = 0 if in_time else misses[seat] + 1
        now = min(answer or due, due)
    return (now - begin) / DAY


def table_of_days(games: Mapping[bool, list[list[Turn]]]) -> Table:
    """Days of games of four, for each pace. games: with lines that have “even so”, and without."""
    table = Table(
        "Days of a game of four", ("days per move", "plans", "median", "mean", "one in ten takes")
    )
    everybody = population(Random(1), YEARS)
    for pace in PACES:
        for lines, even_so in ((0, False), (1, False), (3, False), (3, True)):
            found = []
            for number, turns in enumerate(games[even_so] * TABLES):
                luck = Random(number)
                people = luck.sample(everybody, 4)
                begin = BEGIN + luck.random() * (YEARS - 1) * 365 * DAY
                found.append(days(turns, people, pace, begin, lines))
            found.sort()
            table.add(
                str(pace // DAY),
                _words(lines, even_so=even_so),
                f"{percentile(found, 0.5):.0f}",
                f"{sum(found) / len(found):.0f}",
                f"{percentile(found, 0.9):.0f} or more",
            )
    return table


def _words(lines: int, *, even_so: bool) -> str:
    return {0: "none", 1: "one line", 3: "three lines"}[lines] + ", even so" * even_so


def main() -> int:
    """Print both tables. The status is 1 if an aim was missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.plans", description=__doc__)
    parser.add_argument("--games", type=int, default=60, help="for each number of players")
    wanted = parser.parse_args().games
    table = Table(
        "Plans that fit", ("players", "plan", "turns", "one line", "aim", "three lines", "aim")
    )
    reached, of_four = True, dict[bool, list[list[Turn]]]()
    for seats, aims in AIMS.items():
        for even_so in (False, True):
            progress(f"{wanted} games of {seats}")
            games = [turns_of(number, seats, even_so=even_so) for number in range(wanted)]
            planned = [turn for game in games for turn in game if turn.planned]
            shares = [
                sum(turn.fits is not None and turn.fits < lines for turn in planned) / len(planned)
                for lines in (1, plans.MOST_LINES)
            ]
            wanted_here = aims if even_so else (0.0, 0.0)
            reached &= all(share >= aim for share, aim in zip(shares, wanted_here, strict=True))
            cells = [
                cell
                for share, aim in zip(shares, aims, strict=True)
                for cell in (f"{share:.0%}", f"{aim:.0%}" if even_so else "")
            ]
            words = "even so" if even_so else "exactly this"
            table.add(str(seats), words, f"{len(planned):,}", *cells)
            of_four[even_so] = games
    print(f"{table}\n\n{table_of_days(of_four)}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
