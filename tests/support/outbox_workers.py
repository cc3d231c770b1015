"""An outbox that real workers send from, to the SMTP sink."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from games.mail import transport_state
from games.models import Game, OutboxMail, User
from tests.factories import table_of
from tests.support.emails import State, read
from tests.support.processes import CeleryProcess, empty_queue, service_env
from tests.support.smtp_sink import SmtpSink

StartProcess = Callable[..., CeleryProcess]


@pytest.fixture
def start_process(transactional_db: None, smtp_sink: SmtpSink) -> Iterator[StartProcess]:
    """start_process("worker", MAIL_MAX_TRIES="3"): a Celery process with these variables."""
    empty_queue()
    running: list[CeleryProcess] = []

    def start(name: str, **env: str) -> CeleryProcess:
        # A lease must outlive the moments in which a busy machine lets a worker stand still.
        settings = {"EMAIL_URL": smtp_sink.url, "MAIL_LEASE_SECONDS": "8", "SWEEP_SECONDS": "0.5"}
        running.append(CeleryProcess(name, {**service_env(), **settings, **env}))
        running[-1].start()
        return running[-1]

    yield start
    for process in reversed(running):
        process.stop()
    empty_queue()


def due_now() -> None:
    """Time passes until all that waits is due, and a closed mail server may be tried."""
    transport_state.try_now()
    OutboxMail.objects.filter(state=State.QUEUED).update(
        next_try_at=timezone.now() - timedelta(seconds=1)
    )


def rows_by_state() -> dict[str, int]:
    """Count the rows of the outbox by state."""
    found: dict[str, int] = {}
    for state in OutboxMail.objects.values_list("state", flat=True):
        found[state] = found.get(state, 0) + 1
    return found


def arrived_ids(sink: SmtpSink) -> list[str]:
    """The Message-IDs of what arrived, in order."""
    return [read(mail)["Message-ID"] for mail in sink.messages]


def tables_with_mail(count: int, *people: User) -> list[Game]:
    """This number of games, each with an email to the one who begins and to the other."""
    return [table_of(*people, name=f"Table {number}") for number in range(count)]
