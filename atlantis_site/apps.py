"""What Django does with this project once its settings are read."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """The project itself. It has no models."""

    name = "atlantis_site"

    def ready(self) -> None:
        """Make the Celery application the current one, so that tasks are sent to its broker.

        Not where the package is imported, as Celery's manual has it: the supervisor and the reapers
        do without Celery.
        """
        from . import celery  # noqa: F401 (its import is all that is needed)
