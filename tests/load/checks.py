"""Whether each move is in the log once, and each email was sent once."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from datetime import datetime

from django.db import connection

from games.models import InboundMail, OutboxMail

PLAYED = (InboundMail.Outcome.PLAYED, InboundMail.Outcome.REPEATED)
UNSENT = ("queued", "sending")

# A move is all events of one person at one time.
_MADE = """
    SELECT game_id, by_id, count(DISTINCT at) FROM games_gameevent
    WHERE game_id = ANY(%s) AND at >= %s AND by_id IS NOT NULL GROUP BY game_id, by_id
"""


def moves_wrong(
    accepted: Iterable[tuple[int, int]], games: Collection[int], since: datetime
) -> list[str]:
    """What is wrong with the moves in these games since then. accepted: (game, user) of those that
    the service said it has made, one for each game at most."""
    with connection.cursor() as cursor:
        cursor.execute(_MADE, [list(games), since])
        made = Counter({(game, user): count for game, user, count in cursor.fetchall()})
    wanted = Counter(accepted)
    wrong = [f"game {game}: a move of user {user} is lost" for game, user in wanted - made]
    return wrong + [f"game {game}: user {user} moved too often" for game, user in made - wanted]


def replies_wrong(handed: Iterable[str]) -> tuple[list[str], list[str]]:
    """(those that made a move, what is wrong with others) of these replies (Message-IDs), which the
    listener took. Those that still wait to be read are neither."""
    rows = InboundMail.objects.values_list("message_id", "outcome", "answer__context__reason")
    found = {message_id: (outcome, reason) for message_id, outcome, reason in rows}
    played, wrong = [], []
    for message_id in handed:
        outcome, reason = found.get(message_id, (None, None))
        if outcome is None:
            wrong.append(f"the reply {message_id} is lost")
        elif outcome in PLAYED:
            played.append(message_id)
        elif outcome != InboundMail.Outcome.NONE:
            wrong.append(f"the reply {message_id} made no move: {outcome!r}, {reason}")
    return played, wrong


def emails_wrong(arrivals: Callable[[], Counter[str]], *, once: bool = True) -> list[str]:
    """What is wrong with the emails that were to be sent. arrivals: how often each Message-ID came
    to the mail server; asked after the rows are read, because the service may go on. once: none may
    come twice or be given up."""
    rows = OutboxMail.objects.filter(batched_into=None, state__in=("sent", "parked", "dead"))
    ended = list(rows.values_list("kind", "message_id", "state", "error"))
    came, wrong = arrivals(), []
    for kind, message_id, state, error in ended:
        if state != OutboxMail.State.SENT:
            wrong += [f"{kind} {message_id} was given up: {error}"] if once else []
        elif came[message_id] != 1 and (once or not came[message_id]):
            wrong.append(f"{kind} {message_id} is marked as sent and came {came[message_id]} times")
    known = OutboxMail.objects.filter(message_id__in=came).values_list("message_id", flat=True)
    return wrong + [f"{name} came, and nobody sent it" for name in came.keys() - set(known)]


def waiting(now: datetime) -> tuple[int, float]:
    """How many emails are due and not sent, and replies not read; seconds since the first of them
    was due."""
    emails = OutboxMail.objects.filter(state__in=UNSENT, next_try_at__lte=now)
    replies = InboundMail.objects.filter(state=InboundMail.State.NEW)
    since = [
        *emails.values_list("next_try_at", flat=True),
        *replies.values_list("received_at", flat=True),
    ]
    return len(since), max(((now - at).total_seconds() for at in since), default=0.0)
