"""The board and the icons as SVG: well-formed, free of style, everything that is there drawn."""

import re
from xml.etree import ElementTree

import pytest

from games.rules.escape import ESCAPE
from games.rules.escape.hexes import NAMES
from games.rules.escape.model import Back, View

from .games import sensible
from .scenes import WATER, Scene, attack

SCENE = (
    "E5 beach U1=4 V1 | E6 forest U2 | F5 mountain | D5 Y1 ship V2 V3 | D6 whale shark serpent | "
    "C5 U3 U4 U5 U6 U7 | isle NW U8 V4 | C8 ship | seats 3"
)


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]


def drawn(view: View, **more: object) -> str:
    svg: str = ESCAPE.board_svg(view, **more)  # type: ignore[arg-type]
    return svg


def test_the_board_is_one_well_formed_svg_without_style_or_script() -> None:
    for number, moment in enumerate(sensible(3)):
        if number % 12:
            continue
        svg = drawn(ESCAPE.rules.view(moment.state, moment.seat), recent=moment.events)
        ElementTree.fromstring(svg)
        assert not re.search(r"<style|<script|style=|\son\w+=", svg)


def test_it_is_a_pure_function_of_the_view() -> None:
    assert drawn(Scene(SCENE).view(1)) == drawn(Scene(SCENE).view(1))


def test_every_hex_carries_its_name_once() -> None:
    written = texts(drawn(Scene(SCENE).view(1)))
    assert [written.count(name) for name in NAMES] == [1] * len(NAMES)


def test_rows_and_columns_stand_at_the_rim() -> None:
    written = texts(drawn(Scene(SCENE).view(1)))
    for letter in "ABCDEFGHIJKLM":
        assert written.count(letter) == 2
    for number in range(3, 10):
        assert written.count(str(number)) >= 2


def test_own_values_stand_on_own_explorers_and_on_no_others() -> None:
    mine = drawn(Scene("E5 beach U1=4 | E6 beach V1=3").view(1))
    theirs = drawn(Scene("E5 beach U1=4 | E6 beach V1=3").view(2))
    stranger = drawn(Scene("E5 beach U1=4 | E6 beach V1=3").view(None))
    assert re.findall(r'class="value"[^>]*>(\d)', mine) == ["4", "1"]
    assert re.findall(r'class="value"[^>]*>(\d)', theirs) == ["3", "1"]
    assert 'class="value"' not in stranger


def test_every_piece_has_an_element_of_its_own() -> None:
    svg = drawn(Scene(SCENE).view(1))
    for piece in (
        "explorer-U1",
        "explorer-V2",
        "ship-3-4",
        "whale-3-5",
        "shark-3-5",
        "isle-NW",
        "hex-4-4",
    ):
        assert f'id="{piece}" class="' in svg


def test_what_can_be_chosen_becomes_a_link_with_a_name() -> None:
    svg = drawn(
        Scene(SCENE).view(1),
        links={"explorer-U1": "?who=U1&x", "hex-2-2": "?b", "ship-3-4": "?c", "isle-NW": "?d"},
    )
    root = ElementTree.fromstring(svg)
    links = root.findall(".//{http://www.w3.org/2000/svg}a")
    assert {link.get("href") for link in links} == {"?who=U1&x", "?b", "?c", "?d"}
    assert all(link.get("aria-label") for link in links)
    assert root.get("role") == "group"


def test_ids_take_a_prefix_and_are_unique() -> None:
    svg = drawn(Scene(SCENE).view(1), prefix="old-")
    ids = re.findall(r'id="([^"]+)"', svg)
    assert len(ids) == len(set(ids))
    assert all(name.startswith("old-") for name in ids)
    assert all(name.startswith("old-") for name in re.findall(r'href="#([^"]+)"', svg))


def test_what_has_just_happened_is_marked() -> None:
    scene = Scene("E5 beach=whale U1 | E6 beach | A3 shark | A4 V1", dice="shark")
    scene.play("U1 E6, sink E5").play("shark A3 A4")
    svg = drawn(scene.view(1), recent=scene.events)
    assert svg.count('class="way"') == 4
    assert svg.count('class="sank"') == 1
    assert svg.count('class="harm"') == 1
    assert 'class="way"' not in drawn(scene.view(1))


