"""The forms of the setup: an explorer, a ship, or a plan for all of it."""

from __future__ import annotations

from collections import Counter

from ...asking import Asker
from ...engine import Option, Text, _, ngettext
from ..board import to_place
from ..hexes import LAND, NAMES
from ..marks import hex_mark
from ..model import (
    EACH,
    IN_HAND,
    SEA,
    VALUES,
    Board,
    Launch,
    Place,
    Plan,
    Preset,
    View,
    Wish,
)
from ..placing import free_tiles, harbours, values_left
from ..words import COLOURS, TERRAIN_NAMES

NO_MORE = "none"
SHIPS_EACH = 2

PRESETS: dict[Preset, Text] = {
    Preset.COAST: _("High values on the coast"),
    Preset.INLAND: _("High values inland"),
    Preset.SPREAD: _("Far from each other"),
}


def place(asker: Asker, view: View) -> Place:
    """An explorer of a value on a free tile."""
    board = view.board
    colour = to_place(board)
    assert colour is not None, "there are explorers to place"
    left = Counter(values_left(view.values, colour))
    value = asker.one(
        "value",
        _("Which of your explorers do you place? (%(colour)s)", colour=COLOURS[colour]),
        [
            Option(
                str(value),
                _("worth %(value)s", value=value),
                ngettext("%(count)s left", "%(count)s left", left[value]),
            )
            for value in sorted(left, reverse=True)
        ],
        misfit=_("You have no such explorer left."),
    )
    return Place(
        int(value), _hex(asker, "hex", _("Where?"), tile_options(board, free_tiles(board)))
    )


def launch(asker: Asker, view: View) -> Launch:
    """A ship on a free sea hex that touches land."""
    options = sea_options(harbours(view.board))
    return Launch(_hex(asker, "hex", _("Where do you place a ship?"), options))


def _hex(asker: Asker, name: str, prompt: Text, options: list[Option]) -> int:
    chosen = asker.one(name, prompt, options, misfit=_("That place is taken. Choose another."))
    return NAMES.index(chosen)


def tile_options(board: Board, tiles: tuple[int, ...]) -> list[Option]:
    return [
        Option(
            NAMES[hex_],
            _("%(hex)s", hex=NAMES[hex_]),
            TERRAIN_NAMES[board.map[hex_]],
            mark=hex_mark(hex_),
        )
        for hex_ in tiles
    ]


def sea_options(hexes: tuple[int, ...]) -> list[Option]:
    return [
        Option(NAMES[hex_], _("%(hex)s", hex=NAMES[hex_]), mark=hex_mark(hex_)) for hex_ in hexes
    ]


# -- the plan --------------------------------------------------------------------------------


def plan(asker: Asker, view: View) -> Plan:
    """A plan: wishes one after another, ships, and what to do with the rest.

    The plan that is in force is filled in until the player has sent the form back.
    """
    seat = view.viewer
    assert seat is not None, "only who plays plans"
    old = None if asker.given("preset") else view.plan
    preset = asker.one(
        "preset",
        _("What shall happen with what you do not wish for?"),
        [
            *(Option(preset.value, label) for preset, label in PRESETS.items()),
            Option(NO_MORE, _("Ask me")),
        ],
        default=(old.preset.value if old and old.preset else NO_MORE) if old else None,
        note=_("“Place the rest for me”: choose one of the first three and wish for nothing."),
    )
    wishes = _wishes(asker, view, seat, old)
    ships = _ships(asker, view, old)
    return Plan(wishes, ships, None if preset == NO_MORE else Preset(preset))


def _wishes(asker: Asker, view: View, seat: int, old: Plan | None) -> tuple[Wish, ...]:
    board = view.board
    left: list[int] = []
    for colour in range(seat, board.colours, board.seats):
        if IN_HAND in board.where[colour * EACH : colour * EACH + EACH]:
            left.extend(values_left(view.values, colour))
    wishes: list[Wish] = []
    taken: set[int] = set()
    before = list(old.wishes) if old else []
    while left:
        number = len(wishes) + 1
        wish = before[number - 1] if number <= len(before) else None
        value = asker.one(
            f"wish{number}",
            _("Wish %(number)s: an explorer worth", number=number),
            [
                Option(NO_MORE, _("no more wishes")),
                *(
                    Option(str(value), _("%(value)s", value=value))
                    for value in sorted(set(left), reverse=True)
                ),
            ],
            default=str(wish.value) if wish and wish.value in left else NO_MORE,
        )
        if value == NO_MORE:
            break
        hex_ = _hex_of_wish(asker, view, number, taken, wish)
        taken.add(hex_)
        left.remove(int(value))
        wishes.append(Wish(int(value), hex_))
    assert all(wish.value in VALUES for wish in wishes)
    return tuple(wishes)


def _hex_of_wish(asker: Asker, view: View, number: int, taken: set[int], wish: Wish | None) -> int:
    board = view.board
    free = tuple(hex_ for hex_ in free_tiles(board) if hex_ not in taken)
    default = NAMES[wish.hex] if wish and wish.hex in free else None
    chosen = asker.one(f"wish{number}_hex", _("on"), tile_options(board, free), default=default)
    return NAMES.index(chosen)


def _ships(asker: Asker, view: View, old: Plan | None) -> tuple[int, ...]:
    board = view.board
    open_sea = tuple(
        hex_ for hex_ in harbours(board) if hex_ not in LAND and board.map[hex_] == SEA
    )
    ships: list[int] = []
    before = list(old.ships) if old else []
    for number in range(1, SHIPS_EACH * (board.colours // board.seats) + 1):
        free = tuple(hex_ for hex_ in open_sea if hex_ not in ships)
        known = before[number - 1] if number <= len(before) else None
        chosen = asker.one(
            f"ship{number}",
            _("Ship %(number)s", number=number),
            [Option(NO_MORE, _("no wish")), *sea_options(free)],
            default=NAMES[known] if known in free and known is not None else NO_MORE,
        )
        if chosen == NO_MORE:
            break
        ships.append(NAMES.index(chosen))
    return tuple(ships)
