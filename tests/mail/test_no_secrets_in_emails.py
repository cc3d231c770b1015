"""No email reveals a secret: worlds that differ in nothing else send the same bytes, in every
kind."""

import re
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from django.db import transaction

from games.mail.compose import MailComposer
from games.models import Game, OutboxMail, User
from tests.factories import log_of
from tests.support.emails import Kind, read, reply_to
from tests.support.every_mail import every_mail
from tests.support.indistinguishable_games import (
    AT,
    Events,
    atlantis,
    defence,
    escape,
    move_alike,
    with_other_own_secrets,
    world,
)
from tests.support.pages import signed_in, text, url
from tests.support.replies import Outcome, address_of, arrive, reply_email

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("replies", "still_clock", "one_check_code"),
]

WORLDS: dict[str, Callable[[], tuple[Events, Events]]] = {"atlantis": atlantis, "escape": escape}
WRONG = {"atlantis": "pass", "escape": "roll"}  # against the rules where the worlds stand
TEXTS = {
    "show": "show",
    "legal": "legal",
    "help": "help",
    "preview": "preview {move}",
    "unclear": "what?",
    "refused": "{wrong}",
    "nothing": "",
    "resign": "resign",
    "resigned": "yes, resign",
    "note": "note Hello",
    "pause": "pause mails",
    "resume": "resume mails",
    "played": "{move}",
}


class Writer:
    """Seat 0, who writes with Message-IDs of its own that are the same in every world."""

    def __init__(self, game: Game, user: User) -> None:
        self.game, self.user, self.number = game, user, count()
        self.verdicts: set[str] = set()

    def bytes_of_answer(self, text: str, to: str = "", **more: Any) -> bytes:
        """The answer to this text; "" where there is none."""
        to = to or address_of(self.game, self.user)
        number = next(self.number)
        sender = more.pop("sender", self.user.email)
        raw = reply_email(text, to, sender, message_id=f"<twin-{number}@mail.example.org>", **more)
        row = arrive(raw, to)
        self.verdicts.add(row.outcome)
        if row.answer is None:
            return b""
        answer = OutboxMail.objects.select_related("game", "user").get(pk=row.answer.pk)
        # What knows the hour or the place of a row in its table.
        answer.message_id, answer.created_at = f"<answer-{number}@127.0.0.1>", AT
        return bytes(MailComposer().compose(answer).message().as_bytes(linesep="\r\n"))


def mails_in(
    kind: str, events: Events, move: str, people: list[User]
) -> tuple[dict[str, bytes], set[str]]:
    """(every email to seat 0 of a table with this log, by name; what became of its replies)."""
    sent: dict[str, bytes] = {}
    with world(kind, events, people) as game:
        me = people[0]
        sent.update(every_mail(game, me))
        writer = Writer(game, me)
        gathered = next(name for name in sent if name.startswith(Kind.GATHERED))
        list_of_games = reply_to(read(sent[gathered]))
        for name, text in TEXTS.items():
            words = text.format(move=move, wrong=WRONG[kind])
            with transaction.atomic():
                if name == "resigned":
                    writer.bytes_of_answer("resign")
                sent[f"reply-{name}"] = writer.bytes_of_answer(words)
                if name == "played":
                    seq = len(events)
                    old = address_of(game, me, seq)
                    sent["reply-repeated"] = writer.bytes_of_answer(words, old)
                    sent["reply-stale"] = writer.bytes_of_answer("what?", old)
                transaction.set_rollback(True)
        unsure: dict[str, dict[str, Any]] = {
            "confirm": {"results": None},
            "stranger": {"sender": people[1].email},
        }
        for name, more in unsure.items():
            sent[f"reply-{name}"] = writer.bytes_of_answer(move, **more)
        sent["reply-games"] = writer.bytes_of_answer(move, list_of_games)
        sent["reply-large"] = writer.bytes_of_answer("x" * 600_000)
    links = re.compile(rb"/(t|i|reply)/[^/\s\"]+/")
    whole = {name: mail.replace(b"=\r\n", b"") for name, mail in sent.items()}  # cut links
    return {name: links.sub(rb"/link/", mail) for name, mail in whole.items()}, writer.verdicts


ANSWERED = (
    Outcome.PLAYED,
    Outcome.REPEATED,
    Outcome.ORDERED,
    Outcome.SHOWN,
    Outcome.ASKED,
    Outcome.CONFIRM,
    Outcome.UNCLEAR,
    Outcome.REFUSED,
    Outcome.STALE,
    Outcome.LARGE,
)


@pytest.mark.parametrize("kind", WORLDS)
def test_worlds_that_differ_in_the_secrets_of_others_send_the_same_emails(
    kind: str, alice: User, bob: User
) -> None:
    """Worlds that differ in my own secrets do not, so the comparison is known to look."""
    events, twin = WORLDS[kind]()
    mine = with_other_own_secrets(events)
    assert events not in (twin, mine)
    move = move_alike(kind, (events, twin))
    (one, verdicts), (other, _same), (own, _as_well) = (
        mails_in(kind, log, move, [alice, bob]) for log in (events, twin, mine)
    )
    assert [name for name in one if one[name] != other[name]] == []
    assert all(one.values())
    kinds = {OutboxMail(kind=name.partition("-")[0]).kind for name in one if "reply-" not in name}
    assert kinds == set(Kind)
    assert {str(verdict) for verdict in ANSWERED} <= verdicts
    differ = {name for name in one if one[name] != own[name]}
    assert {"reply-show", "reply-games"} <= differ
    assert any(name.startswith(Kind.TURN) for name in differ)
    assert any(name.startswith(Kind.DIGEST) for name in differ)


@pytest.mark.parametrize("answer", ["allow", "standing {creature} never"])
def test_others_cannot_notice_whether_a_player_could_defend(
    answer: str, alice: User, bob: User
) -> None:
    """The email to the player who is asked says it. What the others get is the same in both worlds:
    emails, the rows that wait, the page and its stamp, before the answer and after it."""
    seen, asked = [], []
    for events in defence():
        with world("escape", events, [alice, bob]) as game:
            rolled = log_of(game).state.board.rolled
            found: list[Any] = [dict(every_mail(game, alice)), *_page_and_stamp(game, alice)]
            asked.append(read(dict(every_mail(game, bob))["turn-0"]).text)
            writer = Writer(game, bob)
            writer.bytes_of_answer(answer.format(creature=rolled))
            assert writer.verdicts == {Outcome.PLAYED}
            rows = OutboxMail.objects.filter(game=game, user=alice).order_by("pk")
            found += [list(rows.values_list("kind", "seq", "next_try_at", "context"))]
            found += _page_and_stamp(game, alice)
            seen.append(found)
    assert seen[0] == seen[1]
    can, cannot = asked
    assert "Decide whether to defend" in can
    assert "you cannot defend: reply “allow”" in cannot
    assert f"standing {rolled} never – " in cannot


def _page_and_stamp(game: Game, user: User) -> list[str]:
    """Without the tokens that are made at random."""
    client = signed_in(user)
    pages = [text(client.get(url(game))), text(client.get(url(game, "stamp")))]
    return [re.sub(r'csrfmiddlewaretoken"\s+value="\w+"|/i/\w+/', "", page) for page in pages]
