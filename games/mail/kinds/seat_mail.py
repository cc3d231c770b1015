"""Emails about a game: what they are composed from, and when a player at the table gets one."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from django.conf import settings
from django.db.models import OuterRef, Subquery
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from games import selectors
from games.log.game_log import Log
from games.mail import reply_addresses, signed_links, talk
from games.mail.turn_text import deadline_line, guidance, more_below, news
from games.models import (
    AT_TABLE,
    MAX_WAIT,
    DeliveryMode,
    Game,
    OutboxMail,
    Seat,
    TablePresence,
    database_clock,
)
from games.pictures import compositor
from games.rules import GAMES, chain
from games.rules.contract import Event, View
from games.rules.presentation import PlayerFacts
from games.translate import say, with_colon

from .base import SEND, BoardPicture, MailContent, MailKind, SendDecision, Snapshots


class GameMail:
    """An email about a game, loaded for composing."""

    def __init__(self, row: OutboxMail, snapshots: Snapshots) -> None:
        if row.game is None:
            raise ValueError(f"a {row.kind} email needs a game")
        snapshot = snapshots.of(row.game)
        self.row, self.game, self.log = row, snapshot.game, snapshot.log
        self.mail = snapshots.mail or row  # the email that is being composed
        self.seats, self.names = snapshot.seats, snapshot.names
        self.seat_names = snapshot.seat_names  # for what happened: who held the seats then
        self.game_url = settings.SITE_URL + reverse("game", args=[self.game.public_id])

    def context(self, **more: Any) -> dict[str, Any]:
        """Context for the templates of all emails about a game, and `more`."""
        return {
            "game": self.game,
            "title": say(GAMES[self.game.kind].title),
            "me": self.row.user.shown_name if self.row.user else "",
            "players": self._players(range(len(self.names))),
            "seat": self.row.seat,
            "game_url": self.game_url,
            **more,
        }

    def _players(
        self, seats: Iterable[int], known: Mapping[int, PlayerFacts] = {}
    ) -> list[dict[str, Any]]:
        """The players on these seats, and what is known of them."""
        return [self._player(seat, known.get(seat)) for seat in seats]

    def _player(self, seat: int, known: PlayerFacts | None) -> dict[str, Any]:
        """A player, and the line about them below the plain board."""
        name = self.names[seat]
        facts = say(known.text, self.names) if known is not None else ""
        line = f"{known.sign if known is not None else seat + 1} = {name}"
        if facts:
            line = f"{with_colon(line)} {facts}"
        return {"seat": seat, "name": name, "facts": facts, "line": line}


class SeatMail(GameMail):
    """An email to a player at the table."""

    def __init__(self, row: OutboxMail, snapshots: Snapshots) -> None:
        super().__init__(row, snapshots)
        if row.user is None or row.seat is None:
            raise ValueError(f"a {row.kind} email needs a user and a seat")
        self.user, self.number = row.user, row.seat
        if self.game.started_at is None:  # until then, seats get other numbers
            mine = (seat.number for seat in self.seats if seat.user_id == row.user.pk)
            self.number = next(mine, row.seat)

    @property
    def seat(self) -> Seat:
        """The player's seat."""
        return self.seats[self.number]

    def context(self, **more: Any) -> dict[str, Any]:
        # Messages that a cut digest does not show are not taken up.
        return super().context(talk=SimpleLazyObject(self._talk), **more)

    def _talk(self) -> list[dict[str, Any]]:
        """The messages that the reader is still to be sent; each is in one email only."""
        if self.row.game_id is None or not self.sits_here:
            return []
        found = talk.take_up(self.mail, self.row.game_id, self.user)
        return [{"name": self._writer(one), "seat": one.seat, "text": one.text} for one in found]

    def _writer(self, message: talk.QuotedMessage) -> str:
        here = {seat.user_id: seat.number for seat in self.seats if seat.user_id is not None}
        number = here.get(message.author.pk)
        name = message.author.name if number is None else self.names[number]
        return _("%(name)s (note on a move)") % {"name": name} if message.is_note else name

    @property
    def sits_here(self) -> bool:
        """Whether the reader still holds the seat that the email is about."""
        return self.number < len(self.seats) and self.seat.user_id == self.user.pk

    def turn_url(self, seq: int) -> str:
        """The link that opens the player's seat for the turn `seq`."""
        path = signed_links.turn_path(self.game.public_id, self.number, seq, self.user)
        return f"{settings.SITE_URL}{path}"

    def due_line(self, due_at: datetime | None) -> str:
        """Return the deadline and how far away it is on the date of this email; "" without one."""
        created = self.row.created_at
        at = self.user.send_at(self.row.kind, created)  # as the Date of the email
        return deadline_line(due_at, created if due_at is not None and at >= due_at else at)

    def guidance(self, log: Log) -> dict[str, Any]:
        """The question in this position and how to answer it; see `guidance`."""
        return guidance(log, self.number, self.names)

    def introduction(self, view: View) -> dict[str, Any]:
        """The game in short, and where to read all of its rules."""
        return {
            "introduction": [
                say(text, self.names) for text in self.log.engine.presentation.introduction(view)
            ],
            "rules_url": settings.SITE_URL + reverse("rules", args=[self.game.kind]),
        }

    def asking(self, log: Log, *, template: str = "", **more: Any) -> MailContent:
        """The email that asks for a move in the position of this log, with the events since the
        reader's last move and `more`."""
        view = log.engine.rules.view(log.state, self.number)
        question = log.engine.rules.question(view)
        lapses = question is not None and question.default is not None  # the rules answer then
        recap = selectors.recap(log, self.number, self.user.pk, self.seat_names)
        context = self.context(
            recap=recap,
            asked=True,
            question=say(question.text, self.names) if question is not None else "",
            lapses=lapses,
            unfit=selectors.unfit_orders_sentence(log, self.number),
            due=self.due_line(self.seat.due_at),
            due_at=self.seat.due_at,
            after_due="" if lapses else selectors.then_sentence(self.log, self.seat),
            why_then=selectors.deadline_sentence(self.log, self.seat),
            check_code=self.check_code(log),
        )
        context |= {
            "task": _("It’s your turn"),  # of a preview, where it is not
            "button_url": self.turn_url(self.seat.asked_seq or self.row.seq),
            **self.guidance(log),
            **more,
        }
        return self.written(context, template=template, log=log, view=view, recent=recap.events)

    def changed(self, said: str) -> MailContent:
        """The email that something at the table has changed by event `row.seq`; it asks a reader
        for a move who is to make one."""
        lost = (
            selectors.undone_orders_sentence(self.log, seq, self.number, self.user.pk)
            for seq in (self.row.seq, self.row.seq + 1)  # the effect of a vote follows its end
        )
        cause, effect = selectors.pause_sentences(self.log)
        known: dict[str, Any] = {
            "template": "moderated",
            "said": " ".join(filter(None, (said, *lost))),
            "paused": effect if cause.rstrip(".") in said else f"{cause} {effect}",
            "can_resume": bool(effect) and not self.log.is_held,
            "removed": False,
            "has_link": True,
        }
        if self.seat.asked_seq is not None and self.game.status == Game.Status.RUNNING:
            return self.asking(self.log, **known)
        return self.written(
            self.context(asked=False, due="", **known), template=known.pop("template")
        )

    def check_code(self, log: Log) -> str:
        """The number of the last event of this log and its check code, as "57:0123456789": evidence
        for the player, which says nothing before the seed is known (see games.rules.chain)."""
        last = log.entries[-1]
        return f"{last.seq}:{chain.check_code(bytes(self.game.seed), last.digest)}"

    def reply_to(self, seq: int | None = None) -> str | None:
        """The address for replies to the position after event `seq`, by default the present one."""
        seq = self.log.moved_at if seq is None else seq
        return reply_addresses.reply_address(self.game.public_id, self.number, seq)

    def written(
        self,
        context: dict[str, Any],
        *,
        template: str = "",
        log: Log | None = None,
        view: View | None = None,
        recent: tuple[Event, ...] = (),
        hand: bool = True,
        picture: bool = True,
        answers: int | None = None,
    ) -> MailContent:
        """The content of this email. log: the position that a reply answers, by default the present
        one. view: the board to show, and the hand unless `hand` is false. picture: whether the HTML
        part shows the board. answers: the event that a reply answers instead of the position."""
        if answers is None and log is not None:
            answers = log.moved_at
        reply_to = self.reply_to(answers)
        if "recap" in context:
            # A digest, which may not show this game, must not take up its messages.
            brief = self.mail == self.row and bool(context["talk"])
            context["news"], left_out = news(context["recap"], brief=brief)
            context["left_out"] = left_out
            context["more_news"] = more_below(left_out) if left_out else ""
        boards: tuple[BoardPicture, ...] = ()
        if view is not None:
            engine = self.log.engine
            if picture:
                details = {
                    f"detail-{number}@{settings.SITE_HOST}": part
                    for number, part in enumerate(engine.presentation.details(view), start=1)
                }
                name = f"board@{settings.SITE_HOST}"
                pixels = compositor.PIXELS_WITH_DETAILS if details else compositor.PIXELS
                boards = (BoardPicture(name, self.game, self.names, view, recent, pixels, details),)
                context["board"] = boards[0]
            context["board_text"] = engine.presentation.board_text(view, translate=say)
            known = {player.seat: player for player in engine.presentation.players(view)}
            mine_first = [self.number, *(seat for seat in known if seat != self.number)]
            context["players"] = self._players(
                mine_first if known else range(len(self.names)), known
            )
            if hand:
                held = engine.presentation.hand(view)
                context["hand"] = [
                    {"icon": one.icon, "label": say(one.label), "count": one.count} for one in held
                ]
                context["uses"] = list(dict.fromkeys(say(one.use) for one in held if one.use))
                context["mine"] = context["players"][0]["facts"] if known else ""
                context["holds"] = [*_holds(context["hand"], context["mine"]), *context["uses"]]
        return MailContent({**context, "reply_to": reply_to}, template, boards, reply_to)


