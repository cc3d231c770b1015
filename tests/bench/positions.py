"""Fixed positions: how fast all ways to play on are counted (perft), and the ends of a movement.

The counts of perft are those that the tests of the rules know: a bench that counts otherwise has
measured something else, and stops.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import NamedTuple

from games.rules import GAMES
from games.rules.chance import IdentityChance, SeededChance, bot_chance
from games.rules.contract import State
from games.rules.escape import ESCAPE
from tests.rules.escape.movement_results import results
from tests.rules.perft import PARSERS, perft

from .report import Table, ms, progress, timed

MANY = 10_000
FULLEST = "40 tiles, all explorers on them, two colours a seat"


class Known(NamedTuple):
    """A position as text and how many sequences of three commands lead on from it."""

    game: str
    name: str
    position: str
    ways: int


KNOWN = (
    Known(
        "atlantis",
        "three seats with four cards each",
        "f1 o1 h1 a1 . f2 o2 h2 a2 | *0/1/2 foha r6 b | 3/4/6 ffoo c2 | 7/8/9 hhaa s3 b"
        " | deck fohafohafoha",
        33020,
    ),
    Known(
        "escape",
        "a whale beside the last beach",
        "E5 beach=whale U1 | E6 beach=ship V1 | D5 ship | B2 serpent",
        1191,
    ),
    Known(
        "escape",
        "two mountains, ships, kept tiles",
        "E5 mountain=volcano U1 U2 | E6 mountain=whirlpool V1 | D5 ship U3 | F4 ship V2 | C5 whale"
        " | A3 shark | A4 V3 | B8 U4 | kept 1 dolphin wind | kept 2 shark-defence",
        41253,
    ),
)


def bench() -> Table:
    """Each once: the longest takes some seconds."""
    table = Table("Positions", ("game", "position", "what", "count", "time", "per second"))
    for known in KNOWN:
        progress(f"perft {known.game}: {known.name}")
        state = PARSERS[known.game](known.position)
        count = _add(table, known, "perft 3", partial(perft, GAMES[known.game], state, 3))
        if count != known.ways:
            raise SystemExit(f"perft counts {count:,} where the rules know {known.ways:,}")
    progress("the fullest board of escape")
    state = fullest()
    seat, board = ESCAPE.rules.to_act(state)[0], state.board
    place = Known("escape", FULLEST, "", 0)
    some = partial(_count, lambda: islice(results(board, seat), MANY))
    _add(table, place, "the first results of a movement", some)
    _add(table, place, "all results of a movement", partial(_count, lambda: results(board, seat)))
    view = ESCAPE.rules.view(state, seat)
    took = timed(lambda: ESCAPE.bot.choose(view, IdentityChance()))
    table.add(place.game, place.name, "the bot's decision", "1", ms(took), f"{1 / took:,.0f}")
    return table


def fullest() -> State:
    """The first turn of a game of two, each with two colours: nothing has sunk yet."""
    luck = bytes(32)
    options = ESCAPE.check_options({"colours": "two"}, 2)
    log = list(ESCAPE.setup(options, 2, SeededChance(luck, 1)))
    state = ESCAPE.fold(log)
    while state.board.stage != "turn":
        seat = ESCAPE.rules.to_act(state)[0]
        chance = bot_chance(luck, seat, len(log) + 1)
        command = ESCAPE.bot.choose(ESCAPE.rules.view(state, seat), chance)
        events = ESCAPE.rules.decide(state, seat, command, SeededChance(luck, len(log) + 1))
        log += events
        state = ESCAPE.fold(events, state)
    return state


def _count(ways: Callable[[], Iterator[object]]) -> int:
    return sum(1 for _way in ways())


def _add(table: Table, known: Known, what: str, action: Callable[[], int]) -> int:
    """A row about this count; the count."""
    counts: list[int] = []
    took = timed(lambda: counts.append(action()))
    words = (f"{counts[0]:,}", ms(took), f"{counts[0] / took:,.0f}")
    table.add(known.game, known.name, what, *words)
    return counts[0]
