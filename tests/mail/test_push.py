"""A push message takes the place of a turn email, and the email that of a message nobody took."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta

import dns.resolver
import pytest
import time_machine
from py_vapid import Vapid02
from pytest_django import Settings

from atlantis_site.startup_checks import reasons_not_to_start
from games import services
from games.mail import guarded_post, outbox, outbox_rows
from games.mail.kinds.turn import TURN
from games.models import Game, OutboxMail, PushDevice, User
from games.services import QuotaExceeded, ServiceError
from games.services.credentials import sessions_close
from tests.factories import play_one, table_of
from tests.support import name_server
from tests.support.emails import State
from tests.support.indistinguishable_games import (
    Events,
    atlantis,
    escape,
    with_other_own_secrets,
    world,
)
from tests.support.pages import signed_in, text
from tests.support.push_sink import HOST, Browser, PushSink
from tests.support.smtp_sink import SmtpSink

pytestmark = pytest.mark.django_db


@pytest.fixture
def table(alice: User, bob: User) -> Game:
    """A table at which Bob's turn has just begun, and nothing else waits to be sent."""
    game = table_of(alice, bob)
    OutboxMail.objects.all().delete()
    play_one(game)
    return game


def switched_on(user: User, browser: Browser) -> Browser:
    services.device_add(user=user, **browser.fields)
    return browser


def to_bob(outgoing: SmtpSink) -> list[str]:
    return [mail["Subject"] for mail in outgoing.messages if mail["To"] == "bob@example.org"]


def test_a_device_is_notified_of_the_turn_instead_of_an_email(
    table: Game, bob: User, push_service: PushSink, outgoing: SmtpSink
) -> None:
    browser = switched_on(bob, push_service.browser())
    outbox.drain()
    ((path, headers, body),) = push_service.arrived
    assert path == browser.path
    message = json.loads(browser.read(body))
    assert message["body"] == "It’s your turn"
    assert table.name in message["title"]
    assert message["url"] == f"/g/{table.public_id}/#orders"
    assert Vapid02.verify(headers["Authorization"])
    assert (headers["Content-Encoding"], headers["Topic"]) == ("aes128gcm", table.public_id)
    assert to_bob(outgoing) == []
    assert OutboxMail.objects.get(user=bob).state == State.SENT


def test_no_device_is_notified_of_a_turn_that_is_over(
    table: Game, bob: User, push_service: PushSink, outgoing: SmtpSink
) -> None:
    switched_on(bob, push_service.browser())
    play_one(table)
    outbox.drain()
    assert push_service.arrived == []
    assert OutboxMail.objects.get(user=bob).state == State.DROPPED


@pytest.mark.parametrize(("status", "left"), [(410, 0), (404, 0), (500, 1), (307, 1)])
def test_the_email_is_sent_where_no_device_took_the_message(
    table: Game, bob: User, push_service: PushSink, outgoing: SmtpSink, status: int, left: int
) -> None:
    """Devices that are gone are forgotten; nothing is sent to where an answer points."""
    push_service.status = status
    browser = switched_on(bob, push_service.browser())
    outbox.drain()
    assert [path for path, _headers, _body in push_service.arrived] == [browser.path]
    assert len(to_bob(outgoing)) == 1
    assert PushDevice.objects.count() == left


@pytest.mark.parametrize("status", [401, 403])
def test_a_device_that_is_refused_for_a_week_is_forgotten(
    push_service: PushSink,  # before the clock: its certificate is of today
    clock: time_machine.Traveller,
    table: Game,
    bob: User,
    outgoing: SmtpSink,
    status: int,
) -> None:
    switched_on(bob, push_service.browser())

    def notified(status: int, *, after: timedelta) -> int:
        """Bob is asked again after this time, and the push service answers so; devices left."""
        clock.shift(after)
        push_service.status = status
        for _seat in range(2):
            play_one(table)
        outbox.drain()
        return PushDevice.objects.count()

    hour = timedelta(hours=1)
    assert notified(status, after=hour) == 1
    assert notified(status, after=timedelta(days=7) - hour) == 1
    assert notified(201, after=timedelta()) == 1
    assert notified(status, after=timedelta(days=7)) == 1, "a message arrived in the meantime"
    assert notified(status, after=timedelta(days=7)) == 0


def test_a_push_service_that_answers_drop_by_drop_holds_nobody_up(
    table: Game,
    bob: User,
    push_service: PushSink,
    outgoing: SmtpSink,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guarded_post, "TOTAL_SECONDS", 0.3)
    push_service.status = "drip"
    switched_on(bob, push_service.browser())
    outbox.drain()
    assert len(to_bob(outgoing)) == 1


