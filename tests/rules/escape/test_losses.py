"""What an email says first: what others took from its reader."""

import pytest

from games.rules.escape import ESCAPE

from .scenes import WATER, Scene, attack


def lost(scene: Scene, reader: int = 2) -> list[str]:
    """What this seat (from 1) reads about the events of the scene."""
    events = [ESCAPE.rules.visible(event, reader - 1) for event in scene.events]
    return [str(text) for text in ESCAPE.presentation.losses(scene.view(reader), events)]


def test_an_explorer_that_a_creature_took_is_named_with_its_value() -> None:
    scene = attack(WATER)
    first = lost(scene)[0]
    assert first.startswith("You lost V1")
    assert ", worth " in first and "V2, worth " in first
    assert lost(scene, reader=1) == []


def test_a_ship_that_a_whale_sank_is_lost_and_its_crew_swims() -> None:
    scene = Scene("B3 ship V1 | A3 whale", dice="whale").play("sink J7").play("whale A3 B3")
    assert lost(scene)[0] == "You lost your ship at B3. In the water: V1."


def test_a_tile_that_another_player_sank_under_an_explorer() -> None:
    scene = Scene("E5 beach V1").play("sink E5")
    assert "The tile under you at E5 sank. In the water: V1." in lost(scene)
    assert lost(scene, reader=1) == []


@pytest.mark.parametrize(("creature", "place"), [("shark", "C4"), ("serpent", "C5")])
def test_a_swimmer_that_a_creature_can_reach_is_in_danger(creature: str, place: str) -> None:
    near = f"In danger: V1 (D5). Within reach: {_words(creature)}."
    assert lost(Scene(f"D5 V1 | {place} {creature}")) == [near]
    assert lost(Scene(f"D5 V1 | J2 {creature}")) == []
    assert lost(Scene(f"D5 ship V1 | {place} {creature}")) == []


def _words(creature: str) -> str:
    return "sea serpent" if creature == "serpent" else creature


def test_a_defence_that_a_standing_order_spent() -> None:
    scene = attack(f"{WATER} | kept 2 shark-defence | standing 2 shark 1")
    assert lost(scene)[0] == "You spent your tile against the shark at A4."
