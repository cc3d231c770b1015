"""The person whom a decision restricts reads what was decided, why, and by which rule."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone, translation

from games import selectors, services
from games.mail.turn_text import moment
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
        ("de", "hat dein Konto gesperrt"),
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


def one_line(mail: Any) -> str:
    return " ".join(mail.text.replace("|", "").split())


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_the_author_of_a_removed_message_reads_its_words_and_when_it_was_written(
    alice: User, bob: User, mona: User, language: str
) -> None:
    User.objects.filter(pk=alice.pk).update(language=language)
    game = table_of(alice, bob)
    play_one(game, note="You fool")
    message = game.messages.get()
    services.message_remove(message_id=message.pk, ruling=services.Ruling(mona, "An insult"))
    mail = written(statement())
    with translation.override(language), timezone.override(alice.zone):
        when = " ".join(str(moment(message.at)).split())
    for part in (one_line(mail), " ".join(mail.html.split())):
        assert "You fool" in part
        assert when in part


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_who_may_write_no_messages_reads_which_words_led_to_it_and_when_they_were_written(
    alice: User, bob: User, mona: User, language: str
) -> None:
    User.objects.filter(pk=alice.pk).update(language=language)
    game = table_of(alice, bob)
    seen = selectors.game_for(bob, game.public_id)
    fool, ass, fine = [
        services.message_write(game_id=game.pk, user=alice, text=words)
        for words in ("You fool", "You ass", "Good morning")
    ]
    reports = [
        services.message_report(game=seen, user=bob, key=message.pk, text="He is rude.")
        for message in (fool, fine)
    ]
    services.reports_judge(
        person=alice,
        ruling=services.Ruling(mona, "Insults", "polite"),
        measure="close_talk",
        until=timezone.now() + timedelta(days=5),
        removed=[ass.pk],
        outcomes={reports[0].pk: "acted", reports[1].pk: "allowed"},
    )
    ban = OutboxMail.objects.filter(kind=Kind.DECISION).earliest("pk")
    mail = written(ban)
    with translation.override(language), timezone.override(alice.zone):
        times = [" ".join(str(moment(message.at)).split()) for message in (fool, ass)]
    for part in (one_line(mail), " ".join(mail.html.split())):
        for words in ("You fool", "You ass", *times):
            assert words in part
        for words in ("Good morning", "He is rude.", bob.name):
            assert words not in part


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_somebody_whose_name_was_changed_reads_the_old_name_and_the_new_one(
    alice: User, ada: User, language: str
) -> None:
    User.objects.filter(pk=alice.pk).update(language=language)
    rename(alice, ada)
    mail = written(statement())
    for part in (one_line(mail), mail.html):
        assert "Alice" in part
        assert "Annie" in part


def rename(person: User, by: User) -> None:
    services.moderate_person(
        user=User.objects.get(pk=person.pk),
        display_name="Annie",
        language=User.objects.get(pk=person.pk).language,
        time_zone="UTC",
        ruling=services.Ruling(by, "An insult", "polite"),
    )


def test_a_report_that_was_closed_before_the_name_was_changed_counts_as_one(
    alice: User, bob: User, mona: User, ada: User
) -> None:
    report = services.name_report(user=bob, person=alice, text="It is an insult.")
    services.reports_close(
        outcomes={report.pk: "unclear"}, ruling=services.Ruling(mona, "Asked Ada")
    )
    rename(alice, ada)
    assert "Someone had reported this." in one_line(written(statement()))


def test_a_report_about_something_else_is_none_about_a_name(
    alice: User, bob: User, ada: User
) -> None:
    services.conduct_report(game=table_of(alice, bob), user=bob, person=alice, text="She swears.")
    rename(alice, ada)
    assert "Nobody had reported this" in one_line(written(statement()))
