"""Who may act and who may sit: one function each, which every way asks."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.test import Client
from django.utils import timezone

from games import selectors, services
from games.mail import relevance, signed_links
from games.models import (
    CredentialChange,
    Decision,
    Game,
    OutboxMail,
    Seat,
    User,
    address_digest,
    database_clock,
)
from games.services import ServiceError
from games.services.seats import CONDITIONS, Way
from tests.factories import fresh, miss_deadline, play_one, table_of
from tests.support.accounts import CODE_PAGE, is_signed_in, request_code, sent_code
from tests.support.emails import Kind, written
from tests.support.pages import signed_in, text, url
from tests.support.replies import Outcome, Post, line_of
from tests.support.turn_links import turn_link

pytestmark = pytest.mark.django_db

WEEK = timedelta(days=7)
THIEF = "mallory@example.com"


def freeze(user: User) -> None:
    """Somebody added an address to the account a day ago, and its owner pressed the button."""
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    user.address_records.update(verified_at=timezone.now() - 5 * WEEK)
    EmailAddress.objects.create(user=user, email=THIEF, verified=True)
    change = user.credential_changes.get(kind=CredentialChange.Kind.ADDRESS_ADDED)
    services.change_dispute(change=change)


def stolen(user: User) -> None:
    """The same, and the thief's address has become the primary one."""
    freeze(user)
    User.objects.filter(pk=user.pk).update(email=THIEF)


def suspend(user: User) -> None:
    User.objects.filter(pk=user.pk).update(suspended_until=timezone.now() + WEEK)


def close(user: User) -> None:
    User.objects.filter(pk=user.pk).update(closes_at=timezone.now() + WEEK)


def end(user: User) -> None:
    User.objects.filter(pk=user.pk).update(closes_at=timezone.now() - timedelta(minutes=1))


def bounce(user: User) -> None:
    trouble = f"bounce:{address_digest(user.email)}"
    User.objects.filter(pk=user.pk).update(mail_trouble=trouble)


STATES: dict[str, Callable[[User], None]] = {
    "suspended": suspend,
    "frozen": freeze,
    "closing": close,
    "at its end": end,
}


def now(user: User) -> User:
    return User.objects.get(pk=user.pk)


# -- who may act -----------------------------------------------------------------------------

# Modules that name the columns behind `User.is_active`, and why.
NAMING = {
    "games/models/people.py": "defines them and asks",
    "games/models/mail_preferences.py": "a column of addresses with the same name",
    "games/selectors/access.py": "an address is trusted by its age at the freezing",
    "games/selectors/exports.py": "lists the columns of the file with personal data",
    "games/services/account_moderation.py": "suspends, and ends that",
    "games/services/administrators.py": "ends a suspension from the command line",
    "games/services/credentials.py": "freezes and restores, and deletes no frozen account",
    "games/services/new_tables.py": "the SQL of a sweep leaves hosts out that get no email",
    "games/services/people.py": "a new account takes over the suspension of its address",
    "games/moderation/people.py": "shows the day on which a suspension ends",
}


def test_no_other_module_names_the_columns_behind_the_gate() -> None:
    words = re.compile(r"\bfrozen_at\b|\bsuspended_until\b")
    found = {
        str(path)
        for path in Path("games").rglob("*.py")
        if "migrations" not in path.parts and words.search(path.read_text())
    }
    assert found == set(NAMING)


@pytest.mark.parametrize("state", ["suspended", "frozen", "at its end"])
def test_nobody_acts_in_a_session_that_was_open_before(alice: User, bob: User, state: str) -> None:
    game, client = table_of(alice, bob), signed_in(alice)
    STATES[state](alice)
    client.force_login(now(alice), backend="django.contrib.auth.backends.ModelBackend")
    client.post(url(game, "talk"), {"message": "It is me"})
    assert client.get("/settings/").status_code == 302
    assert not game.messages.exists()


