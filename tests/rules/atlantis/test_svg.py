"""The board as a picture: complete, the same every time, safe to put into a page, and light."""

import gzip
import re
from collections.abc import Callable
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from games.rules import GAMES
from games.rules.atlantis import ATLANTIS as GAME
from games.rules.atlantis import path
from games.rules.atlantis.model import ATLANTIS, MAINLAND, SPACES, Item, Move, Space, View
from games.rules.atlantis.svg import icon_svg
from games.rules.atlantis.svg.geometry import HEIGHT, PLACES, TILE, WIDTH, home, middle
from games.rules.atlantis.svg.icons import EXAMPLES, Example
from games.rules.chance import SeededChance
from games.rules.text import Text, render

from .scenes import SCENES, late, middle_moves, start
from .scenes import middle as middle_scene

SVG = "{http://www.w3.org/2000/svg}"
LEAST_TARGET = 34

scenes = pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES.keys())


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def ids(svg: str) -> list[str]:
    return re.findall(r' id="([^"]*)"', svg)


def by_id(svg: str, name: str) -> ElementTree.Element:
    (found,) = [one for one in parse(svg).iter() if one.get("id") == name]
    return found


def texts(element: ElementTree.Element) -> list[str]:
    return [one.text or "" for one in element.iter(f"{SVG}text")]


ALL_LINKS = {
    "atlantis": "?a",
    "mainland": "?m",
    **{f"space-{n}": f"?s={n}" for n in range(1, SPACES + 1)},
    **{f"gap-{n}": f"?g={n}" for n in range(1, SPACES + 1)},
    **{f"figure-{seat}-{letter}": "?f" for seat in range(4) for letter in "ABC"},
}


# -- safe and light ---------------------------------------------------------------------


@scenes
def test_a_board_is_well_formed_and_carries_neither_styles_nor_scripts(
    scene: Callable[[], View],
) -> None:
    svg = GAME.board_svg(scene(), ALL_LINKS, middle_moves())
    for element in parse(svg).iter():
        assert element.tag not in (f"{SVG}style", f"{SVG}script", f"{SVG}foreignObject")
        assert not [name for name in element.attrib if name == "style" or name.startswith("on")]


@scenes
def test_a_board_weighs_less_than_twelve_kilobytes_on_the_wire(scene: Callable[[], View]) -> None:
    svg = GAME.board_svg(scene(), ALL_LINKS, middle_moves())
    assert len(gzip.compress(svg.encode())) < 12_000


def test_the_same_view_is_drawn_the_same_every_time() -> None:
    assert GAME.board_svg(middle_scene(), {"mainland": "?m"}, middle_moves()) == GAME.board_svg(
        middle_scene(), {"mainland": "?m"}, middle_moves()
    )


@scenes
def test_everything_referred_to_is_defined_once(scene: Callable[[], View]) -> None:
    svg = GAME.board_svg(scene(), None, middle_moves())
    assert len(ids(svg)) == len(set(ids(svg)))
    assert set(re.findall(r'href="#([^"]*)"', svg)) <= set(ids(svg))


def test_boards_with_different_prefixes_can_stand_on_one_page() -> None:
    one, two = GAME.board_svg(start(), prefix="now-"), GAME.board_svg(start(), prefix="then-")
    assert not set(ids(one)) & set(ids(two))
    assert set(re.findall(r'href="#([^"]*)"', one)) <= set(ids(one))
    assert by_id(one, "now-space-12") is not None


def test_a_link_is_escaped() -> None:
    svg = GAME.board_svg(start(), {"mainland": '?a=1&b="2'})
    assert by_id(svg, "mainland").get("href") == '?a=1&b="2'


# -- complete ---------------------------------------------------------------------------


@scenes
def test_every_space_figure_and_end_has_its_element(scene: Callable[[], View]) -> None:
    view = scene()
    svg = GAME.board_svg(view)
    expected = {"atlantis", "mainland", *(f"space-{n}" for n in range(1, SPACES + 1))}
    expected |= {f"gap-{gap.first}" for gap in view.gaps}
    expected |= {f"figure-{p.seat}-{letter}" for p in view.players for letter in "ABC"}
    assert expected <= set(ids(svg))
    assert {name for name in ids(svg) if name.startswith(("gap-", "figure-", "space-"))} <= expected


@scenes
def test_a_tile_shows_its_value_and_a_stack_is_drawn_as_one(scene: Callable[[], View]) -> None:
    view = scene()
    svg = GAME.board_svg(view)
    for number, space in enumerate(view.path, start=1):
        if space.top is None:
            continue
        element = by_id(svg, f"space-{number}")
        pile = "stack" if space.height > 1 else "single"
        assert element.get("class") == f"space tile {pile} item-{space.top.item}"
        assert texts(element) == [str(space.top.value)]
        (shape,) = element.iter(f"{SVG}use")
        assert shape.get("href") == f"#{space.top.item}{min(space.height, 2)}"


