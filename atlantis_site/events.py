"""The event process: `python -m atlantis_site.events` pushes changes of tables to open pages.

Pages connect to the web server. Its front passes the connection itself (a file descriptor) over the
Unix socket EVENTS_SOCKET, so a stream costs the front nothing and outlives its restarts. A ticket
that a page got from the web server says which topics its reader may see, in which session; see
games.table_stamps. A stream carries their stamp and nothing else, first at once, then after each
NOTIFY that changes it. It carries nothing before its session was looked up, and ends with it.

A stream that cannot take a line at once is closed: the page connects again, and learns by the stamp
whether it missed anything. While PostgreSQL is away for long, streams are closed and pages poll.
"""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

import psycopg
from django.core.exceptions import ImproperlyConfigured

from atlantis_site import scrubbed_logs
from atlantis_site.connections import allow_many_connections
from atlantis_site.streams import Limits, Streams
from atlantis_site.variables import Env, with_password
from games.table_stamps import (
    CHANNEL,
    GONE,
    LOBBY,
    SELECT_LOBBY,
    SELECT_SESSIONS,
    SELECT_STATES,
    SELECT_TALK_STATES,
)

logger = logging.getLogger("atlantis_site.events")

PAUSE_SECONDS = 1.0  # before another try, where no descriptor was free
MOST_REQUEST = 20_000  # bytes that the front passes with a connection
# A server that has vanished from the network is noticed within half a minute.
OPTIONS: dict[str, Any] = {
    "application_name": "atlantis events",
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}

# -- PostgreSQL --------------------------------------------------------------------------------


class Listener:
    """Follows NOTIFY on one direct connection, and looks up states. Connects again after any
    loss."""

    def __init__(self, url: str, streams: Streams) -> None:
        self.url = url
        self.streams = streams
        self._lost = time.monotonic()

    async def run(self) -> None:
        """Listen for ever."""
        pause = 0.2
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError, TimeoutError) as error:
                if self.streams.ready:
                    self._lost, pause = time.monotonic(), 0.2
                self.streams.ready = False
                logger.warning("PostgreSQL: %s", type(error).__name__)
            if time.monotonic() - self._lost > self.streams.limits.outage_seconds:
                self.streams.close_all()
            await asyncio.sleep(pause)
            pause = min(pause * 2, 5)

    async def _listen(self) -> None:
        seconds = self.streams.limits.database_seconds
        async with asyncio.timeout(2 * seconds):
            connection = await psycopg.AsyncConnection.connect(
                self.url, autocommit=True, connect_timeout=max(2, int(seconds)), **OPTIONS
            )
        try:
            async with asyncio.timeout(seconds):
                await connection.execute(f"LISTEN {CHANNEL}")
            # Look up earlier changes; from now on nothing is missed.
            self.streams.unknown.update(self.streams.topics)
            checked = 0.0
            while True:
                if self.streams.unknown or time.monotonic() - checked > 10:
                    async with asyncio.timeout(seconds):
                        await self._look_up(connection)
                    checked = time.monotonic()
                    if not self.streams.ready:
                        self.streams.ready = True
                        logger.info("Listening.")
                async for found in connection.notifies(timeout=self.streams.limits.round_seconds):
                    topic, _space, state = found.payload.partition(" ")
                    if topic == LOBBY:
                        self.streams.unknown.update({LOBBY} & set(self.streams.topics))
                    else:
                        self.streams.changed(topic, state)
        finally:
            connection.pgconn.finish()  # does not block

    async def _look_up(self, connection: psycopg.AsyncConnection[tuple[Any, ...]]) -> None:
        """Ask for the states of all topics and sessions that are not known; also to see that
        anybody answers."""
        topics = sorted(self.streams.unknown)
        self.streams.unknown.clear()
        if LOBBY in topics:
            for (state,) in await (await connection.execute(SELECT_LOBBY)).fetchall():
                self.streams.changed(LOBBY, state)
        cursor = await connection.execute(
            f"{SELECT_STATES} UNION ALL {SELECT_TALK_STATES} UNION ALL {SELECT_SESSIONS}",
            [topics, topics, topics],
        )
        found = dict(await cursor.fetchall())
        for topic in topics:
            if topic != LOBBY:
                self.streams.changed(topic, found.get(topic, GONE))


