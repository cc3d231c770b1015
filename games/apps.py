"""The one Django app of this site."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class GamesConfig(AppConfig):
    """Games, players, emails."""

    name = "games"
    label = "games"
    verbose_name = gettext_lazy("Games, users and emails")

    def ready(self) -> None:
        """Connect the receivers of signals: incoming email, delivery reports, proofs of
        identity."""
        from allauth.account.models import EmailAddress
        from allauth.account.signals import authentication_step_completed, login_code_rejected
        from allauth.mfa.models import Authenticator
        from allauth.mfa.signals import authentication_failed
        from anymail.signals import tracking
        from django.contrib.auth.signals import user_logged_in, user_logged_out
        from django.core.checks import Tags, register
        from django.core.signals import request_finished
        from django.db.backends.signals import connection_created
        from django.db.models.signals import post_delete, post_migrate, post_save

        from . import log_context
        from .database_deadline import limit_waits
        from .inbound import webhook_receiver
        from .log import announcements
        from .mail import backends, dkim_signing
        from .models import Message, SecondFactor
        from .services import bots, credentials, moderators, quotas
        from .web import sign_in

        quotas.check_setting()
        bots.check_setting()
        dkim_signing.check_setting()
        register(backends.check_deployment, Tags.security, deploy=True)
        connection_created.connect(limit_waits, dispatch_uid="games.database_deadline")
        for signal, sender, receiver in (
            (post_save, EmailAddress, credentials.on_address_saved),
            (post_delete, EmailAddress, credentials.on_address_deleted),
            (post_save, Authenticator, credentials.on_factor_saved),
            (post_delete, Authenticator, credentials.on_factor_deleted),
            (post_delete, SecondFactor, credentials.on_factor_deleted),
            (post_delete, Message, announcements.on_message_deleted),
        ):
            signal.connect(receiver, sender=sender, dispatch_uid=f"games.{receiver.__name__}")
        # After Django's own receiver, which makes the permissions.
        post_migrate.connect(
            moderators.groups_fill, sender=self, dispatch_uid="games.services.moderators"
        )
        request_finished.connect(log_context.end, dispatch_uid="games.log_context")
        tracking.connect(webhook_receiver.receive_report, dispatch_uid="games.inbound.reports")
        for event, handler in (
            (user_logged_in, sign_in.on_sign_in),
            (user_logged_out, sign_in.on_sign_out),
            (authentication_step_completed, sign_in.on_proof),
            (login_code_rejected, sign_in.on_wrong_code),
            (authentication_failed, sign_in.on_wrong_factor),
        ):
            event.connect(handler, dispatch_uid="games.web.sign_in")