def test_the_drawing_of_a_stack_holds_a_second_tile_under_the_first() -> None:
    (stack,) = [one for one in parse(GAME.board_svg(start())).iter() if one.get("id") == "flag2"]
    assert [use.get("href") for use in stack.iter(f"{SVG}use")] == ["#u", "#flag1"]


@scenes
def test_every_space_carries_its_number(scene: Callable[[], View]) -> None:
    (numbers,) = [
        one for one in parse(GAME.board_svg(scene())).iter() if one.get("class") == "numbers"
    ]
    assert texts(numbers) == [str(n) for n in range(1, SPACES + 1)]


@scenes
def test_a_gap_shows_its_price_and_a_bridged_one_a_single_bridge_instead(
    scene: Callable[[], View],
) -> None:
    view = scene()
    svg = GAME.board_svg(view)
    for gap in view.gaps:
        element = by_id(svg, f"gap-{gap.first}")
        planks = [one for one in element.iter() if one.get("class") == "bridge-plank"]
        assert texts(element) == ([] if gap.bridged else [str(gap.price)])
        assert len(planks) == (1 if gap.bridged else 0)


def test_a_figure_carries_its_letter_and_the_mark_of_its_seat() -> None:
    svg = GAME.board_svg(start(4))
    for seat in range(4):
        for letter in "ABC":
            figure = by_id(svg, f"figure-{seat}-{letter}")
            assert texts(figure) == [letter]
            assert f"#p{seat}" in {use.get("href") for use in figure.iter(f"{SVG}use")}
    heads = re.findall(r'<g id="g\d">(.*?)</g>', svg)
    assert len(set(heads)) == 4


def test_only_figures_of_the_player_to_act_that_can_still_move_are_lit() -> None:
    svg = GAME.board_svg(late())  # seat 2 is to act, its C is ashore
    lit = {one.get("id") for one in parse(svg).iter() if "acting" in (one.get("class") or "")}
    assert lit == {"figure-2-A", "figure-2-B"}


def test_recent_moves_leave_footsteps_a_frame_and_a_ghost_each() -> None:
    quiet, marked = (
        GAME.board_svg(middle_scene()),
        GAME.board_svg(middle_scene(), None, middle_moves()),
    )
    for css, count in (("steps", 3), ("frame", 3), ("origin", 3)):
        assert quiet.count(f'class="{css}"') == 0
        assert marked.count(f'class="{css}"') == count


# -- links ------------------------------------------------------------------------------


@scenes
def test_linked_elements_become_links_with_a_name_and_the_rest_is_quiet(
    scene: Callable[[], View],
) -> None:
    view = scene()
    links = {"mainland": "?m", "space-53": "?s", "figure-1-B": "?f"}
    svg = GAME.board_svg(view, links)
    anchors = {one.get("id"): one for one in parse(svg).iter(f"{SVG}a")}
    assert {name: one.get("href") for name, one in anchors.items()} == links
    assert all(one.get("aria-label") for one in anchors.values())
    hidden = [one for one in parse(svg).iter() if one.get("aria-hidden") == "true"]
    assert "space-52" in {one.get("id") for group in hidden for one in group.iter()}
    assert not any(one.tag == f"{SVG}a" for group in hidden for one in group.iter())
    assert parse(svg).get("role") == "group"


def test_a_board_without_links_is_one_picture_with_a_title_and_a_description() -> None:
    root = parse(GAME.board_svg(late()))
    assert root.get("role") == "img"
    title, text = (root.find(f"{SVG}{tag}") for tag in ("title", "desc"))
    assert title is not None and text is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {text.get('id')}"
    assert "It is seat 3’s turn." in (text.text or "")


@scenes
def test_a_target_is_large_enough_for_a_finger(scene: Callable[[], View]) -> None:
    svg = GAME.board_svg(scene(), ALL_LINKS)
    for anchor in parse(svg).iter(f"{SVG}a"):
        (halo,) = [one for one in anchor.iter() if one.get("class") == "halo"]
        if halo.tag == f"{SVG}rect":
            assert float(halo.get("width", "0")) >= LEAST_TARGET
            assert float(halo.get("height", "0")) >= LEAST_TARGET
        elif halo.get("fill") == "none":
            assert float(halo.get("stroke-width", "0")) >= LEAST_TARGET


def test_figures_of_a_seat_that_wait_side_by_side_do_not_share_their_targets() -> None:
    for seats in (2, 3, 4):
        for space in (ATLANTIS, MAINLAND):
            for seat in range(seats):
                xs = [home(seat, figure, seats, space)[0] for figure in range(3)]
                assert all(b - a >= LEAST_TARGET for a, b in pairwise(xs))


def test_twelve_figures_find_twelve_places_inside_the_picture() -> None:
    for space in (ATLANTIS, MAINLAND):
        places = {home(seat, figure, 4, space) for seat in range(4) for figure in range(3)}
        assert len(places) == 12
        assert all(10 < x < WIDTH - 10 and 28 < y < HEIGHT for x, y in places)


