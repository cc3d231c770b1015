"""The board of Escape from Atlantis!: 133 hexes, what touches what, and the names people give them.

A hex is a number 0 … 132, row by row from the top, in each row from the left. Rows and columns
are those of the printed board (pointy-top hexes, even rows shifted half a hex to the right).
People write a hex as the letter of its row and its place in the row, "A3" … "M9"; the centre is
"G6". Pure geometry: nothing here knows a piece or a rule.
"""

from collections.abc import Callable, Collection

# First and last column of each row.
SPANS = (
    (2, 8),
    (1, 10),
    (0, 10),
    (1, 10),
    (0, 10),
    (0, 11),
    (0, 10),
    (0, 11),
    (0, 10),
    (1, 10),
    (0, 10),
    (1, 10),
    (2, 8),
)
ISLAND_SPANS = {3: (4, 7), 4: (3, 7), 5: (2, 9), 6: (2, 8), 7: (2, 9), 8: (3, 7), 9: (4, 7)}

HEXES: tuple[tuple[int, int], ...] = tuple(
    (row, col) for row, (first, last) in enumerate(SPANS) for col in range(first, last + 1)
)
INDEX: dict[tuple[int, int], int] = {place: number for number, place in enumerate(HEXES)}
CENTRE = INDEX[6, 5]


def doubled(hex_: int) -> tuple[int, int]:
    """(x, y) with the centre at (0, 0); neighbours are (±2, 0) and (±1, ±1) away."""
    row, col = HEXES[hex_]
    return 2 * col + (row % 2 == 0) - 11, row - 6


_BY_DOUBLED = {doubled(hex_): hex_ for hex_ in range(len(HEXES))}


_AROUND = ((-1, -1), (1, -1), (-2, 0), (2, 0), (-1, 1), (1, 1))

NEAR: tuple[tuple[int, ...], ...] = tuple(
    tuple(
        _BY_DOUBLED[x + right, y + down]
        for right, down in _AROUND
        if (x + right, y + down) in _BY_DOUBLED
    )
    for x, y in map(doubled, range(len(HEXES)))
)

LAND: tuple[int, ...] = tuple(
    INDEX[row, col]
    for row, (first, last) in ISLAND_SPANS.items()
    for col in range(first, last + 1)
    if (row, col) != (6, 5)
)
LAND_INDEX: dict[int, int] = {hex_: number for number, hex_ in enumerate(LAND)}

# The isles at the corners of the board, and the two sea hexes that touch each of them.
ISLES = ("NW", "NE", "SW", "SE")
ISLE_SHORES: tuple[tuple[int, int], ...] = (
    (INDEX[1, 1], INDEX[2, 0]),
    (INDEX[1, 10], INDEX[2, 10]),
    (INDEX[10, 0], INDEX[11, 1]),
    (INDEX[10, 10], INDEX[11, 10]),
)
ISLE_AT: dict[int, int] = {hex_: isle for isle, shores in enumerate(ISLE_SHORES) for hex_ in shores}
SERPENT_LAIRS: tuple[int, ...] = (INDEX[1, 1], INDEX[2, 10], CENTRE, INDEX[10, 0], INDEX[11, 10])


def distance(one: int, other: int) -> int:
    """Steps from one hex to the other as a bird flies."""
    (x0, y0), (x1, y1) = doubled(one), doubled(other)
    dx, dy = abs(x0 - x1), abs(y0 - y1)
    return dy + max(0, (dx - dy) // 2)


# The distance of each hex from the nearest isle: 0 for a hex that touches one.
ISLE_DISTANCE: tuple[int, ...] = tuple(
    min(distance(hex_, shore) for shore in ISLE_AT) for hex_ in range(len(HEXES))
)


# -- names ---------------------------------------------------------------------------------

ROW_LETTERS = "ABCDEFGHIJKLM"

# The notation of each hex: "G6" is the centre.
NAMES: tuple[str, ...] = tuple(f"{ROW_LETTERS[row]}{col + 1}" for row, col in HEXES)
BY_NAME: dict[str, int] = {text: hex_ for hex_, text in enumerate(NAMES)}


# -- walks ---------------------------------------------------------------------------------


def walks(
    start: int, most: int, enter: Callable[[int], bool], stops: Collection[int] = ()
) -> dict[int, tuple[int, ...]]:
    """All ends of walks of 1 … `most` hexes, each with its shortest way (its end included).

    enter: whether a hex may be entered at all. stops: hexes where a walk must end. The start
    itself is no end.
    """
    found: dict[int, tuple[int, ...]] = {}
    edge: list[tuple[int, tuple[int, ...]]] = [(start, ())]
    for _ in range(most):
        further: list[tuple[int, tuple[int, ...]]] = []
        for hex_, way in edge:
            for next_ in NEAR[hex_]:
                if next_ != start and next_ not in found and enter(next_):
                    found[next_] = longer = (*way, next_)
                    if next_ not in stops:
                        further.append((next_, longer))
        edge = further
    return found
