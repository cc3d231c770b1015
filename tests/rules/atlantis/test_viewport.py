"""Zooming into the board of Atlantis by its parts: everything is in reach, and can be read."""

import re
from xml.etree import ElementTree

import pytest

from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.model import FIGURES, View
from games.rules.drawing import Viewport, ZoomLink

from .scenes import late

SVG = "{http://www.w3.org/2000/svg}"
SMALLEST = 11  # pixels of letters
BOARD = 288  # pixels: the width of the board in a window of 320 pixels


@pytest.fixture(scope="module")
def view() -> View:
    return late()


def everything(view: View) -> dict[str, str]:
    """All elements that a form can make links of."""
    names = ["atlantis", "mainland", *(f"space-{n}" for n in range(1, 54))]
    names += [f"gap-{gap.first}" for gap in view.gaps]
    names += [f"figure-{player.seat}-{letter}" for player in view.players for letter in FIGURES]
    return dict.fromkeys(names, "?")


def drawn(view: View, links: dict[str, str], near: str = "", zoom: int = 0) -> ElementTree.Element:
    return ElementTree.fromstring(ATLANTIS.board_svg(view, links, viewport=Viewport(near, zoom)))


def linked(root: ElementTree.Element) -> list[str]:
    return [link.get("id") or "" for link in root.iter(f"{SVG}a")]


def parts(view: View) -> list[str]:
    return [way.element_id for way in ways(view) if way.element_id]


def ways(view: View, near: str = "", zoom: int = 0) -> tuple[ZoomLink, ...]:
    return ATLANTIS.presentation.zoom_links(view, Viewport(near, zoom))


def test_the_whole_board_leads_to_twelve_parts(view: View) -> None:
    links = [way for way in ways(view) if way.element_id]
    assert len(links) == len({str(way.label) for way in links}) == 12
    assert all(way.viewport == Viewport(way.element_id or "", 1) for way in links)
    root = drawn(view, dict.fromkeys(parts(view), "?"))
    areas = [
        float(a[0].get("width", "")) * float(a[0].get("height", "")) for a in root.iter(f"{SVG}a")
    ]
    assert sum(areas) == pytest.approx(400 * 512, rel=0.001)


def test_a_tap_on_what_can_be_chosen_chooses_it(view: View) -> None:
    """The parts lie below it, and above the sea."""
    links = everything(view) | dict.fromkeys(parts(view), "?")
    assert linked(drawn(view, links))[:12] == parts(view)


def test_everything_is_in_reach_in_some_part(view: View) -> None:
    links = everything(view)
    whole = set(linked(drawn(view, links)))
    seen = [set(linked(drawn(view, links, part, 1))) for part in parts(view)]
    assert set().union(*seen) == whole
    assert all(shown < whole for shown in seen)


def test_letters_can_be_read_in_every_part(view: View) -> None:
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', ATLANTIS.board_svg(view))]
    for part in parts(view):
        width = float(drawn(view, {}, part, 1).get("viewBox", "").split()[2])
        assert min(sizes) * BOARD / width >= SMALLEST


def test_the_window_shows_what_was_tapped(view: View) -> None:
    links = everything(view)
    for name in linked(drawn(view, links)):
        for zoom in (1, 2):
            assert name in linked(drawn(view, links, name, zoom)), (name, zoom)


def test_the_directions_lead_over_the_whole_board(view: View) -> None:
    links = everything(view)
    seen: set[str] = set()
    open_, known = ["space-1"], {"space-1"}
    while open_:
        near = open_.pop()
        seen |= set(linked(drawn(view, links, near, 1)))
        for way in ways(view, near, 1):
            if way.sign in "←↑↓→" and way.viewport.center not in known:
                known.add(way.viewport.center)
                open_.append(way.viewport.center)
    assert seen == set(linked(drawn(view, links)))


@pytest.mark.parametrize("near", ["", "space-0", "space-²", "part-13", "figure-9-A", "gap-", "x"])
def test_what_is_not_there_shows_the_middle(view: View, near: str) -> None:
    assert drawn(view, {}, near, 1).get("viewBox") == "100 128 200 256"
    assert ways(view, near, 1)
