"""What people can write to the log of a game, which nobody can shorten, is bounded."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from games import services
from games.models import User
from games.services import QuotaExceeded
from tests.factories import log_of, table_of

pytestmark = pytest.mark.django_db

FOLDER = Path(services.__file__).parent

# Functions of the services that write to a log and spend no quota, and what bounds them.
BOUNDED = {
    "vote_answer_locked": "one answer of each player to a vote, which spends a quota",
    "game_play_bots": "a game has an end",
    "bots_sweep": "a game has an end",
    "deadline_check": "one for each deadline that was missed",
    "game_leave": "a seat is left once after game_join, which spends a quota",
    "game_remove_bot": "a bot is removed once after game_add_bot, which spends a quota",
    "game_resign": "a seat is given up once",
    "game_resign_locked": "a seat is given up once",
    "game_start": "a game starts once",
    "outages_apply": "one for each outage of the service",
    "seat_take_back": "once for each seat that was lost by missing deadlines",
    "seat_take_back_locked": "once for each seat that was lost by missing deadlines",
    "step_undo_locked": "each step is taken back once",
    "vote_answer": "one answer of each player to a vote, which spends a quota",
    "votes_due": "one end of each vote, which spends a quota",
    "waiting_tables_check": "a table is closed once",
}


def test_a_stranger_who_joins_and_leaves_a_waiting_table_is_stopped(alice: User, bob: User) -> None:
    game = table_of(alice, seats=3)
    with pytest.raises(QuotaExceeded):
        for _time in range(100):
            services.game_join(game_id=game.pk, user=bob)
            services.game_leave(game_id=game.pk, user=bob)
    assert len(log_of(game).entries) < 60


def test_a_host_who_seats_and_removes_bots_is_stopped(alice: User) -> None:
    game = table_of(alice, seats=3)
    with pytest.raises(QuotaExceeded):
        for _time in range(100):
            seat = services.game_add_bot(game_id=game.pk, by=alice)
            services.game_remove_bot(game_id=game.pk, by=alice, seat=seat.number)


def called() -> dict[str, set[str]]:
    """Each function of the services, and the names of what it calls or uses."""
    found = defaultdict[str, set[str]](set)
    for path in FOLDER.glob("*.py"):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.Attribute):
                        found[function.name].add(node.attr)
                    elif isinstance(node, ast.Name):
                        found[function.name].add(node.id)
    return found


def reaches(name: str, goal: str, names: dict[str, set[str]]) -> bool:
    seen, todo = set[str](), {name}
    while todo:
        one = todo.pop()
        seen.add(one)
        if goal in names[one]:
            return True
        todo |= {other for other in names[one] if other in names} - seen
    return False


def test_each_service_that_writes_an_event_spends_a_quota_or_is_bounded_by_the_rules() -> None:
    names = called()
    writing = {
        name
        for name in vars(services)
        if name in names and reaches(name, "write", names) and name.islower()
    }
    assert len(writing) > 20
    assert {name for name in writing if not reaches(name, "spend", names)} == BOUNDED.keys()
