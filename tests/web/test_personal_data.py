"""Downloading one's own data: all that is stored, only what its person may see, and no secrets."""

import json
from typing import Any

import msgspec
import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games import selectors, services
from games.models import FeedKey, Invitation, OutboxMail, User
from games.selectors import exports
from games.selectors.exports import ACCOUNT, MORE_PREFERENCES
from tests.factories import fresh, given_up, play_one, play_turns, table_of
from tests.support.escape_games import escape_table, play_line
from tests.support.indistinguishable_games import atlantis, escape, world
from tests.support.moderators import prove_code
from tests.support.pages import signed_in, text, url
from tests.support.replies import address_of, arrive, reply_email

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

URL = "/settings/data/"


def browser_of(user: User) -> Client:
    """A browser in which this user has just entered a code that came by email."""
    client = signed_in(user)
    prove_code(client, user)
    return client


def data_of(user: User) -> Any:
    """Return the content of this user's file."""
    answer = browser_of(user).post(URL)
    assert answer.status_code == 200, text(answer)
    return json.loads(answer.content)


# -- who gets it ---------------------------------------------------------------------------


def test_the_page_asks_for_a_fresh_proof_and_then_gives_one_file(alice: User) -> None:
    assert signed_in(alice).get(URL)["Location"].startswith("/accounts/reauthenticate/")
    client = browser_of(alice)
    assert "Download the file" in text(client.get(URL))
    answer = client.post(URL)
    assert answer["Content-Disposition"].startswith('attachment; filename="')
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("application/json", "no-store")
    assert json.loads(answer.content)["account"]["email"] == alice.email


def test_downloads_are_limited(alice: User, settings: Settings) -> None:
    settings.QUOTAS = {"personal_data_person_day": 1}
    client = browser_of(alice)
    assert [client.post(URL).status_code for _time in range(2)] == [200, 429]


# -- what is in it -------------------------------------------------------------------------


def test_it_has_the_games_with_moves_notes_and_results(alice: User, bob: User) -> None:
    game = table_of(alice, bob, name="On the beach")
    play_one(game, note="Nice weather today")
    over = given_up(alice, bob, name="Given up")
    ended, running = data_of(alice)["games"]
    assert (running["name"], running["seat"]["number"], running["is_host"]) == (
        "On the beach",
        0,
        True,
    )
    assert running["link"] == f"http://127.0.0.1:8000{url(game)}"
    assert [note["text"] for note in running["messages"]] == ["Nice weather today"]
    moves = [one for one in running["events"] if not one["event"]["kind"].startswith("table.")]
    assert [(move["event"]["seat"], bool(move["at"])) for move in moves] == [(0, True)]
    assert (ended["status"], ended["winners"]) == ("finished", fresh(over).winners)


@pytest.mark.usefixtures("replies")
def test_it_has_invitations_emails_and_replies(alice: User, bob: User, carol: User) -> None:
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    table = table_of(bob, seats=3, name="By the sea")
    services.game_invite(game_id=table.pk, by=bob, address=alice.email)
    game = table_of(alice, bob, name="On the beach")
    services.game_invite(game_id=table_of(alice, seats=3).pk, by=alice, address=carol.email)
    arrive(reply_email("show", address_of(game, alice), alice.email), address_of(game, alice))
    data = data_of(alice)
    assert [(one["table"], one["by"]) for one in data["invitations_received"]] == [
        ("By the sea", "Bob")
    ]
    assert [one["to"] for one in data["invitations_sent"]] == [carol.email]
    assert {"turn", "answer"} <= {mail["kind"] for mail in data["emails"]}
    assert "invitation" in {mail["about"] for mail in data["emails"]}
    assert [reply["line"] for reply in data["replies"]] == ["show"]


def test_it_names_the_people_whom_one_has_blocked(alice: User, bob: User) -> None:
    services.person_block(user=alice, person=bob, is_blocked=True)
    assert data_of(alice)["blocked"] == ["Bob"]
    assert data_of(bob)["blocked"] == []


