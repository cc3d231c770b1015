"""Make somebody an administrator and print their enrolment link."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from games import services


class Command(BaseCommand):
    help = (
        "Makes the person with this address an administrator and prints a link with which they "
        "connect an authenticator app. The link works once, for 24 hours."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address", help="an email address at which they can sign in")
        parser.add_argument(
            "--lost-second-factor",
            action="store_true",
            help="remove the second factor they have, so that they can connect another app",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            user, token = services.administrator_make(
                address=options["address"], lost_second_factor=options["lost_second_factor"]
            )
        except services.ServiceError as error:
            raise CommandError(error.text) from error
        site = settings.SITE_URL
        self.stdout.write(f"{user.email} is an administrator.")
        if not token:
            self.stdout.write(
                "They have a second factor already. If it is lost: make_admin --lost-second-factor"
            )
        else:
            link = site + reverse("enrolment", args=[token])
            self.stdout.write("Open this link within 24 hours to connect an authenticator app:")
            self.stdout.write(f"  {link}")
            self.stdout.write(
                "It works once. Anybody who has it can connect an app: keep it private."
            )
        self.stdout.write(f"Then sign in at {site}{reverse('admin:index')}")
