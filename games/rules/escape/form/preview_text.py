"""The preview of a command in sentences, and its warnings."""

from collections.abc import Iterable, Iterator

from ...text import Text, _, ngettext
from .. import model
from ..board import owner
from ..creatures import affected, check_steer, harm_on, on_the_die
from ..event_text import sentences, standing_sentence
from ..hexes import NAMES
from ..names import TERRAIN_NAMES, THE_CREATURE, explorer_names
from ..placing import launching_colour, next_explorer, placing_colour
from ..simulation import simulate
from ..steps import legal_steps
from .placing import PRESETS


def lines(view: model.View, command: model.Command) -> Iterator[Text]:
    """Yield the effects of a legal command, as far as the player can know them.

    Certain effects have the words of the log.
    """
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
            yield from _log(_events(view, view.seat, command))
    if isinstance(command, model.Steer) and command.to is not None:
        yield from _attack(view, command.to)


def _events(
    view: model.View, seat: int, command: model.Place | model.Launch | model.Crew | model.Steer
) -> Iterator[model.Event]:
    """Yield the events of the command itself, without its consequences."""
    board = view.board
    match command:
        case model.Place(value=value, hex=hex_):
            yield model.Placed(seat, next_explorer(board, placing_colour(board)), hex_, value)
        case model.Launch(hex=hex_):
            yield model.Launched(seat, launching_colour(board), hex_)
        case model.Crew(explorers=explorers):
            yield model.Boarded(seat, tuple(sorted(explorers)))
        case model.Steer(start=start):
            way = () if start is None else check_steer(board, command)
            yield model.Steered(seat, on_the_die(board), start, way)


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


def _attack(view: model.View, to: int) -> Iterator[Text]:
    """Yield the effects of the creature on the hex that it moves to."""
    board, creature = view.board, on_the_die(view.board)
    harm = harm_on(board, creature, to)
    if harm is None:
        yield _("Nobody is hurt.")
        return
    yield from _log((harm,))
    if any(board.held[seat] for seat in affected(board, creature, to, view.seat)):
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
    attack = view.board.stage
    if not isinstance(attack, model.DefenceStage):
        return
    if command.defend:
        yield _(
            "Unless a player before you defends, you spend the tile and %(creature)s at "
            "%(hex)s leaves the game. Nobody is hurt.",
            creature=THE_CREATURE[attack.creature],
            hex=NAMES[attack.site],
        )
        return
    yield _("You are not defending. If nobody else does:")
    harm = harm_on(view.board, attack.creature, attack.site)
    if harm is not None:
        yield from _log((harm,))
