"""The rules of Atlantis: setup and deciding moves.

`decide` asks `moves.simulate` (the rules of a turn) what the command does and adds what only
the table knows: the cards drawn, the end and its scores.
"""

from collections.abc import Iterable, Iterator, Mapping

from ..contract import Chance, Outcome
from ..errors import IllegalMove
from ..text import _
from . import model, moves, path, plans
from .box import CARDS, FIRST_HANDS, HALF_A, HALF_B, INDEX, lay_path
from .coins import hand_over, settle, tiles_worth
from .evolve import evolve as evolve
from .evolve import fold as fold
from .view import view as view
from .view import visible as visible

# -- setup -----------------------------------------------------------------------------


def setup(options: Mapping[str, str], seats: int, chance: Chance) -> tuple[model.Event, ...]:
    """The table is laid and the first hands are dealt (Setup).

    Chance shuffles the seats (also when they stay as seated), half A, half B and the cards, in
    this order.
    """
    drawn = chance.shuffle(range(seats))
    order = drawn if options["order"] == "random" else tuple(range(seats))
    laid = lay_path(chance.shuffle(HALF_A), chance.shuffle(HALF_B))
    deck = chance.shuffle(CARDS)

    hands: dict[int, model.Cards] = {}
    dealt = 0
    for seat, count in zip(order, FIRST_HANDS, strict=False):
        hands[seat] = tuple(sorted(deck[dealt : dealt + count], key=INDEX.__getitem__))
        dealt += count
    return (
        model.Prepared(order, laid, tuple(map(len, laid)), deck),
        model.Dealt(
            tuple(hands[seat] for seat in range(seats)),
            tuple(len(hands[seat]) for seat in range(seats)),
        ),
    )


# -- decide ----------------------------------------------------------------------------


def initial() -> model.State:
    """The empty table."""
    return model.State()


def is_reversible(events: Iterable[model.Event]) -> bool:
    """Return False: every move ends with drawn cards, so none can be taken back."""
    return False


def to_act(state: model.State) -> tuple[int, ...]:
    """The seat whose turn it is; nobody before the deal and after the end."""
    return () if state.active is None else (state.active,)


def decide(
    state: model.State, seat: int, command: model.Command, chance: Chance
) -> tuple[model.Event, ...]:
    """The events that the command leads to; IllegalMove if the rules forbid it."""
    if isinstance(command, model.Plan):
        return (plans.left(view(state, seat), command),)
    if isinstance(command, model.Move) and command.planned and command != due_command(state, seat):
        raise IllegalMove(_("There is no such plan."))
    first = moves.simulate(view(state, seat), command)
    events: list[model.Event] = [first]
    state = evolve(state, first)
    draws = moves.draws(first, state.figures[seat])
    ends_turn = not isinstance(first, model.Bought)
    for event in _draw(state, seat, draws, ends_turn=ends_turn, chance=chance):
        events.append(event)
        state = evolve(state, event)
    if state.active is None:
        events.extend(_final(state, seat))
    return tuple(events)


def _draw(
    state: model.State, seat: int, count: int, *, ends_turn: bool, chance: Chance
) -> Iterator[model.Event]:
    """Cards from the deck; when it runs out on the way, the shuffled discards go on.

    When both are empty, what there is; a turn always ends with a Drew, if need be of no card.
    """
    drawn = state.deck[:count]
    rest = count - len(drawn)
    if rest and state.discards:
        if drawn:
            yield model.Drew(seat, len(drawn), drawn, ends_turn=False)
        deck = chance.shuffle(state.discards)
        yield model.Reshuffled(len(deck), deck)
        drawn = deck[:rest]
    if drawn or ends_turn:
        yield model.Drew(seat, len(drawn), drawn, ends_turn)


