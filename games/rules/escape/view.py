"""The view of a state or an event for a seat or a spectator (None): the only exit for secrets.

Secret until the end: values of explorers (their owner knows them, under strict memory only during
the setup), backs of tiles, kept tiles, plans, standing answers, and what was answered to an attack.
"""

from msgspec.structs import replace

from . import model
from .board import acting


def view(state: model.State, seat: int | None) -> model.View:
    """The state as the seat may know it now; everything once the game is over."""
    board = state.board
    if isinstance(board.stage, model.OverStage):
        return model.View(seat, board, (), state.values, state.backs, state.kept)
    is_setup = board.is_setup
    knows_values = is_setup or not board.options.strict
    values = tuple(
        value or None if knows_values and explorer // model.EACH % board.seats == seat else None
        for explorer, value in enumerate(state.values)
    )
    secret = model.View(
        viewer=seat,
        board=board,
        to_act=acting(board),
        values=values,
        backs=(None,) * len(state.backs),
        kept=tuple(tiles if other == seat else None for other, tiles in enumerate(state.kept)),
    )
    if seat is None or not 0 <= seat < board.seats:
        return secret
    return replace(
        secret,
        standing=state.standing[seat],
        # What is left of a plan afterwards is of no use, and holds values to be remembered.
        plan=state.plans[seat] if is_setup else None,
        answer=dict(state.answers).get(seat),
    )


def visible(event: model.Event, seat: int | None) -> model.Event:
    """The event as the seat may read it in the log while the game lasts."""
    match event:
        case model.Prepared(tiles=tiles):
            return replace(event, tiles=tuple(model.Tile(tile.terrain) for tile in tiles))
        case model.Placed(seat=owner, strict=strict) if strict or owner != seat:
            return replace(event, value=None)
        case model.Planned(seat=owner, strict=strict) if strict or owner != seat:
            return replace(event, plan=None, values=())
        case model.Sank(seat=owner, kept=True) if owner != seat:
            return replace(event, back=None)
        case model.Ordered(seat=owner) if owner != seat:
            return replace(event, standing=None)
        case model.Answered(seat=owner) if owner != seat:
            return replace(event, defend=None, auto=False)
        case _:
            return event
