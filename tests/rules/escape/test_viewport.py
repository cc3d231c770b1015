"""Looking closer: no hex is out of reach, and everything that can be tapped is a finger wide."""

import re
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

import pytest

from games.rules.drawing import Viewport, ZoomLink
from games.rules.escape import ESCAPE
from games.rules.escape.hexes import CENTRE, HEXES, ISLES, NEAR
from games.rules.escape.model import View
from games.rules.escape.names import hex_id
from tests.support.lengths import by_length

from .games import sensible
from .scenes import Scene

SVG = "{http://www.w3.org/2000/svg}"
WIDTH = 400  # of every drawing, as the page shows it
FINGER = 34
SMALL_HEX = 27.4  # the ring inside a hex, from flat side to flat side
CLOSEST = 2
EVERYWHERE = {hex_id(hex_): "?" for hex_ in range(len(HEXES))}


def view_of(text: str = "E5 beach U1") -> View:
    return Scene(text).view(1)


def drawn(
    view: View, links: Mapping[str, str], near: str = "", zoom: int = 0
) -> ElementTree.Element:
    return ElementTree.fromstring(ESCAPE.board_svg(view, links, viewport=Viewport(near, zoom)))


def linked(root: ElementTree.Element) -> set[str]:
    return {link.get("id") or "" for link in root.iter(f"{SVG}a")}


def parts(view: View) -> tuple[ZoomLink, ...]:
    return tuple(way for way in ESCAPE.presentation.zoom_links(view) if way.element_id)


def choices(view: View) -> dict[str, str]:
    """The elements that the first form of the viewer makes links of."""
    fields = ESCAPE.presentation.move_form(view, {}).fields
    return {
        option.element_id: "?" for field in fields for option in field.choices if option.element_id
    }


def widths(element: ElementTree.Element, scale: float = 1) -> Iterator[tuple[str, float]]:
    """(id, width in units of the drawing) of every halo."""
    scaled = re.search(r"scale\((-?[\d.]+)", element.get("transform", ""))
    scale *= abs(float(scaled[1])) if scaled else 1
    if element.tag == f"{SVG}a":
        (halo,) = (part for part in element.iter() if part.get("class") == "halo")
        if halo.tag == f"{SVG}ellipse":
            yield element.get("id", ""), 2 * float(halo.get("rx", "")) * scale
        elif not element.get("id", "").startswith("isle"):
            yield element.get("id", ""), SMALL_HEX * scale
    for child in element:
        yield from widths(child, scale)


def test_from_the_whole_board_one_looks_at_its_parts() -> None:
    view = view_of()
    ways = parts(view)
    assert len(ways) == 16
    assert {(way.viewport.center, way.viewport.zoom) for way in ways} == {
        (way.element_id, 1) for way in ways
    }
    assert len({str(way.label) for way in ways}) == 16


def test_the_parts_cover_the_sea_without_a_gap() -> None:
    view = view_of()
    fields = drawn(view, {way.element_id: "?" for way in parts(view) if way.element_id}).iter(
        f"{SVG}rect"
    )
    areas = [float(field.get("width", "")) * float(field.get("height", "")) for field in fields]
    assert sum(areas) == 400 * 392


def test_every_hex_and_every_isle_is_in_reach_in_some_part() -> None:
    view = view_of()
    links = {**EVERYWHERE, **{f"isle-{isle}": "?" for isle in ISLES}}
    seen = set().union(*(linked(drawn(view, links, way.viewport.center, 1)) for way in parts(view)))
    assert seen == set(links)


def test_in_the_closest_look_a_hex_lies_with_all_its_neighbours() -> None:
    for hex_ in range(len(HEXES)):
        around = {hex_id(near) for near in (hex_, *NEAR[hex_])}
        assert around <= linked(drawn(view_of(), EVERYWHERE, hex_id(hex_), CLOSEST))


def test_the_parts_of_a_whole_board_leave_no_holes() -> None:
    """A piece may stand where four of them meet: rounded corners would not take its tap."""
    links = {f"part-{number}": "?" for number in range(1, 17)}
    fields = [
        rect.attrib
        for link in drawn(view_of(), links).iter(f"{SVG}a")
        if link.get("class") == "part"
        for rect in link.iter(f"{SVG}rect")
    ]
    assert len(fields) == 16
    assert [field for field in fields if "rx" in field] == []


