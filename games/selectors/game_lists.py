"""Games in lists: what waits for whom, and for how long."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from allauth.account.models import EmailAddress
from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from games.log import event_store, table_events
from games.log.entry import Entry
from games.log.loader import read_games
from games.models import (
    Circle,
    Game,
    Invitation,
    MailAddress,
    Seat,
    User,
    address_digest,
    former_player,
    seat_names,
)
from games.rules import GAMES
from games.rules.text import Text
from games.translate import say

from .access import Reader, played_with, seat_of, with_seats
from .moves import NEEDS_LOG, sentence_of, text_of
from .seat_names import SeatNames
from .talk import unread_count

HOME_SHOWN = 12  # of the games that wait for a person, and of the others in progress
FINISHED_SHOWN = 20  # of a person's finished games, the newest
INVITATIONS_READ = 50  # to a person, of which each table is shown once
MOST_FRIENDS = 8  # whom a host may invite by name
OPEN_SHOWN = 30  # of the tables that look for players, the newest

TAIL = 24  # events at the end of a log; a move has fewer


@dataclass(frozen=True)
class GameRow:
    """A game in a list. seat: the reader's; turn: the names of those who are asked; due_at: until
    when (None: no deadline runs). last: what happened last, while it is played. unread: the number
    of messages that the reader has not seen. resigned: the names of the players in whose place bots
    play because they resigned, by seat."""

    game: Game
    seat: int | None
    turn: tuple[str, ...]
    due_at: datetime | None
    overdue: bool
    winners: tuple[str, ...]
    last: str = ""
    unread: int = 0
    resigned: Mapping[int, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The name of the game that is played."""
        return say(GAMES[self.game.kind].title)


@dataclass(frozen=True)
class Home:
    """The first page of a person: waiting is sorted by time left, the rest newest first.

    invitations: those that can still be accepted, each with its table, which may not be open to
    all. more_waiting, more_others: how many games in progress are left out.
    """

    waiting: tuple[GameRow, ...]
    others: tuple[GameRow, ...]
    gathering: tuple[GameRow, ...]
    finished: tuple[GameRow, ...]
    open_tables: tuple[GameRow, ...]
    invitations: tuple[tuple[Invitation, GameRow], ...] = ()
    more_waiting: int = 0
    more_others: int = 0


def _row(
    game: Game,
    user: Reader,
    last: str = "",
    unread: int = 0,
    resigned: Mapping[int, str] | None = None,
) -> GameRow:
    seats, names = game.seat_list, seat_names(game.seat_list)
    mine = seat_of(game, user)
    asked = [seat for seat in seats if seat.asked_seq is not None]
    clocks = [seat for seat in asked if seat.number == mine] or asked
    return GameRow(
        game=game,
        seat=mine,
        turn=tuple(names[seat.number] for seat in asked),
        due_at=min((s.due_at for s in clocks if s.due_at is not None), default=None),
        overdue=any(seat.overdue for seat in clocks),
        winners=tuple(names[n] for n in game.winners or () if n < len(names)),
        last=last,
        unread=unread,
        resigned=resigned or {},
    )


def games_in_progress(user: User) -> list[GameRow]:
    """The games of a person that are not over: those that wait for them by time left, then the
    others."""
    alive = (Game.Status.GATHERING, Game.Status.RUNNING, Game.Status.PAUSED)
    games = Game.objects.filter(seats__user=user, status__in=alive).order_by("pk")
    rows = [_row(game, user) for game in with_seats(games)]
    return sorted(rows, key=_urgency)


def _urgency(row: GameRow) -> tuple[bool, float]:
    is_asked = row.game.status == Game.Status.RUNNING and row.seat in row.game.to_act
    return not is_asked, row.due_at.timestamp() if is_asked and row.due_at else float("inf")


