"""The context of every page: the games that wait for the reader, and LOCAL_MODE."""

from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from games import selectors
from games.models import Game
from games.selectors import WaitingGame


class Waiting:
    """The games that wait for the reader. Queries only when a template asks."""

    def __init__(self, request: HttpRequest) -> None:
        self._user = request.user
        self._current: Game | None = getattr(request, "game", None)

    @cached_property
    def _found(self) -> tuple[int, tuple[WaitingGame, ...]]:
        return selectors.waiting_games(self._user)

    @property
    def count(self) -> int:
        """The number of games."""
        return self._found[0]

    @property
    def next(self) -> WaitingGame | None:
        """The most urgent one; that of this page only if there is no other."""
        return self.other or next(iter(self._found[1]), None)

    @property
    def other(self) -> WaitingGame | None:
        """The most urgent one that is not on this page."""
        current = self._current.public_id if self._current is not None else None
        return next((game for game in self._found[1] if game.public_id != current), None)


def site(request: HttpRequest) -> dict[str, Any]:
    """`waiting` and `LOCAL_MODE`."""
    return {"waiting": Waiting(request), "LOCAL_MODE": settings.LOCAL_MODE}