def test_words_are_said_in_the_language_and_with_the_names_of_the_reader() -> None:
    def loudly(text: Text) -> str:
        return render(text, name=lambda seat: "ANNA <&>"[: 4 + 4 * seat.number]).upper()

    svg = GAME.board_svg(late(), translate=loudly)
    text = by_id(svg, "picture-text").text or ""
    assert "ANNA <&>: A ON THE MAINLAND" in text


# -- the path ---------------------------------------------------------------------------


def test_all_spaces_lie_inside_the_picture_and_none_on_another() -> None:
    spaces = PLACES[1:-1]
    half = TILE / 2
    assert all(half < x < WIDTH - half and half < y < HEIGHT - half for x, y in spaces)
    for i, (x, y) in enumerate(spaces):
        assert all(max(abs(x - a), abs(y - b)) >= TILE for a, b in spaces[i + 1 :])


def test_the_next_space_is_never_far() -> None:
    steps = [max(abs(a - c), abs(b - d)) for (a, b), (c, d) in pairwise(PLACES[1:-1])]
    assert max(steps) < 1.2 * TILE


def test_the_price_of_a_gap_hangs_in_its_middle() -> None:
    assert middle(15, 17) == PLACES[16]
    x, y = middle(16, 17)
    assert PLACES[16][0] < x < PLACES[17][0]
    assert abs(y - PLACES[16][1]) < 10


def test_every_position_of_a_real_game_can_be_drawn() -> None:
    engine = GAMES["atlantis"]
    state = engine.fold(engine.setup({}, 3, SeededChance(b"picture" * 5, 1)))
    for turn in range(2, 400):
        if not (seats := engine.rules.to_act(state)):
            break
        command = min(
            engine.rules.legal_commands(state, seats[0]),
            key=lambda one: (
                not isinstance(one, Move),
                engine.notation.describe(one, engine.rules.view(state, seats[0])),
            ),
        )
        events = engine.rules.decide(state, seats[0], command, SeededChance(b"picture" * 5, turn))
        state = engine.fold(events, state)
        view = engine.rules.view(state, None)
        svg = engine.board_svg(view, None, events)
        assert {f"gap-{gap.first}" for gap in view.gaps} <= set(ids(svg))
    else:
        pytest.fail("the game should have ended by now")
    assert texts(by_id(svg, "figure-0-A")) == ["A"]


# -- icons ------------------------------------------------------------------------------

ICONS = [
    *Item,
    *(f"card-{item}" for item in Item),
    *(f"tile-{item}-{value}" for item in Item for value in (1, 7)),
    *(f"stack-{item}-4" for item in Item),
    *(f"figure-{seat}-{letter}" for seat in range(4) for letter in "ABC"),
    *(f"example-{name}" for name in EXAMPLES),
    "card-back",
    "deck",
    "bridge",
    "price-4",
    "price-12",
    "atlantis",
    "mainland",
]


@pytest.mark.parametrize("name", ICONS)
def test_an_icon_stands_alone(name: str) -> None:
    svg = icon_svg(name)
    assert parse(svg).get("aria-hidden") == "true"
    assert not ids(svg)
    assert "href" not in svg
    assert "style" not in svg


def test_icons_of_different_things_differ() -> None:
    assert len({re.sub(r' class="[^"]*"', "", icon_svg(name), count=1) for name in ICONS}) == len(
        ICONS
    )


@pytest.mark.parametrize("name", ["", "flags", "card-", "tile-flag-8", "figure-4-A", "../flag"])
def test_there_is_no_icon_of_what_does_not_exist(name: str) -> None:
    with pytest.raises(ValueError, match="no picture named"):
        icon_svg(name)


# -- the examples of the rules page -----------------------------------------------------


def tops(example: Example) -> path.Tops:
    spaces = [Space(*stack) if stack else Space(None, 0) for stack in example.path]
    rest = [Space(None, 0)] * (SPACES - len(spaces))
    return path.tops_of_spaces([*spaces, *rest])


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_keeps_to_the_rules(name: str) -> None:
    example = EXAMPLES[name]
    line = tops(example)
    bridges = [gap.first for gap in example.gaps if gap.bridged]
    assert example.gaps == path.find_gaps(line, bridges)
    standing = {space for _seat, _figure, space in example.figures}
    landings = list(pairwise(example.jumps))
    assert len(example.cards) == len(landings)
    for (start_of, lands), card in zip(landings, example.cards, strict=True):
        assert path.next_space(line, start_of, card) == lands
        assert lands in standing
    if example.taken is not None:
        assert path.stack_behind(line, standing, example.jumps[-1]) == example.taken


def test_the_numbers_in_the_words_of_the_rules_page_are_those_of_the_pictures() -> None:
    crossed = path.crossed(EXAMPLES["gaps"].gaps, 1, 7)
    assert [gap.price for gap in crossed] == [4, 3]
    end = EXAMPLES["end"]
    owed = [
        sum(gap.price for gap in path.crossed(end.gaps, space, MAINLAND))
        for _seat, _figure, space in end.figures
        if space <= len(end.path)
    ]
    assert owed == [5, 3]