def home(user: User, *, everything: bool = False) -> Home:
    """The games on a person's first page, in a fixed number of queries. everything: all games in
    progress, not only the first of each list."""
    alive = (Game.Status.GATHERING, Game.Status.RUNNING, Game.Status.PAUSED)
    seats = Seat.objects.filter(user=user, game__status__in=alive)
    newest = seats.order_by("-game__last_event_at", "-game")
    waiting: list[tuple[int, datetime | None]] = []
    others, gathering = list[int](), list[int]()
    unread = dict[int, int]()
    values = newest.values_list(
        "game", "game__status", "asked_seq", "due_at", unread_count(user, "game", "talk_read")
    )
    for game, status, asked_seq, due_at, new in values:
        unread[game] = new
        if status == Game.Status.GATHERING:
            gathering.append(game)
        elif status == Game.Status.RUNNING and asked_seq is not None:
            waiting.append((game, due_at))
        else:
            others.append(game)
    waiting.sort(key=lambda one: one[1].timestamp() if one[1] is not None else float("inf"))
    most = None if everything else HOME_SHOWN
    played = Seat.objects.filter(user=user).order_by().values_list("game_id", flat=True)
    played = played.union(event_store.resigned_from(user.pk))
    over = Game.objects.filter(pk__in=played).exclude(status__in=alive)
    over = over.order_by("-ended_at", "-pk")
    own = Subquery(Seat.objects.filter(game=OuterRef("pk"), user=user).values("talk_read"))
    counted = over.annotate(read=own).values_list("pk", unread_count(user, "pk", "read"))
    finished = dict(counted[:FINISHED_SHOWN])
    unread |= finished
    invited = {invitation.table.pk: invitation for invitation in invitations_to(user)}
    open_tables = _open_tables(user).values_list("pk", flat=True)
    shown: dict[str, list[int]] = {
        "waiting": [game for game, _due_at in waiting[:most]],
        "others": others[:most],
        "gathering": gathering[:most],
        "finished": list(finished),
        "open_tables": [game for game in open_tables if game not in invited],
        "invitations": list(invited),
    }
    games = read_games([pk for ids in shown.values() for pk in ids])
    last = last_sentences(games, user)
    left = resigned(games)
    rows = {
        game.pk: _row(game, user, last.get(game.pk, ""), unread.get(game.pk, 0), left.get(game.pk))
        for game in games
    }
    lists = {name: tuple(rows[pk] for pk in ids if pk in rows) for name, ids in shown.items()}
    invitations = tuple((invited[row.game.pk], row) for row in lists.pop("invitations"))
    return Home(
        **lists,
        invitations=invitations,
        more_waiting=len(waiting) - len(shown["waiting"]),
        more_others=len(others) + len(gathering) - len(shown["others"]) - len(shown["gathering"]),
    )


def invitations_to(user: User) -> list[Invitation]:
    """The personal invitations to this person's verified addresses that can still be accepted, the
    newest first, one for each table where the person has no seat. None to an address that wants no
    invitations, and none by people whom this person has blocked."""
    own = EmailAddress.objects.filter(user=user, verified=True).values("email")
    seats = Seat.objects.filter(game=OuterRef("game"))
    unanswered = Invitation.objects.filter(answer=Invitation.Answer.NONE, address__in=own)
    if not unanswered.exists():  # mostly, and the query below costs a quarter of the first page
        return []
    found = (
        unanswered.exclude(Exists(seats.filter(user=user)))
        .exclude(invited_by__in=user.blocked)
        .alias(taken=_count(seats))
        .filter(
            Q(game__status=Game.Status.GATHERING, taken__lt=F("game__seat_count"))
            | Q(game__status__in=(Game.Status.RUNNING, Game.Status.PAUSED))
            & Exists(seats.filter(open_since__isnull=False))
        )
        .select_related("invited_by", "game")
        .defer("game__seed")
        .order_by("-created_at", "-pk")
    )
    newest: dict[int, Invitation] = {}
    for invitation in _wanted(found[:INVITATIONS_READ]):
        newest.setdefault(invitation.table.pk, invitation)
    return list(newest.values())[:HOME_SHOWN]


def _wanted(invitations: Iterable[Invitation]) -> list[Invitation]:
    """Return the invitations whose address accepts invitations."""
    digests = {invitation: address_digest(invitation.address) for invitation in invitations}
    refusing = MailAddress.objects.filter(digest__in=digests.values(), refused_at__isnull=False)
    refused = set(refusing.values_list("digest", flat=True)) if digests else set()
    return [invitation for invitation, digest in digests.items() if digest not in refused]


def _count(rows: QuerySet[Seat]) -> Subquery:
    """The number of these rows of one game, as a subquery."""
    counted = rows.order_by().values("game").annotate(number=Count("pk"))
    return Subquery(counted.values("number"))


def open_tables(user: Reader) -> tuple[GameRow, ...]:
    """Tables that look for players and where this person does not sit yet, newest first."""
    return tuple(_row(game, user) for game in with_seats(_open_tables(user)))


CIRCLE_SHOWN = 30  # of the tables of a circle, the newest


