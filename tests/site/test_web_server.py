"""The web server: slow, broken and too many clients cost nobody else a page."""

import asyncio
import json
import os
import re
import signal
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from atlantis_site.front import Limits
from atlantis_site.refusals import refusal
from atlantis_site.supervisor.children import Child, wait_until
from atlantis_site.supervisor.reaper import children_of
from atlantis_site.supervisor.stack import BASE_DIR
from tests.support.fronts import GET, HEAD_END, OK, Stage, status_of, with_front
from tests.support.process_tree import all_gone
from tests.support.processes import PATIENCE, LiveSite, pid_of, wait_for, warm_child, warm_program
from tests.support.slow_clients import slow_clients
from tests.support.smtp_sink import free_port
from tests.support.unix_sockets import accepts
from tests.support.warm_processes import prepare, run_python, unprepare

POST = b"POST /move HTTP/1.1\r\nHost: games\r\n"


# -- the service as it is started --------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_everybody_is_served_while_500_clients_are_slow(live_site: LiveSite) -> None:
    port = urlsplit(live_site.url).port or 0
    with slow_clients(port, 500):
        for path in ("/", "/healthz", "/accounts/login/"):
            with urllib.request.urlopen(f"{live_site.url}{path}", timeout=8) as answer:
                assert answer.status == 200


@pytest.fixture(scope="module")
def variables() -> Iterator[dict[str, str]]:
    """Yield the variables of sites of their own, which start from the same server."""
    own = {"BIND": f"127.0.0.1:{free_port()}", "WEB_CONCURRENCY": "2"}
    every = {**os.environ, **own}
    prepare(every)
    yield own
    unprepare(every)


@pytest.fixture
def own_site(variables: dict[str, str], tmp_path: Path) -> Iterator[LiveSite]:
    """A site whose processes a test may kill; it answers without a database."""
    port = int(variables["BIND"].rpartition(":")[2])
    env = {**variables, "TMPDIR": str(tmp_path)}
    site = LiveSite(warm_child("web", tmp_path / "web.log", env), port)
    site.child.start()
    wait_until(site.answers, site.child, PATIENCE, "the site")
    yield site
    site.child.stop()


@pytest.mark.processes
def test_a_site_without_its_backend_ends_so_that_it_is_started_again(own_site: LiveSite) -> None:
    (backend,) = children_of(pid_of(own_site.child))
    os.kill(backend, signal.SIGKILL)
    assert own_site.child.wait(PATIENCE) == 1


@pytest.mark.processes
def test_a_site_that_is_stopped_leaves_no_process_and_no_file(
    own_site: LiveSite, tmp_path: Path
) -> None:
    family = [pid_of(own_site.child), *children_of(pid_of(own_site.child))]
    own_site.child.stop()
    assert own_site.child.status == 0
    assert all_gone(family)
    assert [path.name for path in tmp_path.iterdir()] == ["web.log"]


@pytest.mark.processes
def test_the_other_worker_answers_while_one_is_stopped(own_site: LiveSite) -> None:
    (backend,) = children_of(pid_of(own_site.child))
    os.kill(children_of(backend)[0], signal.SIGSTOP)
    assert all(own_site.answers() for _request in range(5))


@pytest.fixture(scope="module", params=["by the fork server of make play", "as in a container"])
def hanging_site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveSite]:
    """A site with the page /hang/, and with a timeout that a test can wait for."""
    port, log = free_port(), tmp_path_factory.mktemp("web") / "web.log"
    env = {"BIND": f"127.0.0.1:{port}", "WEB_CONCURRENCY": "2"}
    env["GUNICORN_CMD_ARGS"] = "--timeout 4"
    words = ("-m", "tests.support.children.hanging_site")
    child: Child = warm_program(*words, log=log, env=env)
    if "container" in request.param:
        child = Child("web", child.command, log=log, env=child.env, folder=child.folder)
    site = LiveSite(child, port)
    child.start()
    wait_until(site.answers, child, PATIENCE, "the site")
    yield site
    child.stop()


