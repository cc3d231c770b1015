"""Two tabs, two devices, two workers: real processes at the same row, again and again.

Nothing is accepted twice, exactly one wins each round, and every log is in order afterwards.
"""

import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone
from pytest_django import Settings

from games import services
from games.log import stored_rows
from games.models import Game, Message, OutboxMail, User
from games.rules.table_events import Paused, Proposal, VoteAnswered, VoteOpened, VoteSettled
from tests.factories import fresh, given_up, log_of, person, play_turns, table_of
from tests.support.children import concurrent_players
from tests.support.children.concurrent_players import Racers, Try
from tests.support.emails import prefer, read
from tests.support.lengths import by_length
from tests.support.verification import verify

pytestmark = pytest.mark.django_db(transaction=True)

RACERS = 4
CROWD = 20
VOTES: tuple[Proposal, ...] = ("take_back", "pause", "cancel")
ROUNDS = by_length(30, 120)
Race = Callable[..., list[Try]]


@pytest.fixture(scope="module")
def field(django_db_setup: None) -> Iterator[Racers]:
    """Racers, connected to this worker's test database as the role that the service runs as."""
    url = urlsplit(os.environ["TEST_APP_DATABASE_URL"])
    name = connection.settings_dict["NAME"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", url._replace(path=f"/{name}").geturl())
        patch.setenv("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")
        racers = Racers(CROWD)
    yield racers
    racers.stop()


@pytest.fixture
def race(field: Racers) -> Race:
    return field.race


@pytest.fixture(autouse=True)
def all_logs_are_in_order_afterwards(transactional_db: None) -> Iterator[None]:
    yield
    status, words = verify()
    assert status == 0, words


def rounds(tries: list[Try]) -> list[list[Try]]:
    """The tries of all racers at the same version of the same game."""
    by_round: dict[tuple[int, int], list[Try]] = defaultdict(list)
    for one in tries:
        by_round[one.game, one.version].append(one)
    return list(by_round.values())


@pytest.mark.long
def test_of_moves_sent_at_once_exactly_one_is_made(race: Race, alice: User, bob: User) -> None:
    games = [table_of(alice, bob) for _game in range(5)]
    tries = race(concurrent_players.play_games, [game.pk for game in games], ROUNDS, racers=RACERS)
    contests = rounds(tries)
    assert len(contests) >= ROUNDS * 5 / 6
    for contest in contests:
        assert len(contest) == RACERS
        [winner] = [one for one in contest if one.outcome == "played"]
        for other in contest:
            if other is winner:
                continue
            # The same move sent again gets its result; any other hears that the game moved on.
            same = other.command == winner.command
            assert other.outcome == ("repeated" if same else "moved")
            if same:
                assert other.result.version == winner.result.version
                assert other.result.events == winner.result.events
    made = sum(len(log_of(game).moves) - 1 for game in games)
    assert made == len(contests)
    assert Message.objects.count() == made
    collisions = sum(one.outcome != "played" for one in tries)
    assert collisions >= ROUNDS * 5 / 2
    assert {"played", "repeated", "moved"} == {one.outcome for one in tries}
    tables = OutboxMail.objects.filter(kind="turn").values_list("game", "seq", "user")
    assert len(tables) == len(set(tables))


def test_verify_finds_nothing_wrong_in_games_that_are_being_played(
    race: Race, alice: User, bob: User
) -> None:
    games = [table_of(alice, bob).pk for _game in range(2)]
    tries: list[Try] = []
    players = threading.Thread(
        target=lambda: tries.extend(race(concurrent_players.play_games, games, 40, racers=2))
    )
    players.start()
    looks = 0
    while players.is_alive():
        status, words = verify()
        assert status == 0, words
        looks += 1
    players.join()
    assert len(tries) >= 60
    assert looks > 10


@pytest.mark.long
def test_without_any_lock_the_primary_key_lets_one_through(
    race: Race, alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    tries = race(concurrent_players.append_unlocked, game.pk, ROUNDS // 2, racers=RACERS)
    for contest in rounds(tries):
        assert sorted(one.outcome for one in contest) == ["moved"] * (RACERS - 1) + ["played"]
    log, faults = stored_rows.audit(fresh(game))
    assert faults == []
    assert log is not None
    assert log.version == game.version + 2 * (ROUNDS // 2)
    # The rows know nothing of events written past the services; put that right for `verify`.
    said = log.projection
    Game.objects.filter(pk=game.pk).update(
        version=said.version,
        status=said.status,
        paused_at=next(e.at for e in log.entries if isinstance(e.event, Paused)),
        last_event_at=log.entries[-1].at,
    )
    game.seats.update(due_at=None)


def test_as_many_sit_down_as_there_are_seats_and_the_game_starts_once(
    race: Race, alice: User
) -> None:
    guests = [person(f"Guest{number}") for number in range(RACERS)]
    games = [table_of(alice, seats=3) for _table in range(5)]
    tries = race(
        concurrent_players.join_tables, [g.pk for g in games], [g.pk for g in guests], racers=RACERS
    )
    for game in games:
        seated = {one.racer: one.result for one in tries if one.game == game.pk and one.result}
        assert sorted(seated.values()) == [1, 2]
        assert fresh(game).status == Game.Status.RUNNING
        kinds = [entry.kind for entry in log_of(game).entries]
        assert kinds.count("table.started") == 1
        assert kinds.count("table.joined") == 3


def test_workers_at_the_same_bots_make_each_move_once(race: Race, alice: User) -> None:
    games = [play_turns(table_of(alice, bots=3), 1) for _table in range(6)]
    tries = race(concurrent_players.play_bots, [game.pk for game in games], racers=RACERS)
    for game in games:
        moves = log_of(game).moves[2:]
        counted = sum(one.result for one in tries if one.game == game.pk)
        assert counted == len(moves)
        assert fresh(game).to_act == [0]
        seats = [move[0].seat for move in moves]
        assert list(dict.fromkeys(seats)) == [1, 2, 3]


def test_beats_at_the_same_clock_send_everything_once(race: Race, alice: User, bob: User) -> None:
    games = [table_of(alice, bob, pace_days=3) for _table in range(10)]
    tries = race(concurrent_players.look_at_clocks, [0, 2, 4], racers=RACERS)
    noted = [sum(o.result[0] for o in tries if o.version == day) for day in (0, 2, 4)]
    reminded = [sum(o.result[1] for o in tries if o.version == day) for day in (0, 2, 4)]
    # A sweep that finds a table locked leaves it to the next sweep: never twice, at worst a little
    # later.
    assert noted[0] == noted[1] == 0
    assert noted[2] == len(games)
    assert reminded == [0, len(games), 0]
    assert OutboxMail.objects.filter(kind="deadline").count() == 2 * len(games)
    assert OutboxMail.objects.filter(kind="reminder").count() == len(games)


def test_all_who_ask_for_a_rematch_at_once_get_the_same_one(
    race: Race, alice: User, bob: User
) -> None:
    games = [given_up(alice, bob) for _game in range(2)]
    tries = race(
        concurrent_players.ask_for_rematch, [g.pk for g in games], [alice.pk, bob.pk], racers=2
    )
    for game in games:
        [again] = {one.result for one in tries if one.game == game.pk}
        assert Game.objects.get(pk=again).status == Game.Status.RUNNING
        assert game.rematches.count() == 1


@pytest.mark.long
def test_twenty_processes_that_vote_move_and_write_at_once(
    race: Race, settings: Settings, alice: User, bob: User, carol: User
) -> None:
    """Each vote has one outcome, each message one row and one email for each reader."""
    settings.QUOTAS = {"votes_person_day": len(VOTES) * 3}
    people = [alice, bob, carol]
    for user in people:
        prefer(user, modes={"talk": "gather"})
    games, until = [], timezone.now().date() + timedelta(days=5)
    for about in by_length(VOTES, VOTES * 3):
        games.append(game := play_turns(table_of(*people), 1))
        day = until if about == "pause" else None
        services.vote_open(game_id=game.pk, user=alice, about=about, until=day)
    work = concurrent_players.vote_move_and_write
    tries = race(work, [g.pk for g in games], [user.pk for user in people], 3, racers=CROWD)
    for game in games:
        votes = [e.event for e in log_of(game).entries if e.kind.startswith("table.vote_")]
        ends = [event for event in votes if not isinstance(event, VoteAnswered)]
        assert all(isinstance(event, VoteOpened) for event in ends[::2])
        assert [type(event) for event in ends[1::2]] == [VoteSettled] * len(ends[1::2])
        assert (len(ends) % 2 == 1) == (log_of(game).vote is not None)
    written = [one.result for one in tries if isinstance(one.result, int)]
    assert sorted(written) == sorted(Message.objects.values_list("pk", flat=True))
    assert len(written) >= 6 * 3 * len(games) / 2
    for _email_of_ten in range(5):  # an hour apart
        OutboxMail.objects.update(sent_at=F("sent_at") - timedelta(hours=1))
        if OutboxMail.objects.filter(state="queued").exists():
            race(concurrent_players.send_emails, racers=RACERS)
    assert not Message.objects.exclude(unsent=[]).exists()
    folder = Path(os.environ["TEST_FOLDER"], "mail")
    mails = [read(file.read_bytes()) for file in folder.glob("*.eml")]
    for message in Message.objects.all():
        readers = [mail["To"] for mail in mails if f"|   {message.text}\n" in mail.text]
        others = [user.email for user in people if user.pk != message.author_id]
        assert sorted(address.strip("<>") for address in readers) == sorted(others)
