"""`make load`: its checks notice what is lost or doubled, and its schedule is what it says."""

from collections import Counter

import pytest

from games.models import User, database_clock
from tests.factories import people_of, play_one, table_of
from tests.load.checks import emails_wrong, moves_wrong, replies_wrong
from tests.load.fill import Asked, Turn
from tests.load.schedule import MOVES, USUAL, draw
from tests.support.lengths import by_length
from tests.support.load_runs import run_load
from tests.support.outbox_workers import arrived_ids, rows_by_state
from tests.support.processes import CeleryProcess, wait_for
from tests.support.smtp_sink import SmtpSink

Counts = Counter[str]


@pytest.fixture
def came(alice: User, bob: User, celery_worker: CeleryProcess, smtp_sink: SmtpSink) -> Counts:
    """The emails that came when a game had begun and its first move had been made."""
    play_one(table_of(alice, bob))
    wait_for(lambda: not rows_by_state().keys() & {"queued", "sending"}, "the last email")
    return Counter(arrived_ids(smtp_sink))


@pytest.mark.django_db(transaction=True)
def test_nothing_is_wrong_with_emails_that_came_once(came: Counts) -> None:
    assert came
    assert emails_wrong(lambda: came) == []


@pytest.mark.django_db(transaction=True)
def test_an_email_that_the_mail_server_lost_is_noticed(came: Counts) -> None:
    lost, _times = came.popitem()
    (wrong,) = emails_wrong(lambda: came)
    assert lost in wrong and "came 0 times" in wrong


@pytest.mark.django_db(transaction=True)
def test_an_email_that_came_twice_or_from_nobody_is_noticed(came: Counts) -> None:
    twice = next(iter(came))
    doubled = came + Counter([twice, "<nobody@example.org>"])
    first, second = emails_wrong(lambda: doubled)
    assert twice in first and "came 2 times" in first
    assert "<nobody@example.org>" in second
    assert emails_wrong(lambda: doubled, once=False) == [second]  # while there are faults


@pytest.mark.django_db
def test_a_move_that_is_missing_or_that_nobody_sent_is_noticed(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    before = database_clock.now()
    first = people_of(game)[play_one(game).events[0].seat]
    other = bob if first == alice else alice
    made, missing = (game.pk, first.pk), (game.pk, other.pk)
    assert moves_wrong([made], [game.pk], before) == []
    assert len(moves_wrong([made, missing], [game.pk], before)) == 1
    assert len(moves_wrong([], [game.pk], before)) == 1


@pytest.mark.django_db
def test_a_reply_that_was_not_stored_is_noticed() -> None:
    played, wrong = replies_wrong(["<reply@example.org>"])
    assert (played, wrong) == ([], ["the reply <reply@example.org> is lost"])


def test_the_busiest_hour_has_a_tenth_of_the_moves_of_a_day() -> None:
    people, hour = 3_000, 3600
    turn = Turn(0, 1, 1, "B flag", has_bot=False)
    asked = [Asked(n, f"game{n}", n, f"p{n}@example.org", turn) for n in range(people)]
    drawn = draw(asked, people, hour, seed=1)
    wanted = people * MOVES / 10 * (hour + USUAL.thinking) / hour
    assert 0.9 < len(drawn.moves) / wanted < 1.1
    assert drawn == draw(asked, people, hour, seed=1)
    pages = sum(2 + move.first_page for move in drawn.moves if move.thinking)
    assert 1.9 < pages / len(drawn.moves) < 2.1
    games = [move.asked.game for move in drawn.moves]
    games += [asked.game for asked, _in_front in drawn.open_pages]
    assert len(set(games)) == len(games)


@pytest.mark.long
def test_it_plays_ends_and_finds_nothing_wrong() -> None:
    words = by_length(("22", "--minutes=0.1", "--brisk"), ("2000", "--minutes=0.2"))
    rows, output = run_load("--players", *words, timeout=560)
    assert "0 moves or emails were lost or doubled" in output
    assert int(rows[f"{int(words[0]):,}"][0]) > 0, f"no moves\n{output}"
