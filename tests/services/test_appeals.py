"""The person of a decision appeals once, and a moderator who did not make it answers."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client

from games import selectors, services
from games.mail import relevance
from games.management.commands.verify import verify_games
from games.models import (
    Action,
    Appeal,
    Decision,
    Message,
    OutboxMail,
    User,
    database_clock,
)
from games.services import NotAllowed, ServiceError
from tests.factories import fresh, person, play_one, table_of
from tests.support.accounts import CODE_PAGE, request_code, sent_code
from tests.support.emails import Kind, written
from tests.support.pages import signed_in, text

pytestmark = pytest.mark.django_db

WHY = "I quoted Bob.\nHe wrote that first."


def warning(user: User, by: User) -> Decision:
    return services.moderate_warn(user=user, ruling=services.Ruling(by, "Insults", rule="polite"))


def suspension(user: User, by: User, days: int | None = 7) -> Decision:
    until = None if days is None else database_clock.now() + timedelta(days=days)
    return services.moderate_suspend(user=user, until=until, ruling=services.Ruling(by, "Insults"))


def appeal(decision: Decision, words: str = WHY) -> Appeal:
    return services.appeal_make(decision_id=decision.pk, text=words)


def own(by: User) -> list[bool]:
    """Whether this moderator decided or plays, for each appeal that they see."""
    return [one.is_own for one in services.appeals_for(by)]  # type: ignore[attr-defined]  # annotated


def answer(to: Appeal, by: User, *, lifts: bool, reason: str = "Bob began") -> Decision:
    return services.appeal_answer(appeal_id=to.pk, lifts=lifts, ruling=services.Ruling(by, reason))


def sees(by: User) -> list[Appeal]:
    return list(services.appeals_for(by))


# -- appealing -------------------------------------------------------------------------------


def test_an_appeal_is_kept_with_its_lines(alice: User, mona: User) -> None:
    made = appeal(warning(alice, mona))
    assert made.text == WHY
    assert made.answer is None


def test_there_is_one_appeal_against_a_decision(alice: User, mona: User) -> None:
    decision = warning(alice, mona)
    appeal(decision)
    with pytest.raises(ServiceError, match="already"):
        appeal(decision, "Once more")
    appeal(warning(alice, mona), "Against another one")


def test_after_thirty_days_there_is_no_appeal(
    clock: time_machine.Traveller, alice: User, mona: User
) -> None:
    decision = warning(alice, mona)
    clock.move_to(decision.at + timedelta(days=29, hours=23))
    assert services.appeal_obstacle(decision) == ""
    clock.shift(timedelta(hours=2))
    with pytest.raises(ServiceError, match="until"):
        appeal(decision)


@pytest.mark.parametrize("words", ["", " \n ", "x" * 3000])
def test_an_appeal_needs_words_and_not_too_many(alice: User, mona: User, words: str) -> None:
    with pytest.raises(ServiceError):
        appeal(warning(alice, mona), words)
    assert not Appeal.objects.exists()


def test_there_is_no_appeal_against_what_restricts_nobody(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "A storm"))
    suspension(alice, mona)
    services.moderate_lift(user=alice, ruling=services.Ruling(mona, "A mistake"))
    upheld = answer(appeal(warning(alice, mona)), person("Zoe", is_staff=True), lifts=False)
    for decision in (*Decision.objects.exclude(action__in=(Action.WARN, Action.SUSPEND)), upheld):
        with pytest.raises(ServiceError, match="no appeal"):
            appeal(decision)


# -- who answers -----------------------------------------------------------------------------


def test_a_moderator_who_did_not_decide_answers(alice: User, mona: User, ada: User) -> None:
    made = appeal(warning(alice, mona))
    assert (sees(mona), sees(ada), sees(alice)) == ([], [made], [])
    with pytest.raises(NotAllowed):
        answer(made, mona, lifts=False)
    assert own(ada) == [False]


def test_a_moderator_who_plays_at_the_table_does_not_answer(
    alice: User, bob: User, mona: User, ada: User
) -> None:
    game = table_of(alice, bob, ada)
    services.moderate_rename(
        game_id=game.pk, title="Calm sea", ruling=services.Ruling(mona, "Rude")
    )
    made = appeal(Decision.objects.get())
    other = person("Zoe", is_staff=True)
    assert (sees(ada), sees(mona), sees(other)) == ([], [], [made])


def test_an_opponent_of_the_person_does_not_answer(alice: User, mona: User, ada: User) -> None:
    table_of(alice, ada)
    made = appeal(warning(alice, mona))
    other = person("Zoe", is_staff=True)
    assert (sees(ada), sees(other)) == ([], [made])


def test_without_anybody_else_the_one_who_decided_sees_it_marked_as_such(
    alice: User, mona: User
) -> None:
    made = appeal(warning(alice, mona))
    assert own(mona) == [True]
    assert answer(made, mona, lifts=False).action == Action.UPHOLD


def test_a_suspended_moderator_is_nobody_else(alice: User, mona: User, ada: User) -> None:
    appeal(warning(alice, mona))
    suspension(ada, person("Root", is_staff=True, is_superuser=True), None)
    User.objects.filter(display_name="Root").delete()
    assert len(sees(mona)) == 1


def test_long_suspensions_are_for_administrators(alice: User, mona: User, ada: User) -> None:
    made = appeal(suspension(alice, ada, None))
    assert sees(mona) == []
    assert own(ada) == [True]
    other = person("Zoe", is_staff=True, is_superuser=True)
    assert (sees(ada), sees(other)) == ([], [made])


def test_nobody_answers_an_appeal_of_their_own_or_of_somebody_with_more_rights(
    mona: User, ada: User
) -> None:
    other = person("Zoe", is_staff=True, is_superuser=True)
    made = appeal(warning(ada, other))
    assert (sees(ada), sees(mona), sees(other)) == ([], [], [made])


def test_an_account_that_was_closed_before_there_were_decisions_can_appeal(
    alice: User, mona: User, ada: User
) -> None:
    decision = Decision.objects.create(action=Action.SUSPEND, person=alice)
    made = appeal(decision)
    assert (sees(mona), sees(ada)) == ([], [made])
    assert own(ada) == [False]


def test_of_two_moderators_at_once_one_answers(alice: User, mona: User, ada: User) -> None:
    made = appeal(warning(alice, mona))
    answer(made, ada, lifts=False)
    with pytest.raises(ServiceError, match="in the meantime"):
        answer(made, person("Zoe", is_staff=True), lifts=True)


# -- answers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "lifts", "sentence"),
    [
        ("en", False, "The decision stands."),
        ("en", True, "overturned the decision."),
        ("de", False, "Die Entscheidung bleibt bestehen."),
        ("de", True, "die Entscheidung aufgehoben."),
        ("fr", False, "La décision est maintenue."),
        ("fr", True, "a annulé la décision."),
    ],
)
def test_the_answer_comes_in_the_same_thread_and_in_ones_language(
    alice: User, mona: User, ada: User, language: str, lifts: bool, sentence: str
) -> None:
    alice.language = language
    alice.save()
    decision = suspension(alice, mona)
    statement = OutboxMail.objects.get(kind=Kind.DECISION)
    answer(appeal(decision), ada, lifts=lifts)
    row = OutboxMail.objects.filter(kind=Kind.DECISION).latest("pk")
    mail = written(row)
    assert sentence in " ".join(mail.text.split())
    assert sentence in mail.words
    assert "Bob began" in mail.text
    assert mail["In-Reply-To"] == statement.message_id
    assert not relevance.check_before_send(row).drop
    assert "Reply-To" not in mail.message


def test_lifting_ends_the_suspension(alice: User, mona: User, ada: User) -> None:
    made = appeal(suspension(alice, mona))
    decision = answer(made, ada, lifts=True)
    assert User.objects.get(pk=alice.pk).is_active
    assert (decision.action, decision.by, decision.person) == (Action.GRANT, ada, alice)


def test_upholding_changes_nothing(alice: User, mona: User, ada: User) -> None:
    made = appeal(suspension(alice, mona))
    answer(made, ada, lifts=False)
    assert not User.objects.get(pk=alice.pk).is_active


def test_lifting_an_old_suspension_does_not_end_a_later_one(
    alice: User, mona: User, ada: User
) -> None:
    made = appeal(suspension(alice, mona))
    suspension(alice, ada, 20)
    answer(made, ada, lifts=True)
    assert not User.objects.get(pk=alice.pk).is_active


def test_lifting_restores_the_name_of_a_table(
    alice: User, bob: User, mona: User, ada: User
) -> None:
    game = table_of(alice, bob, name="Stormy sea")
    services.moderate_rename(
        game_id=game.pk, title="Calm sea", ruling=services.Ruling(mona, "Rude")
    )
    answer(appeal(Decision.objects.get()), ada, lifts=True)
    assert fresh(game).name == "Stormy sea"


def test_lifting_restores_no_name_that_somebody_has_changed_since(
    alice: User, bob: User, mona: User, ada: User
) -> None:
    """A second decision, or the person's own choice, stands."""
    game = table_of(alice, bob)
    circle = services.circle_create(founder=alice, name="Sunday table")
    why = services.Ruling(mona, "Insults")
    services.moderate_rename(game_id=game.pk, title="Table 7", ruling=why)
    services.moderate_circle_rename(circle_id=circle.pk, title="Table 7", ruling=why)
    services.moderate_person(
        user=alice,
        ruling=services.Ruling(ada, "Insults"),
        display_name="Annie",
        language="en",
        time_zone="UTC",
    )
    decisions = list(Decision.objects.filter(person=alice))
    services.moderate_rename(game_id=game.pk, title="Table 8", ruling=why)
    services.moderate_circle_rename(circle_id=circle.pk, title="Table 8", ruling=why)
    services.person_rename(user=User.objects.get(pk=alice.pk), display_name="Alicia")
    other = person("Olga", is_staff=True, is_superuser=True)
    for decision in decisions:
        answer(appeal(decision), other, lifts=True)
    circle.refresh_from_db()
    alice.refresh_from_db()
    assert (fresh(game).name, circle.name, alice.name) == ("Table 8", "Table 8", "Alicia")


