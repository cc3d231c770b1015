"""The ways in, as processes: the listener by SMTP and LMTP, the pipe, the page of the mailbox."""

import asyncio
import io
import os
import re
import smtplib
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, Envelope
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from games.inbound import listener as listener_module
from games.inbound import mime, processor
from games.mail.compose import MailComposer
from games.models import Game, Heartbeat, InboundMail, Message, User
from tests.factories import fresh, log_of, table_of
from tests.support.emails import Kind, row_for
from tests.support.processes import PATIENCE, CeleryProcess, kill, wait_for, warm_child
from tests.support.push_sink import certificate
from tests.support.replies import (
    DOMAIN,
    Channel,
    Listener,
    Outcome,
    address_of,
    line_of,
    listener_process,
    pipe,
    reply_email,
    reply_env,
)
from tests.support.smtp_sink import SmtpSink
from tests.support.warm_processes import run_python

pytestmark = pytest.mark.django_db(transaction=True)

MakeListener = Callable[..., Listener]


@pytest.fixture
def game(alice: User, bob: User, replies: Settings) -> Game:
    return table_of(alice, bob)


@pytest.fixture(scope="module")
def local_listener(django_db_setup: None) -> Iterator[Listener]:
    """One for all tests of the module that need local mode."""
    listener = listener_process(LOCAL_MODE="1", MAIL_AUTHSERV_ID="")
    listener.start()
    yield listener
    listener.child.stop()


def the_row() -> InboundMail:
    return InboundMail.objects.get()


# -- SMTP ----------------------------------------------------------------------------------


