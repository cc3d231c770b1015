"""Queue emails: who gets one for what happened, written as rows of the outbox.

Services call this inside their transaction, so an email exists exactly if its reason does. Nothing
is rendered or sent here; a worker does that later.
"""

import uuid
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any, Literal

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, Subquery
from django.urls import reverse
from django.utils import translation
from django.utils.functional import Promise

from games.log import pipeline, voting
from games.log.event_store import load
from games.log.pipeline import Statement
from games.models import (
    Circle,
    CredentialChange,
    Decision,
    DeliveryMode,
    Game,
    Invitation,
    Message,
    OutboxMail,
    Report,
    Seat,
    User,
    database_clock,
)
from games.selectors import RECALL

from . import workers
from .kinds.account import ACCOUNT, SECURITY, UNSUBSCRIBED
from .kinds.answer import ANSWER
from .kinds.batch import GATHERED
from .kinds.deadline import DEADLINE, MISSED, REMINDER
from .kinds.invitation import INVITATION
from .kinds.moderation import APPEAL, DECISION, DECISION_SENTENCES, MODERATED, REPORT
from .kinds.over import OVER
from .kinds.players import TALK, VOTE
from .kinds.table import STARTED, TABLE
from .kinds.turn import PLANNED, TURN
from .outbox_rows import address_digest, enqueue, row_for, seat_row, statements

# The queued answers of a game take the place of the queued emails that would say the same.
_TAKE_PLACES = """
    UPDATE games_outboxmail AS mail SET state = 'carried', batched_into_id = answer.id
    FROM games_outboxmail AS answer
    WHERE mail.game_id = %s AND mail.state = 'queued' AND mail.seq <= answer.seq
        AND answer.game_id = mail.game_id AND answer.user_id = mail.user_id
        AND answer.state = 'queued' AND answer.context->>'instead_of' = mail.kind
"""
# What follows is written once the bots have moved: the answer shows the position after that.
_BOTS_HAVE_MOVED = """
    UPDATE games_outboxmail SET seq = %s, next_try_at = %s, context = context - 'waits_for_bots'
        || jsonb_build_object('instead_of', CASE WHEN seat = ANY(%s) THEN %s ELSE '' END)
    WHERE game_id = %s AND state = 'queued' AND context ? 'waits_for_bots'
"""
_QUEUE_AGAIN = """
    UPDATE games_outboxmail SET state = 'queued', batched_into_id = NULL, to_address = %s,
        attempts = 0, next_try_at = %s, error = ''
    WHERE dedupe_key = ANY(%s) AND state IN ('dropped', 'parked', 'dead')
"""
BOTS_PATIENCE = timedelta(seconds=20)  # with the sweep after it, half a minute


def _reachable(seats: Iterable[Seat]) -> list[Seat]:
    """The seats whose users can get email."""
    return [seat for seat in seats if seat.user is not None and not seat.user.is_suspended]


def game_started(game: Game, seats: Iterable[Seat]) -> None:
    """The game has begun. Players who are asked to move at once learn it from that email."""
    enqueue(
        seat_row(STARTED, game, seat, game.version)
        for seat in _reachable(seats)
        if seat.asked_seq is None
    )


def turns_changed(game: Game, seats: Iterable[Seat]) -> list[Statement]:
    """Return an email for everyone who is asked to move and has none about this turn yet; to be
    written with the events that asked them."""
    return statements(
        seat_row(TURN, game, seat, seat.asked_seq)
        for seat in _reachable(seats)
        if seat.asked_seq is not None
    )


def plan_played(game: Game, seat: Seat, seq: int) -> list[Statement]:
    """The plan of the player on `seat` was played, up to event `seq`; to be written with it."""
    if game.is_over:
        return []
    return statements(seat_row(PLANNED, game, each, seq) for each in _reachable([seat]))


