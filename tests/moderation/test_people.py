"""The pages in the admin on which people are warned and suspended."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import services
from games.models import Action, Decision, Message, OutboxMail, User
from games.moderation.table import ModeratedTable
from tests.factories import fresh, log_of, person, play_one, play_turns, table_of
from tests.support import moderators
from tests.support.moderators import admin_page, moderate, moderating
from tests.support.pages import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(mona: User) -> Client:
    return moderating(mona)


def page(desk: Client, user: User) -> str:
    answer = desk.get(reverse("admin:games_user_conduct", args=[user.pk]))
    assert answer.status_code == 200
    return " ".join(text(answer).split())


def press(desk: Client, user: User, name: str, **fields: object) -> str:
    """Press the button of one action; the page that follows."""
    return moderators.press(desk, "user", user.pk, name, **fields)


def confirm(desk: Client, user: User, name: str, said: str, **fields: object) -> str:
    """Press the button of the page that says what will happen."""
    return moderators.confirm(desk, "user", user.pk, name, said, **fields)


def week() -> str:
    return (timezone.localdate() + timedelta(days=7)).isoformat()


def test_a_moderator_reaches_the_page_of_a_person_from_table_message_and_decision(
    desk: Client, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    play_one(game, note="You fool")
    services.moderate_extend(
        game_id=game.pk, days=2, seat=1, ruling=services.Ruling(mona, "A storm")
    )
    path = reverse("admin:games_user_conduct", args=[alice.pk])
    assert path in admin_page(desk, game)
    message = game.messages.get()
    assert path in text(desk.get(reverse("admin:games_message_change", args=[message.pk])))
    decisions = text(desk.get(reverse("admin:games_decision_changelist")))
    assert reverse("admin:games_user_conduct", args=[bob.pk]) in decisions


def test_the_page_shows_no_address(desk: Client, alice: User) -> None:
    assert "Alice" in page(desk, alice)
    assert alice.email not in page(desk, alice)


def test_nothing_happens_before_the_effects_were_shown_and_confirmed(
    desk: Client, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    fields = {"reason": "Insults", "rule": "polite", "until": week()}
    said = press(desk, alice, "suspend", **fields)
    assert User.objects.get(pk=alice.pk).is_active
    assert "Alice cannot sign in, join or move until" in said
    assert "took over seat 1." in said
    assert "Host: Bob" in said
    assert "Bob (English): moderator action" in said
    assert "Alice (English): decision of a moderator" in said
    done = confirm(desk, alice, "suspend", said, **fields)
    assert "Done: Suspend: Insults" in done
    assert "The suspension ends:" in done
    assert not User.objects.get(pk=alice.pk).is_active
    assert fresh(game).host == bob


def test_a_warning_and_a_lifted_suspension_are_confirmed_too(
    desk: Client, alice: User, mona: User
) -> None:
    said = press(desk, alice, "warn", reason="Insults")
    assert "Alice is warned by email." in said
    confirm(desk, alice, "warn", said, reason="Insults")
    assert "Lift the suspension" not in page(desk, alice)
    until = timezone.now() + timedelta(days=3)
    services.moderate_suspend(user=alice, until=until, ruling=services.Ruling(mona, "Again"))
    said = press(desk, alice, "lift", reason="Alice apologised")
    confirm(desk, alice, "lift", said, reason="Alice apologised")
    found = Decision.objects.order_by("pk").values_list("action", flat=True)
    assert list(found) == [Action.WARN, Action.SUSPEND, Action.LIFT]


def test_what_was_confirmed_after_another_decision_is_shown_again_with_that_decision(
    desk: Client, alice: User, ada: User
) -> None:
    said = press(desk, alice, "warn", reason="Insults")
    services.moderate_warn(user=alice, ruling=services.Ruling(ada, "Stop insulting Bob"))
    again = confirm(desk, alice, "warn", said, reason="Insults")
    assert "Someone else decided about this person in the meantime." in again
    assert "Stop insulting Bob" in again
    assert Decision.objects.get().by == ada
    confirm(desk, alice, "warn", again, reason="Insults")
    assert Decision.objects.count() == 2


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"until": week()}, "This field is required"),
        ({"reason": "x", "until": "2020-01-01"}, "Choose a day in the future."),
        ({"reason": "x", "until": "soon"}, "Enter a valid date."),
        ({"reason": "x", "until": ""}, "Only administrators"),
    ],
)
def test_a_form_that_is_refused_says_why_and_keeps_what_was_entered(
    desk: Client, alice: User, fields: dict[str, str], why: str
) -> None:
    said = press(desk, alice, "suspend", **fields)
    assert why in said
    assert f'value="{fields.get("reason", "")}"' in said or "reason" not in fields
    assert not Decision.objects.exists()


def test_nobody_without_the_right_opens_the_page(alice: User, bob: User, mona: User) -> None:
    mona.groups.clear()
    client = moderating(mona)
    path = reverse("admin:games_user_conduct", args=[alice.pk])
    assert client.get(path).status_code == 403
    assert client.post(path).status_code == 403


def test_on_the_page_of_an_account_there_is_no_box_for_active(alice: User, ada: User) -> None:
    said = text(moderating(ada).get(reverse("admin:games_user_change", args=[alice.pk])))
    assert 'name="is_active"' not in said
    assert reverse("admin:games_user_conduct", args=[alice.pk]) in said


def test_administrators_find_those_who_are_suspended(alice: User, bob: User, ada: User) -> None:
    services.moderate_suspend(user=alice, until=None, ruling=services.Ruling(ada, "x"))
    people = moderating(ada)
    path = reverse("admin:games_user_changelist")
    found = {which: text(people.get(f"{path}?suspended={which}")) for which in ("yes", "no")}
    assert (alice.email in found["yes"], bob.email in found["yes"]) == (True, False)
    assert (alice.email in found["no"], bob.email in found["no"]) == (False, True)
    assert "never" in found["yes"]


def test_a_table_is_renamed_after_its_new_name_was_shown(
    desk: Client, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob, name="Bob is a fool")
    url = reverse("admin:games_game_act", args=[game.pk, "rename"])
    said = text(desk.post(url, {"rename-title": "Calm sea", "reason": "It insults Bob"}))
    assert "“Bob is a fool” is called “Calm sea” from now on." in said
    assert "Everyone in the game will see your reason" not in said
    assert fresh(game).name == "Bob is a fool"
    moderate(desk, game, "rename", title="Calm sea", reason="It insults Bob")
    assert fresh(game).name == "Calm sea"
    decision = Decision.objects.get()
    shown = text(desk.get(reverse("admin:games_decision_change", args=[decision.pk])))
    assert "Bob is a fool" in shown
    assert OutboxMail.objects.get(kind="decision").user == alice


def test_a_bots_turn_is_announced_without_the_move_that_it_would_make(
    desk: Client, alice: User, bob: User, mona: User
) -> None:
    game = play_turns(table_of(alice, bob), 4)
    url = reverse("admin:games_game_act", args=[game.pk, "play_bot"])
    said = text(desk.post(url, {"play_bot-seat": "0", "reason": "Ill"}))
    assert "A bot plays this turn for Alice" in said
    assert "can be seen only afterwards" in said
    services.moderate_play_bot(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "Ill"))
    log = log_of(game)
    played = ModeratedTable.of(fresh(game)).sentences(log.moves[-1])[1:]
    assert played
    assert not [sentence for sentence in played if sentence in said]
    assert "Afterwards:" not in said


# -- what a person's page leads to ---------------------------------------------------------------


def test_the_page_leads_to_tables_reports_messages_and_decisions(
    desk: Client, alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob, name="Stormy sea")
    message = services.message_write(game_id=game.pk, user=alice, text="You donkey")
    report = services.conduct_report(game=game, user=bob, person=alice, text="She swears.")
    services.moderate_warn(user=alice, ruling=services.Ruling(mona, "Insults"))
    said = page(desk, alice)
    for kind, row in (
        ("game", game),
        ("message", message),
        ("report", report),
        ("decision", Decision.objects.get()),
    ):
        assert reverse(f"admin:games_{kind}_change", args=[row.pk]) in said
    assert "English" in said
    assert "player" in said


def test_the_page_of_a_person_tells_of_a_deletion_and_of_removed_messages(
    desk: Client, alice: User, bob: User, mona: User, ada: User
) -> None:
    game = table_of(alice, bob)
    message = services.message_write(game_id=game.pk, user=alice, text="You donkey")
    services.message_remove(message_id=message.pk, ruling=services.Ruling(mona, "Insults"))
    services.moderate_close(user=alice, ruling=services.Ruling(ada, "Asked for"))
    said = page(desk, alice)
    assert "The account will be deleted: " in said
    assert "You donkey</a> (removed by a moderator)" in said


# -- restrictions --------------------------------------------------------------------------------


def test_a_message_is_removed_after_the_page_has_shown_what_its_author_reads(
    desk: Client, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    message = services.message_write(game_id=game.pk, user=alice, text="You donkey")
    fields = {"reason": "Insults", "rule": "polite", "next": "/admin/games/report/"}
    said = moderators.press(desk, "message", message.pk, "delete", **fields)
    message.refresh_from_db()
    assert message.state == Message.State.SHOWN
    assert "Alice (English): decision of a moderator" in said
    assert "What Alice will read" in said
    assert "A moderator has removed a message that you wrote." in said
    assert "You donkey" in said
    done = moderators.confirm(desk, "message", message.pk, "delete", said, **fields)
    message.refresh_from_db()
    assert message.state == Message.State.REMOVED
    assert "<title>Reports" in done, "it leads back to where one came from"


def test_an_address_elsewhere_is_no_way_back(desk: Client, alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    message = services.message_write(game_id=game.pk, user=alice, text="You donkey")
    url = reverse("admin:games_message_act", args=[message.pk, "delete"])
    said = text(desk.get(url, {"next": "https://elsewhere.example.org/"}))
    assert "elsewhere" not in said


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("edit", {"display_name": "Annie", "language": "en", "time_zone": "UTC"}),
        ("sign_out", {}),
        ("role", {"role": "moderator"}),
        ("delete", {}),
    ],
)
def test_nothing_happens_to_an_account_before_the_effects_were_shown(
    alice: User, ada: User, action: str, fields: dict[str, str]
) -> None:
    client, why = moderating(ada), {"reason": "Asked for", **fields}
    said = press(client, alice, action, **why)
    assert not Decision.objects.exists()
    assert "What will happen" in said
    confirm(client, alice, action, said, **why)
    assert Decision.objects.get().person == alice


# -- whom nobody decides about -------------------------------------------------------------------

ACTS_ON_ACCOUNTS: dict[str, dict[str, str]] = {
    "warn": {},
    "suspend": {"until": week()},
    "edit": {"display_name": "Annie", "language": "en", "time_zone": "UTC"},
    "sign_out": {},
    "role": {"role": "moderator"},
    "permissions": {},
    "delete": {},
}


@pytest.mark.parametrize("action", ACTS_ON_ACCOUNTS)
def test_nobody_decides_about_themselves_or_about_players_at_their_table(
    alice: User, ada: User, action: str
) -> None:
    person("Root", is_staff=True, is_superuser=True)
    table_of(alice, ada)
    fields = {"reason": "Asked for", **ACTS_ON_ACCOUNTS[action]}
    assert "You play with this person." in press(moderating(ada), alice, action, **fields)
    assert "This is about you." in press(moderating(ada), ada, action, **fields)


def test_nobody_removes_the_second_factor_of_a_player_at_their_table(
    alice: User, ada: User
) -> None:
    person("Root", is_staff=True, is_superuser=True)
    table_of(alice, ada)
    factor = moderators.give_factor(alice)
    client = moderating(ada)
    said = moderators.press(client, "secondfactor", factor.pk, "delete", reason="Lost")
    assert "You play with this person." in said


def test_who_is_alone_with_a_right_decides_about_people_at_their_table(
    alice: User, ada: User, mona: User
) -> None:
    table_of(alice, ada)
    services.moderate_sessions(user=alice, ruling=services.Ruling(ada, "Stolen"))
    assert Decision.objects.get().person == alice
