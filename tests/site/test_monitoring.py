"""Logs, metrics, the heartbeat URL and error reports: what an operator sees of the service."""

import io
import json
import logging
import re
import shutil
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import brotli
import pytest
import sentry_sdk
from celery.signals import task_postrun, task_prerun
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from atlantis_site import beat, error_reports
from atlantis_site.metrics_server import parse_bind
from atlantis_site.scrubbed_logs import JsonFormatter, ScrubbingFormatter
from atlantis_site.supervisor.stack import BASE_DIR
from games import log_context, metrics, tasks
from games.models import Heartbeat, InboundMail, OutboxMail, User
from games.operations.metrics import StateCollector
from tests.factories import play_one, table_of
from tests.support.debian_programs import PROMETHEUS
from tests.support.processes import LiveSite, wait_for
from tests.support.smtp_sink import free_port

MONITORING = BASE_DIR / "docs" / "monitoring"

# -- log lines -----------------------------------------------------------------------------------


def record(message: str, *args: object, exc_info: Any = None) -> logging.LogRecord:
    return logging.LogRecord("games.x", logging.ERROR, "x.py", 1, message, args, exc_info)


def test_a_line_begins_with_its_time_in_utc() -> None:
    logged = record("Stopped.")
    logged.created, logged.msecs = 0.25, 250.0
    assert ScrubbingFormatter().format(logged) == "1970-01-01T00:00:00.250Z ERROR games.x: Stopped."


def test_what_a_client_sends_cannot_pose_as_another_line() -> None:
    line = ScrubbingFormatter().format(
        record("Not Found: %s", "/x\n2026 ERROR root: all lost\x1b[2J")
    )
    assert "\n" not in line
    assert "\x1b" not in line
    assert line.endswith(r"/x\n2026 ERROR root: all lost\x1b[2J")


