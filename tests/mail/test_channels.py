"""News of a circle is posted to its channel at Discord, Slack or ntfy."""

import json
import re
from datetime import timedelta

import dns.resolver
import pytest
from django.core import signing
from django.test import Client
from pytest_django import Settings

from games import services
from games.mail import channels, queue
from games.models import ChannelPost, Circle, Game, OutboxMail, User, database_clock
from games.services import NotAllowed, QuotaExceeded, ServiceError
from games.web.decorators import COOKIE, COOKIE_SALT
from tests.factories import person, play_one, play_to_the_end, table_of
from tests.support import name_server
from tests.support.emails import written
from tests.support.pages import signed_in, text
from tests.support.push_sink import PushSink

pytestmark = pytest.mark.django_db

DISCORD, SLACK, NTFY = "/api/webhooks/1/tokenABCD", "/services/T/B/tokenABCD", "/topicABCD"


@pytest.fixture
def circle(alice: User, bob: User) -> Circle:
    """Alice founded it, and Bob has joined."""
    made = services.circle_create(founder=alice, name="Sunday table")
    return services.circle_join(token=made.join_token, user=bob)


def connect(circle: Circle, sink: PushSink, path: str = NTFY, *, turns: bool = False) -> None:
    address = f"https://127.0.0.1:{sink.port}{path}"
    assert circle.founder is not None
    services.circle_channel(circle_id=circle.pk, by=circle.founder, address=address, turns=turns)
    circle.refresh_from_db()


def said(sink: PushSink) -> list[str]:
    """Post what waits; the messages that arrived, the last part of each."""
    channels.drain()
    return [body.decode() for _path, _headers, body in sink.arrived]


def news(circle: Circle, count: int, *people: User) -> None:
    """This many tables of the circle are open."""
    table = table_of(*people, seats=4, circle_id=circle.pk)
    ChannelPost.objects.all().delete()
    now = database_clock.now()
    ChannelPost.objects.bulk_create(
        ChannelPost(circle=circle, game=table, about="open", seq=n, created_at=now, next_try_at=now)
        for n in range(1, count + 1)
    )


def test_an_open_table_and_the_end_of_a_game_are_posted(
    circle: Circle, alice: User, bob: User, push_service: PushSink
) -> None:
    connect(circle, push_service)
    game = table_of(alice, seats=2, circle_id=circle.pk)
    link = f"/circles/{circle.public_id}/"
    (opened,) = said(push_service)
    assert f"“{game.name}” is open, with 1 free seat." in opened
    assert opened.endswith(link)
    services.game_join(game_id=game.pk, user=bob, token=game.invite_token)
    ended = play_to_the_end(game)
    _opened, over = said(push_service)
    points = dict(zip(("Alice", "Bob"), ended.scores or (), strict=True))
    assert f"“{game.name}” has ended." in over
    assert all(f"{name} ({score})" in over for name, score in points.items())
    assert "1. " in over
    assert "1 game" in over
    assert not [word for word in (game.invite_token, "@example.org", "/t/") if word in over]


def test_a_turn_is_posted_only_where_that_is_wanted(
    circle: Circle, alice: User, bob: User, push_service: PushSink
) -> None:
    connect(circle, push_service)
    table_of(alice, bob, circle_id=circle.pk)
    assert said(push_service) == []
    connect(circle, push_service, turns=True)
    game = table_of(alice, bob, circle_id=circle.pk)
    assert "waiting for Alice." in said(push_service)[-1]
    play_one(game)
    assert "waiting for Bob." in said(push_service)[-1]
    assert len(push_service.arrived) == 2
    play_one(game)
    play_one(game)
    assert "waiting for Bob." in said(push_service)[-1]
    assert len(push_service.arrived) == 3, "the turn of Alice was over before"


def test_tables_that_are_not_for_the_circle_are_not_posted(
    circle: Circle, alice: User, bob: User, push_service: PushSink
) -> None:
    connect(circle, push_service, turns=True)
    play_to_the_end(table_of(alice, bob))
    services.circle_close(circle_id=circle.pk, by=alice)
    assert not ChannelPost.objects.exists()