def bots_have_moved(game: Game, seats: Iterable[Seat]) -> list[Statement]:
    """Send the answer that waited for the bots, in place of the email about the turn or the end: a
    person is to act now, or the game is over. To be written after that email."""
    workers.wake("games.tasks.drain_urgent")
    is_over = game.is_over
    asked = [seat.number for seat in seats if is_over or seat.number in game.to_act]
    at, kind = database_clock.now() - ANSWER.head_start, OVER if is_over else TURN
    values = [game.version, at, asked, kind.name, game.pk]
    return [(_BOTS_HAVE_MOVED, values), (_TAKE_PLACES, [game.pk])]


def game_over(game: Game, seats: Iterable[Seat], former: Iterable[User] = ()) -> list[Statement]:
    """The game has ended; to be written with its last event. former: players who resigned."""
    rows = [seat_row(OVER, game, seat, game.version) for seat in _reachable(seats)]
    for user in former:
        dedupe = f"{game.pk}:{game.version}:{user.pk}:{OVER.name}"
        rows.append(row_for(OVER, user, dedupe, game=game, seq=game.version))
    return statements(rows)


def moderated(
    game: Game,
    seats: Iterable[Seat],
    seq: int,
    reason: str,
    removed: User | None = None,
    rule: str = "",
) -> None:
    """A moderator or the host acted: event `seq` says what was done and why.

    removed: a player who lost a seat by it. The end of a game has an email of its own.
    """
    if game.is_over:
        return
    rows = [seat_row(MODERATED, game, seat, seq, reason=reason) for seat in _reachable(seats)]
    if removed is not None and not removed.is_suspended:
        dedupe = f"{game.pk}:{seq}:{removed.pk}:moderated"
        rows.append(
            row_for(
                MODERATED,
                removed,
                dedupe,
                game=game,
                seq=seq,
                context={"reason": reason, "rule": rule},
            )
        )
    enqueue(rows)


def table_changed(game: Game, seats: Iterable[Seat], seq: int) -> list[Statement]:
    """A player left and a bot takes over: event `seq` says so. To be written with it."""
    rows = (seat_row(MODERATED, game, seat, seq, reason="") for seat in _reachable(seats))
    return statements(rows)


def deadline_passed(game: Game, seats: Iterable[Seat], seat: Seat) -> list[Statement]:
    """The player on `seat` did not move in time; to be written with the event that says so."""
    if seat.asked_seq is None:
        return []
    return statements(
        seat_row(DEADLINE, game, other, seat.asked_seq, late=seat.number)
        for other in _reachable(seats)
    )


def turn_missed(game: Game, seat: Seat, seq: int, left: int | None) -> list[Statement]:
    """A bot played a turn for the player on `seat`, who missed the deadline. left: how many more
    misses in a row until a bot takes the seat; None: it never does. To be written with the turn."""
    if game.is_over:
        return []
    return statements(seat_row(MISSED, game, each, seq, left=left) for each in _reachable([seat]))


def vote_opened(
    game: Game, seats: Iterable[Seat], seq: int, *, by: User | None = None
) -> list[Statement]:
    """The players on these seats are asked to answer the vote that event `seq` opens; to be written
    with it. by: who asks, None for a player who has sat down since."""
    known: dict[str, Any] = {"by": by.pk} if by is not None else {}
    return statements(seat_row(VOTE, game, seat, seq, **known) for seat in _reachable(seats))


def vote_told(game: Game, seats: Iterable[Seat], seq: int) -> list[Statement]:
    """Event `seq` is the end of a vote or of a pause that was voted, of which the players on these
    seats are told; to be written with it."""
    return statements(seat_row(VOTE, game, seat, seq) for seat in _reachable(seats))


def catch_up(user: User) -> None:
    """Queue the emails about the open turns and votes of this user that they did not get, because
    there was no way to send them any. Those that were sent, or wait, stay as they are."""
    if rows := _open_rows(user):
        keys = [row.dedupe_key for row in rows]
        values = [user.email, database_clock.now(), keys]
        pipeline.execute([(_QUEUE_AGAIN, values), *statements(rows)])


