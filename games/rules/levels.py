"""The strength of a bot. Stored in events and rows."""

from enum import StrEnum


class Level(StrEnum):
    """easy: makes the mistakes of people. normal: plans a little. strong: searches."""

    EASY = "easy"
    NORMAL = "normal"
    STRONG = "strong"
