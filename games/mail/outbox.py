"""Send the emails of the outbox. The process may be killed anywhere.

Rows are claimed (see claims.py), sent outside of any transaction and marked afterwards. If the
process dies between sending and marking, the lease ends and the next worker sends the same email
again, with the same Message-ID. There is one sender per process and lane, and leases are renewed in
time, so no two senders hold the same row.
"""

import hashlib
import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from typing import TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils import translation

from games.models import MailReport, OutboxMail, PushDevice, database_clock

from . import kinds, push, queue, relevance, talk, transport_state
from .claims import PARKED_RETRY, after, claim, jitter, mark, put_back, renew, retry_after
from .compose import MailComposer, RenderedMail
from .kinds import SEND, SendDecision
from .message import Mail
from .transport import (
    Refusal,
    SendFailed,
    Transport,
    TransportUnavailable,
    names_mailbox,
    without_addresses,
)
from .transport_state import Gate, Lane

logger = logging.getLogger(__name__)

State = OutboxMail.State
T = TypeVar("T")

BATCH = 20
PAUSED_RETRY = 600.0  # seconds until the turn email of a paused game is checked again
MAX_FAILURES = 3  # broken conversations in a row after which this lane is closed for now
DRAIN_SECONDS = 60.0  # then the worker's thread is free for other tasks
RENEWALS = 3  # in the time of one lease

# An email that was refused for a reason of its own: after 5, 20 and 80 minutes it is parked.
REFUSED_RETRY, REFUSED_FACTOR, MAX_REFUSALS = 300.0, 4.0, 4
REFUSED_FOR_ALL_RETRY = 60.0  # seconds until an email that was refused like others may be a probe
_REFUSED_ADDRESS = "recipient refused: 55"

_stopping = threading.Event()


class _LaneLock:
    """Lets one thread of this process send in a lane; a second one only asks it to look again.

    So a process that is killed has sent at most one email per lane that the database has as unsent.
    """

    def __init__(self) -> None:
        self.sending = threading.Lock()
        self.look_again = threading.Event()


_locks = {lane: _LaneLock() for lane in Lane}


class Drained:
    """The number of emails that one `drain` brought to each state. undeliverable: the dead ones
    whose address takes no email at all."""

    def __init__(self) -> None:
        self.sent = self.dropped = self.failed = self.parked = self.dead = 0
        self.undeliverable = self.put_back = 0

    def __repr__(self) -> str:
        return ", ".join(f"{count} {name}" for name, count in vars(self).items() if count) or "none"


def drain(
    seconds: float = DRAIN_SECONDS, lanes: Sequence[Lane] = (Lane.URGENT, Lane.BULK)
) -> Drained:
    """Send what is due in these lanes, for at most `seconds` plus one email in each.

    A lane in which another thread of this process is sending is left to that thread.
    """
    done = Drained()
    for lane in lanes:
        lock = _locks[lane]
        stop_at = time.monotonic() + seconds
        lock.look_again.set()
        while lock.look_again.is_set() and lock.sending.acquire(blocking=False):
            try:
                lock.look_again.clear()
                _drain(lane, stop_at, done)
            finally:
                lock.sending.release()
    return done


def stop() -> None:
    """Let this process end after the email that is being sent."""
    _stopping.set()


def _drain(lane: Lane, stop_at: float, done: Drained) -> None:
    executor = ThreadPoolExecutor(1, thread_name_prefix=f"send-{lane}")
    with closing(Transport()) as transport, executor:
        while time.monotonic() < stop_at and not _stopping.is_set():
            gate = transport_state.gate(lane)
            if gate == Gate.CLOSED:
                return
            rows = claim(1 if gate == Gate.PROBE else BATCH, lane)
            if not rows:
                if gate == Gate.PROBE:
                    transport_state.release(lane)
                return
            batch = _Batch(rows, transport, executor, done)
            if not _deliver(batch, rows, lane, gate, stop_at):
                return


def _deliver(
    batch: "_Batch", rows: Sequence[OutboxMail], lane: Lane, gate: Gate, stop_at: float
) -> bool:
    """Send these rows; return whether this sender may go on with others."""
    is_probe = gate == Gate.PROBE
    for place in range(len(rows)):
        try:
            if time.monotonic() >= stop_at or _stopping.is_set():
                batch.put_back(place, "")
                if is_probe:
                    transport_state.release(lane)
                return False
            answered = batch.deliver(place, is_probe=is_probe)
        except TransportUnavailable as error:
            batch.put_back(place, str(error))
            if is_probe:
                transport_state.probe_failed(lane, str(error))
            if error.refused or not is_probe:
                transport_state.close(lane, str(error), refused=error.refused)
            return False
        if is_probe and answered:
            transport_state.reopen(lane)
        elif is_probe:
            transport_state.release(lane)
    return True


