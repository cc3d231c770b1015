"""When the database, the broker or the disk fails, people get plain words and keep what they
wrote."""

import errno
import re
from html import unescape

import psycopg
import pytest
from django.core.management import call_command
from django.db import InternalError, OperationalError, connection
from django.db.transaction import TransactionManagementError
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils import translation
from kombu.exceptions import OperationalError as BrokerError
from pytest_django import Settings

from atlantis_site.role_settings import ROLE_SETTINGS
from atlantis_site.supervisor.postgres import APP, OWNER
from games.models import User
from games.web.unavailable import server_error
from tests.factories import table_of
from tests.support.compose_file import COMPOSE


@pytest.fixture
def visitor() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.django_db(transaction=True)
def test_a_move_at_a_locked_table_is_a_503_that_keeps_the_move(
    visitor: Client, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    visitor.force_login(alice)
    with as_role(OWNER) as other:
        other.execute("SELECT 1 FROM games_game WHERE id = %s FOR UPDATE", [game.pk])
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '50ms'")
        try:
            fields = {"line": "A flag", "version": str(game.version), "note": "“A & <B>”"}
            answer = visitor.post(f"/g/{game.public_id}/play", fields)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    page = answer.content.decode()
    kept = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    assert {name: unescape(value) for name, value in kept.items()} == fields
    assert f'action="/g/{game.public_id}/play"' in page
    assert "Traceback" not in page


def as_role(role: str) -> psycopg.Connection:
    """Another connection to the database of the tests."""
    where = connection.settings_dict
    return psycopg.connect(host=where["HOST"], dbname=where["NAME"], user=role, connect_timeout=5)


def answer_to(error: BaseException, request: HttpRequest) -> tuple[int, str]:
    try:
        raise error
    except BaseException:  # noqa: BLE001 (as Django's handler sees it)
        answer = server_error(request)
    return answer.status_code, answer.content.decode()


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("connection refused"),
        BrokerError("connection refused"),
        OSError(errno.ENOSPC, "No space left on device"),
    ],
    ids=["database", "broker", "disk"],
)
def test_what_fails_around_the_service_is_a_503(error: BaseException) -> None:
    status, page = answer_to(error, RequestFactory().get("/new/?game=escape"))
    assert status == 503
    assert 'href="/new/?game=escape"' in page
    assert str(error) not in page


def test_what_fails_because_the_connection_was_lost_is_a_503() -> None:
    error = TransactionManagementError("an error occurred in the current transaction")
    error.__context__ = OperationalError("terminating connection due to administrator command")
    assert answer_to(error, RequestFactory().get("/"))[0] == 503


def test_an_answer_that_psycopg_cannot_read_is_a_503() -> None:
    """As when PostgreSQL dies during a COMMIT that goes through pgbouncer."""
    error = InternalError("received 2 results from command 'COMMIT'")
    error.__cause__ = psycopg.InternalError(str(error))
    assert answer_to(error, RequestFactory().get("/"))[0] == 503


@pytest.mark.parametrize("error", [ValueError("ours"), InternalError("ours"), OSError(2, "ours")])
def test_our_own_errors_stay_errors(error: BaseException) -> None:
    assert answer_to(error, RequestFactory().get("/"))[0] == 500


def test_a_form_with_a_file_or_of_great_size_is_not_repeated() -> None:
    request = RequestFactory().post("/g/x/play", {"note": "x" * 100_000})
    assert 'name="note"' not in answer_to(OperationalError(), request)[1]


@pytest.mark.parametrize(
    ("language", "words"), [("de", "Im Moment nicht erreichbar"), ("fr", "Indisponible")]
)
def test_the_page_is_in_the_language_of_the_reader(language: str, words: str) -> None:
    with translation.override(language):
        assert words in answer_to(OperationalError(), RequestFactory().get("/"))[1]


# -- time limits of the database ---------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_the_role_of_the_service_has_time_limits_and_the_owner_has_none() -> None:
    found = {}
    for role in (APP, OWNER):
        with as_role(role) as session:
            rows = [session.execute(f"SHOW {name}").fetchone() for name in ROLE_SETTINGS]
            found[role] = [row[0] for row in rows if row]
    assert found == {APP: list(ROLE_SETTINGS.values()), OWNER: ["0", "0", "0"]}


def test_containers_have_the_same_time_limits() -> None:
    roles = COMPOSE["configs"]["roles"]["content"]
    limits = re.findall(rf"ALTER ROLE {APP} SET (\w+) = '(\w+)';", roles)
    assert dict(limits) == ROLE_SETTINGS


@pytest.mark.django_db(transaction=True)
def test_granting_rights_names_the_limits_that_a_role_lacks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with as_role("postgres") as superuser:
        superuser.execute("CREATE ROLE without_limits LOGIN")
    try:
        call_command("grant_app_role", "without_limits")
        printed = capsys.readouterr().err
        call_command("grant_app_role", APP)
        assert capsys.readouterr().err == ""
    finally:
        with as_role("postgres") as superuser:
            superuser.execute("DROP OWNED BY without_limits")
            superuser.execute("DROP ROLE without_limits")
    for name, value in ROLE_SETTINGS.items():
        assert f"ALTER ROLE without_limits SET {name} = '{value}';" in printed


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_does_not_come_closes_the_connection(settings: Settings) -> None:
    """The server's own limit is off, as if the server had been stopped."""
    settings.DATABASE_ANSWER_SECONDS = 0.2
    settings.DATABASE_APP_ROLE = connection.settings_dict["USER"]
    connection.close()
    with pytest.raises(OperationalError), connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(30)")
    assert connection.connection.closed
    connection.close()
    settings.DATABASE_ANSWER_SECONDS = 60
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    connection.close()