Zone = dict[tuple[str, str], list[str]]


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[Zone]:
    """The records of the known push service HOST; a name server returns them."""
    settings.PUSH_HOSTS = [HOST]
    monkeypatch.setattr(guarded_post, "CONNECT_SECONDS", 60.0)  # on a busy machine
    records: Zone = {(HOST, "A"): ["127.0.0.1"]}
    with name_server.running(records) as place:
        host, _colon, port = place.partition(":")
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = [host], int(port)
        monkeypatch.setattr(dns.resolver, "default_resolver", resolver)
        yield records


@pytest.mark.parametrize(
    ("addresses", "arrived"), [(["127.0.0.1"], 1), (["127.0.0.1", "10.0.0.1"], 0)]
)
def test_a_push_service_with_a_private_address_gets_no_message(
    table: Game,
    bob: User,
    zone: Zone,
    push_service: PushSink,
    outgoing: SmtpSink,
    addresses: list[str],
    arrived: int,
) -> None:
    """Its name may lead to another address than when the device was added. Only 127.0.0.1, where
    the tests have their push service, counts as public here."""
    switched_on(bob, push_service.browser(host=HOST))
    zone[HOST, "A"] = addresses
    outbox.drain()
    assert len(push_service.arrived) == arrived
    assert len(to_bob(outgoing)) == 1 - arrived


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "fe80::1",
        "fd00::1",
        "ff02::1",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
    ],
)
def test_a_known_push_service_must_have_public_addresses(zone: Zone, address: str) -> None:
    kind = "AAAA" if ":" in address else "A"
    zone |= {(HOST, "A"): ["93.184.216.34"], (HOST, "AAAA"): ["2606:2800:220:1::1"]}
    assert guarded_post._addresses(HOST) == ["2606:2800:220:1::1", "93.184.216.34"]
    zone[HOST, kind].append(address)
    with pytest.raises(guarded_post.BadAddress, match="not public"):
        guarded_post._addresses(HOST)


NO_ADDRESS = "This address contains characters that are not allowed in addresses, or is too long."
NO_HTTPS = "Enter a complete address with https."
NO_PORT = "Enter an address without a port."
UNKNOWN = "Enter an address at one of these hosts: .push.example.org and push.example.org."
PRIVATE = "This address is not public."
# By what each is refused: without that check, it would be accepted or refused by another one.
ENDPOINTS = {
    "": NO_HTTPS,
    "http://push.example.org/x": NO_HTTPS,
    "https:///x": NO_HTTPS,
    "https://me@push.example.org/x": NO_HTTPS,
    "https://@push.example.org/x": NO_HTTPS,
    "https://push.example.org/a b": NO_ADDRESS,
    "https://example.org/x": UNKNOWN,
    "https://push.example.org.evil.example/x": UNKNOWN,
    "https://93.184.216.34/x": UNKNOWN,
    "https://10.0.0.1/x": PRIVATE,
    "https://127.0.0.1/x": PRIVATE,
    "https://[::1]/x": PRIVATE,
    "https://[::ffff:127.0.0.1]/x": PRIVATE,
    "https://169.254.169.254/latest": PRIVATE,
    "https://[fe80::1]/x": PRIVATE,
    "https://push.example.org:8443/x": NO_PORT,
    "https://push.example.org:99999/x": NO_HTTPS,
    "https://push.example.org/x\r\nHost: other": NO_ADDRESS,
    "https://push.example.org/é": NO_ADDRESS,
    f"https://push.example.org/{'x' * 1000}": NO_ADDRESS,
}


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_an_address_that_is_no_push_service_is_refused(
    bob: User, settings: Settings, endpoint: str
) -> None:
    settings.PUSH_HOSTS = [".push.example.org", "push.example.org"]
    keys = Browser(PushSink(), "one").fields
    with pytest.raises(ServiceError, match="does not support") as refused:
        services.device_add(user=bob, **{**keys, "endpoint": endpoint})
    assert str(refused.value.__cause__) == ENDPOINTS[endpoint]


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://fcm.googleapis.com/fcm/send/dGVzdA:APA91bH-_x",
        "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABl-x_y==",
        "https://web.push.apple.com/QGuQyavXutnMH",
        "https://wns2-par02p.notify.windows.com/w/?token=BQYAAAB%2fx%3d",
        "https://fcm.googleapis.com:443/fcm/send/x",
    ],
)
def test_the_push_services_of_browsers_are_known(bob: User, endpoint: str) -> None:
    fields = Browser(PushSink(), "one").fields | {"endpoint": endpoint}
    services.device_add(user=bob, **fields)
    assert PushDevice.objects.get().endpoint == endpoint


@pytest.mark.parametrize("wrong", [{"p256dh": "AAAA"}, {"auth": "AAAA"}, {"p256dh": "é"}])
def test_keys_that_are_none_are_refused(bob: User, wrong: dict[str, str]) -> None:
    fields = Browser(PushSink(), "one").fields | {"endpoint": "https://fcm.googleapis.com/x"}
    with pytest.raises(ServiceError, match="does not support"):
        services.device_add(user=bob, **{**fields, **wrong})


