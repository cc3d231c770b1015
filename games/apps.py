"""The one Django app of this site."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class GamesConfig(AppConfig):
    """Games, players, mails."""

    name = "games"
    label = "games"
    verbose_name = gettext_lazy("Games, users and emails")

    def ready(self) -> None:
        """What a provider hands over is kept: mails that came in, news of those that went out."""
        from anymail.signals import inbound, tracking

        from .inbound import delivery_reports
        from .inbound.webhook_receiver import receive
        from .services import quotas

        quotas.check_setting()

        tracking.connect(delivery_reports.receive, dispatch_uid="games.inbound.reports")
        inbound.connect(receive, dispatch_uid="games.inbound.hooks")