def _final(state: model.State, ender: int) -> Iterator[model.Event]:
    """The final movement of everybody else in turn order, and the scores (End)."""
    tops = path.tops_of_stacks(state.path)
    gaps = path.find_gaps(tops, state.bridges)
    first = state.order.index(ender) + 1
    debts = [0] * len(state.order)
    for seat in (state.order[first:] + state.order[:first])[:-1]:
        crossings = tuple(
            tuple(gap.price for gap in path.crossed(gaps, at, model.MAINLAND) if not gap.bridged)
            for at in state.figures[seat]
        )
        owed = sum(map(sum, crossings))
        hand = state.hands[seat]
        values, cards = settle(owed, state.tiles[seat], sum(hand))
        debts[seat] = max(0, owed - sum(values) - cards)
        paid = tiles_worth(values, state.tiles[seat]) or ()
        event = model.Settled(seat, crossings, owed, paid, hand_over(cards, hand), debts[seat])
        yield event
        state = evolve(state, event)

    end = Outcome.highest(
        tuple(
            sum(tile.value for tile in tiles) + sum(hand) - debt
            for tiles, hand, debt in zip(state.tiles, state.hands, debts, strict=True)
        )
    )
    yield model.Ended(end.scores, end.winners)


def command_of(event: model.Event) -> tuple[int, model.Command] | None:
    """(seat, command) for the first event of a move, None for all others."""
    match event:
        case model.Bought(seat, tile):
            return seat, model.Buy(tile.value)
        case model.Passed(seat):
            return seat, model.Pass()
        case model.Moved(seat, figure, cards):
            return seat, model.Move(
                figure,
                cards,
                tuple(tile.value for tile in event.paid_tiles),
                event.paid_cards,
                event.bridge_before,
                event.bridge_after,
                event.planned,
            )
        case model.Planned(seat, lines) if lines is not None:
            return seat, model.Plan(lines)
        case _:
            return None


def recorded_chance(events: Iterable[model.Event]) -> tuple[tuple[object, ...], ...]:
    """Return the results of the shuffles in the events of a setup or of one move."""
    given: list[tuple[object, ...]] = []
    for event in events:
        if isinstance(event, model.Prepared):
            tiles = [tile for stack in event.path for tile in stack]
            given += [event.order, (*tiles[: len(HALF_A)],), (*tiles[len(HALF_A) :],), event.deck]
        elif isinstance(event, model.Reshuffled):
            given.append(event.cards or ())
    return tuple(given)


def outcome(state: model.State) -> Outcome | None:
    """The scores and winners once the game is over."""
    return state.outcome


def points(state: model.State) -> tuple[int, ...]:
    """Return per seat the points of its tiles and cards, without what it will owe in the final
    movement; the scores once the game is over."""
    if state.outcome is not None:
        return state.outcome.scores
    return tuple(
        sum(tile.value for tile in tiles) + sum(hand)
        for tiles, hand in zip(state.tiles, state.hands, strict=True)
    )


def check_options(options: Mapping[str, str], seats: int) -> None:
    """All options go together."""


def turn_number(state: model.State) -> int:
    """Return the number of turns begun: a turn may be a purchase and a move."""
    return state.turn


def is_order(command: model.Command) -> bool:
    """Return whether the command is a plan, which its seat alone knows of."""
    return isinstance(command, model.Plan)


def due_command(state: model.State, seat: int) -> model.Move | None:
    """Return the first line of the seat's plan that fits, if it is the seat's turn."""
    return plans.due(view(state, seat))


def standing_orders(
    state: model.State, seat: int
) -> tuple[tuple[model.Command, model.Command], ...]:
    """Return the plan of this seat, with what withdraws it."""
    plan = state.plans[seat] if state.plans else None
    return () if plan is None else ((model.Plan(plan.lines or ()), model.Plan()),)


def question(view: model.View) -> None:
    """Return None: a seat is only ever asked for its turn."""


def legal_commands(state: model.State, seat: int) -> Iterator[model.TurnCommand]:
    """Every command of a turn of this seat; see `moves.legal_moves`."""
    return moves.legal_moves(view(state, seat))
