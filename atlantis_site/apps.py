"""Checks and signals of this project, run once its settings are read."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """The project itself. It has no models."""

    name = "atlantis_site"

    def ready(self) -> None:
        """Make the Celery application that of all threads, so that tasks are sent to its broker.

        Not where the package is imported, as Celery's manual has it: the supervisor and the reapers
        do without Celery.
        """
        from .celery import app

        app.set_default()
