"""/healthz and /readyz: what a load balancer, a container and a volunteer see."""

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from atlantis_site.celery import app
from games import services
from games.mail import transport_state
from games.mail.transport_state import Lane
from games.models import Heartbeat, InboundMail, OutboxMail
from tests.support.outbox_workers import StartProcess
from tests.support.processes import CeleryProcess, LiveSite, wait_for
from tests.support.warm_processes import run_python


@pytest.fixture
def beating(db: None) -> Heartbeat:
    """All processes were heard a moment ago, and so was the sweep."""
    now = timezone.now()
    for name in ("sweep", "worker@one", "bots@one"):
        Heartbeat.objects.create(name=name, at=now, started_at=now)
    return Heartbeat.objects.create(name="beat@one", at=now, started_at=now)


def silent(name: str, *, minutes: float = 4, started: bool = True) -> None:
    """A heartbeat that was last heard some minutes ago."""
    then = timezone.now() - timedelta(minutes=minutes)
    values = {"at": then, "started_at": then if started else None}
    Heartbeat.objects.update_or_create(name=name, defaults=values)


def queue_mail(minutes_ago: float, state: str = "queued") -> OutboxMail:
    then = timezone.now() - timedelta(minutes=minutes_ago)
    return OutboxMail.objects.create(
        kind="turn",
        to_address="ann@example.org",
        dedupe_key="ann",
        message_id="<ann@example.org>",
        created_at=then,
        next_try_at=then,
        state=state,
        sent_at=then if state == "sent" else None,
    )


def readyz(client: Client) -> tuple[int, dict[str, Any]]:
    answer = client.get("/readyz")
    return answer.status_code, answer.json()


def test_each_part_has_a_line_of_its_own(client: Client, beating: Heartbeat) -> None:
    lines = client.get("/readyz").content.decode().splitlines()
    assert '  "database": "ok",' in lines
    assert '  "beat": "ok",' in lines


def test_all_is_well(client: Client, beating: Heartbeat) -> None:
    status, report = readyz(client)
    assert status == 200
    assert report["ready"] is True
    parts = (
        "database",
        "broker",
        "mail",
        "mail_server",
        "incoming_mail",
        "beat",
        "sweep",
        "play_bots",
    )
    assert [report[part] for part in parts] == ["ok"] * len(parts)
    assert report["attention"] == {}
    assert report["oldest_unsent_mail_seconds"] is None
    assert 0 <= report["last_beat_seconds"] < 60


@pytest.mark.django_db
def test_processes_that_were_never_heard_are_reported(client: Client) -> None:
    status, report = readyz(client)
    assert (status, report["ready"]) == (503, False)
    assert report["beat"].startswith("no sign of life yet")
    assert report["worker"].endswith("start or restart worker")
    assert report["bots"].endswith("start or restart bots")


def test_a_worker_that_runs_nothing_is_reported(client: Client, beating: Heartbeat) -> None:
    Heartbeat.objects.filter(name="sweep").delete()
    assert readyz(client)[1]["sweep"] == "has not run yet: start worker"


def test_while_beat_is_silent_no_task_is_blamed(client: Client, beating: Heartbeat) -> None:
    silent("beat@one")
    silent("sweep", minutes=5)
    status, report = readyz(client)
    assert (status, "sweep" in report) == (503, False)
    assert report["last_beat_seconds"] > 230


@pytest.mark.parametrize("process", ["beat", "worker", "bots"])
def test_a_process_that_hangs_beside_a_healthy_one_is_named(
    client: Client, beating: Heartbeat, process: str
) -> None:
    silent(f"{process}@two")
    status, report = readyz(client)
    assert status == 503
    assert report[process] == f"no sign of life on two for several minutes: restart {process} there"


def test_a_process_that_ended_in_order_is_not_missed_beside_another(
    client: Client, beating: Heartbeat
) -> None:
    silent("worker@two", started=False)
    assert readyz(client)[0] == 200