def test_labels_are_translated_and_escaped() -> None:
    svg = drawn(Scene(SCENE).view(1), translate=lambda text: f"<{text.message[:3]}&>")
    ElementTree.fromstring(svg)
    assert "<The&>" not in svg


def test_names_of_seats_stand_in_the_legend() -> None:
    assert "seat 3" in texts(drawn(Scene(SCENE).view(1)))


def test_all_names_are_in_one_font_whether_or_not_a_seat_is_asked() -> None:
    """The sign of the seat that is asked is in the font for names only."""
    svg = drawn(Scene(SCENE).view(1))
    names = re.findall(r'font-family="Atlantis Board Names,[^>]*><g[^>]*><text[^>]*>([^<]*)<', svg)
    assert [name.removesuffix(" ●") for name in names] == ["seat 1", "seat 2", "seat 3"]


def test_the_picture_is_light() -> None:
    for number, moment in enumerate(sensible(4)):
        if number % 30 == 0:
            assert len(drawn(ESCAPE.rules.view(moment.state, 0))) < 75_000


@pytest.mark.parametrize(
    "name",
    [
        *(f"back-{back.replace(' ', '-')}" for back in Back),
        *(f"explorer-{letter}" for letter in "UVYN"),
        "back",
        "serpent",
        "shark",
        "whale",
        "ship",
        "beach",
        "forest",
        "mountain",
    ],
)
def test_every_icon_is_drawn(name: str) -> None:
    svg = ESCAPE.presentation.icon_svg(name)
    assert ElementTree.fromstring(svg).get("class") == "icon"
    assert "style=" not in svg


def test_there_is_no_other_icon() -> None:
    with pytest.raises(ValueError):
        ESCAPE.presentation.icon_svg("dragon")


def test_the_hand_names_icons_that_exist() -> None:
    held = ESCAPE.presentation.hand(
        Scene("E5 beach U1 | kept 1 dolphin dolphin whale-defence").view(1)
    )
    assert [(one.icon, one.count) for one in held] == [
        ("back-dolphin", 2),
        ("back-whale-defence", 1),
    ]
    for one in held:
        ESCAPE.presentation.icon_svg(one.icon)
    assert ESCAPE.presentation.hand(Scene("E5 beach U1 | kept 1 dolphin").view(2)) == ()


def uses(scene: Scene, seat: int) -> list[str]:
    return [str(one.use or "")[:13] for one in ESCAPE.presentation.hand(scene.view(seat))]


def test_the_hand_says_what_each_tile_does_in_the_question_of_a_turn() -> None:
    scene = Scene("E5 beach U1 | E6 beach | kept 1 dolphin whale-defence | kept 2 shark-defence")
    assert uses(scene, 1) == ["Dolphin: carr", "Whale defence"]
    assert uses(scene, 2) == [""]


def test_the_hand_says_what_a_defence_does_in_the_question_about_it() -> None:
    scene = attack(f"{WATER} | kept 2 dolphin shark-defence")
    assert uses(scene, 2) == ["", "Shark defence"]


class TestText:
    def test_it_shows_land_people_ships_and_creatures(self) -> None:
        text = ESCAPE.presentation.board_text(Scene(SCENE).view(1))
        for sign in ("fU2", "bUV", "[]", "SHW", "isle NW: U8, V4"):
            assert sign in text

    def test_it_fits_into_an_email(self) -> None:
        for moment in sensible(4):
            text = ESCAPE.presentation.board_text(ESCAPE.rules.view(moment.state, 0))
            assert max(map(len, text.splitlines())) <= 72
        crowd = " ".join(f"{colour}{number}" for colour in "UV" for number in range(1, 11))
        text = ESCAPE.presentation.board_text(Scene(f"E5 mountain {crowd}").view(1))
        assert max(map(len, text.splitlines())) <= 72

    def test_crowds_are_listed_below(self) -> None:
        assert "E5 beach U1 V1" in ESCAPE.presentation.board_text(Scene(SCENE).view(1))