class _Batch:
    """Claimed rows, sent in order. Each row is rendered before the one before it is sent, so that
    its board is drawn in the meantime, and the one after it during that sending."""

    def __init__(
        self,
        rows: Sequence[OutboxMail],
        transport: Transport,
        executor: ThreadPoolExecutor,
        done: Drained,
    ) -> None:
        self._rows, self._transport, self._executor, self._done = rows, transport, executor, done
        self._composer = MailComposer()
        self._prepared: list[RenderedMail | SendDecision | SendFailed] = []
        self._is_ours = True
        users = {row.user_id for row in rows if row.user_id is not None}
        devices = PushDevice.objects.filter(user__in=users)
        self._with_devices = set(devices.values_list("user", flat=True))
        self._renew_at = time.monotonic() + settings.MAIL_LEASE_SECONDS / RENEWALS

    def put_back(self, place: int, error: str) -> None:
        """Put this row and those behind it back into the queue."""
        self._done.put_back += put_back(self._rows[place:], error)

    def deliver(self, place: int, *, is_probe: bool) -> bool:
        """Send one row, drop it or schedule its next try; return whether the mail server answered.

        Raises TransportUnavailable after a failure that has nothing to do with this email.
        """
        row = self._rows[place]
        self._prepare_up_to(place + 1)
        if not self._renew(place):
            return False
        try:
            match self._prepared[place]:
                case SendFailed() as failure:
                    _failed(row, failure, self._done)
                    return False
                case SendDecision() as decision:
                    _hold(row, decision, self._done)
                    return False
                case RenderedMail() as rendered:
                    mail = _with_boards(row, rendered)
                    # Rendering takes a while: check again.
                    decision = relevance.check_before_send(row)
                    if decision != SEND:
                        _hold(row, decision, self._done)
                        return False
                    if not self._push(mail, place):
                        self._send(mail, place)
        except SendFailed as failure:
            self._refused(row, failure, is_probe=is_probe)
            return True
        queue.unquoted_messages(row)
        erased: dict[str, object] = {"context": {}} if kinds.get(row.kind).one_time else {}
        mark(row, state=State.SENT, sent_at=database_clock.now(), error="", **erased)
        self._done.sent += 1
        return True

    def _refused(self, row: OutboxMail, failure: SendFailed, *, is_probe: bool) -> None:
        """Schedule the next try of a row. Raises TransportUnavailable if others would fail, too."""
        if _fails_for_all(row, failure):
            # Not a try of this email; the next probe takes another one.
            later = after(jitter(REFUSED_FOR_ALL_RETRY))
            tries = row.attempts - 1
            mark(row, state=State.QUEUED, next_try_at=later, attempts=tries, error=str(failure))
            self._done.put_back += 1
            raise TransportUnavailable(str(failure), refused=True) from failure
        _failed(row, failure, self._done)
        is_broken = self._transport.failures >= MAX_FAILURES
        if is_broken or (is_probe and failure.refusal == Refusal.LATER):
            raise TransportUnavailable(str(failure)) from failure

    def _prepare_up_to(self, place: int) -> None:
        """Render the rows up to this place, or note why they are not sent."""
        for row in self._rows[len(self._prepared) : place + 1]:
            # When the reader wants the email is checked just before sending.
            decision = kinds.get(row.kind).check(row)
            if decision != SEND:
                self._prepared.append(decision)
                continue
            try:
                self._prepared.append(self._composer.render(row))
            except (OperationalError, InterfaceError):
                raise  # the database failed, not this email: the lease brings it back
            except Exception as error:
                logger.exception("Email %s (%s) cannot be rendered.", row.pk, row.kind)
                self._prepared.append(SendFailed(f"not rendered: {error!r}", Refusal.LATER))

    def _send(self, mail: Mail, place: int) -> None:
        """Send one email, and render another while the mail server takes it.

        Never send two at once: a killed process leaves at most one of which nobody knows.
        """
        sending = self._executor.submit(self._transport.send, mail)
        # A database that fails now is met again once this email is marked.
        with suppress(OperationalError, InterfaceError):
            self._prepare_up_to(place + 2)
        self._await(sending, place)

    def _push(self, mail: Mail, place: int) -> bool:
        """Send a push message instead, where the reader has devices for it; whether one took it.

        The email is sent if none did, so that nothing depends on a push service.
        """
        row, kind = self._rows[place], kinds.get(self._rows[place].kind)
        if not kind.pushes or row.user is None or row.game is None:
            return False
        if row.user.pk not in self._with_devices:
            return False
        devices = list(PushDevice.objects.filter(user=row.user))
        if not devices:
            return False
        with translation.override(row.user.language):
            message = push.message_of(row.game, f"{mail.subject}", f"{kind.category}")
        found = self._await(
            self._executor.submit(push.send_all, devices, message, row.game.public_id), place
        )
        push.forget_devices(found)
        is_taken = push.PushResult.TAKEN in found.values()
        if is_taken:  # its message quotes nobody
            talk.give_back(row)
        return is_taken

    def _await(self, sending: Future[T], place: int) -> T:
        """Wait for the result, and renew the leases in the meantime."""
        while not wait([sending], max(0.0, self._renew_at - time.monotonic())).done:
            with suppress(OperationalError, InterfaceError):
                self._renew(place)
        return sending.result()

    def _renew(self, place: int) -> bool:
        """Renew the leases of this row and those behind it if it is time to; return whether they
        are still ours."""
        if self._is_ours and time.monotonic() >= self._renew_at:
            self._renew_at = time.monotonic() + settings.MAIL_LEASE_SECONDS / RENEWALS
            self._is_ours = renew(self._rows[place:])
        return self._is_ours