def test_a_table_that_has_filled_in_the_meantime_is_not_posted_as_open(
    circle: Circle, alice: User, bob: User, push_service: PushSink
) -> None:
    connect(circle, push_service)
    game = table_of(alice, seats=2, circle_id=circle.pk)
    services.game_join(game_id=game.pk, user=bob, token=game.invite_token)
    assert said(push_service) == []
    assert not ChannelPost.objects.exists()


@pytest.mark.parametrize("name", ["@everyone", "<!channel>", "<@123>", "**Bob** & [x](https://x)"])
def test_a_name_mentions_nobody(
    circle: Circle, alice: User, bob: User, push_service: PushSink, name: str
) -> None:
    User.objects.filter(pk=alice.pk).update(display_name=name)
    alice.refresh_from_db()
    for path in (DISCORD, SLACK):
        connect(circle, push_service, path, turns=True)
        game = table_of(alice, bob, circle_id=circle.pk)
        Game.objects.filter(pk=game.pk).update(name=name)
        said(push_service)
    discord, slack = (json.loads(body) for _path, _headers, body in push_service.arrived)
    assert discord["allowed_mentions"] == {"parse": []}
    plain = re.sub("[\\\\\u2060]", "", discord["content"])
    assert f"“{name}”: waiting for {name}." in plain
    assert not re.search(r"(?<!\\)[@<*\[]", discord["content"])
    assert "<" not in slack["text"]
    assert slack["mrkdwn"] is False


@pytest.mark.parametrize(
    "name", ["https://a.example/x", "www.a.example", "a.example", "x@a.example"]
)
def test_a_name_is_no_link(
    circle: Circle, alice: User, bob: User, push_service: PushSink, name: str
) -> None:
    User.objects.filter(pk=alice.pk).update(display_name=name)
    connect(circle, push_service, turns=True)
    alice.refresh_from_db()
    table_of(alice, bob, circle_id=circle.pk)
    (post,) = said(push_service)
    words, link = post.rsplit("\n", 1)
    assert f"waiting for {name}." in words.replace("\u2060", "")
    assert not re.search(r"\w([.:@])[\w/]", words)
    assert link == queue.circle_link(circle)


def test_a_message_has_at_most_500_characters_and_keeps_its_link(
    circle: Circle, alice: User, push_service: PushSink
) -> None:
    for path in (DISCORD, SLACK, NTFY):
        connect(circle, push_service, path)
        news(circle, 19, alice)
        ChannelPost.objects.update(sent=True)
        Circle.objects.filter(pk=circle.pk).update(name="&" * 60)
        channels._post(Circle.objects.get(pk=circle.pk), "<_&>" * 300)
    bodies = [body.decode() for _path, _headers, body in push_service.arrived]
    texts = [json.loads(bodies[0])["content"], json.loads(bodies[1])["text"], bodies[2]]
    assert all(450 < len(one) <= 500 for one in texts)
    assert all(one.endswith(f"…\n{queue.circle_link(circle)}") for one in texts)


def test_more_than_twenty_messages_an_hour_are_merged(
    circle: Circle, alice: User, push_service: PushSink
) -> None:
    connect(circle, push_service)
    news(circle, 30, alice)
    assert len(said(push_service)) == 20
    assert push_service.arrived[-1][2].decode().count("is open") > 5
    assert not ChannelPost.objects.filter(sent=False).exists()
    news_before = len(push_service.arrived)
    table_of(alice, seats=3, circle_id=circle.pk)
    assert len(said(push_service)) == news_before, "it waits for the end of the hour"
    waiting = ChannelPost.objects.get(sent=False)
    assert waiting.next_try_at > database_clock.now() + timedelta(minutes=55)


def test_news_is_posted_once_and_tried_again(
    circle: Circle, alice: User, push_service: PushSink
) -> None:
    connect(circle, push_service)
    push_service.status = 500
    table_of(alice, seats=2, circle_id=circle.pk)
    assert len(said(push_service)) == 1
    push_service.status = 429
    ChannelPost.objects.update(next_try_at=database_clock.now())
    assert len(said(push_service)) == 2
    push_service.status = 204
    ChannelPost.objects.update(next_try_at=database_clock.now())
    assert len(said(push_service)) == 3
    assert len(said(push_service)) == 3


