"""Boards of emails, drawn in this process: new ones, and the same again."""

import hashlib
from functools import partial
from itertools import islice
from statistics import mean, median
from time import thread_time

from games.pictures import compositor
from games.pictures.compositor import PIXELS, PIXELS_WITH_DETAILS
from games.rules import GAMES
from games.rules.contract import AnyGame
from games.rules.drawing import Box, Drawing
from tests.pictures.boards import boards

from .report import Table, ms, progress, timed

BOARDS = 60  # of each game; the first half warms the sprites up
MOVES = {"atlantis": (6, 16), "escape": (40, 70)}  # made before a board is drawn


def bench() -> Table:
    """Boards of games with luck of their own, in the size of emails, and the parts of them that
    emails enlarge."""
    table = Table(
        f"Boards from the middle of games, {BOARDS // 2} of each game, processor time",
        (
            "game",
            "a new board (median, most)",
            "sprites drawn for one",
            "with all sprites (median)",
            "bytes (mean, most)",
        ),
    )
    for kind, engine in sorted(GAMES.items()):
        progress(f"boards of {kind}")
        low, high = MOVES[kind]
        found = [_drawing(engine, n, low + n * 7 % (high - low)) for n in range(BOARDS)]
        board = _row(table, kind, [partial(draw, one, PIXELS, ()) for one, _parts in found])
        if any(parts for _one, parts in found):
            emails = [partial(draw, one, PIXELS_WITH_DETAILS, parts) for one, parts in found]
            both = _row(table, f"{kind}, with the parts that emails enlarge", emails)
            what = f"a new board of {kind} with its enlarged parts against the board alone"
            table.aim(what, both / board, most=2, write="{:.2f}".format)
    return table


def draw(drawing: Drawing, pixels: int, parts: tuple[Box, ...]) -> int:
    """Draw the pictures of an email; their bytes."""
    return sum(map(len, compositor.render_pngs(drawing, pixels, parts)))


def _row(table: Table, name: str, emails: list[partial[int]]) -> float:
    """Add the figures of these pictures; the median of new ones."""
    for email in emails[: BOARDS // 2]:
        email()
    new = emails[BOARDS // 2 :]
    before = compositor.sprites.misses
    times = [timed(email, thread_time) for email in new]
    drawn = (compositor.sprites.misses - before) / len(new)
    again = [timed(email, thread_time) for email in new]
    sizes = [email() for email in new]
    table.add(
        name,
        f"{ms(median(times))}, {ms(max(times))}",
        f"{drawn:.1f}",
        ms(median(again)),
        f"{mean(sizes):,.0f}, {max(sizes):,}",
    )
    return median(times)


def _drawing(engine: AnyGame, number: int, moves: int) -> tuple[Drawing, tuple[Box, ...]]:
    """Return the drawing for the player who is asked after this number of moves of bots, and the
    parts of it that emails enlarge."""
    seats = engine.seats[number % len(engine.seats)]
    luck = hashlib.sha256(f"board {engine.key} {number}".encode()).digest()
    *_before, (view, drawing) = islice(boards(engine.key, seats, luck), moves + 1)
    return drawing, engine.presentation.details(view)
