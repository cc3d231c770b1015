"""What every page's head needs: what waits for the reader, and whether this is a local service."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from games import selectors
from games.models import Game


class Waiting:
    """The games that wait for the reader; asks only when a template does. `game`: the one on this page."""

    def __init__(self, request: HttpRequest) -> None:
        self._user = request.user
        self._here: Game | None = getattr(request, "game", None)

    @cached_property
    def count(self) -> int:
        """How many games wait."""
        return selectors.waiting_count(self._user)

    @cached_property
    def next(self) -> Game | None:
        """The next one to go to: not the one on this page, unless it is the only one."""
        if not self.count:
            return None
        return selectors.next_waiting(self._user, after=self._here) or self._here

    @property
    def other(self) -> Game | None:
        """The next one that is not on this page."""
        return self.next if self.next != self._here else None


def site(request: HttpRequest) -> dict[str, Any]:
    """`waiting` and `LOCAL_MODE`."""
    return {"waiting": Waiting(request), "LOCAL_MODE": settings.LOCAL_MODE}
