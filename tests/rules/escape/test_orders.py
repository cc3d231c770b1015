"""Orders in advance and steps taken back, as the service asks the rules about them."""

import pytest

from games.rules.errors import IllegalMove
from games.rules.escape import ESCAPE, model, notation, rules
from games.rules.escape.hexes import LAND
from tests.rules.escape.scenes import WATER, attack

from .scenes import Dice, Scene
from .table import Table

TILE = LAND[0]


def leave(scene: Scene, seat: int, at_least: int | None) -> None:
    """The seat leaves a standing answer to sharks, by itself and without what follows from it."""
    order = model.Standing(model.Creature.SHARK, at_least)
    (event, *_rest) = rules.decide(scene.state, seat, order, scene.dice)
    scene.state = rules.evolve(scene.state, event)


@pytest.mark.parametrize(
    ("at_least", "answer"), [(0, False), (1, True), (2, True), (3, False), (None, None)]
)
def test_a_standing_answer_is_due_while_the_seat_is_asked(
    at_least: int | None, answer: bool | None
) -> None:
    scene = attack(f"{WATER} | kept 2 shark-defence")
    leave(scene, 0, 1)
    leave(scene, 1, at_least)
    assert rules.due_command(scene.state, 1) == (None if answer is None else model.Defend(answer))
    assert rules.due_command(scene.state, 0) is None, "nobody asks the active player"


def test_no_answer_is_due_outside_an_attack() -> None:
    scene = Scene(f"{WATER} | kept 2 shark-defence")
    leave(scene, 1, 1)
    assert rules.due_command(scene.state, 1) is None


def test_without_the_tile_nothing_is_defended() -> None:
    scene = attack(f"{WATER} | kept 2 whale-defence")
    leave(scene, 1, 1)
    assert rules.due_command(scene.state, 1) == model.Defend(False)


def test_plans_and_standing_answers_are_orders_in_advance() -> None:
    assert rules.is_order(model.Plan())
    assert rules.is_order(model.Standing(model.Creature.WHALE, 1))
    for command in (
        model.Place(1, 40),
        model.Turn(roll=True),
        model.Crew((1, 2, 3)),
        model.Steer(),
        model.Defend(True),
    ):
        assert not rules.is_order(command)


@pytest.mark.parametrize("least", [-1, 21])
def test_a_standing_answer_names_a_possible_number(least: int) -> None:
    scene = Scene(WATER)
    with pytest.raises(IllegalMove):
        rules.decide(scene.state, 1, model.Standing(model.Creature.SHARK, least), scene.dice)
    for fits in (0, 20):
        rules.decide(scene.state, 1, model.Standing(model.Creature.SHARK, fits), scene.dice)


def test_a_placement_can_be_taken_back() -> None:
    table = Table()
    first = rules.decide(table.state, 0, model.Place(6, TILE), table.dice)
    assert rules.is_reversible(first)


def test_a_ship_that_was_placed_by_hand_can_be_taken_back() -> None:
    table = Table().place_all()
    command = next(rules.legal_commands(table.state, 0))
    assert isinstance(command, model.Launch)
    assert rules.is_reversible(rules.decide(table.state, 0, command, table.dice))


def test_what_a_plan_placed_cannot_be_taken_back() -> None:
    table = Table()
    table.state = rules.evolve(
        table.state,
        rules.decide(table.state, 1, model.Plan(preset=model.Preset.COAST), table.dice)[0],
    )
    assert not rules.is_reversible(rules.decide(table.state, 0, model.Place(6, TILE), table.dice))


def test_steps_can_be_taken_back_unless_they_meet_something() -> None:
    calm = Scene("A4 ship U1 | A3 shark | E5 beach | E6 beach | J7 beach")
    swim = model.Turn(steps=(model.Step(model.Verb.SWIM, 0, calm.state.board.ships[0]),))
    assert rules.is_reversible(rules.decide(calm.state, 0, swim, calm.dice))
    met = Scene("A4 ship U1 | A4 shark | E5 beach | E6 beach | J7 beach")
    assert not rules.is_reversible(rules.decide(met.state, 0, swim, met.dice))


def test_a_turn_that_rolled_the_die_cannot_be_taken_back() -> None:
    scene = Scene(WATER)
    tile = next(hex_ for hex_, letter in enumerate(scene.state.board.map) if letter != "~")
    assert not rules.is_reversible(rules.decide(scene.state, 0, model.Turn(sink=tile), scene.dice))


def test_a_plan_has_eighty_wishes_and_ships_at_most() -> None:
    table = Table()
    wishes, ships = (model.Wish(1, TILE),) * 80, (0,) * 80
    rules.decide(table.state, 1, model.Plan(wishes, ships), table.dice)
    for plan in (model.Plan((*wishes, model.Wish(1, TILE))), model.Plan((), (*ships, 0))):
        with pytest.raises(IllegalMove):
            rules.decide(table.state, 1, plan, table.dice)


@pytest.mark.parametrize("hex_", [-1, 133, 999, TILE])
def test_a_plan_puts_ships_on_sea_hexes(hex_: int) -> None:
    table = Table()
    with pytest.raises(IllegalMove):
        rules.decide(table.state, 1, model.Plan((), (hex_,)), table.dice)
    rules.decide(table.state, 1, model.Plan((), (0, 132)), table.dice)


# -- records -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "dice", "lines", "luck"),
    [
        ("E5 beach U1", "whale", ["sink J7"], (model.FACES.index(model.Creature.WHALE),)),
        ("D5 U1 | kept 1 dolphin", "whale", ["dolphin U1 C5"], ()),
        ("A3 shark | A4 V1", "shark", ["sink J7", "shark A3 A4"], ()),
        ("A3 shark | A4 V1", "shark", ["sink J7", "stay"], ()),
        (f"{WATER} | kept 2 shark-defence", "shark", ["sink J7", "shark A3 A4", "defend"], ()),
        (f"{WATER} | kept 2 shark-defence", "shark", ["sink J7", "shark A3 A4", "allow"], ()),
        (
            "J7 beach=ship U1 U2 V1 V2",
            "shark",
            ["sink J7", "crew U1 U2 V1"],
            (model.FACES.index(model.Creature.SHARK),),
        ),
    ],
)
def test_the_command_and_its_luck_can_be_read_off_the_events(
    text: str, dice: str, lines: list[str], luck: tuple[int, ...]
) -> None:
    scene = Scene(text, dice=dice)
    for line in lines[:-1]:
        scene.play(line)
    seat = scene.asked[0] - 1
    command = notation.parse(lines[-1], scene.view(seat + 1))
    first, *others = rules.decide(scene.state, seat, command, scene.dice)
    assert rules.command_of(first) == (seat, command)
    assert [rules.command_of(event) for event in others] == [None] * len(others)
    assert rules.recorded_chance((first, *others)) == luck


def test_the_luck_of_a_setup_is_the_order_and_the_tiles() -> None:
    for order in ("random", "seated"):
        (prepared,) = ESCAPE.setup({"order": order}, 3, Dice())
        assert isinstance(prepared, model.Prepared)
        seats = (prepared.order,) if order == "random" else ()
        assert rules.recorded_chance((prepared,)) == (*seats, prepared.tiles)
