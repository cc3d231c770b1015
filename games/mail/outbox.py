"""From row to sent mail: claim, render, ask again, send, mark. Safe to be killed anywhere.

A row is claimed in one short transaction (FOR UPDATE SKIP LOCKED) that gives it a lease, sent
outside of any, and marked afterwards. Who dies between sending and marking leaves a lease that
runs out; the next sender sends the same mail, same Message-ID, once more. One sender per process,
and a lease is renewed before it can run out under a slow mail server, so two never hold one row.
"""

from __future__ import annotations

import hashlib
import logging
import random
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import F
from django.utils import timezone

from games.models import MailReport, OutboxMail

from . import digest, relevance
from .compose import Desk, Draft
from .message import Mail
from .relevance import Verdict
from .transport import Failed, Post, RoadClosed

logger = logging.getLogger(__name__)

State = OutboxMail.State

Kind = OutboxMail.Kind
# To the address that asked or was asked, whoever has it.
STAY = {Kind.ACCOUNT, Kind.ANSWER, Kind.INVITATION}

BATCH = 20
FIRST_WAIT = 15.0  # seconds until the second try; doubled with each one more …
LONGEST_WAIT = 3600.0  # … up to this, so that 32 tries take about a day
ROAD_WAIT = 30.0  # seconds until a mail server that could not be reached is asked again
PAUSE_WAIT = 600.0  # seconds until the turn mail of a paused game is looked at again
MARK_PATIENCE = 60.0  # seconds in which a database that is away may come back to be told "sent"
STRAIGHT_FAILURES = 3  # broken conversations in a row after which this sender gives up for now
DRAIN_SECONDS = 60.0  # then the worker's thread is somebody else's for a while

# One sender per process: who is killed can have told at most one mail server something that the
# database does not know yet. Whoever comes second only asks the first to look once more.
_sending = threading.Lock()
_look_again = threading.Event()
_stopping = threading.Event()


class Drained:
    """What one drain did, in mails. gone: those of the dead whose address takes no mail at all."""

    def __init__(self) -> None:
        self.sent = self.dropped = self.failed = self.dead = self.gone = self.put_back = 0

    def __repr__(self) -> str:
        return ", ".join(f"{count} {name}" for name, count in vars(self).items() if count) or "none"


def drain(seconds: float = DRAIN_SECONDS) -> Drained:
    """Send what is due, for at most `seconds` and what one send takes; nothing while another
    thread of this process is at it."""
    done = Drained()
    stop_at = time.monotonic() + seconds
    _look_again.set()
    while _look_again.is_set() and _sending.acquire(blocking=False):
        try:
            _look_again.clear()
            _drain(stop_at, done)
        finally:
            _sending.release()
    return done


def stop() -> None:
    """This process is to end: the mail that is on its way is the last one."""
    _stopping.set()


def _drain(stop_at: float, done: Drained) -> None:
    with Post() as post, ThreadPoolExecutor(1, thread_name_prefix="post") as road:
        while time.monotonic() < stop_at and not _stopping.is_set():
            rows = claim(BATCH)
            if not rows:
                return
            writing = _Writing(rows)
            for place, row in enumerate(rows):
                try:
                    if time.monotonic() >= stop_at or _stopping.is_set():
                        raise RoadClosed("")
                    if post.failures >= STRAIGHT_FAILURES:
                        raise RoadClosed("conversations break one after another")
                    begun = writing.of(place)
                    if _keep(rows[place:]):
                        send = partial(
                            _send, post, road, meanwhile=partial(writing.go_on, place + 2)
                        )
                        _deliver(row, begun, send, done)
                except RoadClosed as closed:
                    put_back(rows[place:], str(closed))
                    done.put_back += len(rows) - place
                    return


def _keep(rows: Sequence[OutboxMail]) -> bool:
    """Renew the leases of these rows when a fifth of their time is gone: what is left of them is
    longer than seven answers of a mail server that takes all the time it may. False: not ours."""
    lease = timedelta(seconds=settings.MAIL_LEASE_SECONDS)
    now = timezone.now()
    assert rows[0].lease_until is not None
    if rows[0].lease_until - now > lease * 4 / 5:
        return True
    mine = OutboxMail.objects.filter(
        pk__in=[row.pk for row in rows], lease_token=rows[0].lease_token, state=State.SENDING
    )
    if mine.update(lease_until=now + lease) != len(rows):
        return False
    for row in rows:
        row.lease_until = now + lease
    return True


Begun = Draft | Verdict | Failed  # a row on its way: words, or why there are none


