"""Messages of players in emails: each is in one email to each reader, unless the page showed it.

An email takes up the messages that its reader is still to be sent when it is composed, in one
statement, so that another email at the same moment does not take them up as well. It keeps them
until it is sent, also for further tries, and gives them back if it is not sent.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from games.log import pipeline
from games.models import (
    Action,
    Decision,
    Message,
    OutboxMail,
    Seat,
    User,
    active,
    database_clock,
)
from games.selectors import RECALL

MOST = 10  # messages in one email; the next one has those that follow

# What this reader is still to be sent. A note comes with the email of its move.
_UNSENT = """
    FROM games_message message JOIN games_seat seat
        ON seat.game_id = message.game_id AND seat.user_id = %(user)s
    JOIN games_game game ON game.id = message.game_id AND game.talk_open
    WHERE message.game_id = %(game)s AND message.id > seat.talk_read AND message.state = ''
        AND seat.user_id = ANY(message.unsent) AND message.author_id <> ALL(%(muted)s::bigint[])
"""
# The ten are chosen once. As a subquery of the UPDATE, a plan may choose again for each row.
_TAKE_UP = f"""
    WITH chosen AS MATERIALIZED (
        SELECT message.id {_UNSENT} AND (message.seq IS NOT NULL OR message.at <= %(before)s)
        ORDER BY message.id LIMIT {MOST} FOR UPDATE OF message
    )
    UPDATE games_message SET unsent = array_remove(unsent, %(user)s)
    WHERE id IN (SELECT id FROM chosen) RETURNING id
"""  # noqa: S608 (constants)
# From emails whose place this one has taken.
_TAKE_OVER = """
    WITH carried AS (
        SELECT id, messages FROM games_outboxmail
        WHERE batched_into_id = %(mail)s AND messages <> '{}' FOR UPDATE
    ), emptied AS (
        UPDATE games_outboxmail SET messages = '{}' WHERE id IN (SELECT id FROM carried)
    )
    SELECT unnest(messages) FROM carried
"""
_GIVE_BACK = """
    UPDATE games_message SET unsent = array_append(unsent, %s)
    WHERE id = ANY(%s) AND %s <> ALL(unsent)
"""


@dataclass(frozen=True)
class QuotedMessage:
    """A message in an email. is_note: it belongs to a move."""

    seat: int
    author: User
    text: str
    is_note: bool


def take_up(mail: OutboxMail, game_id: int, user: User) -> list[QuotedMessage]:
    """The messages at a table that this email quotes, the oldest first.

    mail: the row that is being sent. A row that is not in the outbox, as of a preview, has none.
    """
    if mail._state.adding:
        return []
    rows = _quoted(mail, game_id)
    if not rows:
        values: dict[str, Any] = {
            "mail": mail.pk,
            "game": game_id,
            "user": user.pk,
            "muted": [*user.unheard, *_silenced(game_id)],
            "before": database_clock.now() - RECALL,
        }
        with transaction.atomic():
            carried, taken = pipeline.execute([(_TAKE_OVER, values), (_TAKE_UP, values)])
            if not (carried or taken):
                return []
            mail.messages = [*mail.messages, *(key for (key,) in (*carried, *taken))]
            OutboxMail.objects.filter(pk=mail.pk).update(messages=mail.messages)
        rows = _quoted(mail, game_id)
    return [QuotedMessage(row.seat, row.author, row.text, row.seq is not None) for row in rows]


def _quoted(mail: OutboxMail, game_id: int) -> list[Message]:
    if not mail.messages:
        return []
    rows = Message.objects.filter(game=game_id, pk__in=mail.messages, state=Message.State.SHOWN)
    rows = rows.filter(game__talk_open=True).exclude(author__in=_silenced(game_id))
    return list(rows.select_related("author").order_by("pk"))


def _silenced(game_id: int) -> list[int]:
    """The authors (pk) of this table whose words are not sent: those who may not act, and those
    whom the host has removed and who do not sit there again."""
    removed = Decision.objects.filter(game=game_id, action=Action.REMOVE_PLAYER)
    seated = Seat.objects.filter(game=game_id, user__isnull=False)
    gone = Q(pk__in=removed.values("person")) & ~Q(pk__in=seated.values("user"))
    authors = Message.objects.filter(game=game_id).values("author")
    found = User.objects.filter(pk__in=authors).filter(~active() | gone)
    return list(found.values_list("pk", flat=True))


def are_quoted(mail: OutboxMail, game_id: int) -> bool:
    """Return whether this email has taken up messages at this table."""
    return bool(_quoted(mail, game_id))


def give_back(mail: OutboxMail) -> None:
    """Let the next email quote what this one, which is not sent now, has taken up."""
    if not mail.messages:
        return
    user = mail.user_id
    with transaction.atomic():
        pipeline.execute([(_GIVE_BACK, [user, mail.messages, user])])
        OutboxMail.objects.filter(pk=mail.pk).update(messages=[])
    mail.messages = []


def unsent_since(game_id: int, user: User) -> datetime | None:
    """The time of the first message that this reader is still to be sent; None for none."""
    values = {"game": game_id, "user": user.pk, "muted": [*user.unheard, *_silenced(game_id)]}
    (((at,),),) = pipeline.execute([(f"SELECT min(message.at) {_UNSENT}", values)])
    found: datetime | None = at
    return found
