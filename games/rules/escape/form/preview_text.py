"""What a command will do, in sentences for the preview, and its warnings."""

from collections.abc import Iterator

from ...text import Text, _, ngettext
from .. import model
from ..board import owner
from ..creatures import affected, check_steer, harm_on
from ..event_text import standing_sentence
from ..hexes import NAMES
from ..names import CREATURES, TERRAIN_NAMES, explorer_name, explorer_names
from ..simulation import Known, after, simulate
from ..steps import legal_steps
from .pieces import step_label
from .placing import PRESETS


def lines(view: model.View, command: model.Command) -> Iterator[Text]:
    """What the command does, as far as the player can know; the command is legal."""
    match command:
        case model.Place(value=value, hex=hex_):
            yield _(
                "You place an explorer worth %(value)s on %(hex)s (%(terrain)s).",
                value=value,
                hex=NAMES[hex_],
                terrain=TERRAIN_NAMES[view.board.map[hex_]],
            )
        case model.Launch(hex=hex_):
            yield _("You place a ship on %(hex)s.", hex=NAMES[hex_])
        case model.Plan():
            yield from _plan(command)
        case model.Standing():
            yield standing_sentence(command)
        case model.Turn():
            yield from _turn(view, command)
        case model.Crew(explorers=explorers):
            yield _("Boarding the new ship: %(explorers)s.", explorers=explorer_names(explorers))
        case model.Steer():
            yield from _steer(view, command)
        case model.Defend():
            yield from _defend(view, command)


def warnings(view: model.View, command: model.Command) -> Iterator[Text]:
    """What is dangerous, or probably not meant."""
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
    board = view.board
    for event in simulation.events:
        yield happening(board, event)
        board = after(board, event)
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


def happening(board: model.Board, event: Known) -> Text:
    """A part of a turn that is about to happen."""
    match event:
        case model.Stepped(step=step):
            return _("Planned step: %(step)s.", step=step_label(board, step))
        case model.Harmed():
            return _harm(event)
        case model.Played(tile=tile, start=start, way=way):
            to = NAMES[way[-1]]
            if tile is model.Back.DOLPHIN:
                who = explorer_name(start)
                return _("The dolphin carries %(explorer)s to %(hex)s.", explorer=who, hex=to)
            if tile is model.Back.WIND:
                ship = NAMES[start]
                return _("The wind moves the ship on %(start)s to %(hex)s.", start=ship, hex=to)
            return _creature_moves(model.MOVES[tile], start, way[-1])


def _creature_moves(creature: model.Creature, start: int, to: int) -> Text:
    return _(
        "The %(creature)s moves from %(start)s to %(hex)s.",
        creature=CREATURES[creature],
        start=NAMES[start],
        hex=NAMES[to],
    )


def _harm(event: model.Harmed) -> Text:
    words: dict[str, str | Text] = {
        "creature": CREATURES[event.creature],
        "hex": NAMES[event.hex],
        "explorers": explorer_names(event.overboard or event.lost),
    }
    if not event.ship:
        return _("The %(creature)s at %(hex)s attacks. Lost: %(explorers)s.", **words)
    if event.overboard:
        return _(
            "The %(creature)s destroys the ship at %(hex)s. In the water: %(explorers)s.", **words
        )
    return _("The %(creature)s destroys the ship at %(hex)s. Lost: %(explorers)s.", **words)


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


def _steer(view: model.View, steer: model.Steer) -> Iterator[Text]:
    board, creature = view.board, view.board.rolled
    assert creature is not None, "the die was rolled"
    if steer.start is None:
        yield _("You do not move a %(creature)s.", creature=CREATURES[creature])
        return
    way = check_steer(board, steer)
    yield _creature_moves(creature, steer.start, way[-1])
    harm = harm_on(board, creature, way[-1])
    if harm is None:
        yield _("Nobody is hurt.")
        return
    yield _harm(harm)
    if any(board.held[seat] for seat in affected(board, creature, way[-1], board.active or 0)):
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
            "Unless a player before you defends, you spend the tile and the %(creature)s at "
            "%(hex)s leaves the game. Nobody is hurt.",
            creature=CREATURES[creature],
            hex=NAMES[site],
        )
        return
    yield _("You do not defend. Unless another player does:")
    harm = harm_on(board, creature, site)
    if harm is not None:
        yield _harm(harm)