def test_a_process_that_has_been_silent_for_a_day_is_forgotten(
    client: Client, beating: Heartbeat
) -> None:
    silent("worker@two", minutes=24 * 60 + 1)
    assert readyz(client)[0] == 200
    services.heartbeats_purge()
    assert not Heartbeat.objects.filter(name="worker@two").exists()
    assert Heartbeat.objects.filter(name="worker@one").exists()


def test_the_last_worker_is_missed_even_if_it_ended_in_order(
    client: Client, beating: Heartbeat
) -> None:
    silent("worker@one", started=False)
    assert "no email is sent" in readyz(client)[1]["worker"]


@pytest.mark.parametrize(
    ("listener", "secret", "words"),
    [
        (None, [], "there is no way for them to arrive: start the listener"),
        (None, ["user:word"], "ok"),
        ({"minutes": 1}, [], "ok"),
        ({"minutes": 4}, ["user:word"], "no sign of life for"),
        ({"minutes": 4, "started": False}, [], "no sign of life for"),
    ],
)
def test_replies_without_a_way_in_are_reported(
    client: Client,
    beating: Heartbeat,
    settings: Settings,
    listener: dict[str, Any] | None,
    secret: list[str],
    words: str,
) -> None:
    settings.MAIL_REPLY_DOMAIN, settings.INBOUND_SECRET = "example.org", secret
    if listener is not None:
        silent("listener@one", **listener)
    status, report = readyz(client)
    assert report["replies"].startswith(words)
    assert status == (200 if words == "ok" else 503)


def test_replies_that_come_through_a_pipe_have_a_way_in(
    client: Client, beating: Heartbeat, settings: Settings
) -> None:
    settings.MAIL_REPLY_DOMAIN, settings.INBOUND_SECRET = "example.org", []
    before = timezone.now() - timedelta(hours=1)
    InboundMail.objects.create(
        key="0", raw=b"E", recipient="a@example.org", received_at=before, channel="pipe"
    )
    _status, report = readyz(client)
    assert report["replies"] == "ok"
    assert report["last_reply_days"] == 0  # not closer: an order of an opponent may be a reply


def test_a_poll_of_a_service_that_is_not_ready_logs_nothing(
    client: Client, db: None, caplog: pytest.LogCaptureFixture
) -> None:
    assert readyz(client)[0] == 503
    assert caplog.text == ""


def test_an_email_that_waits_for_too_long_is_reported(client: Client, beating: Heartbeat) -> None:
    queue_mail(minutes_ago=16)
    status, report = readyz(client)
    assert status == 503
    assert report["mail"].startswith("emails have waited too long, the oldest for 9")
    assert 950 < report["oldest_unsent_mail_seconds"] < 1000


@pytest.mark.parametrize(("minutes", "state"), [(5, "queued"), (60, "sent"), (60, "dead")])
def test_an_email_that_is_young_or_done_is_no_trouble(
    client: Client, beating: Heartbeat, minutes: float, state: str
) -> None:
    queue_mail(minutes, state)
    assert readyz(client)[0] == 200


def test_a_digest_of_the_day_has_not_waited_since_yesterday(
    client: Client, beating: Heartbeat
) -> None:
    queue_mail(minutes_ago=1000)
    OutboxMail.objects.update(next_try_at=timezone.now() - timedelta(minutes=1))
    status, report = readyz(client)
    assert (status, report["mail"]) == (200, "ok")
    assert 50 < report["oldest_unsent_mail_seconds"] < 100


def test_a_code_that_waits_for_minutes_is_reported(client: Client, beating: Heartbeat) -> None:
    queue_mail(minutes_ago=3)
    assert readyz(client)[0] == 200
    OutboxMail.objects.update(urgent=True, next_try_at=timezone.now() - timedelta(days=1))
    status, report = readyz(client)
    assert status == 503
    assert "emails have waited too long" in report["mail"]


