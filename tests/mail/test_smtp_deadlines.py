"""A mail server that gets stuck at any step of a conversation holds nobody for long."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest
from django.core.mail import EmailMessage
from pytest_django import Settings

from games.mail.transport import SendFailed, Transport, TransportUnavailable
from tests.support.processes import wait_for
from tests.support.smtp_sink import SmtpSink, StuckServer

STEP_SECONDS = 0.2
FEW = 100  # pauses of a stuck server; the longest deadline is twelve of them

MAIL = EmailMessage("Subject", "Words.", "games@example.org", ["ann@example.net"])

Stuck = Callable[..., StuckServer]


@pytest.fixture
def stuck(settings: Settings) -> Iterator[Stuck]:
    """stuck("RCPT"): this process sends to a server that gets stuck there."""
    with ExitStack() as after:

        def start(step: str, *, silent: bool = False) -> StuckServer:
            server = StuckServer(step, silent=silent)
            after.callback(server.stop)
            settings.EMAIL_BACKEND = "games.mail.transport.SMTPBackend"
            settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
            settings.EMAIL_TIMEOUT = STEP_SECONDS
            settings.EMAIL_USE_TLS = step == "STARTTLS"
            settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = "x" * (step == "AUTH")
            return server

        yield start


def failure_of_sending() -> str:
    """The error of sending one email."""
    with closing(Transport()) as transport, pytest.raises((SendFailed, TransportUnavailable)) as e:
        transport.send(MAIL)
    return str(e.value)


STEPS = ["connect", "EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "message"]


@pytest.mark.parametrize("step", STEPS)
def test_no_step_lasts_longer_because_of_a_trickle(stuck: Stuck, step: str) -> None:
    server = stuck(step)
    assert "no answer within" in failure_of_sending()
    assert server.pauses < FEW


@pytest.mark.parametrize("step", ["MAIL", "RCPT", "DATA", "message"])
def test_the_thread_that_waited_for_a_trickle_ends(stuck: Stuck, step: str) -> None:
    before = {*threading.enumerate()}
    stuck(step)
    failure_of_sending()
    wait_for(
        lambda: (
            not [
                thread
                for thread in {*threading.enumerate()} - before
                if thread.name == "call_within"
            ]
        ),
        "the end of the thread",
    )


def test_a_server_that_hangs_at_the_farewell_costs_a_moment(stuck: Stuck) -> None:
    server = stuck("QUIT", silent=True)
    with closing(Transport()) as transport:
        transport.send(MAIL)
    assert server.pauses < FEW


@pytest.mark.parametrize("mood", ["hang", "drop"])
def test_a_server_that_keeps_the_email_and_never_says_so_is_a_failure(
    outgoing: SmtpSink, settings: Settings, mood: str
) -> None:
    settings.EMAIL_TIMEOUT = STEP_SECONDS
    outgoing.answer = mood
    failure_of_sending()
    assert len(outgoing.messages) == 1