def test_a_reply_is_kept_before_it_is_taken(listener: Listener, game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = reply_email(line_of(game), to, alice.email)
    listener.send(raw, to, alice.email)
    row = the_row()
    assert (row.channel, row.sender, row.recipient) == (Channel.RELAY, alice.email, to)
    assert bytes(row.raw).rstrip() == raw.rstrip()
    assert processor.read_waiting() == 1
    assert the_row().outcome == Outcome.PLAYED


def test_the_command_prints_where_it_listens(listener: Listener) -> None:
    words = listener.child.log.read_text()
    assert f"Replies to {DOMAIN} are taken by SMTP at 127.0.0.1:{listener.port}" in words


@pytest.mark.processes
def test_port_0_is_any_port_and_is_printed(tmp_path: Path) -> None:
    child = warm_child("listener", tmp_path / "log", reply_env(MAIL_LISTEN="127.0.0.1:0"))
    child.start()
    try:
        wait_for(lambda: child.log.read_text().endswith("\n"), "the first line")
        port = int(child.log.read_text().rpartition(":")[2])
        with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as server:
            assert server.noop()[0] == 250
    finally:
        child.stop()
    assert child.status == 0


def test_what_cannot_be_for_us_is_refused_at_rcpt(
    listener: Listener, game: Game, alice: User
) -> None:
    ours = address_of(game, alice)
    forged = ours.replace(".0.", ".1.")
    with smtplib.SMTP("127.0.0.1", listener.port, timeout=PATIENCE) as server:
        server.ehlo()
        assert server.mail("eve@example.net")[0] == 250
        for other in ("postmaster@reply.example.org", "alice@example.org", forged, "move+@x"):
            assert server.rcpt(other)[0] == 550
        assert server.rcpt(ours.upper())[0] == 250
    assert not InboundMail.objects.exists()


def test_a_bounce_is_taken_and_not_answered(listener: Listener, game: Game, alice: User) -> None:
    to = address_of(game, alice)
    listener.send(reply_email(line_of(game), to, alice.email), to, sender="")
    processor.read_waiting()
    assert (the_row().sender, the_row().outcome) == ("", Outcome.BOUNCE)


def test_an_email_to_many_is_kept_for_a_few(listener: Listener, game: Game, alice: User) -> None:
    seqs = range(1, listener_module.MOST_RECIPIENTS + 2)
    addresses = [address_of(game, alice, seq) for seq in seqs]
    with smtplib.SMTP("127.0.0.1", listener.port, timeout=PATIENCE) as server:
        refused = server.sendmail(
            alice.email, addresses, reply_email("show", addresses[0], alice.email)
        )
    assert [refused[to][0] for to in refused] == [452]
    assert InboundMail.objects.count() == listener_module.MOST_RECIPIENTS


def test_without_a_database_the_sender_is_asked_to_try_again(
    make_listener: MakeListener, game: Game, alice: User
) -> None:
    listener = make_listener(DATABASE_URL="postgresql://nobody@%2Fnowhere/none")
    to = address_of(game, alice)
    with pytest.raises(smtplib.SMTPDataError, match="451"):
        listener.send(reply_email("show", to, alice.email), to, alice.email)


def test_a_listener_that_was_killed_is_started_again_and_loses_nothing(
    make_listener: MakeListener, game: Game, alice: User
) -> None:
    listener = make_listener()
    to = address_of(game, alice)
    raw = reply_email("show", to, alice.email)
    listener.send(raw, to, alice.email)
    kill(listener.child)
    with pytest.raises(OSError, match="refused"):
        listener.send(raw, to, alice.email)
    listener.start()
    listener.send(raw, to, alice.email)  # the sender tries again: it is the same email
    assert the_row().copies == 2


def test_the_place_of_a_slow_client_is_its_own(listener: Listener, game: Game, alice: User) -> None:
    to = address_of(game, alice)
    with socket.create_connection(("127.0.0.1", listener.port), timeout=PATIENCE) as slow:
        assert slow.recv(3) == b"220"
        listener.send(reply_email("show", to, alice.email), to, alice.email)  # does not wait for it
    assert the_row()


def test_idle_connections_keep_no_mail_server_out(
    listener: Listener, game: Game, alice: User
) -> None:
    idle = [
        socket.create_connection(("127.0.0.1", listener.port), timeout=PATIENCE) for _ in range(100)
    ]
    to = address_of(game, alice)
    try:
        assert idle[-1].recv(3) == b"220"
        listener.send(reply_email("show", to, alice.email), to, alice.email)
        with idle[0].makefile("rb") as silent_for_longest:
            assert b"421 4.4.2 Idle for too long" in silent_for_longest.read()
    finally:
        for connection in idle:
            connection.close()
    assert the_row()


def test_a_connection_ends_after_its_time_however_busy_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listener_module, "MOST_SECONDS", 0.2)
    protocol = listener_module.limited(SMTP, is_trusted=lambda _address: True)

    async def keep_busy() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: protocol(object(), loop=loop), "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        async with server, asyncio.timeout(PATIENCE):
            while not reader.at_eof():
                writer.write(b"NOOP\r\n")
                await reader.readline()
        writer.close()

    with suppress(ConnectionError):
        asyncio.run(keep_busy())


def test_a_network_of_strangers_brings_only_so_many_emails(
    make_listener: MakeListener, game: Game, alice: User
) -> None:
    settings = {"MAIL_TRUSTED_PEERS": "192.0.2.1", "QUOTAS": "arrivals_network_hour=2"}
    listener = make_listener(**settings)
    to = address_of(game, alice)
    for _email in range(2):
        listener.send(reply_email("show", to, alice.email), to)
    with pytest.raises(smtplib.SMTPDataError, match="try again later"):
        listener.send(reply_email("show", to, alice.email), to)
    assert InboundMail.objects.count() == 2


def test_one_stranger_has_ten_connections(make_listener: MakeListener) -> None:
    port = make_listener(MAIL_TRUSTED_PEERS="192.0.2.0/24").port
    taken = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(11)]
    try:
        greetings = [connection.recv(3) for connection in taken]
    finally:
        for connection in taken:
            connection.close()
    assert greetings == [b"220"] * 10 + [b"421"]


