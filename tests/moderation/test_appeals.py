"""The pages in the admin on which appeals are answered."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games import selectors, services
from games.mail import signed_links
from games.models import (
    RESTRICTING,
    Action,
    Appeal,
    Decision,
    Message,
    OutboxMail,
    User,
    database_clock,
)
from tests.factories import person, table_of
from tests.support.emails import Kind, written
from tests.support.moderators import moderating
from tests.support.pages import text

pytestmark = pytest.mark.django_db

LIST = reverse("admin:games_appeal_changelist")


@pytest.fixture
def appeal(alice: User, mona: User) -> Appeal:
    """Mona has warned Alice, who appeals."""
    decision = services.moderate_warn(
        user=alice, ruling=services.Ruling(mona, "Insults", rule="polite")
    )
    return services.appeal_make(decision_id=decision.pk, text="I quoted <Bob>.")


@pytest.fixture
def desk(appeal: Appeal) -> Client:
    """The browser of a moderator who did not decide."""
    return moderating(person("Zoe", is_staff=True))


def page(appeal: Appeal) -> str:
    return reverse("admin:games_appeal_change", args=[appeal.pk])


def test_the_page_shows_the_decision_and_the_words(desk: Client, appeal: Appeal) -> None:
    assert page(appeal) in text(desk.get(LIST))
    said = text(desk.get(page(appeal)))
    assert "I quoted &lt;Bob&gt;." in said
    assert "Insults" in said
    assert "Be polite" in said
    assert "no other moderator" not in said


def test_an_open_appeal_is_on_the_first_page_of_those_who_may_answer_it(
    desk: Client, appeal: Appeal, mona: User
) -> None:
    assert page(appeal) in text(desk.get("/admin/"))
    assert page(appeal) not in text(moderating(mona).get("/admin/"))
    desk.post(page(appeal), {"lifts": "no", "reason": "Read again"})
    assert page(appeal) not in text(desk.get("/admin/"))


@pytest.mark.parametrize(("lifts", "action"), [("yes", Action.GRANT), ("no", Action.UPHOLD)])
def test_an_answer_is_a_decision_and_closes_the_appeal(
    desk: Client, appeal: Appeal, lifts: str, action: Action
) -> None:
    answer = desk.post(page(appeal), {"lifts": lifts, "reason": "Bob began"}, follow=True)
    assert "The appeal is answered." in text(answer)
    appeal.refresh_from_db()
    assert appeal.answer is not None
    assert (appeal.answer.action, appeal.answer.reason) == (action, "Bob began")
    assert page(appeal) not in text(desk.get(f"{LIST}?answered=no"))
    assert "Bob began" in text(desk.get(page(appeal)))


@pytest.mark.parametrize("data", [{"lifts": "yes"}, {"reason": "Bob began"}])
def test_an_answer_needs_a_decision_and_a_sentence(
    desk: Client, appeal: Appeal, data: dict[str, str]
) -> None:
    assert "This field is required." in text(desk.post(page(appeal), data))
    assert Decision.objects.count() == 1


def test_the_second_answer_is_refused_with_the_first(desk: Client, appeal: Appeal) -> None:
    services.appeal_answer(
        appeal_id=appeal.pk,
        lifts=False,
        ruling=services.Ruling(person("Ida", is_staff=True), "First"),
    )
    said = text(desk.post(page(appeal), {"lifts": "yes", "reason": "Second"}))
    assert "Someone else has answered this appeal in the meantime." in said
    assert Decision.objects.filter(action=Action.GRANT).count() == 0


def test_who_decided_does_not_find_it(desk: Client, appeal: Appeal, mona: User) -> None:
    client = moderating(mona)
    assert page(appeal) not in text(client.get(LIST))
    assert client.get(page(appeal)).status_code == 404
    assert client.post(page(appeal), {"lifts": "no", "reason": "x"}).status_code == 404


def test_who_decided_reads_so_where_nobody_else_can_answer(appeal: Appeal, mona: User) -> None:
    assert "no other moderator can answer it" in text(moderating(mona).get(page(appeal)))


# -- evidence ------------------------------------------------------------------------------------


def restrict(action: str, alice: User, bob: User, ada: User) -> tuple[Decision, list[str]]:
    """Restrict Alice, whose message Bob reported; the decision, and what shows what it judges."""
    ruling = services.Ruling(ada, "Insults", "polite")
    game = table_of(alice, bob, name="Stormy sea")
    message = services.message_write(game_id=game.pk, user=alice, text="You donkey")
    table = reverse("admin:games_game_change", args=[game.pk])
    written = ["You donkey", reverse("admin:games_message_change", args=[message.pk])]
    about: dict[str, Any] = {"user": alice, "ruling": ruling}
    shown: list[str] = []
    match action:
        case Action.WARN | Action.CLOSE_TALK | Action.SUSPEND:
            seen = selectors.game_for(bob, game.public_id)
            report = services.message_report(game=seen, user=bob, key=message.pk, text="Rude")
            services.reports_judge(
                person=alice,
                ruling=ruling,
                measure=str(action),
                until=database_clock.now() + timedelta(days=5),
                removed=[],
                outcomes={report.pk: "acted"},
            )
            shown = [*written, reverse("admin:games_report_change", args=[report.pk])]
            shown += ["<dt>Ends</dt>"] if action != Action.WARN else []
        case Action.CLOSE:
            services.moderate_close(**about)
        case Action.EDIT_PERSON:
            services.moderate_person(**about, display_name="Annie", language="en", time_zone="UTC")
            shown = ["Former name: Alice", "New name: Annie"]
        case Action.RENAME:
            services.moderate_rename(game_id=game.pk, title="Calm sea", ruling=ruling)
            shown = ["Former name: Stormy sea", "New name: Calm sea", table]
        case Action.RENAME_CIRCLE:
            made = services.circle_create(founder=alice, name="Storms")
            services.moderate_circle_rename(circle_id=made.pk, title="Calm", ruling=ruling)
            shown = ["Former name: Storms", "New name: Calm"]
        case Action.CLOSE_CIRCLE:
            made = services.circle_create(founder=alice, name="Storms")
            services.moderate_circle_close(circle_id=made.pk, ruling=ruling)
            shown = ["Circle “Storms”"]
        case Action.HAND_SEAT:
            services.moderate_hand_seat(game_id=game.pk, seat=0, ruling=ruling)
            shown = [table]
        case Action.REMOVE_MESSAGE:
            services.message_remove(message_id=message.pk, ruling=ruling)
            shown = [*written, table]
    return Decision.objects.get(action=action), shown


@pytest.mark.parametrize("action", sorted(RESTRICTING))
def test_who_answers_an_appeal_sees_what_was_judged(
    alice: User, bob: User, ada: User, action: str
) -> None:
    decision, shown = restrict(action, alice, bob, ada)
    made = services.appeal_make(decision_id=decision.pk, text="Bob began.")
    zoe = person("Zoe", is_staff=True, is_superuser=True)
    said = " ".join(text(moderating(zoe).get(page(made))).split())
    for words in [*shown, reverse("admin:games_user_conduct", args=[alice.pk])]:
        assert words in said


AGAIN = {
    Action.SUSPEND: "you can sign in again",
    Action.CLOSE_TALK: "You can write messages to the other players again.",
    Action.CLOSE: "Your account will not be deleted.",
    Action.EDIT_PERSON: "You have your former name again.",
    Action.RENAME: "Your table has its former name again.",
    Action.RENAME_CIRCLE: "Your circle has its former name again.",
    Action.CLOSE_CIRCLE: "Your circle is open again.",
    Action.REMOVE_MESSAGE: "Your message is shown again.",
}


def overturn(decision: Decision) -> OutboxMail:
    """Overturn the decision after an appeal; the email with the answer."""
    made = services.appeal_make(decision_id=decision.pk, text="Bob began.")
    zoe = person("Zoe", is_staff=True, is_superuser=True)
    services.appeal_answer(
        appeal_id=made.pk, lifts=True, ruling=services.Ruling(zoe, "You are right")
    )
    return OutboxMail.objects.filter(kind=Kind.DECISION).latest("pk")


@pytest.mark.parametrize("action", sorted(AGAIN))
def test_the_answer_to_a_granted_appeal_says_what_its_person_can_do_again(
    alice: User, bob: User, ada: User, action: str
) -> None:
    decision, _shown = restrict(action, alice, bob, ada)
    mail = written(overturn(decision))
    for part in (mail.text, mail.html):
        assert AGAIN[Action(action)] in " ".join(part.split())
    path = signed_links.appeal_path(decision, alice)
    assert AGAIN[Action(action)] in text(Client().get(path))


def test_the_answer_to_an_appeal_quotes_what_the_decision_judged(
    alice: User, bob: User, ada: User
) -> None:
    game = table_of(alice, bob)
    message = services.message_write(game_id=game.pk, user=alice, text="You donkey")
    services.message_remove(message_id=message.pk, ruling=services.Ruling(ada, "Insults"))
    assert "“You donkey”" in written(overturn(Decision.objects.get())).text


def test_the_answer_to_a_granted_appeal_promises_nothing_that_another_decision_forbids(
    alice: User, bob: User, ada: User
) -> None:
    decision, _shown = restrict(Action.CLOSE_TALK, alice, bob, ada)
    until = database_clock.now() + timedelta(days=9)
    services.moderate_close_talk(
        user=alice, until=until, ruling=services.Ruling(ada, "Insults again")
    )
    assert AGAIN[Action.CLOSE_TALK] not in written(overturn(decision)).text


@pytest.mark.parametrize("gone", ["deleted by its author", "never sent"])
def test_the_words_that_led_to_a_ban_stay_where_its_author_deletes_them(
    alice: User, bob: User, ada: User, gone: str
) -> None:
    decision, _shown = restrict(Action.CLOSE_TALK, alice, bob, ada)
    message = Message.objects.get()
    if gone == "deleted by its author":
        message.at -= timedelta(hours=1)
        message.save()
    services.message_delete(game_id=message.game_id, user=alice, key=message.pk)
    made = services.appeal_make(decision_id=decision.pk, text="Bob began.")
    zoe = person("Zoe", is_staff=True, is_superuser=True)
    assert "You donkey" in text(moderating(zoe).get(page(made)))


def test_reports_about_the_same_thing_are_beside_the_appeal(
    appeal: Appeal, desk: Client, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    report = services.conduct_report(game=game, user=bob, person=alice, text="She swears.")
    services.reports_close(outcomes={report.pk: "allowed"}, ruling=services.Ruling(mona, "Fair"))
    said = text(desk.get(page(appeal)))
    assert "She swears." in said
    assert reverse("admin:games_report_change", args=[report.pk]) in said
