"""Receive replies by SMTP or LMTP until a signal arrives."""

import asyncio
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from games.inbound import listener


class Command(BaseCommand):
    requires_system_checks = ()
    help = "Receives replies to our emails by SMTP or LMTP and stores them for the worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--listen", default=settings.MAIL_LISTEN, help="host:port (default: MAIL_LISTEN)"
        )
        parser.add_argument(
            "--protocol",
            default=settings.MAIL_LISTEN_PROTOCOL,
            choices=listener.PROTOCOLS,
            help="default: MAIL_LISTEN_PROTOCOL",
        )

    def handle(self, *args: Any, listen: str, protocol: str, **options: Any) -> None:
        if not settings.MAIL_REPLY_DOMAIN:
            raise CommandError("MAIL_REPLY_DOMAIN is not set, so no email has a reply address.")
        if protocol not in listener.PROTOCOLS:
            raise CommandError(f"MAIL_LISTEN_PROTOCOL is {protocol}, neither smtp nor lmtp.")
        try:
            host, port = listener.parse_listen(listen)
        except ValueError as error:
            raise CommandError(f"MAIL_LISTEN: {error}.") from None

        try:
            listener.tls_context()
        except OSError as error:
            raise CommandError(f"MAIL_LISTEN_CERTIFICATE cannot be used: {error}") from None

        def announce(host: str, port: int) -> None:
            where = f"[{host}]" if ":" in host else host
            self.stdout.write(
                f"Replies to {settings.MAIL_REPLY_DOMAIN} are taken by {protocol.upper()} at "
                f"{where}:{port}"
            )
            self.stdout.flush()

        try:
            asyncio.run(listener.serve(host, port, protocol, announce))
        except OSError as error:
            raise CommandError(f"{listen} cannot be listened on: {error.strerror}.") from None
