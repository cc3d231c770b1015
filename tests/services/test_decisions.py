"""Each action of a moderator or host leaves one decision, which stays when people go."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from games import selectors, services
from games.management.commands.verify import verify_games
from games.models import Action, Decision, DecisionText, Game, Message, OutboxMail, User
from games.services import NotAllowed, ServiceError
from tests.factories import fresh, miss_deadline, person, play_one, play_turns, table_of
from tests.fixtures.people import a_host, a_player
from tests.support.emails import written
from tests.support.moderators import ACTS, give_factor
from tests.support.replies import unclear_reply
from tests.support.shared_rows import shared_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


@pytest.fixture(scope="module")
def shared_table(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Game]:
    """Two moves were made; Alice, the host, is asked."""
    with shared_rows(
        django_db_blocker, lambda: play_turns(table_of(a_host(), a_player(), pace_days=3), 2)
    ) as game:
        yield game


ABOUT_TABLES = [name for name in ACTS if name != "resume"]


@pytest.mark.parametrize("act", ABOUT_TABLES)
def test_an_action_at_a_table_is_a_decision_about_its_event(
    game: Game, mona: User, act: str
) -> None:
    version = fresh(game).version
    ACTS[act](game, mona, "Bob asked for it")
    decision = Decision.objects.get()
    assert (decision.action, decision.by, decision.game) == (act, mona, game)
    assert (decision.seq, decision.reason) == (version + 1, "Bob asked for it")
    assert not decision.as_host


@pytest.mark.parametrize("act", ABOUT_TABLES)
def test_what_was_refused_is_no_decision(game: Game, bob: User, act: str) -> None:
    with pytest.raises(NotAllowed):
        ACTS[act](game, bob, "I would like that")
    assert not Decision.objects.exists()


ABOUT_PEOPLE: dict[Action, Callable[[User, User], object]] = {
    Action.SIGN_OUT: lambda user, by: services.moderate_sessions(
        user=user, ruling=services.Ruling(by, "x")
    ),
    Action.CLOSE: lambda user, by: services.moderate_close(
        user=user, ruling=services.Ruling(by, "x")
    ),
    Action.REMOVE_FACTOR: lambda user, by: services.moderate_factor(
        factor=give_factor(user), ruling=services.Ruling(by, "x")
    ),
    Action.EDIT_PERSON: lambda user, by: services.moderate_person(
        user=user,
        display_name="Annie",
        language="en",
        time_zone="UTC",
        ruling=services.Ruling(by, "x"),
    ),
}


@pytest.mark.parametrize("action", ABOUT_PEOPLE)
def test_an_action_on_an_account_is_a_decision_about_its_person(
    alice: User, ada: User, action: Action
) -> None:
    ABOUT_PEOPLE[action](alice, ada)
    decision = Decision.objects.get()
    assert (decision.action, decision.by, decision.person) == (action, ada, alice)
    assert (decision.game, decision.reason) == (None, "x")
    statement = written(OutboxMail.objects.get(dedupe_key=f"decision:{decision.pk}"))
    assert "Reason: x" in statement.html


def test_without_a_reason_nobody_decides_about_an_account(alice: User, ada: User) -> None:
    with pytest.raises(ServiceError, match="reason"):
        services.moderate_close(user=alice, ruling=services.Ruling(ada, " "))
    alice.refresh_from_db()
    assert alice.closes_at is None
    assert not Decision.objects.exists()


def test_looking_at_a_reply_is_a_decision_about_the_reply_and_the_game(
    game: Game, alice: User, mona: User
) -> None:
    mail = unclear_reply(game, alice)
    services.inbound_reveal(mail_id=mail.pk, ruling=services.Ruling(mona, "Alice asked"))
    decision = Decision.objects.get()
    assert (decision.action, decision.game, decision.person) == (Action.REVEAL, game, alice)
    assert decision.message == f"inboundmail {mail.pk}"


def test_what_a_host_does_to_others_is_a_decision_of_the_host(
    game: Game, alice: User, bob: User
) -> None:
    play_one(game)
    late = miss_deadline(game)
    services.moderate_play_bot(game_id=game.pk, seat=late, ruling=services.Ruling(alice, "Late"))
    decision = Decision.objects.get()
    assert (decision.by, decision.as_host, decision.person) == (alice, True, bob)


def test_removing_a_player_before_the_start_is_a_decision_of_the_host(
    alice: User, bob: User
) -> None:
    table = table_of(alice, seats=3)
    services.game_join(game_id=table.pk, user=bob, token=table.invite_token)
    services.game_remove_player(game_id=table.pk, by=alice, player=bob)
    decision = Decision.objects.get()
    assert (decision.action, decision.as_host) == (Action.REMOVE_PLAYER, True)
    assert (decision.game, decision.person) == (table, bob)


# -- the words --------------------------------------------------------------------------------


def test_removing_the_words_is_a_decision_and_leaves_the_rest(game: Game, mona: User) -> None:
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "Bob is a fool"))
    first = Decision.objects.get()
    services.decision_text_remove(decision_id=first.pk, ruling=services.Ruling(mona, "Unkind"))
    first = Decision.objects.get(pk=first.pk)
    removal = Decision.objects.exclude(pk=first.pk).get()
    assert (first.reason, first.action) == ("", Action.PAUSE)
    assert (removal.action, removal.reason) == (Action.REMOVE_TEXT, "Unkind")
    assert removal.message == f"decision {first.pk}"


def test_a_moderator_who_plays_removes_no_words_there(game: Game, mona: User) -> None:
    services.moderate_hand_seat(
        game_id=game.pk, seat=1, to=mona, ruling=services.Ruling(mona, "Ill")
    )
    with pytest.raises(NotAllowed):
        services.decision_text_remove(
            decision_id=Decision.objects.get().pk, ruling=services.Ruling(mona, "Unkind")
        )
    assert DecisionText.objects.exists()


def test_a_removed_note_is_a_decision_about_its_author(game: Game, alice: User, mona: User) -> None:
    play_one(game, note="You fool")
    note = Message.objects.get()
    services.message_remove(
        message_id=note.pk, ruling=services.Ruling(mona, "An insult", rule="polite")
    )
    decision = Decision.objects.get()
    assert (decision.person, decision.rule) == (alice, "polite")
    assert Message.objects.get().state == Message.State.REMOVED


# -- people go, decisions stay ------------------------------------------------------------------


def test_a_deleted_person_is_a_number_in_decisions_and_all_logs_stay_whole(
    alice: User, bob: User, mona: User, ada: User
) -> None:
    games = [table_of(alice, bob) for _number in range(3)]
    for game in games:
        services.moderate_extend(
            game_id=game.pk, days=2, seat=0, ruling=services.Ruling(mona, "A storm")
        )
    services.moderate_sessions(user=alice, ruling=services.Ruling(ada, "Alice lost her phone"))
    number = alice.pk
    for user in (alice, mona, ada):
        User.objects.filter(pk=user.pk).update(closes_at=timezone.now() - timedelta(days=1))
    assert services.accounts_delete_due() == 3
    decisions = list(Decision.objects.all())
    assert {decision.person_id for decision in decisions} == {number}
    assert len(decisions) == 4
    assert not DecisionText.objects.exists()
    found = verify_games([game.pk for game in games])
    assert [faults for _id, _version, faults in found] == [[], [], []]


def test_a_download_holds_ones_decisions_but_not_who_decided(
    game: Game, alice: User, mona: User, ada: User
) -> None:
    services.moderate_reveal(game_id=game.pk, ruling=services.Ruling(mona, "A look"))
    services.inbound_reveal(
        mail_id=unclear_reply(game, alice).pk, ruling=services.Ruling(mona, "The cards of Alice")
    )
    services.moderate_sessions(user=alice, ruling=services.Ruling(ada, "Alice lost her phone"))
    (row,) = selectors.personal_data(alice)["decisions"]
    assert (row["action"], row["reason"]) == (Action.SIGN_OUT, "Alice lost her phone")
    assert not {"by", "by_id"} & row.keys()


# -- roles ------------------------------------------------------------------------------------


def test_a_moderator_decides_nothing_about_accounts_and_gives_no_role(
    alice: User, mona: User
) -> None:
    for act in ABOUT_PEOPLE.values():
        with pytest.raises(NotAllowed):
            act(alice, mona)
    with pytest.raises(NotAllowed):
        services.moderate_role(
            user=mona, role=services.Role.ADMINISTRATOR, ruling=services.Ruling(mona, "x")
        )
    assert not Decision.objects.exists()


def test_nobody_acts_on_an_administrator_with_more_rights(ada: User) -> None:
    other = person("Otto")
    services.moderate_role(
        user=other, role=services.Role.ADMINISTRATOR, ruling=services.Ruling(ada, "Elected")
    )
    otto = User.objects.get(pk=other.pk)
    for act in ABOUT_PEOPLE.values():
        with pytest.raises(NotAllowed, match="rights that you do not have"):
            act(ada, otto)


@pytest.mark.parametrize(
    ("role", "moderates", "sees_people"),
    [
        (services.Role.PLAYER, False, False),
        (services.Role.MODERATOR, True, False),
        (services.Role.ADMINISTRATOR, True, True),
    ],
)
def test_a_role_is_given_by_a_decision(
    alice: User, ada: User, role: services.Role, moderates: bool, sees_people: bool
) -> None:
    services.moderate_role(user=alice, role=role, ruling=services.Ruling(ada, "Elected"))
    alice = User.objects.get(pk=alice.pk)
    assert services.role_of(alice) == role
    assert services.has_right(alice, "change_game") is moderates
    assert services.has_right(alice, "change_user") is sees_people
    assert Decision.objects.get().action == Action.ROLES
