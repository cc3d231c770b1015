"""Enlarged parts of a board that is too full for a narrow window, and the links between them.

The viewport is part of the address (near, zoom), beside the answers of the move form, so that it
works without JavaScript and outlives every question.
"""

from collections.abc import Mapping, Sequence

import msgspec
from django.http import HttpRequest
from django.urls import reverse

from games.rules.contract import View
from games.rules.drawing import WHOLE_BOARD, Viewport
from games.selectors import TablePage
from games.translate import say

NAMES = ("near", "zoom")  # of the fields of an address
NO_ANSWERS = ("typed", "log", "details")  # fields of an address that answer no question
LONGEST = 20  # characters of the id of a board element
DEEPEST = 9


class ZoomButton(msgspec.Struct, frozen=True):
    """A link to another part of the board. id: the same for the same direction, so that the
    keyboard focus stays on it."""

    id: str
    url: str
    label: str
    sign: str


class BoardZoom(msgspec.Struct, frozen=True):
    """elements: board element → address of the part it stands for. buttons: the links beside the
    board. answered: whether the address holds more than the viewport. crowded: see
    `Presentation.crowded`."""

    viewport: Viewport = WHOLE_BOARD
    elements: dict[str, str] = {}
    buttons: tuple[ZoomButton, ...] = ()
    answered: bool = False
    crowded: bool = False

    @property
    def query(self) -> list[tuple[str, str]]:
        """The viewport as fields of an address."""
        return query_of(self.viewport)


def answers_of(request: HttpRequest) -> dict[str, list[str]]:
    """The answers of the move form in the address, and the viewport."""
    return {name: values for name, values in request.GET.lists() if name not in NO_ANSWERS}


def query_of(viewport: Viewport, center: str | None = None) -> list[tuple[str, str]]:
    """The viewport as fields of an address, around another element if one is named."""
    if not viewport.zoom:
        return []
    near = viewport.center if center is None else center
    return [("zoom", str(viewport.zoom)), ("near", near)]


def viewport_of(answers: Mapping[str, Sequence[str]]) -> Viewport:
    """The viewport that the address asks for; the whole board where it makes no sense."""
    near, zoom = ("".join(answers.get(name, ())[-1:]) for name in NAMES)
    if not (len(zoom) == 1 and zoom.isascii() and zoom.isdecimal()):
        return WHOLE_BOARD
    return Viewport(near[:LONGEST], min(int(zoom), DEEPEST))


def zoom_of(request: HttpRequest, page: TablePage, view: View, *, past: bool) -> BoardZoom:
    """The part of the board that is asked for, where `view` is drawn, and the links from there."""
    viewport = viewport_of(dict(request.GET.lists()))
    if view is None:
        return BoardZoom()
    base = request.path if past else reverse("game", args=[page.game.public_id])
    others = request.GET.copy()
    for name in NAMES:
        others.pop(name, None)
    elements: dict[str, str] = {}
    buttons: list[ZoomButton] = []
    for link in page.engine.presentation.zoom_links(view, viewport):
        query = others.copy()
        query.update(dict(query_of(link.viewport)))
        url = f"{base}{'?' if query else ''}{query.urlencode()}#board"
        if link.element_id is not None:
            elements[link.element_id] = url
        else:
            buttons.append(ZoomButton(f"look-{ord(link.sign)}", url, say(link.label), link.sign))
    answered = bool(set(others) - {"log", "details"})
    crowded = page.engine.presentation.crowded()
    return BoardZoom(viewport, elements, tuple(buttons), answered, crowded)