class _Writing:
    """The rows of a batch, begun in order: the next one before this one is sent, so that its board
    is painted meanwhile, and the one after that while this one is on its way."""

    def __init__(self, rows: Sequence[OutboxMail]) -> None:
        self._rows, self._desk = rows, Desk()
        self._begun: list[Begun] = []

    def go_on(self, place: int) -> None:
        """Begin all up to the row at this place, if there are so many."""
        while len(self._begun) <= min(place, len(self._rows) - 1):
            self._begun.append(_begin(self._rows[len(self._begun)], self._desk))

    def of(self, place: int) -> Begun:
        """What became of the row at this place."""
        self.go_on(place + 1)
        return self._begun[place]


def _begin(row: OutboxMail, desk: Desk) -> Begun:
    # Nothing is written for a turn that is over; when the reader wants it is asked before sending.
    verdict = relevance.holds(row)
    if verdict != relevance.SEND:
        return verdict
    try:
        return desk.draft(row)
    except (OperationalError, InterfaceError):
        raise  # the database, not this mail: the lease brings it back
    except Exception as error:
        logger.exception("Mail %s (%s) cannot be written.", row.pk, row.kind)
        return Failed(f"not rendered: {error!r}")


def _send(
    post: Post, road: ThreadPoolExecutor, mail: Mail, *, meanwhile: Callable[[], None]
) -> None:
    """Hand over one mail, as `post.send`; `meanwhile` is done while the mail server takes it.

    Never two mails at once: who is killed leaves one at most of which nobody knows that it went.
    """
    sending = road.submit(post.send, mail)
    try:
        # A database that is away now is met again, after this mail is marked.
        with suppress(OperationalError, InterfaceError):
            meanwhile()
    finally:
        sending.result()


def _deliver(row: OutboxMail, begun: Begun, send: Callable[[Mail], None], done: Drained) -> None:
    """One row to its end or to its next try; RoadClosed when nothing at all can be sent now."""
    mail: Mail | None = None
    if isinstance(begun, Draft):
        try:
            mail = begun.mail()
        except Exception as error:
            logger.exception("The board of mail %s (%s) cannot be painted.", row.pk, row.kind)
            begun = Failed(f"not rendered: {error!r}")
    if isinstance(begun, Failed):
        _failed(row, begun, done)
        return
    # Writing takes a while, and nobody is to be told of a turn that is over.
    verdict = begun if isinstance(begun, Verdict) else relevance.ask(row)
    if verdict.drop:
        _mark(row, state=State.DROPPED, error=verdict.drop)
        done.dropped += 1
        return
    if verdict.wait:
        later = verdict.until or _after(PAUSE_WAIT)
        _mark(row, state=State.QUEUED, next_try_at=later, attempts=row.attempts - 1)
        done.put_back += 1
        return
    assert mail is not None
    try:
        send(mail)
    except Failed as failure:
        _failed(row, failure, done)
    else:
        words: dict[str, object] = (
            {"context": {}} if row.kind == OutboxMail.Kind.ACCOUNT else {}
        )  # codes are not kept
        _mark(row, state=State.SENT, sent_at=timezone.now(), error="", **words)
        done.sent += 1


def _failed(row: OutboxMail, failure: Failed, done: Drained) -> None:
    logger.warning("Mail %s, try %s: %s", row.pk, row.attempts, failure)
    if failure.gone:
        _report(row, failure)
        done.gone += 1
    if failure.final or row.attempts >= settings.MAIL_MAX_TRIES:
        _mark(row, state=State.DEAD, error=str(failure))
        done.dead += 1
    else:
        _mark(
            row,
            state=State.QUEUED,
            next_try_at=_after(wait_after(row.attempts)),
            error=str(failure),
        )
        done.failed += 1


def _report(row: OutboxMail, failure: Failed) -> None:
    """Our own mail server tells here what a provider would tell by its webhook.

    Before the row is marked: who dies in between tries the mail again and is told again.
    """
    address = row.to_address.strip().lower()
    MailReport.objects.get_or_create(
        key=hashlib.sha256(f"outbox {row.pk} {row.lease_token}".encode()).hexdigest(),
        defaults={
            "provider": "outbox",
            "meaning": MailReport.Meaning.BOUNCE,
            "address": address,
            "message_id": row.message_id,
            "words": str(failure).lower().replace(address, "…")[:300],
        },
    )


# -- the rows ----------------------------------------------------------------------------


