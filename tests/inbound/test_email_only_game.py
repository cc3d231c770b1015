"""Whole games by email, played by a script that reads nothing but the text of the emails."""

import random
from datetime import timedelta

import pytest
from django.db.models import F
from pytest_django import Settings

from games.mail import outbox
from games.models import Game, InboundMail, Message, OutboxMail, User
from games.services import quotas
from tests.factories import fresh, log_of, person, table_of
from tests.support.email_only_player import examples, legal_lines, legal_list, one_of
from tests.support.emails import Kind, Read, make_all_due, read, rows_for, written
from tests.support.escape_games import escape_table
from tests.support.lengths import by_length
from tests.support.replies import arrive, reply_email
from tests.support.smtp_sink import SmtpSink
from tests.support.verification import verify

pytestmark = [pytest.mark.django_db, pytest.mark.long]

MOST = by_length(5, 2000)  # answers; the long form plays to the end
ASKS_LEGAL = by_length(2, 6)  # every second or sixth answer is chosen from the list of all


def last_email(game: Game, user: User) -> Read:
    """The last email to this player that asks for a move."""
    kinds = (Kind.TURN, Kind.ANSWER)
    rows = OutboxMail.objects.filter(game=game, user=user, kind__in=kinds)
    return written(rows.order_by("pk")[len(rows) - 1])


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
WORDS = {
    "en": {"say": "say:", "take back": "vote take back", "yes": "yes", "cancel": "vote cancel"},
    "de": {"say": "sag:", "pause": "abstimmen Pause bis morgen", "yes": "ja"},
    "fr": {"say": "dis :", "resume": "voter reprendre", "yes": "oui"},
}


class Mailboxes:
    """Three people who have nothing but their mailboxes, each in a language of their own.

    Real are the intake, the reader of the text, the rules, the log, the outbox and SMTP. There is
    no listener or worker, which test_whole_game has.
    """

    def __init__(self, kind: str, sink: SmtpSink) -> None:
        make = table_of if kind == "atlantis" else escape_table
        people = [person(name, language=name[:2].lower()) for name in ("Enya", "Dean", "Frida")]
        self.sink, self.dice, self.fetched, self.tails = sink, random.Random(kind), 0, 0
        self.people, self.said = people, list[tuple[User, str]]()
        self.inboxes: dict[str, list[Read]] = {user.email: [] for user in people}
        self.game = make(*people)
        self.deliver()

    def deliver(self) -> None:
        """An hour later, all emails and messages that waited are sent."""
        hour = timedelta(minutes=61)
        Message.objects.update(at=F("at") - hour)
        OutboxMail.objects.update(sent_at=F("sent_at") - hour)
        make_all_due()
        outbox.drain()
        for mail in map(read, self.sink.messages[self.fetched :]):
            self.inboxes[mail["To"].strip("<>")].append(mail)
        self.fetched = len(self.sink.messages)
        self.game = fresh(self.game)

    def answer(self, mail: Read, text: str, user: User, *, outcome: str = "ordered") -> None:
        found = send(mail, text, user, quote="")
        assert found.outcome == outcome, (text, found.outcome, mail.text)
        self.deliver()

    def turn(self, user: User) -> Read:
        """The newest email that asks this player for a move."""
        return next(mail for mail in reversed(self.inboxes[user.email]) if examples(mail.text))

    def move(self) -> User:
        """The player who is asked copies a line of the newest email that asks; returns the
        player."""
        user = self.people[self.game.to_act[0]]
        mail = self.turn(user)
        line = one_of(self.dice.choice(examples(mail.text)), self.dice)
        mark = self.dice.choice(COPIED if " – " in line else COPIED[:4])
        self.tails += " – " in line
        self.answer(mail, mark.format(line), user, outcome="played")
        return user

    def say(self, user: User, *, with_word: bool = True) -> None:
        """This player writes two lines to the others, below the newest email."""
        text = f"Ahoy {len(self.said)}!\nThis is {user.display_name}."
        self.said.append((user, text))
        first = f"{WORDS[user.language]['say']} " if with_word else ""
        self.answer(self.inboxes[user.email][-1], f"{first}{text}", user)

    def vote(self, user: User, about: str) -> None:
        """This player asks for a vote, and the others answer yes to the email about it."""
        self.answer(self.turn(user), WORDS[user.language][about], user)
        for other in self.people:
            if other != user:
                yes = WORDS[other.language]["yes"]
                self.answer(self.inboxes[other.email][-1], yes, other)

    def copies(self, user: User, text: str) -> int:
        """The number of emails in which this player reads this message."""
        quoted = "\n".join(f"|   {line}" for line in text.splitlines())
        return sum(quoted in mail.text for mail in self.inboxes[user.email])


@pytest.mark.parametrize("kind", by_length(["atlantis"], ["atlantis", "escape"]))
def test_three_people_play_talk_and_vote_to_the_end_of_a_game_by_email_alone(
    replies: Settings, outgoing: SmtpSink, kind: str
) -> None:
    replies.QUOTAS = dict.fromkeys(quotas.REGISTRY, 10**6)
    table, moves = Mailboxes(kind, outgoing), 0
    enya, dean, frida = table.people
    has_taken_back = False
    while table.game.status == Game.Status.RUNNING:
        moves += 1
        mover = table.move()
        if moves % 9 == 4:
            table.say(mover)
        if mover == enya and moves > 6 and not has_taken_back:
            before = len(log_of(table.game).moves)
            table.vote(enya, "take back")
            assert len(log_of(table.game).moves) == before - 1
            has_taken_back = True
        if moves == 10:
            table.vote(dean, "pause")
            assert table.game.status == Game.Status.PAUSED
            table.say(frida)
            table.say(enya, with_word=False)  # to the email with messages
            table.vote(frida, "resume")
    assert table.game.status == Game.Status.FINISHED
    assert has_taken_back and table.tails > 20
    table.say(dean)
    table.say(frida, with_word=False)
    for author, text in table.said:
        for reader in table.people:
            assert table.copies(reader, text) == (reader != author), (reader.display_name, text)
    assert len(table.said) > 5
    assert verify()[0] == 0


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_three_people_cancel_a_game_by_email_alone(
    replies: Settings, outgoing: SmtpSink, kind: str
) -> None:
    table = Mailboxes(kind, outgoing)
    enya, dean, frida = table.people
    for _move in range(3):
        table.move()
    table.vote(enya, "cancel")
    assert table.game.status == Game.Status.ABORTED
    assert [len(rows_for(table.game, Kind.OVER, user=user)) for user in table.people] == [1, 1, 1]
    table.say(dean)
    assert [table.copies(user, table.said[0][1]) for user in (enya, frida)] == [1, 1]
    assert verify()[0] == 0
