"""The preview of a command in sentences, and its warnings."""

from collections.abc import Iterable, Iterator

from ...text import Text, _, ngettext
from .. import model
from ..board import owner, to_launch, to_place
from ..creatures import affected, check_steer, harm_on
from ..event_text import sentences, standing_sentence
from ..hexes import NAMES
from ..names import TERRAIN_NAMES, THE_CREATURE, explorer_names
from ..placing import next_explorer
from ..simulation import simulate
from ..steps import legal_steps
from .placing import PRESETS


def lines(view: model.View, command: model.Command) -> Iterator[Text]:
    """Yield the effects of a legal command, as far as the player can know them.

    Certain effects have the words of the log.
    """
    assert view.viewer is not None, "somebody gives the command"
    match command:
        case model.Plan():
            yield from _plan(command)
        case model.Standing():
            yield standing_sentence(command)
        case model.Turn():
            yield from _turn(view, command)
        case model.Defend():
            yield from _defend(view, command)
        case _:
            yield from _log(_events(view, view.viewer, command))
    if isinstance(command, model.Steer) and command.start is not None:
        yield from _attack(view, command)


def _events(
    view: model.View, seat: int, command: model.Place | model.Launch | model.Crew | model.Steer
) -> Iterator[model.Event]:
    """Yield the events of the command itself, without its consequences."""
    board = view.board
    match command:
        case model.Place(value=value, hex=hex_):
            colour = to_place(board)
            assert colour is not None, "there are explorers to place"
            yield model.Placed(seat, next_explorer(board, colour), hex_, value)
        case model.Launch(hex=hex_):
            yield model.Launched(seat, to_launch(board) or 0, hex_)
        case model.Crew(explorers=explorers):
            yield model.Boarded(seat, tuple(sorted(explorers)))
        case model.Steer(start=start):
            assert board.rolled is not None, "the die was rolled"
            way = () if start is None else check_steer(board, command)
            yield model.Steered(seat, board.rolled, start, way)


def _log(events: Iterable[model.Event]) -> Iterator[Text]:
    yield from filter(None, sentences(tuple(events)))


def warnings(view: model.View, command: model.Command) -> Iterator[Text]:
    """Yield warnings about dangers and probable mistakes."""
    match command:
        case model.Turn():
            yield from _turn_warnings(view, command)
        case model.Steer() if command != model.Steer():
            yield from _steer_warnings(view, command)
        case _:
            return


def _plan(plan: model.Plan) -> Iterator[Text]:
    if not (plan.wishes or plan.ships or plan.preset):
        yield _("Your plan is deleted. You will be asked on your turns.")
        return
    for wish in plan.wishes:
        yield _(
            "On your turn: an explorer worth %(value)s on %(hex)s.",
            value=wish.value,
            hex=NAMES[wish.hex],
        )
    for hex_ in plan.ships:
        yield _("On your turn: a ship on %(hex)s.", hex=NAMES[hex_])
    if plan.preset is None:
        yield _("After that, you will be asked.")
    else:
        yield _("The rest is placed for you: %(preset)s.", preset=PRESETS[plan.preset])


# -- a turn ----------------------------------------------------------------------------------


def _turn(view: model.View, orders: model.Turn) -> Iterator[Text]:
    simulation = simulate(view, orders)
    yield from _log(simulation.events)
    if simulation.ended:
        yield _("Then nobody is left on the board and the game ends.")
    elif orders.sink is not None:
        yield _(
            "%(hex)s (%(terrain)s) sinks, and you see what is on its back.",
            hex=NAMES[orders.sink],
            terrain=TERRAIN_NAMES[view.board.map[orders.sink]],
        )
        if simulation.spilled:
            yield _(
                "Into the water there: %(explorers)s.", explorers=explorer_names(simulation.spilled)
            )
        yield _("Then the die is rolled.")
    elif orders.roll:
        yield _("There are no tiles left to sink, so the die is rolled.")
    else:
        yield _("Your turn continues.")


def _turn_warnings(view: model.View, orders: model.Turn) -> Iterator[Text]:
    simulation = simulate(view, orders)
    board, seat = simulation.board, view.viewer
    hurt = sorted(
        who
        for event in simulation.events
        if isinstance(event, model.Harmed)
        for who in (*event.lost, *event.overboard)
        if owner(board, who) == seat
    )
    if hurt:
        yield _(
            "This puts your own explorers in danger: %(explorers)s.", explorers=explorer_names(hurt)
        )
    ends = orders.sink is not None or orders.roll
    if not ends or simulation.ended or seat is None:
        return
    own_spilled = [who for who in simulation.spilled if owner(board, who) == seat]
    if own_spilled:
        yield _(
            "Your own explorers are on the tile you sink: %(explorers)s.",
            explorers=explorer_names(own_spilled),
        )
    left = model.STEPS - board.steps
    before = (
        simulate(view, model.Turn(orders.play, orders.steps)).board if orders.steps else view.board
    )
    if left and next(legal_steps(before, seat), None) is not None:
        yield ngettext("You have %(count)s step left.", "You have %(count)s steps left.", left)


# -- a creature, a defence ---------------------------------------------------------------------


def _attack(view: model.View, steer: model.Steer) -> Iterator[Text]:
    """Yield the effects of the creature at the end of its move."""
    board, creature = view.board, view.board.rolled
    assert creature is not None and steer.to is not None, "a creature moves"
    harm = harm_on(board, creature, steer.to)
    if harm is None:
        yield _("Nobody is hurt.")
        return
    yield from _log((harm,))
    if any(board.held[seat] for seat in affected(board, creature, steer.to, board.active or 0)):
        yield _(
            "Players whose explorers are attacked can defend first if they have face-down tiles."
        )


def _steer_warnings(view: model.View, steer: model.Steer) -> Iterator[Text]:
    board, creature = view.board, view.board.rolled
    if creature is None or steer.to is None:
        return
    harm = harm_on(board, creature, steer.to)
    hurt = [] if harm is None else [*harm.lost, *harm.overboard]
    own_hurt = [who for who in hurt if owner(board, who) == view.viewer]
    if own_hurt:
        yield _(
            "This attack hits your own explorers: %(explorers)s.",
            explorers=explorer_names(own_hurt),
        )


def _defend(view: model.View, command: model.Defend) -> Iterator[Text]:
    board = view.board
    creature, site = board.rolled, board.site
    assert creature is not None and site is not None, "somebody is attacked"
    if command.defend:
        yield _(
            "Unless a player before you defends, you spend the tile and %(creature)s at "
            "%(hex)s leaves the game. Nobody is hurt.",
            creature=THE_CREATURE[creature],
            hex=NAMES[site],
        )
        return
    yield _("You are not defending. If nobody else does:")
    harm = harm_on(board, creature, site)
    if harm is not None:
        yield from _log((harm,))
