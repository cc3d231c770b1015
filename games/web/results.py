"""The results of a game on its page: how it ended, the final scores, chart and figures."""

from dataclasses import dataclass
from typing import Any

from games import selectors
from games.selectors import Statistics, TablePage
from games.translate import say

WIDTH, HEIGHT = 600, 220
LEFT, RIGHT, TOP, BOTTOM = 34, 8, 10, 30  # margins
TICKS = 5


def ending(page: TablePage) -> str:
    """Return how the game ended, if there are several ways; else ""."""
    text = page.engine.presentation.ending(page.view) if page.game.scores is not None else None
    return say(text, page.names) if text is not None else ""


def settlement(page: TablePage) -> list[dict[str, Any]]:
    """The final scoring per seat; empty before the end."""
    if not page.game.is_over or page.game.scores is None:
        return []
    winners = page.game.winners or ()
    return [
        {
            "number": seat,
            "name": page.names[seat],
            "score": page.game.scores[seat],
            "won": seat in winners,
            "texts": [say(text, page.names) for text in texts],
        }
        for seat, texts in page.engine.presentation.settlement(page.view)
    ]


def statistics(page: TablePage) -> dict[str, Any]:
    """The chart and the figures of a finished game; {} before."""
    found = selectors.statistics(page.game)
    if found is None:
        return {}
    return {
        "chart": score_chart(found),
        "statistics": found,
        "biggest": [(move, f"{move.change:+d}".replace("-", "−")) for move in found.biggest],
    }


@dataclass(frozen=True)
class ChartLine:
    """points: for <polyline>; x, y: its end."""

    seat: int
    points: str
    x: float
    y: float


@dataclass(frozen=True)
class Tick:
    value: int
    at: float  # along the axis


@dataclass(frozen=True)
class ScoreChart:
    """All coordinates are in the viewbox, 0 0 WIDTH HEIGHT."""

    lines: tuple[ChartLine, ...]
    values: tuple[Tick, ...]
    moves: tuple[Tick, ...]
    viewbox: str = f"0 0 {WIDTH} {HEIGHT}"
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM


def score_chart(statistics: Statistics) -> ScoreChart:
    """The chart of these statistics."""
    rows = [standing.points for standing in statistics.standings]
    low, high = min(0, *(min(row) for row in rows)), max(1, *(max(row) for row in rows))
    last = max(1, len(rows) - 1)

    def x(number: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * number / last, 1)

    def y(value: int) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low), 1)

    lines = []
    for seat in range(len(rows[0])):
        found = [(x(number), y(row[seat])) for number, row in enumerate(rows)]
        lines.append(ChartLine(seat, " ".join(f"{a},{b}" for a, b in found), *found[-1]))
    return ScoreChart(
        tuple(lines),
        tuple(Tick(value, y(value)) for value in _ticks(low, high)),
        tuple(Tick(number, x(number)) for number in _ticks(0, last)),
    )


def _ticks(low: int, high: int) -> list[int]:
    """Round numbers from low to high, about TICKS of them."""
    steps = [factor * 10**power for power in range(6) for factor in (1, 2, 5)]
    step = next(step for step in steps if (high - low) / step <= TICKS)
    return list(range(-(-low // step) * step, high + 1, step))