def test_a_reply_is_taken_over_tls_with_a_certificate(
    make_listener: MakeListener, game: Game, alice: User, tmp_path: Path
) -> None:
    pem, to = certificate(tmp_path), address_of(game, alice)
    listener = make_listener(MAIL_LISTEN_CERTIFICATE=str(pem), MAIL_TRUSTED_PEERS="192.0.2.0/24")
    trusting = ssl.create_default_context(cafile=pem)
    for _connection in range(12):  # more than a stranger may have at one time
        with smtplib.SMTP("127.0.0.1", listener.port, timeout=PATIENCE) as server:
            server.starttls(context=trusting)
            server.sendmail(alice.email, [to], reply_email("show", to, alice.email))
            assert isinstance(server.sock, ssl.SSLSocket)
            assert server.sock.version() in ("TLSv1.2", "TLSv1.3")
    assert InboundMail.objects.filter(recipient=to).exists()
    assert "Traceback" not in listener.child.log.read_text()


def test_a_listener_without_a_certificate_offers_no_tls(listener: Listener) -> None:
    with smtplib.SMTP("127.0.0.1", listener.port, timeout=PATIENCE) as server:
        server.ehlo()
        assert not server.has_extn("starttls")


@pytest.mark.processes
def test_in_local_mode_this_machine_is_believed(
    local_listener: Listener, game: Game, alice: User
) -> None:
    to = address_of(game, alice)
    local_listener.send(reply_email(line_of(game), to, alice.email, results=None), to, alice.email)
    processor.read_waiting()
    assert (the_row().channel, the_row().outcome) == (Channel.LOCAL, Outcome.PLAYED)


@pytest.mark.parametrize(
    ("peer", "local", "channel"),
    [
        ("127.0.0.1", False, Channel.RELAY),
        ("127.0.0.1", True, Channel.LOCAL),
        ("::1", True, Channel.LOCAL),
        ("::ffff:127.0.0.1", False, Channel.RELAY),
        ("10.1.2.3", False, Channel.RELAY),
        ("192.0.2.1", False, Channel.OPEN),
        ("192.0.2.1", True, Channel.OPEN),
        ("fe80::1%eth0", False, Channel.OPEN),
        ("", True, Channel.OPEN),
    ],
)
def test_whose_word_counts_depends_on_where_they_come_from(
    settings: Settings, peer: str, local: bool, channel: str
) -> None:
    settings.LOCAL_MODE = local
    settings.MAIL_TRUSTED_PEERS = ["127.0.0.0/8", "::1/128", "10.0.0.0/8"]
    assert listener_module.channel_of(peer) == channel


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("127.0.0.1:2525", ("127.0.0.1", 2525)),
        ("[::1]:25", ("::1", 25)),
        (":0", ("127.0.0.1", 0)),
        ("2525", ("127.0.0.1", 2525)),
    ],
)
def test_where_to_listen_is_read(words: str, found: tuple[str, int]) -> None:
    assert listener_module.parse_listen(words) == found


@pytest.mark.parametrize("words", ["", "host", "host:port", "host:99999", "a:²"])
def test_where_to_listen_is_refused(words: str) -> None:
    with pytest.raises(ValueError, match="is not host:port"):
        listener_module.parse_listen(words)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("MAIL_REPLY_DOMAIN", "", "MAIL_REPLY_DOMAIN is not set"),
        ("MAIL_LISTEN", "nowhere", "MAIL_LISTEN: 'nowhere' is not host:port"),
        ("MAIL_LISTEN_CERTIFICATE", "/absent", "MAIL_LISTEN_CERTIFICATE cannot be used"),
        ("MAIL_LISTEN_CERTIFICATE", "manage.py", "MAIL_LISTEN_CERTIFICATE cannot be used"),
        ("MAIL_LISTEN_PROTOCOL", "pop3", "neither smtp nor lmtp"),
        ("MAIL_LISTEN", "192.0.2.1:2525", "cannot be listened on"),
    ],
)
def test_a_listener_that_cannot_be_started_says_why(
    replies: Settings, name: str, value: str, words: str
) -> None:
    setattr(replies, name, value)
    with pytest.raises(CommandError, match=re.escape(words)):
        call_command("listen_mail")


