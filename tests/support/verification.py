"""`manage.py verify`, and changes of the log that it must find."""

from io import StringIO

from django.core.management import CommandError, call_command
from django.db import connection


def change_log(statement: str, *values: int) -> None:
    """Change rows of the log by SQL, as only the owner of the database can."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE games_gameevent DISABLE TRIGGER games_gameevent_keep_rows")
        cursor.execute(statement, values)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(
            "ALTER TABLE games_gameevent ENABLE ALWAYS TRIGGER games_gameevent_keep_rows"
        )


def verify(*args: str) -> tuple[int, str]:
    """Run `manage.py verify`: (exit status, what it printed)."""
    out = StringIO()
    try:
        call_command("verify", *args, stdout=out)
    except CommandError as error:
        return error.returncode, out.getvalue()
    return 0, out.getvalue()
