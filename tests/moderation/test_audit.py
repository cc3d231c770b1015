"""The list of decisions: found by their words, without looks at secrets of one's own games."""

import pytest
from django.urls import reverse

from games import services
from games.models import Decision, Game, User
from games.moderation import base
from tests.factories import person, table_of
from tests.support.moderators import moderating
from tests.support.pages import text
from tests.support.replies import unclear_reply

pytestmark = pytest.mark.django_db

LIST = reverse("admin:games_decision_changelist")


def test_decisions_are_found_by_words_of_their_reasons(alice: User, bob: User, mona: User) -> None:
    services.moderate_warn(user=alice, ruling=services.Ruling(mona, "Insults at three tables"))
    services.moderate_warn(user=bob, ruling=services.Ruling(mona, "Two accounts"))
    found = text(moderating(mona).get(f"{LIST}?q=three+tables"))
    assert "Insults at three tables" in found
    assert "Two accounts" not in found


@pytest.fixture
def looks(alice: User, mona: User, ada: User) -> Game:
    """Mona plays with Alice. Ada has looked at their table and at a reply of Alice, and has moved a
    deadline; Mona has looked at another table."""
    game = table_of(alice, mona)
    services.moderate_reveal(game_id=game.pk, ruling=services.Ruling(ada, "A look at the cards"))
    reply = unclear_reply(None, alice)
    services.inbound_reveal(mail_id=reply.pk, ruling=services.Ruling(ada, "A look at a reply"))
    services.moderate_extend(game_id=game.pk, days=2, ruling=services.Ruling(ada, "A storm"))
    other = table_of(person("Eve"), person("Finn"))
    services.moderate_reveal(game_id=other.pk, ruling=services.Ruling(mona, "Elsewhere"))
    return game


def reasons(by: User) -> set[str]:
    return {decision.reason for decision in base.decisions_for(by, Decision.objects.all())}


def test_a_moderator_who_plays_sees_no_looks_at_that_table_or_at_its_players(
    looks: Game, mona: User
) -> None:
    assert reasons(mona) == {"A storm", "Elsewhere"}
    page = text(moderating(mona).get(f"{LIST}?q=look"))
    assert "A look" not in page.partition('id="result_list"')[2]


def test_a_moderator_who_does_not_play_there_sees_all(looks: Game, ada: User) -> None:
    assert {"A look at the cards", "A look at a reply", "A storm", "Elsewhere"} <= reasons(ada)


def test_once_the_game_is_over_its_players_see_the_looks_too(
    looks: Game, mona: User, ada: User
) -> None:
    services.moderate_abort(game_id=looks.pk, ruling=services.Ruling(ada, "Both asked"))
    assert "A look at the cards" in reasons(mona)


def test_a_moderator_without_a_name_is_no_player_at_the_desk(
    alice: User, bob: User, ada: User
) -> None:
    nina = person("Nina", is_staff=True)
    nina.display_name = ""
    nina.save()
    client, ruling = moderating(ada), services.Ruling(nina, "Insults")
    game = table_of(alice, bob)
    decision = services.moderate_warn(user=alice, ruling=ruling)
    services.moderate_pause(game_id=game.pk, ruling=ruling)
    appeal = services.appeal_make(decision_id=decision.pk, text="I quoted Bob.")
    keys = {"decision": decision.pk, "game": game.pk, "appeal": appeal.pk}
    pages = [reverse(f"admin:games_{name}_change", args=[key]) for name, key in keys.items()]
    pages += [LIST, reverse("admin:games_decision_act", args=[decision.pk, "delete"])]
    pages += [reverse("admin:games_user_conduct", args=[alice.pk])]
    for shown in [
        *(text(client.get(path)) for path in pages),
        text(moderating(nina).get("/admin/")),
    ]:
        assert "A moderator" in shown
        assert "A player" not in shown


def test_who_decided_is_named_by_what_they_were(alice: User, mona: User) -> None:
    for user in (alice, mona):
        user.display_name = ""
    assert Decision(by=mona).by_name == "A moderator"
    assert Decision(by=alice, as_host=True).by_name == "Host"
    assert Decision().by_name == "–"
    assert Decision(by_id=0).by_name == "deleted user 0"
