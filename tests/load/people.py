"""The people of a club: their requests and replies, each at its moment, answered or not.

Requests are those of browsers: with the session's cookie and `Accept-Encoding: br`; pages have no
ETag. A table page that asks for a move fetches the legal moves, a page in front says so every 40
seconds, and one that is told of a change is fetched again (static/games/live.js).
"""

import asyncio
import random
import smtplib
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from django.conf import settings
from django.core.signing import TimestampSigner
from django.urls import reverse

from games.mail.reply_addresses import reply_address
from games.table_stamps import TICKET_SALT, ticket_body
from tests.support.signed_in import CSRF

from .fill import Asked
from .schedule import Move, Schedule
from .service import AUTHSERV

PRESENT = 40.0  # seconds, as in live.js
PATIENCE = 30.0  # seconds for an answer; after that there was none
TRIES = 120.0  # seconds after the end for which people send a move again
BUSY = (0, 502, 503, 504)  # statuses after which they do: no answer, or not now
PAGE, CHOICES, PRESENCE, MOVE, REPLY = "page", "legal moves", "presence", "move", "reply"
EXPECTED = {PAGE: 200, CHOICES: 200, PRESENCE: 200, MOVE: 302, REPLY: 250}


class Answer(NamedTuple):
    """due: by time.monotonic. took: seconds from then until the last byte. status: 0 if nothing
    came. late: seconds from `due` until the request was sent."""

    what: str
    due: float
    took: float
    status: int
    late: float

    @property
    def is_expected(self) -> bool:
        return self.status == EXPECTED[self.what]


@dataclass
class Done:
    """answers: of all requests. accepted: when each move by page was due that was answered as made.
    unknown: moves by page that were sent and never answered so. replies: when each reply that was
    taken was due, and its Message-ID. streams: those opened."""

    answers: list[Answer] = field(default_factory=list)
    accepted: dict[Asked, float] = field(default_factory=dict)
    unknown: set[Asked] = field(default_factory=set)
    replies: dict[Asked, tuple[float, str]] = field(default_factory=dict)
    streams: int = 0