def circle_games(circle: Circle, user: User) -> tuple[GameRow, ...]:
    """The newest tables that were made for a circle and not cancelled, to one of its members."""
    games = circle.games.exclude(status=Game.Status.ABORTED).order_by("-created_at", "-pk")
    found = with_seats(games[:CIRCLE_SHOWN])
    last = last_sentences(found, user)
    return tuple(_row(game, user, last.get(game.pk, "")) for game in found)


def _open_tables(user: Reader) -> QuerySet[Game]:
    tables = Game.objects.filter(status=Game.Status.GATHERING, is_open=True)
    if user.is_authenticated:
        tables = tables.exclude(Exists(Seat.objects.filter(game=OuterRef("pk"), user=user)))
    return tables.order_by("-created_at")[:OPEN_SHOWN]


@dataclass(frozen=True)
class TableFilter:
    """A filter of open tables and public games.

    show: "open" for tables that look for players, "seats" for games with a seat that can be taken
    over, "running" or "finished". kind: a key of GAMES, "" for all. seats: number of players, 0 for
    any. before: only those whose creation (or start, or end) was earlier.
    """

    show: str = "open"
    kind: str = ""
    seats: int = 0
    before: datetime | None = None


LISTED = 24  # games on one page
# The games that "show" lists, and the time by which they are ordered, newest first.
SHOWN = {
    "open": (Game.Status.GATHERING, "created_at"),
    "seats": (Game.Status.RUNNING, "started_at"),
    "running": (Game.Status.RUNNING, "started_at"),
    "finished": (Game.Status.FINISHED, "ended_at"),
}


def tables(user: Reader, wanted: TableFilter) -> tuple[tuple[GameRow, ...], datetime | None]:
    """Games that everybody may watch or join, and where the next page begins, None at the end.

    A reader's own tables are not among those that look for players.
    """
    status, moment = SHOWN[wanted.show]
    # All such games have that moment, but the index of ended games covers only those that have one.
    games = Game.objects.filter(status=status, is_open=True, **{f"{moment}__isnull": False})
    if wanted.kind:
        games = games.filter(kind=wanted.kind)
    if wanted.seats:
        games = games.filter(seat_count=wanted.seats)
    if wanted.before is not None:
        games = games.filter(**{f"{moment}__lt": wanted.before})
    if wanted.show == "seats":
        empty = Seat.objects.filter(game=OuterRef("pk"), open_since__isnull=False)
        games = games.filter(Exists(empty))
    if wanted.show in ("open", "seats") and user.is_authenticated:
        games = games.exclude(Exists(Seat.objects.filter(game=OuterRef("pk"), user=user)))
    found = with_seats(games.order_by(f"-{moment}", "-pk")[: LISTED + 1])
    more = getattr(found[LISTED - 1], moment) if len(found) > LISTED else None
    last, left = last_sentences(found[:LISTED], user), resigned(found)
    rows = (
        _row(game, user, last.get(game.pk, ""), resigned=left.get(game.pk))
        for game in found[:LISTED]
    )
    return tuple(rows), more


class WaitingGame(NamedTuple):
    """A game in which it is a person's turn."""

    public_id: str
    name: str


def waiting_games(user: Reader) -> tuple[int, tuple[WaitingGame, ...]]:
    """Return the number of games that wait for this person, and the two with the least time
    left."""
    if not user.is_authenticated:
        return 0, ()
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, [user.pk])
        rows = cursor.fetchall()
    games = tuple(WaitingGame(public_id, name) for public_id, name, _count in rows)
    return (rows[0][2] if rows else 0), games


# For the head of every page. By the ORM, for a person with 200 games, it took 1.3 ms instead of
# 0.2.
_WAITING = """
    SELECT public_id, name, count(*) OVER () FROM games_seat
    JOIN games_game ON games_game.id = game_id
    WHERE user_id = %s AND asked_seq IS NOT NULL AND status = 'running'
    ORDER BY due_at, games_seat.id LIMIT 2
"""


@dataclass(frozen=True)
class WaitingTurn:
    """A turn of the user. seq: the event that began it. due_at: None where no deadline runs."""

    public_id: str
    name: str
    seq: int
    asked_at: datetime
    due_at: datetime | None