@pytest.mark.parametrize("state", ["suspended", "frozen", "at its end"])
def test_a_moderator_who_may_not_act_has_no_rights(mona: User, state: str) -> None:
    assert services.has_right(mona, "change_game")
    STATES[state](mona)
    assert not services.has_right(now(mona), "change_game")


def test_the_second_address_of_a_frozen_account_signs_nobody_in(alice: User) -> None:
    freeze(alice)
    client = Client()
    request_code(client, THIEF)
    page = client.post(CODE_PAGE, {"code": sent_code(THIEF)}, follow=True)
    assert "Your account is frozen" in text(page)
    assert "/account/not-me/" in text(page)
    assert "Download your data" not in text(page)
    assert not is_signed_in(client)


@pytest.mark.usefixtures("replies")
def test_a_reply_from_an_address_that_cannot_restore_is_answered_with_the_way_to_restore(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    stolen(alice)
    passes = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.com"
    row = Post(game, alice).write(line_of(game), sender=THIEF, results=passes)
    assert row.outcome == Outcome.REFUSED
    mail = OutboxMail.objects.filter(to_address=THIEF, kind="account").latest("pk")
    assert "/account/not-me/" in written(mail).text
    assert relevance.check_before_send(mail).drop == ""
    assert fresh(game).to_act == [0]


@pytest.mark.usefixtures("replies")
def test_a_reply_from_the_owners_old_address_plays_while_the_account_is_frozen(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    freeze(alice)
    assert Post(game, alice).move().outcome == Outcome.PLAYED


def test_turn_emails_of_a_frozen_account_go_only_to_an_address_that_could_restore_it(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    mail = OutboxMail.objects.filter(game=game, kind=Kind.TURN, user=alice).latest("pk")
    freeze(alice)
    assert relevance.check_before_send(mail).drop == ""
    User.objects.filter(pk=alice.pk).update(email=THIEF)
    mail = OutboxMail.objects.get(pk=mail.pk)
    mail.to_address = THIEF
    assert "frozen" in relevance.check_before_send(mail).drop


# -- what protects an account works in every state of it ----------------------------------------


@pytest.mark.parametrize("state", [suspend, freeze, close, bounce])
def test_this_was_not_me_and_its_email_work_in_every_state(
    alice: User, state: Callable[[User], None]
) -> None:
    state(alice)
    services.change_report(user=now(alice), kind=CredentialChange.Kind.FACTOR_REMOVED)
    mail = OutboxMail.objects.filter(kind="security").latest("pk")
    assert relevance.check_before_send(mail).drop == ""
    change = CredentialChange.objects.latest("pk")
    page = Client().post(signed_links.not_me_path(change.pk), {"action": "freeze"})
    assert "Restore your account" in text(page)
    assert now(alice).is_frozen


def test_the_owner_restores_an_account_that_its_thief_got_suspended(alice: User) -> None:
    stolen(alice)
    suspend(alice)
    frozen = services.freezing_change(now(alice))
    assert frozen is not None
    link, client = signed_links.not_me_path(frozen.pk), Client()
    (record,) = selectors.trusted_addresses(now(alice))
    client.post(link, {"action": "send", "address": record.pk})
    page = client.post(link, {"action": "verify", "code": sent_code(alice.email)})
    assert "Your account is yours again" in text(page)
    assert now(alice).email == alice.email and now(alice).is_suspended


def test_whoever_gets_an_account_back_gets_the_emails_that_were_kept_from_its_thief(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    stolen(alice)
    turn = OutboxMail.objects.filter(game=game, user=alice, kind=Kind.TURN)
    turn.update(state=OutboxMail.State.DROPPED, to_address=THIEF)
    services.account_restore(user=now(alice), address=alice.email)
    assert turn.get().state == OutboxMail.State.QUEUED
    assert turn.get().to_address == alice.email


@pytest.mark.parametrize("state", [suspend, freeze, close, bounce])
def test_links_that_unsubscribe_work_in_every_state(
    alice: User, bob: User, state: Callable[[User], None]
) -> None:
    game = table_of(alice, bob)
    link = signed_links.off_path(game.public_id, alice)
    kind = signed_links.kind_off_path(Kind.VOTE, alice)
    state(alice)
    assert Client().post(link).status_code == Client().post(kind).status_code == 200
    assert Seat.objects.get(game=game, user=alice).mails_off
    assert services.mail_kind_is_off(now(alice), Kind.VOTE)
    for mail in OutboxMail.objects.filter(kind=Kind.UNSUBSCRIBED):
        assert "suspended" not in relevance.check_before_send(mail).drop


def after_the_code(user: User) -> tuple[Client, str]:
    """The browser of somebody who has proved the address, and where its buttons post to."""
    client = Client()
    request_code(client, user.email)
    page = client.post(CODE_PAGE, {"code": sent_code(user.email)}, follow=True)
    found = re.search(r'action="(/account/inactive/[^"]+)"', text(page))
    assert found, text(page)
    return client, found[1]


def test_a_suspended_person_stops_the_deletion_of_their_account(alice: User) -> None:
    close(alice)
    suspend(alice)
    client, path = after_the_code(alice)
    client.post(path, {"action": "keep"})
    assert not now(alice).is_closing


def test_a_suspended_person_with_a_second_factor_does_nothing_else_by_the_code_alone(
    alice: User,
) -> None:
    Authenticator.objects.create(user=alice, type=Authenticator.Type.TOTP, data={"secret": "A"})
    close(alice)
    suspend(alice)
    client, path = after_the_code(alice)
    answer = client.post(path, {"action": "data"})
    assert "attachment" not in answer.headers.get("Content-Disposition", "")
    client.post(path, {"action": "keep"})
    assert not now(alice).is_closing
    client.post(path, {"action": "close"})
    assert not now(alice).is_closing


def test_a_suspended_person_downloads_their_data_and_asks_for_deletion(alice: User) -> None:
    suspend(alice)
    client, path = after_the_code(alice)
    answer = client.post(path, {"action": "data"})
    assert answer["Content-Type"] == "application/json"
    assert alice.email in text(answer)
    client.post(path, {"action": "close"})
    assert now(alice).is_closing


def test_the_buttons_of_a_suspended_person_work_for_an_hour_and_change_nothing_by_a_look(
    alice: User, clock: object
) -> None:
    close(alice)
    suspend(alice)
    client, path = after_the_code(alice)
    assert client.get(path).status_code == 302
    assert now(alice).is_closing
    services.sessions_close(user=now(alice))
    assert client.post(path, {"action": "keep"}).status_code == 302
    assert now(alice).is_closing


def test_the_turn_link_of_a_suspended_person_leads_to_the_page_that_says_why(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    link = turn_link(game, alice)
    suspend(alice)
    assert "/accounts/login/" in Client().post(link)["Location"]


# -- who may sit -----------------------------------------------------------------------------

CLOSING = "Your account will be deleted soon"
FROZEN = "This account is frozen"
SUSPENDED = "This account is suspended"
NAMELESS = "Choose a name first"
REMOVED = "The host removed you from this table"
KNOWS = "You play or have played at this table"


def nameless(user: User) -> None:
    User.objects.filter(pk=user.pk).update(display_name="")


SITTING: list[tuple[Callable[[User], None], str]] = [
    (suspend, SUSPENDED),
    (freeze, FROZEN),
    (end, "This account is being deleted"),
    (close, CLOSING),
    (nameless, NAMELESS),
]


def test_every_condition_names_its_ways() -> None:
    """One row for each condition; the ways in the order of `Way`, "." where it is not asked."""
    rows = {
        require.__name__.removeprefix("_require_"): "".join(
            way.name[0] if way in ways else "." for way in Way
        )
        for require, ways in CONDITIONS.items()
    }
    # create, join, take over, take back, handed, accept
    assert rows == {
        "active": "CJTTHA",
        "stays": "CJTTHA",
        "not_removed": ".JT.HA",
        "knows_no_cards": "..T.HA",
        "has_seen_nothing": "..TTHA",
        "name": "CJTTHA",
        "time_for_another": "CJT...",
        "reliable": ".JT...",
        "not_blocked": ".JT.HA",
    }


@pytest.mark.parametrize("way", list(Way))
@pytest.mark.parametrize(("state", "words"), SITTING)
def test_a_person_who_may_not_sit_reads_the_same_words_by_every_way(
    alice: User,
    bob: User,
    dave: User,
    ada: User,
    way: Way,
    state: Callable[[User], None],
    words: str,
) -> None:
    person, sit = _way_to_sit(way, alice, bob, dave, ada)
    state(person)
    with pytest.raises(ServiceError, match=words) as refusal:
        sit(now(person))
    assert ("This user cannot take the seat" in refusal.value.text) == (way == Way.HANDED)


def _way_to_sit(
    way: Way, alice: User, bob: User, dave: User, ada: User
) -> tuple[User, Callable[[User], object]]:
    """Somebody who could take a seat in this way, and how."""
    match way:
        case Way.CREATE:
            return dave, lambda user: table_of(user, seats=2)
        case Way.JOIN:
            waiting = table_of(bob, seats=2)
            return dave, lambda user: services.game_join(game_id=waiting.pk, user=user)
        case Way.TAKE_OVER:
            game = with_open_seat(alice, bob)
            return dave, lambda user: services.seat_take_over(game_id=game.pk, user=user, seat=0)
        case Way.TAKE_BACK:
            game = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.SEAT1)
            miss_deadline(game)
            return alice, lambda user: services.seat_take_back(game_id=game.pk, user=user)
        case Way.HANDED:
            game = table_of(alice, bob)
            return dave, lambda user: hand(game, user, ada)
        case Way.ACCEPT:
            game, ruling = table_of(alice, bob), services.Ruling(ada, "Gone")
            services.moderate_offer_seat(game_id=game.pk, ruling=ruling, seat=0, to=dave)
            offer = Decision.objects.get(person=dave)
            return dave, lambda user: services.seat_offer_accept(decision_id=offer.pk, user=user)


def hand(game: Game, user: User, by: User, seat: int = 0) -> Game:
    return services.moderate_hand_seat(
        game_id=game.pk, ruling=services.Ruling(by, "Gone"), seat=seat, to=user
    )


def with_open_seat(*people: User) -> Game:
    game = table_of(*people, timeout_policy=Game.TimeoutPolicy.OPEN)
    miss_deadline(game)
    for _other in people[1:]:
        play_one(game)
    miss_deadline(game)
    return fresh(game)


def test_whoever_the_host_removed_takes_over_no_open_seat(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    game = table_of(alice, bob, dave, seats=4, timeout_policy=Game.TimeoutPolicy.OPEN)
    services.game_remove_player(game_id=game.pk, by=alice, player=dave)
    services.game_start(game_id=game.pk, by=alice)
    miss_deadline(game)
    play_one(game)
    miss_deadline(game)
    with pytest.raises(ServiceError, match=REMOVED):
        services.seat_take_over(game_id=game.pk, user=dave, seat=0)


def test_whoever_knows_the_cards_of_another_seat_is_handed_none(
    alice: User, bob: User, carol: User, ada: User
) -> None:
    game = table_of(alice, bob, carol)
    services.moderate_hand_seat(game_id=game.pk, ruling=services.Ruling(ada, "Gone"), seat=1)
    with pytest.raises(ServiceError, match=KNOWS):
        hand(game, bob, ada)


def test_a_moderator_gives_a_player_their_own_seat_back(
    alice: User, bob: User, carol: User, ada: User
) -> None:
    game = table_of(alice, bob, carol)
    services.moderate_hand_seat(game_id=game.pk, ruling=services.Ruling(ada, "Gone"), seat=0)
    hand(game, alice, ada)
    assert Seat.objects.get(game=game, number=0).user == alice


def test_a_person_who_has_blocked_somebody_at_the_table_is_handed_no_seat(
    alice: User, bob: User, dave: User, ada: User
) -> None:
    game = table_of(alice, bob)
    User.objects.filter(pk=dave.pk).update(blocked=[bob.pk])
    with pytest.raises(ServiceError, match="it is full, or"):  # ada learns of no block
        hand(game, now(dave), ada)


# -- words of an author who may not speak ---------------------------------------------------------


def talk_mail(game: Game, reader: User) -> OutboxMail:
    return OutboxMail.objects.filter(game=game, kind=Kind.TALK, user=reader).latest("pk")


def drop(mail: OutboxMail) -> str:
    return relevance.check_before_send(mail).drop


@pytest.fixture
def written_before(alice: User, bob: User, carol: User) -> OutboxMail:
    """The email with a message of Bob to Alice, at a table that waits."""
    game = table_of(alice, bob, seats=3)
    services.message_write(game_id=game.pk, user=bob, text="You idiot")
    game.messages.update(at=database_clock.now() - timedelta(minutes=5))
    mail = talk_mail(game, alice)
    assert drop(mail) == ""
    return mail


@pytest.mark.parametrize("state", [suspend, freeze])
def test_messages_of_an_author_who_may_not_act_are_not_sent(
    written_before: OutboxMail, bob: User, state: Callable[[User], None]
) -> None:
    state(bob)
    assert drop(written_before)


def test_messages_of_somebody_whom_the_host_has_removed_are_not_sent(
    written_before: OutboxMail, alice: User, bob: User
) -> None:
    assert written_before.game_id is not None
    services.game_remove_player(game_id=written_before.game_id, by=alice, player=bob)
    assert drop(written_before)


def test_messages_are_not_sent_once_the_host_has_closed_them(
    written_before: OutboxMail, alice: User
) -> None:
    game = written_before.game
    assert game is not None
    services.talk_switch(game=selectors.game_for(alice, game.public_id), user=alice, is_open=False)
    assert drop(written_before)


def test_a_note_of_an_author_who_is_suspended_is_not_in_the_email_of_the_move(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    play_one(game, note="You idiot")
    mail = OutboxMail.objects.filter(game=game, kind=Kind.TURN, user=bob).latest("pk")
    suspend(alice)
    assert "You idiot" not in written(mail).text


def test_the_invitation_of_a_host_who_is_suspended_is_not_sent(alice: User, bob: User) -> None:
    game = table_of(alice, bob, seats=3)
    services.game_invite(game_id=game.pk, by=alice, address="x@example.net", message="You idiot")
    mail = OutboxMail.objects.get(kind=Kind.INVITATION)
    assert drop(mail) == ""
    suspend(alice)
    assert drop(mail)


# -- who has left ----------------------------------------------------------------------------------


def test_somebody_whom_one_blocked_is_unblocked_although_they_are_suspended(
    alice: User, bob: User
) -> None:
    services.person_block(user=alice, person=bob, is_blocked=True)
    suspend(bob)
    assert bob.display_name in text(signed_in(now(alice)).get("/settings/blocked/"))


def test_who_resigned_deletes_what_they_wrote(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    services.message_write(game_id=game.pk, user=alice, text="Call me: 0151 000000")
    key = game.messages.get().pk
    game.messages.update(at=database_clock.now() - timedelta(minutes=5), unsent=[])
    services.game_resign(game_id=game.pk, user=alice)
    client = signed_in(now(alice))
    assert f'name="key" value="{key}"' in text(client.get(url(game)))
    client.post(url(game, "talk/delete"), {"key": key})
    assert game.messages.get().text == ""


def test_who_resigned_is_reported_and_muted(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    services.game_resign(game_id=game.pk, user=alice)
    client = signed_in(bob)
    assert client.get(url(game, "report/0/")).status_code == 200
    client.post(url(game, "talk/mute"), {"seat": 0, "mute": "yes"})
    assert now(bob).muted == [alice.pk]
