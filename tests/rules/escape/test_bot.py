"""The bot: legal, quick, without memory, blind to secrets, better than chance."""

from functools import cache

import pytest

from games.rules.chance import IdentityChance
from games.rules.escape import ESCAPE
from games.rules.escape.bot.evaluation import Evaluator
from games.rules.escape.model import Board, Command, DefenceStage, Defend, Turn
from tests.programs.bot_strength import measure
from tests.support.lengths import by_length

from .games import TABLES, chance_of, sensible
from .scenes import Scene

LUCK = IdentityChance()
FULLEST = TABLES[3]


@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_it_plays_whole_games_with_every_option(seats: int, options: dict[str, str]) -> None:
    *_before, last = sensible(seats, 1, options)
    assert last.after.board.outcome is not None


@cache
def chosen_again() -> tuple[list[Command], int]:
    """(the decisions of bots in the game on the fullest board, the boards that they judged)."""
    seats, options = FULLEST
    judge, judged = Evaluator.worth, 0

    def counted(evaluator: Evaluator, board: Board) -> float:
        nonlocal judged
        judged += 1
        return judge(evaluator, board)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Evaluator, "worth", counted)
        commands = [
            ESCAPE.bot.choose(ESCAPE.rules.view(moment.state, moment.seat), chance_of(moment))
            for moment in sensible(seats, 1, options)
        ]
    return commands, judged


def test_equal_views_and_equal_luck_give_equal_commands() -> None:
    seats, options = FULLEST
    commands, _judged = chosen_again()
    assert commands == [moment.command for moment in sensible(seats, 1, options)]


def test_a_decision_judges_hundreds_of_boards_not_thousands() -> None:
    """The mean over a game; the bench has the time, and the worst."""
    commands, judged = chosen_again()
    assert 0 < judged < 1000 * len(commands)


@pytest.mark.long
@pytest.mark.parametrize("seats", by_length([3], [2, 3, 4]))
def test_it_is_clearly_better_than_players_who_do_anything_legal(seats: int) -> None:
    standing = measure(ESCAPE, seats, by_length(4, 12))
    assert standing.rate > 2 / 3
    assert standing.score > 3 * standing.others + 3


def test_it_brings_a_ship_home() -> None:
    scene = Scene("C2 ship U1 U2 | E5 beach | E6 beach")
    command = ESCAPE.bot.choose(scene.view(1), LUCK)
    assert isinstance(command, Turn)
    assert "U1 isle, U2 isle" in ESCAPE.notation.describe(command, scene.view(1))


def test_it_does_not_sail_into_a_serpent() -> None:
    scene = Scene("D2 ship U1 U2 U3 | C1 serpent | E5 beach | E6 beach")
    assert "D2 C1" not in ESCAPE.notation.describe(
        ESCAPE.bot.choose(scene.view(1), LUCK), scene.view(1)
    )


def test_it_does_not_wait_where_every_way_to_an_isle_leads_past_a_serpent() -> None:
    tiles = " | ".join(
        f"{hex_} mountain"
        for hex_ in ["E5", "E6", "E7", "F5", "F6", "F7", "F8", "G4", "H5", "H6", "H7", "I5"]
    )
    scene = Scene(f"D2 U1=6 | B2 serpent | C11 serpent | K1 serpent | L11 serpent | {tiles}")
    command = ESCAPE.bot.choose(scene.view(1), LUCK)
    assert "U1 swim C1" in ESCAPE.notation.describe(command, scene.view(1))


def test_it_sends_a_shark_to_the_others() -> None:
    scene = Scene("A3 shark | A5 V1=6 V2 V3 | E5 beach | rolled shark")
    assert (
        ESCAPE.notation.describe(ESCAPE.bot.choose(scene.view(1), LUCK), scene.view(1))
        == "shark A3 A5"
    )


def test_it_spares_its_own() -> None:
    scene = Scene("A3 shark | A5 U1 U2 U3 | E5 beach | rolled shark")
    assert (
        ESCAPE.notation.describe(ESCAPE.bot.choose(scene.view(1), LUCK), scene.view(1))
        != "shark A3 A5"
    )


def test_it_defends_a_full_ship() -> None:
    scene = Scene(
        "A3 whale shark | A4 shark ship V1=6 V2=5 V3=4 | kept 2 whale-defence", dice="whale"
    )
    scene.play("sink J7").play("whale A3 A4")
    assert isinstance(scene.state.board.stage, DefenceStage)
    assert ESCAPE.bot.choose(scene.view(2), LUCK) == Defend(True)