def suspension_over(user: User) -> None:
    """Queue one email about all turns and votes that wait for this user, also about those of which
    they had been sent one: nothing that they did counted in the meantime."""
    now = database_clock.now()
    rows = _open_rows(user, about=f"back-{int(now.timestamp())}")
    enqueue(rows)
    if len(rows) > 1 and user.delivery_mode(TURN.name) == DeliveryMode.IMMEDIATE:
        batch = row_for(GATHERED, user, f"{GATHERED.name}:{rows[0].dedupe_key}")
        batch.save()
        keys = [row.dedupe_key for row in rows]
        gathered = OutboxMail.objects.filter(dedupe_key__in=keys, state=OutboxMail.State.QUEUED)
        gathered.update(state=OutboxMail.State.MERGED, batched_into=batch)


def _open_rows(user: User, about: str = "") -> list[OutboxMail]:
    """An email about each open turn, and each vote that waits for this user. about: as for
    seat_row."""
    open_games = (Game.Status.RUNNING, Game.Status.PAUSED)
    seats = Seat.objects.filter(user=user, game__status__in=open_games)
    rows: list[OutboxMail] = []
    for seat in seats.select_related("game", "user"):
        if seat.asked_seq is not None:
            rows.append(seat_row(TURN, seat.game, seat, seat.asked_seq, about=about))
        vote = load(seat.game).vote if seat.game.vote_due_at is not None else None
        if vote is not None and seat in voting.awaited(vote, seat.game.seat_list):
            rows.append(seat_row(VOTE, seat.game, seat, vote.seq, about=about))
    return rows


def vote_was_sent(game: Game, seats: Iterable[Seat], seq: int) -> bool:
    """Return whether all players on these seats have been sent the email about the vote that event
    `seq` opened."""
    sent = Q(state=OutboxMail.State.SENT) | Q(batched_into__state=OutboxMail.State.SENT)
    mails = OutboxMail.objects.filter(sent, game=game, kind=VOTE.name, seq=seq)
    return {seat.user_id for seat in seats} <= set(mails.values_list("user", flat=True))


def seat_lost(
    game: Game, number: int, user: User, seq: int, *, to: Literal["", "vote", "host"] = ""
) -> list[Statement]:
    """A bot took the seat of this user, who missed too many deadlines in a row, or one, after which
    a vote of the others or the host wanted it; to be written with the events that say so."""
    if user.is_suspended or game.is_over:
        return []
    dedupe = f"{game.pk}:{seq}:{user.pk}:missed"
    context = {"lost": number, **({"to": to} if to else {})}
    return statements([row_for(MISSED, user, dedupe, game=game, seq=seq, context=context)])


def reminder(game: Game, seat: Seat, which: str, day: int = 0) -> list[Statement]:
    """Remind a player of their turn; `which` is "half", "day" or "last", each once per turn, or
    "late", once for each day since the deadline. To be written with the time of the next
    reminder."""
    if seat.user_id is None or seat.asked_seq is None:
        return []
    about = f"{which}-{day}" if which == "late" else which
    return statements([seat_row(REMINDER, game, seat, seat.asked_seq, about=about, which=which)])


def helped(
    game: Game, seat: Seat, which: Literal["given", "nudge"], *, by: Seat, about: str
) -> list[Statement]:
    """The player on `by` has given the player on `seat` a day more, or nudges them. about: tells
    apart several in one turn. To be written with what happened."""
    known = {"which": which, "caller": by.number, "by": by.user_id}
    row = seat_row(REMINDER, game, seat, seat.asked_seq, about=f"{which}-{about}", **known)
    return statements([row])


def host_called(game: Game, host: Seat, *, late: Seat, caller: Seat, day: date) -> None:
    """The player on `caller` asks the host to step in for the player on `late`; once a day."""
    if late.asked_seq is not None and host in _reachable([host]):
        about = f"call-{day.isoformat()}"
        known = {"late": late.number, "caller": caller.number, "by": caller.user_id}
        enqueue([seat_row(DEADLINE, game, host, late.asked_seq, about=about, **known)])


