"""What a presentation returns, as plain data, besides forms and drawings."""

import msgspec

from .text import Text


class HandItem(msgspec.Struct, frozen=True):
    """Equal things in a hand. icon: a name that `icon_svg` draws."""

    icon: str
    label: Text
    count: int


class TextSection(msgspec.Struct, frozen=True):
    """A heading and the lines below it."""

    title: Text
    lines: tuple[Text, ...]
