"""A plan for the next turn: which of its lines fits the table once the turn has come.

There are no rules here: `moves.simulate` says what a line does, and the conditions of the line are
compared with that.
"""

from msgspec.structs import replace

from ..errors import IllegalMove, TurnBegun
from ..text import Text, _, ngettext
from . import model, moves
from .move_context import MoveContext
from .names import cards_of, place

MOST_LINES = 3


def next_turn(view: model.View) -> model.View:
    """The table as if the viewer's next turn began now."""
    return view if view.viewer is None else replace(view, to_act=(view.viewer,), bought=False)


def left(view: model.View, plan: model.Plan) -> model.Planned:
    """The event of leaving this plan. IllegalMove with the reason where it makes no sense."""
    viewer = view.viewer
    assert viewer is not None, "only players plan"
    if plan.lines:
        check(view, plan)
    others = (player for player in view.players if player.seat != viewer)
    arrived = sum(player.figures.count(model.MAINLAND) for player in others)
    return model.Planned(viewer, plan.lines, arrived)


def check(view: model.View, plan: model.Plan) -> None:
    """IllegalMove for a plan that cannot be left now: each line must be possible on this board."""
    check_time(view)
    if len(plan.lines) > MOST_LINES:
        raise IllegalMove(_("A plan can have at most %(most)s lines.", most=MOST_LINES))
    for line in plan.lines:
        if line.spare is not None:  # it must be in the hand as well
            moves.check_hand(MoveContext(view), (*line.cards, line.spare))
        _move, event = trial(next_turn(view), line)
        if ends_game(view, event) and not line.ends:
            raise IllegalMove(
                _(
                    "This move would end the game. If the plan may do that, add “and end the "
                    "game” to the line."
                )
            )


def check_time(view: model.View) -> None:
    """IllegalMove where the seat that looks cannot plan now: on its turn there is only the move."""
    if view.outcome is not None:
        raise IllegalMove(_("The game is over."))
    if view.viewer is None:
        raise IllegalMove(_("Spectators cannot move."))
    if view.viewer in view.to_act:
        raise TurnBegun(
            _(
                "Your turn has begun, so there is nothing to plan. To play this now, send it as your move."
            )
        )


def exactly(view: model.View, move: model.Move, spare: model.Item | None = None) -> model.PlanLine:
    """The line for this move as it would be on this board: the same place, for no more, with a
    tile that is worth no less. IllegalMove where the move cannot be made.

    spare: for the case that somebody stands there by then.
    """
    line = model.PlanLine(move.figure, move.cards, 0, 0, spare=spare)
    _move, event = trial(next_turn(view), line)
    return replace(line, most=paid(event), least=taken(event), lands=event.via[len(move.cards) - 1])


def trial(view: model.View, line: model.PlanLine) -> tuple[model.Move, model.Moved]:
    """The move that this line is on this board, whatever its conditions, and what it does.

    IllegalMove where it cannot be made.
    """
    move = model.Move(line.figure, line.cards)
    try:
        price = moves.price_of(view, move)
    except IllegalMove:
        if line.spare is None:
            raise
        move = replace(move, cards=(*line.cards, line.spare))
        price = moves.price_of(view, move)
    move = moves.paid_cheapest(view, move, price)
    event = moves.simulate(view, move)
    assert isinstance(event, model.Moved), "a move was simulated"
    return move, event


def due(view: model.View) -> model.Move | None:
    """The move of the first line that fits, if it is the viewer's turn; None for none."""
    plan = view.plan
    if plan is None or view.viewer not in view.to_act:
        return None
    for line in plan.lines or ():
        if misfit(view, line, plan.arrived) is None:
            return replace(trial(view, line)[0], planned=True)
    return None


def unfit_orders(view: model.View) -> tuple[Text, ...]:
    """Why the lines of the viewer's plan do not fit now that its turn has come, up to the first one
    that does; () without a plan, and before the turn."""
    plan = view.plan
    if plan is None or view.viewer not in view.to_act:
        return ()
    found = []
    for number, line in enumerate(plan.lines or (), 1):
        if (reason := misfit(view, line, plan.arrived)) is None:
            break
        move = cards_of(line.figure, line.cards)
        found.append(
            _("Line %(number)s (%(move)s): %(reason)s", number=number, move=move, reason=reason)
        )
    return tuple(found)


def misfit(view: model.View, line: model.PlanLine, arrived: int) -> Text | None:
    """Why this line does not fit the table; None if it does. arrived: figures of the others on the
    mainland when the plan was left."""
    try:
        _move, event = trial(view, line)
    except IllegalMove as error:
        return error.text
    others = (player for player in view.players if player.seat != view.viewer)
    if not line.even_so and sum(p.figures.count(model.MAINLAND) for p in others) > arrived:
        return _("Another figure has reached the mainland since you made the plan.")
    lands = event.via[len(line.cards) - 1]
    if line.lands not in (None, lands):
        return _("It would now lead to %(place)s.", place=place(lands))
    if (cost := paid(event)) > line.most:
        return ngettext(
            "It would now cost %(count)s point, but the plan allows at most %(most)s.",
            "It would now cost %(count)s points, but the plan allows at most %(most)s.",
            cost,
            most=line.most,
        )
    if (value := taken(event)) < line.least:
        return _(
            "What it takes would now be worth %(value)s, but the plan asks for at least %(least)s.",
            value=value,
            least=line.least,
        )
    if ends_game(view, event) and not line.ends:
        return _("It would now end the game.")
    return None


def ends_game(view: model.View, event: model.Moved) -> bool:
    """Return whether this is the third arrival."""
    figures = view.players[event.seat].figures
    return MoveContext(view).arrivals(event.figure, event.via[-1]) == len(figures)


def paid(event: model.Moved) -> int:
    """All that is paid, what is paid too much included."""
    return sum(tile.value for tile in event.paid_tiles) + len(event.paid_cards)


def taken(event: model.Moved) -> int:
    """The value of the tile taken; 0 for none."""
    return 0 if event.taken is None else event.taken.value