@pytest.mark.long
@pytest.mark.parametrize("seats", by_length([4], [2, 3, 4]))
def test_everything_that_can_be_tapped_is_a_finger_wide(seats: int) -> None:
    measured = 0
    for number, moment in enumerate(sensible(seats)):
        if number % by_length(18, 9):
            continue
        view = ESCAPE.rules.view(moment.state, moment.seat)
        links = choices(view)
        for way in parts(view):
            root = drawn(view, links, way.viewport.center, way.viewport.zoom)
            unit = WIDTH / float(root.get("viewBox", "").split()[2])
            for name, width in widths(root):
                assert width * unit >= FINGER, f"{name} in {way.viewport.center}"
                measured += 1
    assert measured > by_length(40, 80)


@pytest.mark.parametrize(
    "crowd",
    [
        "E5 beach U1 U2 U3",
        "E5 beach U1 U2 U3 U4 U5 U6 U7 U8 U9",
        "E5 ship U1 U2 U3",
        "E5 U1 U2 U3 U4 U5 U6",
    ],
)
def test_in_the_closest_look_people_side_by_side_are_a_finger_apart(crowd: str) -> None:
    view = view_of(f"{crowd}")
    people = {f"explorer-U{number}": "?" for number in range(1, crowd.count("U") + 1)}
    root = drawn(view, people, "hex-4-3", CLOSEST)
    unit = WIDTH / float(root.get("viewBox", "").split()[2])
    places = [
        (x * scale * unit, y * scale * unit)
        for x, y, scale in (place for place in _places(root) if place is not None)
    ]
    assert len(places) == len(people)
    for n, (x, y) in enumerate(places):
        for left, top in places[:n]:
            assert max(abs(x - left), abs(y - top)) >= FINGER - 0.5


def _places(root: ElementTree.Element) -> Iterator[tuple[float, float, float]]:
    """(x, y, scale of the drawing they lie in) of the explorers that are links."""
    for group in root.iter(f"{SVG}g"):
        inner = [a for a in group if a.tag == f"{SVG}a" and "explorer" in (a.get("id") or "")]
        scaled = re.search(r"scale\(([\d.]+)\)", group.get("transform", ""))
        for link in inner:
            yield (*_spot(link), float(scaled[1]) if scaled else 1.0)
    for link in root:
        if link.tag == f"{SVG}a" and "explorer" in (link.get("id") or ""):
            yield (*_spot(link), 1.0)


def _spot(link: ElementTree.Element) -> tuple[float, float]:
    numbers = re.findall(r"-?\d*\.?\d+", link.get("transform", ""))
    return float(numbers[0]), float(numbers[1])


def test_what_lies_outside_is_no_link() -> None:
    shown = linked(drawn(view_of(), EVERYWHERE, hex_id(CENTRE), CLOSEST))
    assert shown == {hex_id(near) for near in (CENTRE, *NEAR[CENTRE])}


def test_an_explorer_is_looked_at_where_it_is() -> None:
    view = view_of("C2 ship U1 | M9 U2 | isle SE U3")
    for explorer, place in (("U1", "hex-2-1"), ("U2", "hex-12-8"), ("U3", "isle-SE")):
        there = drawn(view, {}, f"explorer-{explorer}", 1).get("viewBox")
        assert there == drawn(view, {}, place, 1).get("viewBox")


@pytest.mark.parametrize(
    "near", ["", "explorer-X9", "explorer-N1", "hex-99-99", "hex-²-1", "part-0", "isle-XX", "a-b-c"]
)
def test_what_is_not_there_shows_the_middle(near: str) -> None:
    view = view_of()
    middle = drawn(view, {}, hex_id(CENTRE), 1).get("viewBox")
    assert drawn(view, {}, near, 1).get("viewBox") == middle
    assert ESCAPE.presentation.zoom_links(view, Viewport(near, 1))


def test_one_wanders_from_part_to_part_over_the_whole_board() -> None:
    view = view_of()
    seen: set[str] = set()
    open_, known = ["hex-6-5"], {"hex-6-5"}
    while open_:
        near = open_.pop()
        seen |= linked(drawn(view, EVERYWHERE, near, 1))
        for way in ESCAPE.presentation.zoom_links(view, Viewport(near, 1)):
            if way.sign in "←↑↓→" and way.viewport.center not in known:
                known.add(way.viewport.center)
                open_.append(way.viewport.center)
    assert seen == set(EVERYWHERE)


def test_one_looks_closer_and_further_away_again() -> None:
    view = view_of()
    ways = {
        way.sign: (way.viewport.center, way.viewport.zoom)
        for way in ESCAPE.presentation.zoom_links(view, Viewport("hex-4-4", 1))
    }
    assert (ways["+"], ways["⤢"]) == (("hex-4-4", 2), ("", 0))
    ways = {
        way.sign: (way.viewport.center, way.viewport.zoom)
        for way in ESCAPE.presentation.zoom_links(view, Viewport("hex-4-4", 2))
    }
    assert ways["−"] == ("hex-4-4", 1)
    assert "+" not in ways
