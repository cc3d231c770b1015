"""Open pages learn of changes at once, and of nothing that their readers may not know."""

import asyncio
import json
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.core.signing import TimestampSigner
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from atlantis_site.events import FrontSocket, listen_on
from atlantis_site.front import Limits as FrontLimits
from atlantis_site.streams import Limits, Streams
from atlantis_site.supervisor.children import Child
from games import selectors, services
from games.models import Game, Message, User
from games.services import moves
from games.services.locked_game import LockedGame
from games.table_stamps import LOBBY, TICKET_SALT, stamp, ticket_body
from tests.factories import fresh, person, play_one, table_of
from tests.support.accounts import session_key_of, sign_in
from tests.support.escape_games import escape_table, play_line
from tests.support.fronts import GET, Stage, left_in, status_of, with_front
from tests.support.indistinguishable_games import atlantis, escape, move_alike, world
from tests.support.pages import signed_in
from tests.support.processes import PATIENCE, LiveSite, events_answer, wait_for
from tests.support.rolled_back import rolled_back
from tests.support.turn_links import turn_link_browser

KEY = "only for tests, never for people"


def answer_for(user: User | None, path: str) -> dict[str, Any]:
    client = Client() if user is None else signed_in(user)
    found: dict[str, Any] = client.get(path).json()
    return found


def stamp_for(user: User | None, game: Game) -> str:
    return str(answer_for(user, f"/g/{game.public_id}/version")["stamp"])


# -- streams of the real site ------------------------------------------------------------------


class Listener:
    """A page that keeps the stream of this address open."""

    def __init__(self, site: LiveSite, path: str, last: str = "") -> None:
        self.socket = socket.create_connection(("127.0.0.1", urlsplit(site.url).port or 0), 60)
        lines = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1", "Accept: text/event-stream"]
        lines += [f"Last-Event-ID: {last}"] if last else []
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.file = self.socket.makefile("r", encoding="utf-8", newline="\n")

    def next_stamp(self) -> str:
        while not (line := self.file.readline()).startswith("data: "):
            assert line, "the stream ended"
        return line.removeprefix("data: ").strip()

    def await_stamp(self, stamp: str) -> None:
        """Read on up to this stamp: what happened before the page was open may come first."""
        while self.next_stamp() != stamp:
            pass

    def rest(self) -> list[str]:
        """The last two lines of the stream, which must end before many signs of life."""
        lines: list[str] = []
        while line := self.file.readline():
            lines += [line.strip()] if line.strip() else []
            assert lines.count("event: alive") < 10, "the stream goes on"
        return lines[-2:]

    def close(self) -> None:
        self.file.close()
        self.socket.close()


@pytest.fixture
def address(settings: Settings, live_site: LiveSite, event_process: Child) -> Any:
    """address(alice, path): where the stream of a page is."""
    settings.EVENTS_SOCKET = "somewhere"
    return lambda user, path: answer_for(user, path)["events"]


