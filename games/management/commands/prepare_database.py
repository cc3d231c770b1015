"""Make the database what this version needs: tables, the table of the cache, rights of the service.

The owner of the tables runs this before the service starts; it can be repeated. One process for all
of it, because each start of Django takes more than a second.
"""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection


class Command(BaseCommand):
    help = "Runs migrate, createcachetable and grant_app_role."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--role", help="role of PostgreSQL to connect as, instead of that of DATABASE_URL"
        )

    def handle(self, *args: Any, verbosity: int, role: str | None, **options: Any) -> None:
        if role:
            connection.close()
            connection.settings_dict["USER"] = role
        streams = {"stdout": self.stdout, "stderr": self.stderr, "verbosity": verbosity}
        call_command("migrate", interactive=False, skip_checks=True, **streams)
        call_command("createcachetable", **streams)
        call_command("grant_app_role", **streams)