def test_a_browser_belongs_to_the_person_who_switched_it_on_last(
    alice: User, bob: User, push_service: PushSink
) -> None:
    browser = push_service.browser()
    switched_on(alice, browser)
    switched_on(bob, browser)
    assert PushDevice.objects.get().user == bob
    services.device_remove(user=alice, endpoint=browser.endpoint)
    assert PushDevice.objects.exists()
    services.device_remove(user=bob, endpoint=browser.endpoint)
    assert not PushDevice.objects.exists()


def test_the_devices_of_a_person_are_limited(
    bob: User, push_service: PushSink, settings: Settings
) -> None:
    settings.QUOTAS = {"push_devices_person": 2}
    for name in ("one", "two", "two"):
        switched_on(bob, push_service.browser(name))
    with pytest.raises(QuotaExceeded, match="2 of your devices"):
        switched_on(bob, push_service.browser("three"))


def test_all_devices_are_forgotten_when_all_sessions_end(bob: User, push_service: PushSink) -> None:
    switched_on(bob, push_service.browser())
    sessions_close(user=bob)
    assert not PushDevice.objects.exists()


def test_notifications_are_switched_on_and_off_in_the_settings(
    bob: User, push_service: PushSink
) -> None:
    client, fields = signed_in(bob), push_service.browser().fields
    page = text(client.get("/settings/"))
    assert re.search(r'data-key="[\w-]{87}"', page)
    answer = client.post("/settings/push/", {"do": "on", **fields}, follow=True)
    assert "This device shows a notification when it is your turn." in text(answer)
    assert "1 device shows notifications." in text(answer)
    assert fields["endpoint"] not in text(answer)
    answer = client.post("/settings/push/", {"do": "none"}, follow=True)
    assert "Your devices no longer show notifications." in text(answer)
    assert not PushDevice.objects.exists()


def test_signing_out_ends_the_notifications_in_that_browser_alone(
    bob: User, push_service: PushSink
) -> None:
    first, second = signed_in(bob), signed_in(bob)
    for client, name in ((first, "one"), (second, "two")):
        client.post("/settings/push/", {"do": "on", **push_service.browser(name).fields})
    assert "will no longer show notifications" in text(first.get("/accounts/logout/"))
    first.post("/accounts/logout/")
    assert PushDevice.objects.count() == 1
    second.post("/accounts/logout/")
    assert not PushDevice.objects.exists()


WORLDS: dict[str, Callable[[], tuple[Events, Events]]] = {"atlantis": atlantis, "escape": escape}


def sent_in(
    kind: str, events: Events, people: list[User], push_service: PushSink
) -> list[tuple[str, dict[str, str], bytes]]:
    """Return the messages to the push service for the turn of seat 0 at a table with this log,
    decrypted: (path, headers without the signature, message)."""
    push_service.arrived.clear()
    with world(kind, events, people) as game:
        browser = switched_on(people[0], push_service.browser())
        seat = game.seats.get(number=0)
        outbox_rows.enqueue([outbox_rows.seat_row(TURN, game, seat, seat.asked_seq)])
        outbox.drain()
    return [
        (
            path,
            {name: value for name, value in headers.items() if name != "Authorization"},
            browser.read(body),
        )
        for path, headers, body in push_service.arrived
    ]


@pytest.mark.usefixtures("still_clock")
@pytest.mark.parametrize("kind", WORLDS)
def test_a_message_reveals_no_secret(
    kind: str, alice: User, bob: User, push_service: PushSink, outgoing: SmtpSink
) -> None:
    """Worlds that differ in secrets alone send the same, and so do worlds that differ in what the
    reader alone knows: a locked screen shows the message to anybody."""
    events, twin = WORLDS[kind]()
    mine = with_other_own_secrets(events)
    assert twin != events != mine
    one, other, another = (
        sent_in(kind, log, [alice, bob], push_service) for log in (events, twin, mine)
    )
    ((_path, _headers, message),) = one
    assert json.loads(message)["body"] == "It’s your turn"
    assert one == other
    assert one == another


def test_messages_to_this_machine_are_for_tests_alone() -> None:
    def reasons(*, local_mode: bool) -> list[str]:
        return reasons_not_to_start(
            secret_key="Zk3vQ9tW1xB7mN5pL2rT8yU4iO6aS0dF",
            database_url="postgresql:///x",
            broker_url="redis://x",
            site_url="http://localhost",
            hosts=["localhost"],
            local_mode=local_mode,
            debug=False,
            push_to_loopback=True,
            email_url="smtp://localhost",
        )

    assert reasons(local_mode=True) == []
    (reason,) = reasons(local_mode=False)
    assert "PUSH_ALLOW_LOOPBACK" in reason
