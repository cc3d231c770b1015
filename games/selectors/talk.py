"""Messages at a table: the one place that decides who reads them.

A note belongs to a move, and everybody reads it who may see the table. Talk is read by the people
who held a seat when it was written: while they hold one, and after the end. Moderators who do not
play at the table read all of it. The link of a turn email shows no talk: pass the user who is
signed in.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from games.models import Game, Message, User, seat_names
from games.translate import exact_time

from .access import Reader, moderates, player_on, seat_of

SHOWN = 30  # of the newest messages
MOST = 2000  # that one page shows
RECALL = timedelta(minutes=2)  # a message waits so long before it is emailed

State = Message.State


class Neighbour(NamedTuple):
    """Somebody else at the table of a reader."""

    seat: int
    name: str
    is_muted: bool
    is_blocked: bool


@dataclass(frozen=True)
class TalkLine:
    """A message as one reader may read it.

    is_first_unread: the reader has not seen it and all that follow. is_muted: folded away.
    is_mine: the reader may delete it.
    """

    key: int
    name: str
    seat: int
    seq: int | None
    at: datetime
    text: str
    state: str
    is_mine: bool
    is_muted: bool
    is_first_unread: bool


@dataclass(frozen=True)
class Talk:
    """The block of messages on the page of a table, the oldest first.

    has_earlier: older ones are left out. newest: the last message (pk), 0 without one. unread: how
    many of these the reader has not seen.
    can_write: the reader holds a seat and may write. why_not: why nobody on this seat may, see
    `why_no_talk`. can_switch: may close and open the talk.
    others: the people whom the reader can mute, block and report.
    """

    lines: tuple[TalkLine, ...]
    has_earlier: bool
    newest: int
    unread: int
    can_write: bool
    why_not: str
    can_switch: bool
    others: tuple[Neighbour, ...]
    is_closed: bool


def notes_of(game: Game) -> dict[int, str]:
    """The notes of a game by the number of the move that they go with."""
    found: dict[int, str] = {}
    if game.talk_state and game.noted_at is None:  # `game_for` has read that there are none
        return found
    notes = Message.objects.filter(game=game, seq__isnull=False, state=State.SHOWN)
    for seq, text in notes.order_by("pk").values_list("seq", "text"):
        if seq is not None:
            found[seq] = f"{found[seq]}\n{text}" if seq in found else text
    return found


def may_read_talk(game: Game, user: Reader) -> bool:
    """Return whether this person reads what is written at this table now."""
    return seat_of(game, user) is not None or moderates(user)


def talk_of(game: Game, user: Reader, *, whole: bool = False) -> Talk | None:
    """The messages of a game that came from `game_for`; None for a reader to whom the page shows
    no talk. Former players see their own, which they can delete. whole: also the older ones."""
    number = seat_of(game, user)
    if not user.is_authenticated:
        return None
    most = MOST if whole else SHOWN
    newest = readable(game, user).select_related("author").order_by("-pk")
    if not (game.is_over or may_read_talk(game, user)):
        newest = newest.filter(author=user)
    rows = list(newest[: most + 1])
    seats = [seat for seat in game.seat_list if seat.user_id is not None]
    others = []
    if number is not None:
        found = ((seat, player_on(game, seat.number)) for seat in game.seat_list)
        others = [(seat, who) for seat, who in found if who is not None and who.pk != user.pk]
    if not (rows or others):
        return None
    why_not = why_no_talk(game, user)
    shown = seat_names(game.seat_list)
    names = {seat.user_id: shown[seat.number] for seat in seats}
    seen = game.seat_list[number].talk_read if number is not None else None
    unheard = set(user.unheard)
    lines, unread_from, unread = [], None, 0
    for row in reversed(rows[:most]):
        is_unread = seen is not None and row.pk > seen and row.author_id not in {user.pk, *unheard}
        unread += is_unread and row.state == State.SHOWN
        if is_unread and unread_from is None:
            unread_from = row.pk
        lines.append(
            TalkLine(
                key=row.pk,
                name=names.get(row.author_id) or row.author.name,
                seat=row.seat,
                seq=row.seq,
                at=row.at,
                text="" if row.state == State.REMOVED and number is not None else row.text,
                state=row.state,
                is_mine=row.author_id == user.pk,
                is_muted=row.author_id in unheard,
                is_first_unread=row.pk == unread_from,
            )
        )
    return Talk(
        lines=tuple(lines),
        has_earlier=len(rows) > most,
        newest=rows[0].pk if rows else 0,
        unread=unread,
        can_write=number is not None and not why_not,
        why_not=why_not,
        can_switch=may_switch(game, user),
        others=tuple(
            Neighbour(
                seat.number,
                shown[seat.number] if seat.user_id is not None else who.name,
                who.pk in user.muted,
                who.pk in user.blocked,
            )
            for seat, who in others
        ),
        is_closed=not game.talk_open,
    )


def why_no_talk(game: Game, user: User) -> str:
    """Return why this person may write no messages and notes at this table now; "" if they may."""
    if not game.talk_open:
        return _("Messages are turned off at this table.")
    return why_no_words(user)


def why_no_words(user: User) -> str:
    """Return why this person may write nothing to other players now, wherever; "" if they may."""
    if user.no_talk_until is None or user.may_talk:
        return ""
    until = {"until": exact_time(user.no_talk_until)}
    return (
        _(
            "A moderator has decided that you cannot write messages until %(until)s. You can still "
            "play and vote."
        )
        % until
    )


def readable(game: Game, user: Reader) -> QuerySet[Message]:
    """The messages of a game that this person may read, moderators also those that were removed;
    for others the text of these is empty."""
    messages = Message.objects.filter(game=game)
    if seat_of(game, user) is None and moderates(user):
        return messages
    return messages.filter(readers__contains=[user.pk])


def is_waiting(message: Message, now: datetime) -> bool:
    """Return whether no email has this message yet and it may still be deleted without a trace. A
    note may be in the email of its move. Nothing depends on the muting of its author."""
    return message.seq is None and message.at > now - RECALL


def may_switch(game: Game, user: Reader) -> bool:
    """Return whether this person may close and open the talk of a table: its host, and moderators
    who do not play at it."""
    if not user.is_authenticated:
        return False
    return game.host_id == user.pk or (moderates(user) and seat_of(game, user) is None)


def unread_count(user: User, game: str, read: str) -> Coalesce:
    """The number of messages that this person has not seen, as an expression of a query.

    game, read: the columns of that query with the game and the seat's talk_read.
    """
    messages = Message.objects.filter(
        game=OuterRef(game),
        pk__gt=OuterRef(read),
        state=State.SHOWN,
        readers__contains=[user.pk],
    )
    counted = messages.exclude(author__in=[user.pk, *user.unheard]).order_by().values("game")
    return Coalesce(Subquery(counted.annotate(number=Count("pk")).values("number")), 0)
