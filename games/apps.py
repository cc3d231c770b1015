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
        """Connect the receivers of signals: incoming email, delivery reports, proofs of identity."""
        from allauth.account.signals import authentication_step_completed
        from anymail.signals import inbound, tracking
        from django.db.backends.signals import connection_created

        from .database_deadline import limit_waits
        from .inbound import delivery_reports
        from .inbound.webhook_receiver import receive
        from .services import quotas
        from .web import session_keys

        quotas.check_setting()
        connection_created.connect(limit_waits, dispatch_uid="games.database_deadline")

        tracking.connect(delivery_reports.receive, dispatch_uid="games.inbound.reports")
        inbound.connect(receive, dispatch_uid="games.inbound.hooks")
        authentication_step_completed.connect(
            session_keys.on_proof, dispatch_uid="games.web.session_keys"
        )
