"""nginx with the configuration of docs/other-ways.md, in front of a server that
echoes."""

import http.client
import json
import re
import textwrap
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from atlantis_site.front import Limits
from atlantis_site.supervisor.children import Child, wait_until
from atlantis_site.supervisor.stack import BASE_DIR
from tests.support.debian_programs import NGINX
from tests.support.processes import PATIENCE
from tests.support.smtp_sink import free_port

pytestmark = pytest.mark.processes


class Echo(BaseHTTPRequestHandler):
    """Answers with the headers that it got; below /events/ with a line, and the rest later."""

    go_on = threading.Event()

    def do_GET(self) -> None:
        if self.path == "/busy":
            self.send_response(503)
            self.send_header("Retry-After", "7")
            self.end_headers()
            return
        self.send_response(200)
        if self.path.startswith("/events/"):
            self.send_header("X-Accel-Buffering", "no")  # as our event process does
            self.end_headers()
            self.wfile.write(b"first\n")
            self.wfile.flush()
            self.go_on.wait(PATIENCE)
            return
        self.end_headers()
        self.wfile.write(json.dumps(dict(self.headers.items())).encode())

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def log_request(self, *_args: object) -> None:
        """Nothing: the output of tests is for failures."""


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of nginx. Named in plugins/missing_programs.py."""
    program = NGINX.find()
    assert program
    folder = tmp_path_factory.mktemp("nginx")
    guide = (BASE_DIR / "docs" / "other-ways.md").read_text()
    (block,) = re.findall(r"^ {4}client_max_body_size (?:.*\n)+?^ {4}}\n", guide, re.MULTILINE)
    echo = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=echo.serve_forever, daemon=True).start()
    port = free_port()
    own = block.replace("127.0.0.1:8000", f"127.0.0.1:{echo.server_port}")
    assert own != block
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"daemon off; master_process off; pid {folder}/pid; events {{}}\n"
        f"http {{ access_log off; {temporary}\nserver {{ listen 127.0.0.1:{port};\n"
        f"{textwrap.dedent(own)}}} }}\n"
    )
    child = Child(
        "nginx", [program, "-e", "stderr", "-c", configuration], log=folder / "log", folder=folder
    )
    child.start()
    wait_until(lambda: is_open(port), child, PATIENCE, "nginx")
    yield port
    Echo.go_on.set()
    child.stop()
    echo.shutdown()
    echo.server_close()


def is_open(port: int) -> bool:
    try:
        ask(port, "/")
    except OSError:
        return False
    return True


def ask(
    port: int, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
) -> tuple[http.client.HTTPResponse, bytes]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as server:
        server.request("GET" if body is None else "POST", path, body, headers or {})
        answer = server.getresponse()
        with answer:
            return answer, answer.read(6) if path.startswith("/events/") else answer.read()


def test_it_sets_the_headers_that_we_trust_itself(nginx: int) -> None:
    forged = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
    _answer, body = ask(nginx, "/", headers={**forged, "Host": "games.example.org"})
    seen = json.loads(body)
    assert seen["Host"] == "games.example.org"
    assert (seen["X-Forwarded-For"], seen["X-Forwarded-Proto"]) == ("127.0.0.1", "http")


def test_it_passes_a_refusal_on_with_the_time_to_come_back(nginx: int) -> None:
    answer, _body = ask(nginx, "/busy")
    assert (answer.status, answer.headers["Retry-After"]) == (503, "7")


def test_it_passes_the_lines_of_a_stream_on_at_once(nginx: int) -> None:
    _answer, line = ask(nginx, "/events/?ticket=x")
    assert line == b"first\n"


def test_it_takes_bodies_as_large_as_ours_and_no_larger_ones(nginx: int) -> None:
    size = Limits().body_bytes
    answer, _body = ask(nginx, "/", bytes(size))
    assert answer.status == 200
    with closing(http.client.HTTPConnection("127.0.0.1", nginx, timeout=PATIENCE)) as server:
        server.putrequest("POST", "/")
        server.putheader("Content-Length", str(size + 1))
        server.endheaders()  # it answers before the body
        with server.getresponse() as answer:
            assert answer.status == 413