def test_emails_of_a_dead_sender_that_nobody_takes_over_are_reported(
    client: Client, beating: Heartbeat
) -> None:
    queue_mail(minutes_ago=5)
    OutboxMail.objects.update(
        state="sending", lease_until=timezone.now() - timedelta(minutes=3), lease_token=uuid4()
    )
    assert "a sending process died" in readyz(client)[1]["mail"]


def test_a_reply_that_nobody_reads_for_minutes_is_reported(
    client: Client, beating: Heartbeat
) -> None:
    before = timezone.now() - timedelta(minutes=4)
    row = InboundMail.objects.create(
        key="0", raw=b"B flag", recipient="a@example.org", received_at=before, next_try_at=before
    )
    status, report = readyz(client)
    assert status == 503
    assert report["incoming_mail"].startswith("replies have waited to be read for 24")
    InboundMail.objects.filter(pk=row.pk).update(next_try_at=timezone.now())  # tried just now
    assert readyz(client)[0] == 200


def test_a_mail_server_that_refuses_us_is_reported_with_its_words(
    client: Client, beating: Heartbeat
) -> None:
    transport_state.close(Lane.BULK, "550 5.7.1 <ann@example.org> suspended", refused=True)
    status, report = readyz(client)
    assert status == 503
    assert "550 5.7.1 … suspended" in report["mail_server"]


@pytest.mark.parametrize(
    ("began", "words"), [(None, "start or restart worker"), (4, "restart worker, which is stuck")]
)
def test_a_sweep_that_does_not_end_is_reported(
    client: Client, beating: Heartbeat, began: float | None, words: str
) -> None:
    """Return whether no worker runs it, or one began and hangs."""
    now = timezone.now()
    ended = now - timedelta(minutes=5)
    started = ended if began is None else now - timedelta(minutes=began)
    Heartbeat.objects.filter(name="sweep").update(at=ended, started_at=started)
    status, report = readyz(client)
    assert (status, report["beat"]) == (503, "ok")
    assert words in report["sweep"]


def test_deadlines_that_stand_still_are_reported(client: Client, beating: Heartbeat) -> None:
    """The task of deadlines runs, but finds that a part of the service is away."""
    now = timezone.now()
    Heartbeat.objects.create(name="deadlines", at=now, started_at=now)
    mark = Heartbeat.objects.create(name=Heartbeat.SERVICE, at=now - timedelta(minutes=9))
    assert readyz(client)[1]["deadlines"] == "ok"
    Heartbeat.objects.filter(pk=mark.pk).update(at=now - timedelta(minutes=11))
    status, report = readyz(client)
    assert status == 503
    assert "does not answer at SITE_CHECK_URL" in report["deadlines"]


@pytest.mark.parametrize(("state", "line"), [("parked", "parked_emails"), ("dead", "dead_emails")])
def test_emails_that_were_refused_are_counted_and_the_service_stays_ready(
    client: Client, beating: Heartbeat, state: str, line: str
) -> None:
    queue_mail(minutes_ago=60, state=state)
    status, report = readyz(client)
    assert status == 200
    assert report["attention"][line].startswith("1 ")


@pytest.mark.parametrize(
    ("state", "outcome", "days", "is_named"),
    [
        ("failed", "broken", 1, True),
        ("failed", "", 1, True),
        ("failed", "broken", 3, False),
        ("done", "broken", 1, False),  # malformed by its writer
        ("done", "played", 1, False),
    ],
)
def test_replies_that_nobody_could_read_are_named_and_the_service_stays_ready(
    client: Client, beating: Heartbeat, state: str, outcome: str, days: int, is_named: bool
) -> None:
    at = timezone.now() - timedelta(days=days)
    InboundMail.objects.create(
        key="0",
        raw=b"{}",
        recipient="a@example.org",
        state=state,
        outcome=outcome,
        received_at=at,
        read_at=at,
    )
    status, report = readyz(client)
    assert (status, "failed_replies" in report["attention"]) == (200, is_named)
    assert report["last_reply_days"] == (days if outcome == "played" else None)


