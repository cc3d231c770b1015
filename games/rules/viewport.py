"""The part of the board that is drawn, and the links to other parts."""

import msgspec

from .text import Text


class Viewport(msgspec.Struct, frozen=True):
    """The part of the board to draw: around the element of this id, enlarged `zoom` times."""

    center: str = ""
    zoom: int = 0


WHOLE_BOARD = Viewport()


class ZoomLink(msgspec.Struct, frozen=True):
    """A link to another viewport. It is the board element of this id, or a button with a sign."""

    viewport: Viewport
    label: Text
    element_id: str | None = None
    sign: str = ""
