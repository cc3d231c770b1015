"""Files to download: everything that is stored about one person, for that person, and the public
record of a game that is over.

The file of a person holds what this person may see. Other people are in it only as the names on
invitations and reports and of blocked people, and as addresses that the person typed to invite
them; hidden information of others never, because each event passes through `visible`. No secrets
are in it: no keys of sessions, feeds, devices and second factors, no tokens, no codes, and no email
as it was sent.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.db.models import Model, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from games.log import event_store, stored_rows, table_events
from games.log.entry import Entry
from games.log.stored_rows import StoredRow
from games.models import (
    PREFERENCES,
    Action,
    Appeal,
    Decision,
    Game,
    InboundMail,
    Invitation,
    OutboxMail,
    TablePresence,
    User,
)
from games.rules import GAMES, records
from games.rules.contract import AnyGame

from .access import NotFound

MOST_GAMES = 1000  # the newest; of older ones, each finished game has a record of its own
MOST_ROWS = 10_000  # of each other list, the newest

ACCOUNT = (
    "email",
    "display_name",
    "time_zone",
    "language",
    "wants_hints",
    "date_joined",
    "last_login",
    "suspended_until",
    "no_talk_until",
    "is_staff",
    "is_superuser",
    "figures_public",
    "frozen_at",
    "closes_at",
    "mail_stopped",
)
MORE_PREFERENCES = ("delivery_modes", "saved_modes", "absences", "last_seen_at")

_Row = TypeVar("_Row", bound=Model)
Values = dict[str, Any]


def personal_data(user: User) -> Values:
    """The content of the file, ready for JSON, in a fixed number of queries.

    truncated: the lists that are longer than the file can have.
    """
    truncated: list[str] = []

    def newest(name: str, rows: QuerySet[_Row], most: int = MOST_ROWS) -> list[_Row]:
        found = list(rows[: most + 1])
        if len(found) > most:
            truncated.append(name)
        return found[:most]

    games = newest("games", _games_of(user), MOST_GAMES)
    mails = OutboxMail.objects.filter(user=user).select_related("game").order_by("-created_at")
    replies = InboundMail.objects.filter(user=user).select_related("game").defer("raw")
    sent = user.invitations_sent.select_related("game", "circle", "invitee").order_by("-created_at")
    memberships = newest("circles", user.memberships.select_related("circle").order_by("pk"))
    left = {one.circle_id for one in memberships if one.left_at is not None}
    return {
        "account": _values(user, ACCOUNT),
        "preferences": _values(user, (*PREFERENCES, *MORE_PREFERENCES)),
        **_credentials(user),
        "blocked": [
            person.name for person in User.objects.filter(pk__in=user.blocked).order_by("pk")
        ],
        "games": _games(user, games),
        "circles": [
            {
                "name": one.circle.name if one.left_at is None else None,
                "is_founder": one.circle.founder_id == user.pk,
                **_values(one, ("joined_at", "left_at", "removed")),
            }
            for one in memberships
        ],
        "invitations_received": [
            {**_invitation(one, left), "by": one.invited_by.name if one.invited_by else None}
            for one in newest("invitations_received", _invitations_to(user))
        ],
        "invitations_sent": [
            {**_invitation(one, left), "to": one.recipient}
            for one in newest("invitations_sent", sent)
        ],
        "emails": [_mail(mail) for mail in newest("emails", mails)],
        "appeals": [
            {
                "text": one.text,
                "at": one.at,
                "decision": one.decision.action,
                "answer": _answer(one),
            }
            for one in newest("appeals", _appeals_of(user))
        ],
        "decisions": [_decision(row, user) for row in newest("decisions", _decisions_of(user))],
        "reports": [
            {
                **_values(report, ("at", "quoted", "text", "closed_at")),
                "about": report.subject,
                "outcome": report.get_outcome_display(),
            }
            for report in newest("reports", user.reports_made.select_related("game", "person"))
        ],
        "replies": [_reply(reply) for reply in newest("replies", replies.order_by("-received_at"))],
        "truncated": truncated,
    }


def _values(row: Model, names: Iterable[str]) -> Values:
    return {name: getattr(row, name) for name in names}


# -- the account -------------------------------------------------------------------------


def _credentials(user: User) -> dict[str, list[Values]]:
    """Addresses, devices, and what else opens the account; without any key."""
    lists: dict[str, tuple[QuerySet[Any], tuple[str, ...]]] = {
        "addresses": (EmailAddress.objects.filter(user=user), ("email", "verified", "primary")),
        "address_history": (
            user.address_records.all(),
            ("address", "is_primary", "verified_at", "removed_at"),
        ),
        "account_changes": (user.credential_changes.all(), ("kind", "address", "at")),
        "sessions": (
            UserSession.objects.filter(user=user),
            ("created_at", "last_seen_at", "ip", "user_agent"),
        ),
        "second_factors": (
            Authenticator.objects.filter(user=user),
            ("type", "created_at", "last_used_at"),
        ),
        "notification_devices": (user.push_devices.all(), ("created_at",)),
        "feeds": (user.feed_keys.all(), ("kind", "created_at")),
    }
    return {
        name: list(rows.order_by("pk").values(*fields)[:MOST_ROWS])
        for name, (rows, fields) in lists.items()
    }


# -- games -------------------------------------------------------------------------------


def _games_of(user: User) -> QuerySet[Game]:
    """The games that this person hosts or has a seat in, or had one, the newest first.

    Their keys come from a query of their own: with all conditions in one, PostgreSQL reads the
    whole table.
    """
    keys = user.seats.values_list("game").union(
        user.former_seats.values_list("game"), user.hosted.values_list("pk")
    )
    games = Game.objects.filter(pk__in=[key for (key,) in keys])
    return games.defer("seed").order_by("-created_at", "-pk")


def _games(user: User, games: Sequence[Game]) -> list[Values]:
    keys = [game.pk for game in games]
    seats = {seat.game_id: seat for seat in user.seats.filter(game__in=keys)}
    visits = dict(TablePresence.objects.filter(user=user, game__in=keys).values_list("game", "at"))
    entries = event_store.entries_by(user.pk, games)
    messages: dict[int, list[Values]] = {}
    for row in user.messages.filter(game__in=keys).order_by("game", "pk"):
        messages.setdefault(row.game_id, []).append(_values(row, ("seq", "text", "at", "state")))
    found = []
    for game in games:
        seat = seats.get(game.pk)
        found.append(
            {
                **_game(game),
                "is_host": game.host_id == user.pk,
                "seat": (
                    _values(seat, ("number", "joined_at", "asked_at", "due_at", "mails_off"))
                    if seat is not None
                    else None
                ),
                "page_open_at": visits.get(game.pk),
                "events": _events(
                    game, entries.get(game.pk, ()), seat.number if seat is not None else None
                ),
                "messages": messages.get(game.pk, []),
            }
        )
    return found


def _game(game: Game) -> Values:
    names = ("name", "status", "created_at", "started_at", "ended_at", "scores", "winners")
    link = settings.SITE_URL + reverse("game", args=[game.public_id])
    return {"link": link, "game": game.kind, **_values(game, names)}


def _events(game: Game, entries: Iterable[Entry], seat: int | None) -> list[Values]:
    """The person's moves, orders and acts at the table, as a reader on this seat may see them.

    A move of a bot bears the name of the person who let it play: it is not theirs.
    """
    by_bot = {entry.at for entry in entries if isinstance(entry.event, table_events.BotPlayed)}
    found = []
    for entry in entries:
        if not entry.is_table and entry.at in by_bot:
            continue
        if entry.order and not game.is_over and entry.seat != seat:
            continue
        if (event := _event(game, entry, seat)) is not None:
            number = {"after": entry.seq} if entry.order else {"seq": entry.seq}
            found.append({**number, "at": entry.at, "event": msgspec.Raw(event)})
    return found


def _event(game: Game, entry: Entry, seat: int | None) -> bytes | None:
    """An event as JSON, None for the consequences of a move."""
    engine, event = GAMES[game.kind], entry.event
    if isinstance(event, table_events.Event):
        return table_events.encode(event)
    if engine.rules.command_of(event) is None:
        return None
    return engine.codec.encode(event if game.is_over else engine.rules.visible(event, seat))


# -- decisions of moderators and hosts ---------------------------------------------------


def _decisions_of(user: User) -> QuerySet[Decision]:
    """The decisions that this person made, and those about them that restrict or change something.
    A look at hidden information is the table's secret, and is in its records only."""
    looks = (Action.REVEAL, Action.READ_REPLY)
    theirs = Q(by=user) | Q(person=user) & ~Q(action__in=looks)
    return Decision.objects.filter(theirs).select_related("game", "words")


