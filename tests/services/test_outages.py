"""While the service is down, no time passes for anybody, and nothing is counted twice."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest
import time_machine
from django.core.management import call_command
from django.db import InternalError, connection
from django.test import Client
from pytest_django import Settings

from games import selectors, services, tasks
from games.log import table_events
from games.mail import transport_state
from games.mail.transport_state import Lane
from games.models import Game, Outage, OutboxMail, User, database_clock
from games.rules import replay
from games.services import deadlines
from tests.factories import due, fresh, log_of, play_one, play_to_the_end, seats_of, table_of
from tests.fixtures.clock import MONDAY
from tests.support.emails import written
from tests.support.processes import LiveSite

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    """Alice has three days from MONDAY, and the service works."""
    services.in_service(now=MONDAY)
    return table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.MOVE)


def moved(game: Game) -> list[table_events.Event]:
    return [
        e.event for e in log_of(game).entries if isinstance(e.event, table_events.DeadlineMoved)
    ]


def test_a_deadline_that_passed_in_an_outage_has_not_passed(
    game: Game, clock: time_machine.Traveller
) -> None:
    clock.move_to(MONDAY + 4 * DAY)
    tasks.deadlines()
    assert due(game) == MONDAY + 7 * DAY
    assert moved(game) == [table_events.DeadlineMoved(seat=0, code="outage", seconds=4 * 86400)]
    call_command("verify", game.public_id)


def test_two_tasks_at_once_record_one_outage(game: Game, clock: time_machine.Traveller) -> None:
    clock.move_to(MONDAY + HOUR)
    for _beat in range(2):
        tasks.deadlines()
    assert Outage.objects.count() == 1
    assert due(game) == MONDAY + 3 * DAY + HOUR


def test_a_clock_that_jumps_there_and_back_and_there_counts_once(
    game: Game, clock: time_machine.Traveller
) -> None:
    for step in (HOUR, MINUTE, HOUR, 0 * HOUR, HOUR + MINUTE):
        clock.move_to(MONDAY + step)
        tasks.deadlines()
    assert Outage.objects.count() == 1
    assert due(game) == MONDAY + 3 * DAY + HOUR


def test_a_short_gap_moves_nothing(game: Game, clock: time_machine.Traveller) -> None:
    clock.move_to(MONDAY + 10 * MINUTE)
    tasks.deadlines()
    assert not Outage.objects.exists()
    assert due(game) == MONDAY + 3 * DAY


def test_a_turn_that_began_in_the_outage_moves_by_the_rest_of_it(
    game: Game, clock: time_machine.Traveller
) -> None:
    clock.move_to(MONDAY + HOUR)  # the page works, while no worker does
    play_one(game)
    clock.move_to(MONDAY + 3 * HOUR)
    tasks.deadlines()
    assert due(game, 1) == MONDAY + HOUR + 3 * DAY + 2 * HOUR


def test_a_move_after_an_outage_says_it_for_those_who_still_wait(
    game: Game, clock: time_machine.Traveller
) -> None:
    Outage.objects.create(starts=MONDAY + HOUR, ends=MONDAY + 2 * HOUR)
    clock.move_to(MONDAY + 3 * HOUR)
    play_one(game)
    assert moved(game) == []  # Alice's time is over, Bob's began later
    assert fresh(game).outage_id == Outage.objects.get().pk
    assert services.outages_apply(now=MONDAY + 3 * HOUR) == 0


def test_while_the_mail_server_is_away_no_deadline_passes(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    """Everything else works: the task runs every five minutes, for thirteen hours."""
    services.in_service(now=MONDAY)
    game = table_of(alice, bob, pace_days=0, timeout_policy=Game.TimeoutPolicy.MOVE)
    assert due(game) == MONDAY + 12 * HOUR
    transport_state.close(Lane.BULK, "it is away", refused=False)
    for _beat in range(13 * 12):
        clock.shift(5 * MINUTE)
        services.in_service(now=database_clock.now())
    tasks.deadlines()
    assert due(game) == MONDAY + 12 * HOUR
    assert moved(game) == []
    transport_state.reopen(Lane.BULK)
    tasks.deadlines()
    assert due(game) == MONDAY + 25 * HOUR
    assert Outage.objects.count() == 1


def test_a_mail_server_for_which_no_email_waits_holds_no_deadline(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    """The email that met it was dropped, and only another one can show that it is back."""
    services.in_service(now=MONDAY)
    game = table_of(alice, bob, pace_days=0, timeout_policy=Game.TimeoutPolicy.MOVE)
    transport_state.close(Lane.BULK, "it is away", refused=False)
    OutboxMail.objects.update(state=OutboxMail.State.DROPPED)
    for _beat in range(13 * 12):
        clock.shift(5 * MINUTE)
        services.in_service(now=database_clock.now())
    tasks.deadlines()
    assert not Outage.objects.exists()
    assert "table.covered" in [entry.kind for entry in log_of(game).entries]


def test_a_mail_server_that_is_away_for_a_moment_moves_nothing(
    game: Game, clock: time_machine.Traveller
) -> None:
    transport_state.close(Lane.BULK, "it is away", refused=False)
    for _beat in range(9):
        clock.shift(MINUTE)
        tasks.deadlines()
    transport_state.reopen(Lane.BULK)
    tasks.deadlines()
    assert due(game) == MONDAY + 3 * DAY
    assert not Outage.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_while_the_site_answers_503_no_deadline_passes(
    client: Client, alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    """Beat and workers run, but PostgreSQL takes no changes: what makes the site answer 503 also
    keeps the mark of the service where it is."""
    services.in_service(now=MONDAY)
    game = table_of(alice, bob, pace_days=0, timeout_policy=Game.TimeoutPolicy.MOVE)
    assert due(game) == MONDAY + 12 * HOUR
    client.force_login(alice)
    client.raise_request_exception = False
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        for _beat in range(13):
            clock.shift(HOUR)
            fields = {"line": "A flag", "version": str(game.version)}
            assert client.post(f"/g/{game.public_id}/play", fields).status_code == 503
            with pytest.raises(InternalError, match="read-only"):
                tasks.deadlines()
        cursor.execute("RESET default_transaction_read_only")
    tasks.deadlines()
    assert due(game) == MONDAY + 25 * HOUR
    assert moved(game) == [table_events.DeadlineMoved(seat=0, code="outage", seconds=13 * 3600)]
    call_command("verify", game.public_id)


@pytest.mark.django_db(transaction=True)
def test_while_the_web_server_alone_answers_503_no_deadline_passes(
    alice: User,
    bob: User,
    clock: time_machine.Traveller,
    settings: Settings,
    live_site: LiveSite,
    site_without_database: LiveSite,
) -> None:
    """Workers and beat reach PostgreSQL and the mail server."""
    settings.SITE_CHECK_URL = live_site.url
    tasks.deadlines()
    game = table_of(alice, bob, pace_days=0, timeout_policy=Game.TimeoutPolicy.MOVE)
    assert due(game) == MONDAY + 12 * HOUR
    settings.SITE_CHECK_URL = site_without_database.url
    for _beat in range(13):
        clock.shift(HOUR)
        tasks.deadlines()
    assert not Outage.objects.exists()
    assert moved(game) == []
    settings.SITE_CHECK_URL = live_site.url
    for _beat in range(2):
        tasks.deadlines()
    assert due(game) == MONDAY + 25 * HOUR
    assert moved(game) == [table_events.DeadlineMoved(seat=0, code="outage", seconds=13 * 3600)]
    assert Outage.objects.count() == 1
    call_command("verify", game.public_id)


class Answering(BaseHTTPRequestHandler):
    """Answers with the status of the server; with 0, it hangs until that closes the connection."""

    server: "WebTier"

    def do_GET(self) -> None:
        self.server.requests.append((self.path, self.headers["Host"]))
        if not self.server.status:
            self.server.released.wait()
            return
        self.send_response(self.server.status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_words: object) -> None:
        pass


class WebTier(ThreadingHTTPServer):
    """A web server whose answer a test chooses."""

    def __init__(self, status: int) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.status, self.requests, self.released = status, list[tuple[str, str]](), Event()
        self.url = f"http://127.0.0.1:{self.server_port}"


@contextmanager
def web_tier(status: int) -> Iterator[WebTier]:
    with WebTier(status) as server:
        Thread(target=server.serve_forever, args=(0.01,)).start()
        yield server
        server.released.set()
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "answers"),
    [(200, True), (302, True), (404, True), (500, False), (502, False), (503, False)],
)
def test_the_site_is_away_when_its_server_or_proxy_says_so(
    settings: Settings, status: int, answers: bool
) -> None:
    """Redirects are not followed, and the name of the site is that in ALLOWED_HOSTS."""
    settings.SITE_URL = "https://games.example.org"
    with web_tier(status) as server:
        settings.SITE_CHECK_URL = server.url
        assert deadlines.site_answers() is answers
    assert server.requests == [("/healthz/pages", "games.example.org")]


def test_the_site_is_away_when_nothing_answers_in_time(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "CHECK_SECONDS", 0.1)
    with web_tier(0) as server:
        settings.SITE_CHECK_URL = server.url
        assert not deadlines.site_answers()
    assert not deadlines.site_answers()  # nobody listens there any more


def test_nobody_asks_the_site_without_a_setting(settings: Settings) -> None:
    assert settings.SITE_CHECK_URL == ""
    assert deadlines.site_answers()


def test_a_site_that_misses_one_check_moves_nothing(
    game: Game, settings: Settings, clock: time_machine.Traveller
) -> None:
    with web_tier(503) as server:
        settings.SITE_CHECK_URL = server.url
        for minute in range(1, 30):
            server.status = 503 if minute % 9 else 200
            clock.shift(MINUTE)
            tasks.deadlines()
    assert not Outage.objects.exists()
    assert due(game) == MONDAY + 3 * DAY


def test_one_of_two_workers_that_reaches_the_site_is_enough(
    game: Game, settings: Settings, clock: time_machine.Traveller
) -> None:
    with web_tier(200) as server:
        for beat in range(60):
            settings.SITE_CHECK_URL = server.url if beat % 2 else "http://127.0.0.1:9"
            clock.shift(MINUTE)
            tasks.deadlines()
    assert not Outage.objects.exists()


def test_the_next_email_says_why(game: Game, alice: User, clock: time_machine.Traveller) -> None:
    clock.move_to(MONDAY + HOUR)
    tasks.deadlines()
    clock.move_to(MONDAY + 2 * DAY)
    services.in_service(now=MONDAY + 2 * DAY)
    tasks.reminders()
    mail = OutboxMail.objects.get(game=game, user=alice, kind="reminder")
    words = " ".join(written(mail).text.split()).replace("\xa0", " ")
    assert "this service was not available: +1 hour" in words


def test_the_page_says_why_and_the_record_replays(
    game: Game, clock: time_machine.Traveller
) -> None:
    clock.move_to(MONDAY + HOUR)
    tasks.deadlines()
    lines = selectors.deadline_lines(log_of(game), seats_of(game)[0])
    assert lines[1].replace("\xa0", " ") == "this service was not available: +1 hour"
    play_to_the_end(game)
    call_command("verify", game.public_id)
    (checked,) = replay.check(selectors.record_lines(fresh(game)))
    assert checked.fair


# -- votes ---------------------------------------------------------------------------------


@pytest.fixture
def late(alice: User, bob: User, clock: time_machine.Traveller) -> Game:
    """Alice is late at a table that waits. The service works, and Bob has just asked to cancel."""
    services.in_service(now=MONDAY)
    game = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.WAIT)
    clock.move_to(MONDAY + 3 * DAY)
    services.deadline_check(now=MONDAY + 3 * DAY)
    services.in_service(now=MONDAY + 3 * DAY)
    services.vote_open(game_id=game.pk, user=bob, about="cancel")
    return game


def test_a_vote_stays_open_for_as_long_as_the_service_was_away(
    late: Game, clock: time_machine.Traveller
) -> None:
    clock.move_to(MONDAY + 6 * DAY)
    tasks.deadlines()
    assert fresh(late).status == Game.Status.RUNNING
    vote = log_of(late).vote
    assert vote is not None
    assert vote.closes_at == fresh(late).vote_due_at == MONDAY + 9 * DAY
    moved = log_of(late).entries[-1].event
    assert moved == table_events.VoteMoved(seconds=3 * 86400)
    call_command("verify", late.public_id)
    services.votes_due(now=MONDAY + 9 * DAY)
    assert log_of(late).vote is None


def test_a_vote_does_not_move_by_an_outage_before_it(
    late: Game, clock: time_machine.Traveller
) -> None:
    Outage.objects.create(starts=MONDAY + 2 * DAY, ends=MONDAY + 3 * DAY - HOUR)
    Outage.objects.create(starts=MONDAY + 2 * DAY, ends=MONDAY + 3 * DAY + HOUR)
    services.outages_apply(now=MONDAY + 4 * DAY)
    assert fresh(late).vote_due_at == MONDAY + 6 * DAY + HOUR


def test_an_answer_counts_in_the_time_that_an_outage_has_added(
    late: Game, alice: User, clock: time_machine.Traveller
) -> None:
    vote = log_of(late).vote
    assert vote is not None
    Outage.objects.create(starts=MONDAY + 3 * DAY, ends=MONDAY + 5 * DAY)
    clock.move_to(MONDAY + 7 * DAY)
    services.vote_answer(game_id=late.pk, user=alice, vote=vote.seq, agrees=False)
    assert log_of(late).vote is None
    assert fresh(late).status == Game.Status.RUNNING
    call_command("verify", late.public_id)
