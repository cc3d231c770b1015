"""Make the database what this version needs: tables, the table of the cache, rights of the service.

The owner of the tables runs this before the service starts; it can be repeated. One process for all
of it, because each start of Django takes more than a second.
"""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.exceptions import InconsistentMigrationHistory


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
        try:
            call_command("migrate", interactive=False, skip_checks=True, **streams)
        except InconsistentMigrationHistory as error:
            raise CommandError(
                "This database was made by a version that was never released, and cannot be "
                "updated. Delete it and start again; `make play` keeps it in the folder var/. "
                f"({error})"
            ) from error
        call_command("createcachetable", **streams)
        call_command("grant_app_role", **streams)
