"""The cost of reading a reply: queries, and loads of a log."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.inbound import intake, processor
from games.models import InboundMail, User
from tests.support.replies import PASS, Channel, reply_email

MOST_QUERIES = 12  # for one reply


def measured_reply(
    to: str | None,
    text: str,
    user: User,
    *,
    results: str | None = PASS,
    sender: str | None = None,
    head: str = "",
) -> tuple[str, int, list[str]]:
    """(outcome, loads of a log, SQL of every message) of reading this reply."""
    assert to is not None
    raw = reply_email(text, to, sender or user.email, results=results, head=head)
    (row,) = intake.store(raw, channel=Channel.RELAY, sender=user.email, recipients=[to])
    with CaptureQueriesContext(connection) as sent:
        assert processor.read_one(row.pk)
    sql = [query["sql"] for query in sent.captured_queries]
    loads = sum(words.count("FROM games_gameevent") for words in sql)
    return InboundMail.objects.get(pk=row.pk).outcome, loads, sql


def assert_cheap(
    found: tuple[str, int, list[str]],
    outcome: str,
    *,
    most_loads: int = 1,
) -> None:
    """A `measured_reply` had this outcome and took few queries and loads."""
    done, loads, sql = found
    assert done == outcome
    assert loads <= most_loads
    assert_few(sql)


def assert_few(sql: list[str]) -> None:
    """These queries are few enough for one reply, or for the link that confirms it."""
    assert len(sql) <= MOST_QUERIES, "\n".join(
        f"{n} {words[:150]}" for n, words in enumerate(sql, 1)
    )