@pytest.mark.django_db(transaction=True)
def test_a_listener_whose_port_is_not_ours_leaves_no_heartbeat(replies: Settings) -> None:
    replies.MAIL_LISTEN = "192.0.2.1:2525"
    with pytest.raises(CommandError):
        call_command("listen_mail")
    assert not Heartbeat.objects.filter(name__startswith="listener@").exists()


def test_a_listener_that_cannot_be_started_ends_with_an_error() -> None:
    env = {**os.environ, **reply_env(), "MAIL_LISTEN": "nowhere"}
    done = run_python("manage.py", "listen_mail", env=env)
    assert done.returncode == 1
    assert "MAIL_LISTEN: 'nowhere' is not host:port" in done.stderr.decode()


# -- LMTP ----------------------------------------------------------------------------------


def test_a_mail_server_hands_over_by_lmtp_one_recipient_at_a_time(
    make_listener: MakeListener, game: Game, alice: User, bob: User
) -> None:
    listener = make_listener(MAIL_LISTEN_PROTOCOL="lmtp")
    first, second = address_of(game, alice), address_of(game, bob)
    with smtplib.LMTP("127.0.0.1", listener.port) as server:
        server.ehlo()
        server.mail(alice.email)
        assert server.rcpt("eve@reply.example.org")[0] == 550
        assert server.rcpt(first)[0] == 250
        assert server.rcpt(second)[0] == 452
        assert server.data(reply_email("show", first, alice.email))[0] == 250
    assert the_row().recipient == first


# -- the pipe ------------------------------------------------------------------------------


