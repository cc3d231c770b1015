"""Open event streams by topic: who may open one, which changes it receives, and when it ends. See
`events`."""

import asyncio
import contextlib
import json
import random
import socket
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

from django.core.signing import BadSignature, TimestampSigner

from atlantis_site.connections import network_of
from games.table_stamps import (
    GONE,
    MOST_TOPICS,
    TICKET_SALT,
    TICKET_SECONDS,
    read_ticket_body,
    stamp,
)

HEADERS = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
    b"X-Accel-Buffering: no\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
)


@dataclass(frozen=True)
class Limits:
    """Numbers of streams, and seconds."""

    streams: int = 8_000
    person: int = 16
    network: int = 250  # a school or a company may have one address
    heartbeat_seconds: float = 20  # less than the time limits of the proxies in our documentation
    stream_seconds: float = TICKET_SECONDS  # at most; some end earlier, so that not all end at once
    request_seconds: float = 2
    database_seconds: float = 5  # for each answer of PostgreSQL
    round_seconds: float = 0.5  # after which new topics are looked up
    outage_seconds: float = 30  # without PostgreSQL, then pages poll


class Refused(Exception):
    """The connection gets no stream. The argument is an HTTP status."""

    def __init__(self, status: int) -> None:
        self.status = status


class Stream:
    """One open page."""

    __slots__ = ("followed", "network", "person", "sent", "session", "socket", "topics", "until")

    def __init__(
        self, client: socket.socket, session: str, topics: tuple[str, ...], until: float
    ) -> None:
        self.socket = client
        self.session = session  # its digest, "" for a visitor
        self.topics = topics
        self.followed = (*topics, session) if session else topics
        self.until = until  # by time.monotonic
        self.person = self.network = ""
        self.sent = ""  # the last stamp


class Streams:
    """All open streams, by topic."""

    def __init__(self, limits: Limits, keys: Sequence[str], *, trust_proxy: bool) -> None:
        """keys: SECRET_KEY, then its fallbacks."""
        self.limits = limits
        self.trust_proxy = trust_proxy
        self.states: dict[str, str] = {}
        self.unknown: set[str] = set()  # topics whose state is to be looked up
        self.ready = False
        self._signer = TimestampSigner(key=keys[0], fallback_keys=list(keys[1:]), salt=TICKET_SALT)
        self._by_topic: dict[str, set[Stream]] = {}
        self._all: dict[Stream, None] = {}
        self._persons: Counter[str] = Counter()
        self._networks: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._all)

    @property
    def topics(self) -> list[str]:
        return list(self._by_topic)

    # -- coming and going ------------------------------------------------------------------

    def open(self, client: socket.socket, request: bytes) -> None:
        """Answer a request of the front: a stream, or a refusal."""
        try:
            stream = self._admit(client, request)
        except Refused as refused:
            phrase = HTTPStatus(refused.status).phrase
            head = f"HTTP/1.1 {refused.status} {phrase}\r\nContent-Length: 0\r\n"
            with contextlib.suppress(OSError):
                client.send(f"{head}Cache-Control: no-store\r\nConnection: close\r\n\r\n".encode())
            client.close()
            return
        self._all[stream] = None
        self._persons[stream.person] += 1
        self._networks[stream.network] += 1
        for topic in stream.followed:
            self._by_topic.setdefault(topic, set()).add(stream)
            if topic not in self.states:
                self.unknown.add(topic)
        asyncio.get_running_loop().add_reader(client, self._heard, stream)
        retry = 2000 + random.randrange(4000)  # noqa: S311 (spreads pages that connect again)
        if self._send(stream, HEADERS + b"retry: %d\n\n" % retry):
            self._tell(stream)

    def _admit(self, client: socket.socket, request: bytes) -> Stream:
        try:
            asked = json.loads(request)
            method, target = str(asked["method"]), urlsplit(str(asked["target"]))
            (ticket,) = parse_qs(target.query, max_num_fields=4)["ticket"]
            last, peer = str(asked["last"]), str(asked["peer"])
            forwarded = str(asked["forwarded"])
        except (ValueError, KeyError):
            raise Refused(400) from None
        if method != "GET":
            raise Refused(405)
        try:
            body = self._signer.unsign(ticket, max_age=TICKET_SECONDS)
            person, session, topics = read_ticket_body(body)
        except (BadSignature, ValueError):
            raise Refused(403) from None
        if not 0 < len(topics) <= MOST_TOPICS:
            raise Refused(400)
        seconds = self.limits.stream_seconds * random.uniform(0.7, 1)  # noqa: S311  # no secret
        stream = Stream(client, session, topics, time.monotonic() + seconds)
        stream.person, stream.network = person, network_of(peer, forwarded, self.trust_proxy)
        stream.sent = last
        if not self.ready or len(self) >= self.limits.streams:
            raise Refused(503)
        if (person and self._persons[person] >= self.limits.person) or (
            stream.network and self._networks[stream.network] >= self.limits.network
        ):
            raise Refused(429)
        return stream

    def close(self, stream: Stream) -> None:
        """End a stream; its page connects again."""
        if self._all.pop(stream, self) is self:
            return
        asyncio.get_running_loop().remove_reader(stream.socket)
        stream.socket.close()
        for counter, key in ((self._persons, stream.person), (self._networks, stream.network)):
            counter[key] -= 1
            if not counter[key]:
                del counter[key]
        for topic in stream.followed:
            streams = self._by_topic.get(topic, set())
            streams.discard(stream)
            if not streams:
                self._by_topic.pop(topic, None)
                self.states.pop(topic, None)
                self.unknown.discard(topic)

    def close_all(self) -> None:
        for stream in list(self._all):
            self.close(stream)

    def _heard(self, stream: Stream) -> None:
        """A page says nothing on its stream: what can be read is its end."""
        try:
            data = stream.socket.recv(4096)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self.close(stream)

    # -- the changes that they receive -----------------------------------------------------

    def changed(self, topic: str, state: str) -> None:
        """The state of a topic or of a session, from a NOTIFY or a query."""
        streams = self._by_topic.get(topic)
        if streams is None:
            return
        self.unknown.discard(topic)
        if self.states.get(topic) != state:
            self.states[topic] = state
            for stream in list(streams):
                if topic == stream.session and state == GONE:
                    self._renew(stream)
                else:
                    self._tell(stream)

    def _tell(self, stream: Stream) -> None:
        if any(topic not in self.states for topic in stream.followed):
            return  # once they are all known
        found = stamp([self.states[topic] for topic in stream.topics])
        if found != stream.sent:
            stream.sent = found
            self._send(stream, f"id: {found}\ndata: {found}\n\n".encode())

    def _send(self, stream: Stream, data: bytes) -> bool:
        with contextlib.suppress(OSError):
            if stream.socket.send(data) == len(data):
                return True
        self.close(stream)
        return False

    def _renew(self, stream: Stream) -> None:
        """End a stream; its page asks the web server for another ticket."""
        self._send(stream, b"event: renew\ndata:\n\n")
        self.close(stream)

    async def beat(self) -> None:
        """Send heartbeats; close streams whose ticket has expired."""
        while True:
            await asyncio.sleep(self.limits.heartbeat_seconds)
            for number, stream in enumerate(list(self._all)):
                if stream.until < time.monotonic():
                    self._renew(stream)
                elif stream in self._all:
                    self._send(stream, b"event: alive\ndata:\n\n")
                if number % 500 == 499:
                    await asyncio.sleep(0)