def test_lifting_restores_the_name_of_a_person(alice: User, mona: User, ada: User) -> None:
    services.moderate_person(
        user=alice,
        display_name="Annie",
        language="en",
        time_zone="UTC",
        ruling=services.Ruling(ada, "Rude"),
    )
    answer(appeal(Decision.objects.get()), ada, lifts=True)
    assert User.objects.get(pk=alice.pk).display_name == "Alice"


def test_lifting_shows_a_removed_message_again(
    alice: User, bob: User, mona: User, ada: User
) -> None:
    game = table_of(alice, bob)
    play_one(game, note="You fool")
    message = Message.objects.get()
    services.message_remove(message_id=message.pk, ruling=services.Ruling(mona, "An insult"))
    answer(appeal(Decision.objects.get()), ada, lifts=True)
    assert Message.objects.get().state == Message.State.SHOWN


def test_lifting_cancels_a_deletion(alice: User, ada: User) -> None:
    services.moderate_close(user=alice, ruling=services.Ruling(ada, "Spam"))
    answer(appeal(Decision.objects.get()), ada, lifts=True)
    assert User.objects.get(pk=alice.pk).closes_at is None


def test_an_answer_needs_a_sentence(alice: User, mona: User, ada: User) -> None:
    with pytest.raises(ServiceError, match="reason"):
        answer(appeal(warning(alice, mona)), ada, lifts=True, reason=" ")


