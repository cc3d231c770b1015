"""The context of every page: the games that wait for the reader, and LOCAL_MODE."""

from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from games import selectors
from games.models import Game


class Waiting:
    """The games that wait for the reader. Queries only when a template asks."""

    def __init__(self, request: HttpRequest) -> None:
        self._user = request.user
        self._current: Game | None = getattr(request, "game", None)

    @cached_property
    def count(self) -> int:
        """The number of games."""
        return selectors.waiting_count(self._user)

    @cached_property
    def next(self) -> Game | None:
        """The most urgent one; that of this page only if there is no other."""
        if not self.count:
            return None
        return selectors.next_waiting(self._user, after=self._current) or self._current

    @property
    def other(self) -> Game | None:
        """The most urgent one that is not on this page."""
        return self.next if self.next != self._current else None


def site(request: HttpRequest) -> dict[str, Any]:
    """`waiting` and `LOCAL_MODE`."""
    return {"waiting": Waiting(request), "LOCAL_MODE": settings.LOCAL_MODE}