def _appeals_of(user: User) -> QuerySet[Appeal]:
    found = Appeal.objects.filter(decision__person=user).order_by("-at")
    return found.select_related("decision", "answer__words")


def _answer(appeal: Appeal) -> Values | None:
    if appeal.answer is None:
        return None
    return _values(appeal.answer, ("at", "action", "reason"))


def _decision(decision: Decision, user: User) -> Values:
    return {
        **_values(
            decision, ("at", "as_host", "action", "rule", "until", "seq", "reason", "reported")
        ),
        "decided_by_you": decision.by_id == user.pk,
        "about_you": decision.person_id == user.pk,
        "table": decision.game.name if decision.game else None,
    }


# -- emails and invitations --------------------------------------------------------------


def _invitations_to(user: User) -> QuerySet[Invitation]:
    addresses = EmailAddress.objects.filter(user=user, verified=True).values("email")
    invitations = Invitation.objects.filter(address__in=addresses)
    return invitations.select_related("game", "circle", "invited_by").order_by("-created_at")


def _invitation(invitation: Invitation, left: Collection[int]) -> Values:
    """An invitation. left: the circles (pk) whose names the person may not read any more."""
    circle = invitation.circle
    names = ("created_at", "message", "language", "answer", "answered_at")
    to = {
        "table": invitation.game.name if invitation.game is not None else None,
        "circle": circle.name if circle is not None and circle.pk not in left else None,
    }
    return {**to, **_values(invitation, names)}