def claim(limit: int) -> list[OutboxMail]:
    """Up to `limit` rows that are due, now leased to the caller; each counts this as a try."""
    now = timezone.now()
    with transaction.atomic():
        _end_leases(now)
        rows = list(
            OutboxMail.objects.select_for_update(skip_locked=True, of=("self",))
            .filter(state=State.QUEUED, next_try_at__lte=now)
            .select_related("game", "user")
            .order_by("next_try_at", "id")[:limit]
        )
        _follow(rows)
        rows = digest.gather(rows, now)
        lease = {
            "state": State.SENDING,
            "lease_until": now + timedelta(seconds=settings.MAIL_LEASE_SECONDS),
            "lease_token": uuid.uuid4(),
        }
        if rows:
            OutboxMail.objects.filter(pk__in=[row.pk for row in rows]).update(
                **lease, attempts=F("attempts") + 1
            )
    for row in rows:
        row.attempts += 1
        for name, value in lease.items():
            setattr(row, name, value)
    return rows


def _follow(rows: Sequence[OutboxMail]) -> None:
    """Mails about games go where their readers are now, not where they were when it happened: the
    old mailbox may be somebody else's, and the links in them let their readers in."""
    for row in rows:
        if row.user is None or row.kind in STAY or row.to_address == row.user.email:
            continue
        row.to_address = row.user.email
        OutboxMail.objects.filter(pk=row.pk).update(to_address=row.to_address)


def _end_leases(now: datetime) -> None:
    """Rows whose sender died are due again; one that has killed too many of them is given up."""
    over = OutboxMail.objects.filter(state=State.SENDING, lease_until__lt=now)
    ids = list(over.select_for_update(skip_locked=True).values_list("pk", flat=True))
    if not ids:
        return
    free = {"lease_until": None, "lease_token": None}
    spent = OutboxMail.objects.filter(pk__in=ids, attempts__gte=settings.MAIL_MAX_TRIES)
    spent.update(state=State.DEAD, error="the sender died with it again and again", **free)
    OutboxMail.objects.filter(pk__in=ids, state=State.SENDING).update(state=State.QUEUED, **free)
    carried = OutboxMail.objects.filter(state=State.CARRIED, carrier__state=State.DEAD)
    carried.update(state=State.DEAD)


def put_back(rows: Sequence[OutboxMail], error: str) -> None:
    """Claimed rows that were not tried: due again soon, and none of their tries used up."""
    mine = OutboxMail.objects.filter(
        pk__in=[row.pk for row in rows], lease_token=rows[0].lease_token, state=State.SENDING
    )
    free = {"state": State.QUEUED, "lease_until": None, "lease_token": None}
    if error:
        logger.warning("The mail server cannot be reached: %s", error)
        mine.update(
            **free, attempts=F("attempts") - 1, next_try_at=_after(jitter(ROAD_WAIT)), error=error
        )
    else:
        mine.update(**free, attempts=F("attempts") - 1)


def _mark(row: OutboxMail, **changes: object) -> None:
    """Write what became of the row and end its lease, if the lease is still ours.

    After the sending this must not be lost: a database that is away is waited for.
    """
    patience = time.monotonic() + MARK_PATIENCE
    mine = OutboxMail.objects.filter(pk=row.pk, lease_token=row.lease_token, state=State.SENDING)
    carries = row.kind in digest.CARRIERS
    while True:
        try:
            # A single statement needs no transaction around it, which would be two trips more.
            with transaction.atomic() if carries else nullcontext():
                if not mine.update(lease_until=None, lease_token=None, **changes):
                    state = changes["state"]
                    logger.error("Mail %s was no longer ours when it was %s.", row.pk, state)
                elif carries:
                    digest.share_the_end(row, changes)
            return
        except (OperationalError, InterfaceError):
            if connection.in_atomic_block or time.monotonic() > patience:
                raise
            with suppress(Exception):
                connection.close()
            time.sleep(0.2)


# -- waiting -------------------------------------------------------------------------------


def wait_after(tries: int) -> float:
    """Seconds between this many tries and the next: 15, 30, 60 … an hour, each with jitter."""
    return jitter(min(FIRST_WAIT * 2.0 ** (tries - 1), LONGEST_WAIT))


def jitter(seconds: float) -> float:
    """Up to a quarter more or less, so that mails that failed together come back apart."""
    return seconds * random.uniform(0.75, 1.25)  # noqa: S311 (nobody gains by guessing it)


def _after(seconds: float) -> datetime:
    return timezone.now() + timedelta(seconds=seconds)
