"""manage.py: what operators read when a command cannot do its work."""

import os

import pytest
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder

from tests.support.processes import service_env
from tests.support.warm_processes import run_python

TRY_AGAIN = 75  # EX_TEMPFAIL of sysexits.h: a mail server that pipes an email to us keeps it
CLOSED = "postgresql://atlantis_app:word@127.0.0.1:1/atlantis"


def fails(*words: str, **env: str) -> tuple[int, str]:
    """The exit status of a command that fails, and what it writes about that."""
    done = run_python("manage.py", *words, env=os.environ | service_env() | env)
    said = done.stderr.decode()
    assert "Traceback" not in said, said
    return done.returncode, said


@pytest.mark.parametrize(
    "words", [("verify",), ("make_admin", "rot@example.org"), ("prepare_database",)]
)
def test_a_database_that_does_not_answer_is_named_without_a_traceback(
    words: tuple[str, ...],
) -> None:
    status, said = fails(*words, DATABASE_URL=CLOSED)
    assert status == TRY_AGAIN
    assert said.startswith("PostgreSQL did not do what was asked: ")
    assert 'connection to server at "127.0.0.1", port 1 failed' in said
    assert "word" not in said


def test_the_place_of_a_fault_is_shown_on_request() -> None:
    env = os.environ | {"DATABASE_URL": CLOSED}
    done = run_python("manage.py", "verify", "--traceback", env=env)
    assert done.returncode == 1
    assert b"Traceback" in done.stderr


def test_a_role_that_does_not_exist_is_named() -> None:
    status, said = fails("prepare_database", "--role", "nosuch")
    assert status
    assert 'role "nosuch" does not exist' in said


def test_a_database_without_tables_is_to_be_prepared(db: None) -> None:
    empty = os.environ["DATABASE_URL"].rpartition("/")[0] + "/postgres"
    for words in (["verify"], ["grant_app_role"]):
        status, said = fails(*words, DATABASE_URL=empty)
        assert status
        assert "manage.py prepare_database" in said


def test_a_database_with_other_first_migrations_is_to_be_deleted(db: None) -> None:
    MigrationRecorder.Migration.objects.filter(app="games").delete()
    with pytest.raises(CommandError, match="never released"):
        call_command("prepare_database", verbosity=0)


def test_only_the_owner_of_the_tables_can_grant_rights(db: None) -> None:
    status, said = fails("grant_app_role", DATABASE_URL=os.environ["TEST_APP_DATABASE_URL"])
    assert status == 1
    assert "owner of the tables" in said


def test_wrong_settings_keep_the_email_of_a_pipe() -> None:
    status, said = fails("read_mail", "x@example.org", MAIL_KEEP_DAYS="many")
    assert status == TRY_AGAIN
    assert "MAIL_KEEP_DAYS" in said


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("verify", "--jobs", "0"), "--jobs.*at least 1"),
        (("verify", "--jobs", "two"), "--jobs.*at least 1"),
        (("check_mail", "--to", "me@example.org", "--wait", "nan"), "--wait.*seconds"),
        (("check_mail", "--to", "me@example.org", "--wait", "-1"), "--wait.*seconds"),
        (("check_mail", "--dns", "ns.example.org"), "--dns.*address"),
        (("check_mail", "--dns", "127.0.0.1:99999"), "--dns.*address"),
    ],
)
def test_a_wrong_option_is_refused(words: tuple[str, ...], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        call_command(*words)
