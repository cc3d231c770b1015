"""The forms of the setup: an explorer, a ship, or a plan for all of it."""

from collections import Counter

from ...move_form import Choice, FormBuilder
from ...text import Text, _, literal, ngettext
from .. import model
from ..hexes import LAND, NAMES
from ..names import COLOURS, TERRAIN_NAMES, hex_id
from ..placing import free_tiles, harbours, placing_colour, values_left

NO_MORE = "none"
SHIPS_EACH = 2

PRESETS: dict[model.Preset, Text] = {
    model.Preset.COAST: _("High values on the coast"),
    model.Preset.INLAND: _("High values inland"),
    model.Preset.SPREAD: _("Spread out"),
}


def place(builder: FormBuilder[model.View], view: model.View) -> model.Place:
    """An explorer of a value on a free tile."""
    board = view.board
    colour = placing_colour(board)
    left = Counter(values_left(view.values, colour))
    value = builder.one(
        "value",
        _("Which of your %(colour)s explorers do you want to place?", colour=COLOURS[colour]),
        [
            Choice(
                str(value),
                _("worth %(value)s", value=value),
                ngettext("%(count)s left", "%(count)s left", left[value]),
            )
            for value in sorted(left, reverse=True)
        ],
        default=str(max(left)),  # so that a click on a tile is enough
        invalid_message=_("You have no explorer of that value left."),
    )
    return model.Place(
        int(value),
        _hex(builder, "hex", _("On which tile?"), tile_choices(board, free_tiles(board))),
    )


def launch(builder: FormBuilder[model.View], view: model.View) -> model.Launch:
    """A ship on a free sea hex that touches land."""
    choices = sea_choices(harbours(view.board))
    return model.Launch(_hex(builder, "hex", _("Where do you want to place a ship?"), choices))


def _hex(builder: FormBuilder[model.View], name: str, prompt: Text, choices: list[Choice]) -> int:
    chosen = builder.one(
        name, prompt, choices, invalid_message=_("That hex is taken. Choose another one.")
    )
    return NAMES.index(chosen)


def tile_choices(board: model.Board, tiles: tuple[int, ...]) -> list[Choice]:
    return [
        Choice(
            NAMES[hex_],
            literal(NAMES[hex_]),
            TERRAIN_NAMES[board.map[hex_]],
            element_id=hex_id(hex_),
        )
        for hex_ in tiles
    ]


def sea_choices(hexes: tuple[int, ...]) -> list[Choice]:
    return [Choice(NAMES[hex_], literal(NAMES[hex_]), element_id=hex_id(hex_)) for hex_ in hexes]


# -- the plan --------------------------------------------------------------------------------


def plan(builder: FormBuilder[model.View], view: model.View) -> model.Plan:
    """A plan: wishes one after another, ships, and what to do with the rest.

    The plan that is in force is filled in until the player has sent the form back.
    """
    builder.together = True
    old = None if builder.given("preset") else view.plan
    preset = builder.one(
        "preset",
        _("How should we place the rest?"),
        [
            *(Choice(preset.value, label) for preset, label in PRESETS.items()),
            Choice(NO_MORE, _("Ask me")),
        ],
        default=(old.preset.value if old and old.preset else NO_MORE) if old else None,
        help_text=_(
            "To have everything placed for you, pick one of the first three and enter no wishes."
        ),
    )
    wishes = _wishes(builder, view, view.seat, old)
    ships = _ships(builder, view, old)
    return model.Plan(wishes, ships, None if preset == NO_MORE else model.Preset(preset))


def _wishes(
    builder: FormBuilder[model.View], view: model.View, seat: int, old: model.Plan | None
) -> tuple[model.Wish, ...]:
    board = view.board
    left: list[int] = []
    for colour in range(seat, board.colours, board.seats):
        if model.IN_HAND in board.where[colour * model.EACH : colour * model.EACH + model.EACH]:
            left.extend(values_left(view.values, colour))
    wishes: list[model.Wish] = []
    taken: set[int] = set()
    before = list(old.wishes) if old else []
    while left:
        number = len(wishes) + 1
        wish = before[number - 1] if number <= len(before) else None
        value = builder.one(
            f"wish{number}",
            _("Wish %(number)s: explorer value", number=number),
            [
                Choice(NO_MORE, _("No more wishes")),
                *(
                    Choice(str(value), literal(str(value)))
                    for value in sorted(set(left), reverse=True)
                ),
            ],
            default=str(wish.value) if wish and wish.value in left else NO_MORE,
        )
        if value == NO_MORE:
            break
        hex_ = _hex_of_wish(builder, view, number, taken, wish)
        taken.add(hex_)
        left.remove(int(value))
        wishes.append(model.Wish(int(value), hex_))
    assert all(wish.value in model.VALUES for wish in wishes)
    return tuple(wishes)


def _hex_of_wish(
    builder: FormBuilder[model.View],
    view: model.View,
    number: int,
    taken: set[int],
    wish: model.Wish | None,
) -> int:
    board = view.board
    free = tuple(hex_ for hex_ in free_tiles(board) if hex_ not in taken)
    default = NAMES[wish.hex] if wish and wish.hex in free else None
    chosen = builder.one(f"wish{number}_hex", _("Tile"), tile_choices(board, free), default=default)
    return NAMES.index(chosen)


def _ships(
    builder: FormBuilder[model.View], view: model.View, old: model.Plan | None
) -> tuple[int, ...]:
    board = view.board
    open_sea = tuple(
        hex_ for hex_ in harbours(board) if hex_ not in LAND and board.map[hex_] == model.SEA
    )
    ships: list[int] = []
    before = list(old.ships) if old else []
    for number in range(1, SHIPS_EACH * (board.colours // board.seats) + 1):
        free = tuple(hex_ for hex_ in open_sea if hex_ not in ships)
        known = before[number - 1] if number <= len(before) else None
        chosen = builder.one(
            f"ship{number}",
            _("Ship %(number)s", number=number),
            [Choice(NO_MORE, _("No wish")), *sea_choices(free)],
            default=NAMES[known] if known in free and known is not None else NO_MORE,
        )
        if chosen == NO_MORE:
            break
        ships.append(NAMES.index(chosen))
    return tuple(ships)