def message_written(game: Game, readers: Iterable[Seat], message: Message) -> list[Statement]:
    """Queue emails about this message to those readers whom no other email about the game brings it
    in time, for when it can no longer be deleted without a trace. A note comes with an email of the
    game, which goes on."""
    is_note = message.seq is not None and game.status == Game.Status.RUNNING
    rows = [
        seat_row(TALK, game, seat, game.version, about=str(message.pk), by=message.author_id)
        for seat in readers
        if seat.asked_seq is not None or not is_note
    ]
    for row in rows:
        row.next_try_at = max(row.next_try_at, row.created_at + RECALL)
    return statements(rows)


def unquoted_messages(sent: OutboxMail) -> None:
    """An email about several games is sent, in the place of their emails with messages, and does
    not quote all that its reader is still to be sent: another one follows with those."""
    if sent.user is None or sent.game is not None:
        return
    left = Message.objects.filter(game=OuterRef("game"), unsent__contains=[sent.user.pk])
    author = Subquery(left.order_by("-pk").values("author")[:1])
    about = sent.merged.values("game")
    seats = Seat.objects.filter(Exists(left), game__in=about, user=sent.user).annotate(by=author)
    enqueue(
        seat_row(TALK, seat.game, seat, seat.game.version, about=f"after-{sent.pk}", by=seat.by)
        for seat in seats.select_related("game", "user")
    )


def unsubscribed(user: User, *, game: Game | None = None, switched: str = "") -> None:
    """This user switched emails off by a link: about this game, or of the kind `switched`."""
    dedupe = f"{game.pk if game else 0}:{uuid.uuid4().hex}:{user.pk}:unsubscribed"
    context = {"switched": switched} if switched else {}
    enqueue([row_for(UNSUBSCRIBED, user, dedupe, game=game, context=context)])


def invited(invitation: Invitation) -> None:
    """Offer a seat, or a place in a circle, to an address, which need not be a user's."""
    about = "" if invitation.asked == 1 else f":{invitation.pk}"
    enqueue([_invitation_row(invitation, f"invitation{about}")])


def begun_without(game: Game) -> None:
    """The game has begun, and these addresses have not answered yet."""
    found = Invitation.objects.filter(game=game, answer=Invitation.Answer.NONE)
    enqueue([_invitation_row(one, "begun", begun=True) for one in found.select_related("game")])


def _invitation_row(invitation: Invitation, about: str, **more: Any) -> OutboxMail:
    """An email to an invited address: in the language of its user, or in that of the invitation."""
    address = invitation.address
    user = User.objects.with_address(address).first()
    context = {"invitation": invitation.pk, "by": invitation.invited_by_id, **more}
    if invitation.game is None:
        context["language"] = user.language if user is not None else invitation.language
        return row_for(INVITATION, None, f"invitation:{invitation.pk}", address, context=context)
    dedupe = f"{invitation.game_id}:0:{address_digest(address)}:{about}"
    if user is None:
        context["language"] = invitation.language
    return row_for(INVITATION, user, dedupe, address, game=invitation.game, context=context)


def table_news(game: Game, seats: Iterable[Seat], about: str, *, key: int = 0) -> None:
    """Tell the host of a table that waits for players, at most once a day: "answered", "waiting" or
    "host", see games.mail.kinds.table. key: tells apart what happens at one version of the game."""
    host = next((seat for seat in _reachable(seats) if seat.user_id == game.host_id), None)
    if host is None:
        return
    earlier = OutboxMail.objects.filter(game=game, kind=TABLE.name)
    newest = earlier.exclude(state=OutboxMail.State.DROPPED).order_by("-created_at").first()
    if newest is not None and newest.user_id == host.user_id:
        again = earlier.filter(pk=newest.pk, state=OutboxMail.State.QUEUED)
        if again.update(context={"about": about}):
            return  # it will say how things are when it goes out
    row = seat_row(TABLE, game, host, game.version, about=f"{about}-{key}")
    row.context = {"about": about}
    if newest is not None:
        row.created_at = max(row.created_at, newest.created_at + timedelta(days=1))
        row.next_try_at = max(row.next_try_at, row.created_at)
    enqueue([row])


