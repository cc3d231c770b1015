"""The scenery of each board as a file that browsers keep: pages show it as an image.

`manage.py scenery` writes the files, after a change of the drawings or of their dark colours.
"""

import re
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.templatetags.static import static

from games.rules import GAMES
from games.rules.chance import IdentityChance
from games.rules.drawing import scenery_svg

STATIC = Path(__file__).parent.parent / "static"
_COLOUR = re.compile(r"(--b-[\w-]+): light-dark\([^,]+, ([^)]+)\)")
_RULE = re.compile(r"^([^{}@/]+) \{\s*(fill|stroke): var\((--b-[\w-]+)\);", re.MULTILINE)
_CLASS = re.compile(r"\.(?:board, \.example\) \.)?([\w-]+(?: path)?)(?=,|$)", re.MULTILINE)


def path_of(kind: str) -> str:
    """The path of the file below the folder of static files."""
    return f"games/scenery-{kind}.svg"


@cache
def scenery_url(kind: str) -> str:
    """The address of the file; "" for a game that has none."""
    return static(path_of(kind)) if finders.find(path_of(kind)) else ""


def scenery_files() -> dict[str, str]:
    """path → content of the files of all games whose boards have scenery."""
    from lxml import etree  # needed by the command alone

    files = {}
    for kind, engine in GAMES.items():
        state = engine.fold(engine.setup({}, engine.seats[0], IdentityChance()))
        drawing = engine.presentation.draw(engine.rules.view(state, None))
        if drawing.scenery:
            drawn = etree.fromstring(scenery_svg(drawing, ""))
            classes = {name for tag in drawn.iter() for name in tag.get("class", "").split()}
            files[path_of(kind)] = scenery_svg(drawing, _dark_style(classes)) + "\n"
    return files


def _dark_style(classes: set[str]) -> str:
    """The dark colours of these classes, from the style sheet of boards."""
    sheet = (STATIC / "games" / "board.css").read_text(encoding="utf-8")
    colours = dict(_COLOUR.findall(sheet))
    rules = [
        f".{name}{{{what}:{colours[variable]}}}"
        for selectors, what, variable in _RULE.findall(sheet)
        for name in _CLASS.findall(selectors)
        if name.split()[0] in classes
    ]
    return f"@media(prefers-color-scheme:dark){{{''.join(rules)}}}"
