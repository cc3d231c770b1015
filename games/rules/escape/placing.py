"""The setup: explorers and ships on the board, by command, by plan, or because nothing else is
left."""

from collections.abc import Iterator, Sequence

from ..errors import IllegalMove
from ..text import _
from . import model
from .board import INLAND, at, own, to_launch, to_place
from .event_builder import EventBuilder
from .hexes import ISLE_DISTANCE, LAND, NEAR, distance
from .names import place_name

HIGH = 3  # from this value on an explorer counts as high for a preset
MOST_WISHES = 80


def values_left(values: Sequence[int | None], colour: int) -> tuple[int, ...]:
    """The values a colour has in hand, highest first; `values` are its owner's."""
    left = list(model.VALUES)
    for value in values[colour * model.EACH : colour * model.EACH + model.EACH]:
        if value:
            left.remove(value)
    return tuple(left)


def is_free_tile(board: model.Board, hex_: int) -> bool:
    """Return whether an explorer may be placed on this tile (Setup, step 2; challenge 1)."""
    if board.map[hex_] == model.SEA:
        return False
    room = 2 if board.options.overpopulated and hex_ in INLAND else 1
    return board.where.count(hex_) < room


def free_tiles(board: model.Board) -> tuple[int, ...]:
    return tuple(hex_ for hex_ in LAND if is_free_tile(board, hex_))


def may_launch(board: model.Board, hex_: int) -> bool:
    """Return whether a ship may be placed here: sea that touches terrain, no ship, no serpent."""
    return (
        board.map[hex_] == model.SEA
        and hex_ not in board.ships
        and hex_ not in board.serpents
        and any(board.map[near] != model.SEA for near in NEAR[hex_])
    )


def harbours(board: model.Board) -> tuple[int, ...]:
    """The sea hexes where a ship may be placed."""
    return tuple(hex_ for hex_ in range(len(board.map)) if may_launch(board, hex_))


def legal_places(board: model.Board, values: Sequence[int | None]) -> Iterator[model.Place]:
    """Every value on every free tile; `values` are those of the seat whose turn it is."""
    colour = to_place(board)
    if colour is not None:
        tiles = free_tiles(board)
        for value in sorted(set(values_left(values, colour)), reverse=True):
            for tile in tiles:
                yield model.Place(value, tile)


def legal_launches(board: model.Board) -> Iterator[model.Launch]:
    """A ship in every harbour, once all explorers are on the island."""
    if to_launch(board) is not None:
        for hex_ in harbours(board):
            yield model.Launch(hex_)


def placing_colour(board: model.Board) -> int:
    """The colour that places the next explorer; IllegalMove when all stand."""
    colour = to_place(board)
    if colour is None:
        raise IllegalMove(_("All explorers are already on the island."))
    return colour


def launching_colour(board: model.Board) -> int:
    """The colour that places the next ship; IllegalMove while no ship may be placed."""
    colour = to_launch(board)
    if colour is None:
        raise IllegalMove(_("You can place ships once all explorers are on the island."))
    return colour


def check_place(board: model.Board, values: Sequence[int | None], command: model.Place) -> None:
    """IllegalMove with the reason where this may not be placed; `values` are the seat's own."""
    if command.value not in values_left(values, placing_colour(board)):
        raise IllegalMove(_("You have no explorer worth %(value)s left.", value=command.value))
    if command.hex not in LAND:
        raise IllegalMove(_("%(hex)s is a sea hex.", hex=place_name(command.hex)))
    if not is_free_tile(board, command.hex):
        raise IllegalMove(
            _("%(hex)s is occupied. Choose an empty tile.", hex=place_name(command.hex))
        )


def check_launch(board: model.Board, command: model.Launch) -> None:
    """IllegalMove with the reason where no ship may be placed here now."""
    launching_colour(board)
    if not 0 <= command.hex < len(board.map) or not may_launch(board, command.hex):
        raise IllegalMove(
            _(
                "You cannot place a ship at %(hex)s. Choose a sea hex next to land with no ship or "
                "serpent.",
                hex=place_name(command.hex),
            )
        )


def check_planning(board: model.Board) -> None:
    """IllegalMove where there is nothing to plan."""
    if not board.is_setup:
        raise IllegalMove(_("The setup is over, so there is nothing left to plan."))


def check_plan(board: model.Board, command: model.Plan) -> None:
    """IllegalMove with the reason where a plan makes no sense. The stage is checked before."""
    if len(command.wishes) > MOST_WISHES or len(command.ships) > MOST_WISHES:
        raise IllegalMove(_("A plan can have at most %(most)s wishes.", most=MOST_WISHES))
    for wish in command.wishes:
        if wish.value not in model.VALUES:
            raise IllegalMove(_("No explorer is worth %(value)s.", value=wish.value))
        if wish.hex not in LAND:
            raise IllegalMove(_("%(hex)s is a sea hex.", hex=place_name(wish.hex)))
    for hex_ in command.ships:
        if hex_ in LAND or not 0 <= hex_ < len(board.map):
            raise IllegalMove(_("%(hex)s is not a sea hex.", hex=place_name(hex_)))


