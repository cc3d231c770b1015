"""The site around the games: settings, addresses, tasks, and the supervisor of `make play`."""

from __future__ import annotations

from .celery import app as celery_app

__all__ = ["celery_app"]