# -- pages and statements --------------------------------------------------------------------


def page_path(row: OutboxMail) -> str:
    """The path of the link to appeal in the email of this row."""
    mail = written(row).text
    return "/appeal/" + mail.partition("/appeal/")[2].split()[0]


def statement() -> OutboxMail:
    return OutboxMail.objects.filter(kind=Kind.DECISION).earliest("pk")


def test_the_page_works_for_suspended_people_without_a_sign_in(
    alice: User, mona: User, ada: User
) -> None:
    suspension(alice, mona)
    path = page_path(statement())
    page = text(Client().get(path))
    assert "Insults" in page
    assert not Appeal.objects.exists()
    said = text(Client().post(path, {"text": WHY}, follow=True))
    assert "He wrote that first." in said
    assert "answer by email" in said
    assert Appeal.objects.get().text == WHY
    answer(Appeal.objects.get(), ada, lifts=True)
    assert "overturned the decision" in text(Client().get(path))


def test_on_the_page_a_second_appeal_is_refused(alice: User, mona: User) -> None:
    warning(alice, mona)
    path = page_path(statement())
    Client().post(path, {"text": WHY})
    said = text(Client().post(path, {"text": "Again"}))
    assert "He wrote that first." in said
    assert Appeal.objects.get().text == WHY