# -- the socket of the front -------------------------------------------------------------------


class FrontSocket:
    """Takes connections from the front over a Unix socket, and answers checks of our health."""

    def __init__(self, streams: Streams) -> None:
        self.streams = streams
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, listener: socket.socket) -> None:
        """Take connections for ever."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                caller, _address = await loop.sock_accept(listener)
            except OSError as error:  # the streams go on, and pages without one poll
                logger.warning("No connection could be taken: %s", error.strerror)
                await asyncio.sleep(PAUSE_SECONDS)
                continue
            task = asyncio.create_task(self._take(caller))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _take(self, caller: socket.socket) -> None:
        request, clients = b"", list[int]()
        try:
            with caller:
                caller.setblocking(False)
                async with asyncio.timeout(self.streams.limits.request_seconds):
                    while len(request) <= MOST_REQUEST and b"\n" not in request:
                        await _readable(caller)
                        data, sent, _flags, _address = socket.recv_fds(caller, MOST_REQUEST, 1)
                        clients += sent
                        if not data:
                            return
                        request += data
                if request == b"health\n":
                    word = b"ok" if self.streams.ready else b"not listening to PostgreSQL"
                    caller.send(word)
                elif clients:
                    client = socket.socket(fileno=clients.pop())
                    client.setblocking(False)
                    self.streams.open(client, request)
        except (TimeoutError, OSError) as error:
            logger.warning("A connection from the web server: %s", type(error).__name__)
        finally:
            for descriptor in clients:
                os.close(descriptor)


async def _readable(caller: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(caller, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(caller)


def listen_on(path: str) -> socket.socket:
    """Listen on the Unix socket `path`, in place of an earlier process that was killed."""
    listener = socket.socket(socket.AF_UNIX)
    fresh = f"{path}.{os.getpid()}"
    Path(fresh).unlink(missing_ok=True)
    listener.bind(fresh)
    Path(fresh).chmod(0o600)
    listener.listen(1024)
    Path(fresh).rename(path)
    listener.setblocking(False)
    return listener


async def serve(path: str, url: str, streams: Streams) -> None:
    """Serve until a signal."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    listener = listen_on(path)
    tasks = [
        asyncio.create_task(part)
        for part in (
            Listener(url, streams).run(),
            FrontSocket(streams).run(listener),
            streams.beat(),
        )
    ]
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait([stopped, *tasks], return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        if task.done():
            task.result()  # raises: none of them ends by itself
        task.cancel()
    streams.close_all()
    listener.close()
    Path(path).unlink(missing_ok=True)


def configured(env: Env) -> tuple[str, str, Streams]:
    """Return the path of our socket, the URL of PostgreSQL, and the streams, none of them open yet.

    Raises ImproperlyConfigured.
    """
    path = env.str("EVENTS_SOCKET", default="")
    if not path:
        raise ImproperlyConfigured(
            "EVENTS_SOCKET must name the Unix socket at which the web server finds this process: "
            "/run/atlantis/events"
        )
    url = env.str("EVENTS_DATABASE_URL", default="")
    if not url and env.switch("PGBOUNCER"):
        raise ImproperlyConfigured(
            "EVENTS_DATABASE_URL must be the address of PostgreSQL itself: LISTEN does not work "
            "through pgbouncer in transaction mode."
        )
    url = with_password(url or env.str("DATABASE_URL"), env.str("DATABASE_PASSWORD", default=""))
    keys = env.str("SECRET_KEY"), *env.list("SECRET_KEY_FALLBACKS", default=[])
    return path, url, Streams(Limits(), keys, trust_proxy=env.switch("TRUST_PROXY"))


def main() -> int:
    """Run; return 0 after a signal, 1 with a message if a variable is wrong."""
    scrubbed_logs.configure()
    try:
        path, url, streams = configured(Env())
    except ImproperlyConfigured as error:
        print(f"The event process is not configured correctly. {error}", file=sys.stderr)
        return 1
    allow_many_connections()
    gc.freeze()
    asyncio.run(serve(path, url, streams))
    return 0


if __name__ == "__main__":
    sys.exit(main())
