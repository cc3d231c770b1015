"""Moderators may not judge their own games, read plans unseen, or change administrators."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import services
from games.log import table_events
from games.models import FOR_GOOD, Decision, Game, InboundMail, Message, OutboxMail, User
from games.services import NotAllowed, ServiceError
from tests.factories import fresh, given_up, log_of, person, play_turns, seats_of, table_of
from tests.support.moderators import (
    ACTS,
    act,
    admin_page,
    give_factor,
    moderate,
    moderating,
    reveal,
)
from tests.support.moderators import press as ask
from tests.support.pages import signed_in, text
from tests.support.replies import UNCLEAR_LINE, unclear_reply

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(db: None) -> User:
    """An administrator."""
    return person("Root", is_staff=True, is_superuser=True)


@pytest.fixture
def game(mona: User, bob: User) -> Game:
    """Mona, a moderator, plays."""
    return play_turns(table_of(mona, bob), 2)


# -- their own games -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ACTS)
def test_a_moderator_who_plays_moderates_nothing(
    game: Game, mona: User, bob: User, root: User, name: str
) -> None:
    Game.objects.update(host=bob)
    if name == "resume":
        services.moderate_pause(game_id=game.pk, ruling=services.Ruling(root, "x"))
    version = fresh(game).version
    with pytest.raises(NotAllowed, match="You play in this game"):
        ACTS[name](game, mona, "because")
    assert fresh(game).version == version


def test_a_moderator_who_plays_reveals_nothing(game: Game, mona: User, root: User) -> None:
    client = moderating(mona)
    said = admin_page(client, game)
    assert reverse("admin:games_game_reveal", args=[game.pk]) not in said
    assert reverse("admin:games_game_act", args=[game.pk, "pause"]) not in said
    assert "You play in this game" in said
    said = reveal(client, game)
    assert "This page shows all hidden information" not in said
    assert not Decision.objects.exists()


def test_a_host_who_is_staff_and_plays_has_the_rights_of_a_host(
    game: Game, mona: User, bob: User
) -> None:
    play_turns(game, 1)
    game.seats.update(overdue=True)
    services.moderate_play_bot(game_id=game.pk, seat=1, ruling=services.Ruling(mona, "late"))
    assert fresh(game).to_act == [0]


def test_staff_do_not_act_on_the_page_of_a_game_which_asks_for_no_second_factor(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    game.seats.update(overdue=True)
    form = {"seat": "0", "do": "hand", "reason": "late"}
    url = reverse("game", args=[game.public_id])
    client = signed_in(mona)
    assert "step-in" not in text(client.get(url))
    client.post(f"{url}step-in", form)
    assert fresh(game).seats.get(number=0).user == alice


def test_a_moderator_does_not_delete_notes_at_their_own_table(game: Game, mona: User) -> None:
    note = Message.objects.create(
        game=game, author=mona, seq=game.version, seat=1, text="You again"
    )
    client = moderating(mona)
    url = reverse("admin:games_message_act", args=[note.pk, "delete"])
    assert client.post(url, {"reason": "Asked for"}).status_code in (403, 404)
    client.post(
        reverse("admin:games_message_changelist"),
        {"action": "delete_selected", "_selected_action": [note.pk], "post": "yes"},
    )
    assert Message.objects.get().state == Message.State.SHOWN


def test_a_moderator_who_has_seen_the_hands_gets_no_seat(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    reveal(moderating(mona), game)
    with pytest.raises(ServiceError, match="has seen hidden information"):
        services.moderate_hand_seat(
            game_id=game.pk, seat=0, to=mona, ruling=services.Ruling(mona, "x")
        )


# -- the administrator who is alone ----------------------------------------------------------


@pytest.fixture
def own(root: User, bob: User) -> Game:
    """The only administrator plays."""
    return play_turns(table_of(root, bob), 2)


def test_an_administrator_who_is_alone_announces_it_and_then_moderates(
    own: Game, root: User, bob: User
) -> None:
    client = moderating(root)
    assert "Moderate your own game" in admin_page(client, own)
    with pytest.raises(NotAllowed, match="Announce to the table first"):
        services.moderate_pause(game_id=own.pk, ruling=services.Ruling(root, "x"))
    moderate(client, own, "own_game", reason="Bob is missing")
    entry = log_of(own).entries[-1]
    assert entry.event == table_events.PlayerModerates(seat=0)
    assert entry.reason == "Bob is missing"
    emails = OutboxMail.objects.filter(game=own, kind="moderated")
    assert {mail.to_address for mail in emails} == {root.email, bob.email}
    shown = text(signed_in(bob).get(reverse("game", args=[own.public_id])))
    assert "Root plays here and moderates this game too" in shown
    assert "This page shows all hidden information" in reveal(client, own)
    moderate(client, own, "pause", reason="Bob is missing")
    assert fresh(own).status == Game.Status.PAUSED


def test_the_announcement_holds_for_an_hour(own: Game, root: User) -> None:
    services.moderate_own_game(game_id=own.pk, ruling=services.Ruling(root, "Bob is missing"))
    log = log_of(own)
    said = log.entries[-1].at
    for minutes, may in ((0, True), (59, True), (60, False)):
        at = said + timedelta(minutes=minutes)
        assert services.involvement(log, seats_of(own), root, at).may_moderate is may
        assert services.games_kept_from(root, at) == (set() if may else {own.pk})


def test_with_another_moderator_at_hand_nobody_moderates_their_own_game(
    own: Game, root: User, mona: User
) -> None:
    with pytest.raises(NotAllowed, match="Ask another moderator"):
        services.moderate_own_game(game_id=own.pk, ruling=services.Ruling(root, "x"))
    assert "Moderate your own game" not in admin_page(moderating(root), own)


def test_a_moderator_at_the_same_table_is_no_help(bob: User, root: User, mona: User) -> None:
    game = table_of(root, bob, mona)
    services.moderate_own_game(game_id=game.pk, ruling=services.Ruling(root, "Bob is missing"))
    with pytest.raises(NotAllowed):
        services.moderate_own_game(game_id=game.pk, ruling=services.Ruling(mona, "x"))
    now = log_of(game).entries[-1].at
    for moderator, may in ((root, True), (mona, False)):
        found = services.involvement(log_of(game), seats_of(game), moderator, now)
        assert found.may_moderate is may, "each announces it for themselves"


def test_a_moderator_who_does_not_play_has_nothing_to_announce(
    alice: User, bob: User, root: User
) -> None:
    with pytest.raises(ServiceError, match="do not play"):
        services.moderate_own_game(
            game_id=table_of(alice, bob).pk, ruling=services.Ruling(root, "x")
        )


# -- the text of replies ---------------------------------------------------------------------


def admin_pages(client: Client, mail: InboundMail) -> str:
    urls = (
        reverse("admin:games_inboundmail_changelist"),
        reverse("admin:games_inboundmail_changelist") + "?q=crown",
        reverse("admin:games_inboundmail_change", args=[mail.pk]),
        reverse("admin:games_inboundmail_history", args=[mail.pk]),
        reverse("admin:games_inboundmail_reveal", args=[mail.pk]),
    )
    return " ".join(text(client.get(url, follow=True)) for url in urls)


@pytest.mark.parametrize("about_a_game", [True, False])
def test_the_text_of_a_reply_is_hidden_while_the_game_runs_and_read_for_a_reason(
    alice: User, bob: User, mona: User, about_a_game: bool
) -> None:
    game = table_of(alice, bob)
    mail = unclear_reply(game if about_a_game else None, alice)
    client = moderating(mona)
    assert UNCLEAR_LINE not in admin_pages(client, mail)
    url = reverse("admin:games_inboundmail_reveal", args=[mail.pk])
    assert UNCLEAR_LINE not in text(client.post(url, {"reveal-reason": ""}))
    assert not Decision.objects.exists()
    assert UNCLEAR_LINE in text(client.post(url, {"reveal-reason": "Alice asked"}))
    for recorded in ("/admin/", reverse("admin:games_game_history", args=[game.pk])):
        assert client.get(recorded, follow=True).status_code == 200
    looks = Decision.objects.all()
    assert {look.reason for look in looks} == {"Alice asked"}
    assert {look.message for look in looks} == {f"inboundmail {mail.pk}"}
    with pytest.raises(ServiceError, match="has seen hidden information"):
        services.moderate_hand_seat(
            game_id=game.pk, seat=1, to=mona, ruling=services.Ruling(mona, "x")
        )
    assert UNCLEAR_LINE not in admin_pages(client, mail), "only that once"


@pytest.mark.parametrize(
    ("about_a_game", "answered"), [(True, "Page not found"), (False, "You play with the sender")]
)
def test_a_moderator_who_plays_reads_no_replies_about_the_game(
    game: Game, mona: User, bob: User, about_a_game: bool, answered: str
) -> None:
    mail = unclear_reply(game if about_a_game else None, bob)
    client = moderating(mona)
    url = reverse("admin:games_inboundmail_reveal", args=[mail.pk])
    answer = text(client.post(url, {"reveal-reason": "I am curious"}))
    assert UNCLEAR_LINE not in answer
    assert answered in answer
    assert not Decision.objects.exists()


def test_replies_about_a_game_that_is_over_are_no_secret(
    alice: User, bob: User, mona: User
) -> None:
    mail = unclear_reply(given_up(alice, bob), alice)
    assert UNCLEAR_LINE in admin_pages(moderating(mona), mail)


# -- people with more rights -------------------------------------------------------------------


NO_RIGHT = "This person has rights that you do not have."


def grant(user: User, *names: str) -> None:
    user.user_permissions.set(Permission.objects.filter(codename__in=names))


@pytest.fixture
def keeper(mona: User) -> Client:
    """Mona, who may change and delete people, and nothing else."""
    grant(mona, "view_user", "change_user", "delete_user")
    return moderating(mona)


def superuser() -> User:
    return person("Root", is_staff=True, is_superuser=True)


def closed_superuser() -> User:
    return person("Root", is_staff=True, is_superuser=True, suspended_until=FOR_GOOD)


def person_with_more_permissions() -> User:
    user = person("Root", is_staff=True)
    grant(user, "view_user", "change_user", "delete_user", "change_emailaddress")
    return user


def member_of_a_group_with_more_permissions() -> User:
    user = person("Root")
    group = Group.objects.create(name="keepers")
    group.permissions.set(Permission.objects.filter(codename="add_user"))
    user.groups.add(group)
    return user


@pytest.mark.parametrize(
    "above",
    [
        superuser,
        closed_superuser,
        person_with_more_permissions,
        member_of_a_group_with_more_permissions,
    ],
)
def test_nobody_changes_an_account_with_more_rights(
    keeper: Client, above: Callable[[], User]
) -> None:
    user = above()
    factor = give_factor(user)
    before = User.objects.filter(pk=user.pk).values().get()
    form = {"display_name": "Mallory", "language": "en", "time_zone": "UTC"}
    assert NO_RIGHT in act(keeper, "user", user.pk, "edit", **form, reason="Asked for")
    assert NO_RIGHT in act(keeper, "user", user.pk, "delete", reason="Asked for")
    keeper.post(
        reverse("admin:games_user_changelist"),
        {"action": "delete_selected", "_selected_action": [user.pk], "post": "yes"},
    )
    gone = reverse("admin:games_secondfactor_act", args=[factor.pk, "delete"])
    assert keeper.post(gone, {"reason": "Asked for"}).status_code == 403
    assert User.objects.filter(pk=user.pk).values().get() == before
    assert type(factor).objects.filter(pk=factor.pk).exists()


def test_a_user_can_be_signed_out_of_all_devices_and_is_informed(
    keeper: Client, alice: User
) -> None:
    device = signed_in(alice)
    device.get("/settings/")
    act(keeper, "user", alice.pk, "sign_out", reason="Stolen")
    assert device.get("/settings/").status_code == 302
    assert alice.credential_changes.get().kind == "signed_out"


def test_a_user_deleted_in_the_admin_has_a_week_to_object_like_everybody(
    keeper: Client, alice: User, bob: User
) -> None:
    table_of(alice, bob)
    said = ask(keeper, "user", alice.pk, "delete", reason="Asked for")
    assert "Alice’s account will be deleted in a week." in said
    act(keeper, "user", alice.pk, "delete", reason="Asked for")
    alice.refresh_from_db()
    assert alice.closes_at is not None


def test_a_frozen_account_is_not_deleted(keeper: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(frozen_at=timezone.now())
    said = act(keeper, "user", alice.pk, "delete", reason="Asked for")
    assert "This account is frozen." in said
    alice.refresh_from_db()
    assert alice.closes_at is None


def test_nobody_gains_rights_by_changing_themselves(keeper: Client, mona: User) -> None:
    act(keeper, "user", mona.pk, "role", role="administrator", reason="x")
    act(keeper, "user", mona.pk, "permissions", permissions=[1, 2], reason="x")
    form = {"display_name": "Mona", "language": "en", "time_zone": "UTC"}
    act(keeper, "user", mona.pk, "edit", **form, email="x@example.net", reason="x")
    mona.refresh_from_db()
    assert (services.role_of(mona), mona.email) == (services.Role.MODERATOR, "mona@example.org")
    assert mona.user_permissions.count() == 3


def test_an_address_is_changed_by_its_owner_only(root: User, alice: User) -> None:
    client = moderating(root)
    form = {"display_name": "Alicia", "language": "en", "time_zone": "UTC"}
    act(client, "user", alice.pk, "edit", **form, email="root@example.net", reason="x")
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"
    assert client.get("/admin/account/emailaddress/").status_code == 404


# -- actions that must be confirmed --------------------------------------------------------------


def press(client: Client, game: Game, action: str, **fields: object) -> str:
    """Press the button of one action, once."""
    data = {n if n == "reason" else f"{action}-{n}": value for n, value in fields.items()}
    url = reverse("admin:games_game_act", args=[game.pk, action])
    return " ".join(text(client.post(url, data, follow=True)).split())


@pytest.fixture
def judged(alice: User, bob: User) -> Game:
    """Four moves were made; Alice is asked."""
    return play_turns(table_of(alice, bob), 4)


def test_a_rollback_shows_what_it_will_undo_and_waits(judged: Game, mona: User) -> None:
    to_seq = log_of(judged).moves[1][-1].seq
    said = press(moderating(mona), judged, "rollback", to_seq=to_seq, reason="Misread")
    assert fresh(judged).version == judged.version, "nothing has happened yet"
    assert "Now: after move 4, Alice to move." in said
    assert "Afterwards: after move 1, Bob to move." in said
    assert "3 moves are undone." in said
    assert [f"<li>{number}: " in said for number in (1, 2, 3, 4)] == [False, True, True, True]
    assert said.count("<svg") >= 2, "the board before and after"
    assert 'value="Misread"' in said


def test_pausing_shows_what_is_written_and_sent_and_waits(judged: Game, mona: User) -> None:
    said = press(moderating(mona), judged, "pause", reason="A storm")
    assert fresh(judged).status == Game.Status.RUNNING
    assert "Written to the log" in said
    assert "Alice (English): moderator action" in said
    assert "Bob (English): moderator action" in said


def test_a_rollback_names_who_has_drawn_since(judged: Game, mona: User) -> None:
    to_seq = log_of(judged).moves[1][-1].seq
    said = press(moderating(mona), judged, "rollback", to_seq=to_seq, reason="Misread")
    learnt = said.partition("What players have learnt")[2].partition("</ul>")[0]
    assert "<li>Bob: Drew 1 card.</li>" in learnt


def test_cancelling_shows_whose_game_ends_and_waits(judged: Game, mona: User) -> None:
    said = press(moderating(mona), judged, "abort", reason="Both asked")
    assert fresh(judged).status == Game.Status.RUNNING
    assert "Players: Alice and Bob." in said
    assert "The game ends without a result for anyone." in said


def test_a_new_player_and_a_bots_turn_are_confirmed_too(
    judged: Game, mona: User, carol: User
) -> None:
    client = moderating(mona)
    said = press(client, judged, "hand_seat", seat=0, to=carol.email, reason="Ill")
    assert "Carol has two weeks to accept seat 1, which Alice has now" in said
    said = press(client, judged, "play_bot", seat=0, reason="Ill")
    assert "A bot plays this turn for Alice" in said
    assert fresh(judged).version == judged.version


def test_a_new_name_and_an_offered_seat_show_what_people_will_read(
    judged: Game, mona: User, carol: User
) -> None:
    client = moderating(mona)
    said = press(client, judged, "rename", title="Sunday", reason="Rude name")
    assert "What Alice will read" in said
    assert "A moderator has changed the name of a table that you host." in said
    said = press(client, judged, "hand_seat", seat=0, to=carol.email, reason="Ill")
    assert "What Carol will read" in said
    assert "Reason: Ill" in said.partition("What Carol will read")[2]


def test_what_was_confirmed_for_another_position_is_not_done(judged: Game, mona: User) -> None:
    client = moderating(mona)
    press(client, judged, "abort", reason="Both asked")
    seen = judged.version
    play_turns(judged, 1)
    url = reverse("admin:games_game_act", args=[judged.pk, "abort"])
    data = {"reason": "Both asked", "confirmed": str(seen)}
    said = text(client.post(url, data))
    assert "The game has moved on since you looked." in said
    assert fresh(judged).status == Game.Status.RUNNING
    with pytest.raises(services.GameMoved):
        services.moderate_abort(game_id=judged.pk, ruling=services.Ruling(mona, "x", version=seen))


def test_on_the_way_back_the_reason_is_still_there(judged: Game, mona: User) -> None:
    client = moderating(mona)
    press(client, judged, "abort", reason="Both asked for it")
    assert 'value="Both asked for it"' in admin_page(client, judged)
