"""The person whom a decision restricts reads what was decided, why, and by which rule."""

import pytest
from django.utils import translation

from games import services
from games.models import Action, Decision, OutboxMail, User
from games.services import decisions
from tests.factories import play_one, table_of
from tests.support.emails import Kind, written

pytestmark = pytest.mark.django_db


def statement() -> OutboxMail:
    return OutboxMail.objects.get(kind=Kind.DECISION)


def suspend(user: User, by: User) -> None:
    services.moderate_suspend(
        user=user, until=None, ruling=services.Ruling(by, "Insults at three tables")
    )


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "A moderator has suspended you"),
        ("de", "Dein Konto ist gesperrt"),
        ("fr", "Votre compte est suspendu"),
    ],
)
def test_a_suspended_person_reads_why_in_their_language(
    alice: User, ada: User, language: str, sentence: str
) -> None:
    alice.language = language
    alice.save()
    suspend(alice, ada)
    mail = written(statement())
    for part in (mail.text, mail.html):
        assert sentence in part
        assert "Insults at three tables" in part
        assert "/conduct/" in part


def test_the_author_of_a_removed_message_reads_the_rule_and_the_table(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    play_one(game, note="You fool")
    message = game.messages.get()
    services.message_remove(
        message_id=message.pk, ruling=services.Ruling(mona, "An insult", rule="polite")
    )
    mail = written(statement())
    assert (statement().user, game.name in mail.text) == (alice, True)
    with translation.override("en"):
        rule = Decision.objects.get().rule_label
    assert rule in " ".join(mail.text.replace("|", "").split())


@pytest.mark.parametrize(
    ("reported", "sentence"),
    [(True, "Someone had reported this."), (False, "Nobody had reported this")],
)
def test_a_statement_says_whether_somebody_reported_it_and_not_who(
    alice: User, bob: User, mona: User, reported: bool, sentence: str
) -> None:
    if reported:
        services.name_report(user=bob, person=alice, text="It is rude.")
    decisions.record(Action.WARN, services.Ruling(mona, "x"), person=alice)
    mail = written(OutboxMail.objects.get(kind=Kind.DECISION))
    assert sentence in " ".join(mail.text.split())
    assert sentence in mail.html
    assert bob.name not in mail.text + mail.html


def test_a_reason_that_was_removed_before_the_email_went_out_is_not_in_it(
    alice: User, ada: User
) -> None:
    suspend(alice, ada)
    decision = Decision.objects.get()
    services.decision_text_remove(decision_id=decision.pk, ruling=services.Ruling(ada, "Unkind"))
    mail = written(statement())
    assert "A moderator has suspended you" in mail.text
    assert "Insults" not in mail.text


def test_somebody_who_loses_a_seat_reads_the_rule(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob)
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=None, ruling=services.Ruling(mona, "Insults", rule="polite")
    )
    row = OutboxMail.objects.get(kind=Kind.MODERATED, user=alice)
    assert "Rule of conduct: Be polite" in written(row).text
    assert not OutboxMail.objects.filter(kind=Kind.DECISION).exists()


def test_moderators_who_only_look_write_to_nobody(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob)
    OutboxMail.objects.all().delete()
    services.moderate_reveal(game_id=game.pk, ruling=services.Ruling(mona, "A complaint"))
    assert not OutboxMail.objects.exists()