def _with_boards(row: OutboxMail, rendered: RenderedMail) -> Mail:
    try:
        return rendered.mail()
    except Exception as error:
        logger.exception("The board of email %s (%s) cannot be drawn.", row.pk, row.kind)
        raise SendFailed(f"not rendered: {error!r}", Refusal.LATER) from error


def _hold(row: OutboxMail, decision: SendDecision, done: Drained) -> None:
    """Drop a row or postpone it, as decided."""
    talk.give_back(row)
    if decision.drop:
        mark(row, state=State.DROPPED, error=decision.drop)
        done.dropped += 1
    else:
        later = decision.until or after(PAUSED_RETRY)
        mark(row, state=State.QUEUED, next_try_at=later, attempts=row.attempts - 1)
        done.put_back += 1


def _fails_for_all(row: OutboxMail, failure: SendFailed) -> bool:
    """Return whether emails to other domains are refused in the same way. Records the refusal if
    that is possible."""
    words = str(failure)
    is_unclear = failure.refusal == Refusal.PERHAPS_MAILBOX and not names_mailbox(words)
    if is_unclear or failure.refusal == Refusal.EMAIL:
        return transport_state.record_refusal(row, words)
    return False


def _failed(row: OutboxMail, failure: SendFailed, done: Drained) -> None:
    """Schedule the next try of a row, park it for the moderators, or give up its address."""
    words = str(failure)
    logger.warning("Email %s, attempt %s: %s", row.pk, row.attempts, without_addresses(words))
    later, most = retry_after(row.attempts), settings.MAIL_MAX_TRIES
    match failure.refusal:
        case Refusal.PERHAPS_MAILBOX if not row.error.startswith(_REFUSED_ADDRESS):
            later = jitter(REFUSED_RETRY)
        case Refusal.MAILBOX | Refusal.PERHAPS_MAILBOX:
            _report(row, failure)
            mark(row, state=State.DEAD, error=words)
            done.undeliverable += 1
            done.dead += 1
            return
        case Refusal.EMAIL:
            later = jitter(REFUSED_RETRY * REFUSED_FACTOR ** min(row.attempts - 1, MAX_REFUSALS))
            most = min(most, MAX_REFUSALS)
    if row.attempts >= most:
        mark(row, state=State.PARKED, next_try_at=after(PARKED_RETRY), error=words)
        done.parked += 1
    else:
        mark(row, state=State.QUEUED, next_try_at=after(later), error=words)
        done.failed += 1


def _report(row: OutboxMail, failure: SendFailed) -> None:
    """Record what our mail server refused, as a provider's webhook would report it.

    Before the row is marked: after a crash in between, the email is tried and reported again.
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
