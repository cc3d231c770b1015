"""Logs hold no tokens, codes, addresses, reply addresses or cards, also when something fails."""

import json
import logging
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings as django_settings
from django.db import IntegrityError, connection, transaction
from django.test import Client
from pytest_django import Settings

from atlantis_site.scrubbed_logs import ScrubbingFormatter, scrub
from atlantis_site.supervisor.postgres import DURABLE_SETTINGS, QUIET_SETTINGS
from atlantis_site.supervisor.stack import BASE_DIR
from games.mail import signed_links
from games.models import Game, InboundMail, OutboxMail, Seat, User
from tests.factories import play_one, table_of
from tests.support.emails import read
from tests.support.processes import TEST_FOLDER, CeleryProcess, LiveSite, empty_queue, wait_for
from tests.support.replies import Listener, address_of, line_of, reply_email, reply_env
from tests.support.smtp_sink import SmtpSink
from tests.support.url_walk import every_url

# -- one line ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("WARNING django.request: Gone: /t/eyJ0Ijox:1vKx:abc-_d/", "eyJ0"),
        ("GET http://127.0.0.1:8000/i/abcdefgh234567?x=1 404", "abcdefgh234567"),
        ("Not Found: /feed/abc-def/deadlines.ics", "abc-def"),
        ("Not Found: /mail/off/kind/word:sign/", "word:sign"),
        ("550 no such user <alice@example.org>", "alice"),
        ("recip: move+abc.def.ghi@reply.example.org", "move+abc"),
        ("postgresql://app:pass@db.example.org:5433/x", "pass"),
        ("ERROR: duplicate key\nDETAIL:  Key (key)=(secret) exists.\n", "secret"),
        ("psycopg.errors.CheckViolation: no\nDETAIL:  Failing row (1, a\nsecret).", "secret"),
        ("IntegrityError('no\\nDETAIL:  Failing row contains (1, secret).')", "secret"),
        ('invalid input syntax for type integer: "secret"', "secret"),
        ("syntax error\nLINE 1: INSERT INTO t VALUES ('secret')\n   ^\n", "secret"),
    ],
)
def test_secrets_are_hidden_in_a_line(line: str, hidden: str) -> None:
    assert hidden in line
    assert hidden not in scrub(line)
    assert "…" in scrub(line)


@pytest.mark.parametrize(
    "line",
    [
        "WARNING django.request: Not Found: /g/abcdefghijkl/at/3/",
        '  File "/srv/tests/test_no_server_errors.py", line 3, in x',
        "INFO games.tasks: Outbox: Drained(sent=3)",
        "celery@worker1 ready.",
        "Not Found: /mailbox/t/",
    ],
)
def test_what_is_no_secret_stays_readable(line: str) -> None:
    assert scrub(line) == line


def test_a_traceback_is_scrubbed_to_its_end_and_no_further() -> None:
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "Email %s failed.", (7,), None)
    try:
        try:
            raise ValueError("no\nDETAIL:  Failing row contains (1, hush).\n")
        except ValueError as error:
            raise KeyError("later") from error
    except KeyError as error:
        record.exc_info = (type(error), error, error.__traceback__)
    text = ScrubbingFormatter().format(record)
    assert "hush" not in text.replace("(1, hush).\\n", "")  # the line of this file
    assert "Email 7 failed." in text
    assert "KeyError: 'later'" in text


def test_the_key_in_a_route_is_hidden_whatever_the_route() -> None:
    key = "k3y-Of-A-Seat:At-One-Table"
    names = ("token", "key", "code", "uidb36")
    urls = [url for url in every_url(dict.fromkeys(names, key)) if key in url]
    assert len(urls) >= 6
    shown = [url for url in urls if key in scrub(f"Not Found: {url}")]
    assert shown == []


def test_every_handler_of_the_service_scrubs() -> None:
    logging_settings: Any = django_settings.LOGGING
    formatters = logging_settings["formatters"]
    assert all(issubclass(f["()"], ScrubbingFormatter) for f in formatters.values())
    assert all(handler.get("formatter") for handler in logging_settings["handlers"].values())


def test_postgresql_is_as_quiet_in_containers_and_in_the_documentation_as_here() -> None:
    assert QUIET_SETTINGS.items() <= DURABLE_SETTINGS.items()
    compose = yaml.safe_load((BASE_DIR / "docker-compose.yml").read_text())
    words = compose["services"]["postgres"]["command"]
    assert dict(word.split("=") for word in words[2::2]) == QUIET_SETTINGS
    page = (BASE_DIR / "docs" / "other-ways.md").read_text()
    documented = re.findall(r"ALTER SYSTEM SET (\w+) = '?(\w+)'?;", page)
    assert dict(documented) == QUIET_SETTINGS


# -- the whole service ---------------------------------------------------------------------------


@contextmanager
def nothing_can_be_written(code: str, table: str = "games_gameevent") -> Iterator[None]:
    """Every new row fails with this SQLSTATE, and with the row in the details of the error."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            CREATE FUNCTION fail_with_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'no space left on the device' USING ERRCODE = '{code}',
                    DETAIL = 'Failing row contains ' || NEW::text;
            END $$;
            CREATE TRIGGER fail_with_row BEFORE INSERT ON {table}
                FOR EACH ROW EXECUTE FUNCTION fail_with_row()
            """
        )
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION fail_with_row CASCADE")


