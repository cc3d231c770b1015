"""A hundred games, half of them played by page and half by reply, and people who want codes."""

import http.client
import random
import smtplib
import threading
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.urls import reverse

from games import services
from games.log import event_store
from games.mail import queue
from games.mail.reply_addresses import reply_address
from games.models import Game, Heartbeat, User
from tests.support.signed_in import CSRF, cookies_of

from .service import AUTHSERV, Service

THREADS = 6
CODE_SECONDS = 3.0
REPLY_PATIENCE = 240.0  # after which a reply that was accepted is written again


class Accepted(NamedTuple):
    """A move that the site or the listener accepted for a game at a version. took: seconds until
    it did. to: the address of a reply, which is that of one turn; "" for a move by page."""

    at: float
    game: int
    version: int
    took: float
    to: str = ""

    @property
    def way(self) -> str:
        return "reply" if self.to else "page"


@dataclass
class Done:
    """The actions of the players. submitted: the (game, version) for which a move was sent."""

    submitted: set[tuple[int, int]] = field(default_factory=set)
    moves: list[Accepted] = field(default_factory=list)
    sweeps: list[float] = field(default_factory=list)
    broken: list[float] = field(default_factory=list)  # when a request had been sent in vain
    errors: list[str] = field(default_factory=list)


class Players:
    """Threads that play until `stop`. per_second: moves of all of them together."""

    def __init__(self, service: Service, games: int, per_second: float) -> None:
        self.service, self.per_second = service, per_second
        self.done = Done()
        self._over = threading.Event()
        self._cookies: dict[int, str] = {}
        self.games = [self._table(number) for number in range(games)]
        self._threads = [
            threading.Thread(target=self._guarded, args=(self._play, number), daemon=True)
            for number in range(THREADS)
        ]
        self._threads += [
            threading.Thread(target=self._guarded, args=(work,), daemon=True)
            for work in (self._want_codes, self._watch_sweeps)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(60)

    def _guarded(self, work: Any, *args: int) -> None:
        try:
            work(*args)
        except Exception as error:  # noqa: BLE001 (the report shows it)
            self.done.errors.append(repr(error))
        finally:
            connection.close()

    # -- tables ----------------------------------------------------------------------------

    def _table(self, number: int) -> Game:
        host, guest = (
            User.objects.create_user(f"p{number}{side}@example.org", display_name=f"P {side}")
            for side in ("a", "b")
        )
        game = services.game_create(
            host=host, kind="atlantis", name=f"Table {number}", seat_count=2, pace_days=3
        )
        services.game_join(game_id=game.pk, user=guest)
        self._cookies |= cookies_of([host, guest])
        return Game.objects.get(pk=game.pk)

    # -- moves -----------------------------------------------------------------------------

    def _play(self, number: int) -> None:
        mine = list(enumerate(self.games))[number::THREADS]
        waiting: dict[int, tuple[int, float]] = {}  # game → version that a reply answers, and when
        pause = THREADS / self.per_second
        while not self._over.is_set():
            for index, game in mine:
                if self._over.wait(pause):
                    return
                try:
                    self._move(index, game, waiting)
                except (DatabaseError, InterfaceError):
                    connection.close()

    def _move(self, index: int, game: Game, waiting: dict[int, tuple[int, float]]) -> None:
        now = Game.objects.get(pk=game.pk)
        version, since = waiting.get(game.pk, (-1, 0.0))
        if now.version == version and time.monotonic() - since < REPLY_PATIENCE:
            return
        log = event_store.load(now)
        if not log.projection.to_act:
            return
        seat = log.projection.to_act[0]
        user = now.seats.select_related("user").get(number=seat).user
        assert user is not None
        view = log.engine.rules.view(log.state, seat)
        command = next(iter(log.engine.rules.legal_commands(log.state, seat)))
        line = log.engine.notation.describe(command, view)
        begin = time.monotonic()
        self.done.submitted.add((now.pk, log.version))
        if index % 2:
            to = reply_address(now.public_id, seat, log.moved_at)
            assert to is not None
            if self._reply(user, to, f"{now.public_id}.{log.moved_at}", line):
                waiting[game.pk] = (log.version, time.monotonic())
                self._note(now, log.version, begin, to)
        elif self._post(now, user, log.version, line):
            self._note(now, log.version, begin)

    def _note(self, game: Game, version: int, begin: float, to: str = "") -> None:
        took = time.monotonic() - begin
        self.done.moves.append(Accepted(time.time(), game.pk, version, took, to))

    def _post(self, game: Game, user: User, version: int, line: str) -> bool:
        """Until the site has answered, like somebody who tries again; whether the move was made."""
        fields = {"csrfmiddlewaretoken": CSRF, "line": line, "version": version, "note": ""}
        head = {
            "Host": urlsplit(settings.SITE_URL).netloc,  # as a proxy passes it on
            "Cookie": self._cookies[user.pk],
            "Content-Type": "application/x-www-form-urlencoded",
        }
        path = reverse("play", args=[game.public_id])
        while not self._over.is_set():
            server = self._connected()
            if server is None:
                self._over.wait(0.5)
                continue
            try:
                server.request("POST", path, urlencode(fields), head)
                answer = server.getresponse()
                words = answer.read()
            except (OSError, http.client.HTTPException):
                self.done.broken.append(time.time())
                self._over.wait(0.5)
                continue
            finally:
                server.close()
            if answer.status in (503, 502, 504):
                self.done.broken.append(time.time())
                self._over.wait(0.5)
                continue
            if answer.status != 302:
                self.done.errors.append(f"POST {path}: {answer.status} {words[:100]!r}")
            return answer.status == 302
        return False

    def _connected(self) -> http.client.HTTPConnection | None:
        """A connection to one of the web servers, as a proxy finds one; None if all are away."""
        hosts = list(self.service.hosts)
        random.shuffle(hosts)
        for host in hosts:
            server = http.client.HTTPConnection(host, self.service.web_port, timeout=40)
            try:
                server.connect()
            except OSError:
                continue
            return server
        return None

    def _reply(self, user: User, to: str, name: str, line: str) -> bool:
        """Until the listener has taken the reply, like a mail server."""
        head = [
            f"Authentication-Results: {AUTHSERV}; dmarc=pass header.from=example.org",
            f"From: <{user.email}>",
            f"To: <{to}>",
            f"Message-ID: <{name}@mail.example.org>",
        ]
        raw = "\r\n".join([*head, "", line, ""]).encode()
        while not self._over.is_set():
            try:
                host = random.choice(self.service.hosts)
                with smtplib.SMTP(host, self.service.mail_port, timeout=20) as server:
                    server.sendmail(user.email, [to], raw)
                return True
            except (OSError, smtplib.SMTPException):
                self._over.wait(0.5)
        return False

    # -- codes and sweeps --------------------------------------------------------------------

    def _want_codes(self) -> None:
        number = 0
        while not self._over.wait(CODE_SECONDS):
            number += 1
            context = {"language": "en", "subject": f"Code {number}", "body": "Words."}
            try:
                queue.account(
                    f"code{number}@example.org", dedupe=f"c{number}", context=context, user=None
                )
            except (DatabaseError, InterfaceError):
                connection.close()

    def _watch_sweeps(self) -> None:
        while not self._over.wait(0.5):
            try:
                begun = Heartbeat.objects.filter(name="sweep").values_list("started_at", flat=True)
                for at in begun:
                    if at is not None and at.timestamp() not in self.done.sweeps[-1:]:
                        self.done.sweeps.append(at.timestamp())
            except (DatabaseError, InterfaceError):
                connection.close()