def _mail(mail: OutboxMail) -> Values:
    names = ("kind", "to_address", "created_at", "sent_at")
    return {
        **_values(mail, names),
        "state": mail.get_state_display(),
        "table": mail.game.name if mail.game else None,
    }


def _reply(reply: InboundMail) -> Values:
    """An email that came in for this person. One whose sender is somebody else is named as such,
    without its sender."""
    return {
        **_values(reply, ("received_at", "line", "letter")),
        "sender_check": reply.get_sender_check_display(),
        "outcome": reply.get_outcome_display(),
        "table": reply.game.name if reply.game else None,
    }


def record_lines(game: Game) -> Iterator[str]:
    """The public record of a game that is over, a JSON text per line (see games.rules.records),
    without the ends of the lines; NotFound before the end, and where no game was begun."""
    if not game.is_over or game.started_at is None:
        raise NotFound(_("You can download the record once the game is over."))
    seats = len(game.seat_list)
    engine = GAMES[game.kind]
    rows = list(stored_rows.read(game))
    head = next(row.digest for row in reversed(rows) if not row.order)
    header = records.Header(
        game.kind,
        game.options,
        seats,
        engine.codec.schema,
        game.commitment,
        id=game.public_id,
        head=head.hex(),
    )
    written = records.write(header, _record_body(rows, engine))
    return (line.decode().rstrip("\n") for line in written)


def _record_body(rows: Iterable[StoredRow], engine: AnyGame) -> Iterator[records.Line]:
    for row in rows:
        is_table = row.kind.startswith(table_events.PREFIX)
        own = row.schema == (1 if is_table else engine.codec.schema)
        yield records.Line(
            seq=row.seq,
            seat=row.seat,
            kind=row.kind,
            event=msgspec.json.decode(row.payload),
            schema=msgspec.UNSET if own else row.schema,
            at=event_store.time_text(row.at),
            order=row.order,
            actor=row.actor,
            digest=row.digest.hex(),
        )