class Logs:
    """The log lines of all processes of this run since the test began."""

    def __init__(self) -> None:
        folders = (TEST_FOLDER, Path(os.environ["VAR_DIR"]))
        self.files = {log for folder in folders for log in folder.glob("*.log")}
        self.begins = {log: log.stat().st_size for log in self.files}
        self.folders = folders

    def text(self) -> str:
        found = ""
        for folder in self.folders:
            for log in sorted(folder.glob("*.log")):
                with log.open("rb") as file:
                    file.seek(self.begins.get(log, 0))
                    found += file.read().decode(errors="replace")
        return found


def status_of(site: LiveSite, path: str, client: Client | None = None, **form: str) -> int:
    """The status of a GET, or of a POST of this form by the browser of `client`."""
    request = urllib.request.Request(site.url + path)
    if client is not None:
        word = "a" * 32
        cookies = {name: morsel.value for name, morsel in client.cookies.items()}
        port = site.url.rpartition(":")[2]
        cookies = {
            f"sessionid_{port}": cookies[django_settings.SESSION_COOKIE_NAME],
            f"csrftoken_{port}": word,
        }
        request.add_header("Cookie", "; ".join(f"{n}={v}" for n, v in cookies.items()))
        request.add_header("X-CSRFToken", word)
        request.data = urllib.parse.urlencode({"csrfmiddlewaretoken": word, **form}).encode()
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.fixture
def worker(transactional_db: None, smtp_sink: SmtpSink) -> Iterator[CeleryProcess]:
    """A worker that reads replies."""
    worker = CeleryProcess("worker", reply_env(EMAIL_URL=smtp_sink.url))
    worker.start()
    yield worker
    worker.stop()
    empty_queue()


@pytest.mark.django_db(transaction=True)
def test_playing_replying_and_failing_leave_no_secret_in_any_log(
    live_site: LiveSite,
    worker: CeleryProcess,
    replies: Settings,
    smtp_sink: SmtpSink,
    listener: Listener,
    alice: User,
    bob: User,
) -> None:
    logs = Logs()
    game = table_of(alice, bob)
    seat = Seat.objects.get(game=game, user=alice)
    assert seat.asked_seq is not None
    link = signed_links.turn_path(game.public_id, seat.number, seat.asked_seq, alice)
    to = address_of(game, alice)
    other_token = game.invite_token[:-1] + ("3" if game.invite_token.endswith("2") else "2")
    line, version = line_of(game), game.version
    browser = Client()
    browser.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")

    assert status_of(live_site, link) == 200
    assert status_of(live_site, link + "x/") == 404
    assert status_of(live_site, f"/i/{other_token}/") == 404

    raw = reply_email(line, to, alice.email)
    with nothing_can_be_written("53100"):  # the disk is full
        form = {"line": line, "version": str(version)}
        assert status_of(live_site, f"/g/{game.public_id}/play", browser, **form) >= 500
    with nothing_can_be_written("P0001"):  # something nobody thought of
        listener.send(raw, to, alice.email)
        wait_for(lambda: InboundMail.objects.exclude(error="").exists(), "the failed reply")
    listener.send(raw, to, alice.email)  # a duplicate
    assert InboundMail.objects.get().copies == 2
    error = InboundMail.objects.get().error
    assert "no space left" in error

    visitor = Client()
    visitor.cookies[django_settings.SESSION_COOKIE_NAME] = "none"
    with nothing_can_be_written("53100", "games_outboxmail"):  # the row has the code
        assert status_of(live_site, "/accounts/login/", visitor, login=bob.email) >= 500
    assert status_of(live_site, "/accounts/login/", visitor, login=bob.email) == 200
    code = wait_for_code(smtp_sink, bob.email)
    status_of(live_site, "/accounts/login/code/confirm/", visitor, code=code)

    # The move is made, and the link is over.
    played = play_one(game)
    InboundMail.objects.update(next_try_at="2000-01-01T00:00Z")
    assert status_of(live_site, link) == 410
    with pytest.raises(IntegrityError), transaction.atomic():
        OutboxMail.objects.create(to_address=alice.email, **twin(OutboxMail.objects.first()))

    text = logs.text()
    assert text.count("no space left on the device") >= 4  # by PostgreSQL, web and worker
    assert "Gone: /t/…" in text
    cards = [json.dumps(json.loads(p)) for p in payloads(game)]
    bare = (link.split("/")[2], game.invite_token, to.partition("@")[0])
    for secret in (*bare, code, alice.email, bob.email, bytes(game.seed).hex(), *cards):
        assert secret not in text, secret[:12]
    assert "Failing row" not in text.replace("DETAIL: …", "")
    assert "INSERT INTO" not in text
    assert "good_until" not in text  # of the row with a code
    assert "Failing row" not in error
    assert played.version > version


def wait_for_code(sink: SmtpSink, address: str) -> str:
    """The sign-in code of the email to this address."""

    def codes() -> list[str]:
        mails = [mail for mail in map(read, sink.messages) if mail["To"] == address]
        return [str(m["Subject"]).split()[0] for m in mails if "sign-in code" in str(m["Subject"])]

    wait_for(codes, "the sign-in code")
    return codes()[0]


def payloads(game: Game) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT payload::text FROM games_gameevent WHERE game_id = %s AND length(payload::text) > 30",
            [game.pk],
        )
        return [row[0] for row in cursor.fetchall()]


def twin(row: OutboxMail | None) -> dict[str, object]:
    assert row is not None
    return {"kind": row.kind, "dedupe_key": row.dedupe_key, "message_id": row.message_id}
