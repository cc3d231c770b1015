"""From what happened to who is told: writes rows into the outbox and wakes the sender.

Called by services inside their transaction, so that a mail exists exactly when its reason does.
Never renders and never sends: games.mail does, later and elsewhere.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Prefetch, prefetch_related_objects
from django.utils import timezone
from django.utils.crypto import salted_hmac
from kombu.exceptions import OperationalError

from games.log import pipeline
from games.log.pipeline import Statement
from games.models import Game, Invitation, OutboxMail, Seat, User, of_use_until

logger = logging.getLogger(__name__)

Kind = OutboxMail.Kind

# The kinds about which people can say when they want them, in the order in which they are asked.
CHOSEN = (
    *(Kind.TURN, Kind.REMINDER, Kind.DEADLINE, Kind.STARTED, Kind.OVER, Kind.MODERATED),
    Kind.INVITATION,
)

# A broker that did not answer is left alone for this long: beat sweeps the outbox anyway.
NUDGE_REST_SECONDS = 30.0
_rest_until = 0.0
_behind: ThreadPoolExecutor | None = None  # makes its thread at the first nudge, after any fork


# -- who is told -----------------------------------------------------------------------


def game_started(game: Game) -> None:
    """The table is laid. Whoever is asked to act at once learns it from that mail instead."""
    _queue(
        _to_seat(Kind.STARTED, game, seat, game.version)
        for seat in _people(game)
        if seat.asked_seq is None
    )


def turns_changed(game: Game) -> list[Statement]:
    """Everybody who is asked to act and has not been told of this turn; to be written with the
    events that asked them."""
    return _queued(
        _to_seat(Kind.TURN, game, seat, seat.asked_seq)
        for seat in _people(game)
        if seat.asked_seq is not None
    )


def game_over(game: Game) -> list[Statement]:
    """The last score stands; everybody at the table reads it. To be written with the last event."""
    return _queued(_to_seat(Kind.OVER, game, seat, game.version) for seat in _people(game))


def moderated(game: Game, seq: int, reason: str, removed: User | None = None) -> None:
    """A moderator or the host acted: event `seq` says what was done and why.

    removed: who lost a seat by it and is told as well. The end of a game has a mail of its own.
    """
    if game.is_over:
        return
    rows = [_to_seat(Kind.MODERATED, game, seat, seq, reason=reason) for seat in _people(game)]
    if removed is not None and removed.is_active:
        rows.append(
            _row(
                Kind.MODERATED,
                dedupe=f"{game.pk}:{seq}:{removed.pk}:moderated",
                game=game,
                user=removed,
                to_address=removed.email,
                seq=seq,
                context={"reason": reason},
            )
        )
    _queue(rows)


def deadline_passed(game: Game, seat: Seat) -> None:
    """`seat` did not move in time: everybody is told, the late one in other words."""
    if seat.asked_seq is not None:
        _queue(
            _to_seat(Kind.DEADLINE, game, other, seat.asked_seq, late=seat.number)
            for other in _people(game)
        )


def reminder(game: Game, seat: Seat, which: str) -> None:
    """A word to the one whose turn it is; `which` is "half" or "day", each once per turn."""
    if seat.user_id is not None and seat.asked_seq is not None:
        _queue([_to_seat(Kind.REMINDER, game, seat, seat.asked_seq, about=which, which=which)])


def invited(invitation: Invitation) -> None:
    """A chair is offered to an address, which may belong to nobody we know yet."""
    address = invitation.address
    user = User.objects.filter(email__iexact=address, is_active=True).first()
    _queue(
        [
            _row(
                Kind.INVITATION,
                dedupe=f"{invitation.game_id}:0:{_digest(address)}:invitation",
                game=invitation.game,
                user=user,
                to_address=address,
                context={"invitation": invitation.pk},
            )
        ]
    )


def account(address: str, *, dedupe: str, context: dict[str, Any], user: User | None) -> None:
    """A mail about signing in. It goes ahead of the queue: somebody waits at the keyboard."""
    row = _row(
        Kind.ACCOUNT,
        dedupe=f"account:{_digest(address)}:{dedupe}",
        user=user,
        to_address=address,
        context=context,
    )
    row.next_try_at -= timedelta(days=1)
    _queue([row])


def answer(
    game: Game | None,
    seat: int | None,
    user: User,
    *,
    seq: int,
    about: str,
    context: dict[str, Any],
) -> int:
    """Queue the answer to a reply, to the user's own address wherever the reply came from.

    game, seat: None if the reply is about several games. seq: the position that the answer shows.
    about: names the reply, which is answered once. Returns the key of the answer's row.
    """
    row = _row(
        Kind.ANSWER,
        dedupe=f"{game.pk if game else 0}:{about}:{user.pk}:{Kind.ANSWER.value}",
        game=game,
        seat=seat,
        user=user,
        to_address=user.email,
        seq=seq,
        context=context,
    )
    key = "SELECT id FROM games_outboxmail WHERE dedupe_key = %s"
    found = pipeline.execute([*_queued([row]), (key, [row.dedupe_key])])
    return int(found[-1][0][0])


# -- rows --------------------------------------------------------------------------------


def _people(game: Game) -> Iterable[Seat]:
    """The seats with a person who can be written to. Services bring the chairs with them; where
    nobody has fetched them yet, this does, users along."""
    chairs = Seat.objects.select_related("user").order_by("number")
    prefetch_related_objects([game], Prefetch("seats", chairs))
    return [seat for seat in game.seats.all() if seat.user is not None and seat.user.is_active]


def _to_seat(
    kind: OutboxMail.Kind,
    game: Game,
    seat: Seat,
    seq: int | None,
    *,
    about: str = "",
    **context: Any,
) -> OutboxMail:
    """A row for the person on `seat` about version `seq`; `about` tells mails of one kind apart."""
    assert seat.user is not None and seq is not None
    label = f"{kind.value}-{about}" if about else kind.value
    return _row(
        kind,
        dedupe=f"{game.pk}:{seq}:{seat.user_id}:{label}",
        game=game,
        seat=seat.number,
        user=seat.user,
        to_address=seat.user.email,
        seq=seq,
        context=context,
        latest=of_use_until(kind, seat.asked_at, seat.due_at),
    )


def _row(
    kind: OutboxMail.Kind, *, dedupe: str, latest: datetime | None = None, **fields: Any
) -> OutboxMail:
    now = timezone.now()
    user: User | None = fields.get("user")
    return OutboxMail(
        kind=kind,
        dedupe_key=dedupe,
        message_id=message_id(dedupe),
        created_at=now,
        next_try_at=user.mail_from(kind, now, latest) if user and kind in CHOSEN else now,
        **fields,
    )


def message_id(dedupe: str) -> str:
    """The Message-ID of the mail with this dedupe key: the same for every try, guessed by nobody."""
    word = salted_hmac("games.mail.message-id", dedupe).hexdigest()[:32]
    return f"<{word}@{settings.SITE_HOST}>"


def _digest(address: str) -> str:
    """An address in a key: keys are read by operators, addresses are nobody's business."""
    return hashlib.sha256(address.strip().lower().encode()).hexdigest()[:24]


