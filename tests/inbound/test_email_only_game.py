"""Whole games by email, played by a script that reads nothing but the text of the emails."""

import random

import pytest
from pytest_django import Settings

from games.models import Game, InboundMail, OutboxMail, User
from games.services import quotas
from tests.factories import fresh, table_of
from tests.support.email_only_player import examples, legal_lines, legal_list, one_of
from tests.support.emails import Kind, Read, written
from tests.support.escape_games import escape_table
from tests.support.lengths import by_length
from tests.support.replies import arrive, reply_email

pytestmark = [pytest.mark.django_db, pytest.mark.long]

MOST = by_length(5, 2000)  # answers; the long form plays to the end
ASKS_LEGAL = by_length(2, 6)  # every second or sixth answer is chosen from the list of all


def last_email(game: Game, user: User) -> Read:
    """The last email to this player that asks for a move."""
    kinds = (Kind.TURN, Kind.ANSWER)
    rows = OutboxMail.objects.filter(game=game, user=user, kind__in=kinds)
    return written(rows.order_by("pk")[len(rows) - 1])


def newest_email(game: Game, user: User) -> Read:
    """The newest email to this player, whatever it is about."""
    row = OutboxMail.objects.filter(game=game, user=user).order_by("pk").last()
    assert row is not None
    return written(row)


def send(mail: Read, text: str, user: User, **more: str) -> InboundMail:
    """A reply to this email."""
    to = mail["Reply-To"].partition("<")[2].strip(">")
    return arrive(reply_email(text, to, user.email, **more), to)


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
@pytest.mark.parametrize("language", by_length(["de"], ["en", "de", "fr"]))
def test_a_game_can_be_played_with_nothing_but_emails(
    replies: Settings, alice: User, bob: User, kind: str, language: str
) -> None:
    replies.QUOTAS = dict.fromkeys(quotas.REGISTRY, 10**6)
    User.objects.update(language=language)
    people = {user.pk: user for user in User.objects.filter(pk__in=(alice.pk, bob.pk))}
    players = (people[alice.pk], people[bob.pk])
    game = table_of(*players) if kind == "atlantis" else escape_table(*players)
    dice = random.Random(f"{kind} {language}")
    for number in range(MOST):
        game = fresh(game)
        if game.status != Game.Status.RUNNING:
            break
        user = players[game.to_act[0]]
        mail = last_email(game, user)
        choices = examples(mail.text)
        if number % ASKS_LEGAL == ASKS_LEGAL - 1:
            assert send(mail, "legal", user).outcome == "shown"
            listed = last_email(game, user)
            assert len(legal_list(listed.text)) <= 60
            choices = legal_lines(listed.text)
        answer = one_of(dice.choice(choices), dice)
        assert send(mail, answer, user).outcome == "played", (answer, mail.text)
    assert MOST < 100 or game.status == Game.Status.FINISHED


COPIED = ("{}", "|     {}", "> |     {}", "* {}", "> {}")  # as programs mark what is copied


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_a_whole_game_is_played_by_copying_lines_of_the_newest_email(
    replies: Settings, alice: User, bob: User, kind: str
) -> None:
    """Real are the intake, the reader of the text, the rules, the log and the emails. There is no
    SMTP, listener or worker, which test_whole_game has."""
    replies.QUOTAS = dict.fromkeys(quotas.REGISTRY, 10**6)
    people = {user.pk: user for user in User.objects.filter(pk__in=(alice.pk, bob.pk))}
    players = (people[alice.pk], people[bob.pk])
    game = table_of(*players) if kind == "atlantis" else escape_table(*players)
    dice, tails = random.Random(kind), 0
    while game.status == Game.Status.RUNNING:
        user = players[game.to_act[0]]
        mail = newest_email(game, user)
        line = one_of(dice.choice(examples(mail.text)), dice)
        mark = dice.choice(COPIED if " – " in line else COPIED[:4])
        assert send(mail, mark.format(line), user, quote="").outcome == "played", (line, mail.text)
        tails += " – " in line
        game = fresh(game)
    assert game.status == Game.Status.FINISHED
    assert tails > 20
