"""The view of a state or an event for a seat or a spectator: the only exit for secrets.

Secret are the hands and plans of others, the order of the deck and covered tiles; all else is
public.
When the game is over, the hands are open.
"""

from msgspec.structs import replace

from . import model, path
from .box import INDEX
from .coins import cards_of

WATER = model.Space(None, 0)


def view(state: model.State, viewer: int | None) -> model.View:
    """The table as `viewer` (a seat, None for spectators) sees it."""
    tops = path.tops_of_stacks(state.path)
    over = state.outcome is not None
    return model.View(
        viewer=viewer,
        order=state.order,
        to_act=() if state.active is None else (state.active,),
        turn=state.turn,
        bought=state.bought,
        path=tuple(
            [model.Space(stack[-1], len(stack)) if stack else WATER for stack in state.path]
        ),
        gaps=path.find_gaps(tops, state.bridges),
        players=tuple(
            model.Player(
                seat=seat,
                figures=state.figures[seat],
                tiles=state.tiles[seat],
                cards=sum(hand),
                hand=cards_of(hand) if over or seat == viewer else None,
                bridge=state.unbuilt[seat],
            )
            for seat, hand in enumerate(state.hands)
        ),
        deck=len(state.deck),
        discards=tuple(sorted(state.discards, key=INDEX.__getitem__)),
        outcome=state.outcome,
        settled=state.settled,
        plan=state.plans[viewer] if viewer is not None and viewer < len(state.plans) else None,
    )


def visible(event: model.Event, viewer: int | None) -> model.Event:
    """The event as `viewer` may read it. A hand shown on a pass was seen by everyone."""
    match event:
        case model.Prepared():
            return replace(event, path=tuple(stack[-1:] for stack in event.path), deck=())
        case model.Dealt(hands):
            shown = tuple(hand if seat == viewer else None for seat, hand in enumerate(hands))
            return replace(event, hands=shown)
        case model.Drew(seat) if seat != viewer:
            return replace(event, cards=None)
        case model.Planned(seat) if seat != viewer:
            return replace(event, lines=None, arrived=0)
        case model.Reshuffled():
            return replace(event, cards=None)
        case _:
            return event