def _queue(rows: Iterable[OutboxMail]) -> None:
    """Write the rows, those already written (same dedupe key) left alone, and wake the sender."""
    pipeline.execute(_queued(rows))


def _queued(rows: Iterable[OutboxMail]) -> list[Statement]:
    """What writes the rows, in this transaction, whose end wakes the sender."""
    batch = list(rows)
    if not batch:
        return []
    nudge()
    fields = [field for field in OutboxMail._meta.concrete_fields if not field.primary_key]
    values = [
        field.get_db_prep_save(getattr(row, field.attname), connection)
        for row in batch
        for field in fields
    ]
    columns = ", ".join(str(field.column) for field in fields)
    row = f"({', '.join(['%s'] * len(fields))})"
    text = f"INSERT INTO games_outboxmail ({columns}) VALUES {', '.join([row] * len(batch))}"  # noqa: S608
    return [(f"{text} ON CONFLICT DO NOTHING", values)]


# -- waking the sender ---------------------------------------------------------------------


def nudge(task: str = "games.tasks.drain_outbox", *args: Any) -> None:
    """Ask the worker for `task` once this transaction is through.

    Neither raises nor waits: what the broker does not take now, beat finds in the database.
    """
    transaction.on_commit(lambda: _send(task, args), robust=True)


def nudge_behind() -> None:
    """From now on this process nudges from a thread of its own: for the web, where a player waits.

    What is still to be sent when the process ends in good order is sent; nothing else is sure of it.
    """
    global _behind
    _behind = ThreadPoolExecutor(max_workers=1, thread_name_prefix="nudge")


def _send(task: str, args: tuple[Any, ...]) -> None:
    if _behind is None:
        _send_task(task, args)
    else:
        _behind.submit(_send_task, task, args)


def _send_task(task: str, args: tuple[Any, ...]) -> None:
    global _rest_until
    if time.monotonic() < _rest_until:
        return
    try:
        current_app.send_task(task, args=args, ignore_result=True, retry=False)
    except (OperationalError, OSError) as error:
        _rest_until = time.monotonic() + NUDGE_REST_SECONDS
        logger.warning("The broker did not take %s (%s); beat will find the work.", task, error)
