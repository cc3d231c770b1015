"""The Django project: settings, URLs, Celery, and the supervisor behind `make play`."""

from .celery import app as celery_app

__all__ = ["celery_app"]
