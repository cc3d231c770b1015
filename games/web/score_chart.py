"""The points of a finished game over time, as a drawing: one line per seat."""

from dataclasses import dataclass

from games.selectors import Statistics

WIDTH, HEIGHT = 600, 220
LEFT, RIGHT, TOP, BOTTOM = 34, 8, 10, 30  # margins
TICKS = 5


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
