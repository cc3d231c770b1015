"""Moderators warn people, suspend them until a day or for good, and lift that."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.test import Client

from games import services
from games.inbound.processor import Outcome
from games.log import table_events
from games.mail import relevance
from games.management.commands.verify import verify_games
from games.models import (
    FOR_GOOD,
    Action,
    Decision,
    Game,
    MailAddress,
    OutboxMail,
    User,
    address_digest,
    database_clock,
)
from games.models.game import Seat
from games.services import GameMoved, NotAllowed, QuotaExceeded, ServiceError
from games.web.decorators import sign_in_url
from tests.factories import (
    fresh,
    log_of,
    miss_deadline,
    person,
    play_one,
    play_turns,
    seats_of,
    table_of,
)
from tests.support.accounts import CODE_PAGE, is_signed_in, request_code, sent_code
from tests.support.emails import Kind, written
from tests.support.escape_games import escape_table
from tests.support.pages import page_of, signed_in, text, url
from tests.support.replies import Post
from tests.support.turn_links import only_watches, turn_link, turn_link_browser

pytestmark = pytest.mark.django_db

WEEK = timedelta(days=7)
GO_ON = Game.TimeoutPolicy.MOVE  # a bot plays the turns of those who miss deadlines


def suspended(user: User, by: User, days: int | None = 7) -> Decision:
    """The decision that suspends this person for some days, or (None) for good."""
    until = None if days is None else database_clock.now() + timedelta(days=days)
    return services.moderate_suspend(
        user=user, until=until, ruling=services.Ruling(by, "Insults at three tables", rule="polite")
    )


def code_page(user: User, client: Client | None = None) -> Any:
    """The page after the right code for this person's address."""
    client = client or Client()
    request_code(client, user.email)
    return client.post(CODE_PAGE, {"code": sent_code(user.email)}, follow=True)


# -- what suspended people cannot do ---------------------------------------------------------


def test_with_a_valid_code_a_suspended_person_reads_until_when(
    clock: time_machine.Traveller, alice: User, mona: User
) -> None:
    suspended(alice, mona)
    client = Client()
    page = text(code_page(alice, client))
    assert "This account is suspended" in page
    assert "Mon 11 Jan, 13:00" in page  # in Berlin
    assert not is_signed_in(client)


def test_without_the_code_nobody_learns_of_a_suspension(alice: User, mona: User) -> None:
    suspended(alice, mona)
    client = Client()
    pages = [request_code(client, alice.email), client.get(CODE_PAGE)]
    pages.append(client.post(CODE_PAGE, {"code": "WRONG1"}))
    assert not any("suspended" in text(page) for page in pages)


def test_a_second_address_of_a_suspended_person_opens_no_new_account(
    alice: User, mona: User
) -> None:
    EmailAddress.objects.create(user=alice, email="other@example.org", verified=True)
    suspended(alice, mona)
    client = Client()
    request_code(client, "other@example.org")
    page = client.post(CODE_PAGE, {"code": sent_code("other@example.org")}, follow=True)
    assert "This account is suspended" in text(page)
    assert not User.objects.filter(email="other@example.org").exists()


def test_sessions_end_at_once(alice: User, mona: User) -> None:
    client = signed_in(alice)
    assert client.get("/settings/").status_code == 200
    suspended(alice, mona)
    assert client.get("/settings/").status_code == 302
    assert not alice.push_devices.exists()


def test_the_link_of_a_turn_and_a_browser_in_which_it_was_used_only_show_the_table(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob, timeout_policy=GO_ON)
    link, browser = turn_link(game, alice), turn_link_browser(game, alice)
    suspended(alice, mona)
    version = fresh(game).version
    assert only_watches(browser, game)
    browser.post(url(game, "play"), {"line": "pass"})
    assert sign_in_url(url(game)) in Client().post(link)["Location"]
    assert fresh(game).version == version