def test_news_that_is_a_day_old_is_forgotten(
    circle: Circle, alice: User, push_service: PushSink
) -> None:
    connect(circle, push_service)
    table_of(alice, seats=2, circle_id=circle.pk)
    ChannelPost.objects.update(created_at=database_clock.now() - timedelta(days=1, minutes=1))
    assert said(push_service) == []
    assert not ChannelPost.objects.exists()


@pytest.mark.parametrize("status", [404, 410])
def test_a_channel_that_is_gone_is_switched_off_and_the_founder_is_told(
    circle: Circle, alice: User, push_service: PushSink, status: int
) -> None:
    connect(circle, push_service, DISCORD)
    push_service.status = status
    table_of(alice, seats=2, circle_id=circle.pk)
    assert len(said(push_service)) == 1
    circle.refresh_from_db()
    assert circle.channel == ""
    (mail,) = OutboxMail.objects.filter(kind="account", user=alice)
    read = written(mail)
    assert "Sunday table" in mail.context["subject"]
    assert "127.0.0.1 …ABCD" in read.text
    assert DISCORD not in read.text


def test_no_redirect_is_followed(circle: Circle, alice: User, push_service: PushSink) -> None:
    connect(circle, push_service)
    push_service.status = 307
    table_of(alice, seats=2, circle_id=circle.pk)
    said(push_service)
    assert [path for path, _headers, _body in push_service.arrived] == [NTFY]


# -- the address ---------------------------------------------------------------------------------

HOSTILE = [
    "http://discord.com/api/webhooks/1/x",
    "ftp://discord.com/x",
    "//discord.com/x",
    "discord.com/api/webhooks/1/x",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "gopher://ntfy.sh/x",
    "https://",
    "https:///x",
    "https://127.0.0.1/x",
    "https://127.1/x",
    "https://2130706433/x",
    "https://0x7f.0.0.1/x",
    "https://0.0.0.0/x",
    "https://localhost/x",
    "https://10.0.0.1/x",
    "https://172.16.0.1/x",
    "https://192.168.1.1/x",
    "https://100.64.0.1/x",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/x",
    "https://[::ffff:10.0.0.1]/x",
    "https://[::ffff:169.254.169.254]/x",
    "https://[fe80::1]/x",
    "https://[fd00::1]/x",
    "https://93.184.216.34/x",
    "https://discord.com@127.0.0.1/x",
    "https://me:secret@discord.com/x",
    "https://discord.com:8443/x",
    "https://discord.com.example.net/x",
    "https://xdiscord.com/x",
    "https://example.org/api/webhooks/1/x",
    "https://discord.com/a b",
    "https://discord.com/x\r\nHost: example.org",
    "https://discord.com/é",
    f"https://ntfy.sh/{'x' * 1000}",
]


