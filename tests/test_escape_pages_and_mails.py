"""Escape from Atlantis on its pages and in its mails: what is at stake, how it ended, and no secret."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.utils import timezone
from msgspec.structs import replace

from games import event_log, selectors
from games.mail import render
from games.models import Game, OutboxMail, User
from games.rules import ENGINES
from tests.cast import alice, bob, fresh, log_of
from tests.escape_tables import attacked, chair, escape_table, foreseen, game_with, lay, play, say
from tests.test_views import signed_in, text

__all__ = ["alice", "bob"]

pytestmark = pytest.mark.django_db
ESCAPE = ENGINES["escape"]


def page_of(game: Game, user: User, query: str = "") -> str:
    return text(signed_in(user).get(f"/g/{game.public_id}/{query}"))


def last_mail(game: Game, user: User, kind: str) -> Any:
    row = OutboxMail.objects.filter(game=game, user=user, kind=kind).latest("pk")
    return render.Desk().compose(row)


def both_parts(mail: Any) -> list[str]:
    """The words of the text and of the HTML part, each as one line."""
    parts = (mail.body, mail.alternatives[0][0])
    return [
        " ".join(re.sub(r"<[^>]+>|^\| ", " ", part, flags=re.MULTILINE).split()) for part in parts
    ]


# -- what is asked -------------------------------------------------------------------------------


def test_the_mail_and_the_page_say_what_is_at_stake(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked())
    log, user = log_of(game), (alice, bob)[game.to_act[0]]
    question = ESCAPE.question(log.engine.view(log.state, game.to_act[0]))
    assert question is not None and "in danger" in str(question.text)
    for words in both_parts(last_mail(game, user, "turn")):
        assert str(question.text) in words
        assert "it happens" in words
    page = page_of(game, user)
    assert str(question.text) in page
    assert "Give this answer" in page


def test_the_turn_mail_has_the_board_as_picture_and_as_text(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    mail = last_mail(game, alice, "turn")
    assert any(part.get_content_type() == "image/png" for part in mail.message().walk())
    assert log_of(game).engine.board_text(ESCAPE.view(log_of(game).state, 0)) in mail.body


def test_who_need_not_wait_is_told_so_when_the_game_begins(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    for words in both_parts(last_mail(game, bob, "started")):
        assert "orders can be left at the table in advance" in words


def test_the_last_mail_says_that_the_volcano_ended_it(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    people = (alice, bob)
    for number in range(40):
        moves = list(foreseen(number, 2))
        last = moves[-1].before
        news = ESCAPE.decide(last, moves[-1].seat, moves[-1].command, Anything())
        if ESCAPE.fold(news, last).board.cause == "volcano":
            break
    game = lay(monkeypatch, people, number)
    for move in moves:
        play(game, people[move.seat], move.command)
    assert fresh(game).status == Game.Status.FINISHED
    for user in people:
        for words in both_parts(last_mail(game, user, "over")):
            assert "The volcano erupted" in words
        page = page_of(game, user)
        assert "The volcano erupted: whoever was not on an isle was lost." in page
        assert "of 28 points" in page


class Anything:
    """Luck that does not matter."""

    def shuffle(self, items: Any) -> Any:
        return tuple(items)

    def roll(self, faces: int) -> int:
        return 0


# -- the form out of turn ------------------------------------------------------------------------


def test_a_plan_is_left_through_the_page_by_who_is_not_asked(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    page = page_of(game, bob, "?do=plan&preset=coast")
    assert "In advance" in page and "Keep this" in page
    client = signed_in(bob)
    answer = client.post(
        f"/g/{game.public_id}/play",
        {"line": "plan coast", "version": game.version},
        follow=True,
    )
    assert "It is kept. You can change it at any time." in text(answer)
    assert "You have left a plan for your setup." in text(answer)


def test_who_only_watches_has_no_form(alice: User, bob: User, dave: User) -> None:
    game = escape_table(alice, bob)
    assert 'id="orders"' not in page_of(game, dave)


# -- secrets -------------------------------------------------------------------------------------


def other_world(game: Game, seat: int) -> event_log.Log:
    """The same table, but for all that `seat` may not know: backs, and the others' tiles, values,
    plans and answers."""
    log = log_of(game)
    entries = []
    for entry in log.effective:
        event: Any = entry.event
        match entry.kind:
            case "prepared":
                backs: dict[str, list[Any]] = {}
                for tile in event.tiles:
                    backs.setdefault(tile.terrain, []).append(tile.back)
                event = replace(
                    event,
                    tiles=tuple(
                        replace(tile, back=backs[tile.terrain].pop()) for tile in event.tiles
                    ),
                )
            case "placed" if event.seat != seat:
                event = replace(event, value=7 - event.value if event.value in (1, 6) else 3)
            case "planned" if event.seat != seat:
                event = replace(event, values=event.values[::-1])
            case _:
                pass
        entries.append(event)
    assert [ESCAPE.visible(e, seat) for e in entries] == [
        ESCAPE.visible(e.event, seat) for e in log.effective
    ]
    changed = dict(zip((e.seq for e in log.effective), entries, strict=True))
    twin = event_log.Log(
        log.engine,
        [replace(e, event=changed.get(e.seq, e.event)) for e in log.entries],
        log.digest,
    )
    assert twin.state != log.state, "another world"
    return twin


def test_pages_and_mails_are_the_same_in_two_worlds_that_differ_in_what_one_may_not_know(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, dave: User
) -> None:
    """Before anything has sunk, so that the open part of the log is the same in both."""
    game = escape_table(alice, bob)
    for user in (bob, alice):
        say(game, user, "plan coast")
    say(game, bob, "standing shark always")
    game, now = fresh(game), timezone.now()
    monkeypatch.setattr("django.utils.timezone.now", lambda: now)
    readers: list[tuple[User, int | None]] = [(alice, chair(game, alice).number), (dave, None)]

    def seen(user: User) -> tuple[str, ...]:
        page = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", page_of(game, user))
        past = re.sub(
            r'name="csrfmiddlewaretoken" value="[^"]*"',
            "",
            page_of(game, user, f"at/{game.version}/"),
        )
        mail = both_parts(last_mail(game, user, "turn")) if user == alice else []
        return (page, past, *mail)

    for user, number in readers:
        first = seen(user)
        twin = other_world(game, -1 if number is None else number)
        with monkeypatch.context() as patch:
            patch.setattr(event_log, "load", lambda _game, log=twin: log)
            second = seen(user)
        nonce = re.compile(r'nonce="[^"]*"')
        assert [nonce.sub("", part) for part in first] == [nonce.sub("", part) for part in second]


def test_there_is_no_record_before_the_end(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    with pytest.raises(selectors.NotFound):
        list(selectors.record_lines(game))
