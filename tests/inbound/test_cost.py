"""The cost of a reply: messages to the database, and loads of the game's log.

Every message counts: statements, BEGIN, COMMIT and savepoints (which stand for BEGIN and COMMIT
inside of a test). Statements that travel together count as one.
"""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.plugin import DjangoDbBlocker

from games.inbound import confirmation, intake, processor
from games.mail.reply_addresses import person_address
from games.models import Game, InboundMail, Seat, User, database_clock
from tests.factories import fresh, log_of, play_one, play_to_the_end, play_turns, table_of
from tests.fixtures.people import a_host, a_player
from tests.support.escape_games import attacked, escape_table, game_with
from tests.support.replies import (
    Channel,
    Outcome,
    address_of,
    before_the_end,
    line_of,
    reply_email,
)
from tests.support.reply_costs import MOST_QUERIES, assert_cheap, assert_few, measured_reply
from tests.support.shared_rows import shared_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "shared_table")]


@pytest.fixture(scope="module")
def shared_table(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Game]:
    """Alice, who is the host, has moved once and is asked again."""
    with shared_rows(
        django_db_blocker, lambda: play_turns(table_of(a_host(), a_player()), 2)
    ) as game:
        yield game


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("show", Outcome.SHOWN),
        ("legal", Outcome.SHOWN),
        ("help", Outcome.SHOWN),
        ("preview {move}", Outcome.SHOWN),
        ("{move}", Outcome.PLAYED),
        ("{move}\n\nnote: Good luck!", Outcome.PLAYED),
        ("{move}\n\nSorry for being late.", Outcome.PLAYED),
        ("{move}\nhold on", Outcome.REFUSED),
        ("say: Ahoi", Outcome.ORDERED),
        ("pass", Outcome.REFUSED),
        ("preview pass", Outcome.REFUSED),
        ("Hello there", Outcome.UNCLEAR),
        ("preview A sword", Outcome.UNCLEAR),
        ("", Outcome.UNCLEAR),
        ("note: Well played!", Outcome.ORDERED),
        ("resign", Outcome.ASKED),
        ("yes, resign", Outcome.ASKED),
        ("show words", Outcome.SHOWN),
        ("rules", Outcome.SHOWN),
        ("status", Outcome.SHOWN),
        ("undo", Outcome.REFUSED),
        ("stop", Outcome.ORDERED),
        ("start", Outcome.ORDERED),
        ("yes", Outcome.UNCLEAR),
        ("{move} kthxbye", Outcome.UNCLEAR),
        ("away until {day}", Outcome.ORDERED),
        ("away until 31 Feb", Outcome.REFUSED),
        ("take my seat back", Outcome.REFUSED),
        ("preview", Outcome.UNCLEAR),
        ("Thank you, good game!", Outcome.UNCLEAR),
    ],
)
def test_a_reply_costs_at_most_twelve_queries_and_one_load(
    game: Game, alice: User, text: str, outcome: str
) -> None:
    text = text.format(move=line_of(game), day=day_of_an_absence())
    assert_cheap(measured_reply(address_of(game, alice), text, alice), outcome)


def test_a_message_beside_a_move_costs_one_query_more(game: Game, alice: User) -> None:
    """Its quota, its row, its announcement, and no lock or load of its own."""
    found = measured_reply(address_of(game, alice), f"{line_of(game)}\nsay: Ahoi", alice)
    outcome, loads, sql = found
    assert (outcome, loads) == (Outcome.PLAYED, 1)
    assert len(sql) <= MOST_QUERIES + 1


@pytest.mark.parametrize("text", ["pause mails", "resume mails"])
def test_switching_emails_loads_no_log(game: Game, alice: User, text: str) -> None:
    found = measured_reply(address_of(game, alice), text, alice)
    assert_cheap(found, Outcome.ORDERED, most_loads=0)


def answering_last() -> str:
    """The header of a reply to the last answer."""
    answer = InboundMail.objects.latest("pk").answer
    assert answer is not None
    return f"In-Reply-To: {answer.message_id}"


def day_of_an_absence() -> str:
    """A day of next week."""
    return f"{database_clock.now() + timedelta(days=7):%Y-%m-%d}"


UNVERIFIED = (
    "{move}",
    "note: Well played!",
    "pause mails",
    "stop",
    "resign",
    "away until {day}",
)


@pytest.mark.parametrize("text", UNVERIFIED)
def test_a_reply_that_nobody_vouches_for_is_as_cheap(game: Game, alice: User, text: str) -> None:
    text = text.format(move=line_of(game), day=day_of_an_absence())
    found = measured_reply(address_of(game, alice), text, alice, results=None)
    assert_cheap(found, Outcome.CONFIRM)


@pytest.mark.parametrize("text", UNVERIFIED)
def test_confirming_a_reply_is_as_cheap(game: Game, alice: User, text: str) -> None:
    text = text.format(move=line_of(game), day=day_of_an_absence())
    measured_reply(address_of(game, alice), text, alice, results=None)
    key = InboundMail.objects.get().pk
    for act, is_done in ((confirmation.find, False), (confirmation.confirm, True)):
        with CaptureQueriesContext(connection) as sent:
            found = act(key)
        assert found is not None
        assert (found.done, found.problem) == (is_done, "")
        assert_few([query["sql"] for query in sent.captured_queries])


