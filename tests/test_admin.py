"""The moderators' desk, as somebody who moderates sees and uses it."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from games import event_log
from games.models import Game, OutboxMail, TableNote, User
from tests.cast import table_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(mona: User, client: Client) -> Client:
    """The browser of Mona, who is staff and nothing more."""
    client.force_login(mona)
    return client


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    return table_of(alice, bob)


def page(desk: Client, game: Game) -> str:
    answer = desk.get(reverse("admin:games_game_change", args=[game.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def act(desk: Client, game: Game, action: str, **fields: object) -> str:
    """Press the button of one action; the page that follows."""
    data = {f"{action}-{name}": value for name, value in fields.items()}
    answer = desk.post(reverse("admin:games_game_act", args=[game.pk, action]), data, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_player_is_not_let_in(alice: User, client: Client, game: Game) -> None:
    client.force_login(alice)
    answer = client.get(reverse("admin:games_game_change", args=[game.pk]))
    assert answer.status_code in (302, 403)


def test_the_list_says_whose_turn_it_is_and_until_when(desk: Client, game: Game) -> None:
    words = desk.get(reverse("admin:games_game_changelist")).content.decode()
    due = game.seats.get(asked_seq__isnull=False).due_at
    assert due is not None
    assert "Alice" in words
    assert due.strftime("%Y-%m-%d %H:%M") in words


def test_the_list_costs_the_same_for_one_table_and_for_many(
    desk: Client, game: Game, alice: User, bob: User, django_assert_num_queries: object
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as few:
        desk.get(reverse("admin:games_game_changelist"))
    for _number in range(4):
        table_of(alice, bob)
    with CaptureQueriesContext(connection) as many:
        desk.get(reverse("admin:games_game_changelist"))
    assert len(many) == len(few)


def test_the_desk_tells_the_log_in_words_and_hides_hands_and_deck(desk: Client, game: Game) -> None:
    words = page(desk, game)
    dealt = next(e for e in event_log.load(game).entries if e.kind == "dealt")
    assert "The table was set up." in words
    assert "&quot;hands&quot;: [null, null]" in words
    assert dealt.seq
    assert bytes(game.seed).hex() not in words


def test_revealing_shows_the_hands_and_is_written_down(desk: Client, game: Game) -> None:
    answer = desk.post(reverse("admin:games_game_reveal", args=[game.pk]))
    words = answer.content.decode()
    assert "&quot;hands&quot;: [null, null]" not in words
    assert "This page shows everything" in words
    assert "Looked at the secrets" in LogEntry.objects.get().change_message


def test_a_link_reveals_nothing(desk: Client, game: Game) -> None:
    answer = desk.get(reverse("admin:games_game_reveal", args=[game.pk]), follow=True)
    assert "&quot;hands&quot;: [null, null]" in answer.content.decode()
    assert not LogEntry.objects.exists()


def test_pausing_needs_a_reason(desk: Client, game: Game) -> None:
    words = act(desk, game, "pause", reason="")
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING
    assert "This field is required" in words


def test_pausing_and_going_on_leave_events_with_their_reasons(desk: Client, game: Game) -> None:
    act(desk, game, "pause", reason="Alice is in hospital")
    game.refresh_from_db()
    assert game.status == Game.Status.PAUSED
    words = act(desk, game, "resume", reason="She is back")
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING
    assert "The game was paused: Alice is in hospital" in words
    assert "The game goes on: She is back" in words


def test_more_time_moves_the_deadline_by_the_days_given(desk: Client, game: Game) -> None:
    before = game.seats.get(asked_seq__isnull=False).due_at
    act(desk, game, "extend", seat_or_all="", days=4, reason="Holidays")
    after = game.seats.get(asked_seq__isnull=False).due_at
    assert before is not None and after is not None
    assert (after - before).days == 4


def test_the_bot_plays_one_turn_for_a_sleeper(desk: Client, game: Game) -> None:
    act(desk, game, "play_bot", asked=0, reason="Alice sleeps")
    game.refresh_from_db()
    assert game.to_act == [1]
    assert not game.seats.get(number=0).is_bot


def test_a_seat_is_handed_to_another_player(desk: Client, game: Game, carol: User) -> None:
    act(desk, game, "hand_seat", seat=1, address="CAROL@example.org", reason="Bob moved house")
    assert game.seats.get(number=1).user == carol


def test_a_seat_for_a_stranger_is_refused_with_a_word_on_what_to_do(
    desk: Client, game: Game, bob: User
) -> None:
    words = act(desk, game, "hand_seat", seat=1, address="nobody@example.org", reason="Try")
    assert "Nobody with this address has signed in here yet." in words
    assert game.seats.get(number=1).user == bob


def test_a_game_is_taken_back_to_the_end_of_a_move(desk: Client, game: Game) -> None:
    start = event_log.load(game).moves[0][-1].seq
    act(desk, game, "play_bot", asked=0, reason="Alice sleeps")
    words = act(desk, game, "rollback", to_seq=start, reason="She woke up")
    game.refresh_from_db()
    assert game.to_act == [0]
    assert "(undone)" in words


def test_calling_off_ends_the_game_and_tells_the_players(desk: Client, game: Game) -> None:
    act(desk, game, "abort", reason="Opened by mistake")
    game.refresh_from_db()
    assert game.status == Game.Status.ABORTED
    told = OutboxMail.objects.filter(game=game, kind=OutboxMail.Kind.OVER)
    assert {mail.to_address for mail in told} == {"alice@example.org", "bob@example.org"}


def test_what_cannot_be_done_now_is_not_offered(desk: Client, game: Game) -> None:
    words = page(desk, game)
    assert reverse("admin:games_game_act", args=[game.pk, "pause"]) in words
    assert reverse("admin:games_game_act", args=[game.pk, "resume"]) not in words


def test_a_dead_mail_is_tried_again_and_a_sent_one_is_not(desk: Client, game: Game) -> None:
    dead, sent = OutboxMail.objects.filter(game=game).order_by("pk")[:2]
    OutboxMail.objects.filter(pk=dead.pk).update(state="dead", error="550 no such user")
    OutboxMail.objects.filter(pk=sent.pk).update(state="sent", sent_at=game.created_at)
    where = reverse("admin:games_outboxmail_changelist")
    assert "550 no such user" in desk.get(where).content.decode()
    desk.post(where, {"action": "try_again", "_selected_action": [dead.pk, sent.pk]})
    dead.refresh_from_db()
    sent.refresh_from_db()
    assert (dead.state, sent.state) == ("queued", "sent")


def test_a_moderator_without_all_rights_cannot_make_staff(mona: User, client: Client) -> None:
    from django.contrib.auth.models import Permission

    mona.user_permissions.set(Permission.objects.filter(codename__in=["view_user", "change_user"]))
    client.force_login(mona)
    where = reverse("admin:games_user_change", args=[mona.pk])
    client.post(where, {"display_name": "Mona", "is_staff": "on", "is_superuser": "on"})
    mona.refresh_from_db()
    assert not mona.is_superuser


def test_an_unkind_note_is_deleted_by_a_moderator(desk: Client, game: Game) -> None:
    note = TableNote.objects.create(game=game, seq=game.version, seat=0, text="You fool")
    desk.post(reverse("admin:games_tablenote_delete", args=[note.pk]), {"post": "yes"})
    assert not TableNote.objects.exists()


def test_people_are_for_those_with_the_right_to_see_them(desk: Client) -> None:
    assert desk.get(reverse("admin:games_user_changelist")).status_code == 403


def test_every_list_of_the_desk_opens(desk: Client, game: Game) -> None:

    for model in ("game", "outboxmail", "invitation", "tablenote"):
        assert desk.get(reverse(f"admin:games_{model}_changelist")).status_code == 200
