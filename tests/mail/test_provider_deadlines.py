"""A provider over HTTP holds a sender for a while at most, and sends our key nowhere else."""

import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.mail import EmailMessage
from pytest_django import Settings

from games.mail.transport import Refusal, SendFailed, Transport
from tests.support.processes import PATIENCE

FEW = 100  # pauses of the provider; the deadline is twelve of them
MAIL = EmailMessage("Subject", "Words.", "games@example.org", ["ann@example.net"])


class Provider:
    """An API that answers by a trickle of bytes without end, or redirects to `elsewhere`."""

    def __init__(self, elsewhere: str = "") -> None:
        self.requests = self.pauses = 0
        over = self.over = threading.Event()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                provider.requests += 1
                self.send_response(307 if elsewhere else 200)
                self.send_header("Location", elsewhere)
                self.send_header("Content-Length", "0" if elsewhere else "1000000")
                self.end_headers()
                while not elsewhere and not over.wait(0.05):
                    provider.pauses += 1
                    self.wfile.write(b" ")

            def log_message(self, *_words: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(PATIENCE)


@pytest.fixture
def provider() -> Iterator[Provider]:
    made = Provider()
    yield made
    made.stop()


def failure_of_sending(settings: Settings, url: str) -> SendFailed:
    settings.EMAIL_BACKEND = "anymail.backends.postmark.EmailBackend"
    settings.EMAIL_TIMEOUT = 0.2
    settings.ANYMAIL = {"POSTMARK_SERVER_TOKEN": "secret", "POSTMARK_API_URL": url}
    with closing(Transport()) as transport, pytest.raises(SendFailed) as failure:
        transport.send(MAIL)
    return failure.value


def test_an_answer_that_trickles_is_waited_for_no_longer_than_the_deadline(
    provider: Provider, settings: Settings
) -> None:
    failure = failure_of_sending(settings, provider.url)
    assert provider.pauses < FEW
    assert "no answer within" in str(failure)
    assert (failure.refusal, failure.broken) == (Refusal.LATER, True)


def test_a_redirect_is_not_followed(provider: Provider, settings: Settings) -> None:
    redirecting = Provider(elsewhere=provider.url)
    try:
        failure = failure_of_sending(settings, redirecting.url)
    finally:
        redirecting.stop()
    assert failure.refusal == Refusal.LATER
    assert (redirecting.requests, provider.requests) == (1, 0)