def test_a_json_line_is_one_scrubbed_object() -> None:
    try:
        raise ValueError("no\nDETAIL:  Failing row contains (1, hush).\n")
    except ValueError:
        text = JsonFormatter().format(record("To %s", "bob@example.org", exc_info=sys.exc_info()))
    entry = json.loads(text)
    assert "\n" not in text
    assert entry.keys() == {"time", "level", "logger", "process", "message", "traceback"}
    assert entry["message"] == "To …@…"
    assert "hush" not in entry["traceback"].replace("(1, hush).\\n", "")  # the line of this file


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """Yield the output of the service's log handler about requests and tasks."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(ScrubbingFormatter())
    handler.addFilter(log_context.ContextFilter())
    loggers = [logging.getLogger(name) for name in ("django.request", "games.tasks")]
    for logger in loggers:
        logger.addHandler(handler)
    yield stream
    for logger in loggers:
        logger.removeHandler(handler)


def test_lines_name_the_request_and_its_user(alice: User, lines: io.StringIO) -> None:
    client = Client(headers={"Request-Id": "forged", "X-Request-Id": "forged"})
    strange = client.get("/nowhere/")
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    own = client.get("/g/bbbbbbbbbbbb/")
    logging.getLogger("django.request").warning("between requests")
    first, second, third = lines.getvalue().splitlines()
    assert f" django.request request={strange['Request-Id']}: Not Found" in first
    assert f" django.request request={own['Request-Id']} user={alice.pk}: Not Found" in second
    assert third.endswith(" django.request: between requests")
    assert re.fullmatch("[0-9a-f]{12}", own["Request-Id"])
    assert strange["Request-Id"] != own["Request-Id"]


def test_lines_of_a_worker_name_the_task(lines: io.StringIO, db: None) -> None:
    task = tasks.forget_mails
    task_prerun.send(sender=task, task_id="0123456789-abc", task=task)
    logging.getLogger("games.tasks").warning("hello")
    task_postrun.send(sender=task, task_id="0123456789-abc", task=task)
    logging.getLogger("games.tasks").warning("bye")
    assert re.findall(r"games\.tasks.*$", lines.getvalue(), re.MULTILINE) == [
        "games.tasks task=forget_mails-01234567: hello",
        "games.tasks: bye",
    ]


def test_a_json_line_has_them_as_keys() -> None:
    logged = record("Not Found")
    logged.context = {"request": "abc", "user": "7"}
    entry = json.loads(JsonFormatter().format(logged))
    assert (entry["request"], entry["user"]) == ("abc", "7")


# -- metrics -------------------------------------------------------------------------------------


def values(text: str) -> dict[str, float]:
    """Samples by name and labels, as `atlantis_ready{part="mail"}`."""
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f'{key}="{value}"' for key, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    monkeypatch.setattr(connection, "close", lambda: None)  # the test's own connection
    registry = CollectorRegistry()
    registry.register(StateCollector())
    return values(generate_latest(registry).decode())


def test_metrics_show_what_waits_and_for_how_long(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_one(table_of(alice, bob))
    assert OutboxMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=90)) > 0
    OutboxMail.objects.update(created_at=timezone.now() - timedelta(hours=1))
    waiting = OutboxMail.objects.filter(state=OutboxMail.State.QUEUED).count()
    long_ago = timezone.now() - timedelta(minutes=7)
    InboundMail.objects.create(raw=b"x", key="k", recipient="r", received_at=long_ago)
    Heartbeat.objects.create(name="sweep", at=long_ago)
    Heartbeat.objects.create(name="beat@here", at=timezone.now())
    found = state(monkeypatch)
    assert found['atlantis_waiting_emails{state="queued"}'] == waiting
    assert found['atlantis_waiting_emails{state="parked"}'] == 0
    assert 90 <= found["atlantis_oldest_due_email_seconds"] < 400
    assert 420 <= found["atlantis_oldest_unread_reply_seconds"] < 800
    assert 420 <= found['atlantis_task_age_seconds{task="sweep"}'] < 800
    assert found['atlantis_ready{part="database"}'] == 1
    assert found['atlantis_ready{part="sweep"}'] == 0
    assert found["atlantis_failed_replies"] == 0


def test_metrics_show_that_replies_could_not_be_read(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    InboundMail.objects.create(raw=b"x", key="k", recipient="r", state=InboundMail.State.FAILED)
    assert state(monkeypatch)["atlantis_failed_replies"] == 1


def test_metrics_show_the_largest_tables(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    found = state(monkeypatch)
    sizes = [size for name, size in found.items() if name.startswith("atlantis_table_bytes")]
    assert len(sizes) == 10
    assert min(sizes) > 0


def test_metrics_show_the_free_space_of_the_folders_of_data_and_emails(
    db: None, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    settings.VAR_DIR, settings.EMAIL_FILE_PATH = tmp_path, str(tmp_path / "not" / "yet" / "there")
    found = state(monkeypatch)
    free = shutil.disk_usage(tmp_path).free
    for folder in ("data", "mail"):
        assert found[f'atlantis_free_bytes{{folder="{folder}"}}'] == pytest.approx(free, rel=0.1)


def test_metrics_show_the_free_space_while_the_database_does_not_answer(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_answer(*_query: object) -> None:
        raise OperationalError

    with connection.execute_wrapper(no_answer):
        found = state(monkeypatch)
    assert found['atlantis_ready{part="database"}'] == 0
    assert found['atlantis_free_bytes{folder="data"}'] > 0


def test_metrics_name_nobody_and_no_game(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = table_of(alice, bob)
    found = " ".join(state(monkeypatch))
    assert alice.name.lower() not in found.lower()
    assert game.public_id not in found


@pytest.mark.parametrize("text", ["9100", "localhost", "host:port", "127.0.0.1:99999"])
def test_an_address_without_host_or_port_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be host:port"):
        parse_bind(text)


def fetch(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        text: str = answer.read().decode()
        return text


def test_the_web_server_counts_pages_but_not_what_strangers_make_up(
    transactional_db: None, site: LiveSite
) -> None:
    for path in ("/rules/", "/made-up/", "/made-up-too/"):
        try:
            fetch(site.url + path)
        except urllib.error.HTTPError as error:
            assert error.code == 404
    key = 'atlantis_http_request_seconds_count{method="GET",page="other",status="404"}'
    wait_for(lambda: values(fetch(site.metrics_url)).get(key, 0) >= 2, "the count of both pages")
    found = values(fetch(site.metrics_url))
    pages = {name.partition('page="')[2].partition('"')[0] for name in found if 'page="' in name}
    assert "other" in pages
    assert not [name for name in found if "made" in name]


# -- Prometheus ----------------------------------------------------------------------------------


@pytest.fixture
def prometheus(tmp_path: Path, site: LiveSite) -> Iterator[str]:
    """A real Prometheus with the files of docs/monitoring, which reads the metrics of a web server
    and of a worker; its URL."""
    program = PROMETHEUS.find()
    assert program is not None
    port = free_port()
    shutil.copy(MONITORING / "alerts.yml", tmp_path)
    config = (MONITORING / "prometheus.yml").read_text()
    web = urllib.parse.urlsplit(site.metrics_url).netloc
    config = config.replace("127.0.0.1:9101", web).replace("15s", "1s").replace("10s", "1s")
    (tmp_path / "prometheus.yml").write_text(config)
    command = [
        program,
        f"--config.file={tmp_path}/prometheus.yml",
        f"--storage.tsdb.path={tmp_path}/data",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
    ]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def test_prometheus_reads_our_metrics_and_alert_rules(
    transactional_db: None, prometheus: str
) -> None:
    def up() -> bool:
        try:
            answer = json.loads(fetch(f"{prometheus}/api/v1/query?query=up"))
        except OSError:
            return False
        found = {one["metric"]["job"]: one["value"][1] for one in answer["data"]["result"]}
        return found == {"atlantis_web": "1", "atlantis_worker": "0"}  # no worker runs here

    wait_for(up, "the first scrape", pause=0.2)
    groups = json.loads(fetch(f"{prometheus}/api/v1/rules"))["data"]["groups"]
    written = re.findall(r"- alert: (\w+)", (MONITORING / "alerts.yml").read_text())
    assert [rule["name"] for rule in groups[0]["rules"]] == written
    wait_for(
        lambda: "AtlantisProcessDown" in fetch(f"{prometheus}/api/v1/alerts"),
        "the alert about the worker",
        pause=0.2,
    )


def test_the_rules_and_the_dashboard_name_only_metrics_that_exist(
    db: None, monkeypatch: pytest.MonkeyPatch, site: LiveSite
) -> None:
    Heartbeat.objects.create(name="sweep", at=timezone.now())
    registry = CollectorRegistry()
    for metric in (metrics.EMAILS, metrics.PAINTING, metrics.TASKS):
        registry.register(metric)
    text = generate_latest(registry).decode() + fetch(site.metrics_url)
    known = {family.name for family in text_string_to_metric_families(text)}
    known |= {name.partition("{")[0] for name in state(monkeypatch)}
    for file in ("alerts.yml", "grafana.json"):
        named = set(re.findall(r"\batlantis_\w+", (MONITORING / file).read_text()))
        named -= {"atlantis_web", "atlantis_worker"}
        unknown = {re.sub(r"_(bucket|count|sum|total)$", "", name) for name in named} - known
        assert {name for name in unknown if f"{name}_total" not in known} == set(), file


# -- reports to others ---------------------------------------------------------------------------


@pytest.fixture
def sink() -> Iterator[tuple[str, list[bytes]]]:
    """An HTTP server on loopback: its host and port, and "path body" of each request."""
    requests: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            if self.headers["Content-Encoding"] == "br":
                body = brotli.decompress(body)
            requests.append(f"{self.path} ".encode() + body)
            self.send_response(200)
            self.end_headers()

        do_POST = do_GET  # noqa: N815  # the name that http.server looks for

        def log_message(self, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}", requests
    server.shutdown()
    server.server_close()


def check_service(url: str = "") -> None:
    """As beat does: in a thread, with a database connection of its own."""
    thread = threading.Thread(target=beat.check_service, args=[url])
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


@pytest.fixture
def ready(transactional_db: None) -> None:
    """All processes were heard and all regular tasks ran a moment ago."""
    for name in ("sweep", "beat@here", "worker@here", "bots@here"):
        Heartbeat.objects.create(name=name, at=timezone.now(), started_at=timezone.now())


def test_beat_requests_the_heartbeat_url_while_the_service_is_ready(
    ready: None, sink: tuple[str, list[bytes]]
) -> None:
    host, requests = sink
    check_service(f"http://{host}/ping/1")
    assert requests == [b"/ping/1 "]


def test_beat_does_not_request_the_heartbeat_url_while_the_service_is_not_ready(
    transactional_db: None, sink: tuple[str, list[bytes]]
) -> None:
    host, requests = sink
    check_service(f"http://{host}/ping/1")
    assert requests == []


def test_beat_logs_a_part_that_becomes_unready_once_and_when_it_is_ready_again(
    ready: None, caplog: pytest.LogCaptureFixture
) -> None:
    check_service()
    caplog.clear()
    Heartbeat.objects.filter(name="bots@here").update(at=timezone.now() - timedelta(minutes=4))
    check_service()
    check_service()
    Heartbeat.objects.update(at=timezone.now())
    check_service()
    lines = [record.getMessage() for record in caplog.records]
    assert [line.partition(" for ")[0] for line in lines] == [
        "/readyz: bots: no sign of life",
        "/readyz: bots is ok again.",
    ]


def test_a_watcher_that_is_away_does_not_end_beat(
    ready: None, caplog: pytest.LogCaptureFixture
) -> None:
    check_service(f"http://127.0.0.1:{free_port()}/secret-uuid")
    assert "could not be requested" in caplog.text
    assert "secret-uuid" not in caplog.text


def test_a_request_for_another_host_is_refused_and_is_no_error_of_ours(
    client: Client, caplog: pytest.LogCaptureFixture, db: None
) -> None:
    assert client.get("/about/", headers={"host": "elsewhere.example"}).status_code == 400
    (record,) = [found for found in caplog.records if found.name.startswith("django.security")]
    assert (record.levelname, record.exc_info) == ("WARNING", None)
    assert "elsewhere.example" in record.getMessage()


def test_reports_of_errors_hold_no_secrets(sink: tuple[str, list[bytes]]) -> None:
    host, requests = sink
    error_reports.start(f"http://key@{host}/1")
    try:
        drawn_card = "a-card-nobody-may-see"
        try:
            raise ValueError(
                f"bob@example.org\nDETAIL:  Failing row contains ({len(drawn_card)}, hush)."
            )
        except ValueError:
            logging.getLogger("games.x").exception("Email to %s failed.", "carol@example.org")
        sentry_sdk.flush(10)
    finally:
        sentry_sdk.init(None)
    [report] = requests
    assert b"ValueError" in report
    assert b"Email to %s failed." in report
    for secret in (b"a-card-nobody", b"hush", b"bob@", b"carol@"):
        assert secret not in report
