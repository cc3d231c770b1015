"""A pause says whose it is, and when and how it ends: on the page, at home and in emails."""

from datetime import timedelta

import pytest
from django.utils import timezone

from games import services
from games.models import Game, User
from tests.factories import fresh, log_of, table_of
from tests.support.emails import Kind, both_bodies, row_for, written
from tests.support.pages import signed_in, text
from tests.support.replies import Post

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies")]

VOTED = {
    "en": ("The game was paused until", "as the players agreed.", "The players can end the pause"),
    "de": (
        "Die Partie wurde bis",
        "pausiert, wie die Spieler beschlossen haben.",
        "Die Spieler können",
    ),
    "fr": (
        "La partie a été mise en pause jusqu’au",
        ", comme les joueurs l’ont décidé.",
        "Les joueurs peuvent",
    ),
}
BY_MODERATOR = {
    "en": "A moderator paused the game. Reason: Alice is ill.",
    "de": "Die Moderation hat die Partie pausiert. Begründung: Alice is ill.",
    "fr": "La modération a mis la partie en pause. Motif : Alice is ill.",
}


def read_everywhere(game: Game, user: User, kind: Kind) -> list[str]:
    """The page of the table, home and both parts of the email."""
    mail = written(row_for(game, kind, user))
    pages = [text(signed_in(user).get(path)) for path in (f"/g/{game.public_id}/", "/")]
    return [*pages, *(words.replace(" | ", " ") for words in both_bodies(mail))]


@pytest.mark.parametrize("language", VOTED)
def test_a_pause_that_was_voted_has_its_day_and_its_players(
    alice: User, bob: User, language: str
) -> None:
    User.objects.filter(pk=bob.pk).update(language=language)
    game = table_of(alice, bob)
    until = (timezone.now() + timedelta(days=5)).astimezone(bob.zone).date()
    services.vote_open(game_id=game.pk, user=bob, about="pause", until=until)
    vote = log_of(game).vote
    assert vote is not None
    services.vote_answer(game_id=game.pk, user=alice, vote=vote.seq, agrees=True)
    start, agreed, end = VOTED[language]
    for place, words in enumerate(read_everywhere(game, bob, Kind.VOTE)):
        assert start in words
        assert f"{until.day}" in words.partition(start)[2].partition(agreed)[0]
        assert place == 1 or end in words  # home has no room for more
    assert "vote resume" in written(row_for(game, Kind.VOTE, bob)).text or language != "en"


@pytest.mark.parametrize("language", BY_MODERATOR)
def test_the_pause_of_a_moderator_has_its_reason(
    alice: User, bob: User, mona: User, language: str
) -> None:
    User.objects.filter(pk=bob.pk).update(language=language)
    game = table_of(alice, bob)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "Alice is ill."))
    for place, words in enumerate(read_everywhere(game, bob, Kind.MODERATED)):
        said = BY_MODERATOR[language]
        assert (said.partition(".")[0] if place == 1 else said) in words.replace("\u202f", " ")


def test_a_move_in_a_pause_is_answered_with_its_cause(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob)
    post = Post(game, alice)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "Bob is ill."))
    post.move()
    assert "A moderator paused the game. Reason: Bob is ill." in post.answer().words
    assert fresh(game).status == Game.Status.PAUSED
