"""All that a person is shown and sent, to compare worlds that must look the same to them."""

import re
from collections.abc import Callable
from typing import Any

from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games import selectors
from games.models import Game, Message, OutboxMail, User
from games.web.players import player_url
from tests.factories import fresh

from .emails import written
from .pages import repeatable, signed_in, url

VARIES = re.compile(r'nonce="[^"]*"|"events": "[^"]*"|data-events="[^"]*"')
SEQUENCES = ("message", "invitation", "outboxmail")  # rolling back does not rewind them


def _nothing() -> None:
    """Leave the world as it is."""


def seen_by(
    user: User, tables: list[Game], change: Callable[[], object] = _nothing
) -> dict[str, Any]:
    """Pages, emails, stamps, personal data and numbers of queries, after `change` and after this
    person has written to the first table, deleted that and invited Alice to the last one. Then
    nothing of it has happened."""
    seen: dict[str, Any] = {}
    with transaction.atomic(), connection.cursor() as cursor:
        for name in SEQUENCES:
            cursor.execute("SELECT setval(%s, 1000)", [f"games_{name}_id_seq"])
        change()
        browser = signed_in(user)
        seen |= _posted(browser, "write", url(tables[0], "talk"), {"message": "Hello"})
        key = Message.objects.latest("pk").pk
        seen |= _posted(browser, "delete", url(tables[0], "talk/delete"), {"key": key})
        seen |= _posted(browser, "write again", url(tables[0], "talk"), {"message": "Hm"})
        invited = {"address": "alice@example.org", "language": "en"}
        seen |= _posted(browser, "invite", url(tables[-1], "invite"), invited)
        seen["is left of the message"] = Message.objects.filter(pk=key).exists()
        paths = ["/", "/stamp", "/tables/", "/tables/stamp", "/settings/", "/settings/blocked/"]
        paths += [player_url(other) for other in User.objects.all()]
        for table in tables:
            paths += [url(table), url(table, "version")]
        for path in paths:
            answer = browser.get(path)
            seen[path] = (answer.status_code, VARIES.sub("", repeatable(answer)))
        for table in tables:
            topics = selectors.table_topics(fresh(table), user)
            seen[f"pushed {table.pk}"] = selectors.stamp_of(topics)
        mails = OutboxMail.objects.filter(user=user).order_by("pk")
        seen["emails"] = [(row.kind, written(row).text) for row in mails]
        data = selectors.personal_data(User.objects.get(pk=user.pk))
        seen["data"] = {**data, "sessions": None, "account": None}
        transaction.set_rollback(True)
    return seen


def _posted(browser: Client, name: str, path: str, form: dict[str, Any]) -> dict[str, Any]:
    with CaptureQueriesContext(connection) as found:
        answer = browser.post(path, form, follow=True)
    return {
        f"queries to {name}": len(found),
        f"answer to {name}": VARIES.sub("", repeatable(answer)),
    }