@pytest.mark.usefixtures("replies")
def test_a_reply_of_a_suspended_person_is_answered_once_and_not_carried_out(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob, timeout_policy=GO_ON)
    suspended(alice, mona)
    version = fresh(game).version
    assert Post(game, alice).move().outcome == Outcome.GONE
    assert Post(game, alice).write("hello?").outcome == Outcome.GONE
    assert fresh(game).version == version
    answer = OutboxMail.objects.get(kind=Kind.ACCOUNT, user=alice)  # one for both
    assert relevance.check_before_send(answer).drop == ""
    said = " ".join(written(answer).text.split())
    assert "This account is suspended." in said
    assert "Deadlines still apply at tables where you keep your seat." in said


# -- until when --------------------------------------------------------------------------------


def test_a_suspension_ends_by_itself_at_its_day(
    clock: time_machine.Traveller, alice: User, mona: User
) -> None:
    suspended(alice, mona)
    clock.shift(WEEK - timedelta(minutes=1))
    assert not User.objects.get(pk=alice.pk).is_active
    assert alice not in User.objects.active()
    clock.shift(timedelta(minutes=1))
    assert User.objects.get(pk=alice.pk).is_active
    assert alice in User.objects.active()


def test_a_lifted_suspension_lets_the_person_in_at_once(alice: User, mona: User) -> None:
    suspended(alice, mona)
    services.moderate_lift(user=alice, ruling=services.Ruling(mona, "Alice apologised"))
    client = Client()
    code_page(alice, client)
    assert is_signed_in(client)
    actions = Decision.objects.filter(person=alice).values_list("action", flat=True)
    assert list(actions) == [Action.LIFT, Action.SUSPEND]


def test_nobody_lifts_what_is_over(clock: time_machine.Traveller, alice: User, mona: User) -> None:
    suspended(alice, mona)
    clock.shift(WEEK)
    with pytest.raises(ServiceError, match="not suspended"):
        services.moderate_lift(user=alice, ruling=services.Ruling(mona, "Alice apologised"))


# -- their seats -------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [table_of, escape_table])
def test_at_a_table_that_waits_a_bot_takes_the_seat_and_the_others_read_so(
    alice: User, bob: User, mona: User, table: Any
) -> None:
    game = table(alice, bob)
    suspended(alice, mona)
    seat = next(seat for seat in seats_of(game) if seat.user_id != bob.pk)
    assert (seat.is_bot, seat.user_id) == (True, None)
    assert isinstance(log_of(game).entries[-1].event, table_events.SeatHanded)
    mail = OutboxMail.objects.get(kind=Kind.MODERATED)
    assert mail.user == bob
    assert "Insults" not in written(mail).text + page_of(game, bob)
    assert [faults for _id, _version, faults in verify_games([game.pk])] == [[]]


def test_elsewhere_the_seat_stays_and_the_policy_of_the_table_applies(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.SEAT1)
    version = fresh(game).version
    suspended(alice, mona)
    assert fresh(game).version == version
    assert game.seats.filter(user=alice).exists()
    miss_deadline(game)
    assert not game.seats.filter(user=alice).exists()


def test_the_next_player_becomes_host(alice: User, bob: User, mona: User) -> None:
    policies = (GO_ON, Game.TimeoutPolicy.WAIT)
    games = [table_of(alice, bob, timeout_policy=policy) for policy in policies]
    suspended(alice, mona)
    assert {fresh(game).host for game in games} == {bob}


def test_before_the_start_the_person_leaves_and_the_table_has_another_host(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob, seats=3)
    suspended(alice, mona)
    assert fresh(game).host == bob
    assert [seat.user for seat in seats_of(game)] == [bob]
    assert OutboxMail.objects.get(kind=Kind.TABLE, user=bob)


def test_a_table_with_nobody_else_is_left_as_it_is(alice: User, mona: User) -> None:
    game = table_of(alice, bots=1)
    suspended(alice, mona)
    assert fresh(game).host == alice
    assert Seat.objects.filter(game=game, user=alice).exists()


def test_somebody_who_is_suspended_cannot_be_given_a_seat(
    alice: User, bob: User, carol: User, mona: User
) -> None:
    game = table_of(alice, bob)
    suspended(carol, mona)
    with pytest.raises(ServiceError, match="cannot take the seat"):
        services.moderate_hand_seat(
            game_id=game.pk,
            seat=0,
            to=User.objects.get(pk=carol.pk),
            ruling=services.Ruling(mona, "x"),
        )