@pytest.mark.parametrize("address", HOSTILE)
def test_a_hostile_address_is_refused_everywhere(
    circle: Circle, alice: User, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """When it is saved, by a test, and by a delivery if it came into the row in another way."""
    opened: list[object] = []
    monkeypatch.setattr("socket.create_connection", lambda *args, **_more: opened.append(args))
    with pytest.raises(ServiceError, match=r"(?i)address"):
        services.circle_channel(circle_id=circle.pk, by=alice, address=address, turns=False)
    circle.channel_address = address
    circle.save(update_fields=["channel"])
    assert not services.circle_channel_test(circle_id=circle.pk, by=alice)
    table_of(alice, seats=2, circle_id=circle.pk)
    channels.drain()
    assert not ChannelPost.objects.get().sent
    assert opened == []


@pytest.mark.parametrize(
    ("address", "wrong"),
    [
        ("https://discord.com/channels/1/2", "Discord webhook"),
        ("https://discord.com/invite/xyz", "Discord webhook"),
        ("https://discord.com/", "Discord webhook"),
        ("https://discord.com/topic", "Discord webhook"),
        ("https://hooks.slack.com/topic", "Slack webhook"),
        ("https://ntfy.sh", "one topic"),
        ("https://ntfy.sh/", "one topic"),
        ("https://ntfy.sh/one/two", "one topic"),
        ("https://ntfy.sh:8443/topic", "without a port"),
        ("https://ntfy.sh/my topic", "characters"),
        ("https://example.org/topic", r"discord\.com, hooks\.slack\.com and ntfy\.sh"),
        ("http://ntfy.sh/topic", "with https"),
        ("", "Enter the address"),
    ],
)
def test_what_is_wrong_with_an_address_is_said(
    circle: Circle, alice: User, address: str, wrong: str
) -> None:
    with pytest.raises(ServiceError, match=wrong):
        services.circle_channel(circle_id=circle.pk, by=alice, address=address, turns=False)


@pytest.mark.parametrize("host", ["169.254.169.254", "10.0.0.1", "::1", "::ffff:10.0.0.1"])
def test_a_known_host_with_a_private_address_is_not_connected_to(
    circle: Circle, alice: User, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    opened: list[object] = []
    kind = "AAAA" if ":" in host else "A"
    with name_server.running({("ntfy.sh", kind): [host]}) as place:
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = [place.partition(":")[0]], int(place.split(":")[1])
        monkeypatch.setattr(dns.resolver, "default_resolver", resolver)
        monkeypatch.setattr("socket.create_connection", lambda *args, **_more: opened.append(args))
        address = "https://ntfy.sh/topic"
        services.circle_channel(circle_id=circle.pk, by=alice, address=address, turns=False)
        assert not services.circle_channel_test(circle_id=circle.pk, by=alice)
    assert opened == []


def test_an_operator_adds_hosts(circle: Circle, alice: User, settings: Settings) -> None:
    settings.CHANNEL_HOSTS = ["ntfy.example.org"]
    address = "https://ntfy.example.org/topic"
    services.circle_channel(circle_id=circle.pk, by=alice, address=address, turns=False)
    with pytest.raises(ServiceError, match=r"ntfy\.example\.org"):
        services.circle_channel(
            circle_id=circle.pk, by=alice, address="https://ntfy.sh/x", turns=False
        )


def test_the_address_is_encrypted_and_never_shown(
    circle: Circle, alice: User, bob: User, push_service: PushSink
) -> None:
    connect(circle, push_service, DISCORD)
    assert "webhooks" not in circle.channel
    assert circle.channel_shown == "127.0.0.1 …ABCD"
    for user in (alice, bob):
        page = text(signed_in(user).get(f"/circles/{circle.public_id}/"))
        assert "127.0.0.1 …ABCD" in page
        assert "webhooks/1" not in page


def test_an_address_that_cannot_be_decrypted_is_none(
    circle: Circle, alice: User, push_service: PushSink, settings: Settings
) -> None:
    connect(circle, push_service)
    settings.DATA_KEY = "another key of this service, long enough"
    assert circle.channel_address == circle.channel_shown == ""
    table_of(alice, seats=2, circle_id=circle.pk)
    assert said(push_service) == []


def test_the_founder_alone_sets_tests_and_removes_the_channel(
    circle: Circle, alice: User, bob: User, push_service: PushSink
) -> None:
    path = f"/circles/{circle.public_id}/"
    address = f"https://127.0.0.1:{push_service.port}{NTFY}"
    client, other = signed_in(alice), signed_in(bob)
    assert "Webhook" not in text(other.get(path))
    other.post(path, {"channel": "1", "channel_address": address})
    circle.refresh_from_db()
    assert not circle.channel
    client.post(path, {"channel": "1", "channel_address": address, "turns": "1"})
    client.post(path, {"channel": "1", "channel_address": ""})  # the address stays
    circle.refresh_from_db()
    assert (circle.channel_address, circle.channel_turns) == (address, False)
    assert "The test has arrived." in text(client.post(path, {"channel_test": "1"}, follow=True))
    push_service.status = 500
    failed = text(client.post(path, {"channel_test": "1"}, follow=True))
    assert "The test did not arrive." in failed
    with pytest.raises(NotAllowed):
        services.circle_channel_test(circle_id=circle.pk, by=bob)
    client.post(path, {"channel_remove": "1"})
    circle.refresh_from_db()
    assert not circle.channel


def test_a_refused_address_stays_in_its_own_field_and_nowhere_else(
    circle: Circle, alice: User
) -> None:
    path, client = f"/circles/{circle.public_id}/", signed_in(alice)
    secret = "https://discord.example/api/webhooks/1/secret"
    form = {"channel": "1", "channel_address": secret, "turns": "1"}
    shown = text(client.post(path, form))
    assert f'name="channel_address" value="{secret}"' in shown
    assert shown.count(secret) == 1
    assert re.search(r'name="turns"[^>]* checked', shown)
    assert secret not in text(client.get(path)) + str(dict(client.session))
    visitor = Client()
    visitor.post(path, form)
    assert visitor.get(path).status_code == 302
    assert "secret" not in str(signing.loads(visitor.cookies[COOKIE].value, salt=COOKIE_SALT))


def test_a_test_saves_the_address_beside_its_button(
    circle: Circle, alice: User, push_service: PushSink
) -> None:
    connect(circle, push_service, "/gone")
    address = f"https://127.0.0.1:{push_service.port}{NTFY}"
    form = {"channel_test": "1", "channel_address": address}
    signed_in(alice).post(f"/circles/{circle.public_id}/", form)
    circle.refresh_from_db()
    assert circle.channel_address == address
    assert [path for path, _headers, _body in push_service.arrived] == [NTFY]


def test_the_founder_reads_that_the_last_message_has_not_arrived(
    circle: Circle, alice: User, bob: User, push_service: PushSink
) -> None:
    connect(circle, push_service)
    push_service.status = 500
    table_of(alice, seats=2, circle_id=circle.pk)
    path, problem = f"/circles/{circle.public_id}/", "did not arrive"
    assert problem not in text(signed_in(alice).get(path))
    channels.drain()
    assert problem in text(signed_in(alice).get(path))
    assert problem not in text(signed_in(bob).get(path))
    push_service.status = 200
    ChannelPost.objects.update(next_try_at=database_clock.now())
    channels.drain()
    assert problem not in text(signed_in(alice).get(path))


def test_before_joining_and_later_it_is_said_what_is_posted(
    circle: Circle, bob: User, push_service: PushSink
) -> None:
    invited = signed_in(person("Zoe"))

    def said_to_all(sentence: str) -> bool:
        shown = (
            text(signed_in(bob).get(f"/circles/{circle.public_id}/")),
            text(invited.get(f"/circles/join/{circle.join_token}/")),
        )
        return all(f"At present, {sentence}" in page for page in shown)

    assert said_to_all("none of this is posted.")
    connect(circle, push_service)
    assert said_to_all("all of this is posted except whose turn it is.")
    connect(circle, push_service, turns=True)
    assert said_to_all("all of this is posted.")


def test_who_makes_a_table_reads_that_a_channel_has_the_results(
    circle: Circle, bob: User, push_service: PushSink
) -> None:
    only, posted = "only they can see the results", "the readers of its channel can see the results"
    form = text(signed_in(bob).get("/new/"))
    assert only in form
    assert posted not in form
    connect(circle, push_service)
    form = text(signed_in(bob).get("/new/"))
    assert only not in form
    assert posted in form


def test_tests_of_a_channel_are_limited(
    circle: Circle, alice: User, push_service: PushSink
) -> None:
    connect(circle, push_service)
    for _test in range(5):
        services.circle_channel_test(circle_id=circle.pk, by=alice)
    with pytest.raises(QuotaExceeded):
        services.circle_channel_test(circle_id=circle.pk, by=alice)


def test_a_game_that_is_cancelled_is_not_posted(
    circle: Circle, alice: User, bob: User, mona: User, push_service: PushSink
) -> None:
    connect(circle, push_service)
    game = table_of(alice, bob, circle_id=circle.pk)
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "x"))
    assert said(push_service) == []
