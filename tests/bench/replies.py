"""Replies handed to the listener until their answers reach a mail server, with several readers."""

import smtplib
import time
from contextlib import ExitStack
from email.message import EmailMessage
from urllib.parse import urlsplit

from django.db.models import Count, Q
from django.test.utils import override_settings

from atlantis_site.celery import app
from atlantis_site.supervisor.stack import ServiceStack, command_child
from games.log import event_store
from games.mail.reply_addresses import reply_address
from games.models import Game, InboundMail, User
from tests.support.compose_file import COMMANDS
from tests.support.smtp_sink import SmtpSink, free_port

from .moves import Browser, new_game
from .report import Table, median, ms, progress

PATIENCE = 120.0
DOMAIN, AUTHSERV = "reply.example.org", "mx.example.org"
PEOPLE = 10  # so that nobody writes more than a user may in an hour


def bench(stack: ServiceStack, replies: int, readers: int, per_second: float) -> Table:
    """Hand over this many replies at this rate, one move in a game each."""
    port = urlsplit(stack.env["EMAIL_URL"]).port
    assert port is not None
    answered: dict[str, float] = {}

    def note(mail: EmailMessage) -> str:
        if about := str(mail["In-Reply-To"] or ""):
            answered.setdefault(about, time.monotonic())
        return "250 kept"

    sink = SmtpSink(port, answer=note)
    env = {
        **stack.env,
        "MAIL_REPLY_DOMAIN": DOMAIN,
        "MAIL_AUTHSERV_ID": AUTHSERV,
        "MAIL_LISTEN": f"127.0.0.1:{free_port()}",
    }
    with ExitStack() as after, override_settings(MAIL_REPLY_DOMAIN=DOMAIN):
        sink.up()
        after.callback(sink.down)
        progress(f"{replies} games, {readers} workers and the listener")
        people = [_browser(number) for number in range(PEOPLE)]
        games = [new_game([people[n % PEOPLE], people[(n + 1) % PEOPLE]]) for n in range(replies)]
        written = [_reply(game) for game in games]
        for number, name in enumerate(("listener", *["worker"] * readers)):
            log = stack.logs / f"replies-{name}-{number}.log"
            child = command_child(name, COMMANDS[name], log, env, grace=8)
            child.start()
            after.callback(child.stop)
        _wait_for_workers(readers, env["BROKER_URL"])
        handed = _hand_over(written, env["MAIL_LISTEN"], per_second)
        end = time.monotonic() + PATIENCE
        while not handed.keys() <= answered.keys():
            if time.monotonic() > end:
                missing = len(handed.keys() - answered.keys())
                raise SystemExit(f"{missing} of {replies} replies were not answered")
            time.sleep(0.2)
    waits = sorted(answered[key] - at for key, at in handed.items())
    tries = InboundMail.objects.aggregate(
        all=Count("pk"), again=Count("pk", filter=Q(attempts__gt=1))
    )
    table = Table(
        f"{replies} replies, {per_second:g} a second, {readers} workers with four threads each:"
        " from the listener to the answer at the mail server",
        ("median", "95th percentile", "slowest", "read more than once"),
    )
    table.add(
        ms(median(waits)),
        ms(waits[int(len(waits) * 0.95)]),
        ms(waits[-1]),
        f"{tries['again']} of {tries['all']}",
    )
    slow = waits[int(len(waits) * 0.95)]
    table.aim(f"a reply answered, {readers} readers, 95th percentile", slow, most=2.0)
    return table


def _browser(number: int) -> Browser:
    address = f"reply{number}@example.org"
    return Browser(User.objects.get_or_create(email=address, display_name=f"Reply {number}")[0])


def _reply(game: Game) -> tuple[str, str, str, bytes]:
    """(Message-ID, sender, recipient, the email) with a legal move of the player who is asked."""
    log = event_store.load(game)
    seat = log.projection.to_act[0]
    user = game.seats.select_related("user").get(number=seat).user
    assert user is not None
    view = log.engine.rules.view(log.state, seat)
    command = next(iter(log.engine.rules.legal_commands(log.state, seat)))
    to = reply_address(game.public_id, seat, log.moved_at)
    assert to is not None
    message_id = f"<{game.public_id}@mail.example.org>"
    head = [
        f"Authentication-Results: {AUTHSERV}; dmarc=pass header.from=example.org",
        f"From: <{user.email}>",
        f"To: <{to}>",
        f"Message-ID: {message_id}",
        "",
        log.engine.notation.describe(command, view),
        "",
    ]
    return message_id, user.email, to, "\r\n".join(head).encode()


def _wait_for_workers(count: int, broker_url: str) -> None:
    end = time.monotonic() + PATIENCE
    with app.connection_for_write(broker_url) as broker:
        while len(app.control.ping(timeout=1.0, connection=broker) or ()) < count:
            if time.monotonic() > end:
                raise SystemExit(f"fewer than {count} workers answer")


def _hand_over(
    written: list[tuple[str, str, str, bytes]], listen: str, per_second: float
) -> dict[str, float]:
    """When each reply was accepted, by Message-ID."""
    handed: dict[str, float] = {}
    host, _colon, port = listen.rpartition(":")
    end = time.monotonic() + PATIENCE
    while True:
        try:
            server = smtplib.SMTP(host, int(port), timeout=5)
            break
        except OSError:
            if time.monotonic() > end:
                raise SystemExit("the listener does not answer") from None
            time.sleep(0.2)
    begin = time.monotonic()
    with server:
        for number, (message_id, sender, to, raw) in enumerate(written):
            time.sleep(max(0.0, begin + number / per_second - time.monotonic()))
            server.sendmail(sender, [to], raw)
            handed[message_id] = time.monotonic()
    return handed
