"""Looking closer at a board that is too full for a narrow window: the part shown, the ways on.

What is looked at stands in the address (near, zoom), beside the answers of the turn form, so that
it works without JavaScript and outlives every question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from django.http import HttpRequest
from django.urls import reverse

from games.rules.engine import View
from games.selectors import TablePage
from games.translate import say

LONGEST = 20  # of the name of a board element
DEEPEST = 9


class Look(msgspec.Struct, frozen=True):
    """What part of the board is looked at; see `Engine.board_svg`."""

    near: str = ""
    zoom: int = 0

    def query(self, near: str | None = None) -> list[tuple[str, str]]:
        """As fields of an address, round another element where one is named."""
        if not self.zoom:
            return []
        return [("zoom", str(self.zoom)), ("near", self.near if near is None else near)]


class Way(msgspec.Struct, frozen=True):
    """A link to another part of the board. id: the same one for the same direction, so that the
    focus stays on it while one wanders."""

    id: str
    url: str
    label: str
    sign: str


class Closer(msgspec.Struct, frozen=True):
    """fields: board element → address of the part it stands for. ways: the links beside the board.
    answered: whether the address holds more than where one looks."""

    look: Look = Look()
    fields: dict[str, str] = {}
    ways: tuple[Way, ...] = ()
    answered: bool = False


def look_of(answers: Mapping[str, Sequence[str]]) -> Look:
    """What the address asks for; whatever makes no sense shows the whole board."""
    near, zoom = ("".join(answers.get(name, ())[-1:]) for name in ("near", "zoom"))
    if not (len(zoom) == 1 and zoom.isascii() and zoom.isdecimal()):
        return Look()
    return Look(near[:LONGEST], min(int(zoom), DEEPEST))


def closer_of(request: HttpRequest, page: TablePage, view: View, *, past: bool) -> Closer:
    """The part of the board that is asked for, where `view` is drawn, and the ways from there."""
    look = look_of(dict(request.GET.lists()))
    if view is None:
        return Closer()
    base = request.path if past else reverse("game", args=[page.game.public_id])
    others = request.GET.copy()
    for name in ("near", "zoom"):
        others.pop(name, None)
    fields: dict[str, str] = {}
    ways: list[Way] = []
    for way in page.engine.closeups(view, look.near, look.zoom):
        query = others.copy()
        query.update(dict(Look(way.near, way.zoom).query()))
        url = f"{base}{'?' if query else ''}{query.urlencode()}#board"
        if way.mark is not None:
            fields[way.mark] = url
        else:
            ways.append(Way(f"look-{ord(way.sign)}", url, say(way.label), way.sign))
    return Closer(look, fields, tuple(ways), bool(others))
