"""Grant the role of the service its rights, all but changing the log and decisions, and check its
time limits.

The owner of the tables runs this after `migrate`; it can be repeated. Only a superuser may set the
time limits of another role, so the command prints the statements where limits are missing.
"""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction
from psycopg import sql

from games.log import event_store
from games.models import Decision

GRANTS = (
    "GRANT USAGE ON SCHEMA public TO {role}",
    "REVOKE CREATE ON SCHEMA public FROM {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
    # Only the owner records migrations.
    "REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {role}",
)
# Nobody changes what happened in a game, nor what a moderator decided.
APPEND_ONLY = (*event_store.TABLES, Decision._meta.db_table)


class Command(BaseCommand):
    help = "Grants the role of the service its rights: only SELECT and INSERT on the log and on decisions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "role",
            nargs="?",
            default=settings.DATABASE_APP_ROLE,
            help="an existing PostgreSQL role (default: DATABASE_APP_ROLE)",
        )

    def handle(self, *args: Any, role: str, **options: Any) -> None:
        rights = [sql.SQL(grant).format(role=sql.Identifier(role)) for grant in GRANTS]
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = %s", [role])
            found = cursor.fetchone()
            if found is None:
                raise CommandError(
                    f"There is no role {role}: create it first (CREATE ROLE … LOGIN)."
                )
            if found[0]:
                raise CommandError(
                    f"{role} is a superuser, whom no right binds: choose another role."
                )
            owner = self.owner_of_tables()
            if owner == role:
                raise CommandError(
                    f"{role} owns the tables and may do anything: choose another role."
                )
            for grant in (*rights, *event_store.append_only(role, APPEND_ONLY)):
                cursor.execute(grant.as_string(cursor.connection))
            missing = self.missing_limits(role)
        if missing:
            self.stderr.write(
                f"{role} has no time limits: one statement that hangs would block the service. Run "
                "this once as a superuser of the database:"
            )
            for name, value in missing.items():
                self.stderr.write(f"    ALTER ROLE {role} SET {name} = '{value}';")
        if options["verbosity"]:
            self.stdout.write(
                f"{role} may read and add to the log and to decisions, and work with all else."
            )

    @staticmethod
    def owner_of_tables() -> str:
        """Return the owner of the tables, as whom we are connected; CommandError otherwise, because
        PostgreSQL only warns of grants that nobody but the owner can give."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_get_userbyid(relowner), pg_has_role(relowner, 'USAGE'), current_user "
                "FROM pg_class WHERE oid = to_regclass(%s)",
                [event_store.TABLES[0]],
            )
            found = cursor.fetchone()
        if found is None:
            raise CommandError("There are no tables yet: run `manage.py prepare_database`.")
        owner, may_grant, current = found
        if not may_grant:
            raise CommandError(
                f"{current} is not the owner of the tables: connect as {owner}, who alone can grant "
                "rights to them."
            )
        return str(owner)

    @staticmethod
    def missing_limits(role: str) -> dict[str, str]:
        """Return the settings of DATABASE_ROLE_SETTINGS that the role does not have in any form."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT split_part(unnest(setconfig), '=', 1) FROM pg_db_role_setting "
                "WHERE setrole = (SELECT oid FROM pg_roles WHERE rolname = %s)",
                [role],
            )
            found = {name for (name,) in cursor.fetchall()}
        limits: dict[str, str] = settings.DATABASE_ROLE_SETTINGS
        return {name: value for name, value in limits.items() if name not in found}
