"""The email that asks a player to vote."""

from datetime import timedelta

import pytest

from games import services
from games.mail.relevance import check_before_send
from games.models import PREFERENCES, DeliveryMode, Game, OutboxMail, User
from tests.factories import log_of, play_one, table_of
from tests.fixtures.clock import still
from tests.support.emails import Kind, row_for, written
from tests.support.indistinguishable_games import AT, atlantis, escape, world
from tests.support.replies import one_line

pytestmark = pytest.mark.django_db

WORLDS = {"atlantis": atlantis, "escape": escape}
LATER = AT + timedelta(hours=1)
LANGUAGES = {
    "en": ("Alice asked to take back their last move.", "Alice drew"),
    "de": ("Alice hat darum gebeten, den letzten Zug zurücknehmen zu dürfen.", "Alice hat"),
    "fr": ("Alice a demandé à annuler son dernier coup.", "Alice a pioché"),
}


def ask(game: Game, user: User) -> int:
    services.vote_open(game_id=game.pk, user=user, about="take_back")
    vote = log_of(game).vote
    assert vote is not None
    return vote.seq


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_says_what_is_asked_and_what_became_known(alice: User, bob: User, language: str) -> None:
    User.objects.filter(pk=bob.pk).update(language=language)
    game = table_of(alice, bob)
    play_one(game)
    ask(game, alice)
    mail = written(row_for(game, Kind.VOTE, bob))
    for body in (mail.text, mail.html):
        for words in LANGUAGES[language]:
            assert words in " ".join(body.split())
    assert f"/g/{game.public_id}/#vote" in mail.text


def test_it_is_not_sent_once_the_vote_is_over_or_answered(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol)
    play_one(game)
    vote = ask(game, alice)
    row = row_for(game, Kind.VOTE, bob)
    assert check_before_send(row).drop == ""
    services.vote_answer(game_id=game.pk, user=bob, vote=vote, agrees=True)
    assert "answered" in check_before_send(row).drop
    play_one(game)
    assert "over" in check_before_send(row_for(game, Kind.VOTE, carol)).drop


def test_it_can_be_switched_off_and_waits_for_no_digest(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    play_one(game)
    modes = {"vote": DeliveryMode.DIGEST, "turn": DeliveryMode.DIGEST}
    services.mail_preferences_set(user=bob, modes=modes, **preferences(bob))
    bob.refresh_from_db()
    assert bob.delivery_mode("vote") == DeliveryMode.IMMEDIATE
    assert bob.delivery_mode("turn") == DeliveryMode.DIGEST
    ask(game, alice)
    row = OutboxMail.objects.get(game=game, kind="vote")
    assert row.next_try_at <= row.created_at
    services.mail_kind_switch(kind="vote", user=bob, off=True)
    assert "off" in check_before_send(row).drop


@pytest.mark.parametrize("kind", WORLDS)
def test_twins_that_differ_in_secrets_get_the_same_email(kind: str, alice: User, bob: User) -> None:
    """Alice may not know what Bob drew, or what he wants to take back."""
    mails = []
    for events in WORLDS[kind]():
        with world(kind, events, [alice, bob], by=bob) as game, still(LATER):
            ask(game, bob)
            mail = written(row_for(game, Kind.VOTE, alice))
            mails.append((mail.text, mail.html))
    assert mails[0] == mails[1]
    assert "Bob asked to take back" in mails[0][0]
    assert ("known since that position: Bob drew 1 card." in one_line(mails[0][0])) == (
        kind == "atlantis"
    )


def preferences(user: User) -> dict[str, object]:
    return {name: getattr(user, name) for name in PREFERENCES}
