#!/usr/bin/env python
"""Django's commands for this site: `python manage.py help`."""

import os
import sys

import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError

TRY_AGAIN = (
    75  # EX_TEMPFAIL of sysexits.h: a mail server keeps the email that it pipes to read_mail
)


def explanation(error: Exception) -> str | None:
    """What an operator has to know of an error that is not a fault of ours; None for a fault."""
    match error, error.__cause__:
        case ImproperlyConfigured(), _:  # the message begins with the name of the setting
            return f"The service is not configured correctly. {error}"
        case _, psycopg.errors.UndefinedTable() | psycopg.errors.UndefinedColumn():
            todo = "Run `manage.py prepare_database` as the owner of the tables."
            return f"The database lacks tables of this version. {todo} ({error})"
        case _, psycopg.errors.InsufficientPrivilege():
            return f"The role that is connected to PostgreSQL has no right to do this: {error}"
        case _, psycopg.OperationalError():  # it is away, full, or refuses the login
            return f"PostgreSQL did not do what was asked: {error}"
        case _:
            return None


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")
    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, DatabaseError) as error:
        text = explanation(error)
        if text is None or "--traceback" in sys.argv:
            raise
        print(text.strip(), file=sys.stderr)
        sys.exit(TRY_AGAIN)
