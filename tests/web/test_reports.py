"""Reports by players: by page, what is kept of them, and that the reported person notices
nothing."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone, translation
from pytest_django import Settings

from games import selectors, services
from games.models import Action, Game, Message, OutboxMail, Report, User
from games.services import NotAllowed, QuotaExceeded, ServiceError
from games.web.players import player_url
from tests.factories import person, table_of
from tests.support.emails import Kind, Read, row_for, written
from tests.support.languages import LANGUAGES, english_in
from tests.support.pages import page_of, signed_in, text, url
from tests.support.unnoticed import seen_by

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

WORDS = "He calls everybody a donkey."


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    return table_of(alice, bob)


def insult(game: Game, bob: User) -> Message:
    return services.message_write(game_id=game.pk, user=bob, text="You donkey")


def report(game: Game, user: User, other: User, words: str = WORDS) -> Report:
    return services.conduct_report(game=read(game, user), user=user, person=other, text=words)


def read(game: Game, user: User) -> Game:
    return selectors.game_for(user, game.public_id)


def news(user: User) -> Read:
    return written(row_for(None, Kind.REPORT, user))


# -- by page -------------------------------------------------------------------------------------


def test_a_message_is_reported_beside_it_and_kept_as_it_was(
    game: Game, alice: User, bob: User
) -> None:
    message = insult(game, bob)
    path = url(game, f"report/message/{message.pk}/")
    browser = signed_in(alice)
    assert path in text(browser.get(url(game)))
    assert "You donkey" in text(browser.get(path))
    done = text(browser.post(path, {"text": WORDS}, follow=True))
    assert "Your report has reached the moderators." in done
    services.message_delete(game_id=game.pk, user=bob, key=message.pk)
    kept = Report.objects.get()
    assert (kept.about, kept.person, kept.game, kept.quoted) == ("message", bob, game, "You donkey")
    assert kept.text == WORDS
    assert WORDS in news(alice).text


def test_the_conduct_of_a_player_is_reported_at_the_table(
    game: Game, alice: User, bob: User
) -> None:
    path = url(game, "report/1/")
    assert path in page_of(game, alice)
    signed_in(alice).post(path, {"text": WORDS})
    assert str(Report.objects.get()) == "The conduct of Bob at “Round the mainland”"


def test_a_name_is_reported_on_the_page_of_its_player(alice: User, bob: User) -> None:
    path = f"{player_url(bob)}report/"
    browser = signed_in(alice)
    assert path in text(browser.get(player_url(bob)))
    browser.post(path, {"text": "It is rude."})
    bob.display_name = "Robert"
    bob.save()
    assert (Report.objects.get().about, Report.objects.get().quoted) == ("name", "Bob")


def test_an_empty_report_is_refused_and_a_long_one_keeps_its_text(
    game: Game, alice: User, bob: User
) -> None:
    browser, path = signed_in(alice), url(game, "report/1/")
    assert "Write a few words" in text(browser.post(path, {"text": " "}))
    page = text(browser.post(path, {"text": "x" * 1001}))
    assert "at most 1000 characters" in page
    assert "x" * 1001 in page


@pytest.mark.parametrize("language", ["de", "fr"])
def test_the_confirmation_is_in_the_language_of_the_reporter(
    game: Game, alice: User, bob: User, language: str
) -> None:
    alice.language = language
    alice.save()
    report(game, alice, bob, "xyz")
    mail = news(alice)
    assert english_in("\n".join([mail["Subject"], mail.text, *mail.blocks]), language) == []


# -- who may report what -------------------------------------------------------------------------


def test_what_one_cannot_read_or_does_not_share_is_not_reported(
    game: Game, alice: User, bob: User, dave: User
) -> None:
    message = insult(game, bob)
    browser = signed_in(dave)
    assert browser.get(url(game, f"report/message/{message.pk}/")).status_code == 404
    assert browser.get(url(game, "report/1/")).status_code == 404
    with pytest.raises(NotAllowed):
        report(game, dave, bob)
    with pytest.raises(NotAllowed):
        report(game, alice, dave)


def test_nobody_reports_themselves(game: Game, bob: User) -> None:
    message = insult(game, bob)
    browser = signed_in(bob)
    assert browser.get(url(game, f"report/message/{message.pk}/")).status_code == 404
    assert browser.get(url(game, "report/1/")).status_code == 404
    assert browser.get(f"{player_url(bob)}report/").status_code == 404
    with pytest.raises(ServiceError, match="yourself"):
        report(game, bob, bob)


def test_the_same_thing_is_reported_once_until_it_is_closed(
    game: Game, alice: User, bob: User, mona: User
) -> None:
    first = report(game, alice, bob)
    with pytest.raises(ServiceError, match="reported this already"):
        report(game, alice, bob, "Again")
    services.reports_close(outcomes={first.pk: "allowed"}, ruling=services.Ruling(mona, "Harmless"))
    report(game, alice, bob, "Again")


def test_a_person_reports_five_things_a_day(game: Game, alice: User, bob: User) -> None:
    for number in range(5):
        message = services.message_write(game_id=game.pk, user=bob, text=f"{number}")
        seen = read(game, alice)
        services.message_report(game=seen, user=alice, key=message.pk, text=WORDS)
    with pytest.raises(QuotaExceeded):
        report(game, alice, bob)
    assert Report.objects.count() == 5


# -- what becomes of them ------------------------------------------------------------------------


def test_closing_answers_every_reporter_in_their_language_with_one_sentence(
    game: Game, alice: User, bob: User, carol: User, mona: User
) -> None:
    there = table_of(carol, bob)
    keys = [report(game, alice, bob).pk, report(there, carol, bob).pk]
    services.moderate_warn(user=bob, ruling=services.Ruling(mona, "Rude"))
    services.reports_close(
        outcomes=dict.fromkeys(keys, "acted"), ruling=services.Ruling(mona, "Bob holds the crown")
    )
    assert "We have acted on your report." in news(alice).text
    assert english_in(news(carol).text.replace(WORDS, ""), "de") == []
    for reader in (alice, carol):
        assert "crown" not in news(reader).text + news(reader).html


def test_two_moderators_at_once_have_one_outcome(
    game: Game, alice: User, bob: User, mona: User, ada: User
) -> None:
    key = report(game, alice, bob).pk
    services.reports_close(outcomes={key: "allowed"}, ruling=services.Ruling(mona, "Harmless"))
    with pytest.raises(ServiceError, match="in the meantime"):
        services.reports_close(outcomes={key: "acted"}, ruling=services.Ruling(ada, "Rude"))
    assert Report.objects.get().outcome == "allowed"
    assert OutboxMail.objects.filter(kind=Kind.REPORT).count() == 2


def test_a_decision_says_that_it_was_reported(
    game: Game, alice: User, bob: User, mona: User
) -> None:
    first, second = insult(game, bob), insult(game, bob)
    services.message_report(game=read(game, alice), user=alice, key=first.pk, text=WORDS)
    for message in (first, second):
        services.message_remove(message_id=message.pk, ruling=services.Ruling(mona, "Rude"))
    mails = [written(row).text for row in OutboxMail.objects.filter(kind=Kind.DECISION)]
    assert ["Someone had reported this." in mail for mail in mails] == [True, False]
    assert not any("Alice" in mail for mail in mails)


def test_reports_are_deleted_after_a_year(game: Game, alice: User, bob: User) -> None:
    kept, old = report(game, alice, bob), report(game, bob, alice)
    Report.objects.filter(pk=old.pk).update(at=timezone.now() - timedelta(days=366))
    assert services.player_reports_purge() == 1
    assert list(Report.objects.all()) == [kept]


def test_reports_go_with_the_account_and_the_logs_stay_whole(
    alice: User, bob: User, carol: User, mona: User, settings: Settings
) -> None:
    settings.QUOTAS = {"player_reports_person_day": 100}
    for _number in range(20):
        game = table_of(alice, bob, carol)
        closed = report(game, alice, bob)
        services.reports_close(
            outcomes={closed.pk: "allowed"}, ruling=services.Ruling(mona, "Fair")
        )
        services.message_remove(
            message_id=insult(game, bob).pk, ruling=services.Ruling(mona, "Rude")
        )
        report(game, bob, alice)
        report(game, carol, alice)
        report(game, carol, bob)
    services.person_block(user=carol, person=bob, is_blocked=True)
    services.person_block(user=bob, person=alice, is_blocked=True)
    services.account_close(user=bob)
    User.objects.filter(pk=bob.pk).update(closes_at=timezone.now() - timedelta(days=1))
    assert services.accounts_delete_due() == 1
    assert {(one.reporter, one.person) for one in Report.objects.all()} == {(carol, alice)}
    assert "Bob" not in text(signed_in(carol).get("/settings/blocked/"))
    call_command("verify")


def test_the_download_has_what_one_reported_and_not_who_reported_oneself(
    game: Game, alice: User, bob: User, mona: User
) -> None:
    closed = report(game, alice, bob)
    services.moderate_warn(user=bob, ruling=services.Ruling(mona, "Rude"))
    services.reports_close(
        outcomes={closed.pk: "acted"}, ruling=services.Ruling(mona, "secret note")
    )
    (mine,) = selectors.personal_data(alice)["reports"]
    assert mine["text"] == WORDS
    assert mine["outcome"] == "We have acted on your report."
    assert "secret note" not in str(mine)
    theirs = selectors.personal_data(bob)
    assert theirs["reports"] == []
    assert WORDS not in str(theirs)


# -- twins ---------------------------------------------------------------------------------------


def test_a_reported_person_gets_the_same_bytes_as_one_who_is_not(
    game: Game, alice: User, bob: User, mona: User
) -> None:
    message, tables = insult(game, bob), [game, table_of(alice, seats=3), table_of(bob, seats=3)]
    zoe = person("Zoe")

    def reported() -> None:
        services.message_report(game=read(game, alice), user=alice, key=message.pk, text=WORDS)
        services.name_report(user=zoe, person=bob, text=WORDS)
        closed = report(game, alice, bob)
        services.reports_close(
            outcomes={closed.pk: "allowed"}, ruling=services.Ruling(mona, "Harmless")
        )

    before, after = seen_by(bob, tables), seen_by(bob, tables, reported)
    for name in before:
        assert before[name] == after[name], name


@pytest.mark.parametrize("language", ("en", *LANGUAGES))
def test_the_page_on_conduct_names_every_action_of_moderators(language: str) -> None:
    said = text(Client(headers={"accept-language": language}).get("/conduct/"))
    with translation.override(language):
        assert [action for action in Action if str(action.label) not in said] == []
