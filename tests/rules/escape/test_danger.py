"""Entering danger oneself."""

import pytest

from games.rules.escape.hexes import BY_NAME
from games.rules.escape.model import Creature, Harmed

from .scenes import Scene


@pytest.mark.parametrize("creature", ["shark", "serpent"])
def test_a_swimmer_that_its_owner_moves_onto_a_shark_or_serpent_is_removed(creature: str) -> None:
    scene = Scene(f"D5 U1 | C5 {creature}").play("U1 swim C5")
    assert scene.is_lost("U1")
    assert scene.at("C5") == creature
    assert scene.events[-1] == Harmed(Creature(creature), BY_NAME["C5"], lost=(0,))


@pytest.mark.parametrize(
    ("board", "target"), [("E5 beach U1 | D5 shark", "D5"), ("C5 shark ship U1", "C5")]
)
def test_jumping_to_a_shark_is_entering_danger_too(board: str, target: str) -> None:
    assert Scene(board).play(f"U1 swim {target}").is_lost("U1")


def test_a_whale_does_nothing_to_swimmers() -> None:
    scene = Scene("D5 U1 | C5 whale").play("U1 swim C5")
    assert scene.at("C5") == "U1 whale"


def test_an_occupied_ship_onto_a_whale_is_removed_and_its_people_swim() -> None:
    scene = Scene("D5 ship U1 V1 | C5 whale").play("sail D5 C5")
    assert scene.at("C5") == "U1 V1 whale"
    assert scene.state.board.gone[0] == 1
    assert scene.events[-1] == Harmed(Creature.WHALE, BY_NAME["C5"], ship=True, overboard=(0, 10))


def test_an_occupied_ship_onto_a_serpent_is_removed_with_its_people() -> None:
    scene = Scene("D5 ship U1 V1 | C5 serpent").play("sail D5 C5")
    assert scene.at("C5") == "serpent"
    assert scene.is_lost("U1")
    assert scene.is_lost("V1")


def test_thrown_into_the_water_beside_a_shark_they_are_removed() -> None:
    scene = Scene("D5 ship U1 V1 | C5 whale shark").play("sail D5 C5")
    assert scene.is_lost("U1")
    assert scene.is_lost("V1")
    assert scene.events[-1] == Harmed(Creature.WHALE, BY_NAME["C5"], ship=True, lost=(0, 10))


def test_a_ship_with_people_is_safe_from_sharks() -> None:
    assert Scene("D5 ship U1 | C5 shark").play("sail D5 C5").at("C5") == "shark ship U1"


@pytest.mark.parametrize("creature", ["serpent", "shark", "whale"])
def test_an_empty_ship_is_safe_from_creatures(creature: str) -> None:
    scene = Scene(f"D5 ship | C5 {creature}").play("sail D5 C5")
    assert scene.at("C5") == f"{creature} ship"


@pytest.mark.parametrize(
    "board", ["E5 beach U1 | D5 {} ship", "C5 ship U1 | D5 {} ship", "D5 U1 {} ship"]
)
def test_boarding_an_empty_ship_beside_a_whale_counts_as_sailing_into_it(board: str) -> None:
    scene = Scene(board.format("whale")).play("U1 ship D5")
    assert scene.at("D5") == "U1 whale"


def test_boarding_an_empty_ship_beside_a_serpent_is_the_end() -> None:
    scene = Scene("E5 beach U1 | D5 serpent ship").play("U1 ship D5")
    assert scene.is_lost("U1")
    assert scene.at("D5") == "serpent"


def test_boarding_an_empty_ship_beside_a_shark_is_harmless() -> None:
    scene = Scene("E5 beach U1 | D5 shark ship").play("U1 ship D5")
    assert scene.at("D5") == "shark ship U1"


def test_removed_pieces_never_return_to_the_supply() -> None:
    scene = Scene("D5 ship U1 | C5 whale")
    before = scene.state.board.supply
    assert scene.play("sail D5 C5").state.board.supply == before
