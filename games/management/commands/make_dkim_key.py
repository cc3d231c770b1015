"""Make a key for DKIM signatures, and print its settings and its DNS record."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from games.mail import dkim_signing
from games.operations.findings import Record


class Command(BaseCommand):
    help = (
        "Makes a key with which this service signs its email, and prints the settings and the DNS "
        "record. Nothing is stored or changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--selector",
            default="atlantis",
            help="the name of the key in the DNS (default: atlantis); a new key needs a new name",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        selector, domain = options["selector"].lower(), settings.DKIM_DOMAIN
        if not dkim_signing.is_selector(selector):
            raise CommandError("A selector has letters, digits and hyphens only.")
        if not domain:
            raise CommandError("MAIL_FROM is not an address: set it, or DKIM_DOMAIN.")
        if settings.DKIM_PRIVATE_KEY and selector == settings.DKIM_SELECTOR:
            raise CommandError(
                f"{selector} is the key in use. Pass --selector with another name, so that emails "
                "on their way can still be checked with the old one."
            )
        key, text = dkim_signing.new_key()
        record = Record(
            dkim_signing.record_name(selector, domain), "TXT", dkim_signing.record_text(key)
        )
        self.stdout.write("1. Add this record to the DNS:\n")
        self.stdout.write(f"{record}\n")
        self.stdout.write("2. When `manage.py check_mail --selector " + selector + "` finds it, ")
        self.stdout.write("   set these and restart; with Docker, the key alone goes to\n")
        self.stdout.write(
            "   secrets/dkim_private_key, the other line to .env. Keep the key private.\n"
        )
        self.stdout.write(f"DKIM_SELECTOR={selector}")
        self.stdout.write(f"DKIM_PRIVATE_KEY={text}")
