"""An email of each kind, about one table, to one of its players."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from games.mail.compose import MailComposer
from games.mail.kinds import batch
from games.models import (
    Action,
    Circle,
    CredentialChange,
    Decision,
    DecisionText,
    Game,
    Invitation,
    OutboxMail,
    Report,
    User,
)
from tests.support.emails import Kind

AT = datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC)
# What an answer can be, with what belongs to it.
ANSWERS: dict[str, dict[str, Any]] = {
    "played": {"first": 9},
    "unclear": {"line": "1 sock", "reason": "Sock?"},
    "shown": {},
    "confirm": {"inbound": 1, "line": "pass", "lines": ["Alice passes."]},
    "resign": {},
    "told": {"topic": "limit"},
}
CODE = {"code": "HXKQ-7RNT", "minutes": 10}
WITHOUT_SEAT = (Kind.INVITATION, Kind.UNSUBSCRIBED)
WITHOUT_GAME = (
    Kind.ACCOUNT,
    Kind.APPEAL,
    Kind.ATTENTION,
    Kind.DECISION,
    Kind.REPORT,
    Kind.SECURITY,
    Kind.GATHERED,
    Kind.DIGEST,
)


def changes_of(user: User) -> list[int]:
    """Changes of this user's credentials (pk), the same in all worlds."""
    user.closes_at = AT
    user.save()
    kinds = CredentialChange.Kind
    chosen = (kinds.ADDRESS_ADDED, kinds.CLOSING, kinds.FROZEN)
    for number, kind in enumerate(chosen, 1):
        values = {"user": user, "kind": kind, "address": "a@example.net", "at": AT}
        CredentialChange.objects.update_or_create(pk=2**40 + number, defaults=values)
    return [2**40 + number for number in range(1, len(chosen) + 1)]


def decisions_about(user: User) -> list[int]:
    """Decisions about this user (pk), the same in all worlds."""
    user.closes_at = AT
    user.save()
    chosen = (Action.SUSPEND, Action.REMOVE_MESSAGE, Action.CLOSE)
    for number, action in enumerate(chosen, 1):
        values = {"person": user, "action": action, "rule": "polite", "at": AT, "until": AT}
        decision, made = Decision.objects.get_or_create(pk=2**40 + number, defaults=values)
        if made:
            DecisionText.objects.create(decision=decision, text="It insulted Bob.")
    return [2**40 + number for number in range(1, len(chosen) + 1)]


def report_of(user: User) -> int:
    """A report by this user (pk), the same in all worlds."""
    about = {"about": Report.About.NAME, "person": user, "quoted": "pass", "text": "pass"}
    return Report.objects.get_or_create(pk=2**40, defaults={"reporter": user, "at": AT, **about})[
        0
    ].pk


def every_row(game: Game, user: User) -> Iterator[tuple[str, OutboxMail]]:
    """(name, row) for every kind, and every answer, to this person about this game; never saved."""
    seat = game.seats.get(user=user)
    seq = seat.asked_seq or game.version
    invitation, _new = Invitation.objects.get_or_create(
        game=game,
        address="zoe@example.net",
        defaults={"token": f"{game.public_id:z<24}", "invited_by": user},
    )
    circle, _new = Circle.objects.get_or_create(name="Sunday table", defaults={"founder": user})
    to_circle, _new = Invitation.objects.get_or_create(
        circle=circle,
        address="zoe@example.net",
        defaults={"token": f"{'circle':z<24}", "invited_by": user},
    )
    contexts: list[tuple[str, dict[str, Any]]] = [
        (Kind.TURN, {}),
        *((Kind.REMINDER, {"which": which}) for which in ("half", "day", "last", "late")),
        (Kind.STARTED, {}),
        (Kind.DEADLINE, {"late": seat.number}),
        (Kind.DEADLINE, {"late": 1 - seat.number}),
        (Kind.MODERATED, {"reason": "A storm."}),
        (Kind.MISSED, {"left": 1}),
        (Kind.PLANNED, {}),
        (Kind.VOTE, {}),
        (Kind.OVER, {}),
        (Kind.TALK, {}),
        (Kind.INVITATION, {"invitation": invitation.pk}),
        (Kind.INVITATION, {"invitation": invitation.pk, "begun": True}),
        (Kind.INVITATION, {"invitation": to_circle.pk, "language": user.language}),
        *((Kind.TABLE, {"about": about}) for about in ("answered", "waiting", "host")),
        (Kind.ACCOUNT, {"language": user.language, **CODE}),
        (Kind.GATHERED, {}),
        (Kind.DIGEST, {}),
        (Kind.UNSUBSCRIBED, {}),
        (Kind.UNSUBSCRIBED, {"switched": "turn"}),
        *((Kind.ANSWER, {"what": what, **more}) for what, more in ANSWERS.items()),
        *(
            (Kind.ACCOUNT, {"language": user.language, **CODE, "purpose": purpose})
            for purpose in ("proof", "restore")
        ),
        *((Kind.DECISION, {"decision": pk}) for pk in decisions_about(user)),
        (Kind.ATTENTION, {"open": [("7 × 6", "3", "/admin/games/outboxmail/")]}),
        *((Kind.REPORT, {"report": report_of(user), "outcome": way}) for way in ("", "acted")),
        *(
            (Kind.APPEAL, {"decision": decisions_about(user)[0], **more})
            for more in ({}, {"problem": "We found no words of yours."}, {"refused": "Once only."})
        ),
        *((Kind.SECURITY, {"change": change}) for change in changes_of(user)),
    ]
    for number, (kind, context) in enumerate(contexts):
        is_to_circle = kind == Kind.INVITATION and "language" in context
        about = None if kind in WITHOUT_GAME or "switched" in context or is_to_circle else game
        yield (
            f"{kind}-{context.get('what', number)}",
            OutboxMail(
                kind=kind,
                game=about,
                seat=seat.number if about and kind not in WITHOUT_SEAT else None,
                user=user,
                to_address=user.email,
                seq=seq,
                message_id=f"<mail-{number}@127.0.0.1>",
                context=context,
                created_at=AT,
            ),
        )


def bytes_of(row: OutboxMail, game: Game, composer: MailComposer | None = None) -> bytes:
    """The email of such a row; a gathered one has the turn of the game in it."""
    seat = game.seats.get(user=row.user)
    assert row.user is not None
    mail = (composer or MailComposer()).compose(row, [batch.turn_row(seat, row.user)])
    return bytes(mail.message().as_bytes(linesep="\r\n"))


def every_mail(game: Game, user: User) -> Iterator[tuple[str, bytes]]:
    """The email of each row of `every_row`, written in one batch: the log is read once."""
    composer = MailComposer()
    for name, row in every_row(game, user):
        yield name, bytes_of(row, game, composer)
