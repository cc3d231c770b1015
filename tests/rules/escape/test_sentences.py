"""Every event has a true sentence, or none on purpose."""

import pytest

from games.rules.escape import ESCAPE
from games.rules.escape.model import (
    Answered,
    Began,
    Creature,
    Event,
    Ordered,
    Planned,
    Rolled,
    Turned,
)
from tests.support.lengths import by_length

from .games import sensible, wandering
from .scenes import Scene
from .table import Table

SILENT = (Began, Turned)


def story(scene: Scene, reader: int | None = 0) -> list[str]:
    """The sentences of a scene as this seat (0-based) reads them."""
    said = ESCAPE.presentation.sentences(
        [ESCAPE.rules.visible(event, reader) for event in scene.events]
    )
    return [str(sentence) for sentence in said if sentence is not None]


@pytest.mark.long
@pytest.mark.parametrize("seats", by_length([3], [2, 3, 4]))
def test_every_event_of_whole_games_has_a_sentence(seats: int) -> None:
    for game in (wandering, sensible):
        for moment in game(seats, 3, {"ending": "last"}):
            for event in moment.events:
                for reader in (*range(seats), None):
                    sentence = ESCAPE.presentation.sentence(ESCAPE.rules.visible(event, reader))
                    if isinstance(event, SILENT):
                        assert sentence is None
                    elif not isinstance(event, Answered):
                        assert sentence is not None
                        assert str(sentence).endswith((".", ":"))
                        assert "%(" not in str(sentence)


def test_a_turn_is_described_step_by_step() -> None:
    scene = Scene("E5 beach=whirlpool V1 | E6 beach U1 | D5 ship U2 | D6 shark", dice="shark")
    scene.play("sail D5 C5, U1 swim D6, sink E5")
    assert story(scene) == [
        "seat 1 sailed the ship at D5 to C5.",
        "U1 swam from E6 to D6.",
        "At D6, the shark attacked. Lost: U1.",
        "E5 (beach) sank. On its back: whirlpool.",
        "The whirlpool at E5 pulled down: V1 and 1 shark.",
        "The die showed a shark.",
    ]


def test_a_step_that_begins_a_turn_names_the_player() -> None:
    for line, first in (
        ("U2 swim D5", "seat 1: U2 jumped into the water at D5."),
        ("U1 E5", "seat 1 moved U1 from E6 to E5."),
        ("sink E5", "seat 1 sank E5 (beach). On its back: whirlpool."),
    ):
        scene = Scene("E5 beach=whirlpool V1 | E6 beach U1 | D5 ship U2 | D6 shark").play(line)
        assert story(scene)[0] == first


def test_others_who_act_in_between_are_named_and_then_the_player_again() -> None:
    events: list[Event] = [
        Rolled(0, Creature.SHARK),
        Answered(1, defend=False),
        Rolled(0, Creature.WHALE),
    ]
    assert [str(text) for text in ESCAPE.presentation.sentences(events)] == [
        "seat 1 rolled a shark.",
        "seat 2 chose not to defend.",
        "seat 1 rolled a whale.",
    ]


def test_all_read_of_an_attack_and_its_giver_alone_of_an_answer() -> None:
    scene = Scene("A3 whale | A4 ship V1 | kept 2 whale-defence", dice="whale")
    scene.play("sink J7").play("whale A3 A4").play("defend")
    common = [
        "seat 1 moved a whale from A3 to A4.",
        "The whale attacked the ship at A4. Asked to respond: seat 2.",
    ]
    left = "the whale at A4 left the game and nobody was hurt."
    assert story(scene, 0)[2:] == [*common, f"seat 2 defended: {left}"]
    assert story(scene, 1)[2:] == [
        *common,
        "seat 2 chose to defend.",
        f"The defence worked: {left}",
    ]


def test_a_kept_tile_is_named_to_its_holder_alone() -> None:
    scene = Scene("E5 beach=dolphin V1 | E6 beach").play("sink E5")
    assert "kept the tile: dolphin" in story(scene, 0)[0]
    assert "kept the tile face down" in story(scene, 1)[0]


def test_a_value_is_named_to_its_owner_alone() -> None:
    table = Table().play("place 6 D5")
    event = table.events[-1]
    assert (
        str(ESCAPE.presentation.sentence(ESCAPE.rules.visible(event, 0)))
        == "seat 1 placed U1, worth 6, on D5."
    )
    assert (
        str(ESCAPE.presentation.sentence(ESCAPE.rules.visible(event, 1)))
        == "seat 1 placed U1 on D5."
    )


def test_what_is_left_in_advance_is_shown_to_nobody_else() -> None:
    assert ESCAPE.presentation.sentence(Planned(1)) is None
    assert ESCAPE.presentation.sentence(Ordered(1)) is None
    assert ESCAPE.presentation.sentence(Answered(1)) is None