def test_an_email_from_standard_input_is_kept(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    done = pipe(reply_email(line_of(game), to, alice.email), "--sender", alice.email, to)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (the_row().channel, the_row().sender) == (Channel.PIPE, alice.email)
    processor.read_waiting()
    assert the_row().outcome == Outcome.PLAYED


def read_here(raw: bytes, *words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same command in this process."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    call_command("read_mail", *words)


def test_without_a_recipient_the_headers_name_it(
    game: Game, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = address_of(game, alice)
    read_here(reply_email("show", to, alice.email), monkeypatch=monkeypatch)
    assert (the_row().recipient, the_row().sender) == (to, None)


@pytest.mark.parametrize("sender", ["", "MAILER-DAEMON"])
def test_the_null_sender_of_a_pipe_is_known(
    game: Game, alice: User, monkeypatch: pytest.MonkeyPatch, sender: str
) -> None:
    to = address_of(game, alice)
    read_here(reply_email("show", to, alice.email), "--sender", sender, to, monkeypatch=monkeypatch)
    processor.read_waiting()
    assert the_row().outcome == Outcome.BOUNCE


def test_the_exit_status_is_one_that_mail_servers_know(
    game: Game, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = address_of(game, alice)
    raw = reply_email("show", to, alice.email)
    with pytest.raises(CommandError, match=r"5\.1\.1") as refused:
        read_here(raw, "somebody@reply.example.org", monkeypatch=monkeypatch)
    assert refused.value.returncode == 67
    gone = pipe(raw, to, DATABASE_URL="postgresql://nobody@%2Fnowhere/none")
    assert gone.returncode == 75
    assert b"Traceback" not in gone.stderr
    assert not InboundMail.objects.exists()


# -- the page of the mailbox -----------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    settings.EMAIL_BACKEND = "games.mail.backends.FolderBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    return tmp_path / "mail"


def turn_mail(game: Game, user: User, folder: Path) -> str:
    """The name of the turn email in the folder, written there as the outbox would."""
    MailComposer().compose(row_for(game, Kind.TURN, user)).send()
    return next(folder.glob("*.eml")).stem


@pytest.mark.processes
def test_the_mailbox_page_answers_an_email_through_the_listener(
    local_listener: Listener,
    client: Client,
    settings: Settings,
    folder: Path,
    game: Game,
    alice: User,
) -> None:
    settings.LOCAL_MODE, settings.MAIL_LISTEN = True, f"127.0.0.1:{local_listener.port}"
    name, line = turn_mail(game, alice, folder), line_of(game)
    page = client.get(f"/mailbox/{name}/").content.decode()
    assert f'action="/mailbox/{name}/answer"' in page
    answer = client.post(
        f"/mailbox/{name}/answer", {"text": f"{line}\nnote: Über die See"}, follow=True
    )
    assert "Your reply was sent." in answer.content.decode()
    row = the_row()
    assert "> -=-=- Reply above this line" in (mime.read(bytes(row.raw)).plain or "")
    processor.read_waiting()
    row = the_row()
    assert (row.outcome, row.line) == (Outcome.PLAYED, line)
    assert Message.objects.get().text == "Über die See"
    assert fresh(game).to_act == [1]
    assert log_of(game).entries[-1].by == alice.pk


def test_where_no_listener_is_the_page_says_so(
    client: Client, settings: Settings, folder: Path, game: Game, alice: User
) -> None:
    settings.LOCAL_MODE, settings.MAIL_LISTEN = True, "127.0.0.1:1"
    name = turn_mail(game, alice, folder)
    answer = client.post(f"/mailbox/{name}/answer", {"text": "show"}, follow=True)
    assert "The mail listener at 127.0.0.1:1 rejected the message" in answer.content.decode()


def test_where_people_are_no_page_answers_emails(
    client: Client, settings: Settings, folder: Path, game: Game, alice: User
) -> None:
    name = turn_mail(game, alice, folder)
    settings.LOCAL_MODE = False
    assert client.post(f"/mailbox/{name}/answer", {"text": "show"}).status_code == 404


def test_without_replies_no_email_can_be_answered(
    client: Client, settings: Settings, folder: Path, game: Game, alice: User
) -> None:
    settings.LOCAL_MODE, settings.MAIL_REPLY_DOMAIN = True, ""
    name = turn_mail(game, alice, folder)
    assert "Reply to this email" not in client.get(f"/mailbox/{name}/").content.decode()
    assert client.post(f"/mailbox/{name}/answer", {"text": "show"}).status_code == 404


# -- and then a worker -----------------------------------------------------------------------


def test_the_worker_reads_what_the_listener_kept(
    listener: Listener, smtp_sink: SmtpSink, game: Game, alice: User
) -> None:
    worker = CeleryProcess("worker", reply_env(EMAIL_URL=smtp_sink.url))
    worker.start()
    try:
        to = address_of(game, alice)
        listener.send(reply_email(line_of(game), to, alice.email), to, alice.email)
        wait_for(lambda: the_row().state == "done", "the reading of a reply")
        assert the_row().outcome == Outcome.PLAYED
        message_id = the_row().message_id
        wait_for(
            lambda: any(m["In-Reply-To"] == message_id for m in smtp_sink.messages),
            "the answer to a reply",
        )
    finally:
        worker.stop()


def test_each_refused_recipient_is_counted_in_the_heartbeat_and_one_line_of_the_log(
    db: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    with ThreadPoolExecutor(1) as pool:
        handler = listener_module.Handler(pool, max_recipients=10)
        for address in ("eve@example.org", "move+forged@reply.example.org"):
            answer = handler.handle_RCPT(None, None, Envelope(), address, [])  # type: ignore[arg-type]
            assert asyncio.run(answer).startswith("550")
    listener_module._heartbeat(handler.refused)
    assert Heartbeat.objects.get(name__startswith="listener@").refused == 2
    assert [record.getMessage() for record in caplog.records] == [
        "Refused an address that is not ours, number 1.",
        "Refused an address that is not ours, number 2.",
    ]
