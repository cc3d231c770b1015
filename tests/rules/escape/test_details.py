"""Parts of the board that emails enlarge: what a player decides about can be read on a phone."""

import pytest

from games.rules.escape import ESCAPE
from games.rules.escape.board import acting, out, own
from games.rules.escape.hexes import LAND
from games.rules.escape.model import ABOARD, SEA, TurnStage, View
from games.rules.escape.svg.details import DETAIL_WIDTH, details
from games.rules.escape.svg.geometry import CENTRES, SHORE, WIDTH

from .games import sensible
from .scenes import Scene
from .table import Table

PHONE = 308  # pixels of a picture in an email at 360
NAME = 5.4  # units, the height of the names of hexes
SHARK = "A3 shark | A4 V1 V2 | kept 2 shark-defence"


def seen(view: View, hexes: set[int]) -> set[int]:
    """Return the hexes that the details show."""
    return {
        hex_
        for hex_ in hexes
        for left, top, wide, high in details(view)
        if left + 15 <= CENTRES[hex_][0] <= left + wide - 15
        and top + 15 <= CENTRES[hex_][1] <= top + high - 15
    }


def test_names_of_hexes_have_nine_pixels_on_a_phone() -> None:
    assert NAME * PHONE / DETAIL_WIDTH >= 9


def test_the_setup_shows_the_whole_island() -> None:
    for seat in (0, 1):
        assert seen(Table().view(seat), set(LAND)) == set(LAND)


def test_a_question_about_an_attack_shows_its_hex() -> None:
    view = Scene(SHARK, dice="shark").play("sink J7").play("shark A3 A4").view(2)
    assert view.board.site is not None
    assert len(details(view)) == 1
    assert seen(view, {view.board.site}) == {view.board.site}


def test_nobody_who_is_not_asked_gets_details() -> None:
    scene = Scene("E5 beach U1 | E6 beach V1")
    assert details(scene.view(1))
    assert details(scene.view(2)) == ()


@pytest.mark.parametrize("seats", [2, 4])
def test_nearly_all_own_explorers_are_shown_and_nothing_beyond_the_sea(seats: int) -> None:
    mine = shown = 0
    for moment in sensible(seats):
        for seat in acting(moment.state.board):
            view = ESCAPE.rules.view(moment.state, seat)
            board = view.board
            parts = details(view)
            assert 1 <= len(parts) <= 2
            assert list(parts) == sorted(parts)
            for left, top, wide, high in parts:
                assert 0 <= left <= left + wide <= WIDTH
                assert 0 <= top < top + high <= SHORE
            if isinstance(board.stage, TurnStage):
                places = {
                    board.where[who] % ABOARD for who in own(board, seat) if out(board.where[who])
                }
                mine += len(places)
                shown += len(seen(view, places))
            if board.is_setup:
                land = {hex_ for hex_ in LAND if board.map[hex_] != SEA}
                assert seen(view, land) == land
    assert shown >= 0.9 * mine > 0
