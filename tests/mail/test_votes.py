"""The email that asks a player to vote."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.utils import timezone, translation

from games import selectors, services
from games.log import table_events
from games.mail.relevance import check_before_send
from games.models import PREFERENCES, DeliveryMode, Game, OutboxMail, User
from tests.factories import log_of, play_one, play_turns, seats_of, table_of
from tests.fixtures.clock import still
from tests.support.emails import Kind, row_for, written
from tests.support.indistinguishable_games import AT, atlantis, escape, world
from tests.support.pages import page_of
from tests.support.replies import one_line

pytestmark = pytest.mark.django_db

WORLDS = {"atlantis": atlantis, "escape": escape}
LATER = AT + timedelta(hours=1)
LANGUAGES = {
    "en": ("Alice asked to take back their last move.", "Alice drew"),
    "de": ("Alice hat darum gebeten, den letzten Zug zurücknehmen zu dürfen.", "Alice hat"),
    "fr": ("Alice a demandé à annuler son dernier coup.", "Alice a pioché"),
}


def ask(game: Game, user: User, about: table_events.Proposal = "take_back") -> int:
    until = (timezone.now() + timedelta(days=5)).astimezone(user.zone).date()
    services.vote_open(
        game_id=game.pk, user=user, about=about, until=until if about == "pause" else None
    )
    vote = log_of(game).vote
    assert vote is not None
    return vote.seq


def answer(game: Game, user: User) -> None:
    vote = log_of(game).vote
    assert vote is not None
    services.vote_answer(game_id=game.pk, user=user, vote=vote.seq, agrees=True)


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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("about", ["take_back", "cancel", "resume"])
def test_it_quotes_the_moves_that_it_is_about_and_numbers_none(
    alice: User, bob: User, language: str, about: table_events.Proposal
) -> None:
    User.objects.filter(pk=bob.pk).update(language=language)
    game = play_turns(table_of(alice, bob), 5)  # Alice, then Bob
    if about == "resume":
        ask(game, bob, "pause")
        answer(game, alice)
    ask(game, alice, about)
    log = log_of(game)
    with translation.override(language):
        names = selectors.SeatNames(log, seats_of(game))
        moves = [" ".join(selectors.sentences_of(log, move, 1, names)) for move in log.moves]
    gone = moves[-1:]
    mail = written(row_for(game, Kind.VOTE, bob))
    page = page_of(game, bob).partition('id="vote"')[2].partition("</section>")[0]
    for words in (mail.text, mail.words, unescape(page)):
        assert all(" ".join(move.split()) in one_line(words) for move in gone)
        assert not re.search(r"(move|Zug|coup) \d", words)


def test_the_moves_that_were_undone_are_named(alice: User, bob: User, carol: User) -> None:
    User.objects.filter(pk=carol.pk).update(language="en")
    game = play_turns(table_of(alice, bob, carol), 4)
    log, names = log_of(game), selectors.SeatNames(log_of(game), seats_of(game))
    moved = " ".join(selectors.sentences_of(log, log.moves[-1], None, names))
    ask(game, alice)
    answer(game, carol)
    answer(game, bob)
    assert moved in one_line(written(row_for(game, Kind.VOTE, carol)).text)


def test_who_moved_twice_takes_back_both_moves_by_their_words(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 5)
    play_one(game)
    ask(game, alice, "take_back")
    log = log_of(game)
    names = selectors.SeatNames(log, seats_of(game))
    mail = one_line(written(row_for(game, Kind.VOTE, bob)).text)
    for move in log.moves[-2:]:
        assert " ".join(selectors.sentences_of(log, move, 1, names)) in mail


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
