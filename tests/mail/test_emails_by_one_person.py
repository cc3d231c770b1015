"""What one person can make us send to another is limited, over all kinds of emails together."""

from datetime import timedelta

import pytest

from games import services
from games.mail import outbox
from games.models import Game, Message, OutboxMail, User, database_clock
from tests.factories import given_up, table_of

pytestmark = pytest.mark.django_db

State = OutboxMail.State


def all_is_due() -> None:
    """Time passes until emails about messages may leave."""
    past = database_clock.now() - timedelta(hours=1)
    Message.objects.update(at=past)
    OutboxMail.objects.filter(state=State.QUEUED).update(next_try_at=past)


def caused(by: User, to: User) -> list[OutboxMail]:
    return list(OutboxMail.objects.filter(user=to, context__by=by.pk).order_by("pk"))


def sent(by: User, to: User) -> int:
    return sum(row.state == State.SENT for row in caused(by, to))


@pytest.fixture
def twelve(alice: User, bob: User) -> Game:
    """A table that is over; Bob has had twelve emails today that Alice caused."""
    game = given_up(alice, bob)
    outbox.drain()
    now = database_clock.now()
    for number in range(12):
        OutboxMail.objects.create(
            kind="talk",
            user=bob,
            to_address=bob.email,
            dedupe_key=f"earlier {number}",
            message_id=f"<{number}@earlier.example>",
            context={"by": alice.pk},
            state=State.SENT,
            created_at=now,
            sent_at=now,
        )
    return game


def test_messages_votes_and_rematches_name_who_caused_them(
    alice: User, bob: User, carol: User
) -> None:
    over, running = given_up(alice, bob), table_of(alice, bob, carol)
    services.message_write(game_id=over.pk, user=alice, text="Ahoy")
    services.game_rematch(game_id=over.pk, by=alice)
    services.vote_open(game_id=running.pk, user=alice, about="cancel")
    kinds = {row.kind for row in caused(alice, bob)}
    assert kinds == {"talk", "invitation", "vote"}


def test_the_thirteenth_email_of_a_day_waits_for_the_hour_of_the_digest(
    twelve: Game, alice: User, bob: User
) -> None:
    services.message_write(game_id=twelve.pk, user=alice, text="Ahoy")
    services.game_rematch(game_id=twelve.pk, by=alice)
    all_is_due()
    outbox.drain()
    assert sent(alice, bob) == 12
    waiting = [row for row in caused(alice, bob) if row.state == State.QUEUED]
    assert {row.kind for row in waiting} == {"talk", "invitation"}
    hour = bob.next_hour(bob.digest_hour, database_clock.now())
    assert {row.next_try_at for row in waiting} == {hour}


def test_what_others_cause_and_what_the_game_needs_is_not_counted(
    twelve: Game, alice: User, bob: User, carol: User
) -> None:
    other = given_up(carol, bob)
    outbox.drain()
    services.message_write(game_id=other.pk, user=carol, text="Ahoy")
    game = table_of(alice, bob)
    all_is_due()
    outbox.drain()
    assert sent(carol, bob) == 1
    assert OutboxMail.objects.filter(user=bob, game=game, state=State.SENT).exists()
