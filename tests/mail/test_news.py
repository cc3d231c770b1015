"""The news in emails and on the page begin with the reader's last move, whatever came between."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from games import selectors, services
from games.log import table_events
from games.log.game_log import LogItem
from games.mail.compose import MailComposer
from games.mail.turn_text import news
from games.models import Game, OutboxMail, User
from tests.factories import fresh, log_of, person_on, play_one, play_turns, seats_of, table_of
from tests.support.emails import Kind, both_bodies, row_for, written
from tests.support.escape_games import escape_table

pytestmark = pytest.mark.django_db


def ask(game: Game, user: User, about: table_events.Proposal) -> None:
    until = (timezone.now() + timedelta(days=5)).astimezone(user.zone).date()
    services.vote_open(
        game_id=game.pk, user=user, about=about, until=until if about == "pause" else None
    )


def answer(game: Game, *users: User, agrees: bool = True) -> None:
    vote = log_of(game).vote
    assert vote is not None
    for user in users:
        services.vote_answer(game_id=game.pk, user=user, vote=vote.seq, agrees=agrees)


def pause_and_resume(game: Game, one: User, *others: User) -> None:
    ask(game, one, "pause")
    answer(game, *others)
    ask(game, others[0], "resume")
    answer(game, one, *others[1:])


def refuse(game: Game, one: User, *others: User) -> None:
    ask(game, one, "cancel")
    answer(game, others[0])
    answer(game, others[1], agrees=False)


def talk_and_go(game: Game, one: User, *others: User) -> None:
    services.message_write(game_id=game.pk, user=one, text="Off to the sea.")
    today = timezone.now().astimezone(one.zone).date()
    services.absence_enter(
        user=one, first=today, last=today + timedelta(days=2), now=timezone.now()
    )
    services.message_write(game_id=game.pk, user=others[0], text="Swim well.")


@pytest.fixture(autouse=True)
def english(carol: User) -> None:
    carol.language = "en"
    carol.save()


BETWEEN = {"pause": pause_and_resume, "no": refuse, "talk": talk_and_go}


def moves_since(game: Game, seat: int) -> list[LogItem]:
    """The moves of the others since the last move of this seat, counted afresh."""
    moves = [item for item in log_of(game).items if item.is_move]
    own = [number for number, item in enumerate(moves) if item.seat == seat]
    return moves[own[-1] + 1 if own else 0 :]


def sentences(game: Game, items: Sequence[LogItem], seat: int) -> list[list[str]]:
    log = log_of(game)
    names = selectors.SeatNames(log, seats_of(game))
    return [selectors.sentences_of(log, item.entries, seat, names) for item in items]


@pytest.mark.parametrize("between", BETWEEN.values(), ids=BETWEEN)
def test_they_have_each_move_of_the_others_whatever_the_table_did_between(
    between: Callable[..., None],
    alice: User,
    bob: User,
    carol: User,
    client: Client,
) -> None:
    game = play_turns(table_of(alice, bob, carol), 3)
    for others in ((bob, carol, alice), (carol, alice, bob), (alice, bob, carol)):
        if between is not refuse or others[0] == bob:  # no vote is asked twice on one day
            between(game, *others)
        play_one(game)
        seat = fresh(game).to_act[0]
        reader = person_on(game, seat)
        told = sentences(game, moves_since(game, seat), seat)
        assert len(told) == 2
        mail = written(row_for(game, Kind.TURN, reader))
        for words in both_bodies(mail):
            start = words.index("Since your last move")
            first_screen = words[start : words.index("Your hand", start)]
            assert all(said[0] in first_screen.replace(" | ", " ") for said in told)
        client.force_login(reader)
        page = client.get(f"/g/{game.public_id}/").content.decode()
        log = " ".join(unescape(page[page.index('class="since"') :]).split())
        since = log.partition('class="since before"')[0]
        assert all(" ".join(said) in since for said in told)


def test_they_leave_out_whole_sentences_and_say_how_many(
    alice: User, bob: User, carol: User
) -> None:
    game = play_turns(escape_table(alice, bob, carol), 60)
    checked = 0
    while checked < 6 and fresh(game).status == Game.Status.RUNNING:
        seat = fresh(game).to_act[0]
        reader, log = person_on(game, seat), log_of(game)
        recap = selectors.recap(log, seat, reader.pk, selectors.SeatNames(log, seats_of(game)))
        lines, left_out = news(recap)
        told = [line.text for line in lines if not line.is_loss]
        kept = [
            next(n for n in range(len(line.sentences) + 1) if " ".join(line.sentences[:n]) in told)
            for line in recap.lines
        ]
        assert all(kept[n] for n, line in enumerate(recap.lines) if not line.is_table)
        assert left_out == sum(len(line.sentences) for line in recap.lines) - sum(kept)
        if left_out:
            checked += 1
            number = "1 more detail" if left_out == 1 else f"{left_out} more details"
            row = row_for(game, Kind.TURN, reader)
            for words in both_bodies(written(row)):
                assert number in words
            gathered = OutboxMail(kind=Kind.GATHERED, user=reader, to_address=reader.email)
            mail = MailComposer().compose(gathered, [row])
            assert f"See {number} on the game page." in " ".join(str(mail.body).split())
        play_one(game)
    assert checked
