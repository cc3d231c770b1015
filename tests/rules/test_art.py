"""Art files: drawings that an editor opens and that fit into any board or icon."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from games.rules import atlantis

ART = sorted(Path(atlantis.__file__).parents[1].glob("*/svg/art/*.svg"))
SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {f"{SVG}{tag}" for tag in ("g", "path", "circle", "ellipse", "rect", "text")}


def test_both_games_have_art() -> None:
    assert {path.parts[-4] for path in ART} == {"atlantis", "escape"}


@pytest.mark.parametrize("path", ART, ids=lambda path: f"{path.parts[-4]}-{path.stem}")
def test_art_is_plain_shapes_with_a_viewbox(path: Path) -> None:
    """An editor may leave ids, styles and metadata behind: they do not belong into a board."""
    root = ElementTree.parse(path).getroot()
    assert root.tag == f"{SVG}svg"
    assert len(root.get("viewBox", "").split()) == 4
    assert {element.tag for element in root.iter() if element is not root} <= SHAPES
    forbidden = {"id", "style", "href"}
    assert not any(forbidden & set(element.attrib) for element in root.iter())
