"""A service that was dumped with older code goes on with this one: games, links, queued emails.

The dump is what `pg_dump --format=custom` wrote of a service at version 0.1.0, with the links of
its emails beside it. It is never made anew: a later version adds another dump.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.test import Client
from pytest_django import Settings
from pytest_django.plugin import DjangoDbBlocker

from games.inbound import processor
from games.log import event_store
from games.mail import outbox
from games.mail.reply_addresses import read_reply_address
from games.models import Game, OutboxMail, Seat, User
from tests.factories import play_to_the_end
from tests.support.replication import client_program
from tests.support.smtp_sink import SmtpSink

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]

DUMPS = Path(__file__).parents[1] / "golden" / "service"


def connect_to(database: str) -> None:
    """Let this process speak to another database from now on."""
    connections.close_all()
    connection.settings_dict["NAME"] = database


@pytest.fixture(scope="module", params=sorted(path.stem for path in DUMPS.glob("*.dump")))
def migrated(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[str, Any]]:
    """The name of a restored and migrated database, and what the emails of its service said."""
    with django_db_blocker.unblock():
        source = str(connection.settings_dict["NAME"])
        target = f"{source}_upgraded"
        client_program("createdb", target)
        connect_to(target)
        try:
            dump = DUMPS / f"{request.param}.dump"
            client_program("pg_restore", "--exit-on-error", f"--dbname={target}", str(dump))
            call_command("migrate", verbosity=0)
            connect_to(source)
            yield target, json.loads(dump.with_suffix(".json").read_text())
        finally:
            connect_to(source)
            client_program("dropdb", "--force", target)


@pytest.fixture
def service(migrated: tuple[str, Any], replies: Settings, db: None) -> Iterator[Any]:
    """The upgraded service, to which this test speaks in a transaction that is rolled back; what
    its emails said, by name."""
    upgraded, said = migrated
    source = str(connection.settings_dict["NAME"])
    connect_to(upgraded)
    try:
        with transaction.atomic():
            yield said
            transaction.set_rollback(True)
    finally:
        connect_to(source)


def test_an_older_service_verifies_plays_on_and_verifies(
    service: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("verify")
    for game in Game.objects.filter(status=Game.Status.RUNNING):
        assert play_to_the_end(game).status == Game.Status.FINISHED
    call_command("verify")
    assert "8 in order, 0 not" in capsys.readouterr().out.splitlines()[-1]


def test_older_tables_go_on_waiting_for_late_players(service: Any) -> None:
    policies = set(Game.objects.values_list("timeout_policy", flat=True))
    assert policies == {Game.TimeoutPolicy.WAIT}


def test_finished_games_keep_their_scores(service: Any) -> None:
    for public_id, scores in service["scores"].items():
        game = Game.objects.get(public_id=public_id)
        log = event_store.load(game)
        assert log.outcome is not None
        assert list(log.outcome.scores) == scores == game.scores


def test_queued_emails_are_sent(service: Any, outgoing: SmtpSink) -> None:
    turn = OutboxMail.objects.filter(
        game__public_id=service["turn"]["game"], user__email=service["turn"]["user"]
    ).latest("seq")
    assert turn.state == OutboxMail.State.QUEUED
    outbox.drain()
    turn.refresh_from_db()
    assert turn.state == OutboxMail.State.SENT
    (sent,) = (m for m in outgoing.messages if m["Message-ID"] == turn.message_id)
    address = sent["Reply-To"].partition("<")[2].strip(">")
    former = service["reply_address"]  # its signature is shorter
    assert address.startswith(former.partition("@")[0])
    assert read_reply_address(former) == read_reply_address(address) is not None


def test_the_link_of_a_turn_email_still_leads_to_the_turn(service: Any, client: Client) -> None:
    answer = client.get(service["turn"]["path"])
    assert answer.status_code == 200
    assert "Turn by email" in answer.content.decode()


@pytest.mark.parametrize("link", ["off", "kind_off", "never"])
def test_links_that_switch_email_off_still_work(service: Any, client: Client, link: str) -> None:
    answer = client.post(service[link])
    assert answer.status_code == 200
    if link == "off":
        assert Seat.objects.filter(game__public_id=service["turn"]["game"], mails_off=True).exists()


def test_an_invitation_link_still_offers_a_seat(service: Any, client: Client) -> None:
    bob = User.objects.get(email="bob@example.org")
    client.force_login(bob)
    client.post(service["invite"])
    assert Seat.objects.filter(game__name="Waiting", user=bob).exists()


def test_a_reply_that_was_kept_before_the_upgrade_makes_its_move(service: Any) -> None:
    game = Game.objects.get(public_id=service["turn"]["game"])
    processor.read_one(service["unread_reply"])
    assert event_store.load(game).version > game.version


def test_a_reply_that_waits_to_be_confirmed_is_confirmed_by_its_link(
    service: Any, client: Client
) -> None:
    game = Game.objects.get(public_id=service["confirm_game"])
    assert client.get(service["confirm"]).status_code == 200
    assert event_store.load(game).version == game.version
    assert client.post(service["confirm"]).status_code == 200
    assert event_store.load(game).version > game.version