def waiting_turns(user: User) -> list[WaitingTurn]:
    """The turns that wait for this user in a feed, those with the least time left first."""
    seats = Seat.objects.filter(
        user=user, asked_seq__isnull=False, game__status=Game.Status.RUNNING
    ).order_by(F("due_at").asc(nulls_last=True), "pk")
    return [
        WaitingTurn(seat.game.public_id, seat.game.name, seat.asked_seq, seat.asked_at, seat.due_at)
        for seat in seats.select_related("game")
        if seat.asked_seq is not None and seat.asked_at is not None
    ]


def invitations_by(user: User, game: Game) -> list[tuple[Invitation, bool]]:
    """The invitations to a game that this person sent, each with whether email to the address
    bounces. Those of others hold addresses that only their senders typed."""
    sent = game.invitations.filter(invited_by=user).select_related("invitee")
    found = {address_digest(i.address): i for i in sent.order_by("created_at")}
    addresses = MailAddress.objects.filter(digest__in=found).exclude(stopped="")
    stopped = set(addresses.values_list("digest", flat=True))
    return [(invitation, digest in stopped) for digest, invitation in found.items()]


def resigned(games: Sequence[Game]) -> dict[int, dict[int, str]]:
    """The names of the players in whose place bots play because they resigned, by seat, of each of
    these games (pk, with its seats) that has some; in one query."""
    bots = {
        (game.pk, seat.number)
        for game in games
        if game.started_at is not None
        for seat in game.seat_list
        if seat.is_bot
    }
    if not bots:
        return {}
    found: dict[int, dict[int, str]] = {}
    for event in event_store.resignations({game for game, _seat in bots}):
        if event.seat is not None and (event.game_id, event.seat) in bots:
            name = event.by.name if event.by is not None else former_player()
            found.setdefault(event.game_id, {})[event.seat] = name
    return found


def may_come_again(user: User, game: Game) -> list[User]:
    """The people whom the host of a table that waits may invite by name: those whom they have
    played with, and who are neither seated nor invited by name."""
    here = [seat.user_id for seat in game.seat_list if seat.user_id is not None]
    invited = game.invitations.filter(invitee__isnull=False).values("invitee")
    return list(played_with(user).exclude(pk__in=here).exclude(pk__in=invited)[:MOST_FRIENDS])


def awaited(user: User, game: Game) -> list[str]:
    """Who has not answered an invitation to this table, as somebody who sits there may read it: the
    names of players, and the addresses that the reader has typed."""
    sent = game.invitations.filter(answer=Invitation.Answer.NONE).select_related("invitee")
    sent = sent.filter(Q(invitee__isnull=False) | Q(invited_by=user))
    return [invitation.recipient for invitation in sent.order_by("created_at", "pk")]


def last_sentences(games: Sequence[Game], reader: Reader) -> dict[int, str]:
    """Return a sentence about the last event of each running game (with its seats), by pk: about
    the last move, or a later event of the table, as the reader may know it; of a paused game, whose
    pause it is. In one query, and another one for the logs of the few games whose sentence needs
    the whole log."""
    played = [game for game in games if game.status in (Game.Status.RUNNING, Game.Status.PAUSED)]
    tails = event_store.newest(played, TAIL)
    found = {game: _last_text(game, tails[game.pk], seat_of(game, reader)) for game in played}
    said = {
        game.pk: say(text, seat_names(game.seat_list)) if text is not None else ""
        for game, (text, _entry) in found.items()
    }
    unsaid = [(game, entry) for game, (_text, entry) in found.items() if entry is not None]
    logs = event_store.load_all([game for game, _entry in unsaid])
    for (game, entry), log in zip(unsaid, logs, strict=True):
        said[game.pk] = sentence_of(log, entry, None, SeatNames(log, game.seat_list)) or ""
    return said


def _last_text(
    game: Game, tail: Sequence[Entry], viewer: int | None
) -> tuple[Text | None, Entry | None]:
    """(the text about the last event, None), or (None, the entry that needs the whole log)."""
    engine = GAMES[game.kind]
    pauses = (entry for entry in reversed(tail) if isinstance(entry.event, table_events.Paused))
    if game.status == Game.Status.PAUSED and (pause := next(pauses, None)) is not None:
        return text_of(engine, pause, viewer, None), None
    found: Text | None = None
    for entry in reversed(tail):
        if isinstance(entry.event, NEEDS_LOG):
            return (found, None) if found is not None else (None, entry)
        text = text_of(engine, entry, viewer, None)
        found = (found or text) if entry.is_table else (text or found)
        if found is not None and (entry.is_table or engine.rules.command_of(entry.event)):
            break
    return found, None
