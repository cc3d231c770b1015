"""The refusals of services."""

from django.utils.translation import gettext as _


class ServiceError(Exception):
    """A refusal; `text` explains it in the reader's language. Nothing was changed."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class NotAllowed(ServiceError):
    """This user may not do that in this game."""


class GameMoved(ServiceError):
    """The position has changed since the user saw it."""

    def __init__(self) -> None:
        super().__init__(_("The game has moved on. Here is the current board."))