# -- their emails ------------------------------------------------------------------------------


def test_a_suspended_person_gets_emails_about_decisions_only(
    alice: User, bob: User, carol: User, mona: User
) -> None:
    game = table_of(alice, bob, timeout_policy=GO_ON)
    suspended(alice, mona)
    services.moderate_warn(user=alice, ruling=services.Ruling(mona, "Stop writing to Bob"))
    other = table_of(bob, seats=2)
    services.game_invite(game_id=other.pk, by=bob, address=alice.email)
    play_turns(game, 1)
    kinds = {
        row.kind
        for row in OutboxMail.objects.filter(to_address=alice.email)
        if not relevance.check_before_send(row).drop
    }
    assert kinds == {Kind.DECISION}


def test_the_statement_says_until_when_and_what_becomes_of_the_seats(
    alice: User, bob: User, ada: User
) -> None:
    table_of(alice, bob, name="Sunday", timeout_policy=GO_ON)
    table_of(alice, bob, name="Monday", timeout_policy=Game.TimeoutPolicy.WAIT)
    suspended(alice, ada, days=None)
    mail = written(OutboxMail.objects.get(kind=Kind.DECISION))
    assert "Ends: never" in mail.text
    said = " ".join(mail.text.split())
    assert (
        "A bot has taken your seat at “Monday”. Deadlines still apply at tables where you" in said
    )
    assert "Be polite" in mail.text


def test_somebody_without_games_reads_of_no_seats(alice: User, ada: User) -> None:
    suspended(alice, ada)
    mail = written(OutboxMail.objects.get(kind=Kind.DECISION))
    assert "your seat" not in mail.text


def test_a_warned_person_reads_the_reason_and_keeps_everything(alice: User, mona: User) -> None:
    services.moderate_warn(
        user=alice, ruling=services.Ruling(mona, "You insulted Bob", rule="polite")
    )
    mail = written(OutboxMail.objects.get(kind=Kind.DECISION))
    assert "A moderator warns you" in mail.text
    assert "You insulted Bob" in mail.text
    assert signed_in(alice).get("/settings/").status_code == 200


# -- who may decide ------------------------------------------------------------------------------


@pytest.mark.parametrize("days", [31, None])
def test_a_long_suspension_is_for_administrators(
    alice: User, mona: User, ada: User, days: int | None
) -> None:
    with pytest.raises(NotAllowed, match="administrator"):
        suspended(alice, mona, days)
    assert suspended(alice, ada, days).by == ada


def test_a_moderator_neither_shortens_nor_lifts_a_long_suspension(
    alice: User, mona: User, ada: User
) -> None:
    suspended(alice, ada, None)
    with pytest.raises(NotAllowed, match="administrator"):
        suspended(alice, mona, 1)
    with pytest.raises(NotAllowed, match="administrator"):
        services.moderate_lift(user=alice, ruling=services.Ruling(mona, "x"))
    assert User.objects.get(pk=alice.pk).suspended_until == FOR_GOOD


def test_nobody_decides_about_people_with_more_rights_or_themselves(
    bob: User, mona: User, ada: User
) -> None:
    for user, by in ((ada, mona), (mona, mona), (bob, bob), (mona, bob)):
        with pytest.raises(NotAllowed):
            suspended(user, by)
        with pytest.raises(NotAllowed):
            services.moderate_warn(user=user, ruling=services.Ruling(by, "x"))
    assert not Decision.objects.exists()


def test_a_moderator_decides_nothing_about_opponents_while_there_is_another(
    alice: User, mona: User, ada: User
) -> None:
    table_of(alice, mona)
    with pytest.raises(NotAllowed, match="You play with this person"):
        suspended(alice, mona)
    suspended(ada, person("Zoe", is_staff=True, is_superuser=True), None)
    User.objects.filter(display_name="Zoe").update(suspended_until=FOR_GOOD)
    assert suspended(alice, mona)