def test_every_column_of_a_user_is_in_it_or_left_out_for_a_reason(alice: User) -> None:
    # Numbers of ours; nobody has a password, and the names of blocked people are in a list.
    left_out = {"id", "password", "muted", "blocked"}
    instead = {"mail_trouble": "mail_stopped"}
    data = data_of(alice)
    columns = {instead.get(field.name, field.name) for field in User._meta.concrete_fields}
    assert columns - left_out == data["account"].keys() | data["preferences"].keys()
    assert data["account"].keys() == set(ACCOUNT)
    assert set(MORE_PREFERENCES) <= data["preferences"].keys()


def test_it_says_what_would_be_too_much(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "MOST_GAMES", 1)
    for name in ("older", "newer"):
        table_of(alice, bob, name=name)
    data = data_of(alice)
    assert ([game["name"] for game in data["games"]], data["truncated"]) == (["newer"], ["games"])


# -- what is not in it ---------------------------------------------------------------------


@pytest.mark.usefixtures("replies")
def test_it_has_no_key_that_opens_anything(alice: User, bob: User) -> None:
    client = browser_of(alice)
    feed = services.feed_key_create(user=alice, kind=FeedKey.Kind.NEWS)
    endpoint = "https://push.example.org/secret"
    alice.push_devices.create(endpoint=endpoint, digest="d" * 64, p256dh="p" * 87, auth="a" * 22)
    game = table_of(bob, alice)
    table = table_of(bob, seats=3)
    services.game_invite(game_id=table.pk, by=bob, address=alice.email)
    client.post("/accounts/reauthenticate/", {"action": "send"})
    found = client.post(URL).content.decode()
    (code,) = OutboxMail.objects.filter(kind="account", user=alice)[:1]
    secrets = {
        feed,
        endpoint,
        "d" * 64,
        "p" * 87,
        "a" * 22,
        game.invite_token,
        table.invite_token,
        Invitation.objects.get().token,
        client.session.session_key,
        bytes(game.seed).hex(),
        address_of(game, alice),
        bob.email,
        str(code.context.get("code", "no code")),
    }
    assert [secret for secret in secrets if secret and secret in found] == []


@pytest.mark.parametrize("worlds", [atlantis, escape], ids=lambda worlds: worlds.__name__)
def test_worlds_that_differ_only_in_secrets_of_others_give_the_same_file(
    alice: User, bob: User, worlds: Any
) -> None:
    """Alice is named as the one who caused all events, as a host is for the moves of a bot that
    she let play."""

    def file_in(events: list[Any]) -> bytes:
        with world("atlantis" if worlds is atlantis else "escape", events, [alice, bob], by=alice):
            return msgspec.json.encode(selectors.personal_data(alice)["games"])

    one, other = worlds()
    assert file_in(one) == file_in(other)


def test_somebody_who_lost_the_seat_gets_what_spectators_see(alice: User, bob: User) -> None:
    for worlds in (atlantis(), escape()):
        kind = "atlantis" if worlds == atlantis() else "escape"
        found = []
        for events in worlds:
            with world(kind, events, [bob], by=alice) as game:
                alice.former_seats.create(game=game)
                found.append(msgspec.json.encode(selectors.personal_data(alice)["games"]))
        assert found[0] == found[1]


def test_an_order_in_advance_is_in_the_file_of_its_player_alone(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    play_line(game, bob, "plan coast")
    for user, seats in ((alice, []), (bob, [1])):
        (found,) = data_of(user)["games"]
        assert [one["event"]["seat"] for one in found["events"] if "after" in one] == seats


# -- what it costs -------------------------------------------------------------------------


def queries_for(user: User) -> int:
    with CaptureQueriesContext(connection) as captured:
        selectors.personal_data(user)
    return len(captured)


def test_the_number_of_queries_does_not_grow(alice: User, bob: User) -> None:
    play_turns(table_of(alice, bob), 2)
    few = queries_for(alice)
    for _number in range(3):
        play_turns(table_of(alice, bob), 4)
    assert queries_for(alice) == few
    assert few <= 21
