"""The pages in the admin on which appeals are answered."""

import pytest
from django.test import Client
from django.urls import reverse

from games import services
from games.models import Action, Appeal, Decision, User
from tests.factories import person
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