def account(address: str, *, dedupe: str, context: dict[str, Any], user: User | None) -> None:
    """A code or a link for signing in, or news of the account."""
    key = f"account:{address_digest(address)}:{dedupe}"
    enqueue([row_for(ACCOUNT, user, key, address, context=context)])


def circle_link(circle: Circle) -> str:
    """The address of the page of a circle, which asks for a sign-in."""
    return settings.SITE_URL + reverse("circle", args=[circle.public_id])


def told_founder(circle: Circle, subject: Promise, body: Promise, **words: str) -> None:
    """News of a circle for its founder, if they may act: a subject and a sentence with these words,
    before the address of its page."""
    founder = circle.founder
    if founder is None or not founder.is_active:
        return
    known = {"circle": circle.name, **words}
    with translation.override(founder.language):
        context = {
            "subject": str(subject) % known,
            "body": f"{str(body) % known}\n{circle_link(circle)}",
        }
    dedupe = f"circle:{circle.pk}:{database_clock.now().isoformat()}"
    account(founder.email, dedupe=dedupe, context=context, user=founder)


def credentials(change: CredentialChange, addresses: Iterable[str]) -> None:
    """Report a change of an account's credentials to these addresses."""
    enqueue(
        row_for(
            SECURITY,
            change.user,
            f"security:{change.pk}:{address_digest(address)}",
            address,
            context={"change": change.pk},
        )
        for address in addresses
    )


def decided(decision: Decision, person: User, context: Mapping[str, Any]) -> None:
    """A moderator has decided something that restricts this person, or ends that. context:
    `message_id`, that of the email that this one answers; for a suspension, see account_moderation.
    """
    if decision.action in DECISION_SENTENCES:
        dedupe = f"decision:{decision.pk}"
        context = {**context, "decision": decision.pk}
        enqueue([row_for(DECISION, person, dedupe, game=decision.game, context=context)])


def report_news(report: Report) -> None:
    """A report has arrived, or a moderator has closed it."""
    dedupe = f"report:{report.pk}:{report.outcome}"
    context = {"report": report.pk, "outcome": report.outcome}
    enqueue([row_for(REPORT, report.reporter, dedupe, context=context)])


def appeal_read(decision: Decision, user: User, *, about: str, context: dict[str, Any]) -> int:
    """What became of an email with an appeal against this decision; the key of the row. about:
    names the email, which is answered once."""
    dedupe = f"appeal:{decision.pk}:{about}"
    context = {**context, "decision": decision.pk}
    row = row_for(APPEAL, user, dedupe, game=decision.game, context=context)
    key = "SELECT id FROM games_outboxmail WHERE dedupe_key = %s"
    found = pipeline.execute([*statements([row]), (key, [dedupe])])
    return int(found[-1][0][0])


def answer(
    game: Game | None,
    seat: int | None,
    user: User,
    *,
    seq: int,
    about: str,
    context: dict[str, Any],
    instead_of: str = "",
    waits_for_bots: bool = False,
) -> int:
    """Queue the answer to a reply, to the user's own address wherever the reply came from.

    game, seat: None if the reply is about several games. seq: the position that the answer shows.
    about: names the reply, which is answered once. instead_of: the kind of email whose content the
    answer has, too; those of this game that wait for this user are not sent besides.
    waits_for_bots: only bots are to act, so the answer waits a moment, to say what they did.
    Returns the key of the answer's row.
    """
    dedupe = f"{game.pk if game else 0}:{about}:{user.pk}:answer"
    if instead_of:
        context = {**context, "instead_of": instead_of}
    if waits_for_bots:
        context = {**context, "waits_for_bots": True}
    row = row_for(ANSWER, user, dedupe, game=game, seat=seat, seq=seq, context=context)
    if waits_for_bots:
        row.next_try_at = row.created_at + BOTS_PATIENCE
    key = "SELECT id FROM games_outboxmail WHERE dedupe_key = %s"
    batch = statements([row])
    if instead_of and game is not None:
        batch.append((_TAKE_PLACES, [game.pk]))
    found = pipeline.execute([*batch, (key, [dedupe])])
    return int(found[-1][0][0])