def place(builder: EventBuilder, seat: int, command: model.Place) -> None:
    colour = placing_colour(builder.board)
    _put(builder, seat, colour, command.value, command.hex, auto=False)


def launch(builder: EventBuilder, seat: int, command: model.Launch) -> None:
    builder.add(model.Launched(seat, launching_colour(builder.board), command.hex))


def plan(builder: EventBuilder, seat: int, command: model.Plan) -> None:
    """Keep a seat's plan. A preset places values in random order: otherwise the order of the
    names would reveal the values.
    """
    values = builder.chance.shuffle(model.VALUES) if command.preset else ()
    builder.add(model.Planned(seat, command, values, strict=builder.board.options.strict))


def proceed(builder: EventBuilder) -> bool:
    """Place what a plan says or what is forced; False where somebody must be asked, or all is
    done."""
    board, state = builder.board, builder.state
    colour = to_place(board)
    if colour is not None:
        seat = colour % board.seats
        chosen = _planned_place(builder, state.plans[seat], colour)
        if chosen is None:
            options = list(legal_places(board, state.values))
            chosen = options[0] if len(options) == 1 else None
        if chosen is not None:
            _put(builder, seat, colour, chosen.value, chosen.hex, auto=True)
        return chosen is not None
    colour = to_launch(board)
    if colour is None:
        return False
    seat = colour % board.seats
    hex_ = _planned_ship(board, state.plans[seat], seat)
    if hex_ is not None:
        builder.add(model.Launched(seat, colour, hex_, auto=True))
    return hex_ is not None


def next_explorer(board: model.Board, colour: int) -> int:
    """The explorer of this colour that is placed next."""
    first = colour * model.EACH
    return board.where.index(model.IN_HAND, first, first + model.EACH)


def _put(
    builder: EventBuilder, seat: int, colour: int, value: int, hex_: int, *, auto: bool
) -> None:
    explorer = next_explorer(builder.board, colour)
    strict = builder.board.options.strict
    builder.add(model.Placed(seat, explorer, hex_, value, auto=auto, strict=strict))


def _planned_place(
    builder: EventBuilder, plan: model.Plan | None, colour: int
) -> model.Place | None:
    """The first wish that is legal now, else what the preset says, else None."""
    if plan is None:
        return None
    board, left = builder.board, values_left(builder.state.values, colour)
    for wish in plan.wishes:
        if wish.value in left and is_free_tile(board, wish.hex):
            return model.Place(wish.value, wish.hex)
    if plan.preset is None:
        return None
    seat = colour % board.seats
    value = next(value for value in builder.state.shuffled[seat] if value in left)
    return model.Place(value, best_tile(board, seat, plan.preset, value))


def best_tile(board: model.Board, seat: int, preset: model.Preset, value: int) -> int:
    """The free tile that a preset gives to an explorer of this value."""
    mine = [place for explorer in own(board, seat) if (place := board.where[explorer]) >= 0]

    def crowd(hex_: int) -> int:
        return -min((distance(hex_, other) for other in mine), default=0)

    def coast(hex_: int) -> tuple[int, ...]:
        return (hex_ in INLAND, ISLE_DISTANCE[hex_], crowd(hex_), hex_)

    def inland(hex_: int) -> tuple[int, ...]:
        return (hex_ not in INLAND, -ISLE_DISTANCE[hex_], crowd(hex_), hex_)

    def spread(hex_: int) -> tuple[int, ...]:
        return (crowd(hex_), ISLE_DISTANCE[hex_], hex_)

    if preset is model.Preset.SPREAD:
        return min(free_tiles(board), key=spread)
    outside = (preset is model.Preset.COAST) == (value >= HIGH)
    return min(free_tiles(board), key=coast if outside else inland)


def _planned_ship(board: model.Board, plan: model.Plan | None, seat: int) -> int | None:
    if plan is None:
        return None
    for hex_ in plan.ships:
        if may_launch(board, hex_):
            return hex_
    return None if plan.preset is None else best_harbour(board, seat)


def best_harbour(board: model.Board, seat: int) -> int:
    """The harbour that most own explorers can reach at once, among equals the nearest to an
    isle."""

    def worth(hex_: int) -> tuple[int, ...]:
        near = sum(
            explorer // model.EACH % board.seats == seat
            for tile in NEAR[hex_]
            if board.map[tile] != model.SEA
            for explorer in at(board, tile)
        )
        return (near, -ISLE_DISTANCE[hex_], -hex_)

    return max(harbours(board), key=worth)
