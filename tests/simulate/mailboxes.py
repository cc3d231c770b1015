"""The mail server of the simulation, and the replies that its people write.

`games.mail.outbox` claims, checks, sends and retries as in service. Emails have no text here, and
the server takes most of them, wants to be asked again for some, knows some mailboxes no more, and
is away now and then. Replies go through `games.inbound` as bytes.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count
from random import Random
from unittest.mock import patch

from django.db.models import Q
from django.test import override_settings

from games import services
from games.inbound import intake, processor
from games.mail import outbox
from games.mail.compose import RenderedMail
from games.mail.message import Mail
from games.mail.transport import Refusal, SendFailed, TransportUnavailable
from games.mail.transport_state import Lane
from games.models import InboundMail, OutboxMail, User

from .people import BEGIN, HOUR
from .pure import YEAR, Findings

REPLIES, AUTHSERV = "reply.example.org", "mx.example.org"
CLOSINGS = 10  # of a year
UNDERSTOOD = frozenset(
    (
        InboundMail.Outcome.PLAYED,
        InboundMail.Outcome.ORDERED,
        # The turn was over, or the seat was lost before.
        InboundMail.Outcome.STALE,
        InboundMail.Outcome.GONE,
        InboundMail.Outcome.QUIET,
        InboundMail.Outcome.STRANGER,
        InboundMail.Outcome.REFUSED,
    )
)
ABSENT = {"en": "away until {}", "de": "abwesend bis {}", "fr": "absent jusqu'au {}"}
BACK = "take my seat back"
_ROW = "X-Row"


class MailServer:
    """The receiver of `outbox`: stands in for its composer and for the connection to a server."""

    failures = 0  # conversations that broke: none

    def __init__(self, chance: Random, found: Findings) -> None:
        self.chance, self.found = chance, found
        self.is_away = False
        self.refused: set[str] = set()
        self.taken: list[int] = []

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Send to this server, and read replies."""
        with (
            patch.object(outbox, "Transport", lambda: self),
            patch.object(outbox, "MailComposer", lambda: self),
            override_settings(
                MAIL_REPLY_DOMAIN=REPLIES, MAIL_AUTHSERV_ID=AUTHSERV, LOCAL_MODE=False
            ),
        ):
            yield

    def render(self, row: OutboxMail) -> RenderedMail:
        """An email that names its row and says nothing."""
        mail = Mail("", "", to=[row.to_address], headers={_ROW: str(row.pk)})
        return RenderedMail(mail, {}, {}, "en")

    def send(self, mail: Mail) -> None:
        """Take an email, or raise as a connection does."""
        if self.is_away:
            self.found.counts["emails that met a server that was away"] += 1
            raise TransportUnavailable("connection refused")
        (address,) = mail.to
        fate = self.chance.random()
        if fate < 0.0005:
            self.refused.add(address)
        if address in self.refused:
            self.found.counts["emails to mailboxes that are gone"] += 1
            raise SendFailed("550 5.1.1 no such user", Refusal.MAILBOX)
        if fate < 0.05:
            self.found.counts["deliveries that failed for a while"] += 1
            raise SendFailed("451 4.3.2 try again later", Refusal.LATER)
        self.taken.append(int(mail.extra_headers[_ROW]))

    def close(self) -> None:
        """As of a connection."""

    def deliver(self, lanes: Collection[Lane]) -> list[OutboxMail]:
        """Send what is due in these lanes, and return the rows that were taken; of a batch, those
        in it."""
        self.taken = []
        if outbox.drain(lanes=[lane for lane in Lane if lane in lanes]).undeliverable:
            services.reports_work()
        taken = Q(pk__in=self.taken) | Q(batched_into__in=self.taken)
        rows = OutboxMail.objects.filter(taken).select_related("game", "user")
        return list(rows.order_by("sent_at", "pk")) if self.taken else []


def closings_of(chance: Random, end: datetime) -> list[tuple[datetime, datetime]]:
    """When the mail server is away: from a minute to five hours, one after the other."""
    starts = sorted(BEGIN + chance.random() * YEAR for _closing in range(CLOSINGS))
    found: list[tuple[datetime, datetime]] = []
    for start in starts:
        back = start + timedelta(minutes=1) + chance.random() * 5 * HOUR
        if back < end and (not found or found[-1][1] < start):
            found.append((start, back))
    return found


class Replies:
    """The replies of people: addresses and texts."""

    def __init__(self, found: Findings) -> None:
        self.found, self.number = found, count()

    def write(self, user: User, to: str, line: str) -> str:
        """Write this line to this address; what came of it."""
        raw = "\r\n".join(
            (
                f"Authentication-Results: {AUTHSERV}; dmarc=pass header.from=example.org",
                f"From: <{user.email}>",
                f"To: <{to}>",
                "Subject: Re: Simulated",
                f"Message-ID: <{next(self.number)}.{user.pk}@mail.example.org>",
                "MIME-Version: 1.0",
                "Content-Type: text/plain; charset=utf-8",
                "Content-Transfer-Encoding: 8bit",
                "",
                line,
                "",
            )
        ).encode()
        channel = InboundMail.Channel.RELAY
        (row,) = intake.store(raw, channel=channel, sender=user.email, recipients=[to])
        processor.read_one(row.pk)
        outcome = InboundMail.objects.values_list("outcome", flat=True).get(pk=row.pk)
        self.found.counts[f"replies: {InboundMail.Outcome(outcome).label}"] += 1
        if outcome not in UNDERSTOOD:
            self.found.faults.append(f"a reply was not understood ({outcome}): {line}")
        return outcome