def test_a_move_that_ends_the_game_is_as_cheap(alice: User, bob: User) -> None:
    post = before_the_end(alice, bob)
    found = measured_reply(address_of(post.game, post.user), line_of(post.game), post.user)
    assert_cheap(found, Outcome.PLAYED)
    assert fresh(post.game).is_over


def test_replies_after_the_end_are_as_cheap(alice: User, bob: User) -> None:
    game = play_to_the_end(table_of(alice, bob))
    to = address_of(game, alice)
    assert_cheap(measured_reply(to, "show", alice), Outcome.SHOWN)
    assert_cheap(measured_reply(to, "note: Well played!", alice), Outcome.ORDERED)
    for text in ("legal", "A flag", "undo", "resign", "Thanks, Bob"):
        assert_cheap(measured_reply(to, text, alice), Outcome.REFUSED)


def test_a_move_from_an_unknown_address_is_as_cheap(game: Game, alice: User) -> None:
    found = measured_reply(address_of(game, alice), line_of(game), alice, sender="eve@example.net")
    assert_cheap(found, Outcome.CONFIRM)


def test_a_note_below_another_is_as_cheap(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    measured_reply(to, "note: One.", alice)
    assert_cheap(measured_reply(to, "note: Two.", alice), Outcome.ORDERED)


def test_the_third_unclear_reply_in_a_row_is_as_cheap(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    for _time in range(2):
        measured_reply(to, "Hello there", alice)
    assert_cheap(measured_reply(to, "Hello there", alice), Outcome.UNCLEAR)


def test_resigning_is_as_cheap(alice: User, bob: User, carol: User) -> None:
    """Alice is the host: her rights pass to another player in the same message."""
    game = table_of(alice, bob, carol)
    for user in (bob, alice):
        to = address_of(game, user)
        measured_reply(to, "resign", user)
        found = measured_reply(to, "resign", user, head=answering_last())
        assert_cheap(found, Outcome.ORDERED)
        assert not Seat.objects.filter(game=game, user=user).exists()
    assert fresh(game).host == carol


def test_an_old_turn_and_a_move_that_was_made_are_as_cheap(game: Game, alice: User) -> None:
    to, line = address_of(game, alice), line_of(game)
    measured_reply(to, line, alice)
    assert_cheap(measured_reply(to, line, alice), Outcome.REPEATED)
    play_turns(game, 2)
    other = "A flag" if "flag" not in line else "A ring"
    assert_cheap(measured_reply(to, other, alice), Outcome.STALE)


def test_a_turn_that_came_after_the_email_is_as_cheap(game: Game, bob: User) -> None:
    """Bob was not asked when the email was sent, and is asked by now."""
    to = address_of(game, bob)
    play_one(game)
    assert_cheap(measured_reply(to, "C crown", bob), Outcome.STALE)


def test_a_reply_that_is_too_large_loads_no_log(game: Game, alice: User) -> None:
    found = measured_reply(address_of(game, alice), "x" * intake.KEPT_BYTES, alice)
    assert_cheap(found, Outcome.LARGE, most_loads=0)


def test_a_reply_about_several_games_loads_no_log(game: Game, alice: User) -> None:
    found = measured_reply(person_address(alice.pk), "show", alice)
    assert_cheap(found, Outcome.SHOWN, most_loads=0)


def test_an_automatic_reply_asks_nothing_of_games_and_people(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = reply_email("I am away.", to, alice.email, head="Auto-Submitted: auto-replied")
    (row,) = intake.store(raw, channel=Channel.RELAY, sender=alice.email, recipients=[to])
    with CaptureQueriesContext(connection) as sent:
        processor.read_one(row.pk)
    assert len(sent) <= 5
    assert not any('"games_game"' in query["sql"] for query in sent.captured_queries)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("no", Outcome.PLAYED), ("defend maybe", Outcome.UNCLEAR), ("legal", Outcome.SHOWN)],
)
def test_an_answer_to_the_question_of_escape_is_as_cheap(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, text: str, outcome: str
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked())
    user = fresh(game).seats.get(number=game.to_act[0]).user
    assert user is not None
    to = address_of(game, user, log_of(game).moved_at)
    assert_cheap(measured_reply(to, text, user), outcome)


def test_agreeing_to_an_offer_costs_no_more(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    measured_reply(to, f"I would like to play {line_of(game)}", alice)
    found = measured_reply(to, "yes", alice, head=answering_last())
    assert_cheap(found, Outcome.PLAYED)


def test_taking_back_a_step_costs_no_more(alice: User, bob: User) -> None:
    island = escape_table(alice, bob)
    measured_reply(address_of(island, alice), line_of(island), alice)
    assert_cheap(measured_reply(address_of(island, alice), "undo", alice), Outcome.ORDERED)