def test_an_open_page_is_notified_of_a_move_and_of_a_note(
    live_site: LiveSite, address: Any, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    with closing(Listener(live_site, address(None, f"/g/{game.public_id}/version"))) as page:
        page.await_stamp(stamp_for(None, game))
        play_one(game)
        assert page.next_stamp() == stamp_for(None, fresh(game)) == f"{fresh(game).version}.0"
        with transaction.atomic():
            moves.note_add_locked(LockedGame(game.pk), alice, "Hello")
        assert page.next_stamp() == stamp_for(None, game)
        Message.objects.get().delete()
        assert page.next_stamp() == f"{fresh(game).version}.0"


def test_the_pages_of_players_are_notified_of_a_message_and_those_of_spectators_are_not(
    live_site: LiveSite, address: Any, alice: User, bob: User, dave: User
) -> None:
    game = table_of(alice, bob)
    path = f"/g/{game.public_id}/version"
    with (
        closing(Listener(live_site, address(bob, path))) as player,
        closing(Listener(live_site, address(dave, path))) as spectator,
    ):
        before = stamp_for(bob, game)
        player.await_stamp(before)
        spectator.await_stamp(stamp_for(dave, game))
        services.message_write(game_id=game.pk, user=alice, text="Hello")
        assert player.next_stamp() == stamp_for(bob, game) != before
        play_one(game)
        assert spectator.next_stamp() == f"{fresh(game).version}.0"  # the next that it hears


def test_the_first_page_is_notified_of_new_tables_and_of_own_games(
    live_site: LiveSite, address: Any, alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, is_open=False)
    with closing(Listener(live_site, address(alice, "/stamp"))) as page:
        first = page.next_stamp()
        play_one(game)
        second = page.next_stamp()
        table_of(carol, seats=2)
        third = page.next_stamp()
    assert len({first, second, third}) == 3
    assert third == answer_for(alice, "/stamp")["stamp"]


def test_a_page_that_connects_again_learns_only_what_it_missed(
    live_site: LiveSite, address: Any, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    path = address(bob, f"/g/{game.public_id}/version")
    with closing(Listener(live_site, path, last=stamp_for(bob, game))) as page:
        play_one(game)
        assert page.next_stamp() == stamp_for(bob, fresh(game))


def lose_the_connection_of_events(and_then: str = "SELECT") -> None:
    """End the connection of the event process to PostgreSQL, and do this before it is back."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'atlantis events'"
        )
        assert cursor.rowcount == 1
        cursor.execute(and_then)


def test_nothing_is_missed_while_the_connection_to_postgresql_is_lost(
    live_site: LiveSite, address: Any, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    with closing(Listener(live_site, address(bob, f"/g/{game.public_id}/version"))) as page:
        page.next_stamp()
        lose_the_connection_of_events()
        play_one(game)
        assert page.next_stamp() == stamp_for(bob, fresh(game))
    wait_for(events_answer, "the new connection")


# -- who may follow what -----------------------------------------------------------------------


@pytest.mark.django_db
def test_only_those_who_may_see_a_table_get_a_ticket(
    settings: Settings, alice: User, bob: User, dave: User
) -> None:
    settings.EVENTS_SOCKET = "somewhere"
    game = table_of(alice, bob, is_open=False)
    path = f"/g/{game.public_id}/version"
    assert game.public_id in answer_for(alice, path)["events"]
    assert signed_in(dave).get(path).status_code == Client().get(path).status_code == 404
    assert answer_for(dave, "/stamp")["events"].count(game.public_id) == 0


@pytest.mark.django_db
def test_without_the_event_process_pages_poll(alice: User) -> None:
    assert answer_for(alice, "/stamp")["events"] is None


@pytest.mark.django_db
def test_no_answer_says_which_account_asks(settings: Settings, alice: User) -> None:
    settings.EVENTS_SOCKET = "somewhere"
    person = answer_for(alice, "/stamp")["events"].partition("ticket=")[2].partition("%2C")[0]
    assert len(person) == 16
    assert person != answer_for(None, "/stamp")["events"][16:32]


def by_the_person(client: Client, user: User) -> None:
    client.post("/accounts/logout/")


def everywhere(client: Client, user: User) -> None:
    services.sessions_close(user=user)


def by_a_deletion(client: Client, user: User) -> None:
    services.account_close(user=user)
    User.objects.filter(pk=user.pk).update(closes_at=timezone.now())
    assert services.accounts_delete_due() == 1


def by_a_moderator(client: Client, user: User) -> None:
    root = person("Root", is_staff=True, is_superuser=True)
    services.moderate_suspend(user=user, until=None, ruling=services.Ruling(root, "Abuse"))


@pytest.mark.parametrize("end", [by_the_person, everywhere, by_a_deletion, by_a_moderator])
def test_a_stream_and_its_ticket_end_with_the_session(
    live_site: LiveSite, settings: Settings, event_process: Child, alice: User, bob: User, end: Any
) -> None:
    """They say nothing more, also to a browser that ignores the end."""
    settings.EVENTS_SOCKET = "somewhere"
    game = table_of(bob, person("Carol"))
    clients = [Client(), Client()]
    sign_in(clients[0], alice.email)
    sign_in(clients[1], bob.email)
    path = f"/g/{game.public_id}/version"
    ended, others = (client.get(path).json()["events"] for client in clients)
    key = session_key_of(clients[0])
    assert key is not None and key not in ended
    with (
        closing(Listener(live_site, ended)) as page,
        closing(Listener(live_site, others)) as other,
    ):
        page.next_stamp()
        other.next_stamp()
        end(clients[0], alice)
        assert page.rest() == ["event: renew", "data:"]
        with closing(Listener(live_site, ended)) as again:
            assert again.rest() == ["event: renew", "data:"]
        play_one(game)
        assert other.next_stamp() == stamp_for(bob, fresh(game))


def test_a_session_that_ends_while_postgresql_is_away_takes_its_streams_along(
    live_site: LiveSite, address: Any, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    with closing(Listener(live_site, address(bob, f"/g/{game.public_id}/version"))) as page:
        page.next_stamp()
        lose_the_connection_of_events("DELETE FROM django_session")
        assert page.rest() == ["event: renew", "data:"]
    wait_for(events_answer, "the new connection")


@pytest.mark.django_db
def test_the_reader_of_a_private_table_by_a_link_polls(
    settings: Settings, alice: User, bob: User
) -> None:
    """Nothing announces that the turn of the link is over; each request checks it."""
    settings.EVENTS_SOCKET = "somewhere"
    for is_open in (True, False):
        game = table_of(alice, bob, is_open=is_open)
        found = turn_link_browser(game, alice).get(f"/g/{game.public_id}/version").json()
        assert (found["events"] is not None) == is_open


# -- what the pushes give away -----------------------------------------------------------------


def announcements(queries: CaptureQueriesContext) -> list[str]:
    return [
        line for q in queries.captured_queries for line in q["sql"].split(";\n") if "notify" in line
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("line", ["plan coast", "standing shark from 2"])
def test_a_private_order_is_not_announced(alice: User, bob: User, line: str) -> None:
    game = escape_table(alice, bob)
    before = stamp_for(alice, game)
    with CaptureQueriesContext(connection) as queries:
        play_line(game, bob, line)
    assert announcements(queries) == []
    assert stamp_for(alice, game) == before


@pytest.mark.django_db
def test_a_move_is_announced_alike_with_private_orders_and_without(
    alice: User, bob: User, carol: User
) -> None:
    game = escape_table(alice, bob, carol)
    seen = []
    for orders in ((), ("standing whale always", "standing shark never")):
        with rolled_back():
            for line in orders:
                play_line(game, carol, line)
            with CaptureQueriesContext(connection) as queries:
                play_line(game, alice, "place 6 E5")
            seen.append((announcements(queries), stamp_for(bob, fresh(game))))
    assert seen[0] == seen[1]
    assert len(seen[0][0]) == 1


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "logs"), [("atlantis", atlantis), ("escape", escape)])
def test_worlds_that_differ_in_the_secrets_of_others_are_announced_alike(
    alice: User, bob: User, kind: str, logs: Any
) -> None:
    worlds, seen = logs(), []
    for log in worlds:
        with world(kind, log, [alice, bob]) as game:
            with CaptureQueriesContext(connection) as queries:
                line = move_alike(kind, worlds)
                services.game_play_line(
                    game_id=game.pk, user=alice, seat=0, line=line, version=game.version
                )
            found = selectors.stamp_of((game.public_id, LOBBY))
            seen.append((announcements(queries), stamp_for(alice, game), found))
    assert seen[0] == seen[1]


# -- the event process alone -------------------------------------------------------------------


class FedStreams:
    """Streams without PostgreSQL: a test says what changed."""

    def __init__(self, **limits: Any) -> None:
        self.streams = Streams(Limits(**limits), [KEY], trust_proxy=True)
        self.streams.ready = True
        self.pages: list[socket.socket] = []

    def open(self, ticket: str, *, forwarded: str = "203.0.113.7", **more: str) -> socket.socket:
        """Open a stream, and return the page's end of it."""
        page, ours = socket.socketpair()
        page.settimeout(10)
        ours.setblocking(False)
        asked = {"method": "GET", "target": f"/events/?ticket={ticket}", "last": "", "peer": ""}
        self.streams.open(ours, json.dumps(asked | {"forwarded": forwarded} | more).encode())
        self.pages.append(page)
        return page

    async def until_open(self, number: int) -> None:
        """Wait until no more than this number of streams are open."""
        async with asyncio.timeout(PATIENCE):
            while len(self.streams) > number:
                await asyncio.sleep(0)

    def status(self, ticket: str, **more: str) -> int:
        return status_of(self.open(ticket, **more).recv(1000))


def ticket_for(*topics: str, person: str = "alice", session: str = "") -> str:
    return TimestampSigner(key=KEY, salt=TICKET_SALT).sign(ticket_body(person, session, topics))


@pytest.fixture
def fed_streams() -> Iterator[Any]:
    """fed_streams(person=2): streams with these limits, inside an event loop. Once all pages have
    left, nothing of them may be left."""
    opened: list[FedStreams] = []

    def make(**limits: Any) -> FedStreams:
        opened.append(FedStreams(**limits))
        return opened[-1]

    with asyncio.Runner() as runner:
        make.run = lambda scene: runner.run(scene())  # type: ignore[attr-defined]
        yield make
        for each in opened:
            runner.run(_close(each))


async def _close(fed_streams: FedStreams) -> None:
    for page in fed_streams.pages:
        page.close()
    await fed_streams.until_open(0)
    assert left_in(fed_streams.streams) == {}


def test_a_stream_carries_the_stamp_and_nothing_else(fed_streams: Any) -> None:
    async def scene() -> None:
        here = fed_streams()
        page = here.open(ticket_for("one"))
        assert status_of(page.recv(1000)) == 200
        here.streams.changed("one", "7.0")
        assert page.recv(1000) == b"id: 7.0\ndata: 7.0\n\n"
        here.streams.changed("one", "7.0")
        here.streams.changed("other", "9.0")
        here.streams.changed("one", "8.0")
        assert page.recv(1000) == b"id: 8.0\ndata: 8.0\n\n"

    fed_streams.run(scene)


def test_the_state_of_a_topic_is_forgotten_with_the_last_page_that_followed_it(
    fed_streams: Any,
) -> None:
    """Nobody hears of its changes after that, so what was known is old."""

    async def scene() -> None:
        here = fed_streams()
        streams = here.streams
        pages = [here.open(ticket_for("one")) for _page in range(2)]
        streams.changed("one", "7.0")
        pages[0].close()
        await here.until_open(1)
        assert streams.states == {"one": "7.0"}
        pages[1].close()
        await here.until_open(0)
        assert streams.states == {}
        streams.changed("one", "8.0")
        page = here.open(ticket_for("one"))
        assert page.recv(1000).endswith(b"\n\n")
        assert streams.unknown == {"one"}, "it is looked up"
        streams.changed("one", "8.0")
        assert page.recv(1000) == b"id: 8.0\ndata: 8.0\n\n"

    fed_streams.run(scene)


def test_a_page_of_several_topics_is_notified_once_all_are_known(fed_streams: Any) -> None:
    async def scene() -> None:
        here = fed_streams()
        page = here.open(ticket_for("one", "two"))
        page.recv(1000)
        here.streams.changed("one", "7.0")
        here.streams.changed("two", "3.0")
        found = stamp(["7.0", "3.0"])
        assert page.recv(1000).decode() == f"id: {found}\ndata: {found}\n\n"

    fed_streams.run(scene)


def test_a_ticket_must_be_ours_and_fresh(fed_streams: Any) -> None:
    async def scene() -> None:
        here = fed_streams()
        with time_machine.travel("2027-01-02 03:04", tick=False):
            old = ticket_for("one")
        with time_machine.travel("2027-01-02 03:20", tick=False):
            assert here.status(old) == 403
            assert here.status(ticket_for("one")[:-1] + "!") == 403
            assert here.status(ticket_for("one"), method="POST") == 405
            assert here.status(ticket_for()) == 400
            assert here.status(ticket_for("one"), target="/events/") == 400
            assert here.status(ticket_for("one")) == 200

    fed_streams.run(scene)


def test_the_streams_of_a_person_of_a_network_and_of_all_are_limited(fed_streams: Any) -> None:
    async def scene() -> None:
        here = fed_streams(person=2, network=3, streams=5)
        for _page in range(2):
            assert here.status(ticket_for("one")) == 200
        assert here.status(ticket_for("one")) == 429
        assert here.status(ticket_for("one", person="")) == 200
        assert here.status(ticket_for("one", person="")) == 429
        for place in ("2001:db8::1", "2001:db8:0:ff::2", "2001:db8:0:1ff::2"):
            assert here.status(ticket_for("one", person=""), forwarded=place) in (200, 503)
        assert len(here.streams) == 5
        assert here.status(ticket_for("one", person=""), forwarded="198.51.100.1") == 503
        here.pages[0].close()
        await here.until_open(4)
        assert here.status(ticket_for("one"), forwarded="198.51.100.1") == 200

    fed_streams.run(scene)


def test_nobody_gets_a_stream_while_postgresql_is_away(fed_streams: Any) -> None:
    async def scene() -> None:
        here = fed_streams()
        here.streams.ready = False
        assert here.status(ticket_for("one")) == 503

    fed_streams.run(scene)


def test_a_page_that_takes_nothing_is_let_go(fed_streams: Any) -> None:
    async def scene() -> None:
        here = fed_streams()
        here.open(ticket_for("one"))
        for number in range(20_000):
            if not len(here.streams):
                break
            here.streams.changed("one", f"{number}.0")
        assert len(here.streams) == 0

    fed_streams.run(scene)


def test_a_sign_of_life_comes_now_and_then(fed_streams: Any) -> None:
    async def scene() -> None:
        here = fed_streams(heartbeat_seconds=0.01)
        page = here.open(ticket_for("one"))
        page.recv(1000)
        page.setblocking(False)
        beating = asyncio.create_task(here.streams.beat())
        words = asyncio.get_running_loop().sock_recv(page, 1000)
        assert (await asyncio.wait_for(words, PATIENCE)).startswith(b"event: alive\ndata:\n\n")
        beating.cancel()

    fed_streams.run(scene)


def test_a_used_up_ticket_ends_the_stream_and_the_page_asks_for_another(fed_streams: Any) -> None:
    async def scene() -> None:
        here = fed_streams(heartbeat_seconds=0.01, stream_seconds=0)
        page = here.open(ticket_for("one"))
        page.recv(1000)
        beating = asyncio.create_task(here.streams.beat())
        while len(here.streams):
            await asyncio.sleep(0.01)
        beating.cancel()
        assert page.recv(1000) == b"event: renew\ndata:\n\n"

    fed_streams.run(scene)


def test_the_front_passes_a_connection_on_and_forgets_it(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        streams = Streams(Limits(), [KEY], trust_proxy=True)
        streams.ready = True
        listening = listen_on(str(tmp_path / "events"))
        taking = asyncio.create_task(FrontSocket(streams).run(listening))
        request = f"GET /events/?ticket={ticket_for('one')} HTTP/1.1\r\nHost: games\r\n"
        forwarded = "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 198.51.100.7\r\n\r\n"
        reader, writer = await stage.connect((request + forwarded).encode())
        assert b"text/event-stream" in await reader.readuntil(b"\r\n\r\n")
        assert list(streams._networks) == ["198.51.100.7"]  # the one that the proxy added
        stage.stop.set()
        await asyncio.wait([stage.serving])  # the front has ended, the stream goes on
        streams.changed("one", "7.0")
        await reader.readuntil(b"data: 7.0\n\n")
        assert stage.requests == []
        writer.close()
        streams.close_all()
        taking.cancel()
        listening.close()

    with_front(scene, limits=FrontLimits(), events=str(tmp_path / "events"))


def test_without_the_event_process_a_stream_is_refused_at_once(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        assert status_of(await stage.ask(GET.replace(b"/ ", b"/events/ ") + b"\r\n")) == 503

    with_front(scene, events=str(tmp_path / "nobody"))


@contextmanager
def no_free_descriptor() -> Iterator[None]:
    """This process can open no file and take no connection."""
    free = os.dup(0)
    os.close(free)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_without_a_free_descriptor_it_waits_for_one(
    fed_streams: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    monkeypatch.setattr("atlantis_site.events.PAUSE_SECONDS", 0.01)
    path = str(tmp_path / "events")

    async def scene() -> None:
        listener = listen_on(path)
        taking = asyncio.create_task(FrontSocket(fed_streams().streams).run(listener))
        with closing(socket.socket(socket.AF_UNIX)) as caller, closing(listener):
            with no_free_descriptor():
                caller.connect(path)
                async with asyncio.timeout(PATIENCE):
                    while not caplog.messages and not taking.done():
                        await asyncio.sleep(0.01)
            assert "Too many open files" in caplog.text
            caller.send(b"health\n")
            caller.setblocking(False)
            answer = asyncio.get_running_loop().sock_recv(caller, 100)
            assert await asyncio.wait_for(answer, PATIENCE) == b"ok"
            taking.cancel()

    fed_streams.run(scene)