def test_of_two_moderators_at_once_one_decides_and_the_other_is_told(
    alice: User, mona: User, ada: User
) -> None:
    seen = services.latest_decision(alice)
    services.moderate_suspend(
        user=alice, until=None, ruling=services.Ruling(ada, "First", version=seen)
    )
    with pytest.raises(GameMoved):
        services.moderate_warn(user=alice, ruling=services.Ruling(mona, "Second", version=seen))
    assert Decision.objects.get().by == ada


@pytest.mark.parametrize("days", [0, -1])
def test_a_suspension_has_to_end_in_the_future(alice: User, mona: User, days: int) -> None:
    with pytest.raises(ServiceError, match="in the future"):
        suspended(alice, mona, days)


def test_the_decisions_of_a_moderator_are_limited(settings: Any, alice: User, mona: User) -> None:
    settings.QUOTAS = {"moderations_person_hour": 1}
    services.moderate_warn(user=alice, ruling=services.Ruling(mona, "x"))
    with pytest.raises(QuotaExceeded):
        suspended(alice, mona)
    assert User.objects.get(pk=alice.pk).is_active


# -- deleted accounts ----------------------------------------------------------------------------


def delete(user: User) -> None:
    """The week after which the account is deleted is over."""
    User.objects.filter(pk=user.pk).update(closes_at=database_clock.now() - timedelta(days=1))
    assert services.accounts_delete_due() == 1


def test_a_new_account_with_the_address_of_a_deleted_one_is_suspended_until_the_same_day(
    alice: User, mona: User
) -> None:
    suspended(alice, mona)
    until = User.objects.get(pk=alice.pk).suspended_until
    delete(alice)
    client = Client()
    assert "This account is suspended" in text(code_page(alice, client))
    assert not is_signed_in(client)
    assert User.objects.get(email=alice.email).suspended_until == until


def test_of_a_deleted_suspended_account_only_a_keyed_digest_and_the_end_are_kept(
    alice: User, mona: User
) -> None:
    suspended(alice, mona)
    delete(alice)
    (kept,) = MailAddress.objects.values("digest", "stopped", "refused_at")
    assert kept == {"digest": address_digest(alice.email), "stopped": "", "refused_at": None}


def test_what_is_kept_of_a_deleted_account_goes_when_its_suspension_is_over(
    alice: User, bob: User, mona: User
) -> None:
    for user in (alice, bob):
        suspended(user, mona)
        delete(user)
    services.address_refuse(digest=address_digest(bob.email), refused=True)
    MailAddress.objects.update(suspended_until=database_clock.now() - timedelta(days=1))
    services.records_purge()
    (kept,) = MailAddress.objects.all()
    assert (kept.digest, kept.suspended_until) == (address_digest(bob.email), None)


def test_an_account_that_is_not_suspended_leaves_nothing_behind(alice: User) -> None:
    delete(alice)
    assert not MailAddress.objects.exists()
    client = Client()
    code_page(alice, client)
    assert is_signed_in(client)


# -- names of tables -----------------------------------------------------------------------------


def test_a_table_gets_another_name_and_its_host_reads_why(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob, name="Bob is a fool")
    services.moderate_rename(
        game_id=game.pk,
        title=" Calm  sea ",
        ruling=services.Ruling(mona, "It insults Bob", rule="polite"),
    )
    assert fresh(game).name == "Calm sea"
    decision = Decision.objects.get()
    assert (decision.action, decision.name_before) == (Action.RENAME, "Bob is a fool")
    mail = OutboxMail.objects.get(kind=Kind.DECISION)
    assert mail.user == alice
    assert "It insults Bob" in written(mail).text
    assert "Calm sea" in page_of(game, bob)


def test_a_table_keeps_its_name_where_the_new_one_is_empty_or_the_same(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    for name in (" ", game.name):
        with pytest.raises(ServiceError):
            services.moderate_rename(game_id=game.pk, title=name, ruling=services.Ruling(mona, "x"))
    assert not Decision.objects.exists()


def test_a_player_who_moved_before_a_suspension_keeps_the_move(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    play_one(game)
    before = len(log_of(game).moves)
    suspended(alice, mona)
    assert len(log_of(game).moves) == before