class People:
    """Play a schedule in a thread. cookies: of the users in it, by pk. hosts: where web servers and
    listeners are."""

    def __init__(self, cookies: Mapping[int, str], hosts: Sequence[str], mail_port: int) -> None:
        self.cookies, self.hosts, self.mail_port = cookies, hosts, mail_port
        self.site = urlsplit(settings.SITE_URL)
        self.done = Done()
        self.begin = self.end = 0.0  # of the figures, by time.monotonic
        self._signer = TimestampSigner(salt=TICKET_SALT)

    def start(self, schedule: Schedule, seconds: float) -> None:
        """Begin to play it, and take this long for the figures."""
        self.begin = time.monotonic() + schedule.warm_up
        self.end = self.begin + seconds
        self._loop = asyncio.new_event_loop()
        self._playing = self._loop.create_task(self._play(schedule))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._playing)

    def finish(self, *, now: bool = False) -> None:
        """Wait until the last answer has come, or send nothing more."""
        if now:
            self._loop.call_soon_threadsafe(self._playing.cancel)
        self._thread.join()
        if not now:
            self._playing.result()

    async def _play(self, schedule: Schedule) -> None:
        loop = asyncio.get_running_loop()
        background = [
            loop.create_task(
                self._open_page(self.begin - schedule.warm_up * (1 - number % 1000 / 1000), *page)
            )
            for number, page in enumerate(schedule.open_pages)
        ]
        tasks = []
        for move in schedule.moves:
            await self._until(self.begin + move.at)
            tasks.append(loop.create_task(self._move(move)))
        await self._until(self.end)
        await asyncio.gather(*tasks)
        for task in background:
            if not task.cancel():
                task.result()  # it ended by an error
        await asyncio.gather(*background, return_exceptions=True)

    @staticmethod
    async def _until(moment: float) -> None:
        await asyncio.sleep(max(0.0, moment - time.monotonic()))

    # -- what one of them does -------------------------------------------------------------

    async def _move(self, move: Move) -> None:
        due, asked = self.begin + move.at, move.asked
        if not move.thinking:
            await self._reply(asked, due)
            return
        table = reverse("game", args=[asked.public_id])
        if move.first_page:
            await self._ask(PAGE, due, asked, reverse("home"))
            due += 2
            await self._until(due)
        await self._ask(PAGE, due, asked, table)
        await self._ask(
            CHOICES, time.monotonic(), asked, reverse("choices", args=[asked.public_id])
        )
        due += move.thinking
        await self._until(due)
        words = {
            "csrfmiddlewaretoken": CSRF,
            "line": asked.turn.line,
            "version": asked.turn.version,
            "note": "",
        }
        path, body = reverse("play", args=[asked.public_id]), urlencode(words).encode()
        self.done.unknown.add(asked)
        while (status := await self._ask(MOVE, due, asked, path, body)) in BUSY and self._goes_on:
            await asyncio.sleep(0.5)
        if status == EXPECTED[MOVE]:
            self.done.unknown.discard(asked)
            self.done.accepted[asked] = due
            await self._ask(PAGE, time.monotonic(), asked, table)

    @property
    def _goes_on(self) -> bool:
        """Whether somebody tries again."""
        return time.monotonic() < self.end + TRIES

    async def _reply(self, asked: Asked, due: float) -> None:
        to = reply_address(asked.public_id, asked.turn.seat, asked.turn.moved_at)
        message_id = f"<{asked.public_id}@load.example.org>"
        raw = "\r\n".join(
            [
                f"Authentication-Results: {AUTHSERV}; dmarc=pass header.from={asked.email.partition('@')[2]}",
                f"From: <{asked.email}>",
                f"To: <{to}>",
                "Subject: Re: Your turn",
                f"Message-ID: {message_id}",
                "",
                asked.turn.line,
                "",
            ]
        )

        def hand_over() -> None:
            host = random.choice(self.hosts)
            with smtplib.SMTP(host, self.mail_port, timeout=PATIENCE) as server:
                server.sendmail(asked.email, [str(to)], raw)

        sent, status = time.monotonic(), 0
        while not status and self._goes_on:
            try:
                await asyncio.to_thread(hand_over)
                status = EXPECTED[REPLY]
                self.done.replies[asked] = (due, message_id)
            except OSError:  # SMTPException is one
                await asyncio.sleep(0.5)
        now = time.monotonic()
        self.done.answers.append(Answer(REPLY, due, now - due, status, sent - due))

    async def _open_page(self, opened: float, asked: Asked, in_front: bool) -> None:
        """Listen to the changes of a table; open pages are opened one after the other, before the
        figures begin."""
        await self._until(opened)
        presence = asyncio.ensure_future(self._presence(asked, opened)) if in_front else None
        try:
            while True:
                await self._listen(asked)
                await asyncio.sleep(5)
        finally:
            if presence:
                presence.cancel()

    async def _presence(self, asked: Asked, due: float) -> None:
        while True:
            due += PRESENT
            await self._until(due)
            await self._ask(PRESENCE, due, asked, reverse("game_version", args=[asked.public_id]))

    async def _listen(self, asked: Asked) -> None:
        """Open a stream, and fetch the page after each change; until the stream ends."""
        ticket = self._signer.sign(ticket_body("", "", [asked.public_id]))
        with suppress(OSError):
            reader, writer = await self._connected()
            try:
                writer.write(self._head("GET", f"/events/?ticket={quote(ticket)}", asked))
                status_line = await reader.readline()
                self.done.streams += b" 200 " in status_line
                heard = 0
                while line := await reader.readline():
                    heard += line.startswith(b"data: ") and len(line) > len(b"data: \n")
                    if heard > 1:  # the first one is the state of the page
                        heard = 1
                        page = reverse("game", args=[asked.public_id])
                        await self._ask(PAGE, time.monotonic(), asked, page)
            finally:
                writer.close()

    # -- HTTP ------------------------------------------------------------------------------

    async def _ask(self, what: str, due: float, asked: Asked, path: str, body: bytes = b"") -> int:
        """Send one request and note the answer; its status."""
        sent, status = time.monotonic(), 0
        with suppress(OSError, ValueError, IndexError):  # TimeoutError is an OSError
            async with asyncio.timeout(PATIENCE):
                reader, writer = await self._connected()
                try:
                    writer.write(self._head("POST" if body else "GET", path, asked, body) + body)
                    data = await reader.read()
                finally:
                    writer.close()
            status = int(data.split(b" ", 2)[1])
        took = time.monotonic() - due
        self.done.answers.append(Answer(what, due, took, status, sent - due))
        return status

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to one of the web servers, as a proxy finds one."""
        first, *others = random.sample(self.hosts, len(self.hosts))
        for host in others:
            with suppress(OSError):
                return await asyncio.open_connection(host, self.site.port)
        return await asyncio.open_connection(first, self.site.port)

    def _head(self, method: str, path: str, asked: Asked, body: bytes = b"") -> bytes:
        user = asked.user
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.site.netloc}",
            f"Cookie: {self.cookies[user]}",
            "Accept: text/html,application/json",
            "Accept-Encoding: gzip, deflate, br",
            "Connection: close",
            # Limits count networks, and all these people are on this machine.
            f"X-Forwarded-For: 10.{user >> 16 & 255}.{user >> 8 & 255}.{user & 255}",
        ]
        if body:
            lines.append("Content-Type: application/x-www-form-urlencoded")
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode()