@pytest.mark.processes
@pytest.mark.parametrize("end", ["hang", signal.SIGTERM, signal.SIGABRT, signal.SIGKILL])
def test_a_worker_that_is_ended_is_replaced_and_the_site_goes_on(
    hanging_site: LiveSite, end: signal.Signals | str
) -> None:
    (backend,) = children_of(pid_of(hanging_site.child))
    wait_for(lambda: len(children_of(backend)) == 2, "the start of the workers")
    before = set(children_of(backend))
    with ExitStack() as client:
        if isinstance(end, signal.Signals):
            os.kill(min(before), end)
        else:
            address = ("127.0.0.1", urlsplit(hanging_site.url).port or 0)
            connection = client.enter_context(socket.create_connection(address, PATIENCE))
            connection.sendall(b"GET /hang/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert hanging_site.answers()
        wait_for(
            lambda: len(now := set(children_of(backend))) == 2 and now != before,
            "a new worker",
        )
    wait_for(hanging_site.answers, "an answer")
    assert hanging_site.child.running


@pytest.mark.processes
def test_the_backend_sees_the_address_of_the_client_and_believes_no_header(tmp_path: Path) -> None:
    backend = tmp_path / "backend"
    env = {"BACKEND": str(backend), "WEB_CONCURRENCY": "1"}
    words = (
        "-m",
        "gunicorn",
        "-c",
        "python:atlantis_site.gunicorn",
        "tests.support.children.show_environ",
    )
    gunicorn = warm_program(*words, log=tmp_path / "gunicorn.log", env=env)
    gunicorn.start()
    wait_until(lambda: accepts(backend), gunicorn, PATIENCE, "gunicorn")
    request = (
        POST + b"X-Forwarded-Proto: https\r\nX-Forwarded-For: 10.1.2.3\r\nSCRIPT_NAME: /x\r\n"
        b"X-Forwarded-For: 10.4.5.6\r\n"
        b"X_Forwarded_For: 10.9.9.9\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nline\r\n0\r\n\r\n"
    )

    answers: list[bytes] = []

    async def scene(stage: Stage) -> None:
        answers.append(await stage.ask(request))

    try:
        with_front(scene, backend=str(backend))
    finally:
        gunicorn.stop()
    head, _, body = answers[0].partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    seen = json.loads(body)
    assert (seen["REMOTE_ADDR"], seen["wsgi.url_scheme"]) == ("127.0.0.1", "http")
    assert (seen["SCRIPT_NAME"], seen["HTTP_X_FORWARDED_FOR"]) == ("", "10.1.2.3,10.4.5.6")
    assert (seen["CONTENT_LENGTH"], seen["body"]) == ("4", "line")


def test_gunicorn_by_itself_names_the_command_to_run() -> None:
    words = ("-m", "gunicorn", "-c", "python:atlantis_site.gunicorn", "atlantis_site.wsgi")
    done = run_python(*words, env={"PATH": os.environ["PATH"]})
    assert done.returncode != 0
    assert b"python -m atlantis_site.web" in done.stdout + done.stderr


# -- the front alone, beside a backend that does what a test needs -----------------------------


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (GET + b"X-Slow: 1", 408),
        (POST + b"Content-Length: 9\r\n\r\nhalf", 408),
        (b"", 408),
        (GET + b"X-Long: " + b"x" * 20_000, 431),
        (POST + b"Content-Length: 2000\r\n\r\n", 413),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n7d0\r\n" + b"x" * 2000, 413),
        (b"no HTTP at all\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),  # without Host
        (POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (POST + b"Content-Length : 1\r\n\r\nx", 400),
    ],
)
def test_a_request_that_is_slow_large_or_broken_never_reaches_a_worker(
    request_: bytes, expected: int
) -> None:
    async def scene(stage: Stage) -> None:
        assert status_of(await stage.ask(request_)) == expected
        assert stage.requests == []

    patience = 0.3 if expected == 408 else PATIENCE
    with_front(scene, limits=Limits(head_seconds=patience, body_seconds=patience, body_bytes=1000))


def test_a_second_request_in_the_body_of_the_first_stays_a_body() -> None:
    smuggled = b"0\r\n\r\nGET /admin/ HTTP/1.1\r\nHost: games\r\n\r\n"
    head = POST + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n" % len(smuggled)

    async def scene(stage: Stage) -> None:
        await stage.ask(head + smuggled)
        (request,) = stage.requests
        assert b"admin" not in request
        assert request.endswith(b"Connection: close\r\nContent-Length: 0\r\n\r\n")

    with_front(scene)


def test_a_client_that_asks_before_it_sends_the_body_may_continue() -> None:
    async def scene(stage: Stage) -> None:
        head = POST + b"Content-Length: 4\r\nExpect: 100-continue\r\n\r\n"
        reader, writer = await stage.connect(head)
        assert b"100" in await reader.readuntil(HEAD_END)
        writer.write(b"move")
        assert (await reader.read()).endswith(b"ok")
        writer.close()

    with_front(scene)


def test_with_too_many_connections_the_one_that_is_slowest_makes_room() -> None:
    async def scene(stage: Stage) -> None:
        slow = [await stage.connect(b"GET") for _client in range(3)]
        await stage.until(lambda: len(stage.front._receiving) == 3)
        assert status_of(await stage.ask(GET + b"\r\n")) == 200
        assert await slow[0][0].read() == b""
        for _reader, writer in slow:
            writer.close()

    with_front(scene, limits=Limits(connections=3))


def test_under_overload_the_rest_is_refused_at_once_and_healthz_answers() -> None:
    async def scene(stage: Stage) -> None:
        stage.may_answer.clear()
        busy = [asyncio.ensure_future(stage.ask(GET + b"\r\n")) for _page in range(3)]
        await stage.until(lambda: len(stage.requests) == 2)  # the third one waits
        refused = await stage.ask(GET + b"Accept-Language: de-AT,fr\r\n\r\n")
        assert status_of(refused) == 503
        assert b"\r\nRetry-After: " in refused
        assert "Der Dienst ist überlastet".encode() in refused
        health = await stage.ask(b"GET /healthz HTTP/1.1\r\nHost: games\r\n\r\n")
        assert status_of(health) == 200
        stage.may_answer.set()
        assert [status_of(answer) for answer in await asyncio.gather(*busy)] == [200, 200, 200]

    with_front(scene, limits=Limits(waiting=1, waiting_seconds=PATIENCE))


def test_a_request_does_not_wait_for_ever_for_a_worker() -> None:
    async def scene(stage: Stage) -> None:
        stage.may_answer.clear()
        busy = [asyncio.ensure_future(stage.ask(GET + b"\r\n")) for _page in range(2)]
        await stage.until(lambda: len(stage.requests) == 2)
        assert status_of(await stage.ask(GET + b"\r\n")) == 503
        stage.may_answer.set()
        await asyncio.gather(*busy)

    with_front(scene, limits=Limits(waiting_seconds=0.2))


def test_a_request_whose_client_has_left_is_not_worked_on() -> None:
    async def scene(stage: Stage) -> None:
        stage.may_answer.clear()
        busy = [asyncio.ensure_future(stage.ask(GET + b"\r\n")) for _page in range(2)]
        await stage.until(lambda: len(stage.requests) == 2)
        _reader, left = await stage.connect(b"GET /left HTTP/1.1\r\nHost: games\r\n\r\n")
        await stage.until(lambda: stage.front._waiting == 1)
        left.close()
        await left.wait_closed()
        stage.may_answer.set()
        await asyncio.gather(*busy)
        await stage.ask(GET + b"\r\n")
        assert not [request for request in stage.requests if b"/left" in request]

    with_front(scene)


@pytest.mark.parametrize("backend", ["hangs", "is gone"])
def test_a_backend_that_does_not_answer_gives_a_503(backend: str) -> None:
    async def scene(stage: Stage) -> None:
        stage.may_answer.clear()
        answer = await stage.ask(GET + b"\r\n")
        assert status_of(answer) == 503
        assert b"\r\nRetry-After: " in answer

    limits = Limits(answer_seconds=0.2)
    with_front(scene, limits=limits, backend="/nowhere/backend" if backend == "is gone" else "")


def test_an_answer_that_is_read_slowly_does_not_keep_the_worker() -> None:
    async def scene(stage: Stage) -> None:
        stage.body = b"x" * 400_000
        slow = [await stage.connect(GET + b"\r\n") for _client in range(8)]
        await stage.until(lambda: len(stage.requests) == 8)
        assert (await stage.ask(GET + b"\r\n")).endswith(stage.body)
        for _reader, writer in slow:
            writer.transport.abort()

    with_front(scene)


def test_an_answer_that_is_never_read_is_given_up() -> None:
    async def scene(stage: Stage) -> None:
        stage.body = b"x" * 20_000_000
        deaf = [await stage.connect(GET + b"\r\n") for _client in range(2)]
        await stage.until(lambda: len(stage.requests) == 2)  # as many as the front hands over
        stage.body = b"ok"
        assert await stage.ask(GET + b"\r\n") == OK + b"ok"
        for _reader, writer in deaf:
            writer.transport.abort()

    with_front(scene, limits=Limits(send_seconds=1, waiting_seconds=PATIENCE))


def test_a_client_that_leaves_before_the_refusal_causes_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Otherwise every stranger could fill the log with errors."""

    async def scene(stage: Stage) -> None:
        reader, writer = await stage.connect(b"broken\r\n\r\n")
        writer.close()
        await stage.until(lambda: reader.at_eof())

    with_front(scene)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_a_stop_finishes_the_requests_that_have_arrived_and_takes_no_more() -> None:
    async def scene(stage: Stage) -> None:
        stage.may_answer.clear()
        half, writer = await stage.connect(b"GET")
        busy = asyncio.ensure_future(stage.ask(GET + b"\r\n"))
        await stage.until(lambda: len(stage.requests) == 1)
        stage.stop.set()
        assert await half.read() == b""
        with pytest.raises(ConnectionError):
            await stage.connect(GET)
        stage.may_answer.set()
        assert status_of(await busy) == 200
        writer.close()

    with_front(scene)


def test_the_documented_proxies_have_limits_that_fit_ours() -> None:
    pages = ("running-in-production.md", "other-ways.md")
    guide = "".join((BASE_DIR / "docs" / page).read_text() for page in pages)
    limits = Limits()
    head, body, size = limits.head_seconds, limits.body_seconds, limits.body_bytes >> 20
    for setting in (
        f"read_header {head}s",
        f"read_body {body}s",
        f"max_size {size}MiB",
        f"client_header_timeout {head}s",
        f"client_body_timeout {body}s",
        f"client_max_body_size {size}m",
        "proxy_request_buffering on",
    ):
        assert setting in guide
    patience = re.findall(r"(?:response_header|proxy_read)_timeout (\d+)s", guide)
    assert [int(seconds) > limits.answer_seconds for seconds in patience] == [True, True]


@pytest.mark.parametrize(
    ("languages", "word"),
    [("", "busy"), ("es", "busy"), ("es,fr;q=0.5", "surchargé"), ("de", "überlastet")],
)
def test_a_refusal_is_in_the_language_of_the_browser(languages: str, word: str) -> None:
    assert word in refusal(503, languages).decode()


@pytest.mark.parametrize("status", [400, 401, 408, 413, 431, 501, 503])
def test_a_refusal_names_its_status_in_the_words_of_http(status: int) -> None:
    line = refusal(status, "en").partition(b"\r\n")[0].decode()
    assert line == f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"