def test_after_thirty_days_the_page_says_until_when_there_could_be_an_appeal(
    clock: time_machine.Traveller, alice: User, mona: User
) -> None:
    warning(alice, mona)
    path = page_path(statement())
    clock.shift(timedelta(days=60))
    page = text(Client().get(path))
    assert "You could appeal against this decision until" in page
    assert "<textarea" not in page


def test_an_empty_appeal_on_the_page_is_asked_for_again(alice: User, mona: User) -> None:
    warning(alice, mona)
    assert "This field is required." in text(Client().post(page_path(statement()), {"text": ""}))


def test_a_forged_link_and_one_of_a_former_address_open_nothing(alice: User, mona: User) -> None:
    warning(alice, mona)
    path = page_path(statement())
    assert Client().get(f"{path.rstrip('/')}x/").status_code == 404
    User.objects.filter(pk=alice.pk).update(email="new@example.org")
    assert Client().get(path).status_code == 404


def test_the_sign_in_of_a_suspended_person_leads_to_the_page(alice: User, mona: User) -> None:
    suspension(alice, mona)
    client = Client()
    request_code(client, alice.email)
    page = text(client.post(CODE_PAGE, {"code": sent_code(alice.email)}, follow=True))
    assert page_path(statement()) in page


def test_somebody_who_loses_a_seat_by_a_moderator_can_appeal(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    services.moderate_hand_seat(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "Insults"))
    path = page_path(OutboxMail.objects.get(kind=Kind.MODERATED, user=alice))
    Client().post(path, {"text": WHY})
    assert Appeal.objects.get().decision.person == alice


def test_a_decision_of_a_host_has_no_appeal(alice: User, bob: User) -> None:
    game = table_of(alice, seats=3)
    services.game_join(game_id=game.pk, user=bob, token=game.invite_token)
    services.game_remove_player(game_id=game.pk, by=alice, player=bob)
    assert "/appeal/" not in written(OutboxMail.objects.get(kind=Kind.MODERATED)).text
    assert not Decision.objects.get().can_be_appealed


# -- what is kept ----------------------------------------------------------------------------


@pytest.mark.parametrize(("days", "deleted"), [(364, 0), (366, 1)])
def test_after_a_year_the_text_is_deleted_and_the_decisions_stay(
    alice: User, mona: User, ada: User, days: int, deleted: int
) -> None:
    answer(appeal(warning(alice, mona)), ada, lifts=False)
    Appeal.objects.update(at=database_clock.now() - timedelta(days=days))
    assert services.appeals_forget() == deleted
    assert (Appeal.objects.get().text == "") is bool(deleted)
    assert Decision.objects.count() == 2


def test_with_the_account_its_appeals_go_and_all_logs_stay_whole(
    alice: User, bob: User, mona: User, ada: User
) -> None:
    games = [table_of(alice, bob) for _number in range(20)]
    for game in games[:3]:
        services.moderate_extend(game_id=game.pk, days=2, seat=0, ruling=services.Ruling(mona, "x"))
    answer(appeal(warning(alice, mona)), ada, lifts=False)
    appeal(suspension(alice, mona))
    User.objects.filter(pk=alice.pk).update(closes_at=database_clock.now() - timedelta(days=1))
    before = Decision.objects.count()
    assert services.accounts_delete_due() == 1
    assert not Appeal.objects.exists()
    assert Decision.objects.count() == before
    found = verify_games([game.pk for game in games])
    assert [faults for _id, _version, faults in found] == [[]] * 20


def test_a_download_holds_ones_appeals_and_their_answers_but_nobody_else(
    alice: User, bob: User, mona: User, ada: User
) -> None:
    answer(appeal(warning(alice, mona)), ada, lifts=False)
    appeal(warning(bob, mona), "Not mine")
    (row,) = selectors.personal_data(alice)["appeals"]
    assert (row["text"], row["decision"]) == (WHY, Action.WARN)
    assert row["answer"]["reason"] == "Bob began"
    assert "Mona" not in str(row) + str(selectors.personal_data(alice)["decisions"])


def test_what_restricted_people_sign_in_again_after(alice: User, mona: User, ada: User) -> None:
    answer(appeal(suspension(alice, mona)), ada, lifts=True)
    alice.refresh_from_db()
    assert signed_in(alice).get("/settings/").status_code == 200