def test_the_report_is_cheap_however_many_emails_wait(
    client: Client, beating: Heartbeat, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(8) as queries:
        assert readyz(client)[0] == 200
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")  # the tables are nearly empty here
        for query in queries.captured_queries:
            if "games_outboxmail" in query["sql"]:
                cursor.execute(f"EXPLAIN {query['sql']}")
                plan = "\n".join(line for (line,) in cursor.fetchall())
                assert "using games_outbox_" in plan or "on games_outbox_" in plan, plan
                assert "Seq Scan" not in plan


def test_a_broker_that_is_gone_is_reported(
    client: Client, beating: Heartbeat, dead_broker: None
) -> None:
    status, report = readyz(client)
    assert status == 503
    assert report["broker"].startswith("does not answer")
    assert report["database"] == "ok"


@pytest.fixture
def dead_broker(tmp_path: Path) -> Iterator[None]:
    kept = app.conf.broker_url
    app.conf.update(broker_url=f"redis+socket://{tmp_path}/nobody.sock")
    yield
    app.conf.update(broker_url=kept)


@pytest.mark.parametrize("path", ["/healthz", "/healthz/pages", "/readyz"])
def test_the_answers_are_never_kept(client: Client, beating: Heartbeat, path: str) -> None:
    assert "no-store" in client.get(path)["Cache-Control"]


@pytest.mark.parametrize("path", ["/healthz", "/healthz/pages", "/readyz"])
def test_machines_inside_may_ask_without_https(
    client: Client, beating: Heartbeat, settings: Settings, path: str
) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert client.get(path).status_code == 200
    assert client.get("/accounts/login/").status_code == 301


@pytest.mark.parametrize("path", ["/healthz", "/healthz/pages", "/readyz"])
def test_only_looking_is_allowed(client: Client, beating: Heartbeat, path: str) -> None:
    assert client.post(path).status_code == 405


def test_without_its_database_the_process_is_alive_but_not_ready(
    site_without_database: LiveSite,
) -> None:
    # That /healthz answers is what the fixture waited for.
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{site_without_database.url}/readyz", timeout=10)
    with caught.value as answer:
        report = json.loads(answer.read())
    assert caught.value.code == 503
    assert report["database"].startswith("does not answer (OperationalError): start PostgreSQL")


def test_the_processes_of_an_installation_make_it_ready(
    start_process: StartProcess, client: Client
) -> None:
    for name in ("worker", "bots", "beat"):
        start_process(name)
    wait_for(lambda: readyz(client)[0] == 200, "a beat that reaches the database")


def test_a_worker_that_is_stopped_in_order_says_so(start_process: StartProcess, db: None) -> None:
    worker = start_process("worker")
    rows = Heartbeat.objects.filter(name__startswith="worker@")
    wait_for(rows.filter(started_at__isnull=False).exists, "the first heartbeat")
    worker.stop()
    assert [row.started_at for row in rows] == [None]


def test_the_one_worker_of_make_play_makes_it_ready(
    start_process: StartProcess, client: Client
) -> None:
    start_process("one-worker")
    wait_for(lambda: readyz(client)[0] == 200, "a beat that reaches the database")


def test_a_container_asks_about_itself(live_site: LiveSite, celery_worker: CeleryProcess) -> None:
    env = {
        **os.environ,
        **celery_worker.env,
        "BIND": live_site.url.removeprefix("http://"),
        "SITE_URL": live_site.url,
    }
    for part, status, word in (
        ("web", 0, "ok"),
        ("worker", 0, "ok"),
        ("beat", 1, "no regular task"),
    ):
        done = run_python("-m", "atlantis_site.healthcheck", part, env=env)
        output = done.stdout.decode()
        assert (done.returncode, word in output) == (status, True), (part, output, done.stderr)
