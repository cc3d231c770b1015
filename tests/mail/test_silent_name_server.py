"""A name server that never answers holds nobody for longer than the deadlines of our own.

See support/children/silent_name_server.py: a real socket, and the C library's resolver.
"""

import json
import os
from typing import Any

import pytest

from games.inbound import intake
from games.models import Game, InboundMail, MailTransport, OutboxMail, User
from tests.factories import fresh, table_of
from tests.support.containers import can_isolate
from tests.support.processes import service_env
from tests.support.replies import AUTHSERV, DOMAIN, Channel, address_of, line_of, reply_email
from tests.support.warm_processes import run_python

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]

# Questions of the C library for one name: two tries, each for an IPv4 and an IPv6 address. Without
# our setting it would try five times, for half a minute each.
TWO_TRIES = 4


@pytest.fixture
def namespaces() -> None:
    """Named in plugins/missing_programs.py."""
    assert can_isolate()


@pytest.mark.usefixtures("namespaces", "replies")
def test_a_silent_name_server_delays_email_and_nothing_else(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    before = fresh(game).version
    found = work_without_dns(stored_reply(game, alice))

    # A reply asks no name server: the mail server in front of us has checked its sender.
    assert found["read"] is True
    assert found["asked for the reply"] == 0
    assert InboundMail.objects.get().outcome == InboundMail.Outcome.PLAYED
    assert fresh(game).version > before

    # Clients without a deadline of their own have the one of the C library, which we set.
    assert found["database"].startswith("OperationalError: failed to resolve host")
    assert found["broker"].startswith("ConnectionError: Error -3 connecting to valkey.example.org")
    assert found["asked"]["postgres.example.org"] <= TWO_TRIES
    assert found["asked"]["valkey.example.org"] <= TWO_TRIES

    # Emails stay in the outbox; none has used up a try, and the next sender waits before it asks.
    assert found["asked for the email"] > 0
    emails = OutboxMail.objects.exclude(state="dropped")  # about the turn that is over
    assert set(emails.values_list("state", "attempts")) == {("queued", 0)}
    closed = MailTransport.objects.filter(closed_at__isnull=False).values_list("words", flat=True)
    assert closed
    assert {*closed} == {"TimeoutError: no answer within 3 seconds"}

    assert found["deliverability"].startswith("DnsUnavailable: The resolution lifetime expired")
    assert found["push"].startswith("LifetimeTimeout: The resolution lifetime expired")


def stored_reply(game: Game, user: User) -> int:
    """The key of a reply with a move, which nobody has read."""
    to = address_of(game, user)
    raw = reply_email(line_of(game), to, user.email)
    (row,) = intake.store(raw, channel=Channel.RELAY, sender=user.email, recipients=[to])
    return row.pk


def work_without_dns(reply: int) -> dict[str, Any]:
    """Return the findings of the process."""
    env = {
        **os.environ,
        **service_env(),
        "EMAIL_URL": "smtp://mail.example.org:25",
        "MAIL_REPLY_DOMAIN": DOMAIN,
        "MAIL_AUTHSERV_ID": AUTHSERV,
        "MAIL_FROM": "games@example.org",
    }
    done = run_python("-m", "tests.support.children.silent_name_server", str(reply), env=env)
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found