def _holds(hand: Iterable[dict[str, Any]], mine: str) -> list[str]:
    """What the reader has, for the text part."""
    items = ", ".join(f"{held['label']} × {held['count']}" for held in hand)
    titled = ((_("Your hand"), items), (_("You have"), mine))
    return [f"{with_colon(title)} {words}" for title, words in titled if words]


class SeatStatus(NamedTuple):
    """The state of a seat and its game, read just before sending."""

    asked_seq: int | None
    mails_off: bool
    status: str
    seen_at: datetime | None


def _seat_status(row: OutboxMail) -> SeatStatus | None:
    """The state of the reader's seat as the rows say at this moment; None without a seat.
    seen_at is None for users whose emails do not wait for it."""
    presence = TablePresence.objects.filter(game=OuterRef("game"), user=OuterRef("user"))
    seen_at = Subquery(presence.filter(user__hold_at_table=True).values("at"))
    seats = Seat.objects.filter(game=row.game_id, user=row.user_id)
    found = seats.values_list("asked_seq", "mails_off", "game__status", seen_at).first()
    return SeatStatus(*found) if found is not None else None


class SeatMailKind(MailKind):
    """A kind of email to the players of a game."""

    sample_statuses: ClassVar[Collection[str]] = (Game.Status.RUNNING, Game.Status.PAUSED)

    def check(self, row: OutboxMail) -> SendDecision:
        seat = _seat_status(row)
        if seat is None:
            return SendDecision("the reader no longer sits at the table")
        if seat.mails_off:
            return SendDecision("the recipient turned emails for this game off")
        decision = self.check_seat(row, seat)
        if decision == SEND and self.waits_at_table and seat.seen_at is not None:
            return self._check_presence(row, seat.seen_at)
        return decision

    def _check_presence(self, row: OutboxMail, seen_at: datetime) -> SendDecision:
        """Wait until the reader has left the table, or for MAX_WAIT. A digest has its own hour."""
        if row.user is not None and row.user.delivery_mode(row.kind) == DeliveryMode.DIGEST:
            return SEND
        until = min(seen_at + AT_TABLE, row.created_at + MAX_WAIT)
        deadline = self.deadline(row)
        if until <= database_clock.now() or (deadline is not None and until > deadline):
            return SEND
        return SendDecision(wait=True, until=until)

    def check_seat(self, row: OutboxMail, seat: SeatStatus) -> SendDecision:
        """Like `check`, for a player who is still at the table and wants email about it."""
        return SEND

    def can_unsubscribe(self, row: OutboxMail) -> bool:
        # A lost seat is reported once.
        return row.seat is not None and super().can_unsubscribe(row)

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        return self.seat_content(SeatMail(row, snapshots))

    def seat_content(self, mail: SeatMail) -> MailContent:
        """The text for the player."""
        raise NotImplementedError
